"""Every bad input by name: one sentence that says what was expected, what came and what to do."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.io
import xarray as xr

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
        assert "check the name" in complaint(lambda: read(tmp_path / "nosuch.csv"))

    def test_no_such_folder(self, tmp_path: Path) -> None:
        assert "no such folder" in complaint(lambda: read(tmp_path / "no" / "rod.csv"))

    @pytest.mark.parametrize("path", [None, 3, "", "a\0b", "x" * 10_000, b"rod.csv"], ids=lambda path: repr(path)[:9])
    def test_not_a_path(self, path: object) -> None:
        assert "got the folder" not in complaint(lambda: read(path))  # type: ignore[arg-type]

    def test_a_folder(self, tmp_path: Path) -> None:
        (tmp_path / "rod.csv").mkdir()
        assert "got a folder" in complaint(lambda: read(tmp_path / "rod.csv"))
        assert "got the folder" in complaint(lambda: read(tmp_path))
        assert "got the folder '.'" in complaint(lambda: read("."))

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

    def test_unknown_ending(self, tmp_path: Path) -> None:
        told = refused(tmp_path, bytes(range(256)), "rod.bin")
        assert "'.bin'" in told
        assert "csv (.csv" in told
        assert "no ending" in refused(tmp_path, bytes(range(256)), "rod")

    @pytest.mark.parametrize(
        ("name", "content", "remedy"),
        [
            ("rod.gz", b"\x1f\x8b\x08\0", "unpack it"),
            ("rod.csv.bz2", b"BZh91AY", "unpack it"),
            ("rod.xlsx", b"PK\x03\x04\x14\0", "write it anew"),
            ("rod.csv", b"PK\x03\x04\x14\0\x06\0[Content_Types].xml", "pass format='excel'"),
            ("rod.xls", b"\xd0\xcf\x11\xe0", "save it as .xlsx or CSV"),
            ("rod.ods", b"PK\x03\x04mimetypeapplication/vnd.oasis.opendocument", "save its table as CSV"),
            ("rod.csv", b"\x93NUMPY\x01\0", "pass format='npy', and dt= and dx="),
            ("rod.csv", b"\x89HDF\r\n\x1a\n\0", "pass format='hdf5'"),
            ("rod.png", PNG, "save the numbers behind it"),
            ("rod.data", b"PK\x03\x04\x14\0t.npy", "pass format='npz'"),
            ("rod.csv", b"PAR1\x15", "pass format='parquet'"),
        ],
    )
    def test_foreign_file_with_the_remedy_that_helps(
        self, tmp_path: Path, name: str, content: bytes, remedy: str
    ) -> None:
        told = refused(tmp_path, content, name)
        assert remedy in told
        assert "format=" not in told or "format=" in remedy or name == "rod.h5"

    def test_damaged_gzip(self, tmp_path: Path, text: str) -> None:
        assert "damaged" in refused(tmp_path, gzip.compress(text.encode())[:-20], "rod.csv.gz")

    def test_gzip_that_unpacks_to_too_much(self, tmp_path: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("pdescry.data.formats.text._MOST_UNPACKED", 100)
        assert "unpack it first" in refused(tmp_path, gzip.compress(text.encode()), "rod.csv.gz")

    def test_unknown_format(self, tmp_path: Path, text: str) -> None:
        assert "got format='word'" in refused(tmp_path, text, format="word")

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
        for form in ("01.02.24", "1 May 2024", "12:30"):
            told = refused(tmp_path, f"t,x,u\n{form},1,2\n{form},2,3\n")
            assert f"row 2, {form!r}" in told
            assert "empty" not in told


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
    def test_one_sensor_at_several_places_at_once(self, frame: pd.DataFrame) -> None:
        told = complaint(lambda: Readings.from_frame(frame.assign(sensor="a")))
        assert "'a' at several (first: index 0 and index 1, at time 0)" in told
        assert "sensor=False" in told

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
