"""`choose`: which candidates make up the law, judged by how well each law predicts held-out sensors.

Subsets of candidates that explain inferred fields best (a regression each: thousands a second) are proposed; each is
fitted together with the fields on one mesh, first as a soft constraint. For the best the mesh is refined; there terms
are added and dropped until none predicts better. There is no threshold: the gain by a term has to exceed its complexity
penalty, the cost of naming it among the candidates and of determining its coefficient (Occam factor). Orders in time
are compared as laws are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from pdescry.checks import check_workers
from pdescry.cores import one_thread
from pdescry.data import Readings, SensorFault
from pdescry.errors import InputError, PdescryError
from pdescry.executor import Executor, local_executor
from pdescry.joint.choice import Choice
from pdescry.joint.claims import contradicted, doubtful
from pdescry.joint.comparison import comparison_of
from pdescry.joint.duration import expected_seconds
from pdescry.joint.field.axis import Array
from pdescry.joint.field.mesh import stretches_of
from pdescry.joint.field.sampled import SampledField
from pdescry.joint.field.start import Start
from pdescry.joint.fit.shared_errors import independent_share
from pdescry.joint.joint_fit import JointFit, extended_fit
from pdescry.joint.notes import notes_of
from pdescry.joint.profiles import requested_but_constant
from pdescry.joint.search.by_order import ByOrder
from pdescry.joint.search.fitted_law import FittedLaw, scores_alike
from pdescry.joint.search.neighbours import Neighbour, single_term_changes
from pdescry.joint.search.options import SEARCH
from pdescry.joint.search.proposals import explained
from pdescry.joint.search.search import Search, most_probable_first
from pdescry.joint.search.varying import Vary, tight_and_varied
from pdescry.joint.search.verdict import (
    Baselines,
    has_no_dynamics,
    predicts_no_dynamics,
    reason_no_law_fits,
    reasons_against,
    without_dynamics,
)
from pdescry.joint.sensors.against_law import drifting, fault_of, without
from pdescry.joint.without_law import (
    Processes,
    among,
    baselines_of,
    fields_without_law,
    noise_without_law,
    starts_of,
)
from pdescry.notices import Notice
from pdescry.problem import Candidate, Candidates, Problem, TimeOrder
from pdescry.problem.ends import checked_domain
from pdescry.progress import Progress, never_falling, watched
from pdescry.schema import check_settings, optional, setting, switch, texts, whole

NONE = "No law could be fitted to the readings; try fewer candidates."

Shortlist = tuple[tuple[int, ...], list[tuple[Candidate, ...]]] | None
Given = Readings | SampledField | Sequence[Readings | SampledField]
Train = Callable[[], Sequence[SampledField]]


@dataclass(frozen=True)
class Joint:
    """Fields and law together, terms chosen by leave-one-sensor-out prediction: no threshold, no noise level.

    Parameters
    ----------
    proposals : int
        Laws of each size to try.
    largest : int
        Terms of the largest proposal; more are added one at a time.
    common : bool
        Whether common laws (diffusion with or without advection, losses or growth; waves) are tried whatever the
        inferred fields suggest.
    known : str or iterable of str
        Prior knowledge of terms: "u_xx" (is in the law), "u_xx > 0", "u < 0" (its sign, if it is there), "u_xx = 0.1"
        or "u_xx = 0.1 ± 0.02" (its coefficient), "u_x = 0" (is not in the law); of several fields "v: u > 0", in the
        equation of v.
    boundary : str or iterable of str
        Known boundary conditions, at all times: "u(0) = 1" or "u_x(10) = 0"; in the plane, all along an edge:
        "u(x=0) = 1" or "u_y(y=4) = 0". None are needed.
    domain : (float, float), optional
        The interval in which the law is required and the field is inferred; by default between the outermost sensors,
        or up to a known boundary condition.
    vary : str or iterable of str, optional
        Terms whose coefficients may vary along the axis, such as "u_xx" or "v: u_xx", "all" or "none"; by default all
        are tried, and vary where that is clearly favoured.
    """

    proposals: int = setting(4, "laws of each size that are tried", whole(1), what="number of proposals")
    largest: int = setting(
        4, "terms of a law that is proposed; more are added one at a time", whole(1), what="largest number of terms"
    )
    common: bool = setting(True, "whether common laws are tried, whatever the inferred fields suggest", switch)
    known: tuple[str, ...] = setting(
        (),
        'what you know of terms: ["u_xx > 0"], ["u_xx"] (is there), ["v: u = 0.1 ± 0.02"], ["u_x = 0"] (is not)',
        texts,
    )
    boundary: tuple[str, ...] = setting(
        (), 'what you know at the ends, at all times: ["u(0) = 1", "u_x(10) = 0"]; nothing need be known', texts
    )
    domain: tuple[float, float] | None = setting(
        None,
        'from where to where the field is inferred: "auto" (between the outermost sensors), or such as [0, 10]',
        lambda _, given: checked_domain(given),
    )
    vary: tuple[str, ...] | None = setting(
        None,
        'coefficients that may vary along the axis: "auto" (where clearly favoured), ["u_xx"], "all" or "none"',
        optional(texts),
    )

    def __post_init__(self) -> None:
        check_settings(self)


def choose(
    readings: Given,
    candidates: Candidates | None = None,
    method: Joint | None = None,
    *,
    time_order: TimeOrder = "auto",
    workers: int | None = None,
    executor: Executor | None = None,
    progress: Progress | bool | None = None,
    train: Train | None = None,
    leave_out: bool = True,
) -> Choice:
    """Find the terms of the law among candidates, and its coefficients; fields and law are inferred together.

    Parameters
    ----------
    readings : Readings or Posterior, or a list of these
        A list is of experiments that share the law. With a `Posterior` of `pdescry.interpolate` the search begins from
        its fields, too.
    candidates : {"general", "paper", "small"}, list of (str or Term), or mapping of str to these, optional
        By default "general"; a mapping has lists by field.
    method : Joint, optional
        Its settings, and prior knowledge.
    time_order : {1, 2, "auto"} or mapping of str to these
        1 for u_t on the left side, 2 for u_tt.
    workers : int, optional
        How many cores to use; by default all.
    executor : optional
        Anything with ``submit``; by default processes on this machine.
    progress : callable or bool, optional
        Called with the stage, the fraction done and the seconds left.
    train : callable, optional
        Called for posteriors, one for each experiment, only where smooth fields do not lead to a law although the
        readings show dynamics; `discover` trains networks then.
    leave_out : bool
        Whether a sensor that drifts against the law is left out, if the others are predicted better then.

    Returns
    -------
    Choice
    """
    method, workers = method or Joint(), check_workers(workers)
    posteriors = posteriors_of(readings)
    experiments = readings_of(readings)

    def problem_of(experiments: Sequence[Readings]) -> Problem:
        return Problem.of(
            experiments,
            candidates,
            time_order=time_order,
            known=method.known,
            boundary=method.boundary,
            domain=method.domain,
        )

    problem = problem_of(experiments)
    Vary.of(method.vary, problem)  # raises an error early if it names no candidate
    with watched(progress) as report_progress, one_thread():
        report_progress("looking at the readings", 0.0, expected_seconds(problem, workers))

        def chosen(pool: Executor) -> Choice:
            rising = never_falling(report_progress)
            found = _chosen(problem, method, pool, rising, posteriors, train)
            while leave_out and (fault := _drifting(found)) is not None:
                rest = [without(each, fault) for each in found.fit.problem.experiments]
                other = _chosen(problem_of(rest), method, pool, rising, (), None)
                if not _is_better_without(other, found, fault):
                    break
                found = replace(other, left_out=(*found.left_out, fault))
            return found

        if executor is not None:
            return chosen(executor)
        with local_executor(workers) as pool:
            return chosen(pool)


def _drifting(choice: Choice) -> SensorFault | None:
    """A sensor that drifts against the law, if more than half of the sensors remain without it."""
    readings, seen = choice.fit.readings, drifting(choice.fit.minimum)
    gone = len(choice.left_out) + 1
    if seen is None or 2 * gone > readings.n_sensors:
        return None
    return fault_of(readings, *seen)


def _is_better_without(other: Choice, before: Choice, fault: SensorFault) -> bool:
    """Whether a law found without a sensor predicts the others clearly better, which it would not without a sound
    one."""

    def density(choice: Choice) -> float:
        table = choice.comparison.held_out
        return float(
            table.loc[table["inside"] & (table["sensor"].astype(str) != fault.sensors[0]), "log_density"].sum()
        )

    clearly = SEARCH.tight.fall_per_reading * len(other.fit.readings)
    return (
        len(other.comparison.reasons) <= len(before.comparison.reasons) and density(other) > density(before) + clearly
    )


def readings_of(given: Given) -> tuple[Readings, ...]:
    """Readings of one or several experiments, which may be given as posteriors."""
    every = _listed(given)
    if not every:
        raise InputError("Expected readings, or a list of them, one for each experiment; got an empty list.")
    return tuple(each if isinstance(each, Readings) else each.readings for each in every)


def posteriors_of(given: Given) -> tuple[SampledField, ...]:
    """Posteriors of networks, as further initial fields: of all experiments, or none."""
    every = _listed(given)
    found = tuple(each for each in every if not isinstance(each, Readings))
    return found if len(found) == len(every) else ()


def _listed(given: Given) -> tuple[Any, ...]:
    return tuple(given) if isinstance(given, list | tuple) else (given,)


def _chosen(
    problem: Problem,
    method: Joint,
    executor: Executor,
    report_progress: Progress,
    posteriors: Sequence[SampledField],
    train: Train | None,
) -> Choice:
    processes = fields_without_law(problem, executor, report_progress)
    alone, silent = None, {}

    def conclude(outcome: _Outcome) -> Choice:
        left_out = silent if outcome is alone else {}
        asked = problem.without(left_out) if left_out else problem
        claims = _claims(outcome, asked, method, executor, report_progress, among(asked, processes), networks.trained)
        return _concluded(outcome, report_progress, left_out, problem, processes, claims)

    def without(reasons: dict[str, Notice]) -> _Outcome | None:
        """Search without fields that have no law, which would degrade the others."""
        rest = problem.without(reasons)
        return _searched(rest, method, executor, report_progress, among(rest, processes))

    baselines = baselines_of(processes)
    networks = _Networks(None if posteriors or not _may_need_networks(problem, baselines) else train, posteriors)
    static_fields = {field: without_dynamics(each)[1] for field, each in baselines.items() if has_no_dynamics(each)}
    if 0 < len(static_fields) < len(problem.fields):  # their own readings show no dynamics
        alone, silent = without(static_fields), static_fields
        if alone is not None and not alone.reasons:
            return conclude(alone)
    shortlist = _shortlist(problem, method, executor, report_progress)
    outcome = _searched(problem, method, executor, report_progress, processes, posteriors, shortlist, networks)
    settled = outcome is not None and not outcome.reasons and outcome.compared[0].found.converged
    if not settled and (new := networks.once()):
        outcome = _better(outcome, _searched(problem, method, executor, report_progress, processes, new))
    if outcome is None:
        if alone is None:
            raise PdescryError(NONE)
        return conclude(alone)
    if 0 < len(outcome.reasons) < len(problem.fields) and outcome.reasons.keys() != silent.keys():
        alone, silent = without(outcome.reasons), outcome.reasons
        if alone is not None and not alone.reasons:
            return conclude(alone)
    return conclude(outcome)


@dataclass(eq=False)
class _Networks:
    """Networks as further initial fields, if no law is found without them. trained: those that exist."""

    train: Train | None
    trained: Sequence[SampledField] = ()

    def once(self) -> Sequence[SampledField]:
        """Empty if they cannot be trained, for example for fields read at different places, or were requested
        before."""
        train, self.train = self.train, None
        if train is None:
            return ()
        with suppress(PdescryError):
            self.trained = train()
        return self.trained


def _may_need_networks(problem: Problem, baselines: Baselines) -> bool:
    """Whether all fields change smoothly in time, so that there should be a law, and no record is long. In the plane a
    network takes ten minutes, and processes are equally good initial fields."""
    if len(problem.axes) > 1:
        return False
    moved = not any(map(has_no_dynamics, baselines.values()))
    return moved and all(len(stretches_of(each)) == 1 for each in problem.experiments)


def _better(one: _Outcome | None, other: _Outcome | None) -> _Outcome | None:
    """The search with laws of more fields, or with the larger score."""
    if one is None or other is None:
        return one or other
    scores = scores_alike(one.compared[0], other.compared[0])
    ranked = zip((one, other), scores, strict=True)
    return min(ranked, key=lambda pair: (len(pair[0].reasons), -pair[1]))[0]


def _shortlist(problem: Problem, method: Joint, executor: Executor, report_progress: Progress) -> Shortlist:
    """For long records, laws are sought in stretches, as if these were separate experiments; the best are then fitted
    to all readings. None if no record is long, or its stretches do not determine a law."""
    stretches = [stretches_of(each) for each in problem.experiments]
    if all(len(some) == 1 for some in stretches):
        return None
    experiments = tuple(part for some in stretches for part in some)
    ends = tuple(end for end, some in zip(problem.ends, stretches, strict=True) for _ in some)

    def of(whole: Problem) -> Problem:
        return replace(whole, experiments=experiments, ends=ends, alternatives=tuple(map(of, whole.alternatives)))

    parts = of(problem)
    outcome = _searched(parts, method, executor, report_progress, fields_without_law(parts, executor, report_progress))
    if outcome is None or len(outcome.reasons) == len(problem.fields):
        return None
    near = [law for law in outcome.compared if law.score > outcome.compared[0].score - SEARCH.orders.shortlist]
    return outcome.problem.orders, [law.terms for law in near[: SEARCH.orders.laws_to_the_end]]


@dataclass(frozen=True, eq=False)
class _Outcome:
    """compared: laws, the best first. reasons: by field, why there is no law. other_order: a law of another order in
    time that scores nearly as well, as a notice. tight: whether they were fitted to convergence, or are guesses. asked:
    terms whose coefficients were requested to vary. near: laws that were scored in closed form only."""

    problem: Problem
    compared: list[FittedLaw]
    reasons: dict[str, Notice]
    baselines: Baselines
    before: list[Array]
    changes: pd.DataFrame
    other_order: Notice | None = None
    tight: bool = True
    asked: tuple[Candidate, ...] = ()
    near: Sequence[Neighbour] = ()


def _searched(
    problem: Problem,
    method: Joint,
    executor: Executor,
    report_progress: Progress,
    processes: Processes,
    posteriors: Sequence[SampledField] = (),
    shortlist: Shortlist = None,
    networks: _Networks | None = None,
) -> _Outcome | None:
    """None if nothing could be fitted. shortlist: orders in time, and laws of these; no others are proposed. networks:
    used as further initial fields if the smooth field of a single one leads to no convincing law."""
    baselines = baselines_of(processes)
    before = noise_without_law(problem, processes)
    every = tuple(each for each in (problem, *problem.alternatives) if not shortlist or each.orders == shortlist[0])
    if shortlist:
        every = tuple(each.with_powers_in(shortlist[1]) for each in every)
    starts = [starts_of(each, processes, posteriors) for each in every]
    shares = [
        explained(own[0], each, SEARCH.orders.terms_explaining) if len(every) > 1 else 1.0
        for each, own in zip(every, starts, strict=True)
    ]
    leading = _leading_order(every, shares)
    if len(problem.fields) > 1:  # with laws of both orders it would take too long
        every, starts, leading = (every[leading],), [starts[leading]], 0
    sizes = method.proposals, method.largest, SEARCH.orders.laws_to_the_end
    searches = [
        Search(
            each,
            *(sizes if k == leading else SEARCH.orders.of_other_order),
            executor,
            report_progress,
            common=method.common,
        )
        for k, each in enumerate(every)
    ]

    def finer(k: int, least: int) -> Sequence[Start]:
        return starts_of(every[k], processes, (), least)

    laws = ByOrder(searches, starts, leading, baselines, finer)
    if shortlist:
        laws.guess_among(shortlist[1])
    else:
        laws.guess()
    if not any(laws.guesses):
        return None
    vary = Vary.of(method.vary, problem)
    soft = [law for own in laws.soft for law in own]
    # Without dynamics, tight laws would be equally wrong or close to this one, and slow to fit.
    no_dynamics = not shortlist and bool(soft) and predicts_no_dynamics(soft, baselines)
    if not no_dynamics and not laws.leading_is_satisfied:
        laws.guess_noisier()
    tights = tight_and_varied(laws, searches, vary) if laws.suggests_any and not no_dynamics else {}
    # In the plane there are hundreds of pairs, and each takes seconds.
    if len(problem.fields) == len(problem.axes) == 1 and not shortlist and not no_dynamics:

        def from_networks() -> bool:
            found = () if networks is None else networks.once()
            return laws.guess_from([starts_of(each, processes, found) for each in every] if found else ())

        for extend_search in (lambda: laws.guess_pairs(True), from_networks, lambda: laws.guess_pairs(False)):
            if laws.is_convincing(tights, before):
                break
            with_varying, laws.searches = laws.searches, searches  # further guesses have constant coefficients
            if extend_search() and laws.suggests_any:
                tights = tight_and_varied(laws, searches, vary)
            else:
                laws.searches = with_varying
    if not tights and not no_dynamics:
        tights = tight_and_varied(laws, searches, vary)
    which, fine, tight = laws.on_fine_meshes(tights, lambda law: not reasons_against(law, baselines, before))
    if not fine:
        which = next(k for k, own in enumerate(laws.guesses) if own)
        compared = laws.guesses[which][:1]
        reasons = dict.fromkeys(problem.fields, reason_no_law_fits(baselines))
        if no_dynamics:
            reasons = reasons_against(compared[0], baselines, before) or reasons
        return _Outcome(every[which], compared, reasons, baselines, before, pd.DataFrame(), tight=False)
    # From here on differences count less if sensors share errors.
    search = replace(laws.searches[which], weight=independent_share(fine[0].found))
    fine, tight = ([law.judged_by(search.rules) for law in some] for some in (fine, tight))
    best = search.pruned(fine[0])
    rivals = [law for law in tight if law.key != fine[0].key]
    determined = len(reasons_against(best, baselines, before)) < len(problem.fields)
    compared = most_probable_first(search.nearby(best, rivals)) if determined else [best]
    compared[0] = search.to_the_end(compared[0])
    changes = single_term_changes(compared[0].found, compared[0].neighbourhood)
    reasons = reasons_against(compared[0], baselines, before)
    others = [own[0] for k, own in tights.items() if k != which and own]
    close = _close(compared[0], max(others, key=lambda law: law.score), problem) if others else None
    near = search.within_reach(compared) if determined else []
    return _Outcome(search.problem, compared, reasons, baselines, before, changes, close, asked=vary.asked, near=near)


def _leading_order(every: Sequence[Problem], shares: Sequence[float]) -> int:
    """Which orders in time to search first, by the share of inferred fields that their laws explain. Laws of second
    order have more candidates, and smooth fields obey some of them, so they have to explain clearly more."""
    ratio = SEARCH.orders.unexplained
    return min(range(len(every)), key=lambda k: (1 - shares[k]) / ratio ** np.mean(every[k].orders))


def _close(best: FittedLaw, other: FittedLaw, problem: Problem) -> Notice | None:
    """Notice of a law of another order in time that scores nearly as well, or None."""
    own, its = scores_alike(best, other)
    behind = own - its
    if behind > SEARCH.orders.reported or not other.is_satisfied:
        return None
    law = JointFit(other.found, replace(problem, orders=other.orders))
    return Notice.of("other-order", nats=abs(behind), law=str(law))


def _claims(
    outcome: _Outcome,
    asked: Problem,
    method: Joint,
    executor: Executor,
    report_progress: Progress,
    processes: Processes,
    posteriors: Sequence[SampledField],
) -> pd.DataFrame:
    """Prior knowledge that the readings contradict (`Comparison.claims`): found by a search without it, only if it is
    doubtful. asked: the problem that was searched, with all orders in time."""
    best, claims = outcome.compared[0], asked.known.claims
    if not outcome.reasons:
        claims = doubtful(best, outcome.problem)
    elif any(map(has_no_dynamics, outcome.baselines.values())):  # no claim is the cause
        claims = ()
    if not claims:
        return pd.DataFrame()
    released = asked.released(claims)
    shortlist = _shortlist(released, method, executor, report_progress)
    without = _searched(released, method, executor, report_progress, processes, posteriors, shortlist)
    if without is None or without.reasons:
        return pd.DataFrame()
    return contradicted(claims, best, outcome.tight, without.compared[0], without.problem)


def _concluded(
    outcome: _Outcome,
    report_progress: Progress,
    silent: dict[str, Notice],
    whole: Problem,
    processes: Processes,
    claims: pd.DataFrame,
) -> Choice:
    """silent: fields that were left out of the problem, and why. whole: the problem with them."""
    report_progress("finishing", 0.99, None)
    best, problem = outcome.compared[0], outcome.problem
    comparison = replace(
        comparison_of(outcome.compared, outcome.near, outcome.baselines, problem),
        reasons=outcome.reasons | silent,
        single_term_changes=outcome.changes,
        other_order=outcome.other_order,
        claims=claims,
    )
    if len(outcome.reasons) < len(problem.fields):
        fit = extended_fit(best.found, problem, outcome.before)
    else:
        fit = JointFit(best.found, problem, notes_of(best.found, outcome.before))
    report_progress("finishing", 1.0, 0.0)
    kept = tuple(tuple(processes[field]["shared"]) for field in whole.fields)
    if len(outcome.reasons) < len(problem.fields):
        constant = requested_but_constant(outcome.asked, best.found.law, outcome.changes, problem.axes[0])
        comparison = replace(comparison, profiles=fit.profiles, variation=(*fit.variation, *constant))
    return Choice(fit, problem.candidates, comparison, whole.fields, kept)
