"""What an adapter reads and writes. Only numpy is needed, because adapters run in the environments of their methods.

    python ADAPTER readings.npz answers.json

An adapter does not know the law. One that has thresholds or other choices to make writes an answer for each of them;
the benchmark then takes the best of these for the method.
"""

from __future__ import annotations

import json
import os
import platform
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Work:
    """time (N,), space (N, d), values (N, f): readings. candidates: texts such as ``u*u_x``, the same for each
    equation. points (M, 1 + d): times and places at which the field is asked for. seed: for methods that draw."""

    time: Any
    space: Any
    values: Any
    fields: tuple[str, ...]
    axes: tuple[str, ...]
    candidates: tuple[str, ...]
    points: Any
    seed: int

    def save(self, path: Path) -> None:
        np.savez(
            path,
            time=self.time,
            space=self.space,
            values=self.values,
            fields=np.array(self.fields, dtype=str),
            axes=np.array(self.axes, dtype=str),
            candidates=np.array(self.candidates, dtype=str),
            points=self.points,
            seed=self.seed,
        )

    @classmethod
    def load(cls, path: Path) -> Work:
        with np.load(path, allow_pickle=False) as file:
            texts = {name: tuple(map(str, file[name])) for name in ("fields", "axes", "candidates")}
            arrays = {name: file[name] for name in ("time", "space", "values", "points")}
            return cls(**arrays, **texts, seed=int(file["seed"]))


@dataclass(frozen=True)
class Answer:
    """coefficients: ``{"u_t: u*u_x": -1.0}``; empty where the method says that there is no law. sd: of coefficients,
    where the method has them. settings: the choices that were made. field: (M, f), where the method has one. seconds:
    of one core, for one who knows the settings."""

    coefficients: Mapping[str, float]
    settings: str
    seconds: float
    sd: Mapping[str, float] = field(default_factory=dict)
    field: Any = None


def main(method: Callable[[Work], tuple[list[Answer], int]], *packages: str) -> None:
    """Run a method, which gives its answers and which of them its default settings give."""
    answers, default = method(Work.load(Path(sys.argv[1])))
    written = [
        {
            "coefficients": {name: float(value) for name, value in each.coefficients.items()},
            "sd": {name: float(value) for name, value in each.sd.items()},
            "settings": each.settings,
            "seconds": each.seconds,
            "field": None if each.field is None else np.asarray(each.field, float).tolist(),
        }
        for each in answers
    ]
    versions = {"python": platform.python_version()} | {name: version(name) for name in ("numpy", *packages)}
    Path(sys.argv[2]).write_text(json.dumps({"answers": written, "default": default, "versions": versions}))


class Clock:
    """Seconds of a core that this process and those that it waited for have computed, since the clock was made or
    since another moment of it; machines are shared, so that the time of day says little."""

    def __init__(self) -> None:
        self.began = sum(os.times()[:4])

    def __call__(self, since: float = 0.0) -> float:
        return sum(os.times()[:4]) - self.began - since
