"""`pdescry discover`, `resume`, `show`, `refine` and `config` as a user types them. One small run is shared."""

from __future__ import annotations

import json
import re
import shutil
import tomllib
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import NamedTuple

import pytest

from pdescry import read, systems
from pdescry.cli import main
from pdescry.cli.discover import _stem
from pdescry.cli.progress import progress_bars
from pdescry.discovery import choose_settings, load, to_toml
from pdescry.errors import PdescryError
from pdescry.notices import Notice, stored
from pdescry.surrogate import Noise
from tests.discovery.conftest import JOINT, TINY, near_tie, with_comparison, with_readings


class Finished(NamedTuple):
    folder: Path
    code: int
    out: str
    err: str


@pytest.fixture(scope="module")
def finished(tmp_path_factory) -> Finished:
    folder = tmp_path_factory.mktemp("discover")
    systems.heat().observe(sensors=8, noise=0.05, every=0.5, seed=3).to_csv(folder / "rod.csv")
    (folder / "tiny.toml").write_text(to_toml(choose_settings("default", TINY)), encoding="utf-8")
    words = ["discover", str(folder / "rod.csv"), "--config", str(folder / "tiny.toml"), "-o", str(folder / "run")]
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as ended:
        main([*words, "-c", "u_xx, u_x", "--set", "sampler.draws=31", "--points", "301", "--workers", "1"])
    return Finished(folder, int(ended.value.code or 0), out.getvalue(), err.getvalue())


@pytest.fixture(scope="module")
def jointly(finished) -> Finished:
    """Law and field together, from the draws of the other run; what is known stands at the shell."""
    folder = finished.folder
    shutil.copytree(folder / "run", folder / "joint")
    (folder / "joint.toml").write_text(to_toml(choose_settings("default", JOINT)), encoding="utf-8")
    words = ["discover", str(folder / "rod.csv"), "--config", str(folder / "joint.toml"), "-o", str(folder / "joint")]
    words += ["-c", "u_xx, u_x", "--set", "sampler.draws=31", "--points", "301", "--workers", "1", "--force"]
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as ended:
        main([*words, "--method", "joint", "--known", "u_xx > 0", "--known", "u_xx", "--no-figures"])
    return Finished(folder, int(ended.value.code or 0), out.getvalue(), err.getvalue())


@pytest.fixture
def here(finished, tmp_path) -> Finished:
    """A copy in the empty folder of `run`."""
    shutil.copytree(finished.folder, tmp_path, dirs_exist_ok=True)
    return finished


def test_what_is_printed(finished):
    assert finished.code == 0
    told = json.loads((finished.folder / "run" / "law.json").read_text())
    assert finished.out.startswith(told["law"][0] + "\n  term  coefficient")
    assert "What to try next:" in finished.out
    assert f"Everything is in {finished.folder / 'run'}/" in finished.out
    for sentence in finished.err.splitlines():
        assert sentence.startswith("Warning: ")
    assert re.search(r"--(burn|thin) \d+", finished.err)  # not burn=


@pytest.mark.parametrize(
    ("words", "sd"), [([], 0.1), (["--noise", "0.02"], "readings"), (["--noise", "0.02", "--set", "noise.sd=0.3"], 0.3)]
)
def test_noise_at_the_shell_is_stronger_than_the_file(words, sd, here, run, monkeypatch):
    class Asked(PdescryError):
        """With the settings."""

    def find(readings, *, config, **_):
        raise Asked(str(choose_settings(None, config).noise))

    monkeypatch.setattr("pdescry.discovery.discover", find)
    (here.folder.parent / "paper.toml").write_text(run("config", "--preset", "paper")[1], encoding="utf-8")
    code, _, err = run("discover", "rod.csv", "--config", str(here.folder.parent / "paper.toml"), "-o", "new", *words)
    assert (code, err) == (1, f"Error: {Noise(sd)}\n")


def test_flags_are_stronger_than_the_file(finished):
    with (finished.folder / "run" / "config.toml").open("rb") as stream:
        tables = tomllib.load(stream)
    assert tables["sampler"]["draws"] == 31
    assert tables["derivatives"]["points"] == 301
    assert tables["network"]["width"] == 6
    assert tables["law"]["candidates"] == ["u_xx", "u_x"]


def test_show_and_resume_print_it_again(here, run):
    for command in ("show", "resume"):
        code, out, err = run(command, "run")
        assert code == 0
        assert out.replace(" run/", f" {here.folder / 'run'}/") == here.out
        assert err == here.err
    code, out, err = run("show", "run", "--json")
    assert (code, err) == (0, "")
    assert out == (here.folder / "run" / "law.json").read_text()
    code, out, _ = run("resume", "run", "--quiet")
    assert code == 0
    assert out == here.out.splitlines()[0] + "\n"


