from __future__ import annotations

import numpy as np
import pytest
import xarray as xr

from pdescry.errors import InputError
from pdescry.solver import simulate

from .problems import BURGERS, solved


def test_field_is_an_xarray_with_names_and_provenance():
    field = solved("burgers").field
    assert isinstance(field, xr.DataArray)
    assert (field.name, field.dims, field.shape) == ("u", ("t", "x"), (101, 257))
    attributes = solved("burgers").dataset.attrs
    assert attributes["status"] == "ok"
    assert attributes["equation"] == "u_t = 0.1*u_xx - u*u_x"
    np.testing.assert_allclose(field.sel(t=5.0, x=-2.0), solved("burgers").at(5.0, -2.0))


def test_at_broadcasts():
    solution = solved("burgers")
    assert solution.at(1.0, 2.0).shape == ()
    assert solution.at(1.0, [1, 2, 3]).shape == (3,)
    assert solution.at(np.ones((4, 1)), np.ones(5)).shape == (4, 5)
    assert solution.at([], []).shape == (0,)
    many = solution.at(np.linspace(0, 10, 10_001), np.linspace(-8, 8, 10_001))
    assert many[5000] == pytest.approx(float(solution.at(5.0, 0.0)), abs=1e-12)


@pytest.mark.parametrize(("t", "x"), [(11, 0), (-1, 0), (1, 9), (1, -8.1)])
def test_at_refuses_what_lies_outside(t, x):
    with pytest.raises(InputError, match="between"):
        solved("burgers").at(t, x)


@pytest.mark.parametrize(("t", "x"), [([1, 2], [0, 1, 2]), ("a", 0)])
def test_at_refuses_what_does_not_fit_together(t, x):
    with pytest.raises(InputError, match="broadcast"):
        solved("burgers").at(t, x)


def test_times_and_grid_as_asked_for():
    solution = simulate("u_t = u_xx", **{**BURGERS, "until": None}, times=[0.5, 2.0], x=[-1.0, 0.0, 1.0], verify=False)
    assert solution.field.t.values.tolist() == [0.5, 2.0]
    assert solution.field.x.values.tolist() == [-1.0, 0.0, 1.0]


def test_the_end_may_lie_after_the_last_time_reported():
    solution = simulate("u_t = -u", domain=(0, 1), until=2, times=[0.5, 1.0], initial=1.0, verify=False)
    assert solution.field.t.values.tolist() == [0.5, 1.0]
    assert solution.at(2, 0.5) == pytest.approx(np.exp(-2))


@pytest.mark.parametrize(
    "initial",
    [
        lambda x: np.sin(np.pi * x),
        np.sin(np.pi * np.linspace(0, 1, 60)),
        xr.DataArray(np.sin(np.pi * np.linspace(0, 1, 60)), coords={"x": np.linspace(0, 1, 60)}),
        {"u": "sin(pi*x)"},
    ],
    ids=["callable", "array", "xarray", "dict"],
)
def test_initial_state_in_any_form(initial):
    solution = simulate("u_t = 0.1*u_xx", domain=(0, 1), until=1, initial=initial, boundary="dirichlet", verify=False)
    assert solution.at(1, 0.5) == pytest.approx(np.exp(-0.1 * np.pi**2), abs=1e-7)


@pytest.mark.parametrize("length", [1.0, 1e-9, 1e5])
@pytest.mark.parametrize("labelled", [False, True], ids=["plain", "xarray"])
@pytest.mark.parametrize("closed", [False, True], ids=["without the end point", "with the end point"])
def test_periodic_array(closed, labelled, length):
    s = np.linspace(0, 1, 33 if closed else 32, endpoint=closed)
    values = 1 + np.sin(2 * np.pi * s) + 0.3 * np.cos(10 * np.pi * s)
    initial = xr.DataArray(values, coords={"x": s * length}) if labelled else values
    solution = simulate(f"u_t = -{length!r}*u_x", domain=(0, length), until=0.5, initial=initial, verify=False)
    np.testing.assert_allclose(solution.at(0.5, (s + 0.5) % 1 * length), values, atol=1e-7)


def test_a_pulse_with_flat_ends_is_taken_as_documented():
    x = np.linspace(-10, 10, 100, endpoint=False)
    solution = simulate("u_t = -u_x", domain=(-10, 10), until=1, initial=np.exp(-(x**2)), verify=False)
    np.testing.assert_allclose(solution.at(0, x), np.exp(-(x**2)), atol=1e-9)


def test_irregular_periodic_coordinates_do_not_depend_on_units():
    s = np.sort(np.random.default_rng(0).uniform(0, 1, 200))
    for length in (1.0, 1e-7):
        initial = xr.DataArray(np.sin(2 * np.pi * s), coords={"x": s * length})
        solution = simulate(f"u_t = -{length!r}*u_x", domain=(0, length), until=0.1, initial=initial, verify=False)
        assert solution.pieces["u"].at(np.zeros(1), [np.array([0.3 * length])], [0])[0] == pytest.approx(
            np.sin(0.6 * np.pi), abs=1e-5
        )


def test_masked_values_are_gaps():
    initial = np.ma.masked_array(np.ones(9), mask=np.arange(9) == 2)
    assert simulate("u_t = u_xx", domain=(0, 1), until=1, initial=initial).status == "bad-initial"


def test_the_rounded_end_is_inside():
    solution = simulate("u_t = u_xx", domain=(0, 1), until=0.3, initial="sin(2*pi*x)", verify=False)
    assert np.isfinite(solution.at(0.1 + 0.2, 0.1))


def test_progress_is_told():
    heard = []
    simulate(
        "u_t = u_xx", domain=(0, 1), until=0.1, initial="sin(pi*x)", boundary="dirichlet",
        progress=lambda stage, fraction: heard.append((stage, fraction)),
    )  # fmt: skip
    assert heard[0][1] == 0.0
    assert max(fraction for _, fraction in heard) == 1.0
    assert "points" in heard[0][0]


def test_several_fields_need_a_name():
    solution = simulate("u_t = -u; v_t = -v", domain=(0, 1), until=1, initial={"u": 1.0, "v": 2.0}, verify=False)
    assert solution.at(1, 0.5, of="v") == pytest.approx(2 / np.e)
    with pytest.raises(InputError, match="of="):
        solution.at(1, 0.5)
    with pytest.raises(InputError, match="dataset"):
        _ = solution.field
    with pytest.raises(KeyError):
        solution["w"]


def test_same_call_same_bits():
    one, two = (simulate("u_t = u_xx - u^3", domain=(0, 1), until=1, initial="sin(2*pi*x)") for _ in range(2))
    assert np.array_equal(one.field.values, two.field.values)
