"""Every bad input by name: one sentence that says what was expected, what came and what to do."""

from __future__ import annotations

import io
import json
import os
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pandas as pd
import pytest
import scipy.io
import xarray as xr
import zarr

from pdescry.data import Readings, read
from pdescry.errors import InputError

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4


def complaint(call: Callable[[], object]) -> str:
    """The message of the error, which must be one line and end with a remedy."""
    with pytest.raises(InputError) as caught:
        call()
    message = str(caught.value)
    assert "\n" not in message
    assert message.endswith((".", "?"))
    return message


def refused(tmp_path: Path, content: bytes | str, name: str = "rod.csv", **options: object) -> str:
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return complaint(lambda: read(path, **options))  # type: ignore[arg-type]


@pytest.fixture
def text(frame: pd.DataFrame) -> str:
    return frame.to_csv(index=False)


class TestFile:
    def test_no_such_file_with_a_near_name(self, tmp_path: Path, text: str) -> None:
        (tmp_path / "rod.csv").write_text(text)
        assert "did you mean 'rod.csv'?" in complaint(lambda: read(tmp_path / "rods.csv"))
        assert "check the name" in complaint(lambda: read(tmp_path / "zzz"))

    def test_no_such_folder(self, tmp_path: Path) -> None:
        assert "no such folder" in complaint(lambda: read(tmp_path / "no" / "rod.csv"))

    @pytest.mark.parametrize("path", [None, 3, "a\0b", "x" * 10_000, b"rod.csv"], ids=lambda path: repr(path)[:9])
    def test_not_a_path(self, path: object) -> None:
        complaint(lambda: read(path))  # type: ignore[arg-type]

    def test_a_folder(self, tmp_path: Path) -> None:
        (tmp_path / "rod.csv").mkdir()
        assert "got a folder" in complaint(lambda: read(tmp_path / "rod.csv"))
        assert "got the folder" in complaint(lambda: read(tmp_path))

    def test_a_pipe(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "rod.csv")
        assert "pipe" in complaint(lambda: read(tmp_path / "rod.csv"))

    @pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
    def test_a_file_that_may_not_be_read(self, tmp_path: Path, text: str) -> None:
        (tmp_path / "rod.csv").write_text(text)
        (tmp_path / "rod.csv").chmod(0)
        assert "permissions" in complaint(lambda: read(tmp_path / "rod.csv"))

    @pytest.mark.parametrize("ending", ["csv", "parquet", "nc", "npz", "mat"])
    def test_empty_file(self, tmp_path: Path, ending: str) -> None:
        assert "empty file" in refused(tmp_path, b"", f"rod.{ending}")

    @pytest.mark.parametrize("content", ["t,x,u", "t,x,u\n", "t,x,u\n\n# end\n"])
    def test_header_only(self, tmp_path: Path, content: str) -> None:
        assert "only the header" in refused(tmp_path, content)

    def test_blank_file(self, tmp_path: Path) -> None:
        assert "blank lines" in refused(tmp_path, "\n  \n# nothing\n")

    def test_unknown_ending(self, tmp_path: Path, text: str) -> None:
        told = refused(tmp_path, text, "rod.xlsx")
        assert "'.xlsx'" in told
        assert "looks like text" in told
        assert "csv (.csv" in told
        assert "no ending" in refused(tmp_path, text, "rod")

    def test_unknown_format(self, tmp_path: Path, text: str) -> None:
        assert "got format='excel'" in refused(tmp_path, text, format="excel")

    @pytest.mark.parametrize("ending", ["parquet", "nc", "npz", "mat"])
    def test_mislabelled_text(self, tmp_path: Path, text: str, ending: str) -> None:
        assert "looks like text" in refused(tmp_path, text, f"rod.{ending}")

    @pytest.mark.parametrize("ending", ["csv", "parquet", "nc", "npz", "mat"])
    def test_mislabelled_picture(self, tmp_path: Path, ending: str) -> None:
        assert "looks like a PNG picture" in refused(tmp_path, PNG, f"rod.{ending}")

    def test_a_file_where_a_zarr_folder_belongs(self, tmp_path: Path, text: str) -> None:
        assert "Expected a Zarr folder" in refused(tmp_path, text, "rod.zarr")

    @pytest.mark.parametrize("keep", [0.1, 0.5, 0.9])
    @pytest.mark.parametrize("ending", ["parquet", "nc", "npz", "mat"])
    def test_truncated(
        self, tmp_path: Path, frame: pd.DataFrame, grid: dict[str, Any], ending: str, keep: float
    ) -> None:
        whole = tmp_path / "whole"
        if ending == "parquet":
            frame.to_parquet(whole)
        elif ending == "nc":
            xr.Dataset({"u": (("t", "x"), grid["u"])}, {"t": grid["t"], "x": grid["x"]}).to_netcdf(
                whole, engine="h5netcdf"
            )
        elif ending == "npz":
            with whole.open("wb") as file:
                np.savez(file, **grid)  # type: ignore[arg-type]
        else:
            scipy.io.savemat(whole, grid, appendmat=False)
        content = whole.read_bytes()
        refused(tmp_path, content[: int(keep * len(content))], f"rod.{ending}")


