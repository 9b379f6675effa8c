"""`discover`, the one orchestrator: readings → field → law, each stage on disk as soon as it is done."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from pdescry.data import Readings, read
from pdescry.derivatives.points import Within
from pdescry.discovery.config import load_config, settings_from, with_preset
from pdescry.discovery.forward import Forward, check_forward
from pdescry.discovery.inference import Inference
from pdescry.discovery.judgement import judge
from pdescry.discovery.law import Law
from pdescry.discovery.method import carries_noise, method_for
from pdescry.discovery.run import Run, begun, reopened
from pdescry.discovery.settings import ARGUMENTS, Candidates, Settings, name_in_tables
from pdescry.discovery.storage import load_law, write_forward, write_law
from pdescry.errors import DamagedFile, InputError, PdescryError
from pdescry.executor import Engine, Executor, load_ahead, local_executor, one_by_one
from pdescry.joint import Joint, examine
from pdescry.joint.sensors.options import SENSORS
from pdescry.notices import Notice, NoticeWarning
from pdescry.problem import TimeOrder
from pdescry.progress import Progress, watched
from pdescry.schema.run import Faults, Preset
from pdescry.surrogate import Adam, Network, Noise, Prior
from pdescry.surrogate.samplers import Sampler
from pdescry.surrogate.scaling import Standardise
from pdescry.two_stage.network import sampled

if TYPE_CHECKING:
    from pdescry.regression import SparseRegressor


def discover(
    readings: Any,
    candidates: Candidates | None = None,
    *,
    preset: Preset | str | None = None,
    seed: int | None = None,
    workdir: str | os.PathLike[str] | None = None,
    config: str | os.PathLike[str] | Mapping[str, Any] | None = None,
    time_order: TimeOrder | None = None,
    network: Network | None = None,
    prior: Prior | None = None,
    noise: Noise | float | Sequence[float] | None = None,
    start: Adam | None = None,
    sampler: Sampler | None = None,
    chains: int | None = None,
    standardise: Standardise | None = None,
    average: bool | int | None = None,
    without: Iterable[int | str] | None = None,
    faults: Faults | None = None,
    points: int | None = None,
    within: Within | None = None,
    keep_points: int | None = None,
    keep_draws: int | None = None,
    method: SparseRegressor | Joint | None = None,
    workers: int | None = None,
    executor: Executor | None = None,
    figures: bool = True,
    overwrite: bool = False,
    progress: Progress | bool | None = None,
) -> Law:
    """Find the law behind readings.

    Parameters
    ----------
    readings : Readings, path, pandas.DataFrame, xarray.Dataset or xarray.DataArray, or a list of these
        What `pdescry.read` understands without further arguments. A list is of several experiments that share one law.
    candidates : {"small", "general", "paper"}, or a list of str or Term, optional
        Terms that the law may have, such as ``["u_xx", "u*u_x"]``; for each field its own as ``{"u": […], "v": […]}``.
    preset : {"default", "paper", "paper_as_printed"}, optional
        "paper" is the method as its authors ran it, "paper_as_printed" as their text has it. All other arguments change
        the preset.
    seed : int, optional
        Of everything random.
    workdir : str or path, optional
        The run directory. A call that was stopped, at whatever moment, continues from there when it is repeated (or by
        :func:`resume`), and ends with the same law.
    config : str, path or mapping, optional
        A TOML file of settings, or its tables; the other arguments take precedence.
    time_order : {1, 2, "auto"} or mapping of str to these, optional
        1 for u_t on the left side, 2 for u_tt; by field ``{"u": 2, "T": 1}``.
    network : pdescry.surrogate.Network, optional
        Size of the neural network, where one is used.
    prior : pdescry.surrogate.Prior, optional
        Prior of its weights.
    noise : pdescry.surrogate.Noise, float or sequence of float, optional
        Standard deviation of the readings, of each field; by default inferred.
    start : pdescry.surrogate.Adam, optional
        The fit from which chains begin.
    sampler : pdescry.surrogate.MCLMC, HMC, NUTS or AdjustedMCLMC, optional
        How the weights are sampled.
    chains : int, optional
        Number of chains.
    standardise : {"all", "inputs"}, optional
        What is scaled before a network is trained.
    average : bool or int, optional
        By default, consecutive readings of sensors with more than 200 readings are averaged as far as only noise is
        lost (see ``law.readings.notes``). False keeps all; an integer n: sensors with more than 2 n readings are
        averaged down to about n.
    without : iterable of int or str, optional
        Sensors to leave out, by name, or by number where they have no names.
    faults : {"leave_out", "tell", "ignore"}, optional
        Sensors that read a constant or drift, and outliers, are found before the law is sought (`pdescry.examine`) and
        left out; "tell" keeps them, and "ignore" does not look for them. ``law.warnings`` and ``law.readings.faults``
        name them.
    points : int, optional
        Points at which derivatives are taken, for a regression.
    within : {"hull", "box"} or mapping, optional
        Where these points are, as in `differentiate`.
    keep_points : int, optional
        At how many of them single draws are kept.
    keep_draws : int, optional
        How many draws are kept there.
    method : Joint or an estimator of pdescry.regression, optional
        `Joint` infers law and fields together, ``Joint(known=("u_xx > 0",))`` with prior knowledge; an estimator takes
        the law from derivatives of the field. By default `Joint` along one or two axes, with "general" candidates, and
        `SequentialRidge` for three, with "small" ones.
    workers : int, optional
        How many cores or accelerators to use; by default all.
    executor : optional
        Where fits run in place of local processes: a `dask.distributed.Client`, an executor of `concurrent.futures`, or
        anything with ``submit``. The law is the same, bit for bit. Figures are drawn here. Chains of a network need
        the run directory to be on a disk that all machines share.
    figures : bool
        Draw them into the run directory.
    overwrite : bool
        Replace a run that is there, but for stages that are the same under these settings.
    progress : callable or bool, optional
        Called with the stage, the fraction of it done and the seconds left. True shows these in a line, as notebooks do
        unless it is False.

    Returns
    -------
    Law
        Prints as the law, or as ``cannot tell`` and the reason if the readings do not determine one.

    Raises
    ------
    InputError
        If the readings or the settings cannot be used; the message says what to change.

    Examples
    --------
    >>> law = pdescry.discover("rod.csv", workdir="rod.pdescry")  # doctest: +SKIP
    >>> law = pdescry.discover(readings, ["u_xx", "u", "1"], method=pdescry.Joint(known="u_xx > 0"))  # doctest: +SKIP
    """
    arguments = locals()
    given = {name: arguments[name] for name in ARGUMENTS if name != "preset"}
    tables = _tables(config)
    settings, engine = choose_settings(preset, tables, **given), Engine.of(executor, workers)
    several = readings if isinstance(readings, list | tuple) else (readings,)
    experiments = tuple(each if isinstance(each, Readings) else read(each) for each in several)
    _check(experiments)
    experiments = _without(experiments, settings.without)
    chosen = method_for(settings, experiments)
    chosen.check(settings, experiments)  # before anything is replaced or minutes are spent
    experiments = _prepared(experiments, settings, carries_noise(chosen, settings))
    settings = chosen.prepared(settings, _said(tables, given))
    if workdir is None:
        with TemporaryDirectory(prefix="pdescry-") as folder, begun(Path(folder), experiments, settings) as run:
            return _work(run, engine, False, progress)
    with begun(Path(workdir), experiments, settings, overwrite) as run:
        return _work(run, engine, figures, progress)


def resume(
    workdir: str | os.PathLike[str],
    *,
    workers: int | None = None,
    executor: Executor | None = None,
    figures: bool = True,
    progress: Progress | bool | None = None,
) -> Law:
    """Continue a run from what is finished; a finished one is only read.

    Parameters
    ----------
    workdir : str or path
        The run directory.
    workers : int, optional
        As in `discover`.
    executor : optional
        As in `discover`.
    figures : bool
        As in `discover`.
    progress : callable or bool, optional
        As in `discover`.

    Returns
    -------
    Law
    """
    engine = Engine.of(executor, workers)
    with reopened(Path(workdir)) as run:
        return _work(run, engine, figures, progress)


def choose_settings(
    preset: str | None = None, config: str | os.PathLike[str] | Mapping[str, Any] | None = None, **given: Any
) -> Settings:
    """A preset, changed by a configuration, changed by what is given beside it (None: not given)."""
    tables = with_preset(_tables(config), preset)
    return replace(settings_from(tables), **{name: value for name, value in given.items() if value is not None})


def _tables(config: str | os.PathLike[str] | Mapping[str, Any] | None) -> dict[str, Any]:
    return {} if config is None else dict(config) if isinstance(config, Mapping) else load_config(config)


def _said(tables: Mapping[str, Any], given: Mapping[str, Any]) -> set[str]:
    """What a configuration and the arguments beside it set, by the names of the configuration."""
    said = {f"{section}.{name}" for section, part in tables.items() if isinstance(part, Mapping) for name in part}
    return said | {name_in_tables(argument) for argument, value in given.items() if value is not None}


def _check(experiments: Sequence[Readings]) -> None:
    if not experiments:
        raise InputError("Expected readings, or a list of them, one for each experiment; got an empty list.")


def _without(experiments: tuple[Readings, ...], sensors: Sequence[str]) -> tuple[Readings, ...]:
    """Without some sensors, each of which has to be in one of the experiments at least."""

    def known(readings: Readings) -> list[str]:
        names = readings.sensor_names or tuple(map(str, range(readings.n_sensors)))
        return [each for each in sensors if each in names]

    missing = [each for each in sensors if not any(each in known(readings) for readings in experiments)]
    return tuple(readings.without(missing or known(readings)) for readings in experiments)


def _prepared(experiments: tuple[Readings, ...], settings: Settings, carried: bool) -> tuple[Readings, ...]:
    """Without faulty parts, and fewer where only noise is lost. Noise of the settings goes with them, as that of
    the means."""
    if settings.noise is not None and carried:
        told = [settings.noise.known(each) for each in experiments]
        experiments = tuple(
            replace(each, noise=None if noise is None else noise.T.copy())
            for each, noise in zip(experiments, told, strict=True)
        )
    # Sds that are given for each sensor, and not carried by the readings, belong to these very sensors.
    fixed = settings.noise is not None and isinstance(settings.noise.sd, tuple) and not carried
    return tuple(_sound(each, settings, leave_out=not fixed) for each in experiments)


def _sound(readings: Readings, settings: Settings, leave_out: bool = True) -> Readings:
    def averaged(some: Readings) -> Readings:
        if settings.average is False:
            return some
        return some.averaged(None if settings.average is True else settings.average)

    def examined(some: Readings) -> Readings:
        if settings.faults == "ignore":
            return some
        return examine(some, leave_out and settings.faults == "leave_out")[0]

    # Outliers are found best before they are averaged with others; of very many readings, among their means.
    many = readings.observed.sum(axis=0).max() > SENSORS.examine.most_readings
    found = averaged(examined(readings))
    return examined(found) if many else found


# ---- the stages ------------------------------------------------------------------------------------------------------


Watch = Callable[[str], Progress]


def _work(run: Run, engine: Engine, figures: bool, progress: Progress | bool | None) -> Law:
    with watched(progress) as report_progress:
        return _worked(run, engine, figures, _by_stage(report_progress))


def _worked(run: Run, engine: Engine, figures: bool, watch: Watch) -> Law:
    law = _finished(run)
    if law is not None:
        engine = engine.here  # processes would begin as slowly as the figures are drawn
    else:
        number = " and ".join(str(len(each)) for each in run.experiments)
        run.log(f"Begun or resumed: {number} readings, preset {run.settings.preset!r}.")
        for note in dict.fromkeys(note for each in run.experiments for note in (*each.remarks, *each.warnings)):
            run.log(str(note))
        method = method_for(run.settings, run.experiments)
        sample = partial(sampled, run, engine, watch, carries_noise(method, run.settings))
        inference = method.infer(run, engine, watch, sample)
        if inference.posteriors:  # draws of a network are many, and would be sent to each process
            engine = engine.here
        if figures:  # while this process fits the law without some sensors
            load_ahead(engine.workers, "matplotlib.backends.backend_agg")
        with engine.running() as executor:
            law = _conclude(run, inference, method.note, executor, watch("law"))
    if figures:
        with local_executor(engine.workers) as executor:  # into files, which need not be on a shared disk
            _draw(run, law, executor, watch("figures"))
    return law


def _finished(run: Run) -> Law | None:
    """The law of a run that was finished, unless one of its files is damaged; then that stage is recomputed."""
    if not run.law.exists():
        return None
    try:
        law = load_law(run.path)
    except DamagedFile as fault:
        run.report_damage(fault)
        run.law.unlink()
        return None
    run.log("Read again; it was finished.")
    return law


def _conclude(run: Run, inference: Inference, note: Notice | None, executor: Executor, progress: Progress) -> Law:
    """Verdicts and warnings: seconds, so that only what comes out is kept. note: on how the law was found."""
    progress("judging the draws", 0.2, None)
    _ = inference.diagnostics
    progress("solving forward", 0.4, None)
    forward = _forward(inference, executor, lambda part: progress("solving forward", 0.4 + 0.6 * part, None))
    law = Law(inference, run.settings, forward, *judge(inference, forward, note))
    write_forward(run.forward, law.forward)
    write_law(run.law, law)
    progress("solving forward", 1.0, 0.0)
    for each in (law, *law.remarks, *law.warnings):
        run.log(str(each))
    return law


def _forward(inference: Inference, executor: Executor, report_progress: Callable[[float], None]) -> Forward:
    if not all(fit.support.any() for fit in inference.fits):
        return Forward("not tried", Notice.of("no-law-to-solve"))
    try:
        return check_forward(inference, report_progress=report_progress, executor=executor)
    except PdescryError as fault:  # the law is found, and is not lost for want of a check
        return Forward("not tried", Notice.of("forward-failed", fault=fault.marked))


def _draw(run: Run, law: Law, executor: Executor, progress: Progress) -> None:
    """Pictures and the report, as far as they are not there yet. What cannot be drawn is reported and stops nothing:
    the law is safe."""
    with suppress(OSError):
        run.figures.mkdir(exist_ok=True)
    files = [run.report, *(run.figures / name for name in _pictures(law))]  # what takes longest first
    missing = [path for path in files if not path.exists()]
    progress("drawing", 1 - len(missing) / len(files), None)
    tasks = [(_drawn, (law, path)) for path in missing]
    for number, (path, fault) in enumerate(zip(missing, one_by_one(executor, tasks), strict=True)):
        progress(f"drawing {path.name}", 1 - (len(missing) - number) / len(files), None)
        if fault:
            notice = Notice.of("not-drawn", file=path.name, fault=fault)
            run.log(str(notice))
            warnings.warn(NoticeWarning(notice), stacklevel=3)
    progress("drawing", 1.0, 0.0)


def _drawn(law: Law, path: Path) -> str:
    """Why it cannot be, or nothing."""
    from pdescry import plot

    try:
        if path.name in (pictures := _pictures(law)):
            plot.save(pictures[path.name](), path)
        else:
            law.report(path)
    except Exception as fault:  # whatever it is
        return str(fault) or type(fault).__name__
    return ""


def _pictures(law: Law) -> dict[str, Callable[[], Any]]:
    """By the names of their files."""
    from pdescry import plot

    fields, found = law.readings.fields, {}
    for name in fields:
        ending = f"-{name}.png" if len(fields) > 1 else ".png"
        if len(law.readings.axes) <= 2:
            found[f"field{ending}"] = lambda name=name: plot.mean_and_sd(law, name)[0]
        if len(law.readings.axes) == 1:
            found[f"slices{ending}"] = lambda name=name: plot.slices(law, field=name)
        if law.forward.held_out is not None:
            found[f"forecast{ending}"] = lambda name=name: plot.forecast(law, field=name)
    if len(law.profiles):
        found["profiles.png"] = lambda: plot.profiles(law)
    return found | {
        "path.png": lambda: plot.path(law),
        "diagnostics.png": lambda: plot.diagnostics(law),
        "coefficients.png": lambda: plot.coefficients(law),
    }


def _by_stage(progress: Progress) -> Watch:
    """Progress of each stage under its name: "field: sampling"."""

    def of_stage(name: str) -> Progress:
        return lambda what, fraction, left=None: progress(f"{name}: {what}", fraction, left)

    return of_stage
