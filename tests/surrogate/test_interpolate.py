"""From readings to a posterior: the same draws however they are computed, and nothing lost when it is stopped."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pdescry import InputError, Readings
from pdescry.surrogate import MCLMC, PAPER_DNN, Adam, Network, Prior, interpolate, train
from pdescry.surrogate.interpolate import _fault
from pdescry.surrogate.pool import n_cores, run_chains, traces
from tests.surrogate.conftest import SMALL, two_fields


def test_the_field_and_the_noise_are_found(posterior):
    t, x = np.linspace(0.2, 3.8, 10), np.linspace(-1.8, 1.8, 12)
    found = posterior.predict(t, x)
    truth = 3 + np.sin(x[None, :] - 0.5 * t[:, None])
    assert np.sqrt(np.mean((found["u"].values - truth) ** 2)) < 0.04
    inside = (found["u_low"].values <= truth) & (truth <= found["u_high"].values)
    assert inside.mean() > 0.8
    assert 0.035 < posterior.noise_sd.mean() < 0.08


def test_the_same_draws_whatever_the_number_of_workers(readings, posterior):
    alone = interpolate(readings, **SMALL, workers=1)
    np.testing.assert_array_equal(alone.positions, posterior.positions)
    assert not np.array_equal(alone.positions[0], alone.positions[1])


def test_another_seed_gives_other_draws(readings, posterior):
    other = interpolate(readings, **(SMALL | dict[str, Any]({"chains": 1})), seed=1)
    assert not np.array_equal(other.positions[0], posterior.positions[0])


def test_nothing_is_traced_again_for_readings_of_the_same_shape(readings, posterior):
    before = traces()
    shifted = replace(readings, values=readings.values * 2 + 1)
    again = interpolate(shifted, **SMALL)
    assert before > 0
    assert traces() == before
    assert again.n_draws == posterior.n_draws


def test_units_do_not_matter(readings, posterior):
    other = replace(
        readings, time=readings.time * 64, space=readings.space / 1024, values=readings.values * 8
    )  # powers of two: exact in floating point
    scaled = interpolate(other, **SMALL)
    np.testing.assert_array_equal(scaled.positions, posterior.positions)
    found, before = scaled.predict(64.0, 1 / 1024), posterior.predict(1.0, 1.0)
    for name in ("u", "u_sd", "u_low", "u_high"):
        assert float(found[name].squeeze()) == pytest.approx(8 * float(before[name].squeeze()), rel=1e-12)


def test_progress_tells_stage_fraction_and_time_left(readings, posterior):
    told = []
    interpolate(readings, **SMALL, progress=lambda *what: told.append(what))
    stages, fractions, left = zip(*told, strict=True)
    assert set(stages) == {"warm start", "tuning", "burn-in", "sampling"}
    assert list(fractions) == sorted(fractions)
    assert fractions[-1] == 1
    assert left[0] is None
    assert all(value >= 0 for value in left if value is not None)


# ---- stopped and resumed ---------------------------------------------------------------------------------------------

SCRIPT = """
import sys
sys.path.insert(0, {root!r})
from pdescry import Readings
from pdescry.surrogate import interpolate
from tests.surrogate.conftest import SMALL, two_fields
interpolate(two_fields(), **SMALL, workdir={workdir!r})
"""


@pytest.fixture(scope="module")
def unbroken():
    return interpolate(two_fields(), **SMALL)


def start_and_kill(workdir: Path, when) -> None:
    """Begin the run in another process, and kill it as soon as ``when()`` holds."""
    root = str(Path(__file__).parents[2])
    process = subprocess.Popen([sys.executable, "-c", SCRIPT.format(root=root, workdir=str(workdir))])
    deadline = time.monotonic() + 120
    while not when() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.002)
    process.send_signal(signal.SIGKILL)
    process.wait()


@pytest.mark.parametrize("n_blocks", [1, 3, 5])
def test_killed_and_resumed_ends_with_the_same_draws(tmp_path, unbroken, n_blocks):
    start_and_kill(tmp_path, lambda: len(list(tmp_path.glob("chain-00/block-*.npz"))) >= n_blocks)
    # The workers end by themselves when their parent is gone; what they still finish does no harm.
    resumed = interpolate(two_fields(), **SMALL, workdir=tmp_path)
    np.testing.assert_array_equal(resumed.positions, unbroken.positions)
    for one, other in zip(resumed.trace, unbroken.trace, strict=True):
        np.testing.assert_array_equal(one, other)


def test_workers_end_with_their_parent(tmp_path):
    start_and_kill(tmp_path, lambda: any(tmp_path.glob("chain-00/block-*.npz")))
    deadline = time.monotonic() + 20
    while _workers_on(tmp_path) and time.monotonic() < deadline:
        time.sleep(0.1)
    before = sorted(path.name for path in tmp_path.glob("chain-*/block-*.npz"))
    time.sleep(0.5)
    assert sorted(path.name for path in tmp_path.glob("chain-*/block-*.npz")) == before


def _workers_on(folder: Path) -> bool:
    """Whether an orphan still runs the worker's module."""
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            command = (entry / "cmdline").read_bytes()
            parent = (entry / "stat").read_text().rsplit(")", 1)[1].split()[1]
        except OSError:
            continue
        if b"pdescry.surrogate.worker" in command and parent == "1":
            return True
    return False


