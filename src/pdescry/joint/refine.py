"""`refine`: the coefficients of a law whose terms are known, inferred together with the fields."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from pdescry.checks import check_workers
from pdescry.cores import one_thread
from pdescry.equation import Equation, Term
from pdescry.errors import PdescryError
from pdescry.executor import in_order, local_executor
from pdescry.joint.choose import Given, posteriors_of, readings_of
from pdescry.joint.field.start import Start
from pdescry.joint.fit.held_out import score
from pdescry.joint.fit.objective import Minimum
from pdescry.joint.fit.stages import refined_and_finished, tightened
from pdescry.joint.joint_fit import JointFit, extended_fit
from pdescry.joint.without_law import fields_without_law, noise_without_law, starts_of
from pdescry.problem import Candidate, Problem
from pdescry.problem.ends import checked_domain
from pdescry.progress import Progress, watched


def refine(
    readings: Given,
    law: Equation | str | Iterable[str | Term],
    *,
    boundary: Iterable[str] = (),
    domain: tuple[float, float] | None = None,
    workers: int | None = None,
    progress: Progress | bool | None = None,
) -> JointFit:
    """Infer the coefficients of a law from the readings, together with the fields, which have to satisfy it.

    Parameters
    ----------
    readings : Readings or Posterior, or a list of these
        A list is of experiments that share the law. With a `Posterior` of `pdescry.interpolate` the fit also starts
        from its fields.
    law : Equation, str, or iterable of (str or Term)
        An equation such as ``law.equation`` or ``"u_t = u*u_x + u_xx"``, one for each field, or for one field a list of
        terms. Only its terms are used; coefficients are inferred.
    boundary : iterable of str
        Known boundary conditions, such as ``["u(0) = 1", "u_x(10) = 0"]``; in the plane, all along an edge,
        ``["u(x=0) = 1", "u_y(y=4) = 0"]``. None are needed.
    domain : (float, float), optional
        The interval in which the law is required and the field is inferred; by default between the outermost sensors,
        or up to a known boundary condition. Along one axis only.
    workers : int, optional
        Number of cores; by default all.
    progress : callable or bool, optional
        Called with the stage, the fraction done and the seconds left.

    Returns
    -------
    JointFit
    """
    asked = Problem.of(readings_of(readings), time_order=1, boundary=list(boundary), domain=checked_domain(domain))
    problem, terms = asked.law_of(law)
    with watched(progress) as report_progress, local_executor(check_workers(workers)) as executor, one_thread():
        report_progress("looking at the readings", 0.0, None)
        processes = fields_without_law(problem, executor, report_progress, ("smooth", "shared"))
        before = noise_without_law(problem, processes)
        direct = starts_of(problem, processes, posteriors_of(readings))
        starts = [*direct, replace(direct[0], gradually=True)]
        report_progress("fields and law together", 0.1, None)
        tasks = [(_fitted, (start, terms)) for start in starts]
        fits = in_order(
            executor, tasks, lambda share: report_progress("fields and law together", 0.1 + 0.4 * share, None)
        )
        found = [each for each in fits if each is not None]
        if not found:
            raise PdescryError(
                f"The law {', '.join(str(each.term) for each in terms)} could not be fitted: its terms "
                "cannot be distinguished, or their numbers are too far apart; leave some out."
            )
        best = max(found, key=lambda each: each[0])[1]
        fine = refined_and_finished(best, lambda share: report_progress("refining the mesh", 0.5 + 0.4 * share, None))
        fit = extended_fit(fine, problem, before)
        report_progress("finishing", 1.0, 0.0)
        return fit


def _fitted(start: Start, terms: Sequence[Candidate]) -> tuple[float, Minimum] | None:
    """With its expected log predictive density, by which fits from different initial fields are compared."""
    try:
        with np.errstate(all="ignore"):
            law = tightened(start.fit(tuple(terms)))
            return score(law), law
    except np.linalg.LinAlgError:
        return None