class TestText:
    def test_text_among_numbers_with_the_row_of_an_editor(self, tmp_path: Path, text: str) -> None:
        lines = ["# logger 7", "", *text.splitlines()]
        lines[16] = "0.4,2.0,broken"
        told = refused(tmp_path, "\n".join(lines))
        assert "'u'" in told
        assert "row 17, 'broken'" in told

    def test_text_among_decimal_commas(self, tmp_path: Path, frame: pd.DataFrame) -> None:
        told = refused(tmp_path, frame.to_csv(index=False, sep=";", decimal=",") + "2,5;1,0;aus\n2,6;1,0;aus\n")
        assert "2 values that are not numbers (first: row 22, 'aus')" in told

    def test_text_in_a_field_known_only_by_elimination(self, tmp_path: Path, text: str) -> None:
        assert "row 22, 'off'" in refused(tmp_path, text.replace("t,x,u", "t,x,temperature") + "2,2,off\n")

    def test_text_in_a_wide_table(self, tmp_path: Path) -> None:
        told = refused(tmp_path, "t,0.1,0.2,0.3\n0,1,2,3\n1,2,oops,4\n2,3,4,5\n")
        assert "'0.2'" in told
        assert "row 3, 'oops'" in told

    @pytest.mark.parametrize("cell", ["1_000", "0x10", "1,5", "12:30", "1.2.3", "True", "١" * 500])
    def test_almost_numbers(self, tmp_path: Path, text: str, cell: str) -> None:
        assert "row 22" in refused(tmp_path, text + f'2,2,"{cell}"\n')

    def test_booleans(self, tmp_path: Path, frame: pd.DataFrame) -> None:
        assert "true/false" in refused(tmp_path, frame.assign(u=frame.u > 0).to_csv(index=False))

    @pytest.mark.parametrize("cell", ["inf", "-Infinity", "1e999"])
    def test_infinite_values(self, tmp_path: Path, text: str, cell: str) -> None:
        assert "1 infinite (first: row 22)" in refused(tmp_path, text + f"2,2,{cell}\n")

    def test_missing_values_when_they_are_errors(self, tmp_path: Path, text: str) -> None:
        told = refused(tmp_path, text + "2,2,NA\n", missing="error")
        assert "'u'; got 1 missing (first: row 22)" in told
        assert "missing='drop'" in told

    def test_everything_missing(self, tmp_path: Path) -> None:
        assert "in each of the 3 (most often 'u')" in refused(tmp_path, "t,x,u\n1,2,\n2,3,\n4,5,\n")

    @pytest.mark.parametrize("row", ["2,2,2,2", "2,2,2,2,2", "2,2,2,,2"])
    def test_too_many_values_in_a_row(self, tmp_path: Path, text: str, row: str) -> None:
        assert "got more in row 22" in refused(tmp_path, text + row + "\n")

    def test_unbalanced_quote(self, tmp_path: Path, text: str) -> None:
        refused(tmp_path, text + '2,2,"2\n')

    def test_single_column(self, tmp_path: Path) -> None:
        assert "single column" in refused(tmp_path, "u\n1\n2\n3\n")

    def test_no_header(self, tmp_path: Path, frame: pd.DataFrame) -> None:
        told = refused(tmp_path, frame.to_csv(index=False, header=False))
        assert "'1', '2', '3' (numbered, for want of a header line such as t,x,u)" in told
        assert "time=" in told

    def test_dates_of_another_form(self, tmp_path: Path) -> None:
        rows = "".join(f"2024-01-0{k} 00:00,{k},{k}\n" for k in range(1, 5))
        assert "row 6, 'yesterday'" in refused(tmp_path, "t,x,u\n" + rows + "yesterday,5,5\n")
        assert "row 2, '01.02.2024'" in refused(tmp_path, "t,x,u\n01.02.2024,1,2\n")


