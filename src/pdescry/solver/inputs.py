"""Known inputs, such as the logged power of a heater: what the user gave → values at any time and place.

A sampled input has breaks: a held one jumps at its samples, a linear one has kinks there. The time stepper ends a step
at each of them (`stepping`), so that no step averages over a jump and no pulse lies between two steps.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from pdescry.equation import Equation, Formula
from pdescry.equation.syntax import tokenize
from pdescry.errors import InputError
from pdescry.solver.evaluate import evaluate_formula
from pdescry.solver.options import SOLVER

Array = np.ndarray
Given = Any  # callable of (t) or (t, x), (times, values[, "held"]), formula, number, or an object with .at

_KINDS = (
    "a function of t or of (t, x), in the plane (t, x, y), (times, values), (times, values, 'held'), a formula in t and"
    " x, or a number"
)


@dataclass(frozen=True)
class KnownInput:
    """An input P(t, x) that is known from t = 0 to the end of the time span."""

    name: str
    function: Callable[..., Any]  # of a time and the coordinates of places, each (n,): a number or (n,)
    along_space: bool  # whether it may vary in space
    breaks: tuple[float, ...] = ()  # times inside the span with a jump or kink
    longest_step: float = math.inf

    def at(self, t: float, *places: Array) -> Array:
        """(n,): its values at one time and places, x or x and y; at a jump, the values after it."""
        try:
            with np.errstate(all="ignore"):
                values = np.asarray(self.function(t, *places), float)
            values = np.broadcast_to(values, np.shape(places[0]))
        except InputError:
            raise
        except Exception as fault:  # the user's own code may raise anything
            raise InputError(
                f"The input {self.name} could not be computed at t = {t:g} ({type(fault).__name__}: {fault});"
                " write it as a function of a time t, or of t and an array of places, with numpy functions."
            ) from fault
        if not np.all(np.isfinite(values)):
            raise InputError(
                f"The input {self.name} is not finite at t = {t:g}; give finite values for the whole time span."
            )
        return values

    def scattered(self, t: Array, *places: Array) -> Array:
        """(K,): its values at pairs of times and places."""
        out = np.empty(len(t))
        moments, index = np.unique(t, return_inverse=True)
        for position, moment in enumerate(moments):
            here = index == position
            out[here] = self.at(float(moment), *(x[here] for x in places))
        return out


Inputs = Mapping[str, KnownInput]


def read_inputs(
    inputs: Mapping[str, Given] | None, equation: Equation, domain: Mapping[str, tuple[float, float]], until: float
) -> dict[str, KnownInput]:
    """The inputs of a law, checked for the time span from 0 to ``until``."""
    given = {} if inputs is None else inputs
    if not isinstance(given, Mapping):
        raise InputError(f"Expected ⟦inputs={{'P': …}}‖--input \"P = …\"⟧, by their names; got {type(given).__name__}.")
    for name in equation.inputs:
        if name not in given:
            raise InputError(f"The law needs the input {name}; pass ⟦inputs={{'{name}': …}}‖--input \"{name} = …\"⟧.")
    for name in given:
        if name not in equation.inputs:
            known = f"its inputs are {', '.join(equation.inputs)}" if equation.inputs else "it has no inputs"
            raise InputError(f"The law contains no input {name} ({known}); leave it out, or add a term with it.")
    found = {name: _read(name, given[name], tuple(domain), until) for name in equation.inputs}
    probes = np.meshgrid(*(np.linspace(*ends, 7) for ends in domain.values()), indexing="ij")
    for known in found.values():
        for t in np.linspace(0.0, until, SOLVER.inputs.tried):
            known.at(float(t), *(x.ravel() for x in probes))
    return found


def breaks_of(inputs: Inputs) -> tuple[float, ...]:
    """The breaks of all inputs, ascending."""
    return tuple(sorted({t for known in inputs.values() for t in known.breaks}))


def longest_step(inputs: Inputs) -> float:
    return min((known.longest_step for known in inputs.values()), default=math.inf)


def _read(name: str, given: Given, axes: tuple[str, ...], until: float) -> KnownInput:
    pulse = until / SOLVER.inputs.least_steps or math.inf
    if isinstance(given, bool):
        raise InputError(f"Expected the input {name} as {_KINDS}; got {given!r}.")
    if isinstance(given, Real):
        value = float(given)
        return KnownInput(name, lambda t, *_: value, along_space=False)
    if isinstance(given, str):
        formula = Formula.parse(given, ("t", *axes))
        along_space = any(token.kind == "name" and token.text in axes for token in tokenize(given))
        return KnownInput(
            name,
            lambda t, *places: evaluate_formula(formula, {"t": np.asarray(t), **dict(zip(axes, places, strict=True))}),
            along_space,
            longest_step=pulse,
        )
    if hasattr(given, "at") and hasattr(given, "time"):
        return _object(name, given, until)
    if callable(given):
        function: Any = given
        if arguments(given) == 1:
            return KnownInput(name, lambda t, *_: function(t), along_space=False, longest_step=pulse)
        return KnownInput(name, function, along_space=True, longest_step=pulse)
    if isinstance(given, tuple | list) and len(given) in (2, 3):
        return _sampled(name, given[0], given[1], given[2] if len(given) == 3 else "linear", until)
    raise InputError(f"Expected the input {name} as {_KINDS}; got {type(given).__name__}.")


def arguments(function: Callable[..., Any]) -> int:
    """Number of positional arguments of a function; 2 if unknown."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return 2
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    if any(parameter.kind is inspect.Parameter.VAR_POSITIONAL for parameter in parameters):
        return 2
    needed = [p for p in parameters if p.kind in kinds and p.default is inspect.Parameter.empty]
    return min(len(needed) or sum(p.kind in kinds for p in parameters), 2)


