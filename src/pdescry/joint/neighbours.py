"""Laws a term or two from one that was fitted, all of them at once: scored as if nothing were nonlinear.

At the minimum of a law every candidate's coefficient is let go, and the field follows in closed form. With G what the
readings see of the field's freedoms and R, M those of the coefficients, each choice of terms costs matrices as small
as a sensor's readings: hundreds of laws a second. Those that promise most are then fitted.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import pandas as pd
from scipy.linalg import solve_triangular

from pdescry.equation import Term
from pdescry.joint.held_out import inside, log_density
from pdescry.joint.objective import Minimum, Objective
from pdescry.joint.price import earnings, price
from pdescry.joint.splines import Array
from pdescry.joint.stages import with_broad_prior
from pdescry.joint.well_posed import ill_posed


@dataclass(frozen=True, eq=False)
class Neighbour:
    """terms, where their coefficients would lie, and what the law would be worth were nothing nonlinear."""

    terms: tuple[Term, ...]
    coefficients: Array
    score: float
    worth: float
    earns: bool  # does every term


@dataclass(frozen=True, eq=False)
class _Sensor:
    """Its misfit, what the coefficients do to it, and 1 − C without them."""

    misfit: Array
    moved: Array
    remaining: Array
    log_scale: float


class Neighbourhood:
    """Everything about one minimum that laws near it need."""

    def __init__(self, found: Minimum, candidates: tuple[Term, ...]) -> None:
        self.candidates = candidates
        self.kept = tuple(candidates.index(term) for term in found.objective.terms)
        self.at = np.zeros(len(candidates))
        self.at[list(self.kept)] = found.coefficients
        objective = with_terms(found, candidates, self.at)
        self.prior_sd = objective.prior_sd
        self.prior_mean = objective.prior_mean
        solved = objective.linearised(found.fields, self.at).solved()
        k = len(candidates)
        # The prior's own rows are left out here and added for each choice of terms.
        self.rest = np.vstack([field.rest for field in solved.fields])
        self.sensors: list[_Sensor] = []
        for (_, experiment, field), reduced in zip(found.experiments, solved.fields, strict=True):
            misfit, scatter = experiment.misfit(field), experiment.scatter
            for sensor in map(int, np.flatnonzero(inside(experiment.readings))):
                own = scatter.of(sensor)
                freedoms = reduced.solve_transposed(experiment.weighed[own].T.toarray())  # (n, own)
                through = freedoms.T @ reduced.right
                remaining = np.eye(len(own)) - freedoms.T @ freedoms
                log_scale = scatter.log_scale(sensor)
                self.sensors.append(_Sensor(misfit[own] + through[:, k], through[:, :k], remaining, log_scale))

    def laws(self) -> Iterator[tuple[int, ...]]:
        """One term dropped, added or exchanged; two added."""
        kept, others = self.kept, [j for j in range(len(self.candidates)) if j not in self.kept]
        for j in others:
            yield (*kept, j)
        for place in kept:
            rest = tuple(j for j in kept if j != place)
            if rest:
                yield rest
            for j in others:
                yield (*rest, j)
        for pair in combinations(others, 2):
            yield (*kept, *pair)

    def of(self, some: tuple[int, ...]) -> Neighbour:
        """The law of these candidates."""
        chosen = list(some)
        dropped = [j for j in self.kept if j not in some]
        fixed = self.rest[:, -1] - self.rest[:, dropped] @ self.at[dropped]
        off = (self.at[chosen] - self.prior_mean[chosen]) / self.prior_sd[chosen]
        own = np.column_stack([np.diag(1 / self.prior_sd[chosen]), off])
        factor = np.linalg.qr(np.vstack([np.column_stack([self.rest[:, chosen], fixed]), own]), mode="r")
        size = len(chosen)
        root = np.asarray(factor)[:size, :size]
        change = -solve_triangular(root, np.asarray(factor)[:size, size])
        inverse = solve_triangular(root, np.eye(size))
        covariance = inverse @ inverse.T
        score = 0.0
        for sensor in self.sensors:
            misfit = sensor.misfit - sensor.moved[:, dropped] @ self.at[dropped] + sensor.moved[:, chosen] @ change
            along = sensor.moved[:, chosen] @ inverse
            score += log_density(sensor.remaining - along @ along.T, misfit) - sensor.log_scale
        coefficients = self.at[chosen] + change
        paid = coefficients, covariance, self.prior_sd[chosen], len(self.candidates)
        terms = tuple(self.candidates[j] for j in chosen)
        return Neighbour(terms, coefficients, score, score - price(*paid), bool((earnings(*paid) > 0).all()))


def singly(found: Minimum, candidates: tuple[Term, ...]) -> pd.DataFrame:
    """What becomes of a law with one term more, or one of its own less: one row a candidate.

    gain: of the score of left-out sensors; worth: that, less what is paid for the term, so that a term has its place
    where losing it costs worth, and none where adding it does; NaN where no term would be left. ill_posed: with it,
    short waves would grow without bound, whatever it seems to be worth.
    """
    with np.errstate(all="ignore"):
        around = Neighbourhood(found, candidates)
        law, rows = around.of(around.kept), []
        for j, term in enumerate(candidates):
            some = tuple(k for k in around.kept if k != j) if j in around.kept else (*around.kept, j)
            other = around.of(some) if some else None
            rows.append(
                {
                    "term": str(term),
                    "kept": j in around.kept,
                    "gain": math.nan if other is None else other.score - law.score,
                    "worth": math.nan if other is None else other.worth - law.worth,
                    "ill_posed": other is not None
                    and ill_posed(found, dict(zip(other.terms, map(float, other.coefficients), strict=True))),
                }
            )
    return pd.DataFrame(rows)


def with_terms(found: Minimum, terms: tuple[Term, ...], coefficients: Array) -> Objective:
    """The same readings, mesh, noise and tolerance, for other terms."""
    return with_broad_prior(replace(found, objective=replace(found.objective, terms=terms), coefficients=coefficients))