class TestColumns:
    def test_missing_column_with_the_nearest_name(self, tmp_path: Path, text: str) -> None:
        told = refused(tmp_path, text.replace("t,x,u", "t,x,pressure"), fields="presure")
        assert "'t', 'x', 'pressure'" in told
        assert "did you mean 'pressure'?" in told

    @pytest.mark.parametrize("argument", ["time", "space", "fields", "sensor", "noise"])
    def test_missing_column_of_any_kind(self, tmp_path: Path, text: str, argument: str) -> None:
        assert f"pass {argument}=" in refused(tmp_path, text, **{argument: "quux"})

    @pytest.mark.parametrize("argument", ["time", "space", "fields", "sensor", "noise"])
    def test_a_name_that_is_no_name(self, tmp_path: Path, text: str, argument: str) -> None:
        for name in ([3], 3j):
            refused(tmp_path, text, "rod.csv", **{argument: name})

    def test_four_axes(self, frame: pd.DataFrame) -> None:
        many = frame.assign(a=frame.x, b=frame.x, c=frame.x)
        assert "at most 3" in complaint(lambda: Readings.from_frame(many, space=["x", "a", "b", "c"]))
        assert Readings.from_frame(many, space=["a", "x", "c"]).axes == ("y", "x", "z")

    @pytest.mark.parametrize(
        ("header", "argument"),
        [("t,time,x,u", "time"), ("t,x,x [m],u", "space"), ("t,x,p,q", "fields"), ("t,depth,height,u", "space")],
    )
    def test_ambiguous_column(self, tmp_path: Path, header: str, argument: str) -> None:
        told = refused(tmp_path, header + "\n1,2,3,4\n2,3,4,5\n3,4,5,6\n")
        assert f"obvious choice for {argument}" in told
        assert f"{argument}='" in told

    def test_ambiguous_sensor_and_noise(self, tmp_path: Path) -> None:
        rows = "".join(f"{k},{k},{k},1,1\n" for k in range(4))
        assert "sensor='probe'" in refused(tmp_path, "t,x,u,probe,station\n" + rows)
        assert "noise='u_sd'" in refused(tmp_path, "t,x,u,u_sd,sigma_u\n" + rows)
        assert "noise column for each" in refused(tmp_path, "t,x,u,v,u_sd\n" + rows)

    @pytest.mark.parametrize(("header", "argument"), [("a,x,u", "time"), ("t,a,u", "space"), ("t,x,y", "fields")])
    def test_no_obvious_column(self, tmp_path: Path, header: str, argument: str) -> None:
        told = refused(tmp_path, header + "\n1,2,3\n2,3,4\n3,4,5\n")
        assert f"{argument}=" in told
        assert ", ".join(map(repr, header.split(","))) in told

    def test_T_is_not_taken_for_time(self, tmp_path: Path) -> None:
        assert "name it with time=" in refused(tmp_path, "T,x,u\n1,2,3\n2,3,4\n3,4,5\n")

    def test_one_column_for_two_parts(self, tmp_path: Path, text: str) -> None:
        assert "'u' for two of them" in refused(tmp_path, text, fields="u", space="u")

    def test_two_columns_of_one_name(self, tmp_path: Path, text: str) -> None:
        assert "'u' 2 times" in refused(tmp_path, text.replace("t,x,u", "t,u,u"))

    def test_sensor_without_a_label(self, tmp_path: Path) -> None:
        rows = "".join(f"{k},{k},{k * k},a\n" for k in range(4))
        assert "1 without (first: row 6)" in refused(tmp_path, "t,x,u,sensor\n" + rows + "9,9,9,\n")


