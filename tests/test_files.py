from __future__ import annotations

import pytest

from pdescry.errors import InputError
from pdescry.files import appearing, refuse_to_overwrite


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


def test_existing_files_are_not_replaced_unasked(tmp_path):
    (tmp_path / "a.txt").write_text("old")
    refuse_to_overwrite(tmp_path / "b.txt", force=False)
    refuse_to_overwrite(tmp_path / "a.txt", force=True)
    with pytest.raises(InputError, match="--force"):
        refuse_to_overwrite(tmp_path / "a.txt", force=False)
