"""Faulty sensors on their way into a run: left out, told, kept on disk, and asked for by name."""

from __future__ import annotations

import importlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pdescry import Law, Readings, discover, load, resume, systems
from pdescry.discovery.config import command_of, settings_from
from pdescry.discovery.discover import _sound, _without
from pdescry.discovery.judgement import judge
from pdescry.discovery.run import begun, load_inputs
from pdescry.discovery.settings import Settings
from pdescry.errors import InputError
from tests.discovery.conftest import with_inference


@pytest.fixture(scope="module")
def broken() -> Readings:
    """The fifth of eight sensors is dead."""
    t, x = np.meshgrid(np.linspace(0, 10, 31), np.linspace(0, 5, 8), indexing="ij")
    values = np.sin(x - t) + 0.02 * np.random.default_rng(1).standard_normal(t.shape)
    values[:, 4] = 0.213
    names = [f"TC{k}" for k in range(8)] * 31
    return Readings.from_arrays(t.ravel(), x.ravel(), values.ravel(), sensor=names, source="rod.csv")


def test_faults_are_kept_with_the_run(broken: Readings, tmp_path: Path):
    sound = _sound(broken, Settings())
    assert sound.n_sensors == 7
    with begun(tmp_path / "rod.pdescry", (sound,), Settings()):
        pass
    (again,), settings = load_inputs(tmp_path / "rod.pdescry")
    assert again == sound
    assert again.faults == sound.faults
    assert [str(each) for each in again.warnings] == ["TC4 reads u = 0.213 throughout and was left out."]
    assert settings.faults == "leave_out"


@pytest.mark.parametrize(("faults", "told"), [("tell", 1), ("ignore", 0)])
def test_faults_may_be_kept(broken: Readings, faults: str, told: int):
    kept = _sound(broken, settings_from({"sensors": {"faults": faults}}))
    assert kept == broken
    assert len(kept.warnings) == told


def test_sensors_are_left_out_of_the_experiments_that_have_them(broken: Readings):
    other = replace(broken, sensor_names=tuple("abcdefgh"))
    first, second = _without((broken, other), ("TC4", "a"))
    assert "TC4" not in (first.sensor_names or ())
    assert second.sensor_names == tuple("bcdefgh")
    with pytest.raises(InputError, match="'TC9'"):
        _without((broken, other), ("TC9",))


def test_settings_say_which_and_the_command_does(broken: Readings):
    settings = settings_from({"sensors": {"without": ["TC4", "TC5"]}})
    assert command_of([broken], settings) == "pdescry discover rod.csv --without TC4,TC5"
    with pytest.raises(InputError, match="names or numbers"):
        settings_from({"sensors": {"without": [1.5]}})
    with pytest.raises(InputError, match="faults"):
        settings_from({"sensors": {"faults": "repair"}})


def test_a_saved_law_still_tells(chosen: tuple[Law, Path], broken: Readings, tmp_path: Path):
    law, _ = chosen
    faults = _sound(broken, Settings()).faults
    law = with_inference(law, experiments=tuple(replace(each, faults=faults) for each in law.experiments))
    law = replace(law, warnings=judge(law.inference, law.forward)[0])
    law.save(tmp_path / "copy.pdescry")
    again = load(tmp_path / "copy.pdescry")
    assert again.readings.faults == faults
    assert str(again.warnings[0]) == "TC4 reads u = 0.213 throughout and was left out."
    assert resume(tmp_path / "copy.pdescry", figures=False).warnings == again.warnings
    assert '"kind": "constant"' in (tmp_path / "copy.pdescry" / "law.json").read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_sensor_that_drifts_against_the_law_is_left_out_and_stays_out(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Where nothing is found before, as between distant sensors."""
    module = importlib.import_module("pdescry.discovery.discover")  # the package has a function of this name
    monkeypatch.setattr(module, "examine", lambda readings, leave_out=True: (readings, ()))
    heat = systems.get("heat").observe(sensors=12, noise=0.05, seed=0, every=0.4)
    since = (heat.time - heat.time.min()) / np.ptp(heat.time)
    late = np.where(heat.sensor == 6, since * heat.values.std(), 0.0)
    drifted = replace(heat, values=heat.values + late[:, None])
    law = discover(drifted, candidates=["u_xx"], time_order=1, workers=1, figures=False, workdir=tmp_path / "run")
    assert str(law).endswith("*u_xx")
    assert law.readings.n_sensors == 11
    (warning,) = law.warnings
    assert (warning.code, warning.parameters["sensor"]) == ("drift-left-out", "6")
    law.save(tmp_path / "copy")
    for folder in ("run", "copy"):
        again = load(tmp_path / folder)
        assert (again.readings, again.warnings, str(again)) == (law.readings, law.warnings, str(law))
