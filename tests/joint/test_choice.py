"""What a choice tells: the law and its rivals, or that the readings do not tell one."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from pdescry import InputError, JointFit
from pdescry.equation.with_spread import SUMMARY
from pdescry.notices import Notice
from tests.joint.conftest import compared


def test_a_choice_among_candidates(fitted: JointFit) -> None:
    choice = compared(fitted)
    (law,) = choice.laws
    assert str(choice) == str(fitted) == law.concise
    assert "\n  or u_t = 1.99(3)*u_xx + 0.01(2)*u_x (probability 0.30)" in repr(choice)
    assert (law.field, law.time_order) == ("u", 1)
    assert choice.told
    assert list(law.support) == [True, False]
    np.testing.assert_array_equal(law.coefficients, [fitted.values[0], 0.0])
    assert law.component == fitted.equation.components[0]
    (row,) = law.summary.to_dict(orient="records")
    assert list(row) == SUMMARY
    assert (row["mean"], row["sd"]) == (fitted.values[0], fitted.sd[0])
    assert (row["probability"], row["spread"]) == (1.0, "joint")
    table = law.table
    assert list(table["probability"]) == [1.0, 0.3]
    assert np.isnan(table["sd"].to_numpy(float)[1])


def test_readings_that_tell_no_law(fitted: JointFit) -> None:
    choice = compared(fitted, Notice.of("as-well-by-constant"))
    (law,) = choice.laws
    assert str(choice) == f"cannot tell: {Notice.of('as-well-by-constant')}"
    assert f"The best law, which the readings do not support: {fitted}" in repr(choice)
    assert not choice.told
    assert not law.support.any()
    assert not law.coefficients.any()
    assert law.summary.empty
    assert not any(law.table["kept"])
    with pytest.raises(
        InputError,
        match="Expected readings of u that determine a law; these do not: The readings are as",
    ):
        _ = law.component


def test_a_law_of_another_order_that_is_nearly_as_good_is_told(fitted: JointFit) -> None:
    choice = compared(fitted)
    other = Notice.of("other-order", nats=1.2, law="u_tt = u_xx")
    close = replace(choice, comparison=replace(choice.comparison, other_order=other))
    assert close.remarks[-1] == other
    assert "A law of another order" in repr(close)


def test_errors_of_left_out_sensors_are_of_those_between_others(fitted: JointFit) -> None:
    comparison = compared(fitted).comparison
    rms, expected = comparison.errors
    assert 0.8 < rms / expected < 1.25
    assert comparison.errors_of("u") == comparison.errors
    table = comparison.held_out
    outer = table["inside"].to_numpy() == 0
    assert outer.sum() == 2
    again = replace(comparison, held_out=table.assign(rms_error=np.where(outer, 1e3, 0.2), expected=0.1))
    assert again.errors == pytest.approx((0.2, 0.1))
    none = replace(comparison, held_out=table.assign(inside=False))
    assert np.isnan(none.errors).all()


def test_draws_of_law_and_field(fitted: JointFit) -> None:
    """Of the coefficient and of the field at a reading; and how they go together, as the law was fitted."""
    values, states = fitted.draw(500, seed=3)
    assert values.shape == (500, 1)
    assert values.std() == pytest.approx(fitted.sd[0], rel=0.13)  # 4 sds of an sd of 500
    seen, solved = fitted.experiment.seen[[100]], fitted.minimum.solved
    at = (seen @ states.T)[0]
    assert at.std() == pytest.approx(float(solved.covariance(seen)[0, 0]) ** 0.5, rel=0.13)
    follows = -float((seen @ solved.through[0])[0, 0]) * fitted.sd[0]
    # What the field leaves open by itself is independent of the coefficient.
    slope = float(np.cov(at, values[:, 0])[0, 1]) / fitted.sd[0]
    assert slope == pytest.approx(follows, abs=4 * at.std() / math.sqrt(500))
    np.testing.assert_array_equal(fitted.draw(500, seed=3)[0], values)
    assert (fitted.draw(1, seed=4)[0] != values[:1]).all()
    with pytest.raises(InputError, match="number of draws"):
        fitted.draw(0)
