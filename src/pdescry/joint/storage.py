"""A `Choice` as a NetCDF file without pickle: the field's spline, the law, and how others compare.

Readings are not in it, and what follows from them and the rest is not either: it is computed anew, to the same digits.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from pdescry.data import Readings
from pdescry.equation import Term
from pdescry.files import appearing, check_target, saved_dataset
from pdescry.joint.boundary import Condition
from pdescry.joint.choice import Choice, Comparison
from pdescry.joint.fit import JointFit
from pdescry.joint.known import Given
from pdescry.joint.objective import Minimum, Objective
from pdescry.joint.scatter import Scatter
from pdescry.joint.splines import Axis, Space

FORMAT = "pdescry choice 2"
TABLES = ("alternatives", "held_out")


def save(choice: Choice, path: Path) -> None:
    check_target(path, (".nc",))
    dataset = _dataset(choice)
    with appearing(path) as temporary:
        dataset.to_netcdf(temporary, engine="h5netcdf")


def load(path: Path, readings: Readings) -> Choice:
    with saved_dataset(path, FORMAT, "a choice of terms") as dataset:
        if dataset.sizes["reading"] != len(readings):
            raise ValueError(f"it is of {dataset.sizes['reading']} readings, not of {len(readings)}")
        return _choice(dataset, readings)


def _dataset(choice: Choice) -> xr.Dataset:
    found, comparison = choice.fit.minimum, choice.comparison
    objective = found.objective
    space = objective.space
    variables: dict[str, Any] = {
        "breaks_x": ("break_x", space.x.breaks),
        "breaks_t": ("break_t", space.t.breaks),
        "field": (("basis_x", "basis_t"), found.field.reshape(space.shape)),
        "noise": ("reading", objective.scatter.noise),
        "term": ("term", _texts(objective.terms)),
        "coefficients": ("term", found.coefficients),
        "prior_sd": ("term", objective.prior_sd),
        "candidate": ("candidate", _texts(choice.candidates)),
        "probability": ("candidate", comparison.probabilities.to_numpy(float)),
    }
    for name in TABLES:
        for column, values in getattr(comparison, name).items():
            texts = values.dtype.kind not in "bif"
            variables[f"{name}_{column}"] = (f"{name}_row", _texts(values) if texts else values.to_numpy())
    attributes = {
        "format": FORMAT,
        "degrees": [space.x.degree, space.t.degree],
        "orders": list(space.orders),
        "given": json.dumps([[str(term), each.value, each.sd] for term, each in objective.given.items()]),
        "conditions": json.dumps([[each.order, each.place, each.value] for each in objective.conditions]),
        "offset_sd": objective.scatter.offset_sd,
        "tolerance": objective.tolerance,
        "converged": int(found.converged),
        "notes": json.dumps(choice.fit.notes),
        "columns": json.dumps({name: list(getattr(comparison, name)) for name in TABLES}),
        "baselines": json.dumps(comparison.baselines),
        "reason": comparison.reason,
    }
    return xr.Dataset(variables, attrs=attributes)


def _choice(dataset: xr.Dataset, readings: Readings) -> Choice:
    about = dataset.attrs
    breaks = (np.array(dataset[name].values, float) for name in ("breaks_x", "breaks_t"))
    x, t = (Axis(each, int(degree)) for each, degree in zip(breaks, about["degrees"], strict=True))
    along_x, along_t = map(int, about["orders"])
    noise, prior_sd, coefficients = (
        np.array(dataset[name].values, float) for name in ("noise", "prior_sd", "coefficients")
    )
    objective = Objective(
        Space(x, t, (along_x, along_t)),
        Scatter(noise, float(about["offset_sd"]), readings),
        _terms(dataset["term"], readings),
        float(about["tolerance"]),
        prior_sd,
        {_term(text, readings): Given(value, sd) for text, value, sd in json.loads(about["given"])},
        tuple(Condition(*each) for each in json.loads(about["conditions"])),
    )
    field = np.array(dataset["field"].values, float).ravel()
    found = Minimum(objective, field, coefficients, bool(about["converged"]))
    candidates = _terms(dataset["candidate"], readings)
    probabilities = pd.Series(
        dataset["probability"].values.astype(float), [str(term) for term in candidates], name="probability"
    )
    columns = json.loads(about["columns"])
    alternatives, held_out = (
        pd.DataFrame({column: dataset[f"{name}_{column}"].values.tolist() for column in columns[name]})
        for name in TABLES
    )
    comparison = Comparison(alternatives, probabilities, held_out, json.loads(about["baselines"]), str(about["reason"]))
    return Choice(JointFit(found, tuple(json.loads(about["notes"]))), candidates, comparison)


def _texts(values: Any) -> np.ndarray:
    return np.array([str(value) for value in values], object)


def _terms(texts: xr.DataArray, readings: Readings) -> tuple[Term, ...]:
    return tuple(_term(str(text), readings) for text in texts.values)


def _term(text: str, readings: Readings) -> Term:
    return Term.parse(text, readings.fields, readings.axes)
