"""Single outliers: readings that no field could show, given the readings around them.

Each reading is predicted from all others by the process over time and place, in closed form:

    z_i = [K⁻¹ y]_i / √[K⁻¹]_ii

The largest is left out, the others are predicted without it, and so on. The outliers are then judged by a process
fitted without them, so that its noise is that of sound readings. A field that changes faster than a stationary process
expects (a layer at the first time, a front between two readings) has large z, too. Therefore an outlier also has to lie
beyond the readings of its own sensor just before and after, or, at an end of the record, those of other sensors at that
time; and readings around it are sound.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pdescry.joint.field.axis import Array
from pdescry.joint.observations import Numbers, Observations
from pdescry.joint.sensors.field_of_readings import FieldOfReadings
from pdescry.joint.sensors.options import SENSORS


def outliers(fitted: FieldOfReadings) -> tuple[Numbers, FieldOfReadings]:
    """Rows of the readings that are outliers, and a process fitted without them."""
    found = _far_out(fitted, SENSORS.outliers.suspect)
    for _ in range(SENSORS.outliers.rounds):
        if not len(found):
            return fitted.rows[found], fitted
        fitted = FieldOfReadings.fitted(fitted.readings, fitted.field, fitted.rows[found])
        before, found = found, _far_out(fitted, SENSORS.outliers.limit)
        if np.isin(found, before).all():
            break
    if len(found) > SENSORS.outliers.most_share * len(fitted.rows):
        found = found[:0]
    return fitted.rows[found], fitted


def _far_out(fitted: FieldOfReadings, limit: float) -> Numbers:
    found = [np.zeros(0, np.intp)]
    for own, some in fitted.parts():
        suspect, errors, z = _left_out(fitted, some, limit)
        if len(suspect):
            is_fault = _is_fault(fitted, some, suspect, errors, z)
            found.append(some[suspect[is_fault]][np.isin(some[suspect[is_fault]], own)])
    return np.unique(np.concatenate(found))


def _left_out(fitted: FieldOfReadings, some: Numbers, limit: float) -> tuple[Numbers, Array, Array]:
    """Which of some readings are suspected outliers, their prediction errors, and the z of all of them, each predicted
    from all that are not suspected."""
    precision = fitted.precision(some)
    inverse, pulled = precision.copy(), precision @ fitted.values[some]
    first = pulled.copy()
    out = np.zeros(len(some), bool)
    while out.sum() < 2 * SENSORS.outliers.most_share * len(some):
        sizes = np.where(out, 0, np.abs(pulled) / np.sqrt(np.where(out, 1, np.diag(inverse))))
        worst = int(sizes.argmax())
        if sizes[worst] < limit:
            break
        out[worst] = True
        column = inverse[:, worst] / inverse[worst, worst]
        pulled = pulled - column * pulled[worst]
        inverse = inverse - np.outer(column, inverse[worst])
    suspect = np.flatnonzero(out)
    z = np.where(out, 0, pulled) / np.sqrt(np.where(out, 1, np.diag(inverse)))
    covariance = np.linalg.inv(precision[np.ix_(suspect, suspect)])
    errors = covariance @ first[suspect]
    z[suspect] = errors / np.sqrt(np.diag(covariance))
    return suspect, errors, z


def _is_fault(fitted: FieldOfReadings, some: Numbers, suspect: Numbers, errors: Array, z: Array) -> NDArray[np.bool_]:
    """(suspects,): whether each is a fault of the reading, not a feature of the field."""
    out = np.zeros(len(some), bool)
    out[suspect] = True
    scaled = fitted.points[some, :-1] / fitted.process.scales[3:]
    inside = Observations(fitted.readings).inside
    found = np.zeros(len(suspect), bool)
    for k, (number, error) in enumerate(zip(suspect, errors, strict=True)):
        nearest_first = np.argsort(np.sum((scaled - scaled[number]) ** 2, axis=1), kind="stable")
        near = nearest_first[1 : SENSORS.outliers.neighbours + 1]
        calm = np.abs(z[near][~out[near]])
        least = SENSORS.outliers.calm_ratio * calm.max(initial=0.0)
        if out[near].sum() >= SENSORS.outliers.suspects_nearby or abs(z[number]) < least:
            continue
        before, after = _neighbours(fitted, some, number)
        adjacent = np.array([each for each in (before, after) if each is not None], np.intp)
        if (np.sign(error) * z[adjacent] > SENSORS.outliers.shared * abs(z[number])).any():
            continue
        beyond = 0.0
        if len(adjacent) == 2:
            beyond = float((np.sign(error) * (fitted.values[some[number]] - fitted.values[some[adjacent]])).min())
        found[k] = beyond > SENSORS.outliers.beyond_neighbours * abs(error) or (
            inside[fitted.sensor[some[number]]] and _apart_from_others(fitted, some[~out], int(some[number]), error)
        )
    return found


def _neighbours(fitted: FieldOfReadings, some: Numbers, number: int) -> tuple[int | None, int | None]:
    """Of some readings, those of the same sensor just before and after one of them, if there are any."""
    time, mine = fitted.time[some], np.flatnonzero(fitted.sensor[some] == fitted.sensor[some[number]])
    mine = mine[np.argsort(time[mine], kind="stable")]
    place = int(np.flatnonzero(mine == number)[0])
    usual = np.median(np.diff(time[mine])) if len(mine) > 1 else 0.0
    before = mine[place - 1] if place else None
    after = mine[place + 1] if place + 1 < len(mine) else None
    return tuple(  # pyright: ignore[reportReturnType]
        None if each is None or abs(time[each] - time[number]) > SENSORS.outliers.gap * usual else int(each)
        for each in (before, after)
    )


def _apart_from_others(fitted: FieldOfReadings, sound: Numbers, number: int, error: float) -> bool:
    """Whether it differs from the readings of other sensors at the same time, and in the same direction."""
    steps = np.diff(np.unique(fitted.time))
    others = sound[(fitted.sensor[sound] != fitted.sensor[number])]
    together = others[np.abs(fitted.time[others] - fitted.time[number]) <= steps.min(initial=np.inf) / 2]
    some = np.append(together, number)
    precision = fitted.precision(some)
    z = (precision @ fitted.values[some])[-1] / np.sqrt(precision[-1, -1])
    return bool(abs(z) > SENSORS.outliers.limit_at_ends and z * error > 0)
