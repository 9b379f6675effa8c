"""All fields of a problem before any law: Gaussian processes, baselines, and initial fields of fits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from pdescry.data import Readings
from pdescry.executor import Executor, in_order
from pdescry.joint.field.axis import Array
from pdescry.joint.field.options import FIELD
from pdescry.joint.field.process import SCALES, Baseline, Process
from pdescry.joint.field.sampled import SampledField
from pdescry.joint.field.start import InitialField, Start, from_network, from_processes
from pdescry.joint.fit.operator import Operator
from pdescry.joint.fit.options import FIT
from pdescry.problem import Problem
from pdescry.progress import Progress

Processes = dict[str, dict[str, list[Process]]]  # by field, then by name, one for each experiment


def fields_without_law(
    problem: Problem, executor: Executor, report_progress: Progress, kinds: Iterable[str] = tuple(SCALES)
) -> Processes:
    """All fields as processes of these kinds, without a law."""
    kinds = tuple(kinds)
    keys = [
        (field, name, number)
        for name in reversed(kinds)
        for field in problem.fields
        for number in range(len(problem.experiments))
    ]
    tasks = [
        (_process, (name, problem.experiments[number], problem.fields.index(field))) for field, name, number in keys
    ]
    fitted = in_order(
        executor, tasks, lambda share: report_progress("looking at the readings", round(0.1 * share, 6), None)
    )
    found: Processes = {field: {name: [] for name in kinds} for field in problem.fields}
    for (field, name, _), process in zip(keys, fitted, strict=True):
        found[field][name].append(process)
    return found


def _process(name: str, readings: Readings, field: int) -> Process:
    """A process with its baseline: with or without correlated errors of sensors (which laws may have, too), whichever
    predicts better. It is computed here, in parallel."""
    process = Process.fitted(name, readings, field)
    lasting = process.with_lasting_errors()
    # Small ones may be unresolved variations of the field.
    small = lasting.lasting_sd < FIELD.start.negligible_correlated_error * process.unit
    baseline = max(process.left_out, lasting.left_out, key=lambda each: each.score)
    return replace(process if small else lasting, baseline=baseline)


def among(problem: Problem, processes: Processes) -> Processes:
    """The processes of the fields of a problem, with its readings."""
    return {
        field: {
            name: [
                replace(one, readings=some, field=number) for one, some in zip(fitted, problem.experiments, strict=True)
            ]
            for name, fitted in processes[field].items()
        }
        for number, field in enumerate(problem.fields)
    }


def baselines_of(processes: Processes) -> dict[str, dict[str, Baseline]]:
    """Baselines over all experiments, by field."""
    return {
        field: {name: Baseline.of_all([each.left_out for each in fitted]) for name, fitted in by_name.items()}
        for field, by_name in processes.items()
    }


def noise_without_law(problem: Problem, processes: Processes) -> list[Array]:
    """For each experiment, (F,): noise of each field in fits without a law."""
    found = []
    for number in range(len(problem.experiments)):
        each = [processes[field]["smooth"][number] for field in problem.fields]
        found.append(np.array([max(process.noise, FIT.noise.least_sd * process.unit) for process in each]))
    return found


def starts_of(
    problem: Problem, processes: Processes, posteriors: Sequence[SampledField], least: int = 0
) -> list[Start]:
    """Initial fields: of processes without offsets, and with them; of networks, if there are any. least: minimum number
    of elements along each axis of space."""
    operator = Operator(problem.fields, problem.orders, problem.axes, ())
    numbers = range(len(problem.experiments))

    def of(name: str) -> tuple[InitialField, ...]:
        return tuple(
            from_processes(
                [processes[field][name][k] for field in problem.fields], problem.ends[k], problem.orders, least
            )
            for k in numbers
        )

    kinds = [of("shared"), of("smooth")]
    if not any(each.experiment.noise_model.has_offsets for each in kinds[1]):
        del kinds[1]
    if posteriors:
        kinds.append(tuple(from_network(each, problem.ends[k], problem.orders) for k, each in enumerate(posteriors)))
    # All with the same noise, so that laws can be compared.
    most = [np.max([fields[k].experiment.noise_model.noise for fields in kinds], axis=0) for k in numbers]
    return [
        Start(
            tuple(each.with_noise(noise) for each, noise in zip(fields, most, strict=True)),
            operator,
            problem.known.values,
        )
        for fields in kinds
    ]
