"""`Readings`: scattered measurements of one or several fields, in the units in which they came.

One row is one reading: when, where, what, and by which sensor. Sensors may be anywhere and have clocks of their own.
Build one with a ``from_…`` method or :func:`pdescry.read`; each of these ends in :func:`pdescry.data.check.assemble`,
the one place where the promises below are checked.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pdescry.data.faults import SensorFault
from pdescry.data.inputs import Input
from pdescry.errors import InputError
from pdescry.files import appearing
from pdescry.notices import Notice

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

    from pdescry.data.input_sources import Inputs
    from pdescry.data.noise_level import NoiseEstimate

Missing = Literal["drop", "error"]
Names = str | Sequence[str] | None


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Readings:
    """N readings of f fields at places on d axes, by S sensors.

    Parameters
    ----------
    time : (N,) array of float
        Finite.
    space : (N, d) array of float
        Finite.
    values : (N, f) array of float
        Finite, or NaN where a reading did not measure that field; every reading measures at least one. No two
        contradict each other.
    sensor : (N,) array of int
        Numbers 0 … S − 1.
    sensor_names : tuple of str, optional
        The S names that the user gave; None where each distinct place counts as a sensor (numbered in the order of
        places).
    axes : tuple of str
        Names of the d axes, fit for an equation, such as ``x``.
    fields : tuple of str
        Names of the f fields, fit for an equation, such as ``u``.
    noise : (N, f) array of float, optional
        Known standard deviations, NaN where the value is.
    source : str
        Where the readings come from.
    notes : tuple of str
        Sentences about what was done while reading, for the user.
    time_name : str
        Name of time in files and figures.
    units : mapping of str to str
        Of time, axes, fields and inputs, by their names here, as they came and only where known; numbers are not
        converted.
    inputs : tuple of Input
        Known quantities that act on the fields and are not to be explained.
    faults : tuple of SensorFault
        What was found to be wrong with sensors, where it was looked for (`pdescry.examine`).
    time_origin : str
        The date of time zero where the source had dates (``2024-05-31T12:00:00``, UTC where they had a zone), or else
        empty; see `dates` and `to_times`.

    Notes
    -----
    `pdescry.read` makes them from files, and `from_arrays`, `from_grid`, `from_frame` and `from_xarray` from objects.
    """

    time: NDArray[np.float64]
    space: NDArray[np.float64]
    values: NDArray[np.float64]
    sensor: NDArray[np.intp]
    sensor_names: tuple[str, ...] | None = None
    axes: tuple[str, ...] = ("x",)
    fields: tuple[str, ...] = ("u",)
    noise: NDArray[np.float64] | None = None
    source: str = ""
    notes: tuple[Notice, ...] = ()
    time_name: str = "t"
    units: Mapping[str, str] = field(default_factory=dict)
    inputs: tuple[Input, ...] = ()
    faults: tuple[SensorFault, ...] = ()
    time_origin: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "units", dict(self.units))  # one's own, which nobody else changes
        object.__setattr__(self, "inputs", tuple(self.inputs))
        for name in ("time", "space", "values", "sensor", "noise"):
            array = getattr(self, name)
            if array is not None:
                array = np.ascontiguousarray(array)  # sums depend on the order, in their last bits
                array.setflags(write=False)
                object.__setattr__(self, name, array)

    # ---- ways in -----------------------------------------------------------------------------------------------

    @classmethod
    def from_arrays(
        cls,
        time: ArrayLike,
        space: ArrayLike,
        values: ArrayLike,
        *,
        sensor: ArrayLike | None = None,
        noise: ArrayLike | None = None,
        axes: Names = None,
        fields: Names = None,
        source: str = "arrays",
        missing: Missing = "drop",
        units: Mapping[str, str] | None = None,
        inputs: Inputs = None,
    ) -> Readings:
        """Readings from arrays with one entry for each reading.

        Parameters
        ----------
        time : (N,) array_like
            Numbers or dates.
        space : (N,) or (N, d) array_like
            Places.
        values : (N,) or (N, f) array_like
            NaN where a reading did not measure that field; readings without any value are dropped, and reported in
            ``notes``.
        sensor : (N,) array_like, optional
            Labels of any kind.
        noise : array_like, optional
            Standard deviations: one number, or (N,), (f,), (N, f).
        axes : str or sequence of str, optional
            By default x, y, z.
        fields : str or sequence of str, optional
            By default u, v, w.
        source : str
            Where the readings come from.
        missing : {"drop", "error"}
            What to do with readings without a value.
        units : mapping of str to str, optional
            As in ``{"t": "s", "u": "°C"}``.
        inputs : mapping, optional
            Known quantities that act on the fields, as in ``{"P": values}`` with a value per reading; or
            ``{"P": (times, values)}``, ``{"P": (times, places, values)}``, a function of t, x, …, or an `Input`.

        Returns
        -------
        Readings
        """
        from pdescry.data.check import as_array, assemble, numbers
        from pdescry.data.clock import clock
        from pdescry.data.input_sources import given

        times = as_array(time, "time")
        clocked = clock(times, "time", "reading {}".format)
        places = numbers(space, "space", "reading {}".format)
        places = places[:, None] if places.ndim == 1 else places
        return assemble(
            clocked.times,
            places,
            values,
            sensor=sensor,
            noise=noise,
            axes=axes,
            fields=fields,
            source=source,
            missing=missing,
            notes=clocked.notes,
            units=units,
            clock_unit=clocked.unit,
            origin=clocked.origin,
            inputs=given(inputs, clocked, places, times),
        )

    @classmethod
    def from_grid(
        cls,
        t: ArrayLike,
        x: ArrayLike | Sequence[ArrayLike],
        u: ArrayLike | Mapping[str, ArrayLike],
        *,
        noise: float | None = None,
        axes: Sequence[str] | None = None,
        source: str = "grid",
        missing: Missing = "drop",
        units: Mapping[str, str] | None = None,
        inputs: Inputs = None,
    ) -> Readings:
        """Readings of a field on a grid.

        Parameters
        ----------
        t : (nt,) array_like
            Times.
        x : (nx,) array_like, or a pair of them
            Places; in the plane the pair ``(x, y)``. Arrays of the field's shape, as from ``meshgrid``, will do as
            well.
        u : (nt, nx) or (nt, nx, ny) array_like, or mapping of str to these
            The field; several come as ``{"u": …, "v": …}``.
        noise : float, optional
            Its standard deviation.
        axes : sequence of str, optional
            By default x, y.
        source : str
            Where the readings come from.
        missing : {"drop", "error"}
            What to do with readings without a value.
        units : mapping of str to str, optional
            As in ``{"t": "s", "u": "°C"}``.
        inputs : mapping, optional
            As in `from_arrays`; an array is (nt,) or of the field's shape.

        Returns
        -------
        Readings
        """
        from pdescry.data.convert import from_grid

        return from_grid(t, x, u, noise=noise, axes=axes, source=source, missing=missing, units=units, inputs=inputs)

    @classmethod
    def from_frame(
        cls,
        frame: pd.DataFrame,
        time: str | None = None,
        space: Names = None,
        fields: Names = None,
        sensor: str | Literal[False] | None = None,
        noise: Names | float | Literal[False] = None,
        *,
        source: str = "frame",
        missing: Missing = "drop",
        units: Mapping[str, str] | None = None,
        inputs: Inputs = None,
    ) -> Readings:
        """Readings from a pandas frame, with a row per reading or (wide) a column per place.

        Details are as in :func:`pdescry.read`.

        Parameters
        ----------
        frame : pandas.DataFrame
            The table.
        time : str, optional
            The column of times.
        space : str or sequence of str, optional
            The columns of places.
        fields : str or sequence of str, optional
            The columns of fields.
        sensor : str or False, optional
            The column that identifies sensors; False to identify them by their places alone.
        noise : str, sequence of str, float or False, optional
            The columns of standard deviations, or one number.
        source : str
            Where the readings come from.
        missing : {"drop", "error"}
            What to do with readings without a value.
        units : mapping of str to str, optional
            As in ``{"t": "s", "u": "°C"}``.
        inputs : str, sequence of str or mapping, optional
            The columns of known inputs, or inputs that are given beside the table.

        Returns
        -------
        Readings
        """
        from pdescry.data.convert import from_frame, to_readings

        table = from_frame(frame, source)
        return to_readings(
            table, time=time, space=space, fields=fields, sensor=sensor, noise=noise, missing=missing, units=units,
            inputs=inputs,
        )  # fmt: skip

    @classmethod
    def from_xarray(
        cls,
        obj: xr.DataArray | xr.Dataset,
        time: str | None = None,
        space: Names = None,
        fields: Names = None,
        sensor: str | Literal[False] | None = None,
        noise: Names | float | Literal[False] = None,
        *,
        source: str = "xarray",
        missing: Missing = "drop",
        units: Mapping[str, str] | None = None,
        inputs: Inputs = None,
    ) -> Readings:
        """Readings from a DataArray or Dataset over any dimensions; details as in :func:`pdescry.read`.

        Parameters
        ----------
        obj : xarray.DataArray or xarray.Dataset
            The data.
        time : str, optional
            The coordinate of times.
        space : str or sequence of str, optional
            The coordinates of places.
        fields : str or sequence of str, optional
            The variables that are fields.
        sensor : str or False, optional
            The coordinate that identifies sensors; False to identify them by their places alone.
        noise : str, sequence of str, float or False, optional
            The variables of standard deviations, or one number.
        source : str
            Where the readings come from.
        missing : {"drop", "error"}
            What to do with readings without a value.
        units : mapping of str to str, optional
            As in ``{"t": "s", "u": "°C"}``.
        inputs : str, sequence of str or mapping, optional
            The variables that are known inputs, or inputs that are given beside them.

        Returns
        -------
        Readings
        """
        from pdescry.data.convert import from_xarray, to_readings

        table = from_xarray(obj, source)
        return to_readings(
            table, time=time, space=space, fields=fields, sensor=sensor, noise=noise, missing=missing, units=units,
            inputs=inputs,
        )  # fmt: skip

    # ---- looking at them ---------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.time)

    def __eq__(self, other: object) -> bool:
        """The same numbers in the same order under the same names; where they came from does not matter, nor whether
        their units are known."""
        if not isinstance(other, Readings):
            return NotImplemented
        if (self.axes, self.fields, self.sensor_names) != (other.axes, other.fields, other.sensor_names):
            return False
        if self.noise is None or other.noise is None:
            noise_agrees = self.noise is other.noise
        else:
            noise_agrees = np.array_equal(self.noise, other.noise, equal_nan=True)
        same = (np.array_equal(getattr(self, name), getattr(other, name)) for name in ("time", "space", "sensor"))
        values_agree = np.array_equal(self.values, other.values, equal_nan=True)
        return noise_agrees and values_agree and all(same) and self.inputs == other.inputs

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return self.summary()

    def _repr_html_(self) -> str:
        """In a notebook: the same with a small map."""
        from pdescry.data.html import readings_in_html

        return readings_in_html(self)

    def summary(self) -> str:
        """A few lines: how many, of what, from where to where, and the notes."""
        from pdescry.data.summary import summary

        return summary(self)

    def label(self, name: str) -> str:
        """A name with its unit, where that is known: ``T (°C)``, or else ``T``.

        Parameters
        ----------
        name : str
            Of time, an axis, a field or an input.

        Returns
        -------
        str
        """
        return f"{name} ({self.units[name]})" if name in self.units else name

    @property
    def warnings(self) -> tuple[Notice, ...]:
        """Faults that matter for the result; each prints as a sentence."""
        return self._fault_notices(True)

    @property
    def remarks(self) -> tuple[Notice, ...]:
        """``notes``, and faults that need no more than to be known."""
        return (*self.notes, *self._fault_notices(False))

    def _fault_notices(self, warnings: bool) -> tuple[Notice, ...]:
        return tuple(self.fault_notice(each) for each in self.faults if each.is_warning == warnings)

    def fault_notice(self, fault: SensorFault) -> Notice:
        """A fault in words, with the units of these readings.

        Parameters
        ----------
        fault : SensorFault
            One of `faults`.

        Returns
        -------
        Notice
        """
        return fault.notice(self.units, self.time_name)

    @property
    def n_sensors(self) -> int:
        return int(self.sensor.max()) + 1

    @property
    def observed(self) -> NDArray[np.bool_]:
        """Whether each reading measured each field, (N, f)."""
        return ~np.isnan(self.values)

    @property
    def times(self) -> NDArray[np.float64]:
        """The distinct times, sorted."""
        return np.unique(self.time)

    @property
    def places(self) -> NDArray[np.float64]:
        """The position of each sensor (at its first reading, should it move), (S, d)."""
        return self.space[np.unique(self.sensor, return_index=True)[1]]

    @property
    def span(self) -> dict[str, tuple[float, float]]:
        """First and last time and place, as in ``{"t": (0, 10), "x": (-8, 8)}``."""
        columns = {self.time_name: self.time, **dict(zip(self.axes, self.space.T, strict=True))}
        return {name: (float(column.min()), float(column.max())) for name, column in columns.items()}

    def dates(self, times: ArrayLike | None = None) -> NDArray[np.datetime64]:
        """Times as dates, where the source had such.

        Parameters
        ----------
        times : array_like, optional
            Times of these readings; by default those of the readings, (N,).

        Returns
        -------
        array of datetime64
        """
        from pdescry.data.clock import dates_of

        if not self.time_origin:
            raise InputError("Expected readings whose times were dates; these are numbers; use readings.time.")
        return dates_of(self.time if times is None else times, self.time_origin, self.units.get(self.time_name, "s"))

    def to_times(self, moments: Any) -> tuple[Any, bool]:
        """Dates as numbers of these readings; numbers stay as they are.

        Parameters
        ----------
        moments : array_like
            Texts, datetimes, dates of numpy or pandas, or numbers.

        Returns
        -------
        times : array or number
        were_dates : bool
        """
        from pdescry.data.clock import times_of

        found = times_of(moments, self.time_origin, self.units.get(self.time_name, "s"))
        return (moments, False) if found is None else (found, True)

    def estimate_noise(self) -> NoiseEstimate:
        """The standard deviation of the noise of each field, judged from each sensor's own record."""
        from pdescry.data.noise_level import estimate_noise

        return estimate_noise(self)

    # ---- parts of them -----------------------------------------------------------------------------------------

    def select(self, rows: ArrayLike | None = None, *, sensors: Iterable[int | str] | None = None) -> Readings:
        """Some of the readings.

        Parameters
        ----------
        rows : (N,) array_like of bool, optional
            The readings where this is true.
        sensors : iterable of int or str, optional
            The readings of these sensors, by number or name.

        Returns
        -------
        Readings
        """
        if (rows is None) == (sensors is None):
            raise InputError("Expected either a mask of rows or sensors to select; pass exactly one of them.")
        if sensors is not None:
            keep = np.isin(self.sensor, [self._sensor_number(which) for which in sensors])
        else:
            keep = np.asarray(rows)
            if keep.dtype != bool or keep.shape != self.time.shape:
                raise InputError(
                    f"Expected a boolean mask of shape {self.time.shape}; got {keep.dtype} of shape {keep.shape}; "
                    "pass one True or False per reading."
                )
        if not keep.any():
            raise InputError("Expected a selection with at least one reading; got none; widen the selection.")
        kept, sensor = np.unique(self.sensor[keep], return_inverse=True)
        return replace(
            self,
            time=self.time[keep],
            space=self.space[keep],
            values=self.values[keep],
            noise=None if self.noise is None else self.noise[keep],
            sensor=sensor,
            sensor_names=None if self.sensor_names is None else tuple(self.sensor_names[k] for k in kept),
        )

    def complete(self) -> Readings:
        """The readings that measured every field; how many were left out is reported in ``notes``."""
        whole = self.observed.all(axis=1)
        if whole.all():
            return self
        if not whole.any():
            raise InputError(
                f"Expected some readings of {' and '.join(self.fields)} at the same times and places; got none; "
                "choose one of the fields with ⟦fields=⟧."
            )
        note = Notice.of("incomplete-left-out", left_out=int((~whole).sum()), readings=len(self))
        return replace(self.select(whole), notes=(*self.notes, note))

    def of_fields(self, names: Iterable[str]) -> Readings:
        """The readings of some of the fields; rows that have none of them are left out.

        Parameters
        ----------
        names : iterable of str
            Of the fields.

        Returns
        -------
        Readings
        """
        wanted = list(names)
        if unknown := [name for name in wanted if name not in self.fields]:
            raise InputError(f"Expected some of the fields {', '.join(self.fields)}; got {unknown[0]!r}.")
        places = [self.fields.index(name) for name in wanted]
        some = replace(
            self,
            values=self.values[:, places],
            fields=tuple(wanted),
            noise=None if self.noise is None else self.noise[:, places],
        )
        keep = some.observed.any(axis=1)
        return some if keep.all() else some.select(keep)

    def of_sensor(self, which: int | str) -> Readings:
        """All readings of one sensor.

        Parameters
        ----------
        which : int or str
            Its number or name.

        Returns
        -------
        Readings
        """
        return self.select(sensors=[which])

    def without(self, sensors: Iterable[int | str]) -> Readings:
        """The readings of all other sensors; reported in ``notes``.

        Parameters
        ----------
        sensors : iterable of int or str
            Names, or numbers where sensors have no names; numbers may be texts. Sensors without names keep their
            numbers, as names.

        Returns
        -------
        Readings
        """
        numbers = {self._sensor_number(which) for which in sensors}
        if not numbers:
            return self
        if len(numbers) == self.n_sensors:
            raise InputError("Expected some sensors to remain; got all of them to leave out; leave some in.")
        names = self.sensor_names or tuple(map(str, range(self.n_sensors)))
        note = Notice.of("sensors-left-out", names=[names[k] for k in sorted(numbers)])
        return replace(self, sensor_names=names, notes=(*self.notes, note)).select(~np.isin(self.sensor, list(numbers)))

    def averaged(self, per_sensor: int | None = None) -> Readings:
        """Means of consecutive readings of each sensor; reported in ``notes``.

        Parameters
        ----------
        per_sensor : int, optional
            Average each sensor with more than twice as many readings down to about so many. By default the fewest
            (100, 200, 400, …) of which nothing is lost but noise.

        Returns
        -------
        Readings
            Sensors that move, and those with few readings, stay as they are; if all do, these very readings come back.
            Known noise weights the readings, and becomes that of the means.
        """
        from pdescry.data.averaged import averaged

        return averaged(self, per_sensor)

    def _sensor_number(self, which: int | str) -> int:
        if isinstance(which, str) and which in (self.sensor_names or ()):
            return (self.sensor_names or ()).index(which)
        if isinstance(which, str) and self.sensor_names is None and which.isdecimal():
            which = int(which)
        if isinstance(which, int | np.integer) and 0 <= which < self.n_sensors:
            return int(which)
        known = f"names {', '.join(self.sensor_names[:12])}" if self.sensor_names else "no names"
        raise InputError(
            f"Expected a sensor from 0 to {self.n_sensors - 1} (they have {known}); got {which!r}; choose one of those."
        )

    # ---- ways out ----------------------------------------------------------------------------------------------

    def _columns(self) -> dict[str, NDArray[Any]]:
        """Column by column, under names that :func:`read` recognises without help."""
        from pdescry.data.columns import columns

        return columns(self)

    def to_frame(self) -> pd.DataFrame:
        """A pandas frame with columns t, x, u, and u_sd and sensor where known; units are in its ``attrs["units"]``.

        Inputs have columns, too; values of theirs that belong to no reading have rows of their own at the end.
        """
        import pandas as pd

        frame = pd.DataFrame(self._columns())
        if self.units:
            frame.attrs["units"] = dict(self.units)
        return frame

    def to_xarray(self) -> xr.Dataset:
        """An xarray Dataset over one dimension, ``reading``; each variable has its unit as ``attrs["units"]``."""
        import xarray as xr

        attributes = {name: {"units": unit} for name, unit in self.units.items()}
        columns = {name: ("reading", column, attributes.get(name)) for name, column in self._columns().items()}
        coordinates = (self.time_name, *self.axes, "sensor")
        return xr.Dataset(
            {name: column for name, column in columns.items() if name not in coordinates},
            {name: column for name, column in columns.items() if name in coordinates},
            {"source": self.source},
        )

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Write a CSV file; it appears whole or not at all, and :func:`pdescry.read` gives back exactly these readings.

        Parameters
        ----------
        path : str or path
            The file.

        Notes
        -----
        Several fields under names other than u, v, w have to be named again with ``fields=``, inputs with ``inputs=``
        (as ``{"P": "held"}`` for one that is piecewise constant, where it does not look so). Units that are known are
        in the header: ``t [s]``.
        """
        from pdescry.data.headers import with_unit

        header = {name: with_unit(name, unit) for name, unit in self.units.items()}
        with appearing(path) as temporary:
            frame = self.to_frame().rename(columns=header)
            frame.to_csv(temporary, index=False, lineterminator="\n", encoding="utf-8")
