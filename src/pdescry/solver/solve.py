"""`simulate`: solve an equation forward, and report whether the answer can be trusted."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pdescry.cores import one_thread
from pdescry.equation import Equation
from pdescry.errors import InputError
from pdescry.solver.attempt import Problem, Progress
from pdescry.solver.boundary import Boundary, Conditions, Domain, check_values, needed_at_ends, printable, read_boundary
from pdescry.solver.discretisation import Discretisation
from pdescry.solver.incoming import incoming_at
from pdescry.solver.initial import Initial, read_initial
from pdescry.solver.inputs import Given, read_inputs
from pdescry.solver.linearise import opened
from pdescry.solver.options import SOLVER
from pdescry.solver.search import search
from pdescry.solver.solution import Solution

Array = np.ndarray


def simulate(
    equation: Equation | str,
    *,
    domain: Sequence[float] | Sequence[Sequence[float]] | Mapping[str, Sequence[float]],
    until: float | None = None,
    initial: Initial | Mapping[str, Initial],
    boundary: Boundary = "periodic",
    inputs: Mapping[str, Given] | None = None,
    times: Sequence[float] | Array | None = None,
    x: Sequence[float] | Array | None = None,
    y: Sequence[float] | Array | None = None,
    rtol: float | None = None,
    min_points: int | None = None,
    max_points: int | None = None,
    max_steps: int = 20_000,
    max_seconds: float = 60.0,
    verify: bool = True,
    progress: Progress | None = None,
) -> Solution:
    """Solve ``equation`` from t = 0 on an interval, or on a rectangle in the plane.

    Parameters
    ----------
    equation : Equation or str
        One field or several, first or second order in time, one or two space axes.
    domain : (float, float) or mapping of str to (float, float)
        (left, right); in the plane ``{"x": (left, right), "y": (bottom, top)}``, or the two pairs in this order.
    until : float, optional
        The end; by default the last of ``times``.
    initial : str, callable, array_like, xarray object, or mapping of these
        A formula such as ``"-sin(pi*x/8)"``, a function of x, an array over the domain (evenly spaced; when periodic
        without the end point, unless it plainly repeats the first), an xarray object, or a dict of these for several
        fields. In the plane a formula in x and y, a function of (x, y), an array with a row for each x and a column for
        each y, or an xarray object. For a second-order law ``{"u": …, "u_t": …}``; the velocity is zero unless given.
    boundary : str or mapping
        ``"periodic"``, ``"dirichlet"``, ``"neumann"``, or conditions per side: ``{"left": "u=1", "right": ["u=0",
        "u_x=0"]}``. Ends that move are functions of the time since the start: ``{"left": {"u": lambda t: math.sin(t)},
        "right": {"u": 0, "u_x": slope}}``. In the plane per side or axis: ``{"left": "u=1", "right": "neumann",
        "bottom": "u=sin(x)*exp(-t)", "top": …}``, ``{"x": "periodic", "y": "dirichlet"}``, ``{"y=4": {"u": f}}``;
        functions take t, or t and an array of places along the side.
    inputs : mapping of str, optional
        Known inputs by name, from t = 0 to the end: ``{"P": …}`` with a function of t or of (t, x) or (t, x, y),
        samples ``(times, values)`` with straight lines between them, ``(times, values, "held")`` where each value lasts
        until the next, a formula such as ``"1 + sin(t)"`` in t and x, a number, or an object with ``time``, ``between``
        and ``at(time, space)``. Steps end where samples jump or bend. A pulse of a function or a formula that is
        shorter than a two-hundredth of the time span may be missed: give samples.
    times : (T,) array_like, optional
        When to report; by default 101 even times from 0 to ``until``.
    x, y : (n,) array_like, optional
        The grid of ``solution.dataset``; by default 257 even points, in the plane 101 along each axis.
    rtol : float, optional
        Tolerance of the time stepper, relative to the largest value of the field, from 1e-13 to 1e-3; by default 3e-10,
        in the plane 1e-8. From 1e-8 on, the finest modes count as resolved below it, too: fewer points, or a start and
        ends that are less smooth.
    min_points : int, optional
        How many points to begin with; by default 48, in the plane 24 along each axis. More are tried until the field is
        resolved.
    max_points : int, optional
        By default 820 along one axis, which several fields share; in the plane 160 along each axis, and 52,000 in all.
    max_steps : int
        The most steps in time.
    max_seconds : float
        The longest time that it may take. Meeting one of these limits ends with a status that says so.
    verify : bool
        Solve again from a slightly disturbed start and compare (about half as long again).
    progress : callable, optional
        Called with what is going on and the fraction of the time span done.

    Returns
    -------
    Solution
        Look at ``solution.status`` before using it.

    Examples
    --------
    >>> solution = simulate("u_t = 0.1*u_xx", domain=(0, 1), until=1, initial="sin(pi*x)", boundary="dirichlet")
    >>> solution.status
    'ok'
    """
    began = time.monotonic()
    if not isinstance(equation, Equation):
        equation = Equation.parse(equation, inputs=tuple(inputs) if isinstance(inputs, Mapping) else ())
    plain = opened(equation)
    extent = _domain(domain, equation)
    kind = len(extent) - 1
    rtol = SOLVER.accuracy.tolerance[kind] if rtol is None else rtol
    min_points = SOLVER.points.first[kind] if min_points is None else min_points
    max_points = SOLVER.points.most[kind] if max_points is None else max_points
    moments, end = _times(times, until)
    _check_number("rtol", rtol, 1e-13, 1e-3)
    _check_number("min_points", min_points, *SOLVER.points.allowed, whole=True)
    _check_number("max_points", max_points, *SOLVER.points.allowed, whole=True)
    _check_number("max_steps", max_steps, 1, math.inf, whole=True)
    _check_number("max_seconds", max_seconds, 0, math.inf)
    if y is not None and len(extent) == 1:
        raise InputError("Expected y= only for a law in the plane; leave it out, or give the domain of y.")
    grids = {axis: _grid(given, axis, extent) for axis, given in zip(extent, (x, y), strict=False)}
    conditions = read_boundary(boundary, plain, extent, end)
    for axis, each in conditions.items():
        other = [ends for name, ends in extent.items() if name != axis]
        check_values(each, np.linspace(0.0, end, 11).tolist(), *other)
    known = read_inputs(inputs, plain, extent, end)
    problem = Problem(
        equation=plain,
        domain=extent,
        profiles=read_initial(initial, plain, extent, {axis: each.periodic for axis, each in conditions.items()}),
        until=end,
        times=moments,
        tolerance=rtol,
        max_steps=max_steps,
        max_seconds=max_seconds,
        deadline=began + max_seconds,
        progress=progress or (lambda stage, fraction: None),
        inputs=known,
    )
    # A second thread gains a tenth at best, and loses up to half if another process uses the cores (benchmarks/).
    with one_thread():
        found = search(problem, conditions, min_points, max_points, verify)
    return Solution(
        equation=equation,
        extent=extent,
        boundary=boundary if isinstance(boundary, str) else repr(printable(boundary)),
        until=end,
        times=moments,
        grids=grids,
        status=found.status,
        message=found.message,
        reached=found.reached,
        error=found.error,
        points=found.run.grid.size if found.run else 0,
        steps=len(found.run.trajectory.bends) if found.run else 0,
        seconds=time.monotonic() - began,
        pieces=found.run.pieces if found.run else {},
        inputs=known,
    )


def conditions_needed(
    equation: Equation,
    *,
    domain: Sequence[float] | Sequence[Sequence[float]] | Mapping[str, Sequence[float]],
    initial: Initial | Mapping[str, Initial],
    inputs: Mapping[str, Given] | None = None,
    axis: str | None = None,
) -> dict[str, tuple[int, int]]:
    """How many conditions a law requires at the left and at the right end: for each field on u, u_x, … in turn.

    axis: in the plane, the one whose two sides are meant, such as "y" for bottom and top; by default the first.
    """
    plain, extent = opened(equation), _domain(domain, equation)
    axis = next(iter(extent)) if axis is None else axis
    if axis not in extent:
        raise InputError(f"Expected axis= as one of {', '.join(extent)}; got {axis!r}.")
    profiles = read_initial(initial, plain, extent, dict.fromkeys(extent, False))
    known = read_inputs(inputs, plain, extent, until=0.0)
    free = dict.fromkeys(extent, Conditions(periodic=False))
    coarse_grid = Discretisation(
        plain, extent, free, dict.fromkeys(extent, SOLVER.points.first[len(extent) - 1]), known
    )
    start = np.concatenate([profiles[name](*coarse_grid.places) for name in coarse_grid.blocks])
    usual = {field: needed_at_ends(plain.order(axis, field), None) for field in plain.fields}
    return incoming_at(coarse_grid, start, axis) or usual


def _check_number(name: str, value: Any, least: float, most: float, whole: bool = False) -> None:
    kind = int | np.integer if whole else int | float | np.number
    if not (isinstance(value, kind) and least <= value <= most):
        bound = f"{least:g} or more" if most == math.inf else f"between {least:g} and {most:g}"
        raise InputError(f"Expected ⟦{name}⟧ to be a {'whole ' * whole}number, {bound}; got {value!r}.")


def _grid(x: Any, axis: str, extent: Domain) -> Array:
    left, right = extent[axis]
    count = 257 if len(extent) == 1 else 101
    grid = np.linspace(left, right, count) if x is None else np.asarray(_numeric(x, f"the grid of {axis}"))
    if grid.ndim != 1 or not len(grid) or not (grid.min() >= left and grid.max() <= right):
        raise InputError(f"Expected the grid of {axis} as a list of places between {left:g} and {right:g}.")
    return grid


def _domain(domain: Any, equation: Equation) -> dict[str, tuple[float, float]]:
    """The ends of each axis."""
    if isinstance(domain, Mapping):
        pairs, axes = list(domain.values()), list(domain)
        if wrong := [axis for axis in axes if axis not in ("x", "y", "z")]:
            raise InputError(f"Expected the axes of the domain among x, y and z; got {wrong[0]!r}.")
        axes, pairs = sorted(axes), [domain[axis] for axis in sorted(axes)]
    else:
        several = isinstance(domain, Sequence | np.ndarray) and len(domain) and np.ndim(domain[0]) == 1
        pairs = list(domain) if several else [domain]
        axes = list(equation.axes)
        for name in "xyz":  # an axis may be absent from the law
            if len(axes) < len(pairs) and name not in axes:
                axes = sorted([*axes, name])
    if len(axes) > 2 or len(pairs) > 2:
        raise InputError(
            f"Expected a law in one or two space dimensions; got {', '.join(axes)}. Laws in three cannot be solved"
            " forward yet."
        )
    if missing := sorted(set(equation.axes) - set(axes)):
        raise InputError(f"The law speaks of {missing[0]}, which the domain does not; add {missing[0]!r} to domain=.")
    if len(pairs) < len(axes):
        raise InputError(
            f"Expected the domain of a law in {' and '.join(axes)} as domain={{'{axes[0]}': (left, right),"
            f" '{axes[1]}': (bottom, top)}}; got {domain!r}."
        )
    axes = axes or ["x"]
    name_of = (lambda axis: "the domain") if len(axes) == 1 else (lambda axis: f"the domain of {axis}")
    return {axis: _ends(pair, name_of(axis)) for axis, pair in zip(axes, pairs, strict=True)}


def _ends(pair: Any, what: str) -> tuple[float, float]:
    try:
        left, right = (float(end) for end in pair)
    except (TypeError, ValueError):
        raise InputError(f"Expected {what} as two numbers, (left, right); got {pair!r}.") from None
    if not (math.isfinite(left) and math.isfinite(right) and left < right):
        finite = "a finite domain" if what == "the domain" else f"{what} as finite numbers"
        raise InputError(f"Expected {finite} (left, right) with left < right; got ({left:g}, {right:g}).")
    return left, right


def _times(times: Any, until: float | None) -> tuple[Array, float]:
    if times is None:
        if until is None:
            raise InputError("Expected ⟦until=⟧ (the end of the simulation) or times= (when to report).")
        if not (isinstance(until, int | float | np.number) and math.isfinite(until) and until > 0):
            raise InputError(f"Expected until to be a positive time; got {until!r}.")
        return np.linspace(0.0, float(until), 101), float(until)
    moments = _numeric(times, "times")
    if moments.ndim != 1 or not len(moments) or not np.all(np.isfinite(moments)) or np.any(np.diff(moments) <= 0):
        raise InputError("Expected times as a list of increasing finite numbers.")
    if moments[0] < 0 or moments[-1] <= 0:
        raise InputError(f"Expected times from 0 on, the last one positive; got {moments[0]:g} to {moments[-1]:g}.")
    if until is not None and until < moments[-1]:
        raise InputError(
            f"The last of times is {moments[-1]:g}, after until = {until:g}; leave until out, or raise it."
        )
    return moments, float(moments[-1] if until is None else until)


def _numeric(given: Any, what: str) -> Array:
    try:
        return np.asarray(given, float)
    except (TypeError, ValueError):
        raise InputError(f"Expected {what} as a list of numbers; got {given!r}.") from None
