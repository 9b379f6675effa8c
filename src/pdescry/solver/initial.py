"""The initial state: a formula, a callable, an array or an xarray object → values at any nodes.

An array in the plane has a row for each x and a column for each y, and is interpolated along one axis after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from pdescry.equation import Equation, Formula
from pdescry.equation.term import Derivative
from pdescry.errors import InputError
from pdescry.solver.evaluate import evaluate_formula

Array = np.ndarray
Profile = Callable[..., Array]  # of the coordinates of places, one array for each axis
Domain = Mapping[str, tuple[float, float]]
Initial = Any  # str | float | Profile | Array | xarray.DataArray


def read_initial(
    initial: Initial | Mapping[str, Initial], equation: Equation, domain: Domain, periodic: Mapping[str, bool]
) -> dict[Derivative, Profile]:
    """A function of the coordinates for each field, and for a second-order law one for its velocity ``"u_t"`` (zero by
    default)."""
    fields = {field: Derivative(field) for field in equation.fields}
    velocities = {f"{c.field}_t": Derivative(c.field, "t") for c in equation.components if c.time_order == 2}
    if not isinstance(initial, Mapping):
        if len(fields) > 1:
            example = ", ".join(f"{name!r}: …" for name in fields)
            flags = " ".join(f'--initial "{name}=…"' for name in fields)
            raise InputError(
                f"Expected an initial state for each of {', '.join(fields)}; write ⟦initial={{{example}}}‖{flags}⟧."
            )
        initial = dict.fromkeys(fields, initial)
    wanted = fields | velocities
    for name in initial:
        if name not in wanted:
            raise InputError(f"Expected initial states of {', '.join(wanted)}; got one of {name!r}.")
    if missing := [name for name in fields if name not in initial]:
        raise InputError(f"The initial state of {missing[0]!r} is missing; add it to ⟦initial={{…}}‖--initial⟧.")
    return {derivative: _profile(name, initial.get(name, 0.0), domain, periodic) for name, derivative in wanted.items()}


def _profile(name: str, given: Initial, domain: Domain, periodic: Mapping[str, bool]) -> Profile:
    axes = tuple(domain)
    if isinstance(given, str):
        formula = Formula.parse(given, axes)
        return lambda *places: evaluate_formula(formula, dict(zip(axes, places, strict=True)))
    if callable(given):
        return lambda *places: _called(name, given, axes, places)
    of_axes: list[Array | None] = [None] * len(axes)  # coordinates along each axis, if they were given with the values
    if hasattr(given, "coords") and hasattr(given, "dims"):
        if given.ndim != len(axes):
            dimensions = "one dimension" if len(axes) == 1 else f"the dimensions {', '.join(axes)}"
            raise InputError(f"The initial state of {name!r} must have {dimensions}; got {given.dims}.")
        if len(axes) > 1:
            if set(given.dims) != set(axes):
                raise InputError(
                    f"The initial state of {name!r} must have the dimensions {', '.join(axes)}; got {given.dims}."
                )
            given = given.transpose(*axes)
        values = _numbers(name, given)
        for number, dimension in enumerate(given.dims):
            x = _numbers(name, given[dimension])
            order = np.argsort(x)
            of_axes[number], values = x[order], np.take(values, order, axis=number)
            if not np.all(np.isfinite(x)) or np.any(np.diff(x[order]) <= 0):
                raise InputError(
                    f"The coordinate {dimension} of the initial state of {name!r} must be distinct numbers."
                )
    else:
        values = _numbers(name, given)
        if values.ndim == 0:
            return lambda *places: np.full(np.shape(places[0]), float(values))
    if values.ndim != len(axes) or min(values.shape) < 4:
        wanted = "4 or more values along " + " and ".join(axes)
        raise InputError(f"The initial state of {name!r} must be {wanted}; got {values.shape}.")
    for number, axis in enumerate(axes):
        if of_axes[number] is None:
            # Without coordinates: evenly spaced. A period does not repeat its first point, unless the values clearly
            # do.
            closed = not periodic[axis] or _repeats_its_first(np.moveaxis(values, number, 0))
            of_axes[number] = np.linspace(*domain[axis], values.shape[number], endpoint=closed)
    if not np.all(np.isfinite(values)):
        return lambda *places: np.full(np.shape(places[0]), np.nan)  # `simulate` reports it as a bad initial state
    coordinates = [np.asarray(x) for x in of_axes]
    if len(axes) == 1:
        return _interpolated(name, coordinates[0], values, domain[axes[0]], periodic[axes[0]])
    first, second = domain
    rows = _interpolated(name, coordinates[0], values, domain[first], periodic[first])
    columns = _interpolated(name, coordinates[1], np.eye(values.shape[1]), domain[second], periodic[second])

    def profile(x: Array, y: Array) -> Array:
        xs, row = np.unique(x, return_inverse=True)
        ys, column = np.unique(y, return_inverse=True)
        along_x, along_y = rows(xs), columns(ys)  # (xs, values of y) and (ys, values of y)
        if len(xs) * len(ys) <= 4 * np.size(x) + 1000:  # a grid, flattened
            return (along_x @ along_y.T)[row, column]
        return np.einsum("ij,ij->i", along_x[row], along_y[column])

    return profile


def _repeats_its_first(values: Array) -> bool:
    """Whether the last value equals the first while the field is not constant: the end point is included."""
    spread = np.ptp(values)
    flat = np.max([np.abs(values[1] - values[0]), np.abs(values[-2] - values[-1])]) < 1e-6 * spread
    return bool(np.abs(values[-1] - values[0]).max() < 1e-9 * spread and not flat)


def _numbers(name: str, given: Any) -> Array:
    problem = f"got {type(given).__name__}"
    try:
        values = np.ma.asanyarray(given)
        if given is not None and not np.iscomplexobj(values):
            return np.ma.filled(values.astype(float), np.nan)
        problem = "got complex numbers" if np.iscomplexobj(values) else problem
    except (TypeError, ValueError):
        pass
    raise InputError(
        f"The initial state of {name!r} must be a formula such as 'sin(pi*x)', a function of x, or real numbers;"
        f" {problem}."
    )


def _called(name: str, function: Callable[..., Any], axes: tuple[str, ...], places: tuple[Array, ...]) -> Array:
    x, arguments = places[0], " and ".join(axes)
    try:
        with np.errstate(all="ignore"):
            result = function(*places)
    except Exception as fault:  # the user's own code may raise anything
        raise InputError(
            f"The initial state of {name!r} could not be computed for an array of {arguments}"
            f" ({type(fault).__name__}: {fault}); write it with numpy functions."
        ) from fault
    values = _numbers(name, result)
    if values.shape not in ((), np.shape(x)):
        raise InputError(
            f"The initial state of {name!r} must return one value for each {arguments}; got shape {values.shape} for"
            f" {np.shape(x)}."
        )
    return np.broadcast_to(values, np.shape(x))


def _interpolated(
    name: str, x: Array, values: Array, domain: tuple[float, float], periodic: bool
) -> Callable[[Array], Array]:
    """Values (n, …) at x (n,) → (places, …) at any places."""
    length = domain[1] - domain[0]
    slack = 1e-9 * length
    if x[0] < domain[0] - slack or x[-1] > domain[1] + slack:
        raise InputError(
            f"The initial state of {name!r} spans {x[0]:g} to {x[-1]:g}, beyond the domain {domain[0]:g} to"
            f" {domain[1]:g}; cut it."
        )
    if periodic and x[-1] - x[0] > length - slack:  # the end point repeats the first
        x, values = x[:-1], values[:-1]
    if periodic and np.abs(np.diff(x) - length / len(x)).max() < slack:
        return lambda at: _trigonometric(x, values, domain, at)
    reach = 1.5 * length / len(x) if periodic else slack
    if x[0] > domain[0] + reach or x[-1] < domain[1] - reach:
        raise InputError(
            f"The initial state of {name!r} spans {x[0]:g} to {x[-1]:g}; it must span the domain {domain[0]:g} to"
            f" {domain[1]:g}."
        )
    from scipy.interpolate import make_interp_spline

    if periodic:
        x, values = np.append(x, x[0] + length), np.concatenate([values, values[:1]])
    degree = min(5, (len(x) - 1) // 2 * 2 - 1)
    # In units of the domain: the spline's checks of its knots depend on units.
    spline = make_interp_spline((x - x[0]) / length, values, k=degree, bc_type="periodic" if periodic else None)
    return lambda at: np.asarray(spline((at - x[0]) / length % 1.0 if periodic else (at - x[0]) / length))


def _trigonometric(x: Array, values: Array, domain: tuple[float, float], at: Array) -> Array:
    """Trigonometric interpolation of evenly spaced values: the smoothest periodic function through them."""
    count, length = len(values), domain[1] - domain[0]
    modes = np.fft.rfft(values, axis=0) / count
    modes[1:] *= 2
    if count % 2 == 0:
        modes[-1] /= 2
    k = np.arange(len(modes))
    return np.real(np.exp(2j * np.pi * np.outer(np.asarray(at) - x[0], k) / length) @ modes)
