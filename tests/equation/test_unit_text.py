"""Units as text are multiplied, and what is no product of powers stays a symbol of its own."""

from __future__ import annotations

from fractions import Fraction

import pytest

from pdescry import Term
from pdescry.equation.unit_text import powers_of, product, written
from pdescry.equation.units import unit_of_coefficient


@pytest.mark.parametrize(
    ("text", "again"),
    [
        ("m", "m"),
        ("m2/s", "m²/s"),
        ("m^2 s^-1", "m²/s"),
        ("m²·s⁻¹", "m²/s"),
        ("W/(m·K)", "W/(m·K)"),
        ("1/s", "1/s"),
        ("kg/m**3", "kg/m³"),
        ("m/s/s", "m/s²"),
        ("°C", "°C"),
        ("m/m", "1"),
        ("", "1"),
        ("arb. units", "(arb. units)"),
        ("W/m K", "(W/m K)"),  # of two meanings
    ],
)
def test_units_are_read_and_written(text, again):
    assert written(powers_of(text)) == again


def test_roots_of_units_are_written_too():
    assert written(product([(powers_of("m2/s"), Fraction(1, 2))])) == "m/s^0.5"


@pytest.mark.parametrize(
    ("term", "order", "units", "unit"),
    [
        ("u_xx", 1, {"t": "s", "x": "m"}, "m²/s"),  # the field's cancels, so it need not be known
        ("u", 1, {"t": "h"}, "1/h"),
        ("u*u_x", 1, {"t": "s", "x": "m", "u": "°C"}, "m/(°C·s)"),
        ("1", 1, {"t": "s", "u": "°C"}, "°C/s"),
        ("u_xx", 2, {"t": "s", "x": "mm"}, "mm²/s²"),
        ("P", 1, {"t": "s", "u": "K", "P": "W"}, "K/(s·W)"),
        ("u*u_x", 1, {"t": "s", "x": "m"}, ""),  # not known
        ("u*u_x", 1, {"t": "s", "x": "m", "u": "m/s"}, "1"),
        ("x*u_xx", 1, {"t": "s", "x": "m"}, "m/s"),
    ],
)
def test_the_unit_of_a_coefficient(term, order, units, unit):
    assert unit_of_coefficient(Term.parse(term, ("u", "P"), ("x",)), "u", order, units) == unit
