"""The benchmark beside peers: rows from seeds, measures, adapters and the page. No peer is needed."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pdescry
from pdescry.experiments.markdown import lay_out

BURGERS = {"u_t: u_xx": 0.1, "u_t: u*u_x": -1.0}
WRONG = {"u_t: u_xx": 0.12, "u_t: u": 0.3}
ROW = "burgers-16-0.05"


def answer(coefficients: dict[str, float], seconds: float = 1.0, sd: float | None = None) -> dict[str, Any]:
    sds = dict.fromkeys(coefficients, sd) if sd else {}
    return {"coefficients": coefficients, "sd": sds, "settings": "some", "seconds": seconds}


def record(method: str, best: dict[str, float], default: dict[str, float] | None = None, **more: Any) -> dict[str, Any]:
    by_default = answer(best if default is None else default)
    made = {"commit": "abc", "versions": {"python": "3.11"}, "readings": 816, "tried": 3, "field_error": None}
    return made | {"row": ROW, "method": method, "seed": 201, "best": answer(best), "default": by_default} | more


# ---- rows ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [ROW, "heat_2d-60-0.02", "burgers-grid-0.5", "noise", "shuffled", "D1", "D5"])
def test_a_row_is_made_from_its_seed_alone(module: Any, name: str) -> None:
    rows = module("peers.rows")
    first, again, other = (rows.work_of(rows.ROWS[name], seed) for seed in (201, 201, 202))
    for part in ("time", "space", "values", "points"):
        assert getattr(first, part).tobytes() == getattr(again, part).tobytes()
    assert first.values.tobytes() != other.values.tobytes()
    assert first.candidates == other.candidates


def test_the_noise_of_a_row_is_what_it_says(module: Any) -> None:
    rows = module("peers.rows")
    for name in ("burgers-grid-0.5", "D5"):
        row = rows.ROWS[name]
        readings = rows.readings_of(row, 201)
        true = rows.field_at(row, np.column_stack([readings.time, readings.space]))
        assert (readings.values - true).std() / true.std() == pytest.approx(row.noise, rel=0.1)


def test_readings_without_a_law_are_those_of_no_field(module: Any) -> None:
    rows = module("peers.rows")
    shuffled, kept = (rows.readings_of(rows.ROWS[name], 201) for name in ("shuffled", "advection_diffusion-16-0.05"))
    assert not np.array_equal(shuffled.values, kept.values)
    for sensor in range(kept.n_sensors):
        own = kept.sensor == sensor
        np.testing.assert_array_equal(np.sort(shuffled.values[own], axis=0), np.sort(kept.values[own], axis=0))
    assert rows.truth_of(rows.ROWS["shuffled"]) == {}


def test_the_peak_obeys_burgers_equation(module: Any) -> None:
    field, h = module("peers.rows").burgers_from_a_peak, 1e-3
    t, x = np.meshgrid(np.linspace(1, 4, 5), np.linspace(-1, 2, 7))
    u = field(t, x, 0.1)
    rate = (field(t + h, x, 0.1) - field(t - h, x, 0.1)) / (2 * h)
    slope = (field(t, x + h, 0.1) - field(t, x - h, 0.1)) / (2 * h)
    bend = (field(t, x + h, 0.1) - 2 * u + field(t, x - h, 0.1)) / h**2
    np.testing.assert_allclose(rate, 0.1 * bend - u * slope, atol=1e-5)


def test_all_candidates_hold_the_law(module: Any) -> None:
    """As pdescry writes terms, however peers write them."""
    rows = module("peers.rows")
    for row in rows.ROWS.values():
        fields, axes = rows.law_of(row).fields, rows.axes_of(row)
        offered = [str(pdescry.Term.parse(text, fields, axes)) for text in rows.candidates_of(row)]
        assert len(set(offered)) == len(offered)
        assert {name.partition(": ")[2] for name in rows.truth_of(row)} <= set(offered)


# ---- measures --------------------------------------------------------------------------------------------------------


def test_measures_of_a_wrong_law(module: Any) -> None:
    found = module("peers.measures").measure(WRONG, BURGERS, {"u_t: u_xx": 0.02, "u_t: u": 0.1}, ("u",), ("x",))
    assert not found.right
    assert found.said
    assert found.rate == 1 / 3
    assert found.e2 == pytest.approx(math.hypot(0.02, 0.3, 1.0) / math.hypot(0.1, 1.0))
    assert found.covered == (True,)
    assert found.widths == pytest.approx((2 * 1.96 * 0.02 / 0.1,))


def test_a_law_counts_however_it_is_written(module: Any) -> None:
    measure = module("peers.measures").measure
    truth = {"u_t: u_xx": 0.5, "u_t: u_yy": 0.5}
    found = measure({"u_t: lap(u)": 0.51}, truth, {"u_t: lap(u)": 0.001}, ("u",), ("x", "y"))
    assert found.right
    assert found.covered == (False, False)
    assert not measure({"u_tt: lap(u)": 0.5}, truth, {}, ("u",), ("x", "y")).right


def test_no_law_is_right_about_nothing(module: Any) -> None:
    measure = module("peers.measures").measure
    for truth in (BURGERS, {}):
        found = measure({}, truth, {}, ("u",), ("x",))
        assert (found.right, found.said) == (False, False)


def test_the_best_answer_is_in_the_methods_favour(module: Any) -> None:
    best = module("peers.measures").best
    near, far = {"u_t: u_xx": 0.11, "u_t: u*u_x": -1.0}, {"u_t: u_xx": 0.2, "u_t: u*u_x": -0.5}
    answers = [answer(each) for each in (WRONG, far, near, {**BURGERS, "u_t: u": 0.001})]
    assert best(answers, 0, BURGERS, ("u",), ("x",)) == 2
    assert best(answers[:2], 0, BURGERS, ("u",), ("x",)) == 1
    assert best(answers, 3, {}, ("u",), ("x",)) == 3  # without a law, as the method would have said by itself


def test_the_error_of_a_field_is_a_share_of_its_sd(module: Any) -> None:
    field_error = module("peers.measures").field_error
    truth = np.column_stack([np.linspace(0, 1, 50), np.linspace(0, 100, 50)])
    assert field_error(truth + 0.1 * truth.std(axis=0), truth) == pytest.approx(0.1)
    assert field_error(None, truth) is None


# ---- adapters --------------------------------------------------------------------------------------------------------


@pytest.fixture
def template(module: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """`compare`, with a small row and a method that is the template."""
    compare, methods, rows = module("compare"), module("peers.methods"), module("peers.rows")
    monkeypatch.setitem(rows.ROWS, "tiny", rows.Row("tiny", "advection_diffusion", 64, 0.0, frozenset({rows.OTHER})))
    monkeypatch.setitem(methods.METHODS, "template", methods.Method("template", "template.py", "", "nothing"))
    return compare


def test_the_template_finds_a_law(template: Any) -> None:
    found = template.record_of("tiny", "template", 201, sys.executable)
    assert found["best"]["coefficients"] == pytest.approx({"u_t: u_x": -1.0, "u_t: u_xx": 0.1}, rel=0.1)
    assert (found["row"], found["method"], found["seed"], found["tried"]) == ("tiny", "template", 201, 1)
    assert found["best"]["seconds"] > 0
    json.dumps(found)


def test_an_adapter_that_fails_says_why(template: Any, module: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    methods = module("peers.methods")
    monkeypatch.setitem(methods.METHODS, "absent", methods.Method("absent", "absent.py", "", "nothing"))
    with pytest.raises(RuntimeError, match=r"absent\.py"):
        template.record_of("tiny", "absent", 201, sys.executable)


def test_only_what_is_missing_is_made(
    template: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[str] = []

    def made(make: Any, todo: dict[str, Any], *engine: Any) -> Any:
        asked.extend(todo)
        yield from ((name, record("template", BURGERS)) for name in todo)

    monkeypatch.setattr(template, "made", made)
    monkeypatch.chdir(tmp_path)
    words = ["--methods", "template", "--rows", "tiny", "--seeds"]

    def run(command: str, seeds: int) -> None:
        monkeypatch.setattr(sys, "argv", ["compare.py", command, "records", *words, str(seeds)])
        template.main()

    run("run", 1)
    run("run", 2)
    assert asked == ["tiny--template--201", "tiny--template--202"]
    with pytest.raises(SystemExit, match="1"):
        run("missing", 3)
    assert "tiny--template--203\n1 of 3 records are missing." in capsys.readouterr().out


def test_a_peer_that_is_not_installed_is_named(template: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["run", str(tmp_path), "--methods", "pysindy", "--seeds", "1", "--environments", str(tmp_path / "none")]
    monkeypatch.setattr(sys, "argv", ["compare.py", *words])
    with pytest.raises(SystemExit, match=r"set_up\.sh"):
        template.main()


def test_terms_are_read_as_they_are_written(module: Any) -> None:
    terms = module("peers.adapters.terms")
    table = {"u": np.array([2.0]), "v": np.array([3.0]), "u_xx": np.array([5.0])}
    assert terms.value_of("u^2*v*u_xx", table, np.ones(1)) == 60.0
    assert terms.value_of("1", table, np.ones(1)) == 1.0
    assert terms.derivatives_in(["u*u_xx", "u_x", "v"]) == ["u_x", "u_xx"]
    assert [terms.has_product(text) for text in ("u_xx", "u^2", "u*u_x", "u_x^2")] == [False, False, True, True]
    assert terms.scale_of("u*u_xx", 10.0, {"x": 2.0}) == 25.0


# ---- the page --------------------------------------------------------------------------------------------------------


def page_of(module: Any, *records: dict[str, Any]) -> str:
    return lay_out(module("peers.page").markdown(records, "benchmark"))


def test_rows_in_which_a_peer_is_better_are_named_at_the_top(module: Any) -> None:
    page = page_of(module, record("pdescry", WRONG), record("pysindy", BURGERS, WRONG), record("pde-find", WRONG))
    top = page.partition("## ")[0]
    assert "in 0 of 1 rows" in top
    assert "| burgers | 16 sensors | 5% | 0 of 1 | PySINDy, PDE library 1 of 1 |" in top
    assert "| burgers | 16 sensors | 5% | 0 of 1 | 1 of 1 (0) | 0 of 1 (0) |" in page  # in brackets: default settings


def test_a_tie_is_no_row_in_which_a_peer_is_better(module: Any) -> None:
    page = page_of(module, record("pdescry", BURGERS), record("pysindy", BURGERS))
    top = page.partition("## ")[0]
    assert "in 1 of 1 rows" in top
    assert "more often right" not in top


def test_methods_are_compared_on_the_seeds_that_both_have(module: Any) -> None:
    page = page_of(
        module,
        record("pdescry", BURGERS, seed=201),
        record("pdescry", WRONG, seed=202),
        record("pysindy", BURGERS, seed=201),
    )
    assert "in 1 of 1 rows" in page


def test_the_page_tells_what_was_said_without_a_law_and_what_is_missing(module: Any) -> None:
    nothing: dict[str, Any] = {"row": "noise"}
    records = [
        *(record("pdescry", BURGERS, seed=seed) for seed in (201, 202)),
        record("pdescry", {}, **nothing),
        record("pysindy", WRONG, **nothing),
    ]
    page = page_of(module, *records)
    assert "| noise alone | 16 sensors | 0 of 1 | 1 of 1 |" in page
    assert "Not run yet: fisher_kpp" not in page  # a part without records is left out
    assert "Not run yet: burgers-8-0.05" in page
    assert "has 1 to 2 of the 5 seeds" in page


def test_published_numbers_stand_beside_ours(module: Any) -> None:
    off = {"u_t: u_xx": 0.1, "u_t: u*u_x": -1.1}
    page = page_of(module, record("pdescry", off, row="D5"), record("pdescry", BURGERS))
    assert "| D5 | u_t = 0.1*u_xx - u*u_x | DeePyMoD: 0.092 | 0.100 |" in page


def test_figures_are_drawn(module: Any, tmp_path: Path) -> None:
    page, rows = module("peers.page"), module("peers.rows").ROWS
    series = [row.name for row in rows.values() if row.parts & {"sensors", "noise"} and row.system == "burgers"]
    records = [record(method, BURGERS, WRONG, row=name) for name in series for method in ("pdescry", "pysindy")]
    written = page.draw([*records, record("deepymod", WRONG)], tmp_path / "benchmark.md")
    assert [path.name for path in written] == ["benchmark_rates.png", "benchmark_seconds.png"]
    assert all(path.stat().st_size > 5000 for path in written)
