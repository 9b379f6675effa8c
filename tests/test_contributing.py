"""What CONTRIBUTING.md names is there: files, the names in them, and the registries that it sends people to."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

import pdescry.cli.completing as completing
from pdescry.data.formats import FORMATS
from pdescry.discovery.method import METHODS
from pdescry.schema import run

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
_PATH = re.compile(r"`((?:src|tests|docs)/[\w./]*|pyproject\.toml|CHANGELOG\.md|\.ci/run|\.ci/slow)`")
_ROW = re.compile(r"^\| `([^`]+)` \| (.*) \|$", re.MULTILINE)


@pytest.mark.parametrize("path", sorted(set(_PATH.findall(TEXT))))
def test_a_file_that_is_named_is_there(path):
    assert (ROOT / path).exists()


@pytest.mark.parametrize(("path", "words"), _ROW.findall(TEXT), ids=lambda text: text[:40])
def test_a_name_stands_in_the_file_of_its_row(path, words):
    """A name before any other path is one of the row's own file."""
    own = re.split(r"`(?:src|tests|docs)/", words)[0]
    if (ROOT / path).is_file():
        content = (ROOT / path).read_text("utf-8")
        missing = [name for name in re.findall(r"`(\w+)`", own) if not re.search(rf"\b{name}\b", content)]
        assert not missing


def test_every_kind_of_addition_has_its_list():
    parts = re.findall(r"^### … (.*)$", TEXT, re.MULTILINE)
    assert len(parts) >= 6
    for kind in ("grammar", "sampler", "file format", "method", "system"):
        assert any(kind in part for part in parts)


def test_the_registries_that_it_names_agree_with_the_shell():
    assert set(completing.FORMATS) == set(FORMATS)
    assert {name for method in METHODS for name in method.kinds} == set(run.METHODS)
    loaders = (importlib.import_module(f"pdescry.data.formats.{kind.module}") for kind in FORMATS.values())
    assert all(callable(each.load) for each in loaders)


def test_every_room_has_its_folder_of_tests():
    rooms = {path.name for path in (ROOT / "src" / "pdescry").iterdir() if (path / "__init__.py").exists()}
    without = {room for room in rooms if not list((ROOT / "tests" / room).rglob("test_*.py"))}
    assert without <= {"two_stage"}  # tested as a method of discovery
