from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from pdescry.data import Readings, read
from pdescry.errors import InputError


def scattered(sigma: float, seed: int = 0, sensors: int = 16, times: int = 51) -> Readings:
    """Each sensor keeps an irregular clock of its own."""
    rng = np.random.default_rng(seed)
    place = np.repeat(rng.uniform(-8, 8, sensors), times)
    time = np.sort(rng.uniform(0, 10, (sensors, times)), axis=1).ravel()
    value = np.sin(time - 0.4 * place) + 0.3 * np.cos(0.5 * place * time / 4)
    return Readings.from_arrays(time, place, value + sigma * rng.standard_normal(len(time)))


class TestShape:
    def test_arrays_of_one_axis_and_field_become_columns(self, frame: pd.DataFrame) -> None:
        readings = Readings.from_arrays(frame.t, frame.x, frame.u)
        assert (len(readings), readings.space.shape, readings.values.shape) == (20, (20, 1), (20, 1))
        assert (readings.time_name, readings.axes, readings.fields) == ("t", ("x",), ("u",))

    def test_sums_are_the_same_to_the_last_bit_however_arrays_lie_in_memory(self) -> None:
        rng = np.random.default_rng(0)
        time, space, values = np.arange(1000.0), rng.random((1000, 2)), 300 + rng.random((1000, 2))
        sensor = np.arange(1000)
        by_rows, by_columns = (
            Readings(time, lay(space), lay(values), sensor, axes=("x", "y"), fields=("u", "v"))
            for lay in (np.ascontiguousarray, np.asfortranarray)
        )
        for name in ("space", "values"):
            one, other = (getattr(each, name).std(axis=0) for each in (by_rows, by_columns))
            np.testing.assert_array_equal(one, other)

    def test_each_place_is_a_sensor_in_the_order_of_places(self, frame: pd.DataFrame) -> None:
        readings = Readings.from_arrays(frame.t[::-1], frame.x[::-1], frame.u[::-1])
        assert readings.sensor_names is None
        np.testing.assert_array_equal(readings.places, [[-1.0], [0.25], [0.3], [2.0]])
        np.testing.assert_array_equal(readings.places[readings.sensor], readings.space)

    def test_places_in_the_plane_sort_by_the_first_axis(self) -> None:
        rng = np.random.default_rng(1)
        places = rng.integers(0, 3, (200, 2)).astype(float)
        readings = Readings.from_arrays(np.arange(200.0), places, rng.standard_normal((200, 2)))
        assert (readings.axes, readings.fields) == (("x", "y"), ("u", "v"))
        np.testing.assert_array_equal(readings.places, np.unique(places, axis=0))

    def test_arrays_are_frozen_and_the_users_own_stay_writable(self, frame: pd.DataFrame) -> None:
        time = frame.t.to_numpy().copy()
        readings = Readings.from_arrays(time, frame.x, frame.u, noise=0.1)
        time[0] = 99.0
        assert readings.time[0] == 0.0
        for array in (readings.time, readings.space, readings.values, readings.sensor, readings.noise):
            assert array is not None
            assert not array.flags.writeable
        with pytest.raises(AttributeError):
            readings.time = time  # type: ignore[misc]

    def test_equality_is_about_the_readings(self, frame: pd.DataFrame) -> None:
        one, other = (Readings.from_arrays(frame.t, frame.x, frame.u, source=name) for name in "ab")
        assert one == other
        assert one != Readings.from_arrays(frame.t, frame.x, frame.u + 1)
        assert one != Readings.from_arrays(frame.t, frame.x, frame.u, noise=0.1)
        assert one != "readings"

    @pytest.mark.parametrize("noise", [0.5, np.full(20, 0.5), [0.5], np.full((20, 1), 0.5)], ids=str)
    def test_noise_takes_any_sensible_shape(self, frame: pd.DataFrame, noise: object) -> None:
        readings = Readings.from_arrays(frame.t, frame.x, frame.u, noise=noise)  # type: ignore[arg-type]
        np.testing.assert_array_equal(readings.noise, np.full((20, 1), 0.5))  # type: ignore[arg-type]

    def test_summary_says_what_is_there(self, frame: pd.DataFrame) -> None:
        frame.loc[3, "u"] = np.nan
        text = repr(Readings.from_frame(frame, source="rod"))
        assert "19 readings of u by 4 sensors at 5 distinct times (rod)" in text
        assert "t from 0 to 1; x from -1 to 2" in text
        assert "Dropped 1 of 20 readings with missing values." in text

    @pytest.mark.parametrize(
        ("times", "told"),
        [
            (1.7e12 + 500.0 * np.arange(20), "t from 1700000000000 to 1700000009500;"),
            (1.7e9 + 0.5 * np.arange(20), "t from 1700000000 to 1700000009.5;"),
            (0.1 * np.arange(20), "t from 0 to 1.9;"),
            (1e308 * np.linspace(-1, 1, 20), "t from -1e+308 to 1e+308;"),
        ],
        ids=["milliseconds", "seconds", "plain", "huge"],
    )
    def test_summary_tells_first_from_last(self, frame: pd.DataFrame, times: np.ndarray, told: str) -> None:
        assert told in Readings.from_arrays(times, frame.x, frame.u).summary()

    @pytest.mark.parametrize("mark", [-9999.0, -999.0, 9999.0, 1e20, -99.9])
    def test_values_that_may_stand_for_missing_are_told_and_kept(self, frame: pd.DataFrame, mark: float) -> None:
        frame.loc[[3, 8, 11], "u"] = mark
        readings = Readings.from_frame(frame)
        assert len(readings) == 20
        assert tuple(map(str, readings.notes)) == (
            f"{mark:g} occurs 3 times in 'u', far outside the rest; if it marks a missing value, empty those cells.",
        )
        frame.loc[[3, 8], "u"] = 0.5
        assert Readings.from_frame(frame).notes == ()


