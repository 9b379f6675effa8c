"""`examine`: readings → readings without their faulty parts, and a list of faults, before the search for a law."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from pdescry.cores import one_thread
from pdescry.data import Readings, SensorFault
from pdescry.data.faults import Kind
from pdescry.joint.field.axis import Array
from pdescry.joint.fit.options import FIT
from pdescry.joint.observations import Numbers
from pdescry.joint.sensors.constant import Run, runs, stuck
from pdescry.joint.sensors.drift import drift
from pdescry.joint.sensors.field_of_readings import FieldOfReadings
from pdescry.joint.sensors.options import SENSORS
from pdescry.joint.sensors.outliers import outliers
from pdescry.joint.sensors.steps import steps


def examine(readings: Readings, leave_out: bool = True) -> tuple[Readings, tuple[SensorFault, ...]]:
    """Find faulty sensors and readings, by Gaussian processes over time and place without a law.

    Parameters
    ----------
    readings : Readings
        The readings.
    leave_out : bool
        Whether to leave faulty parts out; otherwise they are only reported.

    Returns
    -------
    Readings
        Without outliers, and without sensors that read a constant or drift. ``faults`` lists them. At least half of the
        sensors, and at least 4, are kept; then faults are only reported.
    tuple of SensorFault
        The faults: ``found.faults``.
    """
    examined = _Examined(readings, leave_out)
    with one_thread():
        for field in range(len(readings.fields)):
            examined.check(field)
    return examined.answer()


class _Examined:
    """The state of the examination. values: (N, f), without the faulty ones found so far."""

    def __init__(self, readings: Readings, leave_out: bool) -> None:
        self.readings, self.leave_out = readings, leave_out
        self.names = readings.sensor_names or tuple(map(str, range(readings.n_sensors)))
        self.values: Array = readings.values.copy()
        self.faults: list[SensorFault] = []

    def answer(self) -> tuple[Readings, tuple[SensorFault, ...]]:
        if not self.faults:
            return self.readings, self.readings.faults
        faults = (*self.readings.faults, *self.faults)
        if not any(each.left_out for each in self.faults):
            return replace(self.readings, faults=faults), faults
        keep = np.isfinite(self.values).any(axis=1)
        noise = None if self.readings.noise is None else np.where(np.isfinite(self.values), self.readings.noise, np.nan)
        # With the original names: sensors without names would be renumbered.
        left = replace(self.readings, values=self.values, noise=noise, sensor_names=self.names, faults=faults)
        left = left.select(keep)
        if self.readings.sensor_names is None and left.n_sensors == self.readings.n_sensors:
            left = replace(left, sensor_names=None)
        return left, faults

    def _now(self) -> Readings:
        """The readings that are not faulty so far; with a copy of the values, because readings make them read-only."""
        return replace(self.readings, values=self.values.copy())

    def check(self, field: int) -> None:
        measured = np.isfinite(self.values[:, field])
        sensors = np.unique(self.readings.sensor[measured])
        number = measured.sum()
        if len(sensors) < 3 or number < SENSORS.examine.least_readings or np.ptp(self.values[measured, field]) == 0:
            return
        self.limit = max(SENSORS.examine.least_sensors, int(np.ceil(SENSORS.examine.least_share * len(sensors))))
        step = self._steps(field, sensors)
        if len(self.readings.axes) > 1 and len(sensors) > FIT.leave_out.sensors_one_by_one:
            # pixels, or readings at random places
            if number <= SENSORS.examine.most_readings_in_plane:
                self._outliers(field)
            return
        self._constant(field, step)
        if number <= SENSORS.examine.most_readings:
            fitted = self._outliers(field)
            self._drift(field, fitted)

    def _steps(self, field: int, sensors: Numbers) -> float:
        found = steps(self.readings, field)
        coarse = np.flatnonzero(np.isfinite(found))
        if not len(coarse):
            return 0.0
        number = int(np.isin(self.readings.sensor[np.isfinite(self.values[:, field])], coarse).sum())
        size = float(np.median(found[coarse]))
        self._report("steps", field, coarse, False, number, value=size, everywhere=len(coarse) == len(sensors))
        return float(found[coarse].max())

    def _constant(self, field: int, step: float) -> None:
        now = self._now()
        suspects = runs(now, field)
        found: list[Run] = stuck(now, field, suspects, step) if suspects else []
        for run in found:
            left_out = not run.outermost and self._can_be_left_out(field, run.rows)
            if left_out:
                self.values[run.rows, field] = np.nan
            details = {"value": run.value, "since": run.since, "outermost": run.outermost}
            self._report("constant", field, [run.sensor], left_out, len(run.rows), **details)

    def _outliers(self, field: int) -> FieldOfReadings:
        now = self._now()
        rows, fitted = outliers(FieldOfReadings.fitted(now, field))
        if len(rows):
            if self.leave_out:
                self.values[rows, field] = np.nan
            self._report("outliers", field, np.unique(self.readings.sensor[rows]), self.leave_out, len(rows))
            values = now.values.copy()
            values[rows, field] = np.nan
            now = replace(now, values=values)
            fitted = FieldOfReadings(now, field, fitted.process)
        return fitted

    def _drift(self, field: int, fitted: FieldOfReadings) -> None:
        """One drifting sensor after the other."""
        while (found := drift(fitted)) is not None:
            left_out = found.alternative is None and self._can_be_left_out(field, found.rows)
            who = [found.sensor] if found.alternative is None else [found.sensor, found.alternative]
            self._report("drift", field, who, left_out, len(found.rows), value=found.rate)
            if not left_out:
                return
            self.values[found.rows, field] = np.nan
            values = fitted.readings.values.copy()
            values[found.rows, field] = np.nan
            fitted = FieldOfReadings(replace(fitted.readings, values=values), field, found.others.process)

    def _can_be_left_out(self, field: int, rows: Numbers) -> bool:
        """Whether enough sensors remain without these rows."""
        if not self.leave_out:
            return False
        left = np.isfinite(self.values[:, field])
        left[rows] = False
        return len(np.unique(self.readings.sensor[left])) >= self.limit

    def _report(self, kind: Kind, field: int, sensors: Iterable[int], left_out: bool, number: int, **more: Any) -> None:
        names = tuple(self.names[k] for k in sensors)
        fault = SensorFault(kind, self.readings.fields[field], names, left_out, number, **more)
        known = {(each.kind, each.field, each.sensors) for each in self.readings.faults}
        if (fault.kind, fault.field, fault.sensors) not in known:  # already reported before readings were averaged
            self.faults.append(fault)
