"""Blocks of a chain on disk: each appears whole or not at all, and is checked when read.

``block-00007.npz`` has the state after block 7 (``state_00`` …) and what the block produced. Zip archives carry a
checksum of every array, so a damaged file is noticed and counts as not there: the block is run again.
"""

from __future__ import annotations

import contextlib
import warnings
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdescry.files import appearing
from pdescry.notices import Notice, NoticeWarning


def write_block(folder: Path, number: int, state: Sequence[Any], outputs: Mapping[str, Any]) -> None:
    arrays = {f"state_{k:02d}": np.asarray(leaf) for k, leaf in enumerate(state)}
    with appearing(_path(folder, number)) as temporary:
        np.savez(temporary, **arrays | {name: np.asarray(value) for name, value in outputs.items()})  # type: ignore[arg-type]


def load_block(folder: Path, number: int) -> tuple[list[NDArray[Any]], dict[str, NDArray[Any]]] | None:
    """The state after the block and its outputs; None if it is not there, or damaged (then a warning says so)."""
    path = _path(folder, number)
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
    except FileNotFoundError:
        return None
    except (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile, zlib.error) as fault:
        warnings.warn(NoticeWarning(Notice.of("checkpoint-damaged", path=str(path), fault=str(fault))), stacklevel=2)
        with contextlib.suppress(OSError):
            path.unlink()
        return None
    state = [arrays.pop(name) for name in sorted(arrays) if name.startswith("state_")]
    return state, arrays


def _path(folder: Path, number: int) -> Path:
    return folder / f"block-{number:05d}.npz"
