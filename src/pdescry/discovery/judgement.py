"""What to warn of, and what to try next, in sentences."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pdescry.data import Readings
from pdescry.discovery.fit import Fit
from pdescry.discovery.following import BY_FIELD
from pdescry.discovery.forward import Forward
from pdescry.discovery.score import Score
from pdescry.joint import Choice
from pdescry.regression import SparseFit
from pdescry.regression.estimator import NOTHING
from pdescry.surrogate import Diagnostics, Posterior

WIDE = 0.5  # an sd of more than half its coefficient
READINGS_A_TERM = 20
FAR = 0.5  # a forward solution off by more than half the readings' sd
MISSED = 1.5  # times what was expected: left-out sensors, of so many readings,
ENOUGH = 30
KNOWN = 'regression.known = ["u_xx > 0"]'

Warn = Callable[..., None]  # a sentence, and perhaps a remedy


def judge(
    posteriors: Sequence[Posterior],
    diagnostics: Sequence[Diagnostics],
    fits: Sequence[Fit],
    forward: Forward,
    note: str = "",
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Warnings, and advice in the order in which it helps most. posteriors, diagnostics: of each experiment. note: on
    how the law was found."""
    warnings: list[str] = []
    advice: list[str] = []

    def warn(sentence: str, remedy: str = "") -> None:
        warnings.append(sentence)
        if remedy and remedy not in advice:
            advice.append(remedy)

    if note:
        warn(note)
    for fit in fits:
        if isinstance(fit, Choice):
            _judge_choice(fit, warn)
    for each in diagnostics:
        _judge_draws(each, fits, warn)
    for sentence in (sentence for posterior in posteriors for sentence in posterior.left_out):
        warn(sentence)
    _judge_number([posterior.readings for posterior in posteriors], fits, warn)
    for fit in fits:
        if isinstance(fit, SparseFit):
            _judge_regression(fit, warn)
        if fit.support.any():
            _judge_intervals(fit, warn)
    if forward.status == "ill-posed":
        warn(
            f"The law is ill-posed. {forward.message}",
            "Leave the highest derivatives out of the candidates, or raise the threshold.",
        )
    elif forward.status not in ("ok", "not tried"):
        warn(
            f"The law could not be solved forward ({forward.status}). {forward.message}",
            "Solve it with the boundary conditions that you know: law.simulate(boundary=…, domain=…).",
        )
    elif forward.misfit > FAR and forward.conditions == BY_FIELD:
        warn(
            f"Solved forward with ends that follow the field, the law leaves the field by {forward.misfit:.2g} of the "
            "readings' sd (rms): the law is not right, or small errors grow fast under it."
        )
    elif forward.misfit > FAR:
        warn(
            f"Solved forward ({forward.boundary}), the law leaves the field by {forward.misfit:.2g} of the readings' "
            "sd (rms): the law, or these ends, are not right.",
            "Solve it with the boundary conditions that you know: law.simulate(boundary=…, domain=…).",
        )
    if forward.score is not None:
        _judge_score(forward.score, warn)
    return tuple(dict.fromkeys(warnings)), tuple(advice)


def _judge_score(score: Score, warn: Warn) -> None:
    if score.readings >= ENOUGH and score.rms_error > MISSED * score.expected:
        warn(
            f"Solved forward, the law misses left-out sensors by {score.rms_error:.3g} (rms) where "
            f"{score.expected:.3g} was expected: it lacks something, or its intervals are too narrow.",
            "Try other candidates, or only a part of the readings.",
        )
    if score.unsolved > score.draws:
        warn(
            f"{score.unsolved} of {score.unsolved + score.draws} draws of the law could not be solved forward: the "
            "score is of the others."
        )


def _judge_draws(diagnostics: Diagnostics, fits: Sequence[Fit], warn: Warn) -> None:
    # Where field and law were inferred together, that only began from the draws' mean.
    if diagnostics.mixed or any(isinstance(fit, Choice) and not fit.notes for fit in fits):
        return
    warn(
        f"The draws of the field are not to be relied on: {diagnostics.verdict}",
        "Sample longer: sampler.draws and sampler.thin twice as large.",
    )


def _judge_number(experiments: Sequence[Readings], fits: Sequence[Fit], warn: Warn) -> None:
    n_terms, readings = len(fits[0].terms), max(experiments, key=lambda each: each.n_sensors)
    # Where laws are compared by left-out sensors, many candidates have their price already.
    if isinstance(fits[0], SparseFit) and len(readings) < READINGS_A_TERM * n_terms:
        warn(
            f"{len(readings)} readings are few for {n_terms} candidates.",
            "Name fewer candidates: those that the physics allows.",
        )
    order = max(term.order(axis) for term in fits[0].terms for axis in readings.axes)
    if readings.n_sensors < order + 2:
        warn(
            f"{readings.n_sensors} sensors cannot tell derivatives of order {order} between them.",
            "Name candidates of lower order, or add sensors.",
        )


def _judge_choice(choice: Choice, warn: Warn) -> None:
    if choice.comparison.reason:
        warn(
            "The readings do not tell a law: do not rely on the best guess.",
            f"Add sensors, read them more often, or with less noise; or say what you know: {KNOWN}.",
        )
    elif choice.comparison.near:
        warn("Other laws explain the readings about as well.", f"Say what you know of a term, such as {KNOWN}.")
    for note in choice.notes:
        warn(note)


def _judge_regression(fit: SparseFit, warn: Warn) -> None:
    if fit.outcome == NOTHING:
        warn(
            f"No candidate is left for {fit.field}_{'t' * fit.time_order}: none stands out against the others.",
            "Try a lower threshold, or other candidates: the draws of the field are kept when a run is overwritten.",
        )
        return
    for note in fit.notes:
        warn(note)


def _judge_intervals(fit: Fit, warn: Warn) -> None:
    table = fit.summary
    wide = table["term"][table["sd"] > WIDE * table["mean"].abs()]
    if len(wide):
        warn(
            f"The interval of {', '.join(wide)} is wide: its sd is more than half of the coefficient.",
            "More sensors, or less noise, narrow intervals most where the field bends most.",
        )
