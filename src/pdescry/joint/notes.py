"""What is to be said of a fit: what kinds of errors sensors make, and where the law does not explain the readings."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from pdescry.joint.field.axis import Array
from pdescry.joint.fit.calibration import DELAY, DISPLACEMENT, GAIN, OFFSET
from pdescry.joint.fit.objective import Minimum
from pdescry.joint.fit.systematic_errors import constants
from pdescry.joint.fit.unknown_source import unknown_source
from pdescry.joint.options import ANSWER
from pdescry.joint.search.options import SEARCH
from pdescry.joint.search.verdict import departures
from pdescry.notices import Notice

CODES = {OFFSET: "offsets", GAIN: "gains", DISPLACEMENT: "displacements", DELAY: "delays"}  # of notices


def notes_of(found: Minimum, before: Sequence[Array]) -> tuple[Notice, ...]:
    """before: for each experiment the noise of each field in fits without a law."""
    notes, operator = [], found.objective.operator
    lefts = [f"{name}_{'t' * order}" for name, order in zip(operator.fields, operator.orders, strict=True)]
    for number, _, _ in found.experiments:
        notes += _systematic_errors(found, number)
    if not found.converged:
        notes.append(Notice.of("not-converged"))
    for left, share in zip(lefts, found.relative_residual_by_equation, strict=True):
        if share > ANSWER.report.residual:
            notes.append(Notice.of("law-fails", share=share, left=left))
    if (source := unknown_source(found)) is not None:
        left = lefts[operator.fields.index(source.field)]
        names = [found.objective.experiments[0].readings.time_name if name == "t" else name for name in source.varies]
        parameters = {"share": source.share, "gain": source.gain}
        notes.append(Notice.of("unknown-source", field=source.field, along=names, left=left, **parameters))
    for number, (each, (_, experiment, _)) in enumerate(zip(departures(found, before), found.experiments, strict=True)):
        for name, departure, unit, (share, lasts) in zip(
            operator.fields, each, experiment.observations.unit, experiment.noise_model.lasting_of_fields, strict=True
        ):
            whose = {"field": name, "experiment": number if len(found.states) > 1 else None}
            if departure > SEARCH.verdict.departure:
                notes.append(Notice.of("readings-leave-law", departure=departure, **whose))
            elif departure:
                off, lasting = departure * unit, lasts if share else None
                parameters = {"share": 1 - departure**2, "departure": off, "lasting": lasting}
                notes.append(Notice.of("explains-not-all", **parameters, **whose))
            elif share:
                notes.append(Notice.of("lasting-errors", lasting=lasts, share=share, **whose))
    return tuple(notes)


def _systematic_errors(found: Minimum, number: int) -> list[Notice]:
    """What kinds of systematic errors sensors seem to make in one experiment."""
    experiment, notices = found.objective.experiments[number], []
    calibration, names = experiment.noise_model.calibration, experiment.readings.fields
    for k, (field, name) in product(range(len(calibration.kinds)), enumerate(names)):
        kind, _, along = calibration.kinds[k].partition(" ")
        if not (sd := float(calibration.sds[field, k])):
            continue
        of_one: dict[str, Any] = {"field": name if len(names) > 1 else None, "experiment": number or None}
        of_one |= {"axis": along} if along else {}
        if kind != OFFSET:
            table: Any = constants(found, number, calibration.kinds[k])
            own = table if len(names) == 1 else table[table["field"] == name]
            of_one |= {"clearly": _clearest(own, ".1%" if kind == GAIN else ".2g") or None}
        notices.append(Notice.of(CODES[kind], sd=sd / abs(float(calibration.scales[field, k])), **of_one))
    return notices


def _clearest(constants: pd.DataFrame, form: str) -> list[str]:
    """Sensors whose constant is far from zero, with that constant, the clearest first."""
    mean, sd = (constants[name].to_numpy(float) for name in ("mean", "sd"))
    z = np.abs(mean) / np.maximum(sd, np.finfo(float).tiny)
    clearest = [k for k in np.argsort(-z, kind="stable") if z[k] > ANSWER.report.clear_constant]
    names = constants["sensor"].tolist()
    return [
        f"{'sensor ' if isinstance(names[k], int) else ''}{names[k]} " + f"{mean[k]:+{form}}".replace("-", "−")
        for k in clearest[: ANSWER.report.sensors_named]
    ]