@pytest.fixture
def finished(tmp_path, unbroken):
    interpolate(two_fields(), **SMALL, workdir=tmp_path)
    return tmp_path


def test_a_finished_run_is_only_read(finished, unbroken):
    before = {path: path.stat().st_mtime_ns for path in finished.rglob("*.npz")}
    again = interpolate(two_fields(), **SMALL, workdir=finished)
    np.testing.assert_array_equal(again.positions, unbroken.positions)
    assert {path: path.stat().st_mtime_ns for path in finished.rglob("*.npz")} == before


@pytest.mark.parametrize("damage", ["cut", "flipped", "emptied", "no archive"])
def test_a_damaged_checkpoint_is_told_and_made_again(finished, unbroken, damage):
    victim = sorted(finished.glob("chain-01/block-*.npz"))[-1]
    content = bytearray(victim.read_bytes())
    if damage == "cut":
        content = content[: len(content) // 2]
    elif damage == "flipped":
        content[len(content) // 2] ^= 0xFF
    elif damage == "emptied":
        content = bytearray()
    else:
        content = bytearray(b"no archive")
    victim.write_bytes(content)
    with pytest.warns(UserWarning, match="damaged"):
        again = interpolate(two_fields(), **SMALL, workdir=finished)
    np.testing.assert_array_equal(again.positions, unbroken.positions)


def test_more_chains_later_keep_those_that_are_there(finished, unbroken):
    more = interpolate(two_fields(), **(SMALL | dict[str, Any]({"chains": 3})), workdir=finished)
    np.testing.assert_array_equal(more.positions[:2], unbroken.positions)


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"seed": 5}, "seed was 0, now 5"),
        ({"network": Network(9, 2)}, "network.width was 8, now 9"),
        ({"prior": Prior(scale=2.0)}, "prior.scale was absent, now 2.0"),
        ({"noise": 0.1}, "model.groups was 1, now 0"),
        ({"start": Adam(steps=301)}, "start.steps was 300, now 301"),
        ({"sampler": replace(SMALL["sampler"], thin=6)}, "sampler.thin was 5, now 6"),
    ],
)
def test_a_checkpoint_of_other_settings_is_refused(finished, changed, named):
    with pytest.raises(InputError, match=named):
        interpolate(two_fields(), **(SMALL | changed), workdir=finished)


def test_a_checkpoint_of_other_readings_is_refused(finished):
    with pytest.raises(InputError, match="the values of the readings differ"):
        interpolate(two_fields(noise=0.4), **SMALL, workdir=finished)
    with pytest.raises(InputError, match="the times or places of the readings differ"):
        interpolate(two_fields(number=61), **SMALL, workdir=finished)


def test_a_damaged_description_is_refused(finished):
    (finished / "problem.json").write_text("{")
    with pytest.raises(InputError, match=r"problem\.json.*damaged"):
        interpolate(two_fields(), **SMALL, workdir=finished)


def test_other_versions_are_told(finished, unbroken):
    told = finished / "problem.json"
    told.write_text(told.read_text().replace('"jax": "', '"jax": "0.0.'))
    with pytest.warns(UserWarning, match=r"begun with jax 0\.0\."):
        again = interpolate(two_fields(), **SMALL, workdir=finished)
    np.testing.assert_array_equal(again.positions, unbroken.positions)