class TestContents:
    def test_contradiction(self, tmp_path: Path, text: str) -> None:
        told = refused(tmp_path, text + "0.13,0.25,7.0\n")
        assert "row 7 and row 22, at 0.13, 0.25" in told
        assert "sensor=" in told

    def test_contradiction_within_one_named_sensor(self, frame: pd.DataFrame) -> None:
        both = pd.concat([frame, frame.assign(u=frame.u + 1)]).assign(sensor="a")
        assert "20 repeated with different values" in complaint(lambda: Readings.from_frame(both))

    @pytest.mark.parametrize("column", ["t", "x"])
    @pytest.mark.parametrize("count", [1, 2])
    def test_too_few_places_or_times(self, frame: pd.DataFrame, column: str, count: int) -> None:
        few = frame.loc[frame[column].isin(list(frame[column].unique()[:count]))]
        what = "times" if column == "t" else "places"
        assert f"3 or more distinct {what}; got {count}" in complaint(lambda: Readings.from_frame(few))

    def test_constant_field(self, frame: pd.DataFrame) -> None:
        assert "got the constant 3" in complaint(lambda: Readings.from_frame(frame.assign(u=3.0)))

    def test_constant_axis(self, frame: pd.DataFrame) -> None:
        assert "along 'y'; got only 1" in complaint(lambda: Readings.from_frame(frame.assign(y=1.0)))

    def test_no_rows(self, frame: pd.DataFrame) -> None:
        assert "got none" in complaint(lambda: Readings.from_frame(frame.iloc[:0]))

    @pytest.mark.parametrize("noise", [0.0, -1.0, np.inf, [0.1, 0.2], "loud", True])
    def test_bad_noise(self, frame: pd.DataFrame, noise: object) -> None:
        complaint(lambda: Readings.from_frame(frame, noise=noise))  # type: ignore[arg-type]
        complaint(lambda: Readings.from_arrays(frame.t, frame.x, frame.u, noise=noise))  # type: ignore[arg-type]

    def test_mixed_up_shapes(self, grid: dict[str, Any]) -> None:
        told = complaint(lambda: Readings.from_arrays(grid["t"], grid["x"], grid["u"]))
        assert "time (5,), space (4, 1), values (5, 4)" in told
        assert "from_grid" in told

    def test_mixed_up_shapes_in_a_file(self, tmp_path: Path, grid: dict[str, Any]) -> None:
        for change in ({"t": grid["t"][:3]}, {"u": grid["u"][0]}, {"v": grid["u"][:2]}):
            np.savez(tmp_path / "a.npz", **(grid | change))
            assert "mixed-up shapes" in complaint(lambda: read(tmp_path / "a.npz"))

    def test_a_field_without_its_time(self, grid: dict[str, Any]) -> None:
        data = xr.Dataset({"u": ("x", grid["x"])}, {"t": grid["t"], "x": grid["x"]})
        assert "mixed-up shapes" in complaint(lambda: Readings.from_xarray(data))

    @pytest.mark.parametrize("kind", [complex, bool, object, "U8", "M8[s]"])
    def test_arrays_that_are_no_numbers(self, frame: pd.DataFrame, kind: str) -> None:
        values = np.full(20, "a") if kind in (object, "U8") else np.arange(20).astype(kind)
        complaint(lambda: Readings.from_arrays(frame.t, frame.x, values))
        complaint(lambda: Readings.from_frame(frame.assign(u=values), fields="u"))

    @pytest.mark.parametrize(
        "options",
        [{"axes": ["q"]}, {"axes": ["x", "y"]}, {"fields": ["sin"]}, {"fields": ["t"]}, {"fields": ["u_x"]}],
        ids=str,
    )
    def test_names_unfit_for_an_equation(self, frame: pd.DataFrame, options: dict[str, list[str]]) -> None:
        complaint(lambda: Readings.from_arrays(frame.t, frame.x, frame.u, **options))  # type: ignore[arg-type]

    def test_cells_that_are_lists(self, tmp_path: Path, frame: pd.DataFrame) -> None:
        lists = frame.assign(u=[[1.0], [2.0, 3.0]] * 10, sensor=[["a"], ["b"]] * 10)
        lists.to_parquet(tmp_path / "a.parquet")
        complaint(lambda: read(tmp_path / "a.parquet"))
        complaint(lambda: Readings.from_frame(lists, fields="u"))

    def test_ragged_lists(self, frame: pd.DataFrame) -> None:
        assert "mixed-up shapes" in complaint(lambda: Readings.from_arrays(frame.t, frame.x, [[1, 2], [3]]))
        assert "mixed-up shapes" in complaint(lambda: Readings.from_grid([1, 2], [1, 2], [[1, 2], [3]]))

    def test_wrong_types(self, frame: pd.DataFrame) -> None:
        assert "got dict" in complaint(lambda: Readings.from_frame({}))  # type: ignore[arg-type]
        assert "got dict" in complaint(lambda: Readings.from_xarray({}))  # type: ignore[arg-type]
        assert "missing='drop'" in complaint(lambda: Readings.from_frame(frame, missing="ignore"))  # type: ignore[arg-type]


