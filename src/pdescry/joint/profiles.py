"""Coefficients that vary along the axis, as curves with bands and as notices: ``c(x) = c₀ + c₁x + …`` of each term."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import chdtri  # scipy.stats takes as long to load as everything else here

from pdescry.data.digits import distinct
from pdescry.equation import Term
from pdescry.equation.term import Derivative
from pdescry.equation.with_spread import TWO_SIDED_95, with_spread
from pdescry.joint.field.axis import Array
from pdescry.joint.options import ANSWER
from pdescry.notices import Notice
from pdescry.problem import Candidate

COLUMNS = ("field", "term", "place", "mean", "sd", "low", "high")


@dataclass(frozen=True, eq=False)
class Profile:
    """The coefficient of one term along an axis: a polynomial of its coordinate.

    powers: (k,) of the coordinate, −1 for coefficients of other terms. values, covariance: (k,), (k, k), of all
    coefficients of the law.
    """

    base: Candidate
    axis: str
    powers: Array
    values: Array
    covariance: Array

    def rows(self, places: Array, slope: bool = False) -> Array:
        """(places, k): contribution of each coefficient of the law to this one, or to its derivative."""
        powers, own = self.powers, self.powers >= 0
        with np.errstate(divide="ignore", invalid="ignore"):
            found = powers * places[:, None] ** (powers - 1) if slope else places[:, None] ** powers
        return np.where(own & ((powers > 0) | (not slope)), found, 0.0)

    def at(self, places: Array, slope: bool = False) -> tuple[Array, Array]:
        """Mean and sd at places, of the coefficient or of its slope."""
        rows = self.rows(places, slope)
        return rows @ self.values, np.sqrt(np.einsum("pk,kl,pl->p", rows, self.covariance, rows))

    def table(self, places: Array) -> pd.DataFrame:
        mean, sd = self.at(places)
        reach = TWO_SIDED_95 * sd
        named = {"field": self.base.field, "term": str(self.base.term)}
        numbers = {"place": places, "mean": mean, "sd": sd, "low": mean - reach, "high": mean + reach}
        return pd.DataFrame(named | numbers)

    def notice(self, places: Array, name: str) -> Notice:
        """How it varies from end to end."""
        mean, sd = self.at(places)

        def at(k: int) -> str:
            return f"{with_spread(float(mean[k]), float(sd[k]))} at {self.axis} = {distinct(float(places[k]), places)}"

        changes, low, high = np.sign(np.diff(mean)), int(np.argmin(mean)), int(np.argmax(mean))
        if np.all(changes == changes[0]):
            code = "coefficient-grows" if np.abs(mean[-1]) > np.abs(mean[0]) else "coefficient-falls"
            if mean[0] * mean[-1] < 0:
                code = "coefficient-changes"
            return Notice.of(code, term=name, first=at(0), last=at(-1))
        return Notice.of("coefficient-varies", term=name, axis=self.axis, least=at(low), most=at(high))


def profiles_of(terms: Sequence[Candidate], values: Array, covariance: Array, axis: str) -> list[Profile]:
    """Profiles of terms that occur with at least two powers of the coordinate; a coefficient that is proportional to
    the coordinate is a term of its own."""
    return [
        Profile(base, axis, _in_law(family, terms), values, covariance)
        for base, family in _families(terms, axis).items()
        if len(family) > 1
    ]


def _families(terms: Sequence[Candidate], axis: str) -> dict[Candidate, dict[int, int]]:
    """By term without the coordinate: indices of terms of the law, and the power of the coordinate in each."""
    found: dict[Candidate, dict[int, int]] = {}
    for k, each in enumerate(terms):
        if set(each.term.coordinates) <= {axis}:
            base = Candidate(each.field, each.term.without_coordinates)
            found.setdefault(base, {})[k] = each.term.powers.get(axis, 0)
    return found


def _in_law(family: Mapping[int, int], terms: Sequence[Candidate]) -> Array:
    return np.array([family.get(k, -1) for k in range(len(terms))])


def table_of(profiles: Sequence[Profile], reach: tuple[float, float]) -> pd.DataFrame:
    """One row for each term and place."""
    tables = [each.table(np.linspace(*reach, ANSWER.report.places_of_profile)) for each in profiles]
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=list(COLUMNS))


def notices_of(profiles: Sequence[Profile], terms: Sequence[Candidate], reach: tuple[float, float]) -> list[Notice]:
    """How each coefficient varies, and whether the law is in conservation form."""
    places, several = np.linspace(*reach, ANSWER.report.places_of_profile), len({each.field for each in terms}) > 1
    found = [each.notice(places, str(each.base) if several else str(each.base.term)) for each in profiles]
    return found + [notice for each in profiles if (notice := _conservation(each, terms, places))]


def _conservation(profile: Profile, terms: Sequence[Candidate], places: Array) -> Notice | None:
    """If D(x)·u_xx and D'(x)·u_x are in the law, which together are (D·u_x)_x."""
    base, axis = profile.base, profile.axis
    flux = once_less(base.term, axis)
    if flux is None:
        return None
    families, gradient_term = _families(terms, axis), Candidate(base.field, flux)
    if gradient_term not in families:
        return None
    powers = _in_law(families[gradient_term], terms)
    other = Profile(gradient_term, axis, powers, profile.values, profile.covariance)
    # Polynomials agree if they agree at as many places as they have coefficients.
    degree = max(int(profile.powers.max()) - 1, int(powers.max()))
    some = np.linspace(places[0], places[-1], degree + 1)
    rows = profile.rows(some, slope=True) - other.rows(some)
    off, spread = rows @ profile.values, rows @ profile.covariance @ rows.T
    if off @ np.linalg.solve(spread, off) > chdtri(degree + 1, 1 - ANSWER.report.agreement):
        return None
    middle = np.array([(places[0] + places[-1]) / 2])
    slope, coefficient = (
        with_spread(float(mean[0]), float(sd[0])) for mean, sd in (profile.at(middle, slope=True), other.at(middle))
    )
    return Notice.of("conservation-form", flux=str(flux), axis=axis, slope=slope, coefficient=coefficient)


def once_less(term: Term, axis: str) -> Term | None:
    """u_xx → u_x; None for products, or for the field itself."""
    if len(term.factors) != 1 or not isinstance(term.factors[0][0], Derivative) or term.factors[0][1] != 1:
        return None
    derivative = term.factors[0][0]
    if axis not in derivative.axes:
        return None
    return Term.of([(Derivative(derivative.field, derivative.axes.replace(axis, "", 1)), 1)])


def requested_but_constant(
    asked: Sequence[Candidate], law: Mapping[Candidate, float], changes: pd.DataFrame, axis: str
) -> list[Notice]:
    """For coefficients that were requested to vary, but are constant: the change of the score if they varied."""
    found = []
    for each in asked:
        if each not in law:
            found.append(Notice.of("not-in-law", term=str(each.term)))
            continue
        first = each.powers(axis)[0]
        if first in law or changes.empty:
            continue
        rows = changes.to_dict(orient="records")
        own = [row["score"] for row in rows if (row["field"], row["term"]) == (each.field, str(first.term))]
        score = float(own[0]) if own else np.nan
        if np.isfinite(score):
            parameters = {"term": str(each.term), "axis": axis, "nats": abs(score), "less": score < 0}
            found.append(Notice.of("constant-coefficient", **parameters))
    return found