def test_interrupted_by_the_user_and_resumed(tmp_path, unbroken):
    def interrupt(stage, fraction, left):
        if fraction > 0.4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interpolate(two_fields(), **SMALL, workdir=tmp_path, progress=interrupt)
    resumed = interpolate(two_fields(), **SMALL, workdir=tmp_path)
    np.testing.assert_array_equal(resumed.positions, unbroken.positions)


# ---- bad input -------------------------------------------------------------------------------------------------------


def test_one_place_cannot_tell(readings):
    with pytest.raises(InputError, match="at least two places"):
        interpolate(readings.select(sensors=[0]))


@pytest.mark.parametrize("part", ["time", "space", "values"])
def test_readings_that_are_no_numbers(readings, part):
    numbers = getattr(readings, part).copy()
    numbers.flat[3] = np.nan
    with pytest.raises(InputError, match="finite"):
        interpolate(replace(readings, **{part: numbers}))


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ({"chains": 0}, "chains"),
        ({"workers": 0}, "workers"),
        ({"seed": -1}, "seed"),
        ({"noise": 0.0}, "above zero"),
        ({"noise": [0.1, 0.2]}, "one per field"),
        ({"standardise": "none"}, "standardise"),
        ({"workdir": __file__}, "workdir"),
    ],
)
def test_bad_arguments(readings, arguments, match):
    with pytest.raises(InputError, match=match):
        interpolate(readings, **arguments)


def test_what_is_no_readings():
    with pytest.raises(InputError, match="Readings"):
        interpolate(np.zeros((5, 3)))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "make",
    [lambda: MCLMC(draws=0), lambda: MCLMC(energy_error=0.0), lambda: Adam(steps=-1), lambda: Adam(learning_rate=0.0)],
)
def test_bad_sampler_settings(make):
    with pytest.raises(InputError):
        make()


def test_more_workers_than_cores_warn_and_go_on(readings, posterior):
    many = n_cores() + 1
    with pytest.warns(UserWarning, match="take turns"):
        found = interpolate(readings, **(SMALL | dict[str, Any]({"chains": 2})), workers=many)
    np.testing.assert_array_equal(found.positions, posterior.positions)


def test_stuck_and_nan_chains_are_told_apart(posterior):
    draws, trace, burn_in = posterior.positions[0], posterior.trace, posterior.burn_in
    one = type(trace)(*(part[0] for part in trace))
    assert _fault(0, draws, one, burn_in) is None
    assert "stuck" in (_fault(0, np.repeat(draws[:1], len(draws), 0), one, burn_in) or "")
    broken = draws.copy()
    broken[5, 3] = np.nan
    assert "NaN" in (_fault(0, broken, one, burn_in) or "")


def test_a_worker_that_dies_is_told(readings, tmp_path):
    (tmp_path / "problem.json").write_text("{}")
    with pytest.raises(Exception, match=r"worker process ended unexpectedly"):
        run_chains(tmp_path, [0], 1, lambda *what: None)


# ---- the paper's baseline --------------------------------------------------------------------------------------------


def test_trained_network(readings):
    assert (PAPER_DNN.steps, PAPER_DNN.learning_rate, PAPER_DNN.objective) == (30_000, 2e-4, "misfit")
    fitted = train(readings, network=Network(8, 2), adam=replace(PAPER_DNN, steps=2000, learning_rate=1e-2))
    found = fitted.predict(readings.time, readings.space[:, 0], grid=False)
    assert fitted.n_draws == 1
    assert np.sqrt(np.mean((found["u"].values - readings.values[:, 0]) ** 2)) < 0.07
    assert float(found["u_sd"].max()) == 0
    assert "single fit" in repr(fitted)


def test_library_settings_are_not_touched(readings, posterior):
    """Importing and using the room leaves JAX's settings for the whole process as they were."""
    code = (
        "import jax; before = dict(jax.config.values); import os; env = dict(os.environ);"
        "import pdescry.surrogate; after = dict(jax.config.values);"
        "assert before == after, {k for k in before if before[k] != after[k]}; assert env == dict(os.environ)"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        subprocess.run([sys.executable, "-c", code], check=True, env=os.environ)
    assert isinstance(readings, Readings)
