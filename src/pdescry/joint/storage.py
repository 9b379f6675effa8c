"""A `Choice` as a NetCDF file without pickle: the field's spline, the law, and how others compare.

Readings are not in it, and what follows from them and the rest is not either: it is computed anew, to the same digits.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from pdescry.data import Readings
from pdescry.equation import Term
from pdescry.files import check_target, saved_dataset, write_dataset
from pdescry.joint.choice import Choice, Comparison
from pdescry.joint.ends import Condition
from pdescry.joint.experiment import Experiment
from pdescry.joint.fit import JointFit
from pdescry.joint.known import Given
from pdescry.joint.objective import Minimum, Objective
from pdescry.joint.scatter import Scatter
from pdescry.joint.splines import Axis, Space

FORMAT = "pdescry choice 2"
TABLES = ("alternatives", "held_out", "singly")


def save(choice: Choice, path: Path) -> None:
    check_target(path, (".nc",))
    write_dataset(path, _dataset(choice))


def load(path: Path, readings: Readings | Sequence[Readings]) -> Choice:
    experiments = (readings,) if isinstance(readings, Readings) else tuple(readings)
    with saved_dataset(path, FORMAT, "a choice of terms") as dataset:
        sizes = [dataset.sizes[f"reading{mark}"] for mark in _marks(int(dataset.attrs.get("experiments", 1)))]
        if sizes != (found := [len(each) for each in experiments]):
            raise ValueError(f"it is of {_listed(sizes)} readings, not of {_listed(found)}")
        return _choice(dataset, experiments)


def _dataset(choice: Choice) -> xr.Dataset:
    found, comparison = choice.fit.minimum, choice.comparison
    objective = found.objective
    variables: dict[str, Any] = {
        "term": ("term", _texts(objective.terms)),
        "coefficients": ("term", found.coefficients),
        "prior_sd": ("term", objective.prior_sd),
        "candidate": ("candidate", _texts(choice.candidates)),
        "probability": ("candidate", comparison.probabilities.to_numpy(float)),
    }
    attributes: dict[str, Any] = {
        "format": FORMAT,
        "experiments": len(found.fields),
        "given": json.dumps([[str(term), each.value, each.sd] for term, each in objective.given.items()]),
        "converged": int(found.converged),
        "notes": json.dumps(choice.fit.notes),
        "columns": json.dumps({name: list(getattr(comparison, name)) for name in TABLES}),
        "baselines": json.dumps(comparison.baselines),
        "reason": comparison.reason,
    }
    for mark, (_, experiment, field) in zip(_marks(len(found.fields)), found.experiments, strict=True):
        space = experiment.space
        variables |= {
            f"breaks_x{mark}": (f"break_x{mark}", space.x.breaks),
            f"breaks_t{mark}": (f"break_t{mark}", space.t.breaks),
            f"field{mark}": ((f"basis_x{mark}", f"basis_t{mark}"), field.reshape(space.shape)),
            f"noise{mark}": (f"reading{mark}", experiment.scatter.noise),
        }
        attributes |= {
            f"degrees{mark}": [space.x.degree, space.t.degree],
            f"orders{mark}": list(space.orders),
            f"conditions{mark}": json.dumps([[each.order, each.place, each.value] for each in experiment.conditions]),
            f"offset_sd{mark}": experiment.scatter.offset_sd,
            f"tolerance{mark}": experiment.tolerance,
        }
    for name in TABLES:
        for column, values in getattr(comparison, name).items():
            texts = values.dtype.kind not in "bif"
            variables[f"{name}_{column}"] = (f"{name}_row", _texts(values) if texts else values.to_numpy())
    return xr.Dataset(variables, attrs=attributes)


def _choice(dataset: xr.Dataset, experiments: tuple[Readings, ...]) -> Choice:
    about, readings = dataset.attrs, experiments[0]
    prior_sd, coefficients = (np.array(dataset[name].values, float) for name in ("prior_sd", "coefficients"))
    marks = _marks(len(experiments))
    objective = Objective(
        tuple(_experiment(dataset, mark, each) for mark, each in zip(marks, experiments, strict=True)),
        _terms(dataset["term"], readings),
        prior_sd,
        {_term(text, readings): Given(value, sd) for text, value, sd in json.loads(about["given"])},
    )
    fields = tuple(np.array(dataset[f"field{mark}"].values, float).ravel() for mark in marks)
    found = Minimum(objective, fields, coefficients, bool(about["converged"]))
    candidates = _terms(dataset["candidate"], readings)
    probabilities = pd.Series(
        dataset["probability"].values.astype(float), [str(term) for term in candidates], name="probability"
    )
    columns = json.loads(about["columns"])
    alternatives, held_out, singly = (
        pd.DataFrame({column: dataset[f"{name}_{column}"].values.tolist() for column in columns.get(name, ())})
        for name in TABLES  # one of them is not in older files
    )
    comparison = Comparison(
        alternatives, probabilities, held_out, json.loads(about["baselines"]), str(about["reason"]), singly
    )
    return Choice(JointFit(found, tuple(json.loads(about["notes"]))), candidates, comparison)


def _experiment(dataset: xr.Dataset, mark: str, readings: Readings) -> Experiment:
    about = dataset.attrs
    breaks = (np.array(dataset[f"{name}{mark}"].values, float) for name in ("breaks_x", "breaks_t"))
    x, t = (Axis(each, int(degree)) for each, degree in zip(breaks, about[f"degrees{mark}"], strict=True))
    along_x, along_t = map(int, about[f"orders{mark}"])
    return Experiment(
        Space(x, t, (along_x, along_t)),
        Scatter(np.array(dataset[f"noise{mark}"].values, float), float(about[f"offset_sd{mark}"]), readings),
        float(about[f"tolerance{mark}"]),
        tuple(Condition(*each) for each in json.loads(about[f"conditions{mark}"])),
    )


def _marks(experiments: int) -> list[str]:
    """What follows the names of each: nothing for the first."""
    return [f"_{number}" if number else "" for number in range(experiments)]


def _listed(sizes: Sequence[int]) -> str:
    return " and ".join(map(str, sizes))


def _texts(values: Any) -> np.ndarray:
    return np.array([str(value) for value in values], object)


def _terms(texts: xr.DataArray, readings: Readings) -> tuple[Term, ...]:
    return tuple(_term(str(text), readings) for text in texts.values)


def _term(text: str, readings: Readings) -> Term:
    return Term.parse(text, readings.fields, readings.axes)
