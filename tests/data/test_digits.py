"""Numbers are told apart, and no more."""

from __future__ import annotations

import pytest

from pdescry.data.digits import distinct


@pytest.mark.parametrize(
    ("value", "among", "said"),
    [
        (2.53333, [0, 10], "2.5"),
        (2.53333, [2.5, 2.6], "2.533"),
        (1.7e9 + 60, [1.7e9, 1.7e9 + 3600], "1700000100"),
        (2000.25, [2000, 2001], "2000.25"),
        (1e-18, [-1, 1], "0"),
        (3.14159265, [3, 3], "3.14159"),
    ],
)
def test_as_many_digits_as_tell_neighbours_apart(value: float, among: list[float], said: str) -> None:
    assert distinct(value, among) == said
