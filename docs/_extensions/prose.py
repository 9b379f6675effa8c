"""Docstrings here say in prose what each argument is: ``threshold: …. doubling: …``. The reference lists them."""

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


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("autodoc-process-docstring", list_arguments)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