class TestSensors:
    def test_named_sensors_keep_their_order_of_appearance(self, frame: pd.DataFrame) -> None:
        frame["sensor"] = np.tile(["s10", "s2", "a", "b"], 5)
        readings = Readings.from_frame(frame)
        assert readings.sensor_names == ("s10", "s2", "a", "b")
        assert readings.n_sensors == 4

    def test_two_named_sensors_may_disagree_at_one_place(self, frame: pd.DataFrame) -> None:
        place = frame.x.astype(str)
        twin = frame.assign(u=frame.u + 0.1, sensor="b" + place)
        readings = Readings.from_frame(pd.concat([frame.assign(sensor="a" + place), twin]))
        assert (len(readings), readings.n_sensors) == (40, 8)

    def test_numbered_sensors_with_gaps_stay_whole_numbers(self, frame: pd.DataFrame) -> None:
        frame["sensor"] = np.tile([3.0, 1.0, 2.0, 7.0], 5)
        frame.loc[0, ["sensor", "u"]] = np.nan
        assert set(Readings.from_frame(frame).sensor_names or ()) == {"3", "1", "2", "7"}

    def test_a_column_that_numbers_the_rows_is_no_sensor(self, frame: pd.DataFrame) -> None:
        frame["id"] = range(20)
        readings = Readings.from_frame(frame)
        assert readings.sensor_names is None
        assert readings.notes[0].code == "column-numbers-rows"

    def test_sensor_false_tells_them_by_place(self, frame: pd.DataFrame) -> None:
        assert Readings.from_frame(frame.assign(sensor="all"), sensor=False).n_sensors == 4

    def test_a_sensor_may_move(self) -> None:
        time = np.arange(10.0)
        readings = Readings.from_arrays(time, time**2, np.sin(time), sensor=["buoy"] * 10)
        np.testing.assert_array_equal(readings.places, [[0.0]])
        assert tuple(map(str, readings.notes)) == ("1 of 1 sensor moved: 'buoy'.",)
        assert "by 1 sensor at" in readings.summary()

    def test_places_that_jitter_are_told(self, frame: pd.DataFrame) -> None:
        jitter = 1e-9 * np.random.default_rng(0).standard_normal(20)
        note = Readings.from_frame(frame.assign(x=frame.x + jitter)).notes[-1]
        assert str(note).startswith("Each place counts as a sensor: 20 for 20 readings; name the column")
        assert Readings.from_frame(frame).notes == ()

    def test_selection(self, frame: pd.DataFrame) -> None:
        frame["sensor"] = np.tile(list("abcd"), 5)
        readings = Readings.from_frame(frame, noise=0.1)
        part = readings.select(sensors=["d", 1])
        assert part.sensor_names == ("b", "d")
        assert part.n_sensors == 2
        assert len(part) == 10
        np.testing.assert_array_equal(readings.of_sensor("c").space, np.full((5, 1), 0.3))
        np.testing.assert_array_equal(readings.select(readings.time > 0.5).times, [0.71, 1.0])

    @pytest.mark.parametrize("which", ["z", 4, -1, 1.5])
    def test_unknown_sensor(self, frame: pd.DataFrame, which: object) -> None:
        with pytest.raises(InputError, match="from 0 to 3"):
            Readings.from_frame(frame).of_sensor(which)  # type: ignore[arg-type]

    def test_bad_selection(self, frame: pd.DataFrame) -> None:
        readings = Readings.from_frame(frame)
        with pytest.raises(InputError, match="boolean mask of shape"):
            readings.select([0, 1])
        with pytest.raises(InputError, match="exactly one"):
            readings.select()
        with pytest.raises(InputError, match="at least one reading"):
            readings.select(readings.time > 99)


