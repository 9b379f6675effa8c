"""Globs, grids and seeds become cases with names of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from pdescry.errors import InputError
from pdescry.sweeps.case import Case
from pdescry.sweeps.sweep import asked_for
from pdescry.sweeps.table import cases_in


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("a/rod.csv", "a/pipe.csv", "b/rod.csv"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    return tmp_path


def test_every_file_with_every_combination(folder: Path) -> None:
    table = {
        "files": ["a/*.csv"],
        "seeds": 2,
        "settings": {"law": {"candidates": "small"}},
        "grid": {"reading.noise": [0.01, 0.05], "regression.largest": [3]},
    }
    cases = cases_in(table, folder)
    assert len(cases) == len({case.name for case in cases}) == 8
    first = cases[0]
    assert first.name == "pipe_noise=0.01_largest=3_seed=0"
    assert first.files == (str(folder / "a" / "pipe.csv"),)
    assert first.reading == {"noise": 0.01}
    assert first.settings == {"law": {"candidates": "small"}, "regression": {"largest": 3}, "seed": 0}
    assert first.varied == {"file": "pipe.csv", "reading.noise": 0.01, "regression.largest": 3, "seed": 0}


def test_parts_stand_in_place_of_what_is_above_them(folder: Path) -> None:
    part = {"files": ["b/rod.csv"], "settings": {"law": {"time_order": 2}}}
    table = {"files": ["a/rod.csv"], "settings": {"law": {"candidates": "small"}}, "part": [{}, part]}
    one, other = cases_in(table, folder)
    assert one.settings == {"law": {"candidates": "small"}}
    assert other.settings == {"law": {"candidates": "small", "time_order": 2}}
    assert (one.name, other.name) == ("rod", "rod~2")


def test_files_of_one_name_are_told_apart_by_their_folders(folder: Path) -> None:
    names = [case.name for case in cases_in({"files": ["*/*.csv"]}, folder)]
    assert names == ["pipe", "a-rod", "b-rod"]


def test_files_may_share_a_law(folder: Path) -> None:
    (case,) = cases_in({"files": ["*/rod.csv"], "together": True}, folder)
    assert len(case.files) == 2


def test_a_list_of_candidates_is_one_value(folder: Path) -> None:
    table = {"files": ["b/rod.csv"], "grid": {"law.candidates": ["small", ["u_x", "u*u_x"]]}}
    assert [case.name for case in cases_in(table, folder)] == ["rod_candidates=small", "rod_candidates=u_x+u-u_x"]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"file": ["a/rod.csv"]}, "Did you mean files"),
        ({"files": []}, "Expected files of readings"),
        ({"files": ["c/*.csv"]}, "there are none"),
        ({"files": ["a/rod.csv"], "grid": {"seed": 3}}, "Expected a list of values for 'seed'"),
        ({"files": ["a/rod.csv"], "seeds": "two"}, "Expected seeds"),
        ({"files": ["a/rod.csv"], "reading": {"nose": 1}}, "Expected arguments of pdescry.read"),
        ({"files": ["a/rod.csv"], "grid": [1]}, r"Expected \[grid\] to be a table"),
        ({"files": ["a/rod.csv"], "part": {"seeds": 2}}, r"headed \[\[part\]\]"),
    ],
)
def test_what_is_wrong_with_a_table_is_told(folder: Path, table: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        cases_in(table, folder)


def test_a_setting_that_is_none_is_told_before_any_work(folder: Path) -> None:
    with pytest.raises(InputError, match=r"There is no setting law\.candidate;"):
        asked_for([folder / "a/rod.csv"], folder, {"law": {"candidate": "small"}})


def test_a_table_has_all_its_settings_itself(folder: Path) -> None:
    (folder / "study.toml").write_text('files = ["a/*.csv"]\n[settings]\nlaw.candidates = "small"\n')
    assert list(asked_for(folder / "study.toml", folder).cases) == ["pipe", "rod"]
    with pytest.raises(InputError, match="write them into the table"):
        asked_for(folder / "study.toml", folder, seeds=2)


def test_names_of_cases_are_those_of_folders() -> None:
    for name in ("", "..", "a/b"):
        with pytest.raises(InputError, match="Expected the name of a case"):
            Case(name, ("rod.csv",))
    with pytest.raises(InputError, match="Expected a file of readings"):
        Case("rod", ())
