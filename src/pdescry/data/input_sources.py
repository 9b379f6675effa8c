"""What a user gives as an input (a column, arrays, a function) → `Input`, with notes on what was assumed of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from pdescry.data.check import as_array, numbers
from pdescry.data.clock import Clock, clock
from pdescry.data.inputs import Between, Floats, Input, distinct_places, is_at_rest
from pdescry.data.names import is_field_name
from pdescry.errors import InputError
from pdescry.notices import Notice

Inputs = str | Sequence[str] | Mapping[str, Any] | None

_ROUNDING = 1e-9  # of the largest value: how far equal values may differ
_TIMES, _PLACES = 401, {1: 101, 2: 15, 3: 7}  # at which a function is sampled: times, and places along each axis
_RUN = 4  # values in a row that are equal, on average, where an input is held
_FEW = 20  # levels of a switch
_NOTHING = np.empty(0)
_ALIKE = 1.1  # of the mean step from value to value: all in order of time, against each place by itself


class Source(NamedTuple):
    """An input as it came: time (m,), space (m, d) or None, values (m,), with gaps as NaN; or a function of t and x."""

    name: str
    time: Floats = _NOTHING
    space: Floats | None = None
    values: Floats = _NOTHING
    function: Callable[..., Any] | None = None
    between: Between | None = None
    ready: Input | None = None


def split(inputs: Inputs) -> tuple[dict[str, Between | None], dict[str, Any]]:
    """``inputs=`` of `read`: columns, with how to interpolate where that is given, and what is given beside them."""
    if inputs is None:
        return {}, {}
    if isinstance(inputs, Mapping):
        is_column = {name: given is None or isinstance(given, str) for name, given in inputs.items()}
        columns = {name: check_between(name, given) for name, given in inputs.items() if is_column[name]}
        return columns, {name: given for name, given in inputs.items() if not is_column[name]}
    names = [inputs] if isinstance(inputs, str) else inputs
    if not isinstance(names, Sequence) or not all(isinstance(name, str) for name in names):
        raise InputError(f"Expected ⟦inputs=⟧ as a name or a list of names; got {inputs!r}; pass names of columns.")
    if twice := next((name for name in names if list(names).count(name) > 1), None):
        raise InputError(f"Expected each input once; got {twice!r} twice; name it once.")
    columns: dict[str, Between | None] = dict.fromkeys(names)
    return columns, {}


def check_between(name: str, between: object) -> Between | None:
    if between is not None and between not in get_args(Between):
        raise InputError(
            f"Expected input {name} to be 'held' or 'linear' between its values; got {between!r}; pass one of the two."
        )
    return between  # type: ignore[return-value]


def given(inputs: Any, of_readings: Clock, space: Floats, times: NDArray[Any]) -> list[Source]:
    """Inputs from Python: an array with a value per reading, ``(times, values)``, ``(times, places, values)``,
    a function of t and x, or an `Input`.

    of_readings, space (N, d): times and places of all readings, complete or not. times: as they came, perhaps as dates.
    """
    if inputs is None:
        return []
    if not isinstance(inputs, Mapping):
        raise InputError(f"Expected ⟦inputs=⟧ as a mapping such as {{'P': values}}; got {inputs!r}; pass one.")

    def on_our_clock(own: Any) -> Floats:
        """Times of an input; dates count from the same moment as those of the readings."""
        array = as_array(own, "times of an input")
        if not of_readings.unit or array.dtype.kind in "fiu":
            return numbers(array, "times of an input", "value {}".format)
        both = clock(
            np.concatenate([np.ravel(times), np.ravel(array)]), "times of an input", "value {}".format, of_readings.unit
        ).times
        first = int(np.flatnonzero(np.isfinite(of_readings.times.ravel()))[0])
        return both[np.size(times) :] - (both[first] - of_readings.times.ravel()[first])

    return [_source(name, what, of_readings.times, space, on_our_clock) for name, what in inputs.items()]


def _source(name: object, what: Any, time: Floats, space: Floats, on_our_clock: Callable[[Any], Floats]) -> Source:
    if not is_field_name(name):
        raise InputError(
            f"Expected a name of letters then digits, no coordinate or function, for an input; got {name!r}; "
            "rename it, such as 'P' or 'q1'."
        )
    assert isinstance(name, str)
    if isinstance(what, Input):
        if what.name != name:
            raise InputError(
                f"Expected input {name} under its own name; got {what.name!r}; use the same name for both."
            )
        return Source(name, ready=what)
    if callable(what):
        return Source(name, function=what)

    def plain(values: Any, of: str = name) -> Floats:
        return numbers(as_array(values, of), of, "value {}".format)

    if isinstance(what, tuple) and len(what) in (2, 3):
        own, *places, values = what
        source = Source(
            name, on_our_clock(own), plain(*places, of=f"places of {name}") if places else None, plain(values)
        )
    else:
        source = Source(name, time, space, plain(what))
    where = None if source.space is None else source.space.reshape(len(source.space), -1)
    source = Source(name, source.time, where, source.values)
    fits = source.time.ndim == source.values.ndim == 1 and len(source.time) == len(source.values)
    if not fits or (where is not None and where.shape != (len(source.time), space.shape[1])):
        places = "" if where is None else f" and {where.shape} places"
        raise InputError(
            f"Expected a value of input {name} for each of its {len(source.time)} times; got {source.values.shape} "
            f"values{places}; fix the shapes, or pass (times, values)."
        )
    return source


def build(
    sources: Sequence[Source], time: Floats, space: Floats, names: Sequence[str]
) -> tuple[tuple[Input, ...], list[Notice]]:
    """The inputs, and notes. time (N,), space (N, d): of the readings. names: of axes and fields."""
    inputs, notes = [], []
    for source in sources:
        if source.name in names:
            raise InputError(
                f"Expected an input that is neither a field nor an axis; got {source.name!r}; name it otherwise, "
                "or leave it out of ⟦inputs=⟧ or ⟦fields=⟧."
            )
        if source.name in [each.name for each in inputs]:
            raise InputError(f"Expected each input once; got {source.name!r} twice; name it once.")
        found, more_notes = _input(source, time, space)
        if found.space is not None and found.space.shape[1] != space.shape[1]:
            raise InputError(
                f"Expected places of input {source.name} on {space.shape[1]} axes; got {found.space.shape[1]}; "
                "fix the shapes."
            )
        _check_cover(found, time)
        inputs.append(found)
        notes += more_notes
    return tuple(inputs), notes


def carried(sources: Sequence[Source], rows: int) -> np.ndarray:
    """(N,) bool: the rows of a table with a value of some input."""
    found = np.zeros(rows, dtype=bool)
    for source in sources:
        if len(source.values) == rows:
            found |= np.isfinite(source.values) & np.isfinite(source.time)
    return found


def _input(source: Source, time: Floats, space: Floats) -> tuple[Input, list[Notice]]:
    if source.ready is not None:
        return source.ready, []
    name = source.name
    if source.function is not None:
        sampled = _sampled(name, source.function, time, space)
        if is_of_time_only(sampled.time, sampled.space, sampled.values):
            sampled = _of_time(name, sampled.time, sampled.values, "linear")
        return sampled, [Notice.of("input-sampled", name=name, times=len(np.unique(sampled.time)))]
    if np.isinf(source.values).any():
        raise InputError(
            f"Expected finite numbers in {name!r}; got {int(np.isinf(source.values).sum())} infinite; "
            "correct those cells, or empty them."
        )
    known = np.isfinite(source.time) & np.isfinite(source.values)
    if not known.any():
        raise InputError(f"Expected values of input {name}; got none; check the column, or leave it out of ⟦inputs=⟧.")
    own, values = source.time[known], source.values[known]
    places = None if source.space is None else source.space[known]
    if places is None or is_of_time_only(own, places, values):
        found = _of_time(name, own, values, "linear")
    else:
        if (lost := int(np.isnan(places).any(axis=1).sum())) > 0:
            raise InputError(
                f"Expected a place for each value of input {name}, which differs between places; got {lost} without; "
                "fill in their places, or empty those values."
            )
        found = _of_place(name, own, places, values)
    assumed = source.between or ("held" if looks_held(found) else "linear")
    is_moving = found.space is not None and not is_at_rest(len(distinct_places(found.space)[0]), len(found))
    if is_moving and source.between == "held":
        raise InputError(
            f"Expected input {name} from sensors at rest, to hold it between its values; got sensors that move; "
            f"pass ⟦inputs={{{name!r}: 'linear'}}‖--input {name}=linear⟧."
        )
    found = Input(name, found.time, found.space, found.values, "linear" if is_moving else assumed)
    return found, [] if source.between or is_moving or (values == values[0]).all() else [_note(found)]


def _note(found: Input) -> Notice:
    return Notice.of("input-held" if found.between == "held" else "input-linear", name=found.name)


def is_of_time_only(time: Floats, space: Floats | None, values: Floats) -> bool:
    """Whether values at equal times are equal, to within rounding.

    Where times are all different, sensors that keep clocks of their own are distinguished from one quantity by their
    steps: the values of all in order of time change no more from one to the next than those of each place by itself.
    """
    if space is None or np.isnan(space).all():
        return True
    allowed = _ROUNDING * float(np.abs(values).max())
    order = np.argsort(time, kind="stable")
    same = np.diff(time[order]) == 0
    starts = np.flatnonzero(np.concatenate([[True], ~same]))
    grouped = values[order]
    spread = np.maximum.reduceat(grouped, starts) - np.minimum.reduceat(grouped, starts)
    if spread.max() > allowed:
        return False
    placed = ~np.isnan(space).any(axis=1)
    if 2 * int(same.sum()) >= len(time) or not placed.all():
        return True  # most times are shared by several sensors, which agree
    places, which = distinct_places(space)
    if len(places) == 1 or not is_at_rest(len(places), len(time)):
        return True
    by_place = np.lexsort((time, which))
    own = which[by_place[1:]] == which[by_place[:-1]]
    of_place = np.abs(np.diff(values[by_place]))[own].mean()
    return bool(np.abs(np.diff(grouped)).mean() <= _ALIKE * of_place + allowed)


def looks_held(found: Input) -> bool:
    """Few levels and long runs of equal values. A slow quantity in coarse digits goes from level to level instead."""
    if found.space is None:
        records = [found.values]
    else:
        which = distinct_places(found.space)[1]
        records = [found.values[which == k] for k in range(int(which.max()) + 1)]
    return all(map(_is_switched, records))


def _is_switched(values: Floats) -> bool:
    levels, level = np.unique(values, return_inverse=True)
    jumps = np.abs(np.diff(level))
    long = len(values) >= _RUN * (int(np.count_nonzero(jumps)) + 1)
    return long and (len(levels) <= 3 or (len(levels) <= _FEW and bool((jumps > 1).any())))


def _of_time(name: str, time: Floats, values: Floats, between: Between) -> Input:
    times, first = np.unique(time, return_index=True)
    return Input(name, times, None, values[first], between)


def _of_place(name: str, time: Floats, space: Floats, values: Floats) -> Input:
    """Several values at one time and place, as of two sensors side by side, are averaged."""
    points, which = distinct_places(np.column_stack([time, space]))
    number = np.bincount(which)
    if (number == 1).all():
        return Input(name, time, space, values)
    mean = np.bincount(which, values) / number
    return Input(name, points[:, 0], points[:, 1:], mean)


def _sampled(name: str, function: Callable[..., Any], time: Floats, space: Floats) -> Input:
    """A function of t and one argument per axis (or of t alone), on a grid over the readings' times and places."""
    times = np.union1d(np.linspace(time.min(), time.max(), _TIMES), np.unique(time)[:_TIMES])
    d = space.shape[1]
    axes = [np.linspace(low, high, _PLACES[d]) for low, high in zip(space.min(axis=0), space.max(axis=0), strict=True)]
    t, *places = (axis.ravel() for axis in np.meshgrid(times, *axes, indexing="ij"))
    try:
        found = np.broadcast_to(np.asarray(function(t, *places), dtype=np.float64), t.shape)
    except Exception as fault:
        raise InputError(
            f"Expected input {name} as a function of arrays t, {', '.join('xyz'[:d])} with a number for each; "
            f"got an error ({fault}); pass a function such as lambda t, {', '.join('xyz'[:d])}: …."
        ) from fault
    if not np.isfinite(found).all():
        raise InputError(
            f"Expected finite values of input {name} at all times and places of the readings; got NaN or infinity; "
            "define it there."
        )
    return Input(name, t, np.column_stack(places), found, "linear")


def _check_cover(found: Input, time: Floats) -> None:
    start, end = found.span
    outside = int(((time < start) | (time > end)).sum())
    if outside:
        raise InputError(
            f"Expected values of input {found.name} from {time.min():g} to {time.max():g}, where the fields have "
            f"readings; got it from {start:g} to {end:g} only ({outside} of {len(time)} readings are outside); "
            f"add its value at the first and last time, or leave those readings out."
        )
