from __future__ import annotations

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from pdescry.errors import InputError
from pdescry.files import appearing, check_target, exact_floats, saved_dataset, write_dataset


def test_a_file_appears_whole(tmp_path):
    with appearing(tmp_path / "a.txt") as temporary:
        temporary.write_text("half")
        assert not (tmp_path / "a.txt").exists()
    assert (tmp_path / "a.txt").read_text() == "half"
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_an_error_leaves_the_old_file_and_no_other(tmp_path):
    (tmp_path / "a.txt").write_text("old")

    def fail() -> None:
        with appearing(tmp_path / "a.txt") as temporary:
            temporary.write_text("half")
            raise RuntimeError("out of luck")

    with pytest.raises(RuntimeError, match="out of luck"):
        fail()
    assert (tmp_path / "a.txt").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_a_folder_that_is_not_there_is_told(tmp_path):
    with pytest.raises(InputError, match="Cannot write"), appearing(tmp_path / "no" / "a.txt") as temporary:
        temporary.write_text("whole")


def test_a_full_disk_is_told(tmp_path):
    with pytest.raises(InputError, match="No space left on device"), appearing(tmp_path / "a.txt"):
        raise OSError(28, "No space left on device")


DATASET_WITHOUT_ROOM = """
import resource, sys
import numpy as np, xarray as xr
from pdescry.errors import InputError
from pdescry.files import write_dataset

resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))
try:
    write_dataset(sys.argv[1], xr.Dataset({"u": (("t", "x"), np.random.default_rng(0).random((200, 500)))}))
except InputError as error:
    print(error)
print("goes on")
"""


def test_a_dataset_without_room_is_told_and_the_process_lives(tmp_path):
    """HDF5 that runs out of room would tell so, and end the process when the error is forgotten."""
    pytest.importorskip("resource")
    done = subprocess.run(
        [sys.executable, "-c", DATASET_WITHOUT_ROOM, str(tmp_path / "a.nc")], capture_output=True, text=True, check=True
    )
    told, after = done.stdout.splitlines()
    assert "Cannot write" in told
    assert after == "goes on"
    assert list(tmp_path.iterdir()) == []


def test_a_dataset_comes_back(tmp_path):
    dataset = xr.Dataset({"u": ("x", np.arange(3.0))}, attrs={"format": "three numbers"})
    write_dataset(tmp_path / "a.nc", dataset)
    with saved_dataset(tmp_path / "a.nc", "three numbers", "three numbers") as found:
        xr.testing.assert_identical(found, dataset)
    assert [path.name for path in tmp_path.iterdir()] == ["a.nc"]
    assert (tmp_path / "a.nc").stat().st_size < 2**16, "what was reserved is not kept"


def test_a_link_is_written_through(tmp_path):
    (tmp_path / "target.txt").write_text("old")
    (tmp_path / "link.txt").symlink_to(tmp_path / "target.txt")
    with appearing(tmp_path / "link.txt") as temporary:
        temporary.write_text("new")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "target.txt").read_text() == "new"


def test_targets_are_checked_before_the_work(tmp_path):
    (tmp_path / "a.nc").write_text("old")
    (tmp_path / "folder.nc").mkdir()
    check_target(tmp_path / "b.nc", (".nc",), force=False)
    check_target(tmp_path / "a.nc", (".nc",), force=True)
    for path, force, says in (
        ("a.nc", False, "--force"),
        ("a.csv", True, r"\*\.nc"),
        ("folder.nc", True, "no regular file"),
        ("no/a.nc", True, "no such folder"),
    ):
        with pytest.raises(InputError, match=says):
            check_target(tmp_path / path, (".nc",), force)


def test_pandas_reads_what_it_wrote_to_the_last_bit(tmp_path):
    numbers = np.random.default_rng(0).standard_normal(1000) * 10.0 ** np.arange(-50, 50).repeat(10)
    pd.DataFrame({"u": numbers}).to_csv(tmp_path / "u.csv", index=False)
    np.testing.assert_array_equal(pd.read_csv(tmp_path / "u.csv", **exact_floats())["u"], numbers)
