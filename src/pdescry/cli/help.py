"""What a command says of itself: its docstring, with the examples at the end of the help, line by line as they are."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable

_EXAMPLES = re.compile(r"^Examples?:\s*", re.MULTILINE)
_AS_IT_IS = "\b\n"  # keeps click from filling the lines of a paragraph


def described(command: Callable[..., None]) -> tuple[str, str]:
    """The docstring in two: the text above the options, and the examples below them."""
    words, *shown = _EXAMPLES.split(inspect.getdoc(command) or "", maxsplit=1)
    return words.strip(), examples(*inspect.cleandoc("\n".join(shown)).splitlines())


def examples(*lines: str) -> str:
    """A paragraph to copy commands from."""
    return _AS_IT_IS + "\n".join(["Examples:", *(f"  {line}" for line in lines)])
