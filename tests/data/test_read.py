"""One test per format and per way of writing a table; what cannot be read is in test_bad_input.py."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pandas as pd
import pytest
import scipy.io
import xarray as xr
import zarr
from hypothesis import given, settings
from hypothesis import strategies as st

from pdescry.data import Readings, read
from pdescry.data.names import is_field_name

SHARED = Path(__file__).parents[2].parent / "shared" / "data"


@pytest.fixture
def expected(frame: pd.DataFrame) -> Readings:
    return Readings.from_frame(frame)


def dataset(grid: dict[str, Any]) -> xr.Dataset:
    return xr.Dataset({"u": (("t", "x"), grid["u"])}, {"t": grid["t"], "x": grid["x"]})


class TestText:
    @pytest.mark.parametrize("delimiter", [",", ";", "\t", "|", " ", ", ", "   "], ids=repr)
    def test_delimiter(self, tmp_path: Path, frame: pd.DataFrame, expected: Readings, delimiter: str) -> None:
        lines = [delimiter.join(map(str, row)) for row in [tuple(frame.columns), *frame.itertuples(index=False)]]
        (tmp_path / "a.csv").write_text("\n".join(lines))
        assert read(tmp_path / "a.csv") == expected

    @pytest.mark.parametrize("name", ["a.csv", "a.TSV", "a.txt", "a.dat"])
    def test_ending(self, tmp_path: Path, frame: pd.DataFrame, expected: Readings, name: str) -> None:
        frame.to_csv(tmp_path / name, index=False)
        assert read(str(tmp_path / name)) == expected

    def test_format_overrides_the_ending(self, tmp_path: Path, frame: pd.DataFrame, expected: Readings) -> None:
        frame.to_csv(tmp_path / "a.log", index=False)
        assert read(tmp_path / "a.log", format="csv") == expected

    @pytest.mark.parametrize("name", ["a", "a.asc", "a.csv.bak", "a.xlsx"])
    def test_text_under_an_unknown_ending(
        self, tmp_path: Path, frame: pd.DataFrame, expected: Readings, name: str
    ) -> None:
        frame.to_csv(tmp_path / name, index=False)
        readings = read(tmp_path / name)
        assert readings == expected
        no_ending = "" if name == "a.xlsx" else "has no known ending and "
        assert tuple(map(str, readings.notes)) == (f"Read as CSV: {name} {no_ending}looks like text.",)

    @pytest.mark.parametrize("name", ["a.csv.gz", "a.txt.gz", "a.csv"])
    def test_gzip(self, tmp_path: Path, frame: pd.DataFrame, expected: Readings, name: str) -> None:
        frame.to_csv(tmp_path / name, index=False, compression="gzip")
        assert read(tmp_path / name) == expected

    @pytest.mark.parametrize("delimiter", [";", "\t", " "], ids=repr)
    def test_decimal_comma(self, tmp_path: Path, frame: pd.DataFrame, expected: Readings, delimiter: str) -> None:
        frame.to_csv(tmp_path / "a.csv", index=False, sep=delimiter, decimal=",")
        assert read(tmp_path / "a.csv") == expected

    def test_quoted_decimal_comma(self, tmp_path: Path, frame: pd.DataFrame, expected: Readings) -> None:
        frame.to_csv(tmp_path / "a.csv", index=False, decimal=",")
        assert read(tmp_path / "a.csv") == expected

    @pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
    @pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"], ids=repr)
    def test_encoding_and_newline(self, tmp_path: Path, frame: pd.DataFrame, encoding: str, newline: str) -> None:
        frame.columns = ["t [s]", "x [µm]", "µ (°C)"]
        (tmp_path / "a.csv").write_bytes(frame.to_csv(index=False, lineterminator=newline).encode(encoding))
        readings = read(tmp_path / "a.csv")
        assert (len(readings), readings.axes, readings.fields) == (20, ("x",), ("u",))

    def test_comments_and_blank_lines(self, tmp_path: Path, frame: pd.DataFrame, expected: Readings) -> None:
        lines = frame.to_csv(index=False).splitlines()
        lines[7:7] = ["# the logger restarted, twice", "", "   "]
        (tmp_path / "a.csv").write_text("# rod, 2024\n\n" + "\n".join(lines) + "\n#end\n")
        assert read(tmp_path / "a.csv") == expected

    def test_header_of_savetxt(self, tmp_path: Path, frame: pd.DataFrame, expected: Readings) -> None:
        np.savetxt(tmp_path / "a.txt", frame.to_numpy(), header="made by numpy\nt x u")
        assert read(tmp_path / "a.txt") == expected

    def test_no_header_with_positions_named(self, tmp_path: Path, frame: pd.DataFrame, expected: Readings) -> None:
        frame.to_csv(tmp_path / "a.csv", index=False, header=False)
        assert read(tmp_path / "a.csv", time="1", space="2", fields="3") == expected

    def test_trailing_delimiters(self, tmp_path: Path, frame: pd.DataFrame, expected: Readings) -> None:
        text = frame.to_csv(index=False)
        (tmp_path / "a.csv").write_text(text.replace("\n", ",\n"))
        (tmp_path / "b.csv").write_text(text.replace("\n", ",\n").replace("t,x,u,", "t,x,u"))
        assert read(tmp_path / "a.csv") == read(tmp_path / "b.csv") == expected

    def test_index_column_of_pandas_is_ignored(self, tmp_path: Path, frame: pd.DataFrame, expected: Readings) -> None:
        frame.to_csv(tmp_path / "a.csv")
        assert read(tmp_path / "a.csv") == expected

    def test_missing_values_in_many_spellings(self, tmp_path: Path, frame: pd.DataFrame) -> None:
        text = frame.to_csv(index=False)
        for mark in ["", "NA", "n/a", "NaN", "nan", "null", "-", " NaN ", "missing", "#N/A", "#DIV/0!"]:
            text += f"2.5,1.0,{mark}\n"
        (tmp_path / "a.csv").write_text(text)
        readings = read(tmp_path / "a.csv")
        assert len(readings) == 20
        assert tuple(map(str, readings.notes)) == ("Dropped 11 of 31 readings with missing values.",)

    def test_exact_repeats_are_dropped_and_told(self, tmp_path: Path, frame: pd.DataFrame, expected: Readings) -> None:
        pd.concat([frame, frame[:3]]).to_csv(tmp_path / "a.csv", index=False)
        readings = read(tmp_path / "a.csv")
        assert readings == expected
        assert tuple(map(str, readings.notes)) == ("Dropped 3 of 23 readings that repeat another one exactly.",)

    def test_wide_table(self, tmp_path: Path, frame: pd.DataFrame, expected: Readings) -> None:
        wide = frame.pivot_table(index="t", columns="x", values="u")
        wide.to_csv(tmp_path / "a.csv")
        wide.add_prefix("x=").add_suffix(" m").to_csv(tmp_path / "b.csv", index_label="time (s)")
        assert read(tmp_path / "a.csv") == read(tmp_path / "b.csv") == expected

    def test_wide_table_with_decimal_comma(self, tmp_path: Path) -> None:
        (tmp_path / "a.csv").write_text("t;0,1;0,25;0,7\n0;1,5;2;3\n0,5;2;3;4,5\n1;3;4,5;5\n")
        readings = read(tmp_path / "a.csv")
        np.testing.assert_array_equal(readings.places[:, 0], [0.1, 0.25, 0.7])
        np.testing.assert_array_equal(readings.times, [0, 0.5, 1])

    def test_dates(self, tmp_path: Path, frame: pd.DataFrame) -> None:
        frame["t"] = (pd.Timestamp("2024-05-31 23:59:59") + pd.to_timedelta(frame.t, unit="s")).astype(str)
        frame.to_csv(tmp_path / "a.csv", index=False)
        readings = read(tmp_path / "a.csv")
        np.testing.assert_allclose(readings.times, [0, 0.13, 0.4, 0.71, 1])
        assert tuple(map(str, readings.notes)) == ("Times are seconds since 2024-05-31T23:59:59.",)

    def test_sensor_01_is_not_sensor_1(self, tmp_path: Path, frame: pd.DataFrame) -> None:
        frame["probe"] = np.tile(["01", "1", "NA", "2"], 5)
        frame.to_csv(tmp_path / "a.csv", index=False)
        assert read(tmp_path / "a.csv").sensor_names == ("01", "1", "NA", "2")

    def test_numbers_keep_every_bit(self, tmp_path: Path) -> None:
        rng = np.random.default_rng(0)
        numbers = rng.standard_normal((2000, 3)) * 10.0 ** rng.integers(-300, 300, (2000, 3))
        readings = Readings.from_arrays(*numbers.T)
        readings.to_csv(tmp_path / "a.csv")
        assert read(tmp_path / "a.csv") == readings


class TestNames:
    @pytest.mark.parametrize(
        ("header", "axes", "fields"),
        [
            ("Time,Position,Temperature", ("x",), ("Temperature",)),
            ("time (s),pos [mm],T", ("x",), ("T",)),
            ("t_s,x_m,temp_C", ("x",), ("temp",)),
            ("t / s,depth / m,cell density", ("x",), ("celldensity",)),
            ("TIME,X,U", ("x",), ("U",)),
            ("date,z,u", ("z",), ("u",)),
            ("timestamp,x_pos,sin", ("x",), ("u",)),
            ("t,x,2d", ("x",), ("u",)),
            ("Zeit in s,Ort in m,Temperatur in °C", ("x",), ("Temperatur",)),
            ("Temps (s),Position (m),Température (°C)", ("x",), ("Temperature",)),
            ("time,x,temps", ("x",), ("temps",)),
            ("T,X,U", ("x",), ("U",)),
            ("t,X,T", ("x",), ("T",)),
        ],
    )
    def test_obvious_names(
        self, tmp_path: Path, frame: pd.DataFrame, header: str, axes: tuple[str], fields: tuple[str]
    ) -> None:
        (tmp_path / "a.csv").write_text(header + "\n" + frame.to_csv(index=False, header=False))
        readings = read(tmp_path / "a.csv")
        assert (readings.axes, readings.fields) == (axes, fields)
        assert header == "t,x,u" or readings.notes[0].code == "names-changed"

    def test_two_axes_two_fields_noise_and_sensor(self, tmp_path: Path, frame: pd.DataFrame) -> None:
        frame["y"], frame["v"], frame["u_sd"], frame["sigma_v"] = frame.x**2, frame.u**2, 0.1, 0.2
        frame["station"] = np.tile(list("abcd"), 5)
        frame[["station", "v", "sigma_v", "y", "u_sd", "u", "x", "t"]].to_csv(tmp_path / "a.csv", index=False)
        readings = read(tmp_path / "a.csv")
        assert (readings.axes, readings.fields) == (("x", "y"), ("u", "v"))
        assert readings.noise is not None
        np.testing.assert_array_equal(readings.noise[0], [0.1, 0.2])
        assert readings.sensor_names == ("a", "b", "c", "d")

    def test_told_names_win_and_units_may_be_left_out(self, tmp_path: Path, frame: pd.DataFrame) -> None:
        frame.assign(p=frame.u + 1, q=frame.u * 2).rename(columns={"u": "p [Pa]", "p": "x2"}).to_csv(
            tmp_path / "a.csv", index=False
        )
        readings = read(tmp_path / "a.csv", time="t", space="x", fields=["q", "p"], noise=0.2)
        assert readings.fields == ("q", "p")
        assert any("Not used: 'x2'" in str(note) for note in readings.notes)

    def test_tidied_names_are_always_fit_for_an_equation(self, tmp_path: Path, frame: pd.DataFrame) -> None:
        names = ["u_1", "u 1", "u-1", "sin", "x1", "pi", "d", "(", "9", "T_C", "T"]
        many = pd.concat([frame[["t", "x"]], *(frame.u.rename(name) for name in names)], axis=1)
        readings = Readings.from_frame(many, fields=names)
        assert all(map(is_field_name, readings.fields))
        assert len(set(readings.fields)) == len(names)


class TestBinary:
    def test_parquet(self, tmp_path: Path, frame: pd.DataFrame, expected: Readings) -> None:
        frame.to_parquet(tmp_path / "a.parquet")
        frame.set_index(["t", "x"]).to_parquet(tmp_path / "b.pq")
        assert read(tmp_path / "a.parquet") == read(tmp_path / "b.pq") == expected

    def test_parquet_with_dates(self, tmp_path: Path, frame: pd.DataFrame) -> None:
        frame["t"] = pd.Timestamp("2024-05-31", tz="UTC") + pd.to_timedelta(frame.t, unit="s")
        frame.to_parquet(tmp_path / "a.parquet")
        np.testing.assert_allclose(read(tmp_path / "a.parquet").times, [0, 0.13, 0.4, 0.71, 1])

    @pytest.mark.parametrize(("engine", "kind"), [("h5netcdf", "NETCDF4"), ("scipy", "NETCDF3_64BIT")])
    def test_netcdf(self, tmp_path: Path, grid: dict[str, Any], expected: Readings, engine: str, kind: str) -> None:
        dataset(grid).to_netcdf(tmp_path / "a.nc", engine=engine, format=kind)  # type: ignore[call-overload]
        assert read(tmp_path / "a.nc") == expected

    def test_netcdf_with_gaps_and_dates(self, tmp_path: Path, grid: dict[str, Any]) -> None:
        grid["u"][1, 2] = np.nan
        data = dataset(grid).assign_coords(t=pd.date_range("2024-01-01", periods=5, freq="h"))
        data.to_netcdf(tmp_path / "a.nc", engine="h5netcdf")
        readings = read(tmp_path / "a.nc")
        assert len(readings) == 19
        np.testing.assert_array_equal(readings.times, 3600.0 * np.arange(5))

    @pytest.mark.parametrize("version", [2, 3])
    def test_zarr(self, tmp_path: Path, grid: dict[str, Any], expected: Readings, version: int) -> None:
        dataset(grid).to_zarr(tmp_path / "a.zarr", zarr_format=version, consolidated=version == 2)  # type: ignore[call-overload]
        assert read(tmp_path / "a.zarr") == expected

    def test_zarr_without_names_of_dimensions(self, tmp_path: Path, grid: dict[str, Any], expected: Readings) -> None:
        group = zarr.open_group(str(tmp_path / "a"), mode="w")
        for name, array in grid.items():
            group.create_array(name, data=array)
        assert read(tmp_path / "a") == expected

    def test_npz_on_a_grid(self, tmp_path: Path, grid: dict[str, Any], expected: Readings) -> None:
        np.savez(tmp_path / "a.npz", **grid, nu=0.1)
        np.savez_compressed(tmp_path / "b.npz", t=grid["t"][None], x=grid["x"][:, None], usol=grid["u"].T)
        assert read(tmp_path / "a.npz") == expected
        turned = read(tmp_path / "b.npz")
        assert str(turned.notes[-1]) == "The field was taken as [x, t], the only order that fits."
        np.testing.assert_array_equal(turned.values[:, 0], grid["u"].T.ravel())
        np.testing.assert_array_equal(turned.time, np.tile(grid["t"], 4))

    def test_npz_as_a_square_keeps_to_time_first(self, tmp_path: Path, grid: dict[str, Any]) -> None:
        np.savez(tmp_path / "a.npz", t=grid["t"][:4], x=grid["x"], u=grid["u"][:4])
        readings = read(tmp_path / "a.npz")
        np.testing.assert_array_equal(readings.time, np.repeat(grid["t"][:4], 4))
        assert "taken as [t, x]" in str(readings.notes[0])

    def test_npz_one_entry_per_reading(self, tmp_path: Path, frame: pd.DataFrame, expected: Readings) -> None:
        np.savez(tmp_path / "a.npz", t=frame.t, x=frame.x, u=frame.u)
        assert read(tmp_path / "a.npz") == expected

    def test_npz_with_coordinates_of_the_shape_of_the_field(
        self, tmp_path: Path, grid: dict[str, Any], expected: Readings
    ) -> None:
        time, place = np.meshgrid(grid["t"], grid["x"], indexing="ij")
        np.savez(tmp_path / "a.npz", t=time, x=place, u=grid["u"])
        np.savez(tmp_path / "b.npz", t=time, x=grid["x"], u=grid["u"])
        assert read(tmp_path / "a.npz") == read(tmp_path / "b.npz") == expected

    def test_npz_of_sensors_in_the_plane(self, tmp_path: Path, grid: dict[str, Any]) -> None:
        np.savez(tmp_path / "a.npz", **grid, y=grid["x"] ** 2, sensor=np.array(list("abcd")))
        readings = read(tmp_path / "a.npz")
        assert (len(readings), readings.axes, readings.sensor_names) == (20, ("x", "y"), ("a", "b", "c", "d"))

    @pytest.mark.parametrize("version", ["4", "5"])
    def test_matlab(self, tmp_path: Path, grid: dict[str, Any], expected: Readings, version: str) -> None:
        scipy.io.savemat(tmp_path / "a.mat", grid | {"dt": 0.1}, format=version, oned_as="row")  # type: ignore[arg-type]
        scipy.io.savemat(tmp_path / "b.mat", grid, format=version, oned_as="column")  # type: ignore[arg-type]
        assert read(tmp_path / "a.mat") == read(tmp_path / "b.mat") == expected

    def test_matlab_with_compression_and_a_struct(
        self, tmp_path: Path, grid: dict[str, Any], expected: Readings
    ) -> None:
        scipy.io.savemat(tmp_path / "a.mat", grid | {"about": {"who": "me"}}, do_compression=True)
        assert read(tmp_path / "a.mat") == expected

    def test_matlab_73(self, tmp_path: Path, grid: dict[str, Any], expected: Readings) -> None:
        """MATLAB writes its columns as rows of HDF5, behind a block of 512 bytes of its own."""
        with h5py.File(tmp_path / "a.mat", "w", userblock_size=512) as file:
            for name, array in grid.items():
                file[name] = np.atleast_2d(array).T
                file[name].attrs["MATLAB_class"] = np.bytes_("double")
            file.create_group("#refs#")
        with (tmp_path / "a.mat").open("r+b") as raw:
            raw.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(124) + b"\x00\x02IM")
        assert read(tmp_path / "a.mat") == expected


class TestScale:
    def test_import_is_light(self) -> None:
        code = "import sys, pdescry.data; print([m for m in sys.modules if m in sys.argv[1:]])"
        heavy = ["pandas", "xarray", "h5py", "pyarrow", "zarr"]
        told = subprocess.run([sys.executable, "-c", code, *heavy], capture_output=True, text=True, check=True)
        assert told.stdout.strip() == "[]"

    @pytest.mark.slow
    @pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is told by Linux's /proc")
    def test_a_million_readings_load_within_seconds_and_some_hundred_megabytes(self, tmp_path: Path) -> None:
        rng = np.random.default_rng(0)
        time, place = np.meshgrid(np.sort(rng.uniform(0, 10, 20_000)), rng.uniform(-8, 8, 50), indexing="ij")
        table = pd.DataFrame({"t": time.ravel(), "x": place.ravel(), "u": rng.standard_normal(time.size)})
        table.to_csv(tmp_path / "a.csv", index=False)
        code = (  # ru_maxrss would begin at what this process held before it became the other one
            "import sys, time, pdescry.data as d; start = time.perf_counter(); n = len(d.read(sys.argv[1]));"
            "seconds = time.perf_counter() - start; told = open('/proc/self/status').read();"
            "print(n, seconds, int(told.split('VmHWM:')[1].split()[0]) / 1e3)"
        )
        told = subprocess.run(
            [sys.executable, "-c", code, str(tmp_path / "a.csv")], capture_output=True, text=True, check=True
        )
        count, seconds, megabytes = map(float, told.stdout.split())
        assert count == 1_000_000
        assert seconds < 15
        assert megabytes < 700


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared data are not here")
@pytest.mark.parametrize("kind", ["burgers", "kdv", "heat"])
@pytest.mark.parametrize("noise", [0.01, 0.05])
def test_noise_of_the_papers_own_measurements(kind: str, noise: float) -> None:
    readings = read(SHARED / "paper" / f"{kind}_noise{noise:.2f}_sensors.npz")
    assert readings.n_sensors == 16
    assert readings.estimate_noise().sd["u"] == pytest.approx(noise, rel=0.2)


finite = st.floats(-1e300, 1e300, allow_nan=False)


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_csv_round_trip(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Irregular clocks, any order of columns, any delimiter: what was written comes back bit for bit."""
    places = data.draw(st.lists(finite, min_size=3, max_size=5, unique=True))
    clocks = [data.draw(st.lists(finite, min_size=3, max_size=6, unique=True)) for _ in places]
    rows = [(t, x, data.draw(finite)) for x, clock in zip(places, clocks, strict=True) for t in clock]
    rows.append((*rows[0][:1], max(places) / 2 + 7.0, rows[0][2] + abs(rows[0][2]) + 1.0))  # never a constant field
    frame = pd.DataFrame(rows, columns=["t", "x", "u"]).drop_duplicates(["t", "x"])
    order = data.draw(st.permutations(["t", "x", "u"]))
    delimiter, decimal = data.draw(
        st.sampled_from([(",", "."), (";", "."), (";", ","), ("\t", ","), ("|", "."), (" ", ".")])
    )
    path = tmp_path_factory.mktemp("round") / "a.csv"
    frame[order].to_csv(path, index=False, sep=delimiter, decimal=decimal)
    readings = read(path)
    np.testing.assert_array_equal(readings.to_frame().to_numpy(), frame.to_numpy())
