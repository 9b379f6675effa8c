"""Files and folders that appear whole or not at all, and the way back from those of our own.

They are written under a temporary name beside the target, then renamed.
"""

from __future__ import annotations

import errno
import json
import math
import os
import re
import secrets
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pdescry.errors import DamagedFile, InputError, needing

if TYPE_CHECKING:
    import xarray as xr

_VARIABLES = "variables"  # an attribute: the names of all, to see whether one is missing
_ON_THE_WAY = re.compile(r"\.pdescry-.+-[0-9a-f]{8}(\..+)?")


def exact_floats() -> dict[str, Any]:
    """How `pandas.read_csv` is asked for numbers to the last bit: from 3.1 on that is its default, and deprecated to
    ask for."""
    import pandas as pd

    return {} if tuple(map(int, pd.__version__.split(".")[:2])) >= (3, 1) else {"float_precision": "round_trip"}


@contextmanager
def appearing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A temporary path for a file or a folder. On success it becomes ``path``; on any error that is as before."""
    target = Path(path).resolve()  # through a symbolic link, which stays one
    # The ending stays last: libraries choose the format by it.
    temporary = target.parent / f".pdescry-{target.stem[:40]}-{secrets.token_hex(4)}{target.suffix}"
    try:
        yield temporary
        _reach_the_disk(temporary)
        if temporary.is_dir() and target.is_dir():
            _swap(temporary, target)  # and what was there before goes below
        else:
            os.replace(temporary, target)
        _reach_the_disk(target.parent, below=False)
    except OSError as fault:
        reason = os.strerror(fault.errno) if fault.errno else str(fault)
        raise InputError(f"Cannot write {str(path)!r}: {reason}; choose another folder or make room there.") from fault
    finally:
        with suppress(OSError):
            temporary.unlink()
        shutil.rmtree(temporary, ignore_errors=True)


def made_folder(path: str | os.PathLike[str]) -> Path:
    """A folder, with those above it, made if need be."""
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        raise InputError(f"Cannot use {str(path)!r} as a folder: {fault.strerror}; choose another.") from None
    return folder


def is_on_the_way(name: str) -> bool:
    """Whether this is a temporary name; where nobody writes, a process was killed and has left it."""
    return _ON_THE_WAY.fullmatch(name) is not None


def _reach_the_disk(path: Path, below: bool = True) -> None:
    """Return when a file, or a folder with what is below it, would survive a power cut."""
    for each in [*(path.rglob("*") if below and path.is_dir() else ()), path]:
        if each.is_dir() and os.name == "nt":  # where folders cannot be opened
            continue
        descriptor = os.open(each, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        except OSError as fault:
            if fault.errno not in (errno.EINVAL, errno.ENOTSUP, errno.EROFS, errno.EBADF):  # no such promise there
                raise
        finally:
            os.close(descriptor)


def _swap(one: Path, other: Path) -> None:
    """Exchange the names of two folders; no call does it at once everywhere, so there is a moment without ``other``."""
    aside = one.with_name(f"{one.name}.aside")
    os.rename(other, aside)
    os.rename(one, other)
    os.rename(aside, one)


def check_zarr() -> None:
    with needing("zarr", "to read and write Zarr folders"):
        import zarr  # noqa: F401


def saved_dataset(path: Path, form: str, what: str) -> xr.Dataset:
    """The dataset that we saved at ``path`` with the attribute format=``form``, all of it in memory.

    Raises
    ------
    DamagedFile
        If it is no such file, or its checksums or its variables are not those that were written. What a caller makes
        of the dataset lies outside, so that a fault there is never called a damaged file.
    """
    import xarray as xr

    if not path.exists():
        raise InputError(f"There is no file {str(path)!r}.")
    if path.suffix == ".zarr":
        check_zarr()
    try:
        if path.suffix == ".zarr":
            opened = xr.open_zarr(path, consolidated=False, chunks=None)
        else:
            opened = xr.open_dataset(path, engine="h5netcdf")
        with opened:
            dataset = opened.load()
        if dataset.attrs.get("format") != form:
            raise ValueError(f"its format is {dataset.attrs.get('format')!r}, expected {form!r}")
        if missing := sorted(set(json.loads(dataset.attrs.pop(_VARIABLES, "[]"))) - set(dataset.variables)):
            raise ValueError(f"it lacks {missing[0]!r}")
    except PermissionError as fault:
        raise InputError(f"Cannot read {str(path)!r}: {fault.strerror}; allow reading it.") from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RuntimeError, EOFError) as fault:
        raise DamagedFile(
            f"Expected {str(path)!r} to be {what} that pdescry saved; it is none, or damaged ({fault})."
        ) from None
    return dataset


def write_dataset(
    path: str | os.PathLike[str], dataset: xr.Dataset, encoding: Mapping[str, Mapping[str, Any]] | None = None
) -> None:
    """Write NetCDF. Room is looked for first: if HDF5 finds the disk full, the error is reported, and then the process
    dies. Arrays carry checksums, and the file the names of its variables."""
    chosen = {str(name): dict(part) for name, part in (encoding or {}).items()}
    for name, variable in dataset.variables.items():
        if variable.size and variable.ndim and variable.dtype.kind in "biuf":
            chosen.setdefault(str(name), {})["fletcher32"] = True
    whole = dataset.assign_attrs({_VARIABLES: json.dumps(sorted(map(str, dataset.variables)))})
    with appearing(path) as temporary:
        with temporary.open("wb") as file:
            _reserve(file.fileno(), dataset.nbytes + dataset.nbytes // 50 + 2**20)
        whole.to_netcdf(temporary, engine="h5netcdf", encoding=chosen)


def _reserve(file: int, size: int) -> None:
    """An OSError if there is not so much room for a file, on systems that report free space."""
    if hasattr(os, "posix_fallocate"):
        try:
            os.posix_fallocate(file, 0, size)
        except OSError as fault:
            if fault.errno in (errno.ENOSPC, errno.EFBIG, errno.EDQUOT):
                raise


def write_json(path: str | os.PathLike[str], content: Any) -> None:
    """Write nested mappings, sequences and numbers, of numpy too; numbers that are none (NaN) become null."""
    with appearing(path) as temporary:
        text = json.dumps(plain(content), indent=1, ensure_ascii=False, allow_nan=False)
        temporary.write_text(text + "\n", encoding="utf-8")


def plain(value: Any) -> Any:
    """The same as JSON can hold it."""
    if hasattr(value, "tolist"):  # arrays and numbers of numpy
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(name): plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def check_target(path: str | os.PathLike[str], endings: Sequence[str], force: bool = True) -> None:
    """An error if ``path`` cannot be written, has another ending, or exists and may not be replaced.

    To be asked before any work is done for the file.
    """
    target = Path(path).resolve()
    if target.suffix.lower() not in endings:
        raise InputError(f"Expected a file named {' or '.join('*' + known for known in endings)}; got {str(path)!r}.")
    if not target.parent.is_dir():
        raise InputError(f"Cannot write {str(path)!r}: there is no such folder; make it first, or choose another.")
    if target.exists() and not target.is_file() and not (target.is_dir() and target.suffix.lower() == ".zarr"):
        raise InputError(f"Cannot write {str(path)!r}: it is no regular file; choose another name.")
    if target.exists() and not force:
        raise InputError(f"The file {str(path)!r} exists already; choose another name, or pass --force to replace it.")
    if not os.access(target.parent, os.W_OK):
        raise InputError(f"Cannot write {str(path)!r}: its folder is read-only; choose another folder.")
