"""`interpolate`: readings → `Posterior`. And `train`, the paper's baseline: readings → one network."""

from __future__ import annotations

import contextlib
import os
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pdescry.checks import check_choice, check_kind, check_whole
from pdescry.data import Readings
from pdescry.data.plausible import LEAST
from pdescry.errors import InputError
from pdescry.executor import Engine, Executor
from pdescry.files import made_folder
from pdescry.notices import Notice, NoticeWarning
from pdescry.progress import Progress, watched
from pdescry.surrogate.adam import PAPER_DNN, Adam
from pdescry.surrogate.network import Network
from pdescry.surrogate.noise import Noise
from pdescry.surrogate.pool import run_chains
from pdescry.surrogate.posterior import Posterior
from pdescry.surrogate.prior import Prior
from pdescry.surrogate.samplers import MCLMC, SAMPLERS, Point, Sampler, SamplingError
from pdescry.surrogate.scaling import Scaling, Standardise

if TYPE_CHECKING:
    from pdescry.surrogate.chain import Collected
    from pdescry.surrogate.problem import Problem

# Called with the next draws, and how many cores or accelerators are idle.
HandOn = Callable[[Posterior, int], None]


def interpolate(
    readings: Readings,
    *,
    network: Network = Network(),
    prior: Prior = Prior(),
    noise: Noise | float | Sequence[float] | None = None,
    start: Adam = Adam(),
    sampler: Sampler = MCLMC(),
    chains: int = 4,
    seed: int = 0,
    standardise: Standardise = "all",
    workers: int | None = None,
    executor: Executor | None = None,
    workdir: str | os.PathLike[str] | None = None,
    progress: Progress | bool | None = None,
    hand_on: HandOn | None = None,
) -> Posterior:
    """The field behind the readings, as draws from the posterior of a Bayesian neural network.

    Parameters
    ----------
    readings : Readings
        Of several fields, only readings that measured all of them count.
    network : pdescry.surrogate.Network
        Its size.
    prior : pdescry.surrogate.Prior
        Prior of its weights.
    noise : pdescry.surrogate.Noise, float or sequence of float, optional
        Standard deviation in the field's units, one number or one per field; by default the readings' own, or inferred
        where they have none.
    start : pdescry.surrogate.Adam
        The fit from which chains begin.
    sampler : pdescry.surrogate.MCLMC, HMC, NUTS or AdjustedMCLMC
        How the weights are sampled.
    chains : int
        How many, each from another start.
    seed : int
        The same seed gives the same draws whatever the number of workers.
    standardise : {"all", "inputs"}
        "inputs" leaves the fields in their own units, as the paper's program does.
    workers : int, optional
        How many chains run at a time; by default one per core or accelerator.
    executor : optional
        Where chains run in place of processes here: a `dask.distributed.Client`, an executor of `concurrent.futures`,
        or anything with ``submit``; with a workdir on a disk that all machines share. The draws are the same.
    workdir : str or path, optional
        A folder for checkpoints. A call that was stopped, at whatever moment, continues from there when it is repeated,
        and ends with the same draws.
    progress : callable or bool, optional
        Called with the stage, the fraction done and the seconds left.
    hand_on : callable, optional
        For work on draws beside the chains: called with some draws at a time and the number of cores or accelerators
        that the chains leave idle, while there are any; in the order of the posterior, unless that leaves a chain out,
        and perhaps not with all of them.

    Returns
    -------
    Posterior
    """
    from pdescry.surrogate.chain import collect, is_finished, parts

    chains = check_whole("number of chains", chains, 1)
    seed = check_whole("seed", seed, 0, below=2**32)
    engine = Engine.of(executor, workers)
    readings = complete_readings(readings)
    problem, scaling, known = _pose(readings, network, prior, noise, start, sampler, seed, standardise)
    with _folder(workdir) as folder:
        problem.settle(folder)
        places = {chain: problem.chain_folder(folder, chain) for chain in range(chains)}
        for place in places.values():
            place.mkdir(exist_ok=True)
        to_run = [chain for chain, place in places.items() if not is_finished(problem.plan, problem.n_readings, place)]
        done = 1 - len(to_run) / chains
        ready = (part for place in places.values() for part in parts(problem.plan, problem.n_readings, place))

        def meanwhile(idle: int) -> bool:
            if hand_on is None or (part := next(ready, None)) is None:
                return False
            hand_on(_posterior(readings, problem, scaling, known, [part]), idle)
            return True

        with watched(progress) as report_progress:
            failures = run_chains(folder, to_run, engine.workers, report_progress, done, meanwhile, engine.executor)
        found = {
            chain: collect(problem.plan, problem.n_readings, place)
            for chain, place in places.items()
            if chain not in failures
        }
    return _assemble(readings, problem, scaling, known, found, failures)


def train(
    readings: Readings,
    *,
    network: Network = Network(),
    adam: Adam = PAPER_DNN,
    seed: int = 0,
    standardise: Standardise = "all",
    workdir: str | os.PathLike[str] | None = None,
    progress: Progress | bool | None = None,
) -> Posterior:
    """One network fitted by Adam: the paper's DNN baseline.

    Parameters
    ----------
    readings : Readings
        What it is fitted to.
    network : Network
        Its size.
    adam : Adam
        How it is fitted.
    seed : int
        Of the initial weights.
    standardise : {"all", "inputs"}
        What is scaled before.
    workdir : str or path, optional
        A folder for checkpoints.
    progress : callable or bool, optional
        Called with the stage, the fraction done and the seconds left.

    Returns
    -------
    Posterior
        With a single draw, whose standard deviations are zero.
    """
    return interpolate(
        readings,
        network=network,
        prior=Prior("standard_normal", scale=1.0),
        start=adam,
        sampler=Point(),
        chains=1,
        seed=seed,
        standardise=standardise,
        workdir=workdir,
        progress=progress,
    )


