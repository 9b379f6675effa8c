"""Docstrings here say in prose what each argument is: ``threshold: …. doubling: …``. The reference lists them, and
shows types as they stand in the source: ``ArrayLike``, not what numpy makes of it.
"""

from __future__ import annotations

import inspect
import re
from typing import Any

from sphinx.application import Sphinx


def listed(text: str, names: set[str]) -> list[str]:
    """A paragraph as lines, with an item for each of the names that it explains."""
    name = "|".join(sorted(names, key=len, reverse=True))
    start = re.compile(rf"(?:^|(?<=[.;] ))((?:{name})(?:, (?:{name}))*): ")
    found = list(start.finditer(text)) if names else []
    lines = [text[: found[0].start()].strip() if found else text, ""]
    for this, after in zip(found, [*found[1:], None], strict=False):
        meaning = text[this.end() : after.start() if after else None].strip()
        lines += [f"- **{this[1]}**: {meaning}"]
    return [*lines, ""] if found else lines


def list_arguments(app: Sphinx, what: str, name: str, target: Any, options: Any, lines: list[str]) -> None:
    if what not in ("function", "class", "method"):
        return
    try:
        names = set(inspect.signature(target).parameters)
    except (TypeError, ValueError):
        return
    result: list[str] = []
    for paragraph in "\n".join(lines).split("\n\n"):
        plain = paragraph.strip() and not paragraph.startswith((" ", ">>>", "- ", ".. "))
        result += listed(" ".join(paragraph.split()), names) if plain else [*paragraph.split("\n"), ""]
    lines[:] = result


class Written:
    """What is shown as it was written, without quotes."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def as_written(app: Sphinx, what: str, name: str, target: Any, options: Any, given: Any, returns: Any) -> Any:
    if what not in ("function", "class", "method"):
        return None
    try:
        signature = inspect.signature(target)
    except (TypeError, ValueError):
        return None
    arguments = [_as_written(each) for each in signature.parameters.values() if each.name != "self"]
    result = signature.return_annotation
    shown = str(signature.replace(parameters=arguments, return_annotation=inspect.Signature.empty))
    return shown, result if isinstance(result, str) and what != "class" else None


def _as_written(argument: inspect.Parameter) -> inspect.Parameter:
    if isinstance(argument.annotation, str):
        argument = argument.replace(annotation=Written(argument.annotation))
    made = argument.default is not argument.empty and repr(argument.default).startswith("<")  # by a factory, anew
    return argument.replace(default=Written("...")) if made else argument


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("autodoc-process-docstring", list_arguments)
    app.connect("autodoc-process-signature", as_written)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
