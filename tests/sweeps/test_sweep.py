"""A sweep from files to a table: done, failed, stopped, repeated."""

from __future__ import annotations

import errno
import shutil
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from filelock import FileLock

import pdescry
from pdescry import InputError, Study
from pdescry.sweeps import Case, load_study
from pdescry.sweeps.sweep import concluded
from pdescry.sweeps.work import BUSY, run_case
from tests.sweeps.conftest import SETTINGS, Here, rod


def repeated(finished: Study, rods: Path, **other: Any) -> Study:
    told = {"config": SETTINGS, "grid": {"reading.noise": [0.01]}, "executor": Here(), **other}
    return pdescry.sweep([rods / "*.csv"], finished.path, **told)


def test_a_bad_file_is_recorded_and_stops_nobody(finished: Study) -> None:
    assert finished.done == 2
    assert list(finished.failures) == ["bad_noise=0.01"]
    assert finished.failures["bad_noise=0.01"].startswith("Expected a column of measured values")
    assert repr(finished).endswith("2 done, 1 failed, 0 waiting")


def test_each_case_is_a_run(finished: Study) -> None:
    law = finished.law("rod1_noise=0.01")
    alone = pdescry.load(finished.path / "cases" / "rod1_noise=0.01")
    assert str(law) == str(alone)
    assert (finished.path / "cases" / "rod1_noise=0.01" / "report.html").exists()
    with pytest.raises(InputError, match="There is no case 'rod9'"):
        finished.law("rod9")


def test_the_table_has_what_the_laws_have(finished: Study) -> None:
    row = finished.table.set_index("case").loc["rod1_noise=0.01"]
    (coefficient,) = finished.law("rod1_noise=0.01").coefficients.to_dict(orient="records")
    assert row["u_xx"] == coefficient["mean"]
    assert row["u_xx sd"] == coefficient["sd"]
    assert row["u_xx probability"] == coefficient["probability"]
    assert (row["status"], row["verdict"], row["file"]) == ("done", "law", "rod1.csv")
    read = pd.read_parquet(finished.path / "results.parquet")
    pd.testing.assert_frame_equal(read, finished.table, check_dtype=False)
    assert list(pd.read_csv(finished.path / "results.csv")["case"]) == list(finished.table["case"])


def test_repeated_it_does_what_is_not_done(finished: Study, rods: Path) -> None:
    before = (finished.path / "cases" / "rod1_noise=0.01" / "law.json").stat().st_mtime_ns
    here = Here()
    again = repeated(finished, rods, executor=here)
    assert here.begun == 1  # the bad file
    assert again.table["status"].tolist() == finished.table["status"].tolist()
    assert (finished.path / "cases" / "rod1_noise=0.01" / "law.json").stat().st_mtime_ns == before
    assert load_study(finished.path).done == 2


def test_changed_settings_are_refused_with_the_difference(finished: Study, rods: Path) -> None:
    other = {"law": {"candidates": ["u_xx"]}}
    with pytest.raises(InputError, match=r"law\.candidates of .* was \['u_x', 'u_xx'\], now \['u_xx'\]"):
        repeated(finished, rods, config=other)


def test_a_file_that_was_changed_since_is_refused(finished: Study, rods: Path, tmp_path: Path) -> None:
    copy = tmp_path / "rod1.csv"
    shutil.copy(rods / "rod1.csv", copy)
    study = pdescry.sweep(copy, tmp_path / "study", config=SETTINGS, executor=Here(), reports=False)
    assert study.done == 1
    assert not (study.path / "cases" / "rod1" / "report.html").exists()
    copy.write_text(copy.read_text())  # touched: compared, and found to be the same
    here = Here()
    assert pdescry.sweep(copy, tmp_path / "study", config=SETTINGS, executor=here, reports=False).done == 1
    assert here.begun == 1
    copy.rename(tmp_path / "away.csv")  # what is done stays so
    here = Here()
    assert pdescry.sweep(copy, tmp_path / "study", config=SETTINGS, executor=here, reports=False).done == 1
    assert here.begun == 0
    rod(2).to_csv(copy)
    again = pdescry.sweep(copy, tmp_path / "study", config=SETTINGS, executor=Here(), reports=False)
    assert "the readings differ" in again.failures["rod1"]


