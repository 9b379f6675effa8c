"""Readings that measured only some of the fields: kept, joined, counted, compared, averaged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st

from pdescry.data import Readings, read
from pdescry.errors import InputError
from pdescry.notices import Notice
from tests.data.test_bad_input import complaint

T = np.linspace(0, 10, 21)
X = np.array([0.0, 1.0, 2.5, 4.0, 6.0])
TIME, PLACE = np.repeat(T, len(X)), np.tile(X, len(T))
BOTH = np.stack([np.sin(TIME + PLACE), np.cos(TIME - 2 * PLACE)], axis=1)
MISSING = np.random.default_rng(0).uniform(size=BOTH.shape) < [0.1, 0.5]


def partial(missing: Any = MISSING, **more: Any) -> Readings:
    return Readings.from_arrays(TIME, PLACE, np.where(missing, np.nan, BOTH), **more)


class TestKept:
    def test_a_row_with_one_field_stays_and_one_without_any_goes(self) -> None:
        readings = partial()
        kept = ~MISSING.all(axis=1)
        np.testing.assert_array_equal(readings.values, np.where(MISSING, np.nan, BOTH)[kept])
        np.testing.assert_array_equal(readings.observed, ~MISSING[kept])
        assert Notice.of("gaps-dropped", dropped=int((~kept).sum()), readings=len(TIME)) in readings.notes

    def test_of_one_field_gaps_are_dropped_as_before(self) -> None:
        readings = Readings.from_arrays(TIME, PLACE, np.where(MISSING[:, 0], np.nan, BOTH[:, 0]))
        assert readings.observed.all()
        assert len(readings) == int((~MISSING[:, 0]).sum())

    def test_error_still_refuses_them(self) -> None:
        assert "Expected a value in every row of 'u'" in complaint(_strict)

    def test_a_value_whose_noise_is_missing_is_missing(self) -> None:
        noise = np.full(BOTH.shape, 0.1)
        noise[3, 1] = np.nan
        readings = Readings.from_arrays(TIME, PLACE, BOTH, noise=noise)
        assert np.argwhere(~readings.observed).tolist() == [[3, 1]]
        assert readings.noise is not None
        np.testing.assert_array_equal(np.isnan(readings.noise), ~readings.observed)

    def test_the_summary_counts_each_field(self) -> None:
        readings = partial(units={"v": "m/s"})
        of_u, of_v = readings.observed.sum(axis=0)
        assert readings.summary().startswith(f"{of_u} readings of u, {of_v} of v (m/s) by 5 sensors at 21 distinct")

    def test_gaps_equal_gaps_and_nothing_else(self) -> None:
        assert partial() == partial()
        other = MISSING.copy()
        row = int(np.flatnonzero(~MISSING.any(axis=1))[0])
        other[row, 1] = True
        assert partial(other) != partial()
        assert partial(noise=0.1) == partial(noise=0.1)


def _strict() -> Readings:
    return Readings.from_arrays(TIME, PLACE, np.where(MISSING, np.nan, BOTH), missing="error")


class TestJoined:
    @given(st.lists(st.integers(0, 2), min_size=len(TIME), max_size=len(TIME)), st.randoms(use_true_random=False))
    @settings(max_examples=25, deadline=None)
    def test_fields_in_rows_of_their_own_are_joined(self, which: list[int], random: Any) -> None:
        """Split each row into its fields, repeat some, mix all: the same readings come back."""
        rows = []
        for t, x, (u, v), how in zip(TIME, PLACE, BOTH, which, strict=True):
            rows += [(t, x, u, np.nan), (t, x, np.nan, v)] if how else [(t, x, u, v)]
            rows += [(t, x, u, np.nan)] if how == 2 else []
        random.shuffle(rows)
        mixed = np.array(rows)
        joined = Readings.from_arrays(mixed[:, 0], mixed[:, 1], mixed[:, 2:])
        assert joined.observed.all()
        order = np.lexsort((joined.space[:, 0], joined.time))
        np.testing.assert_array_equal(joined.values[order], BOTH)

    def test_it_is_told(self) -> None:
        time, place = np.tile(TIME, 2), np.tile(PLACE, 2)
        gap = np.full(len(TIME), np.nan)
        values = np.stack([np.concatenate([BOTH[:, 0], gap]), np.concatenate([gap, BOTH[:, 1]])], axis=1)
        readings = Readings.from_arrays(time, place, values)
        np.testing.assert_array_equal(readings.values, BOTH)
        assert tuple(map(str, readings.notes)) == (
            f"Joined {len(TIME)} rows with others of the same time and place with other fields.",
        )

    def test_sensors_with_names_stay_apart(self) -> None:
        gap = np.full(len(TIME), np.nan)
        values = np.stack([np.concatenate([BOTH[:, 0], gap]), np.concatenate([gap, BOTH[:, 1]])], axis=1)
        label = np.repeat(["thermometer", "hygrometer"], len(TIME))
        label = np.char.add(label, np.tile(PLACE, 2).astype(str))
        readings = Readings.from_arrays(np.tile(TIME, 2), np.tile(PLACE, 2), values, sensor=label)
        assert len(readings) == 2 * len(TIME)
        assert readings.n_sensors == 2 * len(X)

    def test_contradictions_beside_a_gap_are_refused(self) -> None:
        values = np.concatenate([BOTH, [[np.nan, 7.0]]])
        told = complaint(lambda: Readings.from_arrays([*TIME, TIME[4]], [*PLACE, PLACE[4]], values))
        assert "got 1 repeated with different values (first: reading 4 and reading 105" in told


class TestRoundTrips:
    def test_csv_frame_and_xarray(self, tmp_path: Path) -> None:
        readings = partial(noise=[0.1, 0.2], sensor=[f"no. {x}" for x in PLACE])
        readings.to_csv(tmp_path / "both.csv")
        assert read(tmp_path / "both.csv") == readings
        assert Readings.from_frame(readings.to_frame()) == readings
        assert Readings.from_xarray(readings.to_xarray()) == readings

    def test_a_grid_in_netcdf(self, tmp_path: Path) -> None:
        grid = {
            name: (("t", "x"), np.where(MISSING[:, k], np.nan, BOTH[:, k]).reshape(len(T), len(X)))
            for k, name in enumerate("uv")
        }
        xr.Dataset(grid, coords={"t": T, "x": X}).to_netcdf(tmp_path / "grid.nc", engine="h5netcdf")
        assert read(tmp_path / "grid.nc") == partial()

    def test_a_table_of_two_instruments(self, tmp_path: Path) -> None:
        """Blank cells where the other instrument read, and columns that have to be named."""
        one = pd.DataFrame({"t": TIME, "x": PLACE, "temp": BOTH[:, 0]})
        two = pd.DataFrame({"t": TIME + 0.1, "x": PLACE, "hum": BOTH[:, 1]})
        pd.concat([one, two]).to_csv(tmp_path / "log.csv", index=False)
        readings = read(tmp_path / "log.csv", fields=["temp", "hum"])
        assert readings.observed.sum(axis=0).tolist() == [len(TIME), len(TIME)]
        assert not readings.observed.all(axis=1).any()


class TestParts:
    def test_complete_is_the_rows_with_every_field(self) -> None:
        whole = partial().complete()
        np.testing.assert_array_equal(whole.values, BOTH[~MISSING.any(axis=1)])
        left = int((MISSING.any(axis=1) & ~MISSING.all(axis=1)).sum())
        assert str(whole.notes[-1]).startswith(f"Left out {left} of ")
        assert whole.complete() is whole

    def test_complete_of_fields_that_were_never_read_together(self) -> None:
        values = np.where(np.arange(len(TIME))[:, None] % 2 == [0, 1], BOTH, np.nan)
        told = complaint(lambda: Readings.from_arrays(TIME, PLACE, values).complete())
        assert "readings of u and v at the same times and places; got none" in told

    def test_select_keeps_gaps(self) -> None:
        readings = partial()
        part = readings.select(sensors=[1, 2])
        np.testing.assert_array_equal(part.values, readings.values[np.isin(readings.sensor, [1, 2])])

    def test_noise_is_judged_by_the_readings_of_each_field(self) -> None:
        rng = np.random.default_rng(1)
        t, x = np.tile(np.linspace(0, 1, 400), 5), np.repeat(X, 400)
        values = np.stack([np.sin(t + x), np.cos(t - x)], axis=1) + [0.01, 0.1] * rng.standard_normal((2000, 2))
        values[(x == 1.0) | (rng.uniform(size=2000) < 0.5), 1] = np.nan
        found = Readings.from_arrays(t, x, values).estimate_noise()
        assert found.sd["u"] == pytest.approx(0.01, rel=0.1)
        assert found.sd["v"] == pytest.approx(0.1, rel=0.15)
        assert found.reason is None  # the sensor that has no v is not one with too few readings of it
        assert np.isnan(found.by_sensor[1, 1])
        assert np.isfinite(np.delete(found.by_sensor, 1, axis=0)).all()


class TestAveraged:
    def test_each_set_of_fields_by_itself(self) -> None:
        rng = np.random.default_rng(2)
        t, x = np.tile(np.linspace(0, 1, 1000), 5), np.repeat(X, 1000)
        clean = np.stack([np.sin(t + x), 10 + np.cos(t - x)], axis=1)
        values = clean + 0.05 * rng.standard_normal(clean.shape)
        values[::2, 1] = np.nan  # every other reading is of u only
        values[x == 1.0, 0] = np.nan
        values = np.where(np.isnan(values).all(axis=1, keepdims=True), clean, values)
        readings = Readings.from_arrays(t, x, values, noise=0.05)
        means = readings.averaged(50)
        assert len(means) < len(readings) / 5
        truth = np.stack([np.sin(means.time + means.space[:, 0]), 10 + np.cos(means.time - means.space[:, 0])], axis=1)
        assert means.noise is not None
        np.testing.assert_array_equal(np.isnan(means.noise), ~means.observed)
        off = (means.values - truth)[means.observed] / means.noise[means.observed]
        assert 0.8 < np.sqrt(np.mean(off**2)) < 1.25
        assert readings.noise is not None
        np.testing.assert_allclose(np.nansum(means.noise**-2, axis=0), np.nansum(readings.noise**-2, axis=0))


class TestRefused:
    def test_a_field_at_the_outermost_sensors_only(self) -> None:
        inner = (PLACE > 0) & (PLACE < 6)
        told = complaint(lambda: partial(np.stack([0 * inner, inner], axis=1).astype(bool)))
        assert "readings of 'v' between the outermost sensors (x = 0 and 6); got some at x = 0 and x = 6 only" in told

    def test_too_few_places_or_times_of_one_field(self) -> None:
        two = ~np.isin(PLACE, [1.0, 2.5])
        assert "readings of 'v' at 3 or more distinct places; got 2" in complaint(
            lambda: partial(np.stack([0 * two, two], axis=1).astype(bool))
        )
        early = T[2] > TIME
        assert "readings of 'v' at 3 or more distinct times; got 2" in complaint(
            lambda: partial(np.stack([0 * early, ~early], axis=1).astype(bool))
        )

    @pytest.mark.parametrize(("name", "column", "cut"), [("t", TIME, 5.0), ("x", PLACE, 2.4)])
    def test_fields_that_share_no_range(self, name: str, column: np.ndarray, cut: float) -> None:
        places = np.linspace(0, 6, len(TIME)) if name == "x" else PLACE
        column = places if name == "x" else column
        values = np.where(np.stack([column > cut, column <= cut], axis=1), np.nan, BOTH)
        time = np.random.default_rng(0).permutation(TIME) if name == "x" else TIME
        told = complaint(lambda: Readings.from_arrays(time, places, values))
        assert f"over common ranges of {name}; got 'u' from 0 to" in told

    def test_a_field_without_readings_and_a_constant_one(self) -> None:
        assert "Expected readings of 'v'; got none" in complaint(
            lambda: partial(np.stack([0 * TIME, 0 * TIME + 1], axis=1).astype(bool))
        )
        constant = np.where(MISSING[:, 1], np.nan, 3.0)
        assert "a field 'v' that varies; got the constant 3" in complaint(
            lambda: Readings.from_arrays(TIME, PLACE, np.stack([BOTH[:, 0], constant], axis=1))
        )

    def test_stand_ins_are_noticed_beside_gaps(self) -> None:
        values = np.where(MISSING, np.nan, BOTH)
        values[[3, 7], 1] = -9999
        readings = Readings.from_arrays(TIME, PLACE, values)
        assert Notice.of("stand-in", value=-9999.0, times=2, field="v") in readings.notes

    def test_infinity_is_no_gap(self) -> None:
        values = BOTH.copy()
        values[5, 1] = np.inf
        with pytest.raises(InputError, match="finite numbers in 'v'; got 1 infinite"):
            Readings.from_arrays(TIME, PLACE, values)
