"""Sensors that are columns of a logger, or names in one, and places that are told apart from the readings."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from pdescry import InputError, Readings, read
from pdescry.cli.app import app

PLACES = {"TC1": 0.05, "TC2": 0.1, "TC3": 0.2}


@pytest.fixture
def logger(tmp_path: Path) -> Path:
    """As a German logger writes it: a title, decimal commas, dates with dots, one mark for a gap."""
    rows = [
        f"{day:02d}.05.2024;12:{minute:02d}:00;{20 + minute / 10:.1f};{21 + minute / 7:.2f};"
        f"{-9999 if minute == 3 else 22 + minute / 9:.1f};{5 + minute % 2},5".replace(".", ",").replace(",05,", ".05.")
        for day in (1, 2)
        for minute in range(10)
    ]
    path = tmp_path / "Stab.csv"
    path.write_text("Messung 7\nDatum;Uhrzeit;TC1 [°C];TC2 [°C];TC3 [°C];P [W]\n" + "\n".join(rows) + "\n", "utf-8")
    return path


def test_a_loggers_columns_get_their_places(logger):
    readings = read(logger, places=PLACES, fields="T", missing_value=-9999, time_unit="min", inputs=["P"])
    assert readings.sensor_names == ("TC1", "TC2", "TC3")
    assert readings.places[:, 0].tolist() == [0.05, 0.1, 0.2]
    assert readings.fields == ("T",)
    assert readings.units == {"t": "min", "T": "°C", "P": "W"}
    assert len(readings) == 58
    assert readings.times[:11].tolist() == [*range(10), 24 * 60]
    assert readings.of_sensor("TC2").values[1, 0] == 21.14
    assert [each.name for each in readings.inputs] == ["P"]
    assert readings.time_origin == "2024-05-01T12:00:00"
    assert "marks-of-gaps" in [note.code for note in readings.notes]


def test_places_come_as_text_or_in_a_file(logger, tmp_path):
    expected = read(logger, places=PLACES)
    (tmp_path / "places.csv").write_text("Fühler;x (m)\nTC1;0,05\nTC2;0,1\nTC3;0,2\n", "utf-8")
    for told in ("TC1=0.05 m, TC2=0.10 m,TC3=0.2m", tmp_path / "places.csv", str(tmp_path / "places.csv")):
        found = read(logger, places=told)
        assert found == expected
        assert found.units["x"] == "m"


def test_in_the_plane_a_place_is_a_pair():
    grid = pd.DataFrame({"t": np.arange(4.0), **{name: np.arange(4.0) + k for k, name in enumerate("ABC")}})
    of = {"A": (0.0, 0.0), "B": (1.0, 0.0), "C": (0.0, 2.0)}
    readings = read(grid, places=of)
    assert readings.axes == ("x", "y")
    assert readings == read(grid, places="A=0 0; B=1 0; C=0 2")


def test_names_in_a_column_get_their_places():
    names = ["01", "02", "10"]
    frame = pd.DataFrame({"t": [0, 1, 2] * 3, "sensor": np.repeat(names, 3), "u": np.arange(9.0)})
    readings = read(frame, places={"01": 0.0, "02": 0.3, "10": 1.0})
    assert readings.places[:, 0].tolist() == [0.0, 0.3, 1.0]
    assert readings.sensor_names == tuple(names)
    with pytest.raises(InputError, match="none of '10'"):
        read(frame, places={"01": 0.0, "02": 0.3})


def test_without_places_the_message_offers_them(logger):
    with pytest.raises(InputError, match=r"TC2 \[°C\], TC3 \[°C\] of Stab.csv; .* pass places={'TC1': 0.05"):
        read(logger)
    done = CliRunner().invoke(app, ["inspect", str(logger)])
    assert done.exit_code == 2
    assert 'pass --places "TC1=0.05, …"' in done.stderr


@pytest.mark.parametrize(
    ("places", "words"),
    [
        ({"TC1": 0.05, "TC9": 0.1}, "as places= has it"),
        ({"A": 0.05}, "got the columns"),
        ({"TC1": "left"}, "as a number"),
        ({"TC1": 0.05, "TC2": (0.1, 0.2)}, "the same one to three axes"),
        ({}, "a place for each sensor"),
        ("TC1=0.05, TC1=0.1", "'TC1' twice"),
        ("TC1=left", "such as 'TC1=0.05"),
        ("TC1=5 cm, TC2=0.1 m", "one unit"),
        ("nowhere.csv", "no such file"),
        (3, "such as places="),
    ],
)
def test_places_that_say_nothing_are_refused(logger, places, words):
    with pytest.raises(InputError, match=words):
        read(logger, places=places)


def test_the_shell_reads_the_same(logger, tmp_path):
    words = ["inspect", str(logger), "--places", "TC1=0.05 m, TC2=0.1 m, TC3=0.2 m", "--missing-value", "-9999"]
    done = CliRunner().invoke(app, [*words, "--time-unit", "h", "--field", "T", "--input", "P"])
    assert done.exit_code == 0, done.output
    assert "58 readings of T (°C) by 3 sensors" in done.stdout
    assert "t (h)" in done.stdout


# ---- what read takes beside files --------------------------------------------------------------------------------


def test_a_path_a_frame_and_arrays_are_read_alike(tmp_path):
    t, x = np.arange(5) * 0.5, np.arange(4) * 0.25
    u = np.sin(t)[:, None] + x
    expected = Readings.from_grid(t, x, u)
    frame = expected.to_frame()
    frame.to_csv(tmp_path / "rod.csv", index=False)
    assert read(tmp_path / "rod.csv") == read(frame) == expected
    assert read(expected.to_xarray()["u"]) == expected
    assert read(expected) is not None
    assert read(expected) == expected
    assert read(expected, without=[0]).n_sensors == 3
    assert read(u, dt=0.5, dx=0.25) == expected
    np.save(tmp_path / "film.npy", u)
    assert read(tmp_path / "film.npy", dt=0.5, dx={"x": 0.25}) == expected
    assert read(tmp_path / "film.npy", dt=0.5, dx=0.25, t0=10, x0=-1).span == {"t": (10.0, 12.0), "x": (-1.0, -0.25)}
    with pytest.raises(InputError, match="Readings as they are"):
        read(expected, time="t")
    for what in (3, None, [1, 2]):
        with pytest.raises(InputError, match="a pandas DataFrame"):
            read(what)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ({}, "pass dt= "),
        ({"dt": 0.1}, "dx along x as a positive number"),
        ({"dt": 0, "dx": 1}, "dt as a positive number"),
        ({"dt": 0.1, "dx": -1}, "dx along x"),
        ({"dt": 0.1, "dx": 0.1, "t0": "noon"}, "t0 as a number"),
    ],
)
def test_an_array_without_its_steps_is_refused_with_the_remedy(told, words):
    with pytest.raises(InputError, match=words):
        read(np.ones((5, 4)), **told)


def test_a_video_in_the_plane_is_not_taken_for_a_line():
    assert read(np.arange(60.0).reshape(5, 4, 3), dt=1, dx=1).axes == ("x", "y")


# ---- HDF5 and Excel ----------------------------------------------------------------------------------------------


@pytest.fixture
def groups(tmp_path: Path) -> Path:
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "runs.h5", "w") as file:
        for name, offset in (("first", 0.0), ("second", 1.0)):
            group = file.create_group(f"rod/{name}")
            group["t"], group["x"] = np.arange(5.0), np.arange(4.0)
            group["u"] = np.arange(20.0).reshape(5, 4) + offset
            group["t"].attrs["units"] = "s"
        file["link"] = h5py.ExternalLink("other.h5", "/u")
    return tmp_path / "runs.h5"


def test_a_group_of_hdf5(groups):
    readings = read(groups, group="rod/second")
    assert readings.values[0, 0] == 1.0
    assert readings.units == {"t": "s"}
    with pytest.raises(InputError, match="'rod/first', 'rod/second'; choose one with group="):
        read(groups)
    with pytest.raises(InputError, match="got 'rod/third'"):
        read(groups, group="rod/third")
    with pytest.raises(InputError, match="leave it out"):
        read(__file__, format="csv", group="rod")


def test_records_of_hdf5(tmp_path):
    h5py = pytest.importorskip("h5py")
    records = np.array([(t, x, t + x) for t in range(4) for x in range(4)], [("t", float), ("x", float), ("u", float)])
    with h5py.File(tmp_path / "table.h5", "w") as file:
        file["table"] = records
    assert len(read(tmp_path / "table.h5")) == 16


@pytest.fixture
def workbook(tmp_path: Path) -> Path:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "rod"
    for row in (["Rod 3"], [], ["", "time", "TC1", "TC2", "TC3"], ["", "s", "°C", "°C", "°C"]):
        sheet.append(row)
    for k in range(6):
        sheet.append(["", k / 2, 20.5 + k, None if k == 2 else 21, 22.0])
    book.create_sheet("empty")
    book.save(tmp_path / "rod.xlsx")
    return tmp_path / "rod.xlsx"


def test_a_sheet_of_excel(workbook):
    readings = read(workbook, places=PLACES)
    assert len(readings) == 17
    assert readings.units["t"] == "s"
    assert readings.units["u"] == "°C"
    assert readings.of_sensor("TC1").values[:2, 0].tolist() == [20.5, 21.5]
    assert read(workbook, places=PLACES, group="rod") == readings
    with pytest.raises(InputError, match="'rod', 'empty'; got 'other'"):
        read(workbook, group="other")
    with pytest.raises(InputError, match="only empty sheets"):
        read(workbook, group="empty")


def test_dates_of_excel(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(["time", "x", "u"])
    for k, date in enumerate(pd.date_range("2024-05-01", periods=9, freq="90s")):
        book.active.append([date.to_pydatetime(), k % 3, float(k)])
    book.save(tmp_path / "rod.xlsx")
    readings = read(tmp_path / "rod.xlsx")
    assert readings.time.tolist() == [90.0 * k for k in range(9)]
    assert readings.time_origin == "2024-05-01T00:00:00"


def test_without_openpyxl_the_extra_is_named(workbook, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "openpyxl", None)
    with pytest.raises(InputError, match=r"pip install 'pdescry\[excel\]'"):
        read(workbook)


# ---- units of time, days and months ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("header", "unit", "times"),
    [("time (min)", "s", [0, 60, 120]), ("day", "h", [0, 24, 48]), ("t [h]", "days", [0, 1 / 24, 2 / 24])],
)
def test_times_are_converted_where_their_unit_is_known(header, unit, times):
    frame = pd.DataFrame({header: [0, 1, 2] * 3, "x": np.repeat([0, 1, 2], 3), "u": np.arange(9.0)})
    readings = read(frame, time_unit=unit)
    assert readings.times == pytest.approx(times)
    assert readings.units["t"] == {"days": "d"}.get(unit, unit)
    assert "times-converted" in [note.code for note in readings.notes]


def test_times_of_an_unknown_unit_are_not_converted():
    frame = pd.DataFrame({"t": [0, 1, 2] * 3, "x": np.repeat([0, 1, 2], 3), "u": np.arange(9.0)})
    with pytest.raises(InputError, match="a known unit"):
        read(frame, time_unit="h")
    assert read(frame, time_unit="h", units={"t": "min"}).times == pytest.approx([0, 1 / 60, 2 / 60])
    with pytest.raises(InputError, match="a unit of time"):
        read(frame, time_unit="fortnight")


def test_day_or_month_first_as_told():
    frame = pd.DataFrame({"time": ["05/06/2024", "06/06/2024", "07/06/2024"] * 3, "x": np.repeat([0, 1, 2], 3)})
    frame["u"] = np.arange(9.0)
    with pytest.raises(InputError, match="pass dayfirst=True or dayfirst=False"):
        read(frame)
    assert read(frame, dayfirst=True, time_unit="d").times.tolist() == [0, 1, 2]
    assert read(frame, dayfirst=False, time_unit="d").times.tolist() == [0, 31, 61]
