"""A choice on disk comes back as it was, to the last bit, and what is wrong with a file is told."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pdescry import Choice, InputError, JointFit, Readings, choose, refine
from pdescry.joint import Joint
from pdescry.notices import Notice
from pdescry.problem import Problem
from tests.joint.conftest import compared


def assert_same(one: Any, two: Any, where: str = "choice") -> None:
    """All fields of the nouns, so that one added later is not forgotten here."""
    assert type(one) is type(two), where
    if isinstance(one, Readings):
        assert one == two, where
    elif isinstance(one, pd.DataFrame):
        pd.testing.assert_frame_equal(two, one)
    elif isinstance(one, np.ndarray):
        np.testing.assert_array_equal(two, one, where)
    elif isinstance(one, Problem):  # alternatives belong to the search
        for each in fields(one):
            if each.name != "alternatives":
                assert_same(getattr(one, each.name), getattr(two, each.name), f"{where}.{each.name}")
    elif is_dataclass(one):
        for each in fields(one):
            if each.name != "baseline":  # of a process: computed anew
                assert_same(getattr(one, each.name), getattr(two, each.name), f"{where}.{each.name}")
    elif isinstance(one, tuple):
        assert len(one) == len(two), where
        for number, (mine, other) in enumerate(zip(one, two, strict=True)):
            assert_same(mine, other, f"{where}[{number}]")
    else:
        assert one == two, where


def again(choice: Choice, folder: Path, readings: Readings | list[Readings]) -> Choice:
    choice.save(folder / "joint.nc")
    found = Choice.load(folder / "joint.nc", readings)
    assert repr(found) == repr(choice)
    np.testing.assert_array_equal(found.fit.covariance, choice.fit.covariance)
    return found


@pytest.mark.parametrize("reason", [None, Notice.of("readings-depart", departure=0.23)])
def test_it_comes_back_to_the_last_bit(fitted: JointFit, tmp_path: Path, reason: Notice | None) -> None:
    choice = compared(fitted, reason)
    found = again(choice, tmp_path, fitted.readings)
    assert_same(choice.fit.minimum, found.fit.minimum)
    assert_same(choice.comparison, found.comparison)
    assert_same(choice.processes, found.processes)
    assert (found.candidates, found.fields, found.notes) == (choice.candidates, choice.fields, choice.notes)


def test_of_several_experiments_too(shared: JointFit, tmp_path: Path) -> None:
    choice = compared(shared)
    readings = [shared.of(number).readings for number in range(2)]
    assert_same(choice.fit.minimum, again(choice, tmp_path, readings).fit.minimum)
    with pytest.raises(InputError, match="312 and 208; got 312"):
        Choice.load(tmp_path / "joint.nc", readings[0])


def test_with_what_is_known(heat: Readings, tmp_path: Path) -> None:
    known = Joint(known=("u_xx = 2 ± 0.1", "u = 0", "u_x > 0"), boundary=("u_x(0) = 0",), domain=(0.0, 10.0))
    choice = choose(heat, ["u_xx", "u_x", "u"], known, time_order=1, workers=1)
    found = again(choice, tmp_path, heat)
    assert_same(choice, found)
    assert found.fit.reach["x"] == (0.0, 10.0)


def test_with_offsets_a_wave_and_an_input(tmp_path: Path) -> None:
    """Of second order in time."""
    random = np.random.default_rng(0)
    x, t = (each.ravel() for each in np.meshgrid(np.linspace(0, np.pi, 8), np.linspace(0, 3, 13)))
    off = random.normal(0, 0.3, 8)
    values = (
        np.sin(x) * np.cos(t) + off[np.searchsorted(np.linspace(0, np.pi, 8), x)] + 0.01 * random.normal(size=len(x))
    )
    readings = Readings.from_arrays(t, x, values, inputs={"P": ([0.0, 3.0], [0.0, 0.1])})
    fit = refine(readings, "u_tt = u_xx + P", workers=1)
    assert fit.orders == (2,)
    assert fit.experiment.noise_model.has_offsets
    choice = compared(fit)
    assert_same(choice.fit.minimum, again(choice, tmp_path, readings).fit.minimum)


def test_what_is_no_choice_is_told(fitted: JointFit, tmp_path: Path) -> None:
    choice = compared(fitted)
    choice.save(tmp_path / "joint.nc")
    some = fitted.readings.select(sensors=[0, 1, 2])
    with pytest.raises(InputError, match="312; got 78"):
        Choice.load(tmp_path / "joint.nc", some)
    (tmp_path / "bad.nc").write_text("x")
    with pytest.raises(InputError, match="a choice of terms that pdescry saved"):
        Choice.load(tmp_path / "bad.nc", fitted.readings)
    with pytest.raises(InputError, match=r"\*\.nc"):
        choice.save(tmp_path / "joint.json")
