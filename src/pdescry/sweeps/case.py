"""`Case`: one run of a sweep, small enough to be sent anywhere: names of files, and settings."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from pdescry.data import Readings, read
from pdescry.discovery.run import load_inputs
from pdescry.errors import InputError
from pdescry.files import plain

# The arguments of `read` that describe a file.
READING = tuple(name for name in inspect.signature(read).parameters if name != "source")


@dataclass(frozen=True)
class Case:
    """One run of a sweep.

    Parameters
    ----------
    name : str
        Of its run directory in the study.
    files : tuple of str
        Of readings; several share one law. A folder with a run of pdescry stands for the readings of that run.
    reading : mapping
        Arguments of `pdescry.read`, such as ``{"noise": 0.05}``.
    settings : mapping
        As in a file of settings: ``{"seed": 1, "law": {"candidates": ["u_xx", "u_x"]}}``.
    varied : mapping
        What distinguishes this case from others of its sweep, by the names of columns in its results.
    """

    name: str
    files: tuple[str, ...]
    reading: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    varied: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.name or self.name in (".", "..") or set(self.name) & set('/\\\0"<>|:*?\n'):
            raise InputError(f"Expected the name of a case to be that of a folder; got {self.name!r}; choose another.")
        if not self.files:
            raise InputError(f"Expected a file of readings for the case {self.name!r}; got none.")
        if unknown := [name for name in self.reading if name not in READING]:
            raise InputError(
                f"Expected arguments of pdescry.read ({', '.join(READING)}) for the case {self.name!r}; got "
                f"{unknown[0]!r}."
            )
        for name in ("reading", "settings", "varied"):  # as they come back from a file
            object.__setattr__(self, name, plain(dict(getattr(self, name))))

    def to_dict(self) -> dict[str, Any]:
        return plain(asdict(self))

    @staticmethod
    def from_dict(stored: Mapping[str, Any]) -> Case:
        return Case(**{**stored, "files": tuple(stored["files"])})

    def readings(self, study: Path) -> list[Readings]:
        """Of each file. Names that do not begin at the root are of files that the study keeps itself."""
        found: list[Readings] = []
        for name in self.files:
            path = study / name
            if (path / "config.toml").is_file():
                found += load_inputs(path)[0]
            else:
                found.append(read(path, **self.reading))
        return found

    def stamps(self, study: Path) -> list[list[int] | None]:
        """Size and time of change of each file, by which one that was changed is recognised."""
        found: list[list[int] | None] = []
        for name in self.files:
            try:
                about = (study / name).stat()
                if (study / name).is_dir():  # of a run, whose other files may change
                    about = (study / name / "readings.csv").stat()
            except OSError:
                found.append(None)
            else:
                found.append([about.st_size, about.st_mtime_ns])
        return found