def test_what_was_done_to_the_readings_is_printed(here, run):
    law = load("run")
    readings = replace(
        law.readings, notes=(Notice.of("averaged-in-time", before=9, after=3, alike=True, each=3.0, harmless=False),)
    )
    with_readings(law, readings).save("noted")
    _, out, _ = run("show", "noted")
    assert "\nNote: 9 readings were averaged to 3, 3 at a time; --average off keeps them all.\n" in out
    assert json.loads(Path("noted/law.json").read_text())["readings"]["notes"] == stored(readings.notes)
    assert load("noted").readings.notes == readings.notes


def test_a_folder_that_is_taken(here, run):
    code, _, err = run("discover", "rod.csv", "-o", "run")
    assert code == 2
    assert "`pdescry show run` prints it" in err
    Path("run/law.json").unlink()
    code, _, err = run("discover", "rod.csv", "-o", "run")
    assert code == 2
    assert "`pdescry resume run`" in err
    Path("notes").mkdir()
    Path("notes/mine.txt").write_text("mine")
    code, _, err = run("discover", "rod.csv", "-o", "notes", "--force")
    assert code == 2
    assert "contains 'mine.txt'" in err
    assert Path("notes/mine.txt").read_text() == "mine"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--set", "sampler.drws=4"], "Did you mean sampler.draws?"),
        (["--set", "draws"], "section.name=value"),
        (["--average", "2"], "average to be 'auto'"),
        (["--average", "everything"], "average to be 'auto'"),
        (["--preset", "best"], "preset to be one of default, paper, paper_as_printed"),
        (["--config", "absent.toml"], "Cannot read the settings"),
        (["-c", "u_xq"], "u_xq"),
        (["--method", "stblr"], "a threshold for STBLR"),
        (["--sampler", "gibbs"], "sampler.kind to be one of"),
        (["--chains", "0"], "number of chains"),
        (["--time", "clock"], "clock"),
        (["--known", "u_xx > 1"], "'u_xx > 0', 'u_xx = 0.1'"),
        (["--known", "u_x^4"], "among the candidates"),
        (["--known", "u > 0", "--method", "greedy"], "no setting regression.known"),
    ],
)
def test_bad_input_is_told_and_replaces_nothing(words, said, here, run):
    before = Path("run/law.json").read_bytes()
    code, out, err = run("discover", "rod.csv", "-o", "run", "--force", *words)
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") <= 3  # a sentence, perhaps with a caret under a term
    assert Path("run/law.json").read_bytes() == before


@pytest.mark.parametrize(
    ("file", "stem"),
    [
        ("rod.csv", "rod"),
        ("a/rod.csv.gz", "rod"),
        ("temp_0.5.csv", "temp_0.5"),
        ("run.2024-01-01.csv", "run.2024-01-01"),
    ],
)
def test_names_of_run_directories_do_not_collide(file, stem):
    assert _stem(file) == stem


def test_folders_that_are_no_runs(run):
    for command in ("show", "resume"):
        code, _, err = run(command, "absent")
        assert code == 2
        assert "pdescry discover FILE" in err


@pytest.mark.parametrize("preset", ["default", "paper", "paper_as_printed"])
def test_config_prints_settings_that_can_be_read(preset, run):
    code, out, err = run("config", "--preset", preset, "--set", "seed=4")
    assert (code, err) == (0, "")
    tables = tomllib.loads(out)
    assert (tables["preset"], tables["seed"]) == (preset, 4)
    assert all("#" in line for line in out.splitlines() if "=" in line)


def test_a_bar_for_each_stage(monkeypatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "100")
    with progress_bars(silent=False) as show:
        show("field: sampling", 0.5, 60.0)
        show("derivatives: differentiating", 0.25, 10.0)
        show("derivatives: differentiating", 0.75, 5.0)
    drawn = capsys.readouterr().err
    assert "derivatives: differentiating" in drawn
    assert "75%" in drawn
    assert "100%" in drawn  # the field is done
    with progress_bars(silent=True) as show:
        show("field: sampling", 0.5)
    assert capsys.readouterr().err == ""


# ---- law and field together ------------------------------------------------------------------------------------------


def test_what_is_printed_of_a_law_with_its_field(jointly):
    assert jointly.code == 0
    lines = jointly.out.splitlines()
    assert lines[0].startswith("u_t = ")
    assert lines[1].split() == ["term", "probability", "coefficient", "sd", "95", "%", "interval"]
    assert lines[2].split()[:2] == ["u_xx", "1.00"]
    assert "too narrow" not in jointly.out
    assert re.search(r"Held-out sensors are predicted to within 0\.\d+ \(expected 0\.\d+\)\.", jointly.out)
    told = tomllib.loads((jointly.folder / "joint" / "config.toml").read_text())
    assert told["regression"]["method"] == "joint"
    assert told["regression"]["known"] == ["u_xx > 0", "u_xx"]
    assert not (jointly.folder / "joint" / "derivatives.nc").exists()


def test_near_ties_are_printed(jointly, run, tmp_path):
    near_tie(load(jointly.folder / "joint")).save(tmp_path / "near")
    code, out, err = run("show", "near")
    assert code == 0
    assert re.fullmatch(r"  or u_t = .* \(probability 0\.30\)", out.splitlines()[1])
    assert "Other laws explain the readings" in err
    assert '--known "u_xx > 0"' in out


