"""What the shell offers after Tab: names, and run directories. Files, for which nothing is returned, it offers itself.

Every Tab starts the program anew, so nothing here may load JAX; names that live beside it are repeated here, and a test
compares them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path

from pdescry.schema.run import SECTIONS, plain_settings

EXPERIMENTS = ("burgers", "kdv", "heat", "all")
SCALES = ("full", "quick")
FORMATS = ("csv", "parquet", "netcdf", "hdf5", "excel", "zarr", "npz", "npy", "tiff", "matlab")
TIME_UNITS = ("s", "min", "h", "d")

Completion = Callable[[str], list[str]]


def one_of(*names: str) -> Completion:
    return among(lambda: names)


def among(names: Callable[[], Iterable[str]]) -> Completion:
    def complete(incomplete: str) -> list[str]:
        return [name for name in names() if name.startswith(incomplete)]

    return complete


def system_names(incomplete: str) -> list[str]:
    from pdescry.data.systems import NAMES

    return one_of(*NAMES)(incomplete)


def setting_names(incomplete: str) -> list[str]:
    """Sections first; once there is one, its settings. Nouns take a second to load, and do so only for their own."""
    section, dot, _ = incomplete.partition(".")
    plain = [name for name, _ in plain_settings()]
    if not dot:
        sections = (f"{each}." for each in SECTIONS if each)
        return one_of(*(name for name in plain if "." not in name), *sections)(incomplete)
    if section not in SECTIONS or any(name.startswith(f"{section}.") for name in plain):
        return one_of(*plain)(incomplete)
    from pdescry.discovery.settings import every_setting

    return one_of(*(name for name, _ in every_setting()))(incomplete)


def run_directories(incomplete: str) -> list[str]:
    """Those whose name begins so; if none does, the shell offers folders, on the way to one."""
    head, beginning = os.path.split(incomplete)
    try:
        folders = sorted(Path(os.path.expanduser(head) or ".").iterdir())
    except OSError:
        return []
    runs = (each.name for each in folders if each.name.startswith(beginning) and (each / "config.toml").is_file())
    return [os.path.join(head, name) for name in runs]