class TestWaysIn:
    def test_grid(self, grid: dict[str, Any], frame: pd.DataFrame) -> None:
        assert Readings.from_grid(**grid) == Readings.from_frame(frame)

    def test_grid_in_the_plane_with_two_fields(self) -> None:
        rng = np.random.default_rng(2)
        u, v = rng.standard_normal((2, 5, 3, 4))
        readings = Readings.from_grid(np.arange(5), (np.arange(3), np.arange(4)), {"u": u, "v": v})
        assert (len(readings), readings.axes, readings.fields) == (60, ("x", "y"), ("u", "v"))
        at = (readings.time == 2) & (readings.space == [1, 3]).all(axis=1)
        np.testing.assert_array_equal(readings.values[at], [[u[2, 1, 3], v[2, 1, 3]]])

    @pytest.mark.parametrize("indexing", ["ij", "xy"])
    def test_meshgrids(self, grid: dict[str, Any], frame: pd.DataFrame, indexing: Literal["ij", "xy"]) -> None:
        time, place = np.meshgrid(grid["t"], grid["x"], indexing=indexing)
        readings = Readings.from_grid(time, place, grid["u"] if indexing == "ij" else grid["u"].T)
        assert readings.to_frame().sort_values(["t", "x"], ignore_index=True).equals(frame)

    def test_meshgrids_in_the_plane(self) -> None:
        time, x, y = np.meshgrid(np.arange(5.0), np.arange(3.0), np.arange(4.0), indexing="ij")
        readings = Readings.from_grid(time, (x, y), np.sin(time + x * y))
        assert readings == Readings.from_grid(np.arange(5), (np.arange(3), np.arange(4)), np.sin(time + x * y))

    def test_one_field_may_be_named_without_a_list(self, frame: pd.DataFrame) -> None:
        assert Readings.from_arrays(frame.t, frame.x, frame.u, fields="temp").fields == ("temp",)

    def test_transposed_grid_is_told(self, grid: dict[str, Any]) -> None:
        with pytest.raises(InputError, match=r"mixed-up shapes: u \(4, 5\).*pass u\.T"):
            Readings.from_grid(grid["t"], grid["x"], grid["u"].T)

    def test_frame_with_the_time_in_its_index(self, frame: pd.DataFrame) -> None:
        assert Readings.from_frame(frame.set_index("t")) == Readings.from_frame(frame)

    def test_frame_with_dates_in_its_index(self, frame: pd.DataFrame) -> None:
        wide = frame.pivot_table(index="t", columns="x", values="u")
        wide.index = pd.Timestamp("2024-03-01", tz="Europe/Berlin") + pd.to_timedelta(wide.index, unit="s")
        wide.index.name = None
        readings = Readings.from_frame(wide)
        np.testing.assert_allclose(readings.times, [0.0, 0.13, 0.4, 0.71, 1.0])
        assert any("seconds since 2024-02-29T23:00" in str(note) for note in readings.notes)

    @pytest.mark.parametrize("kind", ["Float64", "float32", "double[pyarrow]", object])
    def test_frame_of_any_number_type(self, frame: pd.DataFrame, kind: object) -> None:
        frame.loc[7, "u"] = None
        typed = frame.astype(kind)  # type: ignore[arg-type]
        np.testing.assert_allclose(Readings.from_frame(typed).values, frame.u.dropna().to_numpy()[:, None], rtol=1e-6)

    def test_arrays_with_dates(self, frame: pd.DataFrame) -> None:
        dates = np.datetime64("2024-01-01", "ms") + (1000 * frame.t.to_numpy()).astype("timedelta64[ms]")
        readings = Readings.from_arrays(dates, frame.x, frame.u)
        np.testing.assert_allclose(readings.time, frame.t)
        assert tuple(map(str, readings.notes)) == ("Times are seconds since 2024-01-01.",)

    def test_masked_array(self, frame: pd.DataFrame) -> None:
        masked = np.ma.masked_less(frame.u.to_numpy(), -0.5)
        assert len(Readings.from_arrays(frame.t, frame.x, masked)) == masked.count()

    def test_xarray_in_any_order_of_dimensions(self, grid: dict[str, Any], frame: pd.DataFrame) -> None:
        array = xr.DataArray(grid["u"], {"t": grid["t"], "x": grid["x"]}, ("t", "x"), name="u")
        assert Readings.from_xarray(array) == Readings.from_frame(frame)
        turned = Readings.from_xarray(array.transpose("x", "t").rename(None))
        assert turned.to_frame().sort_values(["t", "x"], ignore_index=True).equals(frame)

    def test_xarray_of_stations_with_places_as_coordinates(self, grid: dict[str, Any]) -> None:
        data = xr.Dataset(
            {"temp": (("station", "time"), grid["u"].T), "nu": 0.1},
            {"time": grid["t"], "x": ("station", grid["x"]), "y": ("station", [3.0, 1.0, 2.0, 5.0])},
        )
        readings = Readings.from_xarray(data)
        assert (readings.axes, readings.fields, readings.sensor_names) == (("x", "y"), ("temp",), ("0", "1", "2", "3"))

    def test_wide_frame_with_numbers_as_columns(self, grid: dict[str, Any], frame: pd.DataFrame) -> None:
        wide = pd.DataFrame(grid["u"], columns=grid["x"]).assign(time=grid["t"])
        readings = Readings.from_frame(wide)
        assert readings == Readings.from_frame(frame)
        assert "one column for each of 4 places" in str(readings.notes[0])


