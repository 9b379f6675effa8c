"""Readings in the run directory: gaps and inputs come back bit for bit, and other inputs are another run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pdescry.data import Input, Readings
from pdescry.discovery import PRESETS
from pdescry.discovery.run import begun, is_ours, load_inputs, written
from pdescry.errors import InputError

DEFAULT = PRESETS["default"]


def partial(inputs: dict | None = None) -> Readings:
    rng = np.random.default_rng(0)
    t, x = np.repeat(np.linspace(0, 1, 13), 5), np.tile([0.1, 0.2, 1 / 3, 0.5, 0.7], 13)
    values = rng.standard_normal((65, 2)) * 10.0 ** rng.integers(-300, 300, (65, 2))
    values[rng.uniform(size=65) < 0.4, 1] = np.nan
    noise = np.where(np.isnan(values), np.nan, 1 / 3)
    return Readings.from_arrays(t, x, values, noise=noise, inputs=inputs)


def heated() -> Readings:
    def source(t: np.ndarray, x: np.ndarray) -> np.ndarray:
        return np.sin(t) * x

    power = Input("NA", np.array([-1 / 3, 0.1, 2.0]), None, np.array([0.0, 1 / 3, -0.0]), "held")
    return partial({"NA": power, "q": source})


@pytest.mark.parametrize("make", [partial, heated])
def test_readings_come_back_bit_for_bit(make, tmp_path: Path) -> None:
    readings = make()
    with begun(tmp_path / "run", [readings, partial()], DEFAULT):
        pass
    assert written(tmp_path / "run")
    back, second = load_inputs(tmp_path / "run")[0]
    assert back == readings
    assert second == partial()
    assert back.values.tobytes() == readings.values.tobytes()
    assert [known.values.tobytes() for known in back.inputs] == [known.values.tobytes() for known in readings.inputs]
    assert (tmp_path / "run" / "inputs.csv").exists() == bool(readings.inputs)
    assert all(is_ours(each.name) for each in (tmp_path / "run").iterdir() if each.name != ".lock")
    with begun(tmp_path / "run", [readings, partial()], DEFAULT):
        pass  # the same run


def test_other_inputs_are_another_run(tmp_path: Path) -> None:
    readings = heated()
    with begun(tmp_path / "run", [readings], DEFAULT):
        pass
    power, source = readings.inputs
    for inputs in ((), (power,), (replace(power, between="linear"), source)):
        with (
            pytest.raises(InputError, match="the readings differ"),
            begun(tmp_path / "run", [replace(readings, inputs=inputs)], DEFAULT),
        ):
            pass
    with begun(tmp_path / "run", [replace(readings, inputs=())], DEFAULT, overwrite=True):
        assert not (tmp_path / "run" / "inputs.csv").exists()


def test_inputs_that_are_lost_are_told(tmp_path: Path) -> None:
    with begun(tmp_path / "run", [heated()], DEFAULT):
        pass
    (tmp_path / "run" / "inputs.csv").unlink()
    assert not written(tmp_path / "run")
    with pytest.raises(InputError, match=r"inputs\.csv'; they are not there, or damaged"):
        load_inputs(tmp_path / "run")
