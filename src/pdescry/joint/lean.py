"""`Lean`: frozen values that are sent between processes without their cached properties."""

from __future__ import annotations

from dataclasses import fields
from typing import Any


class Lean:
    """Pickled by its dataclass fields alone: cached properties are computed again when needed."""

    def __getstate__(self) -> dict[str, Any]:
        return {each.name: self.__dict__[each.name] for each in fields(self)}  # type: ignore[arg-type]
