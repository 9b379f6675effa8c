"""`reproduce` with a stand-in for `discover`: what it asks for, what it keeps, how it goes on."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from pdescry.data import systems
from pdescry.derivatives import differentiate
from pdescry.errors import InputError, PdescryError
from pdescry.experiments import reproduce
from pdescry.experiments.cell import Cell, fingerprint, measure, read_record
from pdescry.experiments.paper import EXPERIMENTS, NOISES
from pdescry.regression import STBLR, regress
from pdescry.solver import Solution, simulate
from pdescry.surrogate import HMC, PAPER_DNN, Adam, Network, Noise, Posterior, Prior
from pdescry.surrogate.chain import Plan, Trace
from pdescry.surrogate.model import build
from pdescry.surrogate.scaling import Scaling
from pdescry.two_stage import Regressed
from tests.experiments.conftest import fields_of, numbers_of


def posterior_of(readings, draws: int = 12) -> Posterior:
    """Draws from the prior of a small network: a field as good as any other to be measured."""
    scaling = Scaling.of(readings)
    model, _ = build(readings, Network(width=5, depth=1), Prior(), Noise(), scaling)
    positions = np.random.default_rng(0).standard_normal((1, draws, model.dimension)).astype(np.float32)
    trace = Trace(*(np.zeros((1, draws)) for _ in Trace._fields))
    return Posterior(readings, Plan(model, Adam(), HMC()), scaling, positions[:, 0], positions, trace)


@pytest.fixture
def asked(monkeypatch) -> list[dict[str, Any]]:
    """What `discover` was called with; it leaves checkpoints, and its laws are given up after a tenth of a second."""
    calls: list[dict[str, Any]] = []

    def discover(readings, candidates, *, workdir, points, within, method, progress, seed, **rest: Any) -> Any:
        calls.append(
            {"readings": readings, "workdir": workdir, "points": points, "method": method, "seed": seed, **rest}
        )
        Path(workdir).mkdir()
        (Path(workdir) / "block.npz").write_bytes(b"draws")
        progress("field: sampling", 1.0, None)
        posterior = posterior_of(readings)
        derivatives = differentiate(posterior, candidates, points=60, within=within, keep_points=30, seed=seed)
        return SimpleNamespace(inference=Regressed(posterior, derivatives, (regress(derivatives, method),)))

    module = ModuleType("pdescry.discovery")
    module.discover = discover  # pyright: ignore[reportAttributeAccessIssue]
    monkeypatch.setitem(sys.modules, "pdescry.discovery", module)

    def solve(law, **options: Any) -> Solution:
        if law not in [systems.get(name).equation for name in EXPERIMENTS]:
            options["max_seconds"] = 0.1
        return simulate(law, **options)

    monkeypatch.setattr("pdescry.experiments.cell.simulate", solve)
    return calls


def test_a_law_that_lost_every_term_leaves_the_field_as_it_began():
    cell, heat = Cell("heat", 0.05, 0), systems.heat()
    posterior = posterior_of(cell.readings())
    derivatives = differentiate(posterior, "paper", points=60)
    baseline = differentiate(posterior.start, "paper", points=derivatives.points)
    numbers, fields = measure(cell, posterior, derivatives, regress(derivatives, STBLR(1e9)), baseline, {})
    found = numbers["laws"]["STBLR"]
    assert (found["coefficients"], found["status"], found["e_C"], found["until"]) == ({}, "ok", 2.0, heat.until)
    places, times = cell.experiment.grid
    t, x = np.linspace(0, heat.until, times), np.linspace(*heat.domain, places)
    away = heat.solution.at(t[:, None], x[None, :]) - 10 * np.cos(np.pi * (x - 5) / 10)
    assert found["e_L"] == pytest.approx(np.sqrt(np.sum(away**2)), rel=1e-6)
    assert np.ptp(fields["learned_stblr"].values, axis=0).max() < 1e-6


def test_from_readings_to_tables_figures_and_document(asked, tmp_path, monkeypatch):
    monkeypatch.setattr(sys.modules["pdescry.experiments.reproduce"], "n_cores", lambda: 2)
    told: list[str] = []

    def progress(stage: str, fraction: float, left: float | None) -> None:
        told.append(stage)

    found = reproduce("heat", noises=[0.05], scale="quick", output=tmp_path / "out", progress=progress)
    assert found.failures == {}
    (call,) = asked
    assert call["preset"] == "paper"
    assert call["points"] == 2000
    assert call["sampler"] == HMC(step_size=5e-4, steps=30, draws=380, burn=20)
    assert call["start"] == Adam(3000, 1e-3, False, "misfit")
    assert call["method"].threshold == STBLR(0.02).threshold
    assert call["workers"] is None  # the only cell may use every core
    assert len(call["readings"]) == 16 * 50  # as the paper has for heat, not 51
    (record,) = found.records
    assert record.folder == tmp_path / "out" / "quick" / "generated-heat-noise0.05-seed0"
    assert sorted(path.name for path in record.folder.iterdir()) == ["cell.json", "fields.nc"]  # and no checkpoints
    assert record.numbers["scale"] == "quick"
    assert record.numbers["seconds"].keys() == {"discovery", "measuring"}
    assert set(record.laws) == {"STBLR", "STOLS", "STOLS with the indexing bug"}
    assert told[0] == "0 of 1 cells done; generated-heat-noise0.05-seed0: field: sampling"
    assert told[-1].startswith("1 of 1 cells done")
    assert [table.number for table in found.tables] == [7, 8, 9]
    assert len(found.write_tables()) == 10
    assert len(found.draw_figures()) == 4
    found.write_document(tmp_path / "reproduction.md")
    assert "1 run: 1 of 9 cells" in (tmp_path / "reproduction.md").read_text(encoding="utf-8")
    # Finished cells are not made again.
    again = reproduce("heat", noises=[0.05], scale="quick", output=tmp_path / "out")
    assert len(asked) == 1
    assert again.records[0].numbers == record.numbers


@pytest.fixture
def measured(asked, monkeypatch):
    """`measure` has a stand-in, too: for what is about folders, not about numbers."""

    def measure(cell, *_: Any):
        return numbers_of(cell), fields_of(cell)

    monkeypatch.setattr(sys.modules["pdescry.experiments.reproduce"], "measure", measure)
    return asked


def test_full_scale_is_the_released_program(measured, tmp_path):
    reproduce(["kdv"], noises=[0.0], output=tmp_path, workers=1)
    (call,) = measured
    assert call["sampler"] == HMC(step_size=1e-4, steps=30, draws=5800, burn=200)
    assert (call["start"], call["points"], call["workers"]) == (PAPER_DNN, 10_000, 1)


@pytest.mark.slow
def test_all_cells_of_all_seeds(measured, tmp_path):
    found = reproduce(("heat", "burgers"), seeds=2, output=tmp_path, workers=1)
    assert len(found.records) == len(measured) == 2 * len(NOISES) * 2
    assert [call["seed"] for call in measured] == [0] * 6 + [1] * 6
    assert found.names == ("burgers", "heat")


def test_cells_of_other_readings_are_not_mixed(measured, tmp_path):
    reproduce("heat", noises=[0.0], output=tmp_path, workers=1)
    (path,) = tmp_path.glob("full/*/cell.json")
    for name, value in (("readings", 816), ("fingerprint", "0" * 16)):
        before = path.read_text()
        path.write_text(json.dumps(json.loads(before) | {name: value}))
        with pytest.raises(InputError, match="is of others; choose another --output"):
            reproduce("heat", noises=[0.0], output=tmp_path, workers=1)
        path.write_text(before)
    assert len(reproduce("heat", noises=[0.0], output=tmp_path, workers=1).records) == 1
    own = Cell("heat", 0.05, 0).readings()
    assert fingerprint(own) == fingerprint(replace(own, values=own.values * (1 + 1e-15)))
    assert fingerprint(own) != fingerprint(replace(own, values=own.values * 1.001))


def test_one_that_fails_is_told_and_the_others_are_kept(measured, tmp_path, monkeypatch):
    whole = sys.modules["pdescry.discovery"].discover

    def failing(readings, *arguments: Any, seed: int, **options: Any) -> Any:
        if seed == 4:
            raise PdescryError("the chain did not start")
        return whole(readings, *arguments, seed=seed, **options)

    monkeypatch.setattr(sys.modules["pdescry.discovery"], "discover", failing)
    found = reproduce("heat", noises=[0.0], seeds=[5, 4, 3], output=tmp_path, workers=1)
    assert found.failures == {"generated-heat-noise0.00-seed4": "the chain did not start"}
    assert [record.cell.seed for record in found.records] == [3, 5]


def test_an_interrupted_cell_keeps_its_checkpoints_and_goes_on(measured, tmp_path, monkeypatch):
    cell = tmp_path / "full" / "generated-heat-noise0.00-seed0"

    def interrupted(readings, *_: Any, workdir: Path, **__: Any) -> None:
        workdir.mkdir()
        (workdir / "block.npz").write_bytes(b"draws")
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(sys.modules["pdescry.discovery"], "discover", interrupted)
        with pytest.raises(KeyboardInterrupt):
            reproduce("heat", noises=[0.0], output=tmp_path)
    assert (cell / "run" / "block.npz").exists()
    assert read_record(cell) is None
    (cell / "run" / "block.npz").unlink()
    (cell / "run").rmdir()  # the stand-in makes it anew
    assert len(reproduce("heat", noises=[0.0], output=tmp_path).records) == 1
    assert not (cell / "run").exists()
    # Interrupted after the record was written: the checkpoints go at the next call.
    (cell / "run").mkdir()
    reproduce("heat", noises=[0.0], output=tmp_path)
    assert not (cell / "run").exists()


def test_the_papers_readings_are_read_from_their_folder(measured, tmp_path):
    readings = systems.heat().observe(noise=0.01, seed=0)
    np.savez(tmp_path / "heat_noise0.01_sensors.npz", t=readings.time, x=readings.space[:, 0], u=readings.values[:, 0])
    found = reproduce("heat", noises=[0.01], readings=tmp_path, output=tmp_path / "out")
    assert [record.cell.name for record in found.records] == ["paper-heat-noise0.01-seed0"]
    assert np.array_equal(measured[0]["readings"].values, readings.values)


BAD = {
    "an unknown system": ({"names": ["wave"]}, "burgers, kdv, heat; got 'wave'"),
    "another noise": ({"noises": [0.02]}, "0, 0.01, 0.05; got 0.02"),
    "an unknown scale": ({"scale": "huge"}, "full, quick; got 'huge'"),
    "no seeds": ({"seeds": 0}, "at least one seed"),
    "a negative seed": ({"seeds": [-1]}, "at least one seed"),
    "half a seed": ({"seeds": [0.5]}, "at least one seed"),
    "no workers": ({"workers": 0}, "number of workers to be a whole number of at least 1"),
    "no readings there": ({"readings": Path("nowhere")}, "burgers_noise0.00_sensors.npz"),
}


@pytest.mark.parametrize(("options", "says"), BAD.values(), ids=BAD)
def test_bad_input_is_told_before_any_work(asked, tmp_path, options, says):
    with pytest.raises(InputError, match=says):
        reproduce(**{"output": tmp_path / "out", **options})
    assert asked == []
    assert not (tmp_path / "out").exists()


def test_a_damaged_record_is_told_before_any_work(measured, tmp_path):
    reproduce("heat", noises=[0.0], output=tmp_path, workers=1)
    (path,) = tmp_path.glob("full/*/cell.json")
    path.write_text(json.dumps(json.loads(path.read_text()) | {"laws": {}}))
    with pytest.raises(InputError, match="damaged"):
        reproduce("kdv", noises=[0.0], output=tmp_path, workers=1)
    assert len(measured) == 1


def test_a_cell_without_a_folder_fails_alone_and_says_why(measured, tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "generated-heat-noise0.00-seed0").write_text("in the way")
    found = reproduce("heat", noises=[0.0, 0.01], output=tmp_path, workers=1)
    assert list(found.failures) == ["generated-heat-noise0.00-seed0"]
    assert "as a folder" in found.failures["generated-heat-noise0.00-seed0"]
    assert [record.cell.noise for record in found.records] == [0.01]


def test_records_without_fields_are_not_drawn(measured, tmp_path):
    found = reproduce("heat", noises=[0.0, 0.01], output=tmp_path, workers=1)
    (found.records[0].folder / "fields.nc").unlink()
    with pytest.warns(UserWarning, match="1 of 2 cells have no fields.nc"):
        assert len(found.draw_figures()) == 4
    (found.records[1].folder / "fields.nc").unlink()
    with pytest.warns(UserWarning, match="2 of 2 cells"):
        assert found.draw_figures() == []


def test_an_output_that_is_a_file_is_told(asked, tmp_path):
    (tmp_path / "out").write_text("mine")
    with pytest.raises(InputError, match="as a folder"):
        reproduce("heat", output=tmp_path / "out")
