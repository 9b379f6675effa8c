"""Tuned numbers are in the options of their stage, described, frozen, and read."""

from __future__ import annotations

import ast
import dataclasses
import importlib
import numbers
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pdescry
from pdescry.discovery.options import DISCOVERY
from pdescry.joint.field.options import FIELD
from pdescry.joint.fit.options import FIT
from pdescry.joint.options import ANSWER
from pdescry.joint.search.options import SEARCH
from pdescry.joint.sensors.options import SENSORS
from pdescry.problem.options import PROBLEM
from pdescry.solver.options import SOLVER
from pdescry.surrogate.options import SURROGATE
from pdescry.two_stage.options import TWO_STAGE

SOURCES = Path(pdescry.__file__).parent
ROOMS = ("problem", "joint", "surrogate", "two_stage", "discovery", "solver")
STAGES = {
    "FIELD": FIELD,
    "FIT": FIT,
    "SEARCH": SEARCH,
    "SENSORS": SENSORS,
    "ANSWER": ANSWER,
    "SOLVER": SOLVER,
    "PROBLEM": PROBLEM,
    "DISCOVERY": DISCOVERY,
    "SURROGATE": SURROGATE,
    "TWO_STAGE": TWO_STAGE,
}
# Numbers that are part of a method, keep arithmetic finite, or only say how far a bar has come.
CONSTANTS = {
    "joint/field/axis.py": {"QUADRATURE", "MOMENTS", "EVERYWHERE"},
    "joint/field/kernel.py": {"JITTER"},
    "joint/field/process.py": {"SCALES", "WITHOUT_CHANGE", "WITHOUT_MEMORY"},
    "joint/field/region.py": {"ON_HULL"},
    "joint/fit/correlation.py": {"ROUGH", "SMOOTH"},
    "joint/fit/held_out.py": {"LEAST_EIGENVALUE"},
    "joint/search/proposals.py": {"RIDGE"},
    "joint/search/search.py": {"PROGRESS"},
    "problem/candidate.py": {"HIGHEST_POWER"},
    "problem/ends.py": {"HIGHEST", "HIGHEST_AT_EDGE"},
    "problem/known.py": {"EXACT"},
    "problem/problem.py": {"HIGHEST", "HIGHEST_IN_PLANE", "MOST_AXES", "TIMES"},
    "solver/profiles.py": {"NODES"},
    "solver/stepping.py": {"STAGES"},
    "discovery/continuing.py": {"END_SLOPE", "NO_FLUX_OF"},
    "discovery/continuing_in_plane.py": {"NODES"},
    "discovery/derive.py": {"LEVEL"},
    "discovery/extrapolating.py": {"LEVEL"},
    "surrogate/evaluate.py": {"_LANES"},
    "surrogate/model.py": {"NOISE_UNIT", "SCALE_UNIT"},
}


def groups(options: Any) -> Iterator[Any]:
    """It, and all that it holds."""
    yield options
    for each in dataclasses.fields(options):
        if dataclasses.is_dataclass(value := getattr(options, each.name)):
            yield from groups(value)


def is_numeric(value: Any) -> bool:
    if isinstance(value, (numbers.Number, np.ndarray)):
        return True
    if isinstance(value, Counter):  # of what happened since it was loaded
        return False
    if isinstance(value, dict):
        return is_numeric(list(value.values()))
    return isinstance(value, (tuple, list, set, frozenset)) and any(map(is_numeric, value))


def constants(path: Path) -> Iterator[str]:
    """Names in capital letters that a module gives values to."""
    for statement in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(statement, (ast.Assign, ast.AnnAssign)):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            yield from (
                name.id
                for each in targets
                for name in ast.walk(each)
                if isinstance(name, ast.Name) and name.id.isupper()
            )


@pytest.mark.parametrize("stage", STAGES)
def test_options_are_frozen(stage: str) -> None:
    for group in groups(STAGES[stage]):
        hash(group)  # so that there is no list, dict or array that could be changed
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(group, dataclasses.fields(group)[0].name, None)


@pytest.mark.parametrize("stage", STAGES)
def test_each_number_is_described(stage: str) -> None:
    source = ast.parse(Path(importlib.import_module(type(STAGES[stage]).__module__).__file__ or "").read_text("utf-8"))
    for group in (each for each in source.body if isinstance(each, ast.ClassDef)):
        for statement, after in zip(group.body, [*group.body[1:], None], strict=True):
            if isinstance(statement, ast.AnnAssign) and not ast.unparse(statement.annotation).endswith("Options"):
                described = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
                assert described, f"{group.name}.{ast.unparse(statement.target)}"


@pytest.mark.parametrize("stage", STAGES)
def test_each_number_is_read(stage: str) -> None:
    files = [path for path in SOURCES.rglob("*.py") if path.name != "options.py"]
    read = set(re.findall(r"\.(\w+)", "\n".join(path.read_text(encoding="utf-8") for path in files)))
    for group in groups(STAGES[stage]):
        assert {each.name for each in dataclasses.fields(group)} <= read


def test_numbers_of_modules_are_constants_of_a_method() -> None:
    """A number that is tuned belongs into the options of its stage."""
    found: dict[str, set[str]] = {}
    for path in (path for room in ROOMS for path in sorted((SOURCES / room).rglob("*.py"))):
        module = importlib.import_module(".".join(("pdescry", *path.relative_to(SOURCES).with_suffix("").parts)))
        names = {name for name in constants(path) if is_numeric(getattr(module, name))}
        if names:
            found[path.relative_to(SOURCES).as_posix()] = names
    assert found == CONSTANTS
