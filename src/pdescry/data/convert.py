"""Frames, xarray objects, named arrays and grids → `Table` → `Readings`.

:func:`to_readings` is the one road: it settles who is who (`names`), brings everything to one row per reading, and
hands the columns to `check.assemble`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import permutations
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pdescry.data.check import Floats, as_array, assemble, numbers
from pdescry.data.clock import Clock, clock, with_date
from pdescry.data.images import in_blocks
from pdescry.data.input_sources import Inputs, Source, given, split
from pdescry.data.inputs import Input
from pdescry.data.marks import without_marks
from pdescry.data.names import Roles, is_sensor_name, resolve, tidy
from pdescry.data.places import PlacesLike, parse_places, placed
from pdescry.data.steps import Steps, is_bare, with_steps
from pdescry.data.table import Table, Variable, Where
from pdescry.data.units import found_units, plain_unit
from pdescry.errors import InputError
from pdescry.notices import Notice

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

    from pdescry.data.readings import Missing, Readings

Dims = tuple[str, ...]


def from_frame(frame: pd.DataFrame, source: str, where: Where | None = None) -> Table:
    """The columns of a frame, and its index where that has a name or contains dates."""
    import pandas as pd

    if not isinstance(frame, pd.DataFrame):
        raise InputError(
            f"Expected a pandas DataFrame; got {type(frame).__name__}; use Readings.from_arrays for arrays."
        )
    labels = frame.index
    if isinstance(labels, pd.DatetimeIndex | pd.TimedeltaIndex) and labels.name is None:
        frame = frame.rename_axis(index="time")
    if any(name is not None for name in frame.index.names):
        clash = [name for name in frame.index.names if name in frame.columns]
        frame = frame.reset_index(level=clash, drop=True).reset_index() if len(clash) < labels.nlevels else frame
    names = [str(name) for name in frame.columns]
    check_distinct(names, source)
    variables = {name: Variable(_plain(frame.iloc[:, k])) for k, name in enumerate(names)}
    units = frame.attrs.get("units")
    units = {str(name): plain_unit(unit) for name, unit in units.items()} if isinstance(units, Mapping) else {}
    return Table(variables, source, where=where or (lambda i: f"index {labels[i]!r}"), units=units)


def check_distinct(names: Sequence[str], source: str) -> None:
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError(
            f"Expected columns with different names in {source}; got {twice!r} {names.count(twice)} times; rename them."
        )


def _plain(column: pd.Series) -> NDArray[Any]:
    """A pandas column as a numpy array, with gaps as NaN or NaT where the type has them."""
    import pandas as pd

    kind = column.dtype
    if isinstance(kind, pd.DatetimeTZDtype):
        return column.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy()
    if isinstance(kind, np.dtype):
        return column.to_numpy()
    if pd.api.types.is_numeric_dtype(kind) and not pd.api.types.is_bool_dtype(kind) and column.hasnans:
        return column.to_numpy(dtype=np.float64, na_value=np.nan)
    if pd.api.types.is_datetime64_any_dtype(kind):
        return column.to_numpy(dtype="datetime64[ns]")
    if pd.api.types.is_numeric_dtype(kind):
        return column.to_numpy()
    return column.to_numpy(dtype=object)


def from_xarray(obj: xr.DataArray | xr.Dataset, source: str) -> Table:
    """All variables of an xarray object, with their dimensions."""
    import xarray as xr

    if isinstance(obj, xr.DataArray):
        obj = obj.to_dataset(name="u" if obj.name is None or obj.name in obj.coords else obj.name)
    if not isinstance(obj, xr.Dataset):
        raise InputError(f"Expected an xarray object; got {type(obj).__name__}; use Readings.from_arrays for arrays.")
    variables = {
        str(name): Variable(np.asarray(variable.values), tuple(map(str, variable.dims)))
        for name, variable in obj.variables.items()
    }
    for dim, size in obj.sizes.items():
        if dim not in variables and is_sensor_name(str(dim)):
            variables[str(dim)] = Variable(np.arange(size), (str(dim),))
    coordinates = frozenset(map(str, obj.coords)) | (variables.keys() - set(map(str, obj.data_vars)))
    units = {str(name): plain_unit(variable.attrs.get("units")) for name, variable in obj.variables.items()}
    return Table(variables, source, coordinates, units=units)


def from_named_arrays(arrays: Mapping[str, NDArray[Any]], source: str) -> Table:
    """Arrays from a file without dimensions. A vector is a vector, be it a row or a column of a matrix."""
    variables = {}
    for name, array in arrays.items():
        is_vector = array.ndim == 2 and 1 in array.shape
        variables[name] = Variable(array.reshape(-1) if is_vector else array, None)
    return Table(variables, source)


def from_grid(
    t: ArrayLike,
    x: ArrayLike | Sequence[ArrayLike],
    u: ArrayLike | Mapping[str, ArrayLike],
    *,
    noise: float | None,
    axes: Sequence[str] | None,
    source: str,
    missing: Missing,
    units: Mapping[str, str] | None,
    inputs: Any = None,
) -> Readings:
    """See `Readings.from_grid`. Unlike a file, the caller can be asked for the one right order of axes."""
    several = isinstance(x, list | tuple) and len(x) > 0 and np.ndim(x[0]) > 0
    coordinates = [as_array(axis, "an axis") for axis in ([t, *x] if several else [t, x])]  # type: ignore[misc]
    fields = {name: as_array(array, name) for name, array in (u if isinstance(u, Mapping) else {"u": u}).items()}
    shape = tuple(len(axis) if axis.ndim == 1 else -1 for axis in coordinates)
    is_mesh = coordinates[0].ndim > 1 and len({axis.shape for axis in coordinates}) == 1
    shape = coordinates[0].shape if is_mesh else shape
    for name, array in fields.items():
        if array.shape != shape:
            remedy = f"pass {name}.T" if array.shape == shape[::-1] else "fix the shapes"
            got = f"{name} {array.shape} with coordinates {', '.join(str(axis.shape) for axis in coordinates)}"
            raise InputError(
                f"Expected one value per time and place, {name}[t, x]; got mixed-up shapes: {got}; {remedy}."
            )
    where = _entry_of(shape)
    read = clock(coordinates[0], "t", "entry {}".format)
    columns = [read.times, *coordinates[1:]]
    columns = columns if is_mesh else np.meshgrid(*columns, indexing="ij", copy=False)
    places = np.stack([numbers(column, "x", where).ravel() for column in columns[1:]], axis=1)
    if isinstance(inputs, Mapping):
        inputs = {name: _spread_over_grid(what, shape) for name, what in inputs.items()}
    times = read._replace(times=columns[0].ravel())
    return assemble(
        times.times,
        places,
        np.stack([numbers(array, name, where).ravel() for name, array in fields.items()], axis=1),
        noise=noise,
        axes=axes,
        fields=None if not isinstance(u, Mapping) else list(fields),
        source=source,
        missing=missing,
        notes=read.notes,
        where=where,
        units=units,
        clock_unit=read.unit,
        origin=read.origin,
        inputs=given(inputs, times, places, np.broadcast_to(_along_first(coordinates[0], shape), shape).ravel()),
    )


def _spread_over_grid(what: Any, shape: tuple[int, ...]) -> Any:
    """An input on the grid, or at its times, as one value per point of the grid; all else as it is."""
    if isinstance(what, tuple | Input) or callable(what):
        return what
    array = as_array(what, "an input")
    fits = array.shape in (shape, shape[:1])
    return np.broadcast_to(_along_first(array, shape), shape).ravel() if fits else array


def _along_first(array: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    return array if array.shape == shape else array.reshape(-1, *(1 for _ in shape[1:]))


def to_readings(
    table: Table,
    *,
    time: str | None = None,
    space: str | Sequence[str] | None = None,
    fields: str | Sequence[str] | None = None,
    sensor: str | Literal[False] | None = None,
    noise: str | Sequence[str] | float | Literal[False] | None = None,
    missing: Missing = "drop",
    units: Mapping[str, str] | None = None,
    inputs: Inputs = None,
    places: PlacesLike | None = None,
    missing_value: float | Sequence[float] | None = None,
    time_unit: str | None = None,
    dayfirst: bool | None = None,
    steps: Steps | None = None,
    average: bool = True,
) -> Readings:
    """The one road from a table to readings; arguments as in `read`."""
    input_columns, other_inputs = split(inputs)
    named = [fields] if isinstance(fields, str) else [*fields] if isinstance(fields, list | tuple) else []
    if steps:
        table = with_steps(table, steps, named)
    elif is_bare(table):
        raise InputError(
            f"Expected times and places in {table.source}; got only an array; pass ⟦dt=⟧ (the step in time) and ⟦dx=⟧ "
            "(the step in space)."
        )
    if missing_value is not None:
        table = without_marks(table, missing_value)
    if places is not None:
        label = sensor if isinstance(sensor, str) else None
        table, who = placed(table, parse_places(places), label, named)
        space, sensor, fields = who["space"], who["sensor"], who.get("fields", fields)
    roles = resolve(table, time, space, fields, sensor, noise, list(input_columns))
    axes, field_names, input_names, about_roles = tidy(roles)
    notes = [*table.notes, *about_roles]
    found = found_units(table, roles, axes, field_names, input_names)
    units = dict(units) if isinstance(units, Mapping) else units
    own_unit = (units or {}).get("t", found.get("t", ""))
    times = _times(table, roles, time_unit, dayfirst, own_unit)
    if time_unit is not None and units:
        units.pop("t", None)  # of the numbers as they came
    of_units = {"units": units, "found_units": found, "clock_unit": times.unit, "origin": times.origin}

    def all_inputs(time: Floats, space: Floats, column: Callable[[str], Floats]) -> list[Source]:
        named = zip(input_names, roles.inputs, input_columns.values(), strict=True)
        sources = [Source(name, time, space, column(header), between=between) for name, header, between in named]
        raw = table.variables[roles.time].values
        return sources + given(other_inputs, times, space, raw) if other_inputs else sources

    if roles.places:
        return _from_wide(table, roles, times, notes, missing, of_units, all_inputs)
    noise_names = roles.noise if isinstance(roles.noise, tuple) else ()
    dims, more_notes = _dimensions(table, roles, noise_names)
    notes += more_notes
    noise = roles.noise
    if average and roles.sensor is None and not noise_names:
        table, times, noise, more_notes = _in_blocks(table, roles, dims, times)
        notes += more_notes
    spread, where = _spreader(table, roles, dims)

    def column(name: str) -> Floats:
        return spread(name, numbers(table.variables[name].values, name, _entries(table, name)))

    notes += times.notes
    labels = None if roles.sensor is None else spread(roles.sensor, table.variables[roles.sensor].values)
    if labels is not None and roles.sensor_was_guessed and len(set(map(str, labels))) == len(labels):
        notes.append(Notice.of("column-numbers-rows", column=roles.sensor))
        labels = None
    when, where_read = spread(roles.time, times.times), np.stack([column(name) for name in roles.space], axis=1)
    return assemble(
        when,
        where_read,
        np.stack([column(name) for name in roles.fields], axis=1),
        inputs=all_inputs(when, where_read, column),
        sensor=labels,
        noise=np.stack([column(name) for name in noise_names], axis=1) if noise_names else noise,
        axes=axes,
        fields=field_names,
        source=table.source,
        missing=missing,
        notes=notes,
        where=where,
        **of_units,
    )


def _from_wide(
    table: Table,
    roles: Roles,
    times: Clock,
    notes: list[Notice],
    missing: Missing,
    of_units: dict[str, Any],
    all_inputs: Callable[[Floats, Floats, Callable[[str], Floats]], list[Source]],
) -> Readings:
    """A column per place → a row per reading."""
    if isinstance(roles.noise, tuple):
        raise InputError("Expected ⟦noise=⟧ as one number for a wide table; got columns; pass a standard deviation.")
    columns = [numbers(table.variables[name].values, name, table.where) for name in roles.fields]
    many = len(columns)
    when, where_read = np.repeat(times.times, many), np.tile(roles.places, len(times.times))[:, None]

    def column(name: str) -> Floats:
        return np.repeat(numbers(table.variables[name].values, name, table.where), many)

    return assemble(
        when,
        where_read,
        np.stack(columns, axis=1).ravel(),
        noise=roles.noise,
        inputs=all_inputs(when, where_read, column),
        source=table.source,
        missing=missing,
        notes=[*notes, *times.notes],
        where=lambda i: f"{table.where(i // many)}, column {roles.fields[i % many]!r}",
        **of_units,
    )


def _in_blocks(
    table: Table, roles: Roles, dims: dict[str, Dims], times: Clock
) -> tuple[Table, Clock, Any, list[Notice]]:
    """A stack of images as means of blocks; as it is where it is none, or small. Also the noise of the means."""
    order = [dims[name] for name in (roles.time, *roles.space)]
    field = dims[roles.fields[0]]
    on_a_grid = all(len(own) == 1 for own in order) and len({*order}) == len(order) == len(field)
    if not on_a_grid or any(dims[name] not in (field, order[0]) for name in roles.inputs):
        return table, times, roles.noise, []
    along = [own[0] for own in order]
    values = {
        name: table.variables[name].values.transpose([dims[name].index(dim) for dim in along])
        for name in (*roles.fields, *(name for name in roles.inputs if dims[name] == field))
    }
    if any(array.dtype.kind not in "fiub" for array in values.values()):
        return table, times, roles.noise, []
    places = [numbers(table.variables[name].values, name, _entries(table, name)) for name in roles.space]
    found = in_blocks([times.times, *places], list(values.values()))
    if found is None:
        return table, times, roles.noise, []
    when, *where = found.coordinates
    variables = {
        **table.variables,
        **{name: Variable(x, dims[name]) for name, x in zip(roles.space, where, strict=True)},
    }
    back = [along.index(dim) for dim in field]
    for name, mean in zip(values, found.fields, strict=True):
        variables[name] = Variable(mean.transpose(back), field)
    for name in roles.inputs:
        if dims[name] == order[0] != field:
            given = numbers(table.variables[name].values, name, _entries(table, name))
            variables[name] = Variable(np.interp(when, times.times, given), order[0])
    noise = roles.noise
    if isinstance(noise, int | float) and not isinstance(noise, bool):
        noise = (noise / np.sqrt(found.sizes)).transpose(back).ravel()
    return replace(table, variables=variables), times._replace(times=when), noise, [found.note]


def _times(table: Table, roles: Roles, unit: str | None, dayfirst: bool | None, own_unit: str) -> Clock:
    """The times as numbers; a column of days beside clock times is joined to them."""
    values, where = table.variables[roles.time].values, _entries(table, roles.time)
    if roles.date is not None and table.is_long():
        joined = with_date(table.variables[roles.date].values, values)
        if joined is not None:
            read = clock(joined, roles.time, where, unit, dayfirst, own_unit)
            return read._replace(
                notes=[Notice.of("date-and-time-joined", date=roles.date, time=roles.time), *read.notes]
            )
    return clock(values, roles.time, where, unit, dayfirst, own_unit)


def _entries(table: Table, name: str) -> Where:
    """How to name the i-th entry of one variable, before it is spread over the readings."""
    return table.where if table.is_long() else _entry_of(table.variables[name].values.shape)


def _entry_of(shape: tuple[int, ...]) -> Where:
    return lambda i: f"entry {', '.join(str(int(k)) for k in np.unravel_index(i, shape))}" if shape else "its value"


def _spreader(
    table: Table, roles: Roles, dims: dict[str, Dims]
) -> tuple[Callable[[str, NDArray[Any]], NDArray[Any]], Where]:
    """A function that repeats a variable along the dimensions it lacks and lays it out as (N,); names of its rows."""
    field = roles.fields[0]
    order, shape = dims[field], table.variables[field].values.shape

    def spread(name: str, values: NDArray[Any]) -> NDArray[Any]:
        own = dims[name]
        aligned = values.transpose([own.index(dim) for dim in order if dim in own])
        sizes = [size if dim in own else 1 for dim, size in zip(order, shape, strict=True)]
        return np.broadcast_to(aligned.reshape(sizes), shape).reshape(-1)

    return spread, table.where if table.is_long() else _entry_of(shape)


def _dimensions(table: Table, roles: Roles, noise: tuple[str, ...]) -> tuple[dict[str, Dims], list[Notice]]:
    """The dimensions of each variable in use, and notes where they had to be inferred from lengths."""
    coordinates = [roles.time, *roles.space, *([roles.sensor] if roles.sensor else [])]
    used = {name: table.variables[name] for name in (*coordinates, *roles.fields, *noise, *roles.inputs)}
    notes: list[Notice] = []
    dims = {name: variable.dims for name, variable in used.items() if variable.dims is not None}
    if len(dims) < len(used):
        dims, notes = _infer(table, roles, noise)
    full = set(dims[roles.fields[0]])
    same = all(set(dims[name]) == full for name in roles.fields)
    if not same or not all(set(own) <= full and len(set(own)) == len(own) for own in dims.values()):
        raise _mixed_up(table, list(used))
    return dims, notes


def _mixed_up(table: Table, names: Sequence[str]) -> InputError:
    shapes = ", ".join(f"{name!r} {table.variables[name].values.shape}" for name in names)
    return InputError(
        f"Expected t (nt,), x (nx,) and u (nt, nx), or all of one shape, in {table.source}; "
        f"got mixed-up shapes: {shapes}; "
        "fix the shapes, or name other arrays with ⟦time=⟧, ⟦space=⟧ and ⟦fields=⟧."
    )


def _infer(table: Table, roles: Roles, noise: tuple[str, ...]) -> tuple[dict[str, Dims], list[Notice]]:
    """Dimensions of plain arrays from their lengths: u[t, x] by preference, another order where only that one fits."""
    shapes = {name: table.variables[name].values.shape for name in table.variables}
    shape = shapes[roles.fields[0]]
    every = tuple(f"axis {k}" for k in range(len(shape)))
    dims: dict[str, Dims] = {name: every if shapes[name] == shape else () for name in (*roles.fields, *noise)}
    if any(shapes[name] not in (shape, ()) for name in dims):
        raise _mixed_up(table, [roles.time, *roles.space, *dims])
    grid = [roles.time, *roles.space]
    if len(grid) == len(shape) > 1 and all(len(shapes[name]) == 1 for name in grid):
        order, notes = _order_on_grid(table, grid, shape, [shapes[name][0] for name in grid])
        dims |= {name: (every[order.index(k)],) for k, name in enumerate(grid)}
    else:
        notes = []
    for name in (*grid, *([roles.sensor] if roles.sensor else [])):
        if name not in dims:
            fitting = [every] if shapes[name] == shape else [(every[k],) for k in _fits(shapes[name], shape)]
            if len(fitting) != 1:
                raise _mixed_up(table, [*grid, *roles.fields])
            dims[name] = fitting[0]
    for name in roles.inputs:
        of_time = shapes[name] == shapes[roles.time]
        fitting = [every] if shapes[name] == shape else [(every[k],) for k in _fits(shapes[name], shape)]
        if not (of_time or len(fitting) == 1):
            raise _mixed_up(table, [*grid, *roles.fields, name])
        dims[name] = dims[roles.time] if of_time else fitting[0]
    return dims, notes


def _fits(own: tuple[int, ...], shape: tuple[int, ...]) -> list[int]:
    return [k for k, size in enumerate(shape) if own == (size,)]


def _order_on_grid(
    table: Table, grid: list[str], shape: tuple[int, ...], lengths: list[int]
) -> tuple[tuple[int, ...], list[Notice]]:
    """Which coordinate runs along which axis of the field. Space keeps its order; time comes first if it can."""
    fitting = [order for order in permutations(range(len(grid))) if tuple(lengths[k] for k in order) == shape]
    kept = [order for order in fitting if [k for k in order if k] == list(range(1, len(grid)))] or fitting
    if not kept or (len(kept) > 1 and kept[0][0] != 0):
        raise _mixed_up(table, [*grid])
    axes = [grid[k] for k in kept[0]]
    if len(fitting) > 1:
        return kept[0], [Notice.of("axes-open", axes=axes)]
    return kept[0], [] if kept[0][0] == 0 else [Notice.of("axes-turned", axes=axes)]
