"""Known inputs: read from columns, arrays and functions, interpolated as they should be, and refused one by one."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from pdescry.data import Input, Readings, read
from tests.data.test_bad_input import complaint

T = np.linspace(0, 10, 41)
X = np.array([0.0, 1.0, 2.5, 4.0])
TIME, PLACE = np.repeat(T, len(X)), np.tile(X, len(T))
U = np.sin(TIME + PLACE)


def heater(t: Any) -> Any:
    """Switched on at 3 and off at 7."""
    return np.where((np.asarray(t) >= 3) & (np.asarray(t) < 7), 50.0, 0.0)


def source(t: Any, x: Any) -> Any:
    """Linear in t and in x, so that linear interpolation is exact."""
    return (1 + t) * (2 - 0.5 * x)


def table(**columns: Any) -> pd.DataFrame:
    return pd.DataFrame({"t": TIME, "x": PLACE, "u": U, **columns})


def only(readings: Readings) -> Input:
    (known,) = readings.inputs
    return known


class TestAt:
    def test_held_and_linear_in_time(self) -> None:
        asked = np.array([-1, 0, 0.5, 1, 1.5, 3, 9])
        linear = Input("P", np.array([0.0, 1, 2]), None, np.array([0.0, 10, 30]), "linear")
        np.testing.assert_allclose(linear.at(asked), [0, 0, 5, 10, 20, 30, 30])
        held = Input("P", np.array([2.0, 0, 1]), None, np.array([30.0, 0, 10]), "held")
        np.testing.assert_array_equal(held.time, [0, 1, 2])
        np.testing.assert_array_equal(held.at(asked), [0, 0, 0, 10, 10, 30, 30])
        np.testing.assert_array_equal(held.at(asked, np.zeros((len(asked), 1))), held.at(asked))

    def test_sensors_at_rest_with_clocks_of_their_own(self) -> None:
        t = np.concatenate([np.sort(np.random.default_rng(k).uniform(0, 10, 30 + k)) for k in range(4)])
        x = np.repeat(X, [30, 31, 32, 33])
        t[[0, 30, 61, 93]], t[[29, 60, 92, 125]] = 0, 10
        known = Input("q", t, x, source(t, x), "linear")
        asked = np.random.default_rng(9).uniform([0, 0], [10, 4], (500, 2)).T
        np.testing.assert_allclose(known.at(*asked), source(*asked), rtol=1e-12)
        beyond = known.at(np.array([5.0, 5.0]), np.array([-3.0, 9.0]))
        np.testing.assert_allclose(beyond, source(5, np.array([0.0, 4.0])))

    def test_held_between_times_and_linear_between_places(self) -> None:
        known = Input("q", TIME, PLACE, heater(TIME) * (1 + PLACE), "held")
        np.testing.assert_allclose(known.at([2.9, 3.0, 6.99, 7.0], [0.5] * 4), [0, 75, 75, 0])

    def test_sensors_at_rest_in_the_plane(self) -> None:
        places = np.random.default_rng(0).uniform(0, [1, 1000], (30, 2))
        t, which = np.repeat(T, 30), np.tile(np.arange(30), len(T))

        def plane(t: Any, space: Any) -> Any:
            return t + 3 * space[:, 0] - 0.002 * space[:, 1]

        known = Input("q", t, places[which], plane(t, places[which]), "linear")
        weights = np.random.default_rng(1).dirichlet(np.ones(30), 200)
        asked = weights @ places  # within the hull
        times = np.random.default_rng(2).uniform(0, 10, 200)
        np.testing.assert_allclose(known.at(times, asked), plane(times, asked), rtol=1e-9)
        far = known.at([5.0], [[-100.0, 500.0]])[0]
        assert any(np.isclose(far, plane(np.full(30, 5.0), places)))  # the nearest one's

    def test_places_on_a_line_in_the_plane(self) -> None:
        space = np.column_stack([PLACE, 2 * PLACE])
        known = Input("q", TIME, space, source(TIME, PLACE), "linear")
        np.testing.assert_allclose(known.at([2.0], [[1.1, 1.9]]), source(2.0, 1.0))

    def test_sensors_that_move(self) -> None:
        rng = np.random.default_rng(3)
        t, x = rng.uniform(0, 1e5, 400), rng.uniform(0, 0.01, 400)
        known = Input("q", t, x, 1e-5 * t + 300 * x, "linear")
        asked = np.column_stack([rng.uniform(2e4, 8e4, 50), rng.uniform(0.002, 0.008, 50)])
        np.testing.assert_allclose(known.at(*asked.T), asked @ [1e-5, 300], rtol=1e-9)
        assert np.isfinite(known.at([-1e9], [5.0])).all()

    def test_a_hundred_thousand_points_are_quick(self) -> None:
        asked = np.random.default_rng(0).uniform([0, 0], [10, 4], (100_000, 2)).T
        for known in (
            Input("P", T, None, heater(T), "held"),
            Input("q", TIME, PLACE, source(TIME, PLACE)),
            Input("q", TIME, np.column_stack([PLACE, PLACE % 2]), source(TIME, PLACE)),
        ):
            start = perf_counter()
            known.at(asked[0], asked[1] if known.space is None or known.space.shape[1] == 1 else asked[[1, 1]].T)
            assert perf_counter() - start < 2

    def test_it_is_a_value(self) -> None:
        known = Input("q", TIME, PLACE, source(TIME, PLACE))
        before = known.at([1.0], [1.0])
        again = pickle.loads(pickle.dumps(known))  # noqa: S301 -- our own
        assert again == known
        np.testing.assert_array_equal(again.at([1.0], [1.0]), before)
        mixed = np.random.default_rng(0).permutation(len(TIME))
        assert Input("q", TIME[mixed], PLACE[mixed], source(TIME, PLACE)[mixed]) == known
        assert Input("q", TIME, PLACE, source(TIME, PLACE), "held") != known
        assert Input("q", TIME, None, source(TIME, PLACE)) != known
        with pytest.raises(ValueError, match="read-only"):
            known.values[0] = 1


class TestDetected:
    def test_a_switch_is_held_and_told(self) -> None:
        readings = Readings.from_frame(table(P=heater(TIME)), inputs=["P"])
        known = only(readings)
        assert known == Input("P", T, None, heater(T), "held")
        told = "Input P is constant between its readings (it looks switched); pass inputs={'P': 'linear'} if it"
        assert any(str(note).startswith(told) for note in readings.notes)
        assert readings.fields == ("u",)

    def test_a_smooth_one_is_linear_and_told(self) -> None:
        readings = Readings.from_frame(table(P=np.sin(TIME)), inputs="P")
        assert only(readings) == Input("P", T, None, np.sin(T), "linear")
        assert "input-linear" in [note.code for note in readings.notes]

    def test_slow_in_coarse_digits_is_no_switch(self) -> None:
        assert only(Readings.from_frame(table(P=np.round(TIME / 2)), inputs=["P"])).between == "linear"
        assert only(Readings.from_frame(table(P=np.round(TIME / 2) * 7 % 4), inputs=["P"])).between == "held"

    @pytest.mark.parametrize("between", ["held", "linear"])
    def test_what_is_told_counts(self, between: str) -> None:
        for values in (heater(TIME), np.sin(TIME)):
            readings = Readings.from_frame(table(P=values), inputs={"P": between})
            assert only(readings).between == between
            assert readings.notes == ()

    def test_equal_but_for_rounding_depends_on_time_only(self) -> None:
        rounding = 1 + 1e-13 * np.random.default_rng(0).standard_normal(len(TIME))
        assert only(Readings.from_frame(table(P=np.cos(TIME) * rounding), inputs=["P"])).space is None
        space = only(Readings.from_frame(table(P=source(TIME, PLACE)), inputs=["P"])).space
        assert space is not None
        assert space.shape == (len(TIME), 1)

    @pytest.mark.parametrize(
        ("function", "of_time"),
        [(lambda t, x: np.cos(t), True), (lambda t, x: heater(t), True), (source, False), (lambda t, x: x**2, False)],
        ids=["smooth", "switch", "source", "steady"],
    )
    def test_clocks_that_never_agree(self, function: Callable[..., Any], of_time: bool) -> None:
        """Sensors that never read at the same time still tell one quantity from one that differs between places."""
        time = TIME + 0.05 * PLACE
        frame = pd.DataFrame({"t": time, "x": PLACE, "u": U, "P": function(time, PLACE)})
        assert (only(Readings.from_frame(frame, inputs=["P"])).space is None) == of_time

    def test_one_value_at_a_time(self) -> None:
        once = np.where(PLACE == 1.0, np.sin(TIME), np.nan)
        assert only(Readings.from_frame(table(P=once), inputs=["P"])) == Input("P", T, None, np.sin(T), "linear")


class TestWaysIn:
    def test_rows_that_hold_only_an_input(self, tmp_path: Path) -> None:
        own = np.array([-1.0, 0.1, 2, 3.3, 11])
        frame = pd.concat([table(), pd.DataFrame({"t": own, "power (W)": own**2})])
        frame.to_csv(tmp_path / "log.csv", index=False)
        readings = read(tmp_path / "log.csv", inputs=["power"])
        assert only(readings) == Input("power", own, None, own**2, "linear")
        assert len(readings) == len(TIME)
        assert readings.units == {"power": "W"}
        assert readings.label("power") == "power (W)"
        assert "5 of them contain inputs, which are kept" in str(readings.notes[1])

    def test_a_wide_table(self, tmp_path: Path) -> None:
        wide = pd.DataFrame(U.reshape(len(T), len(X)), columns=[f"{x} m" for x in X])
        wide.insert(0, "t", T)
        wide["P"] = heater(T)
        wide.to_csv(tmp_path / "wide.csv", index=False)
        readings = read(tmp_path / "wide.csv", inputs=["P"])
        assert only(readings) == Input("P", T, None, heater(T), "held")
        np.testing.assert_array_equal(readings.values[:, 0], U)

    def test_xarray_and_netcdf(self, tmp_path: Path) -> None:
        grid = xr.Dataset(
            {"u": (("t", "x"), U.reshape(41, 4)), "P": ("t", heater(T)), "q": (("x", "t"), source(T, X[:, None]))},
            coords={"t": T, "x": X},
        )
        grid["P"].attrs["units"] = "W"
        grid.to_netcdf(tmp_path / "grid.nc", engine="h5netcdf")
        expected = (Input("P", T, None, heater(T), "held"), Input("q", TIME, PLACE, source(TIME, PLACE), "linear"))
        for readings in (
            Readings.from_xarray(grid, inputs=["P", "q"]),
            read(tmp_path / "grid.nc", inputs=["P", "q"]),
        ):
            assert readings.inputs == expected
            assert readings.units == {"P": "W"}

    def test_npz(self, tmp_path: Path) -> None:
        np.savez(tmp_path / "grid.npz", t=T, x=X, u=U.reshape(41, 4), P=heater(T))
        assert only(read(tmp_path / "grid.npz", inputs=["P"])) == Input("P", T, None, heater(T), "held")

    @pytest.mark.parametrize(
        "given",
        [
            np.sin(TIME),
            (T, np.sin(T)),
            (T[::-1], np.sin(T[::-1])),
            Input("P", T, None, np.sin(T), "linear"),
            (TIME, PLACE, np.sin(TIME)),
        ],
        ids=["array", "pair", "mixed-up pair", "input", "triple"],
    )
    def test_from_arrays(self, given: Any) -> None:
        expected = Input("P", T, None, np.sin(T), "linear")
        assert only(Readings.from_arrays(TIME, PLACE, U, inputs={"P": given})) == expected

    def test_functions(self) -> None:
        readings = Readings.from_arrays(TIME, PLACE, U, inputs={"q": source, "P": lambda t, x: np.sin(t)})
        q, power = readings.inputs
        asked = np.random.default_rng(0).uniform([0, 0], [10, 4], (200, 2)).T
        np.testing.assert_allclose(q.at(*asked), source(*asked), rtol=1e-9)
        assert power.space is None
        np.testing.assert_allclose(power.at(*asked), np.sin(asked[0]), atol=1e-3)

    def test_from_grid(self) -> None:
        field, expected = U.reshape(41, 4), Input("P", T, None, np.sin(T), "linear")
        for given in (np.sin(T), np.sin(TIME).reshape(41, 4), (T, np.sin(T))):
            assert only(Readings.from_grid(T, X, field, inputs={"P": given})) == expected
        q = only(Readings.from_grid(T, X, field, inputs={"q": source(TIME, PLACE).reshape(41, 4)}))
        assert q == Input("q", TIME, PLACE, source(TIME, PLACE), "linear")

    def test_beside_a_table(self) -> None:
        readings = Readings.from_frame(table(P=heater(TIME)), inputs={"P": "linear", "q": (T, np.sin(T))})
        assert [known.name for known in readings.inputs] == ["P", "q"]

    def test_dates_count_from_the_same_moment(self) -> None:
        start = np.datetime64("2024-05-01T12:00")
        dates = start + (1000 * TIME).astype("timedelta64[ms]")
        own = np.array([-2.0, 4, 20])
        given = (start + (1000 * own).astype("timedelta64[ms]"), own**2)
        readings = Readings.from_arrays(dates, PLACE, U, inputs={"P": given})
        assert only(readings) == Input("P", own, None, own**2, "linear")
        assert readings.time[0] == 0

    def test_names_are_made_fit_for_equations(self) -> None:
        readings = Readings.from_frame(table().assign(**{"heater power [W]": heater(TIME)}), inputs=["heater power"])
        assert only(readings).name == "heaterpower"
        assert readings.units == {"heaterpower": "W"}
        assert "'heater power [W]' is heaterpower" in str(readings.notes[0])

    def test_told_units(self) -> None:
        assert Readings.from_frame(table(P=U), inputs=["P"], units={"P": "kW"}).units == {"P": "kW"}


class TestWaysOn:
    def test_equality_selection_and_averaging(self) -> None:
        readings = Readings.from_frame(table(P=np.sin(TIME)), inputs=["P"])
        assert readings == Readings.from_frame(table(P=np.sin(TIME)), inputs=["P"])
        assert readings != Readings.from_frame(table(P=np.cos(TIME)), inputs=["P"])
        assert readings != Readings.from_frame(table())
        assert readings.select(readings.time < 3).inputs == readings.inputs
        assert readings.averaged(10).inputs == readings.inputs
        assert len(readings.averaged(10)) < len(readings)

    def test_round_trips(self, tmp_path: Path) -> None:
        inputs = {"P": (np.array([-1.0, 3, 3.1, 7, 11]), np.array([0.0, 1, 4, 4, 0])), "q": source(TIME, PLACE)}
        values = np.stack([U, np.where(PLACE < 2, np.nan, U**2)], axis=1)
        values[PLACE == 0, 1] = 1.0
        readings = Readings.from_arrays(TIME, PLACE, values, inputs=inputs, units={"P": "W"}, sensor=PLACE.astype(int))
        readings.to_csv(tmp_path / "all.csv")
        for again in (
            read(tmp_path / "all.csv", inputs=["P", "q"]),
            Readings.from_frame(readings.to_frame(), inputs=["P", "q"]),
            Readings.from_xarray(readings.to_xarray(), inputs=["P", "q"]),
        ):
            assert again == readings
            assert again.units == readings.units

    def test_the_summary_shows_them(self) -> None:
        readings = Readings.from_frame(table(P=heater(TIME)), inputs=["P"], units={"P": "W"})
        assert "Input P (W): 41 values over t, from 0 to 50, held between them" in str(readings)


class TestRefused:
    def test_readings_before_or_after_it(self) -> None:
        told = complaint(lambda: Readings.from_arrays(TIME, PLACE, U, inputs={"P": ([1, 20], [0, 1])}))
        assert "input P from 0 to 10, where the fields have readings; got it from 1 to 20 only (16 of 164" in told
        complaint(lambda: Readings.from_arrays(TIME, PLACE, U, inputs={"P": ([-1, 9], [0, 1])}))
        gap = np.where((TIME > 1) & (TIME < 9), np.nan, TIME)
        assert len(only(Readings.from_frame(table(P=gap), inputs=["P"]))) == 10  # of each of five times at either end

    def test_also_a_field(self) -> None:
        both = table(P=heater(TIME))
        assert "'P', which is also a field" in complaint(
            lambda: Readings.from_frame(both, fields=["u", "P"], inputs=["P"])
        )
        assert "got 'u'" in complaint(lambda: Readings.from_arrays(TIME, PLACE, U, inputs={"u": U}))

    def test_named_twice(self) -> None:
        assert "got 'P' twice" in complaint(lambda: Readings.from_frame(table(P=U), inputs=["P", "P"]))
        twice = table().assign(**{"P (W)": U})
        assert "got 'P (W)' twice" in complaint(lambda: Readings.from_frame(twice, inputs=["P", "P (W)"]))

    def test_no_such_column(self) -> None:
        told = complaint(lambda: Readings.from_frame(table(power=U), inputs=["powr"]))
        assert "a column 'powr'" in told
        assert "did you mean 'power'?" in told

    @pytest.mark.parametrize(
        ("inputs", "part"),
        [
            ({"P": "stepwise"}, "'held' or 'linear'"),
            (3, "as a name or a list of names"),
            ([3], "as a name or a list of names"),
        ],
    )
    def test_not_names(self, inputs: Any, part: str) -> None:
        assert part in complaint(lambda: Readings.from_frame(table(P=U), inputs=inputs))

    @pytest.mark.parametrize(
        ("inputs", "part"),
        [
            ({"x": U}, "got 'x'"),
            ({"a b": U}, "got 'a b'"),
            ({"sin": U}, "got 'sin'"),
            ({"P": U[:-1]}, "each of its 164 times"),
            ({"P": (T, T[1:])}, "each of its 41 times"),
            ({"P": (TIME, np.stack([PLACE, PLACE], 1), U)}, "(164, 2) places"),
            ({"P": np.full(len(U), np.nan)}, "Expected values of input P; got none"),
            ({"P": np.where(U > 0.9, np.inf, U)}, "infinite"),
            ({"P": lambda t: t}, "a function of arrays t, x"),
            ({"P": lambda t, x: {}[0]}, "got an error"),
            ({"P": lambda t, x: t * np.nan}, "got NaN or infinity"),
            ({"P": Input("Q", T, None, T)}, "under its own name"),
            (["P"], "a mapping such as"),
            ({"P": ["a"] * len(U)}, "Expected numbers in 'P'"),
        ],
        ids=range(14),
    )
    def test_bad_arrays_and_functions(self, inputs: Any, part: str) -> None:
        assert part in complaint(lambda: Readings.from_arrays(TIME, PLACE, U, inputs=inputs))

    def test_places_that_are_missing(self) -> None:
        frame = pd.concat([table(q=source(TIME, PLACE)), pd.DataFrame({"t": [5.0], "q": [1.0]})])
        assert "a place for each value of input q" in complaint(lambda: Readings.from_frame(frame, inputs=["q"]))

    def test_held_by_sensors_that_move(self) -> None:
        place = np.random.default_rng(0).uniform(0, 4, len(TIME))
        frame = table(q=source(TIME, place)).assign(x=place, sensor=np.tile(["a", "b", "c", "d"], 41))
        told = complaint(lambda: Readings.from_frame(frame, inputs={"q": "held"}))
        assert "got sensors that move; pass inputs={'q': 'linear'}" in told
        assert only(Readings.from_frame(frame, inputs=["q"])).between == "linear"

    def test_bad_input_objects(self) -> None:
        assert "got 'x'" in complaint(lambda: Input("x", T, None, T))
        assert "'held' or 'linear'" in complaint(lambda: Input("P", T, None, T, "cubic"))  # type: ignore[arg-type]
        assert "fix the shapes" in complaint(lambda: Input("P", T, None, T[1:]))
        assert "got NaN" in complaint(_with_nan)
        assert "places beside times" in complaint(lambda: Input("q", TIME, PLACE, U).at([1.0]))
        assert "fix the shapes" in complaint(lambda: Input("q", TIME, PLACE, U).at([1.0], [[1.0, 2.0]]))


def _with_nan() -> Input:
    return Input("P", T, None, np.where(T > 3, np.nan, T))
