"""Terms from derivatives, in any units: against a field whose derivatives are known by hand."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pdescry import InputError, Term, candidates
from pdescry.derivatives.library import Library
from pdescry.surrogate.scaling import Scaling

INPUTS, FIELDS = ("t", "x", "y"), ("u", "v")
T, X, Y = np.random.default_rng(0).uniform(0.2, 1.5, (3, 9))
# u = x² sin(t) + y³ and v = exp(y) x.
KNOWN: dict[tuple[str, tuple[int, ...]], np.ndarray] = {
    ("u", (0, 0, 0)): X**2 * np.sin(T) + Y**3,
    ("u", (1, 0, 0)): X**2 * np.cos(T),
    ("u", (2, 0, 0)): -(X**2) * np.sin(T),
    ("u", (0, 1, 0)): 2 * X * np.sin(T),
    ("u", (0, 2, 0)): 2 * np.sin(T),
    ("u", (0, 0, 1)): 3 * Y**2,
    ("u", (0, 0, 2)): 6 * Y,
    ("u", (0, 1, 1)): 0 * X,
    ("v", (0, 0, 0)): np.exp(Y) * X,
    ("v", (0, 1, 0)): np.exp(Y),
    ("v", (0, 1, 1)): np.exp(Y),
    ("v", (0, 0, 1)): np.exp(Y) * X,
}
u, v = (KNOWN[field, (0, 0, 0)] for field in FIELDS)
TERMS = {
    "1": 1 + 0 * X,
    "u": u,
    "u^3": u**3,
    "u_tt": KNOWN["u", (2, 0, 0)],
    "u*u_x": u * KNOWN["u", (0, 1, 0)],
    "v*u_x^2": v * KNOWN["u", (0, 1, 0)] ** 2,
    "x^2*u_y": X**2 * KNOWN["u", (0, 0, 1)],
    "x*y": X * Y,
    "v_xy": KNOWN["v", (0, 1, 1)],
    "sin(u)": np.sin(u),
    "v*exp(u)": v * np.exp(u),
    "tanh(v)^2": np.tanh(v) ** 2,
    "d_x(u*u_x)": KNOWN["u", (0, 1, 0)] ** 2 + u * KNOWN["u", (0, 2, 0)],
    "d_x(x*u)": u + X * KNOWN["u", (0, 1, 0)],
    "d_y(u*v)": KNOWN["u", (0, 0, 1)] * v + u * KNOWN["v", (0, 0, 1)],
}


def parse(text):
    return Term.parse(text, FIELDS, INPUTS[1:])


@pytest.mark.parametrize("scale", [1.0, 1e-9, 1e6])
def test_terms_in_physical_units(scale):
    """Inside, fields and inputs are centred and of size one, whatever they are outside; what comes out is the same."""
    library = Library.of([parse(text) for text in TERMS], FIELDS, INPUTS)
    centre, spread = np.array([0.4, 0.8, 1.1]), np.array([0.5, 2.0, 0.25])
    # u and v keep their units, for sin(u) has none other; lengths and times change theirs.
    outside = Scaling(centre * scale, spread * scale, np.array([3.0, -1.0]), np.array([2.0, 5.0]))
    jets = {}
    for index in library.indices:
        unit = np.prod(spread ** np.array(index))
        rows = [KNOWN.get((field, index), np.full(9, np.nan)) * unit for field in FIELDS]
        rows = [row / s for row, s in zip(rows, outside.field_spread, strict=True)]
        if not any(index):
            rows = [r - c / s for r, c, s in zip(rows, outside.field_centre, outside.field_spread, strict=True)]
        jets[index] = jnp.asarray(np.array(rows), jnp.float32)
    inputs = jnp.asarray((np.array([T, X, Y]) - centre[:, None]) / spread[:, None], jnp.float32)
    units, sizes, constants = library.units(outside)
    found = (np.asarray(library.evaluate(jets, inputs, units), float) + constants[:, None]) * sizes[:, None]
    lengths = {
        "u_tt": -2,
        "u*u_x": -1,
        "v*u_x^2": -2,
        "x^2*u_y": 1,
        "x*y": 2,
        "v_xy": -2,
        "d_x(u*u_x)": -2,
        "d_y(u*v)": -1,
    }
    for row, (text, expected) in zip(found, TERMS.items(), strict=True):
        expected = expected * scale ** lengths.get(text, 0)
        np.testing.assert_allclose(row, expected, rtol=1e-4, atol=1e-5 * np.abs(expected).max(), err_msg=text)


def test_a_term_of_what_was_not_measured():
    with pytest.raises(InputError, match="no axis of the readings"):
        Library.of([parse("u_y")], ("u",), ("t", "x"))
    with pytest.raises(InputError, match="no field of the readings"):
        Library.of([parse("v")], ("u",), ("t", "x"))


def test_units_beyond_all_numbers():
    library = Library.of([Term.parse("u_xxxx^3")], ("u",), ("t", "x"))
    scaling = Scaling(np.zeros(2), np.array([1.0, 1e-40]), np.zeros(1), np.ones(1))
    with pytest.raises(InputError, match="choose units"):
        library.units(scaling)


def test_what_is_compiled_does_not_grow_with_the_terms():
    """General candidates of two axes are 256; evaluated one by one they took minutes to compile."""
    every = candidates(fields=("u",), axes=("x", "y"))
    first = [term for term in every if len(term.factors) == 1 and term.degree == 1]

    def operations(terms):
        library = Library.of(terms, ("u",), INPUTS)
        units, *_ = library.units(Scaling(np.zeros(3), np.ones(3), np.zeros(1), np.ones(1)))
        jets = {index: jnp.zeros((1, 4)) for index in library.indices}
        return len(jax.make_jaxpr(lambda at: library.evaluate(jets, at, units))(jnp.zeros((3, 4))).eqns)

    assert len(every) == 256
    # A few more for each factor in a product, none for each product.
    assert operations(every) < operations(first) + 3 * 12
