"""Radau in a guarded loop: every accepted step is inspected, and steps and seconds are limited.

`scipy.integrate.solve_ivp` has no limit on steps or time and cannot stop on a verdict, so the stepper class is driven
here.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.integrate import Radau
from scipy.sparse import csc_matrix

from pdescry.solver.discretisation import Discretisation
from pdescry.solver.jacobian import Shift, TensorJacobian

Array = np.ndarray

STAGES = ((4 - 6**0.5) / 10, (4 + 6**0.5) / 10, 1.0)  # nodes of Radau's three stages, as shares of a step


class _OutOfTime(Exception):
    pass


class _NotFinite(Exception):
    pass


@dataclass(frozen=True)
class Trajectory:
    """The accepted steps of one run, as Radau's own cubic in each: y(t) = y₀ + Q₁s + Q₂s² + Q₃s³, s = (t − t₀)/h.

    The stepper's error estimate is of the same order as this cubic, so between steps it satisfies the tolerance as
    well. (A Hermite interpolant through y' = F(y) does not: F amplifies the error of a stiff step.)
    """

    times: Array  # (steps + 1,)
    states: Array  # (steps + 1, size)
    bends: Array  # (steps, 3, size): Q of each step
    outcome: str  # "finished", "steps", "seconds", "stalled", "not finite", or what `inspect` returned

    def at_steps(self, values: Callable[[float], Array]) -> Array:
        """(steps + 1, …): a function of time."""
        return np.array([values(float(t)) for t in self.times])

    def bends_of(self, values: Callable[[float], Array]) -> Array:
        """(steps, 3, …): a function of time as a cubic in each step, through its values at the stages."""
        first, length = self.times[:-1, None], np.diff(self.times)[:, None]
        at_stages = np.array([values(float(t)) for t in (first + length * np.array((0.0, *STAGES))).ravel()])
        size = len(values(float(self.times[0])))  # also if no step was made
        at_stages = at_stages.reshape(len(first), 1 + len(STAGES), size)
        return np.linalg.solve(np.array(STAGES)[:, None] ** np.arange(1, 4), at_stages[:, 1:] - at_stages[:, :1])


def interpolate(times: Array, states: Array, bends: Array, t: Array) -> Array:
    """The piecewise cubic at ``t``; ``states`` and ``bends`` may be any linear image of the stepped ones."""
    if not len(bends):
        return np.broadcast_to(states[0], (len(t), states.shape[1])).copy()
    step = np.clip(np.searchsorted(times, t, side="right") - 1, 0, len(bends) - 1)
    s = ((t - times[step]) / (times[step + 1] - times[step]))[:, None]
    return states[step] + s * (bends[step, 0] + s * (bends[step, 1] + s * bends[step, 2]))


def integrate(
    problem: Discretisation,
    start: Array,
    until: float,
    tolerance: float,
    sizes: Array,
    floor: Array,
    max_steps: int,
    deadline: float,
    inspect: Callable[[float, Array], str | None],
    breaks: Sequence[float] = (),
    longest_step: float = np.inf,
) -> Trajectory:
    """Step from 0 to ``until``, or until ``inspect(t, y)`` returns a verdict or a limit is reached.

    ``tolerance`` is relative to the largest value that each block of the state has had, or to ``sizes`` before that:
    near zeros a field is not computed to more digits than elsewhere. ``floor`` is a lower bound of the absolute
    tolerance (rounding). Both have the shape of the state. A step ends at each of ``breaks`` (ascending, inside the
    span), where the right side has jumps or kinks; up to a break it is evaluated before the jump.
    """
    largest = sizes.copy()
    ends = [*breaks, until]
    before = np.inf  # the last time before the next break

    def allowed(y: Array) -> Array:
        for block in problem.blocks.values():
            largest[block] = np.maximum(largest[block], np.abs(y[block]).max())
        return np.maximum(tolerance * largest, floor)

    def rate(t: float, y: Array) -> Array:
        if time.monotonic() > deadline:
            raise _OutOfTime
        return problem.rate(min(t, before), y)

    def jacobian(t: float, y: Array) -> Array | TensorJacobian:
        matrix = problem.jacobian(min(t, before), y)
        if not (matrix.finite if isinstance(matrix, TensorJacobian) else np.all(np.isfinite(matrix))):
            raise _NotFinite  # before scipy's factorisation fails on it
        return matrix

    times, states, bends, outcome = [0.0], [start], [], inspect(0.0, start)
    # Overflow near a blow-up is expected and judged below, not a warning for the user.
    with np.errstate(all="ignore"):
        try:
            stepper, step = None, None
            while outcome is None:
                if stepper is None:
                    end = ends.pop(0)
                    before = np.nextafter(end, -np.inf) if ends else np.inf
                    here, state = times[-1], states[-1]
                    first = None if step is None else min(step, end - here)
                    stepper = _stepper(
                        rate, jacobian, here, state, end, allowed(state), longest_step, first, len(problem.axes) > 1
                    )
                step = stepper.h_abs  # before the last step is shortened
                stepper.step()
                if not np.all(np.isfinite(stepper.y)):
                    outcome = "not finite"
                elif stepper.status == "failed":
                    outcome = "stalled"
                else:
                    stepper.atol = allowed(stepper.y)
                    times.append(float(stepper.t))
                    states.append(stepper.y.copy())
                    bends.append(_bends(stepper))
                    outcome = inspect(stepper.t, stepper.y)
                    if outcome is None and stepper.status == "finished":
                        outcome, stepper = (None, None) if ends else ("finished", None)
                    if outcome is None and len(times) > max_steps:
                        outcome = "steps"
        except _OutOfTime:
            outcome = "seconds"
        except _NotFinite:
            outcome = "not finite"
    return Trajectory(np.array(times), np.array(states), np.array(bends).reshape(-1, 3, len(start)), str(outcome))


def _stepper(
    rate: Any,
    jacobian: Any,
    t: float,
    y: Array,
    until: float,
    atol: Any,
    longest: float,
    first: float | None,
    in_the_plane: bool,
) -> Radau:
    # Tolerances are in atol, which scales with the size of the field; rtol only has to be small enough.
    settings: Any = {"rtol": 1e-13, "atol": atol, "max_step": longest, "first_step": first}
    if not in_the_plane:
        return Radau(rate, t, y, until, jac=jacobian, **settings)
    # scipy's class accepts only matrices, so an operator is set by its attributes, which `lu` and `solve_lu` read.
    stepper: Any = Radau(rate, t, y, until, jac=csc_matrix((len(y), len(y))), **settings)
    stepper.jac, stepper.J, stepper.I = (lambda t, y, f: jacobian(t, y)), jacobian(t, y), Shift()
    stepper.lu = lambda shifted: shifted
    stepper.solve_lu = lambda shifted, right: shifted.solve(right, np.asarray(stepper.atol))
    return stepper


def _bends(stepper: Radau) -> Array:
    cubic: Any = stepper.dense_output()  # scipy's RadauDenseOutput: y_old + Q·(s, s², s³)
    return cubic.Q.T