def _sampled(name: str, times: Any, values: Any, between: Any, until: float) -> KnownInput:
    try:
        times, values = np.asarray(times, float), np.asarray(values, float)
    except (TypeError, ValueError):
        raise InputError(f"Expected the samples of the input {name} as two lists of numbers, times and values.") from (
            None
        )
    if between not in ("linear", "held"):
        raise InputError(f"Expected the input {name} to be 'linear' or 'held' between its samples; got {between!r}.")
    if times.ndim != 1 or times.shape != values.shape or not len(times):
        raise InputError(
            f"Expected as many values as times of the input {name}; got shapes {values.shape} and {times.shape}."
        )
    if not (np.all(np.isfinite(times)) and np.all(np.isfinite(values))):
        raise InputError(f"The input {name} has samples that are not finite; remove them or fill them in.")
    _check_times(name, times, until)
    if between == "held":
        return KnownInput(
            name,
            lambda t, *_: values[max(np.searchsorted(times, t, side="right") - 1, 0)],
            along_space=False,
            breaks=_inside(times[1:][np.diff(values) != 0], until),
        )
    slopes = np.diff(values) / np.diff(times)
    bends = np.abs(np.diff(slopes)) > 1e-12 * np.abs(slopes).max(initial=0.0)
    return KnownInput(
        name, lambda t, *_: np.interp(t, times, values), along_space=False, breaks=_inside(times[1:-1][bends], until)
    )


def _object(name: str, given: Any, until: float) -> KnownInput:
    """An input with ``time`` (samples, (M,)), ``between`` and ``at(time (K,), space (K, axes)) -> (K,)``."""
    times = np.unique(np.asarray(given.time, float))
    _check_times(name, times, until)

    def function(t: float, *places: Array) -> Array:
        return np.asarray(given.at(np.full(len(places[0]), t), np.stack(places, axis=1)), float)

    along_space = getattr(given, "space", None) is not None
    breaks = _inside(times, until)
    if not along_space and np.shape(getattr(given, "values", ())) == times.shape:
        breaks = _sampled(name, given.time, given.values, given.between, until).breaks  # fewer: none where constant
    return KnownInput(name, function, along_space, breaks)


def _check_times(name: str, times: Array, until: float) -> None:
    if np.any(np.diff(times) <= 0):
        raise InputError(f"Expected increasing times of the input {name}; sort them, and keep one value for each.")
    if times[0] > 1e-9 * until or times[-1] < until * (1 - 1e-9):
        raise InputError(
            f"The input {name} is known from t = {times[0]:g} to {times[-1]:g}, but the solution goes from 0 to"
            f" {until:g}; give its values for the whole time span, or solve for a shorter time."
        )


def _inside(times: Array, until: float) -> tuple[float, ...]:
    slack = 1e-12 * until
    return tuple(float(t) for t in times if slack < t < until - slack)
