"""Probabilities of laws, by held-out sensors and their standard error."""

from __future__ import annotations

import numpy as np
import pytest

from pdescry.joint.search.averaging import probabilities


def test_one_law_is_certain_and_equal_ones_are_equally_probable() -> None:
    scores = np.array([1.0, -3.0, 2.0])
    assert probabilities([scores], [4.0]) == pytest.approx([1.0])
    np.testing.assert_allclose(probabilities([scores, scores], [4.0, 4.0]), [0.5, 0.5])


def test_a_law_that_is_ahead_at_every_sensor_is_certain() -> None:
    scores = np.arange(8.0)
    found = probabilities([scores, scores - 2], [0.0, 0.0])
    assert found[0] > 0.999
    assert found.sum() == pytest.approx(1)


def test_a_law_that_is_ahead_because_of_one_sensor_is_not() -> None:
    """Ten nats in all would be odds of 22,000 to 1, were the sensors all there are."""
    scores = np.zeros(5)
    ahead = np.array([18.0, -2.0, -2.0, -2.0, -2.0])
    found = probabilities([scores, scores + ahead], [0.0, 0.0])
    assert 0.5 < found[1] < 0.9


def test_complexity_costs_odds() -> None:
    """Where sensors do not differ there is nothing but the penalty."""
    scores = np.zeros(4)
    np.testing.assert_allclose(probabilities([scores, scores], [0.0, np.log(9)]), [0.9, 0.1])
    np.testing.assert_allclose(probabilities([np.zeros(0), np.zeros(0)], [0.0, np.log(9)]), [0.9, 0.1])
