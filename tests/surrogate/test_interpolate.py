"""From readings to a posterior: the same draws however they are computed, and nothing lost when it is stopped."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from pdescry import InputError, PdescryError, Readings
from pdescry.cores import n_cores
from pdescry.notices import Notice
from pdescry.surrogate import (
    HMC,
    MCLMC,
    NUTS,
    PAPER_DNN,
    Adam,
    Network,
    Posterior,
    Prior,
    interpolate,
    pool,
    train,
)
from pdescry.surrogate.chain import Collected
from pdescry.surrogate.interpolate import _fault, complete_readings
from pdescry.surrogate.pool import _Clock, _Pool, run_chain, run_chains, traces
from pdescry.surrogate.problem import Problem
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
    together = interpolate(readings, **SMALL)
    np.testing.assert_array_equal(together.positions, posterior.positions)
    assert not np.array_equal(posterior.positions[0], posterior.positions[1])


def test_the_same_draws_on_an_engine_of_the_users(readings, posterior, tmp_path):
    told: list[tuple[str, float]] = []
    with ThreadPoolExecutor(1) as executor:
        found = interpolate(
            readings,
            **SMALL,
            executor=executor,
            workdir=tmp_path,
            progress=lambda stage, share, _: told.append((stage, share)),
        )
    np.testing.assert_array_equal(found.positions, posterior.positions)
    assert told[0] == ("sampling", 0.0)
    assert told[-1] == ("sampling", 1.0)


def test_a_machine_without_the_folder_of_chains_says_so(readings, tmp_path):
    answer = run_chain(str(tmp_path / "elsewhere"), 0)
    assert answer["bad_input"]
    assert "on a disk that all machines share" in answer["broken"]

    class Elsewhere(ThreadPoolExecutor):
        def submit(self, fn, /, *args, **kwargs):  # as if this folder were not there
            where = [str(tmp_path / "elsewhere") if each == str(tmp_path) else each for each in args]
            return super().submit(fn, *where, **kwargs)

    with Elsewhere(1) as executor, pytest.raises(InputError, match="a disk that all machines share"):
        interpolate(readings, **SMALL, executor=executor, workdir=tmp_path)


def test_draws_are_handed_on_while_a_core_is_idle(readings, posterior, tmp_path, monkeypatch):
    monkeypatch.setattr(pool, "n_cores", lambda: 2)
    handed: list[tuple[Posterior, int]] = []
    first: dict[str, Any] = SMALL | {"chains": 1, "workers": 1}
    interpolate(readings, **first, workdir=tmp_path, hand_on=lambda *_: handed.append(_))
    assert not handed
    found = interpolate(readings, **SMALL, workdir=tmp_path, hand_on=lambda *_: handed.append(_))
    # Chain 1 runs alone, and chain 0 is on disk.
    assert {idle for _, idle in handed} == {1}
    joined = np.concatenate([draws.positions[0] for draws, _ in handed])
    np.testing.assert_array_equal(joined, found.positions.reshape(found.n_draws, -1)[: len(joined)])
    assert len(joined) >= SMALL["sampler"].draws
    np.testing.assert_array_equal(handed[0][0].starts, posterior.starts[:1])
    np.testing.assert_array_equal(found.positions, posterior.positions)


def test_another_seed_gives_other_draws(readings, posterior):
    other = interpolate(readings, **(SMALL | dict[str, Any]({"chains": 1})), seed=1)
    assert not np.array_equal(other.positions[0], posterior.positions[0])


def test_nothing_is_traced_again_for_readings_of_the_same_shape(readings):
    interpolate(readings, **SMALL)
    before = traces()
    interpolate(replace(readings, values=readings.values * 2 + 1), **SMALL)
    assert before > 0
    assert traces() == before


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
        ({"seed": 2**32}, "seed"),
        ({"sampler": "nuts"}, "the sampler"),
        ({"sampler": MCLMC}, "the sampler"),
        ({"network": 50}, "the network"),
        ({"noise": np.array([0.1, 0.2])}, "one per field"),
        ({"noise": 0.0}, "above zero"),
        ({"noise": [0.1, 0.2]}, "one per field"),
        ({"standardise": "none"}, "standardise"),
        ({"workdir": __file__}, "test_interpolate.py. as a folder: File exists; choose another"),
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
    [
        lambda: MCLMC(draws=0),
        lambda: MCLMC(rungs=0),
        lambda: MCLMC(energy_error=0.0),
        lambda: MCLMC(conditioned="no"),  # pyright: ignore[reportArgumentType]
        lambda: NUTS(acceptance=1.5),
        lambda: HMC(step_size=-1.0),
        lambda: Adam(steps=-1),
        lambda: Adam(learning_rate=0.0),
    ],
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
    draws, trace = posterior.positions[0], posterior.trace
    one = type(trace)(*(part[0] for part in trace))
    assert _fault(0, Collected(draws[0], draws, one)) is None
    stuck = Collected(draws[0], np.repeat(draws[:1], len(draws), 0), one)
    assert _fault(0, stuck) == Notice.of("chain-stuck", chain=0)
    broken = draws.copy()
    broken[5, 3] = np.nan
    assert _fault(0, Collected(draws[0], broken, one)) == Notice.of("chain-of-nan", chain=0)


def test_a_worker_that_fails_is_told(tmp_path):
    (tmp_path / "problem.json").write_text("{}")
    with pytest.raises(PdescryError, match=r"worker process ended unexpectedly \(KeyError"):
        run_chains(tmp_path, [0], 1, lambda *what: None)


@pytest.mark.slow
def test_a_worker_that_was_killed_is_told_and_replaced(readings, posterior):
    def kill(stage, fraction, left):
        assert _Pool.current is not None
        _Pool.current.workers[0].process.kill()

    with pytest.raises(PdescryError, match=r"signal 9.*want of memory"):
        interpolate(readings, **SMALL, progress=kill)
    again = interpolate(readings, **SMALL)
    np.testing.assert_array_equal(again.positions, posterior.positions)
    assert _Pool.current is not None
    _Pool.current.workers[0].process.kill()  # while it has nothing to do
    _Pool.current.workers[0].process.wait()
    np.testing.assert_array_equal(interpolate(readings, **SMALL).positions, posterior.positions)


def test_a_workdir_that_cannot_be_written_is_no_bad_chain(readings, tmp_path, monkeypatch):
    # As a full disk would: the block's name is taken by a folder that holds something.
    (tmp_path / "chain-00" / "block-00000.npz" / "something").mkdir(parents=True)
    monkeypatch.setattr(Problem, "settle", _settle_anyway)
    with pytest.raises(PdescryError, match="Cannot write"), pytest.warns(UserWarning, match="damaged"):
        interpolate(readings, **SMALL, workdir=tmp_path)


def _settle_anyway(problem, folder):
    np.savez(folder / "problem.npz", **problem.seen._asdict())
    (folder / "problem.json").write_text(json.dumps(problem.describe()))


@pytest.mark.slow
def test_the_users_settings_of_jax_do_not_reach_the_workers(readings, posterior, monkeypatch):
    monkeypatch.setenv("JAX_ENABLE_X64", "1")
    monkeypatch.setenv("JAX_DEFAULT_PRNG_IMPL", "rbg")
    if _Pool.current is not None:
        _Pool.current.close()  # the next call starts workers that would see them
    np.testing.assert_array_equal(interpolate(readings, **SMALL).positions, posterior.positions)


@pytest.mark.parametrize("n_chains", range(1, 8))
def test_time_left_of_a_resumed_run_is_finite(n_chains):
    told = []
    clock = _Clock(lambda *what: told.append(what[2]), n_chains, 0.0)
    for chain in range(n_chains):
        clock.report(chain, "sampling", 0.1 + 0.7 / (chain + 1))
    assert told == [None] * n_chains


# ---- the paper's baseline --------------------------------------------------------------------------------------------


def test_trained_network(readings):
    assert (PAPER_DNN.steps, PAPER_DNN.learning_rate, PAPER_DNN.objective) == (30_000, 2e-4, "misfit")
    fitted = train(readings, network=Network(8, 2), adam=replace(PAPER_DNN, steps=2000, learning_rate=1e-2))
    found = fitted.predict(readings.time, readings.space[:, 0], grid=False)
    assert fitted.n_draws == 1
    assert np.sqrt(np.mean((found["u"].values - readings.values[:, 0]) ** 2)) < 0.07
    assert float(found["u_sd"].max()) == 0
    assert "single fit" in repr(fitted)


def test_a_chain_remembers_the_fit_it_began_from(readings, tmp_path):
    """The paper's chain starts from the trained network: one training gives both."""
    adam = replace(PAPER_DNN, steps=300, learning_rate=1e-2)
    sampler = HMC(step_size=1e-4, steps=3, draws=12, burn=2)
    prior = Prior("standard_normal", scale=1.0)
    sampled = interpolate(
        readings, network=Network(8, 2), prior=prior, start=adam, sampler=sampler, noise=0.1, chains=1, seed=5
    )
    alone = train(readings, network=Network(8, 2), adam=adam, seed=5)
    t, x = np.linspace(0, 4, 7), np.linspace(-2, 2, 7)
    np.testing.assert_array_equal(sampled.start.predict(t, x)["u"], alone.predict(t, x)["u"])
    assert not np.array_equal(sampled.predict(t, x)["u"], alone.predict(t, x)["u"])
    assert "single fit" in repr(sampled.start)
    sampled.save(tmp_path / "sampled.nc")
    again = Posterior.load(tmp_path / "sampled.nc")
    np.testing.assert_array_equal(again.starts, sampled.starts)