class Bomb:
    """Unpickling this leaves a trace."""

    def __init__(self, trace: Path) -> None:
        self.trace = trace

    def __reduce__(self) -> tuple[object, ...]:
        return (Path.touch, (self.trace,))


class TestMalice:
    def test_npz_that_asks_for_pickle(self, tmp_path: Path, grid: dict[str, Any]) -> None:
        objects = np.array([Bomb(tmp_path / "trace")], dtype=object)
        np.savez(tmp_path / "a.npz", **grid, extra=objects)
        assert "'extra' of Python objects" in complaint(lambda: read(tmp_path / "a.npz"))
        assert not (tmp_path / "trace").exists()

    def test_zarr_that_asks_for_pickle(self, tmp_path: Path, grid: dict[str, Any]) -> None:
        group = zarr.open_group(str(tmp_path / "a.zarr"), mode="w", zarr_format=2)
        for name, array in grid.items():
            group.create_array(name, data=array)
        path = tmp_path / "a.zarr" / "u" / ".zarray"
        path.write_text(json.dumps(json.loads(path.read_text()) | {"filters": [{"id": "pickle", "protocol": 5}]}))
        assert "pickle" in complaint(lambda: read(tmp_path / "a.zarr"))

    def test_npz_that_claims_a_gigantic_array(self, tmp_path: Path) -> None:
        header = io.BytesIO()
        np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": (10**6, 10**7)})
        with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
            archive.writestr("u.npy", header.getvalue())
        assert "GiB" in complaint(lambda: read(tmp_path / "a.npz"))

    @pytest.mark.parametrize("name", ["a.mat", "a.nc"])
    def test_hdf5_that_claims_a_gigantic_array(self, tmp_path: Path, name: str) -> None:
        with h5py.File(tmp_path / name, "w") as file:
            file.create_dataset("u", shape=(10**6, 10**7), chunks=(100, 100), dtype="f8")
        assert "GiB" in complaint(lambda: read(tmp_path / name))

    def test_mat_that_claims_a_gigantic_array(self, tmp_path: Path, grid: dict[str, Any]) -> None:
        scipy.io.savemat(tmp_path / "a.mat", {"u": np.ones((7, 11))}, format="4")
        raw = (tmp_path / "a.mat").read_bytes()
        (tmp_path / "a.mat").write_bytes(raw.replace(b"\x07\0\0\0\x0b\0\0\0", b"\xff\xff\xff\x7f\xff\xff\xff\x7f"))
        complaint(lambda: read(tmp_path / "a.mat"))

    def test_zarr_that_claims_a_gigantic_array(self, tmp_path: Path) -> None:
        group = zarr.open_group(str(tmp_path / "a.zarr"), mode="w")
        group.create_array("u", shape=(10**6, 10**7), chunks=(100, 100), dtype="f8")
        assert "GiB" in complaint(lambda: read(tmp_path / "a.zarr"))

    def test_mat_with_a_type_that_does_not_exist(self, tmp_path: Path, grid: dict[str, Any]) -> None:
        """scipy looks such a type up behind the end of its table, which ends the process."""
        scipy.io.savemat(tmp_path / "a.mat", grid)
        raw = (tmp_path / "a.mat").read_bytes()
        tag, wrong = struct.pack("<II", 9, 8 * 20), struct.pack("<II", 2**15 - 1, 8 * 20)
        assert tag in raw
        (tmp_path / "a.mat").write_bytes(raw.replace(tag, wrong))
        assert "damaged" in complaint(lambda: read(tmp_path / "a.mat"))

    def test_hdf5_with_a_heap_that_leads_nowhere(self, tmp_path: Path, grid: dict[str, Any]) -> None:
        """The HDF5 library never comes back from free space of size zero."""
        data = xr.Dataset({"u": (("t", "x"), grid["u"])}, {"t": grid["t"], "x": grid["x"]})
        data.to_netcdf(tmp_path / "a.nc", engine="h5netcdf")
        raw = bytearray((tmp_path / "a.nc").read_bytes())
        place = raw.index(b"GCOL") + 16
        while (index_and_size := struct.unpack_from("<H6xQ", raw, place))[0]:
            place += 16 + -(-index_and_size[1] // 8) * 8
        raw[place + 8 : place + 16] = bytes(8)
        (tmp_path / "a.nc").write_bytes(raw)
        assert "damaged" in complaint(lambda: read(tmp_path / "a.nc"))

    def test_files_without_numbers(self, tmp_path: Path) -> None:
        scipy.io.savemat(tmp_path / "a.mat", {"data": {"t": [1, 2]}})
        assert "'data' (struct)" in complaint(lambda: read(tmp_path / "a.mat"))
        with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
            archive.writestr("readme.txt", "hello")
        assert "Expected arrays" in complaint(lambda: read(tmp_path / "a.npz"))
        xr.Dataset().to_netcdf(tmp_path / "a.nc", engine="h5netcdf")
        assert "Expected variables" in complaint(lambda: read(tmp_path / "a.nc"))
        zarr.open_group(str(tmp_path / "a.zarr"), mode="w")
        assert "Expected arrays" in complaint(lambda: read(tmp_path / "a.zarr"))

    def test_complex_field_of_matlab(self, tmp_path: Path, grid: dict[str, Any]) -> None:
        scipy.io.savemat(tmp_path / "a.mat", grid | {"u": grid["u"] * 1j})
        assert "complex numbers; split them" in complaint(lambda: read(tmp_path / "a.mat"))
        pairs = np.zeros((4, 5), dtype=[("real", "f8"), ("imag", "f8")])
        with h5py.File(tmp_path / "b.mat", "w") as file:
            file["t"], file["x"], file["u"] = grid["t"], grid["x"], pairs
        assert "complex numbers; split them" in complaint(lambda: read(tmp_path / "b.mat"))
