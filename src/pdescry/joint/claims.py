"""Prior knowledge of terms compared with the readings: which claims are doubtful, and what they cost.

A claim is doubtful if the law without it, in closed form about the law found with it, scores clearly more, or if no law
was found with it: far from the right law the closed form is unreliable (heat with a quarter of its diffusivity: −15
nats for what gains 318). The search is then repeated without the doubtful claims, and those that the resulting law
contradicts are reported with the law that was asked for.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from pdescry.equation.with_spread import with_spread
from pdescry.joint.joint_fit import JointFit
from pdescry.joint.search.fitted_law import FittedLaw, Rules, scores_alike
from pdescry.joint.search.neighbours import Neighbourhood
from pdescry.joint.search.options import SEARCH
from pdescry.joint.search.well_posed import ill_posed
from pdescry.notices import Notice
from pdescry.problem import Claim, Problem

LEFT_OUT = "a law without it"


def doubtful(best: FittedLaw, problem: Problem) -> tuple[Claim, ...]:
    """Claims without which a law near the best one scores clearly more, in closed form (linearised)."""
    with np.errstate(all="ignore"):
        return tuple(claim for claim in problem.known.claims if _gain(claim, best, problem) >= SEARCH.verdict.evidence)


def _gain(claim: Claim, best: FittedLaw, problem: Problem) -> float:
    """Gain of the score in nats if the claim is released; −∞ if the best law does not depend on it."""
    rules = Rules(problem.known.released([claim], problem.candidates))
    candidates, found = rules.known.candidates, best.found
    around = best.neighbourhood
    if claim.kind in ("value", "absent"):
        objective = replace(found.objective, given=rules.known.values)
        around = Neighbourhood(
            replace(found, objective=objective), candidates, rules.naming(candidates), best.rules.weight
        )
    most = -math.inf
    for some in _otherwise(around.kept, candidates.index(claim.candidate), claim):
        other = around.of(some)
        law = dict(zip(other.terms, map(float, other.coefficients), strict=True))
        if claim.contradicted_by(law.get(claim.candidate)) and not ill_posed(found, law):
            most = max(most, other.score + _naming_cost_of([claim], tuple(law), best.rules))
    return most - best.neighbourhood.own.score


def _otherwise(kept: tuple[int, ...], place: int, claim: Claim) -> Iterator[tuple[int, ...]]:
    """Laws that the claim may have prevented: with and without the term."""
    rest = tuple(j for j in kept if j != place)
    if rest and claim.kind in ("present", "value"):
        yield rest
    if claim.kind == "value" or place not in kept:
        yield (*rest, place)


def _naming_cost_of(claims: Sequence[Claim], terms: Sequence, rules: Rules) -> float:
    """In nats, negative: naming a term that is known to be in the law costs nothing, so a law does not gain by omitting
    it."""
    out = tuple({each.candidate for each in claims if each.kind in ("present", "value")} - set(terms))
    return -float(np.sum(rules.naming(out))) if out else 0.0


def contradicted(
    claims: Sequence[Claim], best: FittedLaw, tight: bool, other: FittedLaw, problem: Problem
) -> pd.DataFrame:
    """Claims that the law found without them contradicts, with their cost; empty if that is small.

    best: the law with them; tight: it was fitted to convergence, and is not only a guess. other: the law without them,
    of ``problem``.
    """
    sds = dict(zip(other.terms, np.sqrt(np.diag(other.found.covariance)), strict=True))
    values = other.found.law
    against = [
        each for each in claims if each.contradicted_by(values.get(each.candidate), float(sds.get(each.candidate, 0.0)))
    ]
    without, with_claims = scores_alike(other, best)
    with_claims -= 0.0 if tight else best.found.residual_cost
    cost = without - with_claims + _naming_cost_of(against, other.terms, best.rules)
    if not against or not cost >= SEARCH.verdict.evidence:
        return pd.DataFrame()
    law = str(JointFit(other.found, problem))
    rows = []
    for each in against:
        value, sd = values.get(each.candidate, math.nan), float(sds.get(each.candidate, math.nan))
        rows.append(
            {
                "claim": each.text,
                "field": each.candidate.field,
                "term": str(each.candidate.term),
                "favoured": with_spread(value, sd) if each.candidate in values else LEFT_OUT,
                "value": value,
                "sd": sd,
                "cost": float(cost),
                "law": law,
            }
        )
    return pd.DataFrame(rows)


def notices_of(claims: pd.DataFrame) -> list[Notice]:
    """One for each contradicted claim: ``You said u_xx = 0.5; the readings favour 0.102(3), by 85 nats.``"""
    found = []
    for row in claims.to_dict(orient="records"):
        of_value = any(sign in row["claim"] for sign in "<>=")
        code = "claim-contradicted" if of_value else "claimed-term-contradicted"
        parameters = {"claim": row["claim"], "favoured": row["favoured"], "cost": row["cost"]}
        found.append(Notice.of(code, **parameters, together=len(claims) > 1))
    return found
