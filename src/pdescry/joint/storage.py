"""A `Choice` as a NetCDF file without pickle: splines of the fields, the law, and the comparison with others.

Readings are not included, nor anything that follows from them and the rest: it is computed again, to the same digits.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from pdescry.data import Readings, SensorFault
from pdescry.equation import Term
from pdescry.errors import InputError
from pdescry.files import check_target, saved_dataset, write_dataset
from pdescry.joint.choice import Choice, Comparison
from pdescry.joint.field.axis import Axis
from pdescry.joint.field.process import Process
from pdescry.joint.field.region import Region
from pdescry.joint.field.space import Space
from pdescry.joint.fit.calibration import Calibration
from pdescry.joint.fit.experiment import Experiment
from pdescry.joint.fit.noise_model import NoiseModel
from pdescry.joint.fit.objective import Minimum, Objective
from pdescry.joint.fit.operator import Operator
from pdescry.joint.joint_fit import JointFit
from pdescry.joint.observations import Observations
from pdescry.joint.profiles import COLUMNS
from pdescry.joint.sensors.against_law import without
from pdescry.notices import Notice, restored, stored
from pdescry.problem import Candidate, Condition, Ends, Given, Known, Problem
from pdescry.problem.ends import edges_of

FORMAT = "pdescry choice 10"
TABLES = ("alternatives", "held_out", "single_term_changes", "probabilities", "claims", "profiles")


def save(choice: Choice, path: Path) -> None:
    check_target(path, (".nc",))
    write_dataset(path, _dataset(choice))


def load(path: Path, readings: Readings | Sequence[Readings]) -> Choice:
    experiments = (readings,) if isinstance(readings, Readings) else tuple(readings)
    dataset = saved_dataset(path, FORMAT, "a choice of terms")
    for each in json.loads(dataset.attrs["about"])["left_out"]:
        experiments = tuple(without(own, SensorFault(**each)) for own in experiments)
    sizes = [int(size) for size in np.atleast_1d(dataset.attrs["readings"])]
    if sizes != (found := [len(each) for each in experiments]):
        raise InputError(
            f"Expected the readings from which {str(path)!r} was made, {_listed(sizes)}; got {_listed(found)}; load it "
            "with those."
        )
    return _choice(dataset, experiments)


def _dataset(choice: Choice) -> xr.Dataset:
    fit, comparison = choice.fit, choice.comparison
    found, problem = fit.minimum, fit.problem
    variables: dict[str, Any] = {
        "term": ("term", _texts(found.terms)),
        "coefficients": ("term", found.coefficients),
        "prior_sd": ("term", found.objective.prior_sd),
        "candidate": ("candidate", _texts(choice.candidates)),
    }
    about = {
        "all_fields": choice.fields,
        "fields": problem.fields,
        "orders": problem.orders,
        "given": [[str(term), each.value, each.sd] for term, each in found.objective.given.items()],
        "known": [each.text for each in problem.known.claims],
        "ends": [[each.reach, each.domain] for each in problem.ends],
        "converged": found.converged,
        "notes": stored(fit.notes),
        "columns": {name: list(getattr(comparison, name)) for name in TABLES},
        "baselines": comparison.baselines,
        "reasons": {field: reason.to_dict() for field, reason in comparison.reasons.items()},
        "other_order": stored([] if comparison.other_order is None else [comparison.other_order]),
        "variation": stored(comparison.variation),
        "left_out": [each.to_dict() for each in choice.left_out],
        "processes": [[[each.name, list(each.scales), list(each.lasting)] for each in own] for own in choice.processes],
    }
    attributes: dict[str, Any] = {"format": FORMAT, "about": json.dumps(about)}
    attributes["readings"] = [len(each.readings) for each in choice.processes[0]]
    for number, experiment, state in found.experiments:
        space, mark, calibration = experiment.space, f"_{number}", experiment.noise_model.calibration
        for k, axis in enumerate(space.axes):
            variables[f"breaks_{k}{mark}"] = (f"break_{k}{mark}", axis.breaks)
        variables |= {
            f"state{mark}": (
                ("component", *(f"basis_{k}{mark}" for k in range(len(space.axes)))),
                space.unpacked(state),
            ),
            f"noise{mark}": (f"observation{mark}", experiment.noise_model.noise),
            f"calibration_sds{mark}": (("component", f"kind{mark}"), calibration.sds),
            f"calibration_scales{mark}": (("component", f"kind{mark}"), calibration.scales),
            f"calibration_patterns{mark}": ((f"observation{mark}", f"kind{mark}"), calibration.patterns),
            f"lasting{mark}": ((f"observation{mark}", "share_time_smooth"), experiment.noise_model.lasting),
            f"tolerance{mark}": ("component", experiment.tolerance),
        }
        attributes |= {
            f"kinds{mark}": json.dumps(calibration.kinds),
            f"degrees{mark}": [axis.degree for axis in space.axes],
            f"conditions{mark}": json.dumps([dataclasses.astuple(each) for each in experiment.conditions]),
            f"roughness{mark}": json.dumps(None if experiment.roughness is None else experiment.roughness.tolist()),
        }
    for name in TABLES:
        for column, values in getattr(comparison, name).items():
            texts = values.dtype.kind not in "bif"
            variables[f"{name}_{column}"] = (f"{name}_row", _texts(values) if texts else values.to_numpy())
    return xr.Dataset(variables, attrs=attributes)


def _choice(dataset: xr.Dataset, experiments: tuple[Readings, ...]) -> Choice:
    about = json.loads(dataset.attrs["about"])
    fields, orders = tuple(about["fields"]), tuple(map(int, about["orders"]))
    whole = experiments
    experiments = tuple(each if each.fields == fields else each.of_fields(fields) for each in experiments)
    first = experiments[0]
    inputs = tuple(each.name for each in first.inputs)

    def candidate(text: str) -> Candidate:
        field, _, term = text.partition(": ")
        return Candidate(field, Term.parse(term, (*about["all_fields"], *inputs), first.axes))

    def listed(name: str) -> tuple[Candidate, ...]:
        return tuple(candidate(str(text)) for text in dataset[name].values)

    given = {candidate(text): Given(value, sd) for text, value, sd in about["given"]}
    parts = [_experiment(dataset, number, each) for number, each in enumerate(experiments)]
    candidates = listed("candidate")
    known = Known.of(about["known"], candidates, fields, inputs, first.axes)
    ends = tuple(
        Ends(tuple(map(tuple, reach)), tuple(map(tuple, domain)), experiment.conditions)
        for (reach, domain), (experiment, _) in zip(about["ends"], parts, strict=True)
    )
    problem = Problem(experiments, fields, inputs, first.axes, orders, candidates, known, ends)
    objective = Objective(
        tuple(experiment for experiment, _ in parts),
        Operator(fields, orders, first.axes, listed("term")),
        np.array(dataset["prior_sd"].values, float),
        given,
    )
    coefficients = np.array(dataset["coefficients"].values, float)
    found = Minimum(objective, tuple(state for _, state in parts), coefficients, bool(about["converged"]))
    alternatives, held_out, changes, probabilities, claims, profiles = (
        pd.DataFrame({column: dataset[f"{name}_{column}"].values.tolist() for column in about["columns"].get(name, ())})
        for name in TABLES
    )
    if profiles.empty:  # an empty table does not define the types of its columns
        profiles = pd.DataFrame(columns=list(COLUMNS))
    comparison = Comparison(
        alternatives,
        probabilities,
        held_out,
        about["baselines"],
        {field: Notice.from_dict(reason) for field, reason in about["reasons"].items()},
        changes,
        next(iter(restored(about["other_order"])), None),
        claims,
        profiles,
        restored(about["variation"]),
    )
    processes = tuple(
        tuple(
            Process(name, readings, field, np.array(scales, float), np.array(lasting, float))
            for (name, scales, lasting), readings in zip(own, whole, strict=True)
        )
        for field, own in enumerate(about["processes"])
    )
    fit = JointFit(found, problem, restored(about["notes"]))
    left_out = tuple(SensorFault(**each) for each in about["left_out"])
    return Choice(fit, candidates, comparison, tuple(about["all_fields"]), processes, left_out)


def _experiment(dataset: xr.Dataset, number: int, readings: Readings) -> tuple[Experiment, np.ndarray]:
    mark = f"_{number}"
    degrees = [int(degree) for degree in np.atleast_1d(dataset.attrs[f"degrees{mark}"])]
    axes = tuple(Axis(np.array(dataset[f"breaks_{k}{mark}"].values, float), degree) for k, degree in enumerate(degrees))
    conditions = tuple(Condition(*each) for each in json.loads(dataset.attrs[f"conditions{mark}"]))
    edges = edges_of(conditions, [axis.span for axis in axes[:-1]])
    space = Space(axes, len(readings.fields), Region.of(readings, edges))
    noise, lasting, tolerance, sds, patterns, scales = (
        np.array(dataset[f"{name}{mark}"].values, float)
        for name in (
            "noise",
            "lasting",
            "tolerance",
            *(f"calibration_{part}" for part in ("sds", "patterns", "scales")),
        )
    )
    calibration = Calibration(tuple(json.loads(dataset.attrs[f"kinds{mark}"])), sds, patterns, scales)
    rough = json.loads(dataset.attrs[f"roughness{mark}"])
    roughness = None if rough is None else np.array(rough, float)
    model = NoiseModel(noise, calibration, Observations(readings), lasting)
    experiment = Experiment(space, model, tolerance, conditions, roughness)
    return experiment, space.packed(np.array(dataset[f"state{mark}"].values, float))


def _listed(sizes: Sequence[int]) -> str:
    return " and ".join(map(str, sizes))


def _texts(values: Any) -> np.ndarray:
    return np.array([str(value) for value in values], object)