class TestWaysOut:
    def test_csv_gives_back_the_same_readings(self, tmp_path: Path) -> None:
        readings = scattered(0.05)
        readings.to_csv(tmp_path / "a.csv")
        assert read(tmp_path / "a.csv") == readings
        assert os.listdir(tmp_path) == ["a.csv"]

    def test_csv_keeps_names_and_noise(self, tmp_path: Path, frame: pd.DataFrame) -> None:
        readings = Readings.from_arrays(
            frame.t,
            np.stack([frame.x, frame.x**2], axis=1),
            np.stack([frame.u, frame.u**2], axis=1),
            sensor=np.tile(["01", "1", 'a "b", c', "ü"], 5),
            noise=[0.1, 0.2],
            fields=["T", "density2"],
        )
        readings.to_csv(tmp_path / "a.csv")
        assert read(tmp_path / "a.csv", fields=["T", "density2"]) == readings

    def test_csv_that_cannot_be_written_leaves_nothing(self, tmp_path: Path, frame: pd.DataFrame) -> None:
        (tmp_path / "a.csv").mkdir()
        with pytest.raises(InputError, match="Cannot write"):
            Readings.from_frame(frame).to_csv(tmp_path / "a.csv")
        with pytest.raises(InputError, match="Cannot write"):
            Readings.from_frame(frame).to_csv(tmp_path / "no" / "b.csv")
        with pytest.raises(InputError, match="Cannot write"):
            Readings.from_frame(frame).to_csv("")
        assert os.listdir(tmp_path) == ["a.csv"]

    def test_xarray_and_frame_give_back_the_same_readings(self, frame: pd.DataFrame) -> None:
        frame["sensor"] = np.tile(list("abcd"), 5)
        readings = Readings.from_frame(frame, noise=0.3)
        assert Readings.from_xarray(readings.to_xarray()) == readings
        assert Readings.from_frame(readings.to_frame()) == readings


class TestNoise:
    @pytest.mark.parametrize("sigma", [0.01, 0.05])
    @pytest.mark.parametrize("seed", range(5))
    def test_estimate_is_near_the_truth_on_irregular_clocks(self, sigma: float, seed: int) -> None:
        estimate = scattered(sigma, seed)
        assert estimate.estimate_noise().sd["u"] == pytest.approx(sigma, rel=0.2)

    def test_smooth_readings_without_noise(self) -> None:
        assert scattered(0.0).estimate_noise().sd["u"] < 1e-3

    def test_estimate_scales_with_the_units(self) -> None:
        plain = scattered(0.05)
        scaled = Readings.from_arrays(1e-9 * plain.time, 1e6 * plain.space, 1e12 * plain.values)
        assert scaled.estimate_noise().sd["u"] == pytest.approx(1e12 * plain.estimate_noise().sd["u"], rel=1e-6)

    def test_sensors_differ(self) -> None:
        rng = np.random.default_rng(3)
        time, place = (axis.ravel() for axis in np.meshgrid(np.linspace(0, 1, 400), [0.0, 1.0, 2.0], indexing="ij"))
        noise = np.array([0.01, 0.1, 1.0])[place.astype(int)]
        readings = Readings.from_arrays(time, place, np.sin(time) + noise * rng.standard_normal(len(time)))
        np.testing.assert_allclose(readings.estimate_noise().by_sensor[:, 0], [0.01, 0.1, 1.0], rtol=0.2)

    def test_idle_sensors_do_not_hide_the_noise(self) -> None:
        noisy = scattered(0.05)
        clipped = np.where(noisy.time > 3, 0.0, noisy.values[:, 0])
        readings = Readings.from_arrays(noisy.time, noisy.space, clipped)
        assert readings.estimate_noise().sd["u"] == pytest.approx(0.05, rel=0.3)

    def test_too_few_times_give_nan_and_the_reason(self) -> None:
        rng = np.random.default_rng(4)
        readings = Readings.from_grid([0, 1, 2, 3], np.arange(9), rng.standard_normal((4, 9)))
        estimate = readings.estimate_noise()
        assert np.isnan(estimate.sd["u"])
        assert estimate.reason is not None
        assert estimate.reason.code == "noise-unknown"
