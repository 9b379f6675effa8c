"""Where the next sensor would tell most of a law, however the law was found; or of the field, where there is none."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pdescry.discovery.draws import draw_regressed
from pdescry.discovery.fields import NetworkField
from pdescry.errors import InputError
from pdescry.joint.advice import Advice, Questions, advise
from pdescry.joint.information import Belief
from pdescry.joint.triangle import one_thread
from pdescry.regression import SparseFit
from pdescry.checks import check_whole

if TYPE_CHECKING:
    from pdescry.discovery.law import Law

Array = NDArray[np.float64]
ENOUGH = 200  # draws of the field: more only take longer
FEWEST = 10  # draws that say how sure the field is

NO_LAW = (
    "No law is told, so these are the places where the field is least known, judged by draws of a field that obeys "
    "no law."
)
ROUGH = (
    "The law was found by a regression: this is judged by {draws} draws of the field with a regression on each, and is "
    "rough."
)
NO_DRAWS = (
    "How the coefficients hang on the field is not known, for no regression on single draws was kept "
    "(derivatives.keep_points=500 keeps it): these are the places where the field is least known."
)
FIRST = "Of {number} experiments, this is about the first, and counts what all of them tell of the law."


def next_sensor(law: Law, n: int, times: ArrayLike | None) -> Advice:
    """As `Law.next_sensor`."""
    number = check_whole("number of sensors", n, 1)
    first = (FIRST.format(number=len(law.experiments)),) if law.others else ()
    if law.choice is not None and law.found:
        advice = law.choice.fit.next_sensor(number, times)
        return replace(advice, notes=(*advice.notes, *first))
    questions = Questions.of(law.readings, times)
    coefficients, fields, terms, note = _drawn(law, questions.points)
    if len(fields) < FEWEST:
        raise InputError(
            f"Expected at least {FEWEST} draws of the field to judge by; got {len(fields)}; run with more: "
            "sampler.draws."
        )
    noise = np.sqrt(np.mean(law.posterior.noise_sd**2, axis=(0, 1, 3)))
    with one_thread():
        belief = Belief.of_draws(coefficients, fields.reshape(len(fields), -1))
        return advise(belief, questions, terms, noise, number, notes=(note, *first))


def _drawn(law: Law, points: Array) -> tuple[Array, Array, list[str], str]:
    """(S, k) coefficients, (S, f, P) fields, names of the terms, and what to know of it."""
    posterior = law.posterior
    fits = [fit for fit in law.fits if isinstance(fit, SparseFit) and fit.spread is not None]
    kept = 0 if law.derivatives is None or law.derivatives.draws is None else len(law.derivatives.draws)
    if law.found and len(fits) == len(law.fits) and kept >= FEWEST:
        laws = draw_regressed(posterior, law.derivatives, law.fits, min(kept, ENOUGH), 0)
        named = [(part.field, term) for part in law.equation.components for term in part.coefficients]
        rows = [[each[field].coefficients.get(term, 0.0) for field, term in named] for _, each in laws]
        fields = [field.posterior.values(points) for field, _ in laws if isinstance(field, NetworkField)]
        terms = [f"{field}: {term}" if len(fits) > 1 else str(term) for field, term in named]
        return np.array(rows), np.concatenate(fields), terms, ROUGH.format(draws=len(laws))
    fields = posterior.at_most(ENOUGH).values(points)
    return np.zeros((len(fields), 0)), fields, [], NO_DRAWS if law.found else NO_LAW
