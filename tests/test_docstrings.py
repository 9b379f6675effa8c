"""Docstrings of everything public explain every argument, in numpydoc sections that help(), editors and Sphinx show."""

from __future__ import annotations

import importlib
import inspect
import re
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import pdescry

API = Path(__file__).parents[1] / "docs" / "api"
_SECTION = re.compile(r"^(\w[\w ]*)\n-+$", re.MULTILINE)
_DIRECTIVE = re.compile(r"^\.\. auto(?:class|function):: (pdescry\.[\w.]+)$", re.MULTILINE)


def sections(docstring: str) -> dict[str, str]:
    _, *parts = _SECTION.split(inspect.cleandoc(docstring))
    return dict(zip(parts[::2], parts[1::2], strict=True))


def heads(docstring: str) -> list[str]:
    """``name : type`` of each parameter; a line may have several names."""
    return [line for line in sections(docstring).get("Parameters", "").split("\n") if line and line[0] != " "]


def explained(docstring: str) -> list[str]:
    """The names in its section Parameters, without the stars of ``*places``."""
    return [name.lstrip("*") for head in heads(docstring) for name in head.partition(" : ")[0].split(", ")]


def of_class(name: str, kind: type) -> Iterator[tuple[str, Callable[..., Any]]]:
    yield name, kind
    for key, value in vars(kind).items():
        function = value.__func__ if isinstance(value, classmethod | staticmethod) else value
        if not key.startswith("_") and inspect.isfunction(function):
            yield f"{name}.{key}", function


def public() -> Iterator[tuple[str, Callable[..., Any]]]:
    """What `pdescry` and its modules export, with public methods, and what else the reference has."""
    for name in pdescry.__all__:
        value = getattr(pdescry, name)
        if isinstance(value, types.ModuleType):
            exported = {f"{name}.{key}": getattr(value, key) for key in value.__all__}
        else:
            exported = {name: value}
        for key, each in exported.items():
            if inspect.isclass(each):
                yield from of_class(key, each)
            elif inspect.isfunction(each):
                yield key, each
    for page in sorted(API.glob("*.md")):
        for name in _DIRECTIVE.findall(page.read_text("utf-8")):
            home, _, key = name.rpartition(".")
            if home != "pdescry" and key != "Settings":  # `pdescry config` explains every setting
                yield name, getattr(importlib.import_module(home), key)


def arguments(function: Callable[..., Any]) -> list[str]:
    if inspect.isclass(function) and issubclass(function, BaseException) and "__init__" not in vars(function):
        return []
    return [name for name in inspect.signature(function).parameters if name not in ("self", "cls")]


@pytest.mark.parametrize("function", [pytest.param(each, id=name) for name, each in public()])
def test_every_argument_is_explained(function):
    docstring = inspect.getdoc(function) or ""
    assert docstring.partition("\n")[0].endswith((".", ":", "?")), "a summary in the first line"
    assert explained(docstring) == arguments(function)
    assert all(" : " in head for head in heads(docstring)), "a type for each"


def test_summaries_of_properties_have_no_colon():
    """Sphinx takes the text before a colon there for a type."""
    classes = [value for _, value in public() if inspect.isclass(value)]
    properties = {(kind.__name__, name): each for kind in classes for name, each in vars(kind).items()}
    summaries = {
        name: re.sub(r"(`+).*?\1", "", inspect.cleandoc(each.__doc__).partition("\n")[0])
        for name, each in properties.items()
        if isinstance(each, property) and each.__doc__
    }
    assert summaries
    assert [name for name, summary in summaries.items() if ": " in summary] == []


def test_sections_are_read():
    docstring = (
        "Sum.\n\nParameters\n----------\na, b : float\n    Both.\n*rest : float\n    More.\n\nReturns\n-------\nfloat\n"
    )
    assert explained(docstring) == ["a", "b", "rest"]
    assert list(sections(docstring)) == ["Parameters", "Returns"]
