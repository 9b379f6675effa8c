"""Files that appear whole or not at all: written under a temporary name next to the target, then renamed."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pdescry.errors import InputError


@contextmanager
def appearing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A temporary path to write to. On success it becomes ``path``; on any error ``path`` is as it was before."""
    target = Path(path)
    # The ending stays last: libraries choose the format by it.
    temporary = target.parent / f".{target.stem[:40]}.{secrets.token_hex(4)}{target.suffix}"
    try:
        yield temporary
        os.replace(temporary, target)
    except OSError as fault:
        raise _cannot_write(target, fault) from fault
    finally:
        with suppress(OSError):
            temporary.unlink()


def refuse_to_overwrite(path: str | os.PathLike[str], force: bool) -> None:
    """An error if ``path`` exists and may not be replaced, before any work is done for it."""
    if not force and Path(path).exists():
        raise InputError(f"The file {str(path)!r} exists already; choose another name, or pass --force to replace it.")


def _cannot_write(target: Path, fault: OSError) -> InputError:
    return InputError(
        f"Cannot write {str(target)!r}: {fault.strerror or fault}; choose another folder or make room there."
    )