def test_library_settings_are_not_touched(readings, posterior):
    """Importing and using the room leaves JAX's settings for the whole process as they were."""
    code = (
        "import jax; before = dict(jax.config.values); import os; env = dict(os.environ);"
        "import pdescry.surrogate.compiled, pdescry.surrogate.problem; after = dict(jax.config.values);"
        "assert before == after, {k for k in before if before[k] != after[k]}; assert env == dict(os.environ)"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        subprocess.run([sys.executable, "-c", code], check=True, env=os.environ)
    assert isinstance(readings, Readings)


def test_of_several_fields_the_network_sees_complete_readings_only(tmp_path):
    both = two_fields()
    gaps = both.values.copy()
    gaps[::3, 1] = np.nan
    partial = replace(both, values=gaps)
    whole = complete_readings(partial)
    assert whole == both.select(np.arange(len(both)) % 3 > 0)
    assert str(whole.notes[-1]).startswith("Left out 20 of 60 readings")
    assert complete_readings(both) is both
    few = both.values.copy()
    few[2:, 1] = np.nan
    with pytest.raises(InputError, match=r"together at 3 or more distinct places.*got 2; interpolate one field at a"):
        interpolate(replace(both, values=few), **SMALL)
    with pytest.raises(InputError, match="values"):
        complete_readings(replace(both, values=np.where(np.isnan(few), np.inf, few)))
