"""`pdescry reproduce` as a user types it, over made-up records."""

from __future__ import annotations

import pytest

from pdescry.experiments import reproduce
from tests.experiments.conftest import make  # noqa: F401 -- a fixture


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "reproduction" / "full"


@pytest.fixture
def made(make):  # noqa: F811
    """Heat at one noise, finished."""
    return make("heat", 0.05, STBLR={"u_xx": 1.9}, STOLS_status="ill-posed")


def test_it_prints_tables_and_says_where_files_are(run, made, tmp_path):
    code, out, err = run("reproduce", "heat", "--noise", "0.05", "--document", "all.md")
    assert (code, err) == (0, "")
    assert [f"Table {number}." in out for number in (6, 7, 8, 9)] == [False, True, True, True]
    assert "1.4124" in out  # published
    assert "1.9000" in out  # ours
    assert "ill-posed" in out
    assert out.splitlines()[-1] == "Wrote reproduction/full/tables, all.md and reproduction/full/figures."
    assert (tmp_path / "all.md").read_text(encoding="utf-8").startswith("# The paper's tables")
    assert len(list((tmp_path / "reproduction/full/figures").iterdir())) == 4


def test_narrow_terminals_cut_no_number(run, made, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    code, out, _ = run("reproduce", "heat", "--noise", "0.05", "--no-figures")
    assert code == 0
    assert "…" not in out


def test_quiet_prints_nothing_and_figures_can_be_left_out(run, made, tmp_path):
    assert run("reproduce", "HEAT", "--noise", "0.05", "--no-figures", "-q") == (0, "", "")
    assert not (tmp_path / "reproduction/full/figures").exists()


def test_failed_cells_are_told_and_end_with_1(run, made, monkeypatch):
    def failing(*arguments, **options):
        found = reproduce(*arguments, **options)
        found.failures["generated-heat-noise0.01-seed0"] = "the chain did not start"
        return found

    monkeypatch.setattr("pdescry.experiments.reproduce", failing)
    code, out, err = run("reproduce", "heat", "--noise", "0.05", "--no-figures")
    assert code == 1
    assert "Table 8." in out
    assert err.splitlines() == [
        "Failed: generated-heat-noise0.01-seed0: the chain did not start",
        "Error: 1 cell failed; the others are kept in 'reproduction'.",
    ]


def test_interrupted_it_says_how_to_go_on(run, monkeypatch):
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("pdescry.experiments.reproduce", interrupted)
    code, out, err = run("reproduce", "all")
    assert (code, out) == (130, "")
    assert err == "Interrupted; finished cells are kept in 'reproduction'; repeat the command to go on from there.\n"


BAD = {
    "an unknown system": (["wave"], "got 'wave'"),
    "another noise": (["heat", "--noise", "0.3"], "got 0.3"),
    "an unknown scale": (["heat", "--scale", "huge"], "got 'huge'"),
    "no readings there": (["heat", "--readings", "nowhere"], "--readings"),
    "a document of unknown kind": (["heat", "--document", "a.html"], "*.md"),
}


@pytest.mark.parametrize(("options", "says"), BAD.values(), ids=BAD)
def test_bad_options_end_with_2_before_any_work(run, tmp_path, options, says):
    code, out, err = run("reproduce", *options)
    assert (code, out) == (2, "")
    assert err.startswith("Error: ")
    assert says in err
    assert list(tmp_path.iterdir()) == []


def test_help_names_every_option(run):
    _, out, _ = run("reproduce", "--help")
    flags = ("noise", "seeds", "scale", "readings", "output", "document", "workers", "no-figures", "quiet")
    assert all(f"--{flag} " in out for flag in flags)
