"""`Lean`: frozen values that travel between processes without what they have computed of themselves."""

from __future__ import annotations

from dataclasses import fields
from typing import Any


class Lean:
    """Pickled as its dataclass fields alone: cached properties are computed anew where they are asked for."""

    def __getstate__(self) -> dict[str, Any]:
        return {each.name: self.__dict__[each.name] for each in fields(self)}  # type: ignore[arg-type]
