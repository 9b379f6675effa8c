"""The folder of a sweep: what was asked, what came of it, and who may work there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pdescry.errors import InputError
from pdescry.sweeps.case import Case
from pdescry.sweeps.study import DONE, FAILED, Outcome, in_use, load_cases, load_outcomes, opened


def cases(**settings: int) -> dict[str, Case]:
    return {name: Case(name, ("rod.csv",), {}, {"seed": seed}) for name, seed in settings.items()}


def test_what_was_asked_comes_back(tmp_path: Path) -> None:
    with opened(tmp_path / "study", cases(a=1, b=2)) as (asked, journal):
        journal.write(Outcome("a", DONE, 1.5, summary={"law": "u_t = 0"}))
    assert load_cases(tmp_path / "study") == asked == cases(a=1, b=2)
    assert load_outcomes(tmp_path / "study")["a"].summary == {"law": "u_t = 0"}


def test_another_sweep_is_refused_with_the_difference(tmp_path: Path) -> None:
    with opened(tmp_path, cases(a=1, b=2)):
        pass
    with pytest.raises(InputError, match=r"settings\.seed of a was 1, now 3"), opened(tmp_path, cases(a=3, b=2)):
        pass
    with pytest.raises(InputError, match="the case b is not asked for any more"), opened(tmp_path, cases(a=1)):
        pass
    assert load_cases(tmp_path) == cases(a=1, b=2)
    with opened(tmp_path, cases(a=1, b=2, c=3)):  # further ones may come
        pass
    assert load_cases(tmp_path) == cases(a=1, b=2, c=3)


def test_two_sweeps_on_one_folder(tmp_path: Path) -> None:
    assert not in_use(tmp_path)
    with opened(tmp_path, cases(a=1)):
        assert in_use(tmp_path)
        with pytest.raises(InputError, match="Another sweep is working"), opened(tmp_path, cases(a=1)):
            pass
    with opened(tmp_path, None) as (found, _):
        assert found == cases(a=1)


def test_a_line_that_was_not_written_to_its_end_does_not_count(tmp_path: Path) -> None:
    with opened(tmp_path, cases(a=1, b=2)) as (_, journal):
        journal.write(Outcome("a", FAILED, 1.0, "why"))
    file = tmp_path / "outcomes.jsonl"
    file.write_text(file.read_text() + '{"case": "b", "sta')
    assert set(load_outcomes(tmp_path)) == {"a"}
    with opened(tmp_path, None) as (_, journal):
        journal.write(Outcome("a", DONE, 2.0))
    assert load_outcomes(tmp_path)["a"].status == DONE
    assert set(load_outcomes(tmp_path)) == {"a"}
    with opened(tmp_path, None):
        pass
    assert len(file.read_text().splitlines()) == 3  # and nothing is added where nothing is cut


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("")
    with pytest.raises(InputError, match=r"contains 'thesis\.tex'"), opened(tmp_path, cases(a=1)):
        pass
    with pytest.raises(InputError, match="to be a sweep; it is none"):
        load_cases(tmp_path)


def test_damaged_cases_are_told(tmp_path: Path) -> None:
    (tmp_path / "cases.jsonl").write_text(json.dumps({"format": "another"}) + "\n")
    with pytest.raises(InputError, match="damaged"):
        load_cases(tmp_path)


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="Cannot write in"), opened(tmp_path / "file" / "study", cases(a=1)):
        pass
