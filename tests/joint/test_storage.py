"""A choice on disk comes back as it was, to the last bit, and what is wrong with a file is told."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from pdescry import Choice, InputError, JointFit
from pdescry.joint import Comparison
from pdescry.joint.experiment import Experiment
from pdescry.joint.scatter import Scatter
from pdescry.joint.splines import Space
from tests.joint.conftest import compared


def same(one: object, two: object) -> bool:
    if isinstance(one, Space) and isinstance(two, Space):
        axes = zip((one.x, one.t), (two.x, two.t), strict=True)
        return one.orders == two.orders and all(same(a.breaks, b.breaks) and a.degree == b.degree for a, b in axes)
    if isinstance(one, tuple) and isinstance(two, tuple):
        return len(one) == len(two) and all(map(same, one, two))
    if isinstance(one, Scatter | Experiment):
        return all(same(getattr(one, each.name), getattr(two, each.name)) for each in fields(one))
    if isinstance(one, np.ndarray):
        return np.array_equal(one, np.asarray(two))
    return one == two


@pytest.mark.parametrize("reason", ["", "The readings are noise; none would help."])
def test_it_comes_back_to_the_last_bit(fitted: JointFit, tmp_path: Path, reason: str) -> None:
    choice = compared(fitted, reason)
    choice.save(tmp_path / "joint.nc")
    the_same(choice, Choice.load(tmp_path / "joint.nc", fitted.readings))


def test_of_several_experiments_too(shared: JointFit, tmp_path: Path) -> None:
    choice = compared(shared)
    choice.save(tmp_path / "joint.nc")
    readings = [shared.of(number).readings for number in range(2)]
    the_same(choice, Choice.load(tmp_path / "joint.nc", readings))
    with pytest.raises(InputError, match="of 816 and 408 readings, not of 816"):
        Choice.load(tmp_path / "joint.nc", readings[0])


def the_same(choice: Choice, again: Choice) -> None:
    assert repr(again) == repr(choice)
    assert again.candidates == choice.candidates
    assert again.fit.notes == choice.fit.notes
    # All fields of the nouns, so that one added later is not forgotten here.
    for one, two in (
        (choice.fit.minimum.objective, again.fit.minimum.objective),
        (choice.fit.minimum, replace(again.fit.minimum, objective=choice.fit.minimum.objective)),
    ):
        for each in fields(one):
            assert same(getattr(one, each.name), getattr(two, each.name)), each.name
    np.testing.assert_array_equal(again.fit.covariance, choice.fit.covariance)
    for each in fields(Comparison):
        one, two = getattr(choice.comparison, each.name), getattr(again.comparison, each.name)
        if isinstance(one, pd.DataFrame):
            pd.testing.assert_frame_equal(two, one)
        elif isinstance(one, pd.Series):
            pd.testing.assert_series_equal(two, one)
        else:
            assert two == one


def test_what_is_no_choice_is_told(fitted: JointFit, tmp_path: Path) -> None:
    choice = compared(fitted)
    choice.save(tmp_path / "joint.nc")
    some = fitted.readings.select(sensors=[0, 1, 2])
    with pytest.raises(InputError, match="readings, not of"):
        Choice.load(tmp_path / "joint.nc", some)
    (tmp_path / "bad.nc").write_text("x")
    with pytest.raises(InputError, match="a choice of terms that pdescry saved"):
        Choice.load(tmp_path / "bad.nc", fitted.readings)
    with pytest.raises(InputError, match=r"\*\.nc"):
        choice.save(tmp_path / "joint.json")
