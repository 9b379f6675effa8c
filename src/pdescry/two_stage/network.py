"""The fields of a run's experiments, sampled as networks; each is saved in the run directory as soon as it is done."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from pdescry.data import Readings
from pdescry.derivatives.points import choose_points
from pdescry.executor import Engine
from pdescry.notices import Notice
from pdescry.progress import Progress
from pdescry.surrogate import Diagnostics, Noise, Posterior, interpolate
from pdescry.surrogate.interpolate import HandOn, check_readings
from pdescry.surrogate.pool import end_processes
from pdescry.surrogate.samplers import Point
from pdescry.two_stage.options import TWO_STAGE

FILES = ("chains", "posterior.nc")  # of each experiment
# Sections of the settings on which the draws do not depend.
LATER = {"law", "derivatives", "regression"}

Watch = Callable[[str], Progress]  # the progress of a stage, by its name


class Run(Protocol):
    """What a method requires of a run directory (``discovery/run.py``)."""

    @property
    def path(self) -> Path: ...
    @property
    def experiments(self) -> tuple[Readings, ...]: ...
    @property
    def settings(self) -> Any: ...  # discovery's `Settings`

    def log(self, sentence: str) -> None: ...
    def staged(self, name: str, path: Path, load: Callable[[Path], Any], make: Callable[[], Any]) -> Any: ...


def numbered(name: str, number: int) -> str:
    """A file of an experiment: readings.csv, readings-2.csv, …"""
    first, dot, ending = name.partition(".")
    return name if number == 0 else f"{first}-{number + 1}{dot}{ending}"


def check_network(settings: Any, experiments: Sequence[Readings]) -> None:
    """Refuse what cannot be sampled, before anything is replaced or minutes are spent."""
    for readings in experiments:
        check_readings(readings)
        choose_points(readings, 1, settings.within, 0)
        if settings.noise is not None:
            settings.noise.known(readings)


def sampled(
    run: Run,
    engine: Engine,
    watch: Watch,
    noise_in_readings: bool,
    hand_on: HandOn | None = None,
    trained: bool = False,
) -> tuple[Posterior, ...]:
    """The posterior of each experiment. noise_in_readings: whether readings contain the noise of the settings. trained:
    some networks, each fitted from another initial value, instead of chains: enough for an initial field, in a tenth of
    the time."""
    several = len(run.experiments) > 1
    found = []
    for number, readings in enumerate(run.experiments):
        name = f"field {number + 1}" if several else "field"
        path = run.path / numbered("posterior.nc", number)
        make = partial(_sample, run, number, engine, watch(name), noise_in_readings, hand_on, trained)
        found.append(run.staged(name, path, partial(load_posterior, readings=readings), make))
    if trained:
        end_processes()
    for number in range(len(run.experiments)):  # the posteriors are saved, so checkpoints are no longer needed
        shutil.rmtree(run.path / numbered("chains", number), ignore_errors=True)
    return tuple(found)


def _sample(
    run: Run,
    number: int,
    engine: Engine,
    progress: Progress,
    noise_in_readings: bool,
    hand_on: HandOn | None,
    trained: bool,
) -> Posterior:
    settings = run.settings
    return interpolate(
        run.experiments[number],
        network=settings.network,
        prior=settings.prior,
        noise=Noise("readings") if noise_in_readings else settings.noise,
        start=settings.start,
        sampler=Point() if trained else settings.sampler,
        chains=TWO_STAGE.networks if trained else settings.chains,
        seed=settings.seed,
        standardise=settings.standardise,
        workers=engine.workers,
        executor=engine.executor,
        workdir=run.path / numbered("chains", number),
        progress=progress,
        hand_on=hand_on,
    )


def load_posterior(path: Path, readings: Readings) -> Posterior:
    """Draws of the field for these readings: the same numbers, possibly with more metadata, such as units."""
    return replace(Posterior.load(path), readings=readings)


def load_posteriors(
    folder: Path, experiments: Sequence[Readings], diagnostics: Diagnostics | None
) -> tuple[Posterior, ...]:
    """Posteriors in a folder. diagnostics: stored ones of the first, which take seconds to compute."""
    paths = [folder / numbered("posterior.nc", number) for number in range(len(experiments))]
    found = tuple(load_posterior(path, each) for path, each in zip(paths, experiments, strict=True))
    if diagnostics is not None:
        vars(found[0])["diagnostics"] = diagnostics  # where `cached_property` finds it
    return found


def save_posteriors(folder: Path, posteriors: Sequence[Posterior]) -> None:
    for number, posterior in enumerate(posteriors):
        posterior.save(folder / numbered("posterior.nc", number))


def noise_of(posterior: Posterior) -> dict[str, dict[str, float | None]]:
    """For each field, mean and sd of the noise over the draws."""
    noise = posterior.noise_sd
    return {
        name: {"mean": float(noise[:, :, number].mean()), "sd": float(noise[:, :, number].mean(-1).std())}
        for number, name in enumerate(posterior.readings.fields)
    }


def judge_draws(posteriors: Sequence[Posterior], relied_on: bool, warn: Callable[..., None]) -> None:
    """relied_on: whether the law depends on the draws, or was only initialised from their mean."""
    for posterior in posteriors:
        if relied_on and not posterior.diagnostics.mixed:
            unreliable = Notice.of("draws-unreliable", verdict=posterior.diagnostics.verdict)
            warn(unreliable, Notice.of("sample-longer"))
    for notice in (notice for posterior in posteriors for notice in posterior.left_out):
        warn(notice)