def _pose(
    readings: Readings,
    network: Network,
    prior: Prior,
    noise: Noise | float | Sequence[float] | None,
    start: Adam,
    sampler: Sampler,
    seed: int,
    standardise: Standardise,
) -> tuple[Problem, Scaling, NDArray[np.float64] | None]:
    """The problem as chains see it, how to come back from it, and the noise (f, N) if it is known."""
    from pdescry.surrogate.chain import Plan
    from pdescry.surrogate.model import build
    from pdescry.surrogate.problem import Problem

    check_choice("standardise", standardise, ("all", "inputs"))
    check_kind("the network", network, (Network,))
    check_kind("the prior", prior, (Prior,))
    check_kind("the start", start, (Adam,))
    check_kind("the sampler", sampler, tuple(SAMPLERS.values()))
    if noise is None:
        noise = Noise() if readings.noise is None else Noise("readings")
    elif not isinstance(noise, Noise):
        noise = Noise(noise)
    scaling, known = Scaling.of(readings, standardise), noise.known(readings)
    model, seen = build(readings, network, prior, noise, scaling)
    return Problem(Plan(model, start, sampler), seen, seed), scaling, known


def check_readings(readings: Readings) -> None:
    """Refuse readings that no field can be found from."""
    if not isinstance(readings, Readings):
        raise InputError(f"Expected Readings; got {type(readings).__name__}; make some with pdescry.read(file).")
    # NaN stands for a field that a reading did not measure, if it measured another one.
    observed = readings.observed
    measured = np.where(observed.any(axis=1, keepdims=True) & ~observed, 0.0, readings.values)
    for what, numbers in (("times", readings.time), ("places", readings.space), ("values", measured)):
        if not np.isfinite(numbers).all():
            raise InputError(f"Expected finite {what} of readings; some are NaN or infinite; leave those readings out.")
    if len(np.unique(readings.space, axis=0)) < 2:
        raise InputError(
            "Expected readings from at least two places; all are from one, which does not determine how the field "
            f"changes along {', '.join(readings.axes)}; add another sensor."
        )


def complete_readings(readings: Readings) -> Readings:
    """Those that measured every field, which are what the network is fitted to."""
    check_readings(readings)
    if readings.observed.all():
        return readings
    whole = readings.complete()
    for what, count in (("places", len(np.unique(whole.space, axis=0))), ("times", len(whole.times))):
        if count < LEAST:
            raise InputError(
                f"Expected readings of {' and '.join(readings.fields)} together at {LEAST} or more distinct {what}, to "
                f"fit a network to them; got {count}; interpolate one field at a time, chosen with ⟦fields=⟧."
            )
    return whole


@contextlib.contextmanager
def _folder(workdir: str | os.PathLike[str] | None) -> Iterator[Path]:
    """The folder for checkpoints: the user's, made if need be, or one that goes when the call is over."""
    if workdir is None:
        with tempfile.TemporaryDirectory(prefix="pdescry-") as name:
            yield Path(name)
        return
    yield made_folder(workdir)


def _assemble(
    readings: Readings,
    problem: Problem,
    scaling: Scaling,
    known: NDArray[np.float64] | None,
    found: dict[int, Collected],
    failures: dict[int, str],
) -> Posterior:
    """One posterior from the chains that can be believed."""
    left_out: dict[int, str | Notice] = dict(failures)
    left_out |= {chain: reason for chain, parts in found.items() if (reason := _fault(chain, parts))}
    kept = [parts for chain, parts in found.items() if chain not in left_out]
    reasons = [left_out[chain] for chain in sorted(left_out)]
    if not kept:
        raise SamplingError("No chain can be used. " + " ".join(map(str, reasons)))
    notices = tuple(Notice.of("chain-left-out", reason=reason) for reason in reasons)
    for notice in notices:
        warnings.warn(NoticeWarning(notice), stacklevel=3)
    return _posterior(readings, problem, scaling, known, kept, notices)


def _posterior(
    readings: Readings,
    problem: Problem,
    scaling: Scaling,
    known: NDArray[np.float64] | None,
    kept: Sequence[Collected],
    left_out: tuple[Notice, ...] = (),
) -> Posterior:
    from pdescry.surrogate.chain import Trace

    starts, positions, traces = zip(*kept, strict=True)
    return Posterior(
        readings,
        problem.plan,
        scaling,
        np.stack(starts),
        positions[0][None] if len(positions) == 1 else np.stack(positions),  # one may be large: not copied
        Trace(*(np.stack(parts) for parts in zip(*traces, strict=True))),
        known,
        left_out,
    )


def _fault(chain: int, parts: Collected) -> Notice | None:
    """Why a finished chain must not be averaged in, or None."""
    _, positions, trace = parts
    if not (np.isfinite(positions).all() and np.isfinite(trace.log_density).all()):
        return Notice.of("chain-of-nan", chain=chain)
    if len(positions) > 1 and (positions[1:] == positions[:-1]).all(1).mean() > 0.9:
        return Notice.of("chain-stuck", chain=chain)
    return None
