"""`Problem`: everything that fixes the draws (settings, readings as the model sees them, seed), as plain files.

A worker process is given a folder and nothing else. The same files show, when a run is resumed, whether it is the
same run:

    problem.json    settings, a digest of each part of the readings, versions of the libraries below
    problem.npz     the `Observations`
    chain-00/       the blocks of chain 0
"""

from __future__ import annotations

import dataclasses
import hashlib
import importlib.metadata
import json
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pdescry.checks import differences
from pdescry.errors import InputError
from pdescry.files import appearing
from pdescry.notices import Notice, NoticeWarning
from pdescry.surrogate.adam import Adam
from pdescry.surrogate.chain import Plan, blocks
from pdescry.surrogate.model import Model, Observations
from pdescry.surrogate.network import Network
from pdescry.surrogate.prior import Prior
from pdescry.surrogate.samplers import SAMPLERS

# What the digests are called in a message to the user.
PARTS = {
    "inputs": "times or places of the readings",
    "targets": "values of the readings (or whether they are standardised)",
    "inverse_sd": "noise sds that were given",
    "group": "sensors of the readings",
}
LIBRARIES = ("pdescry", "jax", "jaxlib", "blackjax", "optax", "numpy")


@dataclass(frozen=True, eq=False)
class Problem:
    plan: Plan
    seen: Observations
    seed: int

    def chain_folder(self, folder: Path, chain: int) -> Path:
        return folder / f"chain-{chain:02d}"

    @property
    def n_readings(self) -> int:
        return self.seen.targets.shape[1]

    def describe(self) -> dict[str, Any]:
        """What fixes the draws, as JSON can hold it."""
        programme = [f"{block.stage} {block.size}" for block in blocks(self.plan, self.n_readings)]
        programme.append("start kept")
        return {
            "settings": settings_of(self.plan) | {"seed": self.seed},
            "readings": self._digests(),
            # The blocks that the chains' files are; another version of pdescry may cut chains otherwise.
            "blocks": hashlib.sha256("\n".join(programme).encode()).hexdigest()[:16],
        }

    def _digests(self) -> dict[str, str]:
        parts = {name: np.ascontiguousarray(getattr(self.seen, name)) for name in PARTS}
        return {
            name: hashlib.sha256(repr(part.shape).encode() + part.tobytes()).hexdigest()[:16]
            for name, part in parts.items()
        }

    # ---- on disk -----------------------------------------------------------------------------------------------

    def settle(self, folder: Path) -> None:
        """Write the problem into an empty folder, or see that the one there is this problem."""
        path = folder / "problem.json"
        if path.exists():
            self._compare(_read_json(path), folder)
        else:
            if any(folder.glob("chain-*")):
                raise InputError(
                    f"The folder {str(folder)!r} contains chains but no problem.json, so they cannot be distinguished "
                    "from others; choose another workdir, or empty this one."
                )
            with appearing(path) as temporary:
                temporary.write_text(json.dumps(self.describe() | {"versions": _versions()}, indent=1) + "\n")
        with appearing(folder / "problem.npz") as temporary:  # also when resuming: it may have been damaged
            np.savez(temporary, **self.seen._asdict())

    def _compare(self, stored: dict[str, Any], folder: Path) -> None:
        now = self.describe()
        changes = [
            f"{name} was {_show(before)}, now {_show(after)}"
            for name, before, after in differences(stored.get("settings", {}), now["settings"])
        ] + [
            f"the {PARTS[name]} differ"
            for name, _, _ in differences(stored.get("readings", {}), now["readings"])
            if name in PARTS
        ]
        if not changes and stored.get("blocks") != now["blocks"]:
            changes = ["its chains are cut into other blocks, by another version of pdescry"]
        if changes:
            raise InputError(
                f"The folder {str(folder)!r} contains a run of another problem: {'; '.join(changes)}. "
                "Choose another workdir, or go back to those settings."
            )
        for name, before, after in differences(stored.get("versions", {}), _versions()):
            notice = Notice.of("other-versions", package=name, before=str(before), after=str(after))
            warnings.warn(NoticeWarning(notice), stacklevel=4)

    @classmethod
    def load(cls, folder: Path) -> Problem:
        stored = _read_json(folder / "problem.json")["settings"]
        with np.load(folder / "problem.npz", allow_pickle=False) as arrays:
            seen = Observations(**{name: arrays[name] for name in Observations._fields})
        return cls(plan_of(stored), seen, stored["seed"])


def settings_of(plan: Plan) -> dict[str, Any]:
    """A plan as JSON can hold it."""
    return {
        "model": dataclasses.asdict(plan.model),
        "start": dataclasses.asdict(plan.start),
        "sampler": {"kind": type(plan.sampler).__name__, **dataclasses.asdict(plan.sampler)},  # type: ignore[call-overload]
    }


def plan_of(settings: dict[str, Any]) -> Plan:
    """The plan that `settings_of` described."""
    model, sampler = dict(settings["model"]), dict(settings["sampler"])
    model |= {"network": Network(**model["network"]), "prior": Prior(**model["prior"])}
    return Plan(Model(**model), Adam(**settings["start"]), SAMPLERS[sampler.pop("kind")](**sampler))


def _show(value: Any) -> str:
    return "absent" if value is None else repr(value)


def _versions() -> dict[str, str]:
    return {name: importlib.metadata.version(name) for name in LIBRARIES}


def _read_json(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text())
    except (OSError, ValueError):
        content = None
    if not isinstance(content, dict):
        raise InputError(f"Expected {str(path)!r} to describe a run; it is damaged; choose another workdir.")
    return content
