"""The promises of `Readings`, checked once: numbers, shapes, gaps, contradictions, and enough of everything.

Every sentence to the user has the same build: what was expected, what came, what to do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pdescry.data.plausible import check_enough, check_motion, note_on_places, notes_on_extremes, number_places
from pdescry.data.repeats import merge_repeats
from pdescry.data.table import Where, is_missing, remedy, shorten, to_number
from pdescry.errors import InputError
from pdescry.notices import Notice

if TYPE_CHECKING:
    from pdescry.data.input_sources import Source
    from pdescry.data.readings import Missing, Readings

Floats = NDArray[np.float64]


def as_array(values: ArrayLike, name: str) -> NDArray[Any]:
    """An array, masked or not; ragged lists are named."""
    try:
        return np.asanyarray(values)
    except ValueError as fault:
        raise InputError(f"Expected {name} as an array; got mixed-up shapes; make its rows equally long.") from fault


def numbers(values: ArrayLike, name: str, where: Where) -> Floats:
    """Any array as float64, with gaps as NaN; text, complex numbers and the like are named, with the row."""
    array = as_array(values, name)
    if array.dtype.kind in "OUST":
        array = _numbers_from_text(np.ma.filled(array.astype(object), np.nan), name, where)
    kinds = {"b": "true/false values", "c": "complex numbers", "M": "dates", "m": "durations"}
    if array.dtype.kind not in "fiu":
        remedy = "split them into real and imaginary parts" if array.dtype.kind == "c" else "convert them to numbers"
        got = kinds.get(array.dtype.kind, f"values of type {array.dtype}")
        raise InputError(f"Expected numbers in {name!r}; got {got}; {remedy}, or choose another column.")
    with np.errstate(over="ignore"):  # a long double beyond float64 becomes infinite, which is reported later
        return np.ma.filled(array.astype(np.float64, copy=False), np.nan)


def _numbers_from_text(cells: NDArray[Any], name: str, where: Where) -> Floats:
    found = np.full(cells.shape, np.nan)
    flat, wrong = found.reshape(-1), []
    for i, cell in enumerate(cells.flat):
        if is_missing(cell):
            continue
        number = to_number(cell)
        if number is None:
            wrong.append(i)
        else:
            flat[i] = number
    if wrong:
        first = cells.flat[wrong[0]]
        many = "a value that is not a number" if len(wrong) == 1 else f"{len(wrong)} values that are not numbers"
        raise InputError(
            f"Expected numbers in {name!r}; got {many} (first: {where(wrong[0])}, {shorten(first)}); "
            f"{remedy(str(first).strip(), nothing_else=not np.isfinite(flat).any())}."
        )
    return found


def assemble(
    time: ArrayLike,
    space: ArrayLike,
    values: ArrayLike,
    *,
    sensor: ArrayLike | None = None,
    noise: ArrayLike | None = None,
    axes: Sequence[str] | None = None,
    fields: Sequence[str] | None = None,
    inputs: Sequence[Source] = (),
    source: str = "",
    missing: Missing = "drop",
    notes: Sequence[Notice] = (),
    where: Where = "reading {}".format,
    units: Mapping[str, str] | None = None,
    found_units: Mapping[str, str] | None = None,
    clock_unit: str = "",
    origin: str = "",
) -> Readings:
    """The one door to `Readings`: shapes as in `Readings.from_arrays`; ``where`` names a row in messages.

    units: as given. found_units: in the source. clock_unit: what dates or clock times were converted to, if they were.
    origin: the date of time zero, if there were dates.
    """
    import pandas as pd

    from pdescry.data.input_sources import build, carried
    from pdescry.data.readings import Readings
    from pdescry.data.units import settle

    if missing not in ("drop", "error"):
        raise InputError(f"Expected ⟦missing='drop'⟧ or ⟦missing='error'⟧; got {missing!r}; pass one of the two.")
    time, space, values = numbers(time, "time", where), numbers(space, "space", where), numbers(values, "values", where)
    space = space[:, None] if space.ndim == 1 else space
    values = values[:, None] if values.ndim == 1 else values
    _check_shapes(time, space, values)
    axes, fields = _check_names(axes, space.shape[1], fields, values.shape[1])
    settled = settle(("t", *axes, *fields, *(each.name for each in inputs)), units, found_units or {}, clock_unit)
    sd = None if noise is None else _spread_noise(numbers(noise, "noise", where), values.shape)
    labels = None if sensor is None else np.asarray(sensor)
    if labels is not None and labels.shape != time.shape:
        raise InputError(f"Expected one sensor label per reading, {time.shape}; got {labels.shape}; fix the shapes.")

    named = {"t": time, **dict(zip(axes, space.T, strict=True)), **dict(zip(fields, values.T, strict=True))}
    if sd is not None:
        named |= {f"noise of {field}": column for field, column in zip(fields, sd.T, strict=True)}
    if missing == "error":
        _refuse_gaps(named, where)
    for name, column in named.items():
        _check_range(name, column, where)
    values, sd = _where_observed(values, sd)
    keep = np.isfinite(time) & np.isfinite(space).all(axis=1) & np.isfinite(values).any(axis=1)
    about_gaps = _notes_on_gaps(keep, carried(inputs, len(time)), named)
    code, names = (None, None) if labels is None else _number_sensors(labels, keep, where)
    values, sd, keep, again = merge_repeats(time, space, values, sd, code, keep, where)

    time, space, values = time[keep], space[keep], values[keep]
    check_enough(time, space, values, axes, fields)
    if code is None or names is None:
        code = number_places(space)
        suspect = note_on_places(int(code.max()) + 1, len(code))
    else:
        # A sensor whose every reading was dropped is no sensor of these readings, and dropped ones do not number it.
        code, present = pd.factorize(code[keep])
        names = tuple(names[k] for k in present)
        suspect = check_motion(time, space, code, names, lambda i: where(int(np.flatnonzero(keep)[i])))
    suspect += [
        note for field, column in zip(fields, values.T, strict=True) for note in notes_on_extremes(field, column)
    ]
    known, assumed = build(inputs, time, space, (*axes, *fields))
    return Readings(
        time=time,
        space=space,
        values=values,
        sensor=code,
        sensor_names=names,
        axes=axes,
        fields=fields,
        noise=None if sd is None else sd[keep],
        source=source,
        notes=(*notes, *about_gaps, *again, *suspect, *assumed),
        units=settled,
        inputs=known,
        time_origin=origin,
    )


def _check_shapes(time: Floats, space: Floats, values: Floats) -> None:
    agree = time.ndim == 1 and space.ndim == values.ndim == 2 and len(time) == len(space) == len(values)
    if not agree:
        raise InputError(
            "Expected a time, a place and a value per reading, shapes (N,), (N, d) and (N, f); "
            f"got mixed-up shapes: time {time.shape}, space {space.shape}, values {values.shape}; "
            "for values on a grid use Readings.from_grid(t, x, u)."
        )
    if len(time) == 0:
        raise InputError("Expected readings; got none; check that there are rows below the header.")
    if not (1 <= space.shape[1] <= 3 and values.shape[1] >= 1):
        raise InputError(
            f"Expected 1 to 3 space axes and at least one field; got {space.shape[1]} and {values.shape[1]}; "
            "choose the columns with ⟦space=⟧ and ⟦fields=⟧."
        )


def _check_names(
    axes: Sequence[str] | None, d: int, fields: Sequence[str] | None, f: int
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    from pdescry.data.names import is_field_name

    axes = tuple("xyz"[:d]) if axes is None else tuple(axes)
    if fields is None:
        fields = tuple("uvw"[:f]) if f <= 3 else tuple(f"u{k + 1}" for k in range(f))
    fields = (fields,) if isinstance(fields, str) else tuple(fields)
    if len(axes) != d or len(set(axes)) != d or not set(axes) <= set("xyz"):
        raise InputError(f"Expected {d} different axes from x, y and z; got {axes}; rename the axes.")
    if len(fields) != f or len(set(fields)) != f or not all(map(is_field_name, fields)):
        raise InputError(
            f"Expected {f} different field names, letters then digits, no coordinate or function; got {fields}; "
            "rename the fields, such as 'u' or 'v1'."
        )
    return axes, fields


def _spread_noise(sd: Floats, shape: tuple[int, ...]) -> Floats:
    try:
        column = sd[:, None] if sd.shape == shape[:1] else sd
        return np.array(np.broadcast_to(column, shape))
    except ValueError:
        raise InputError(
            f"Expected noise as one number or of shape ({shape[0]},) or {shape}; got {sd.shape}; fix the shapes."
        ) from None


def _refuse_gaps(named: dict[str, Floats], where: Where) -> None:
    for name, column in named.items():
        gaps = np.isnan(column)
        if gaps.any():
            first = where(int(gaps.argmax()))
            raise InputError(
                f"Expected a value in every row of {name!r}; got {gaps.sum()} missing (first: {first}); "
                "fill or remove those rows, or pass ⟦missing='drop'⟧."
            )


def _where_observed(values: Floats, sd: Floats | None) -> tuple[Floats, Floats | None]:
    """A value whose noise is missing counts as missing, and so does the noise of a value that is."""
    if sd is None:
        return values, None
    gaps = np.isnan(values) | np.isnan(sd)
    return np.where(gaps, np.nan, values), np.where(gaps, np.nan, sd)


def _notes_on_gaps(keep: NDArray[np.bool_], with_input: NDArray[np.bool_], named: dict[str, Floats]) -> list[Notice]:
    """The note about rows that are no readings."""
    if not keep.any():
        worst = max(named, key=lambda name: int(np.isnan(named[name]).sum()))
        raise InputError(
            f"Expected some complete readings; got a missing value in each of the {len(keep)} (most often {worst!r}); "
            "check the column names and the marks for missing values."
        )
    lost, fed = len(keep) - int(keep.sum()), int((~keep & with_input).sum())
    if not lost:
        return []
    return [Notice.of("gaps-dropped", dropped=lost, readings=len(keep), inputs=fed or None)]


def _check_range(name: str, column: Floats, where: Where) -> None:
    infinite = np.isinf(column)
    if infinite.any():
        first = where(int(infinite.argmax()))
        raise InputError(
            f"Expected finite numbers in {name!r}; got {infinite.sum()} infinite (first: {first}); "
            "correct those cells, or empty them to have them dropped."
        )
    if name.startswith("noise"):
        low = column <= 0
        if low.any():
            raise InputError(
                f"Expected standard deviations above zero as {name}; got {column[low.argmax()]:g} "
                f"({where(int(low.argmax()))}); correct them or leave the noise out."
            )


def _number_sensors(
    labels: NDArray[Any], keep: NDArray[np.bool_], where: Where
) -> tuple[NDArray[np.intp], tuple[str, ...]]:
    """Labels of any kind → numbers in the order of appearance, and names."""
    import pandas as pd

    if labels.dtype.kind in "fOUST":
        labels = np.array([_label(cell) for cell in labels.tolist()], dtype=object)
    code, distinct = pd.factorize(labels)
    names = tuple(map(str, distinct))
    blank = (code < 0) & keep
    if blank.any():
        raise InputError(
            f"Expected a sensor for every reading; got {blank.sum()} without (first: {where(int(blank.argmax()))}); "
            "fill them in, or pass ⟦sensor=False‖--sensor none⟧ to identify sensors by their places."
        )
    return code, names


def _label(cell: Any) -> str | None:
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))  # numbered sensors arrive as floats wherever their column has a gap
    text = str(cell).strip()
    return text if text and (isinstance(cell, str) or not is_missing(cell)) else None
