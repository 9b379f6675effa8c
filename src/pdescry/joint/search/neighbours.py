"""Laws that differ by a term or two from a fitted one, scored all together in closed form, with the model linearised.

At the minimum of a law the coefficients of all candidates are freed, and the fields are eliminated in closed form. For
each sensor only products of the responses of its readings to the coefficients are stored, so each subset of terms needs
matrices of the size of the law: thousands of laws a second. The best of these are then fitted.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.linalg import solve_triangular
from scipy.sparse import csr_array

from pdescry.joint.field.axis import Array
from pdescry.joint.fit.centring import lower_powers
from pdescry.joint.fit.held_out import LEAST_EIGENVALUE, outermost
from pdescry.joint.fit.objective import Minimum
from pdescry.joint.fit.options import FIT
from pdescry.joint.fit.stages import with_terms
from pdescry.joint.observations import Numbers
from pdescry.joint.search.complexity import gains, penalty
from pdescry.joint.search.options import SEARCH
from pdescry.joint.search.well_posed import ill_posed
from pdescry.problem import Candidate, members, overlapping


@dataclass(frozen=True, eq=False)
class Neighbour:
    """terms, their coefficients, and the score in the linearised model. elpd: expected log predictive density of the
    sensors, by_sensor: of each; score: weighted elpd minus the complexity penalty; total_score: score minus the cost of
    misfit and residual."""

    terms: tuple[Candidate, ...]
    coefficients: Array
    about_middle: Array  # with powers of coordinates about the middle of the readings
    elpd: float
    by_sensor: Array
    score: float
    total_score: float
    gains: bool  # whether every term has a positive gain


class Neighbourhood:
    """The linearised model about a minimum. naming: (candidates,), cost of naming each. weight: of the log
    densities, as in `Rules`."""

    def __init__(self, found: Minimum, candidates: tuple[Candidate, ...], naming: Array, weight: float = 1.0) -> None:
        self.candidates, self.naming, self.weight = candidates, naming, weight
        self.kept = tuple(candidates.index(term) for term in found.terms)
        self.at = np.zeros(len(candidates))
        self.at[list(self.kept)] = found.coefficients
        objective = with_terms(found, candidates, self.at)
        self.prior_sd, self.prior_mean, self.centring = objective.prior_sd, objective.prior_mean, objective.centring
        self.lower = lower_powers(candidates)
        self.apart, self.members = overlapping(candidates), members(candidates)
        linearised = objective.linearised(found.states, self.at)
        states = [each.eliminated() for each in linearised.experiments]
        # The rows of the prior are excluded here and added for each subset of terms.
        self.rest = np.vstack([each.rest for each in states])
        products, constants, inside = [], [], []
        for (number, experiment, state), reduced in zip(found.experiments, states, strict=True):
            observed, model = experiment.observations, experiment.noise_model
            misfit = experiment.misfit(state)

            def responses(own: Numbers, rows: csr_array, misfit: Array = misfit, reduced: Any = reduced) -> Array:
                """(own, K + 1): of the misfit to the coefficients, and the misfit of the solved states."""
                through = rows @ reduced.through
                return np.column_stack([through[:, :-1], misfit[own] + through[:, -1]])

            for _, own in observed.between:
                rows = experiment.whitened.of(own)
                columns = responses(own, rows)
                if len(own) > FIT.leave_out.readings_in_closed_form:  # as `held_out.Removed`
                    without = linearised.experiments[number].without(own).factor()
                    products.append(columns.T @ (columns + rows @ without.solve(rows.T @ columns)))
                    log_determinant = without.log_determinant - reduced.factor.log_determinant
                else:
                    values, vectors = np.linalg.eigh(np.eye(len(own)) - reduced.factor.covariance(rows))
                    values = np.maximum(values, LEAST_EIGENVALUE)
                    half = (vectors / np.sqrt(values)).T @ columns
                    products.append(half.T @ half)
                    log_determinant = float(np.sum(np.log(values)))
                constants.append(0.5 * log_determinant - 0.5 * len(own) * math.log(2 * math.pi) - model.log_scale(own))
                inside.append(True)
            for own, constant in outermost(found, number):
                columns = responses(own, experiment.whitened.of(own))
                products.append(columns.T @ columns)
                constants.append(constant)
                inside.append(False)
        self.products = np.array(products).reshape(-1, len(candidates) + 1, len(candidates) + 1)
        self.constants, self.inside = np.array(constants, float), np.array(inside, bool)

    def of(self, some: tuple[int, ...]) -> Neighbour:
        """The law with these candidates."""
        chosen = sorted(some)
        dropped = [j for j in self.kept if j not in some]
        fixed = self.rest[:, -1] - self.rest[:, dropped] @ self.at[dropped]
        basis = self.centring[np.ix_(chosen, chosen)]
        off = basis @ (self.at[chosen] - self.prior_mean[chosen])
        own = np.column_stack([basis, off]) / self.prior_sd[chosen, None]
        factor = np.asarray(np.linalg.qr(np.vstack([np.column_stack([self.rest[:, chosen], fixed]), own]), mode="r"))
        size = len(chosen)
        root = factor[:size, :size]
        change = -solve_triangular(root, factor[:size, size]) if size else np.zeros(0)
        inverse = solve_triangular(root, np.eye(size)) if size else np.zeros((0, 0))
        # The misfit as a combination of the columns, and its response to the coefficients.
        combined = np.zeros(len(self.candidates) + 1)
        combined[-1] = 1.0
        combined[dropped] -= self.at[dropped]
        combined[chosen] += change
        along = self.products @ combined  # (sensors, K + 1)
        square = along @ combined
        # What each inner sensor adds to the coefficients is not known without it.
        added = self.products[:, chosen][:, :, chosen] * self.inside[:, None, None]
        moved = np.swapaxes(inverse, 0, 1) @ added @ inverse
        left = np.eye(size) - moved
        values, vectors = np.linalg.eigh((left + np.swapaxes(left, 1, 2)) / 2)
        values = np.maximum(values, LEAST_EIGENVALUE)
        pulled = np.einsum("ski,sk->si", vectors, along[:, chosen] @ inverse)
        square = square + self.inside * np.sum(pulled**2 / values, axis=1)
        by_sensor = self.constants + 0.5 * np.sum(np.log(values), axis=1) - 0.5 * square
        elpd = float(np.sum(by_sensor))
        coefficients = self.at[chosen] + change
        centred, higher = basis @ inverse, np.any(self.lower[np.ix_(chosen, chosen)], axis=1)
        paid = basis @ coefficients, centred @ centred.T / self.weight, self.prior_sd[chosen], self.naming[chosen]
        terms, score = tuple(self.candidates[j] for j in chosen), self.weight * elpd - penalty(*paid)
        total_score = score - 0.5 * float(np.sum(factor[size:, size] ** 2))
        return Neighbour(
            terms,
            coefficients,
            paid[0],
            elpd,
            by_sensor,
            score,
            total_score,
            bool((gains(*paid, higher) > 0).all()),
        )

    @property
    def own(self) -> Neighbour:
        """The law itself."""
        return self.of(self.kept)

    def searched(self, present: tuple[Candidate, ...]) -> list[Neighbour]:
        """Laws reached by exchanging terms, according to their evidence alone; starting from the law itself, and from
        the terms that must be present. The best first."""
        must = tuple(self.candidates.index(term) for term in present)
        found: dict[frozenset[int], float] = {}
        for begin in {tuple(sorted(self.kept)), tuple(sorted(must))}:
            found |= self._climbed(begin, frozenset(must))
        best = sorted(found, key=lambda some: (-found[some], sorted(some)))[: SEARCH.changes.scored]
        laws = [self.of(tuple(sorted(some))) for some in best]
        return sorted(laws, key=lambda law: -law.total_score)

    def _climbed(self, begin: tuple[int, ...], must: frozenset[int]) -> dict[frozenset[int], float]:
        """Evidence of the best laws on the path from one law to a local maximum: terms are added, dropped, exchanged,
        and exchanged in pairs."""
        seen: dict[frozenset[int], float] = {}
        now, own = begin, float(self._evidence(np.array([begin], int).reshape(1, -1))[0])
        while True:
            free = [j for j in now if j not in must]
            others = [j for j in range(len(self.candidates)) if j not in now]
            added = np.array([(*now, j) for j in others], int).reshape(-1, len(now) + 1)
            gained = self._evidence(added)
            likely = [others[k] for k in np.argsort(-gained, kind="stable")[: SEARCH.changes.exchanged_in_pairs]]
            tables = [added, _without(now, [(j,) for j in free])]
            tables.append(_exchanged(now, [(j,) for j in free], [(j,) for j in others]))
            tables.append(_exchanged(now, list(combinations(free, 2)), list(combinations(likely, 2))))
            tables.append(_exchanged(now, [()], list(combinations(likely, 2))))
            tables += [_exchanged(now, [out], [into]) for out, into in self._regrouped(now) if must.isdisjoint(out)]
            best, score = now, own
            for table in map(self._side_by_side, tables):
                if not table.size:
                    continue
                scores = self._evidence(table)
                for k in np.argsort(-scores, kind="stable")[: SEARCH.changes.scored]:
                    seen[frozenset(map(int, table[k]))] = float(scores[k])
                if scores.max() > score + SEARCH.changes.climbing:
                    best, score = tuple(map(int, table[np.argmax(scores)])), float(scores.max())
            if best == now:
                return seen
            now, own = tuple(sorted(best)), score

    def _regrouped(self, now: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
        """Possible exchanges in a law: a group for its members, and these for the group."""
        for group, parts in self.members.items():
            if group in now:
                yield (group,), parts
            elif set(parts) <= set(now):
                yield parts, (group,)

    def _side_by_side(self, subsets: NDArray[np.intp]) -> NDArray[np.intp]:
        """The laws of one size, (B, size), in which no group occurs with one of its members."""
        if not subsets.size or not self.members:
            return subsets
        return subsets[~self.apart[subsets[:, :, None], subsets[:, None, :]].any(axis=(1, 2))]

    def _evidence(self, subsets: NDArray[np.intp]) -> Array:
        """(B,): log evidence of laws of one size, (B, size), in the linearised model, less the cost of naming."""
        products, right = self._squared
        size = subsets.shape[1]
        which = subsets[:, :, None], subsets[:, None, :]
        prior = (self.centring * self.prior_sd / self.prior_sd[:, None])[which]
        squares = products[which] + np.swapaxes(prior, 1, 2) @ prior
        pulled = right[subsets]
        fitted = np.linalg.solve(squares, pulled[..., None])[..., 0] if size else pulled
        named = self.naming[subsets].sum(axis=1)
        return 0.5 * np.sum(fitted * pulled, axis=1) - 0.5 * np.linalg.slogdet(squares)[1] - named

    @cached_property
    def _squared(self) -> tuple[Array, Array]:
        """(K, K) and (K,): normal equations of the coefficients, in units of the prior, relative to no law."""
        scaled = self.rest[:, :-1] * self.prior_sd
        left = self.rest[:, -1] + self.rest[:, :-1] @ (self.prior_mean - self.at)
        return scaled.T @ scaled, -scaled.T @ left

    @cached_property
    def laws(self) -> list[Neighbour]:
        """One term dropped, added or exchanged; the best terms added in pairs; a group exchanged for its members, or
        these for it."""
        return list(self._changes())

    def _changes(self) -> Iterator[Neighbour]:
        kept, others = self.kept, [j for j in range(len(self.candidates)) if j not in self.kept]

        def may(some: tuple[int, ...]) -> bool:
            return not self.apart[np.ix_(some, some)].any()

        added = {j: self.of((*kept, j)) for j in others if may((*kept, j))}
        yield from added.values()
        for place in kept:
            rest = tuple(j for j in kept if j != place)
            if rest:
                yield self.of(rest)
            for j in others:
                if may((*rest, j)):
                    yield self.of((*rest, j))
        best = sorted(added, key=lambda j: -added[j].score)[: SEARCH.changes.added_in_pairs]
        for pair in combinations(sorted(best), 2):
            if may((*kept, *pair)):
                yield self.of((*kept, *pair))
        for out, into in self._regrouped(kept):
            some = (*(j for j in kept if j not in out), *into)
            if may(some):
                yield self.of(some)


def _without(now: tuple[int, ...], out: Sequence[tuple[int, ...]]) -> NDArray[np.intp]:
    return _exchanged(now, out, [()])


def _exchanged(
    now: tuple[int, ...], out: Sequence[tuple[int, ...]], into: Sequence[tuple[int, ...]]
) -> NDArray[np.intp]:
    """Some terms of a law exchanged for others, (B, size)."""
    rests = [tuple(j for j in now if j not in some) for some in out]
    return np.array([(*rest, *some) for rest in rests for some in into], int)


def single_term_changes(found: Minimum, around: Neighbourhood) -> pd.DataFrame:
    """A law with one term added, or one of its own removed: one row for each candidate.

    gain: change of the expected log predictive density; score: that, less the change of the complexity penalty, so that
    a term belongs to the law if removing it is negative, and does not if adding it is; NaN if no term would be left.
    ill_posed: with it, short waves would grow without bound, whatever its gain.
    """
    with np.errstate(all="ignore"):
        law, rows = around.own, []
        for j, each in enumerate(around.candidates):
            some = tuple(k for k in around.kept if k != j) if j in around.kept else (*around.kept, j)
            other = around.of(some) if some else None
            rows.append(
                {
                    "field": each.field,
                    "term": str(each.term),
                    "kept": j in around.kept,
                    "gain": math.nan if other is None else other.elpd - law.elpd,
                    "score": math.nan if other is None else other.score - law.score,
                    "ill_posed": other is not None
                    and ill_posed(found, dict(zip(other.terms, map(float, other.coefficients), strict=True))),
                }
            )
    return pd.DataFrame(rows)