def test_that_the_readings_do_not_tell_is_printed(jointly, run, tmp_path):
    with_comparison(load(jointly.folder / "joint"), reasons={"u": Notice.of("as-well-by-constant")}).save(
        tmp_path / "noise"
    )
    code, out, err = run("show", "noise")
    assert code == 0
    lines = out.splitlines()
    assert lines[0].startswith("cannot tell: The readings are as well explained by one constant")
    assert lines[1].startswith("The best law, which the readings do not support: u_t = ")
    assert "95 % interval" not in out
    assert "Warning: The readings do not determine a law" in err
    assert "What to try next:" in out
    code, _, err = run("refine", "noise")
    assert code == 2
    assert "name its terms with --law" in err


def test_refine_takes_a_law_with_its_field(jointly, run, tmp_path):
    shutil.copytree(jointly.folder / "joint", tmp_path / "joint")
    code, out, _ = run("refine", "joint", "--quiet")
    assert code == 0
    assert "*u_xx" in out


# ---- refine ----------------------------------------------------------------------------------------------------------


def test_refine_compares_laws_by_held_out_sensors(here, run):
    code, out, err = run("refine", "run", "--law", "u_t = u_xx", "--law", "u_t = u")
    assert code == 0
    assert out.startswith("u_t = ")
    assert "95 % interval" in out
    assert "each predicted from the rest" in out
    last = out.splitlines()[-3:]
    assert last[0].split() == ["law", "elpd"]
    assert last[1].split() == ["u_xx", "+0.0", "best"]
    assert float(last[2].split()[1]) < -20
    assert "the law is not right" in err


def test_refine_as_json(here, run):
    code, out, _ = run("refine", "run", "-l", "u_t = u_xx", "--json")
    (told,) = json.loads(out)
    assert code == 0
    (row,) = told["coefficients"]
    assert row["term"] == "u_xx"
    assert abs(row["mean"] - 2) < 4 * row["sd"] < 0.5
    assert len(told["held_out"]) == 8
    assert abs(told["noise"]["u"] - 0.05) < 0.015


def test_refine_takes_the_law_that_was_found(here, run):
    code, out, _ = run("refine", "run", "--quiet")
    assert code == 0
    assert "*u_xx" in out
    assert len(out.splitlines()) == 1


def test_refine_wants_a_finished_run_and_a_law_that_it_can_take(here, run, tmp_path):
    assert run("refine", "nowhere")[0] == 2
    code, _, err = run("refine", "run", "--law", "v_t = v_xx")
    assert code == 2
    assert "Expected a law for each of u" in err
    (tmp_path / "run" / "law.json").unlink()
    code, _, err = run("refine", "run")
    assert code == 2
    assert "pdescry resume" in err


@pytest.mark.slow
def test_several_files_are_experiments_that_share_a_law(run, jointly, tmp_path):
    """From the draws of the other runs: of the same rod, read by half of its sensors."""
    folder = jointly.folder
    whole = read(folder / "rod.csv")
    whole.select(sensors=[0, 2, 4, 6, 7]).to_csv(tmp_path / "half.csv")
    words = ["-c", "u_xx, u_x", "--config", str(folder / "joint.toml"), "--workers", "1", "--known", "u_xx > 0"]
    code, out, err = run("discover", str(folder / "rod.csv"), "half.csv", *words, "-o", "both")
    assert code == 0, err
    assert "2 experiments, of one law" in out
    law = load(tmp_path / "both")
    assert [each.n_sensors for each in law.experiments] == [8, 5]
    code, out, _ = run("refine", "both", "--json")
    assert code == 0
    (fit,) = json.loads(out)
    assert {row["experiment"] for row in fit["held_out"]} == {0, 1}
    assert run("show", "both")[1].startswith(str(law))


def test_the_same_file_twice_is_no_second_experiment(run, finished):
    file = str(finished.folder / "rod.csv")
    code, _, err = run("discover", file, file, "-o", "twice")
    assert code != 0
    assert "the same readings twice" in err


# ---- where to read next ----------------------------------------------------------------------------------------------


def test_the_next_sensor_is_told_and_drawn(jointly, run, tmp_path):
    folder = str(jointly.folder / "joint")
    code, out, err = run("next-sensor", folder, "-n", "2", "--plot", "next.png")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].startswith("A sensor at x = ")
    assert "is expected to reduce the sd of the coefficient of u_xx from" in lines[0]
    assert lines[1].startswith("One more at x = ")
    assert lines[-1] == "Wrote next.png."
    assert (tmp_path / "next.png").stat().st_size > 10_000
    code, _, err = run("next-sensor", folder, "--plot", "next.png")
    assert code == 2
    assert "--force" in err
    code, out, _ = run("next-sensor", folder, "--json")
    told = json.loads(out)
    assert told["about"] == "law"
    assert told["sensors"][0]["sd of u_xx"] < told["sd"]["u_xx"]


def test_the_next_sensor_wants_a_run(run):
    code, _, err = run("next-sensor", "nowhere")
    assert code == 2
    assert "no run directory" in err
