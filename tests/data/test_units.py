"""Units on the way from a file to the names at the axes of a figure."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from pdescry.data import Readings, read
from pdescry.data.headers import Kind, stem, unit_in
from pdescry.data.units import check_units_agree, plain_unit
from pdescry.errors import InputError
from tests.data.conftest import T, U, X
from tests.data.test_bad_input import complaint

KNOWN = {"t": "s", "x": "mm", "T": "°C"}


@pytest.fixture
def load(tmp_path: Path) -> Callable[..., Readings]:
    def load(text: str, **options: Any) -> Readings:
        (tmp_path / "a.csv").write_text(text, encoding="utf-8")
        return read(tmp_path / "a.csv", **options)

    return load


@pytest.fixture
def rows(frame: pd.DataFrame) -> str:
    return frame.to_csv(index=False, header=False)


@pytest.fixture
def readings(frame: pd.DataFrame) -> Readings:
    return Readings.from_frame(frame.rename(columns={"u": "T"}), units=KNOWN)


# ---- headers ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("header", "kind", "name", "unit"),
    [
        ("time (s)", "time", "time", "s"),
        ("T [°C]", "field", "T", "°C"),
        ("x_m", "space", "x", "m"),
        ("t / s", "time", "t", "s"),
        ("T/K", "field", "T", "K"),
        ("T/°C", "field", "T", "°C"),
        ("Zeit in s", "time", "Zeit", "s"),
        ("elapsed_seconds", "time", "elapsed", "seconds"),
        ("hours", "time", "hours", "hours"),
        ("speed m/s", "field", "speed", "m/s"),
        ("v / (m/s)", "field", "v", "m/s"),
        ("q [W/(m² K)]", "field", "q", "W/(m² K)"),
        ("g (W m⁻² K⁻¹)", "field", "g", "W m⁻² K⁻¹"),
        ("c (mmol/L)", "field", "c", "mmol/L"),
        ("c [arb. units]", "field", "c", "arb. units"),
        ("temp_c", "field", "temp", "c"),
        ("T_K", "field", "T", "K"),
        ("x_m (raw)", "space", "x", "m"),
        # No unit, or none that can be believed.
        ("u", "field", "u", ""),
        ("u (mean)", "field", "u", ""),
        ("u[3]", "field", "u", ""),
        ("u [-]", "field", "u", ""),
        ("T_s", "field", "T", ""),
        ("x_s", "space", "x", ""),
        ("u / total", "field", "u", ""),
        ("velocity_m_s", "field", "velocity_m", ""),
    ],
)
def test_a_header_tells_its_name_and_its_unit(header: str, kind: Kind, name: str, unit: str) -> None:
    assert (stem(header), unit_in(header, kind)) == (name, unit)


@pytest.mark.parametrize(
    ("text", "unit"),
    [("[°C]", "°C"), (" m ", "m"), ("1", ""), ("-", ""), ("", ""), (None, ""), (3, ""),
     ("hours since 1970-01-01", "hours"), ("a\nb", "a b"), ("x" * 41, ""), ("\x1b[31m", "")],
)  # fmt: skip
def test_a_cell_or_an_attribute_is_a_unit_on_one_line_or_none(text: Any, unit: str) -> None:
    assert plain_unit(text) == unit


# ---- ways in ---------------------------------------------------------------------------------------------------------


def test_units_in_the_header_of_a_text(load: Callable[..., Readings], rows: str) -> None:
    readings = load("Zeit in s,Tiefe [mm],T (°C)\n" + rows)
    assert readings.units == KNOWN
    assert [readings.label(name) for name in ("t", "x", "T")] == ["t (s)", "x (mm)", "T (°C)"]
    assert "of T (°C) by 4 sensors" in repr(readings)
    assert "t (s) from 0 to 1; x (mm) from -1 to 2" in repr(readings)


def test_none_are_known_where_none_are_told(load: Callable[..., Readings], rows: str) -> None:
    readings = load("t,x,u\n" + rows)
    assert readings.units == {}
    assert readings.label("u") == "u"


def test_a_row_of_units_below_the_header(load: Callable[..., Readings], rows: str) -> None:
    assert load("t,x,T\n[s],mm,°C\n" + rows).units == KNOWN
    assert load("t,x,T\ns,,-\n" + rows).units == {"t": "s"}
    assert load("t (h),x,T\ns,mm,°C\n" + rows).units == KNOWN


def test_wide_tables_tell_the_unit_of_places_and_below_them_that_of_the_field(load: Callable[..., Readings]) -> None:
    rows = "0,1,2,3\n1,2,3,4\n2,5,6,8\n"
    assert load("t / s,0.25 m,0.5 m,1 m\n" + rows).units == {"t": "s", "x": "m"}
    assert load("t,10,20,30\ns,K,K,K\n" + rows).units == {"t": "s", "u": "K"}
    assert load("t,10,20,30\ns,K,,°C\n" + rows).units == {"t": "s"}


def test_dates_clock_times_and_durations_become_seconds(load: Callable[..., Readings], frame: pd.DataFrame) -> None:
    dates = [f"2024-05-31T12:00:{10 * second:04.1f}" for second in frame.t]
    clock = [f"12:00:{10 * second:04.1f}" for second in frame.t]
    for header, column in (("time", dates), ("time [hh:mm:ss]", clock), ("t (h)", pd.to_timedelta(frame.t, "h"))):
        changed = frame.drop(columns="t")
        changed.insert(0, header, column)
        assert Readings.from_frame(changed).units == {"t": "s"}
    assert Readings.from_arrays(pd.to_datetime(dates).to_numpy(), frame.x, frame.u).units == {"t": "s"}
    with pytest.raises(InputError, match="which become numbers of s, without a unit; got 'h'"):
        Readings.from_arrays(pd.to_datetime(dates).to_numpy(), frame.x, frame.u, units={"t": "h"})


@pytest.mark.parametrize("ending", ["nc", "zarr"])
@pytest.mark.filterwarnings("ignore:.*onsolidated metadata")
def test_attributes_of_xarray(grid: dict[str, Any], tmp_path: Path, ending: str) -> None:
    field = xr.Dataset(
        {"T": (("time", "depth"), grid["u"], {"units": "degC"})},
        {"time": ("time", grid["t"], {"units": "seconds"}), "depth": ("depth", grid["x"], {"units": "1"})},
    )
    expected = {"t": "seconds", "T": "degC"}
    assert Readings.from_xarray(field).units == Readings.from_xarray(field["T"]).units == expected
    if ending == "nc":
        field.to_netcdf(tmp_path / "a.nc", engine="h5netcdf")
    else:
        field.to_zarr(tmp_path / "a.zarr")
    assert read(tmp_path / f"a.{ending}").units == expected


def test_units_that_are_told(load: Callable[..., Readings], rows: str, grid: dict[str, Any]) -> None:
    text = "t,x (m),T [K]\n" + rows
    assert load(text, units={"T": "°C"}).units == {"x": "m", "T": "°C"}
    assert load(text, units={"x": ""}).units == {"T": "K"}
    assert Readings.from_grid(**grid, units={"x": "m"}).units == {"x": "m"}
    with pytest.raises(InputError, match="Expected units of t, x, T; got one of 'time'"):
        load(text, units={"time": "s"})
    with pytest.raises(InputError, match="as a mapping"):
        load(text, units={"T": 3})
    with pytest.raises(InputError, match="at most 40"):
        load(text, units={"T": "K" * 50})


# ---- on and out ------------------------------------------------------------------------------------------------------


def test_parts_and_averages_keep_units(readings: Readings) -> None:
    many = Readings.from_arrays(np.tile(np.arange(300.0), 3), np.repeat([0, 1, 2], 300), np.sin(np.arange(900)),
                                units={"u": "K"})  # fmt: skip
    averaged = many.averaged(20)
    assert len(averaged) < len(many)
    assert averaged.units == {"u": "K"}
    assert readings.select(sensors=[0, 2]).units == KNOWN


def test_written_and_read_again(readings: Readings, tmp_path: Path) -> None:
    readings.to_csv(tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text(encoding="utf-8").splitlines()[0] == "t [s],x [mm],T [°C]"
    again = read(tmp_path / "a.csv")
    assert again == readings
    assert again.units == KNOWN
    assert list(readings.to_frame().columns) == ["t", "x", "T"]
    assert Readings.from_frame(readings.to_frame()).units == KNOWN
    assert Readings.from_xarray(readings.to_xarray()).units == KNOWN


def test_a_unit_that_no_header_can_tell_is_left_out_of_it(frame: pd.DataFrame, tmp_path: Path) -> None:
    readings = Readings.from_frame(frame, units={"u": "10^6 cells [wet]"})
    readings.to_csv(tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text().startswith("t,x,u\n")


def test_readings_are_the_same_whether_their_units_are_known_or_not(frame: pd.DataFrame) -> None:
    assert Readings.from_frame(frame) == Readings.from_frame(frame, units={"u": "K"})


def test_units_belong_to_their_readings_alone(frame: pd.DataFrame) -> None:
    mine = {"u": "K"}
    readings = Readings.from_frame(frame, units=mine)
    mine["u"] = "°C"
    assert readings.units == {"u": "K"}


class TestExperimentsAgree:
    def test_contradictions_are_refused_in_one_sentence(self) -> None:
        one, other = (Readings.from_grid(T, X, U, units={"t": "s", "u": unit}, source=unit) for unit in ("K", "°C"))
        message = complaint(lambda: check_units_agree([one, one, other]))
        assert "'u' in one unit in all experiments; got K in experiment 1 (K) and °C in experiment 3 (°C)" in message

    def test_inputs_count(self) -> None:
        def heated(unit: str) -> Readings:
            return Readings.from_grid(T, X, U, inputs={"P": T**2}, units={"P": unit})

        check_units_agree([heated("W"), heated("W")])
        assert "'P' in one unit" in complaint(lambda: check_units_agree([heated("W"), heated("kW")]))

    def test_unknown_units_contradict_none(self) -> None:
        known, unknown = Readings.from_grid(T, X, U, units={"u": "K"}), Readings.from_grid(T, X, U)
        check_units_agree([known, unknown, known])
        check_units_agree([unknown])
