"""The initial state: a formula, a callable, an array or an xarray object → values at any nodes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from pdescry.equation import Equation, Formula
from pdescry.errors import InputError
from pdescry.solver.evaluate import evaluate_formula

Array = np.ndarray
Profile = Callable[[Array], Array]
Initial = Any  # str | float | Profile | Array | xarray.DataArray


def read_initial(
    initial: Initial | Mapping[str, Initial], equation: Equation, axis: str, domain: tuple[float, float], periodic: bool
) -> dict[str, Profile]:
    """A function of x for each field, and for a second-order law one for its velocity ``"u_t"`` (zero unless given)."""
    wanted = {name: required for c in equation.components for name, required in _names(c.field, c.time_order)}
    if not isinstance(initial, Mapping):
        needed = [name for name, required in wanted.items() if required]
        if len(needed) > 1:
            example = ", ".join(f"{name!r}: …" for name in needed)
            raise InputError(f"Expected an initial state for each of {', '.join(needed)}; write initial={{{example}}}.")
        initial = {needed[0]: initial}
    if unknown := set(initial) - set(wanted):
        raise InputError(f"Expected initial states of {', '.join(wanted)}; got one of {sorted(unknown)[0]!r}.")
    if missing := [name for name, required in wanted.items() if required and name not in initial]:
        raise InputError(f"The initial state of {missing[0]!r} is missing; add it to initial={{…}}.")
    return {name: _profile(name, initial.get(name, 0.0), axis, domain, periodic) for name in wanted}


def _names(field: str, time_order: int) -> list[tuple[str, bool]]:
    return [(field, True)] + [(f"{field}_t", False)] * (time_order - 1)


def _profile(name: str, given: Initial, axis: str, domain: tuple[float, float], periodic: bool) -> Profile:
    if isinstance(given, str):
        formula = Formula.parse(given, (axis,))
        return lambda x: evaluate_formula(formula, {axis: x})
    if callable(given):
        return lambda x: _called(name, given, x)
    if hasattr(given, "coords") and hasattr(given, "dims"):
        if given.ndim != 1:
            raise InputError(f"The initial state of {name!r} must have one dimension; got {given.dims}.")
        return _interpolated(name, np.asarray(given[given.dims[0]], float), _numbers(name, given), domain, periodic)
    values = _numbers(name, given)
    if values.ndim == 0:
        return lambda x: np.full(np.shape(x), float(values))
    if values.ndim != 1 or len(values) < 4:
        raise InputError(
            f"The initial state of {name!r} must be 4 or more values along {axis}; got shape {values.shape}."
        )
    # Without coordinates: evenly spaced; a period does not repeat its first point.
    if periodic and np.ptp(values) > 0 and abs(values[0] - values[-1]) < 1e-9 * np.ptp(values):
        raise InputError(
            f"The initial state of {name!r} begins and ends with the same value, so it is not clear whether it holds"
            " the end point of the period, which repeats the first; pass an xarray.DataArray with the coordinate"
            f" {axis}, or leave the end point out."
        )
    x = np.linspace(*domain, len(values), endpoint=not periodic)
    return _interpolated(name, x, values, domain, periodic)


def _numbers(name: str, given: Any) -> Array:
    try:
        if given is None:
            raise TypeError
        return np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        raise InputError(
            f"The initial state of {name!r} must be a formula such as 'sin(pi*x)', a function of x, or numbers;"
            f" got {type(given).__name__}."
        ) from None


def _called(name: str, function: Callable[..., Any], x: Array) -> Array:
    values = _numbers(name, function(x))
    if values.shape not in ((), np.shape(x)):
        raise InputError(
            f"The initial state of {name!r} must return one value for each x; got shape {values.shape} for"
            f" {np.shape(x)}."
        )
    return np.broadcast_to(values, np.shape(x))


def _interpolated(name: str, x: Array, values: Array, domain: tuple[float, float], periodic: bool) -> Profile:
    order = np.argsort(x)
    x, values = x[order], values[order]
    if not np.all(np.isfinite(values)):
        return lambda at: np.full(np.shape(at), np.nan)  # `simulate` reports it as a bad initial state
    slack = 1e-9 * (domain[1] - domain[0])
    if x[0] < domain[0] - slack or x[-1] > domain[1] + slack:
        raise InputError(
            f"The initial state of {name!r} spans {x[0]:g} to {x[-1]:g}, beyond the domain {domain[0]:g} to"
            f" {domain[1]:g}; cut it."
        )
    step = (domain[1] - domain[0]) / len(x)
    if periodic and np.isclose(x[-1] - x[0], domain[1] - domain[0]):
        x, values = x[:-1], values[:-1]
    if periodic and np.allclose(np.diff(x), (domain[1] - domain[0]) / len(x), rtol=1e-6):
        return lambda at: _trigonometric(x, values, domain, at)
    if x[0] > domain[0] + (step if periodic else slack) or x[-1] < domain[1] - (step if periodic else slack):
        raise InputError(
            f"The initial state of {name!r} spans {x[0]:g} to {x[-1]:g}; it must span the domain {domain[0]:g} to"
            f" {domain[1]:g}."
        )
    from scipy.interpolate import make_interp_spline

    if periodic:
        x, values = np.append(x, x[0] + domain[1] - domain[0]), np.append(values, values[0])
    degree = min(5, (len(x) - 1) // 2 * 2 - 1)
    spline = make_interp_spline(x, values, k=degree, bc_type="periodic" if periodic else None)
    return lambda at: np.asarray(spline(x[0] + (at - x[0]) % (domain[1] - domain[0]) if periodic else at))


def _trigonometric(x: Array, values: Array, domain: tuple[float, float], at: Array) -> Array:
    """The smoothest periodic function through evenly spaced values, exact for what they can carry."""
    count, length = len(values), domain[1] - domain[0]
    modes = np.fft.rfft(values) / count
    modes[1:] *= 2
    if count % 2 == 0:
        modes[-1] /= 2
    k = np.arange(len(modes))
    return np.real(np.exp(2j * np.pi * np.outer(np.asarray(at) - x[0], k) / length) @ modes)