def test_two_sweeps_on_one_folder_are_refused(finished: Study, rods: Path) -> None:
    with FileLock(finished.path / ".lock"), pytest.raises(InputError, match="Another sweep is working"):
        repeated(finished, rods)


def test_a_run_that_another_process_holds_is_asked_for_later(finished: Study) -> None:
    name = "rod1_noise=0.01"
    with FileLock(finished.path / "cases" / name / ".lock"):
        assert run_case(str(finished.path), finished.cases[name], True).status == BUSY
    assert run_case(str(finished.path), finished.cases[name], True).status == "done"


def test_a_full_disk_is_a_reason(finished: Study, rods: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("pdescry.discovery.run.write_readings", full)
    study = pdescry.sweep(rods / "rod1.csv", tmp_path / "study", config=SETTINGS, executor=Here())
    assert "No space left on device; make room" in study.failures["rod1"]


def test_a_bug_is_the_reason_of_its_case(finished: Study, rods: Path, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("pdescry.sweeps.work.discover", lambda *_, **__: 1 / 0)
    study = pdescry.sweep(rods / "rod1.csv", tmp_path / "study", config=SETTINGS, executor=Here())
    assert study.failures == {"rod1": "ZeroDivisionError: division by zero"}


def test_a_worker_that_does_not_see_the_folder_says_so(tmp_path: Path) -> None:
    outcome = run_case(str(tmp_path / "elsewhere"), Case("a", ("rod.csv",)), True)
    assert "share a disk" in outcome.reason
    assert not (tmp_path / "elsewhere").exists()


def test_readings_are_cases_too(finished: Study, tmp_path: Path) -> None:
    study = pdescry.sweep({"one": rod(1)}, tmp_path / "study", config=SETTINGS, executor=Here(), reports=False)
    assert list(study.cases) == ["one"]
    (file,) = study.cases["one"].files
    assert (study.path / file / "readings.csv").exists()
    with pytest.raises(InputError, match="files of one was"):  # other readings are another case
        pdescry.sweep({"one": rod(2)}, tmp_path / "study", config=SETTINGS, executor=Here())
    (back,) = study.cases["one"].readings(study.path)
    assert back == rod(1)
    moved = (tmp_path / "study").rename(tmp_path / "moved")
    assert load_study(moved).cases["one"].readings(moved) == [back]


def test_progress_tells_what_is_done(finished: Study, rods: Path) -> None:
    told: list[tuple[str, float]] = []
    repeated(finished, rods, progress=lambda what, fraction, left: told.append((what, fraction)))
    assert told[0] == ("cases: 2 done, 0 failed", pytest.approx(2 / 3))
    assert told[-1] == ("cases: 2 done, 1 failed", 1.0)


def test_the_page_needs_nothing_else(finished: Study) -> None:
    page = finished.page.read_text()
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "").replace("http-equiv", "")
    assert "3 cases: 2 done, 1 failed." in page
    assert "cases/rod1_noise=0.01/report.html" in page
    assert "Expected a column of measured values" in page


def test_texts_of_files_cannot_break_the_page(finished: Study, tmp_path: Path) -> None:
    name = "</script><b>"
    case = Case("rod", (f"{name}.csv",), varied={"file": name})
    (tmp_path / "cases").mkdir()
    page = concluded(tmp_path, {"rod": case}).page.read_text()
    assert name not in page


@pytest.mark.parametrize(
    ("cases", "message"),
    [([], "Expected cases"), ([3], "Expected a file, Readings or a Case; got int")],
)
def test_what_are_no_cases_is_told(cases: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        pdescry.sweep(cases, tmp_path / "study")
