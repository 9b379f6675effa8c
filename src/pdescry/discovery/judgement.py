"""What to warn of, and what to try next, in sentences."""

from __future__ import annotations

from pdescry.discovery.fit import Fit
from pdescry.discovery.following import BY_FIELD
from pdescry.discovery.forward import Forward
from pdescry.discovery.inference import Inference, Warn
from pdescry.discovery.score import Score

WIDE = 0.5  # an sd of more than half its coefficient
FAR = 0.5  # a forward solution off by more than half the readings' sd
MISSED = 1.5  # times what was expected: left-out sensors, of so many readings,
ENOUGH = 30


def judge(inference: Inference, forward: Forward, note: str = "") -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Warnings, and advice in the order in which it helps most. note: on how the law was found."""
    warnings: list[str] = []
    advice: list[str] = []

    def warn(sentence: str, remedy: str = "") -> None:
        warnings.append(sentence)
        if remedy and remedy not in advice:
            advice.append(remedy)

    if note:
        warn(note)
    for readings in inference.experiments:
        for sentence in readings.warnings:
            warn(sentence)
    inference.judge(warn)
    _judge_sensors(inference, warn)
    for fit in inference.fits:
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
        of = f" in {score.worst}" if score.worst else ""
        warn(
            f"Solved forward, the law misses left-out sensors{of} by {score.rms_error:.3g} (rms) where "
            f"{score.expected:.3g} was expected: it lacks something, or its intervals are too narrow.",
            "Try other candidates, or only a part of the readings.",
        )
    if score.unsolved > score.draws:
        warn(
            f"{score.unsolved} of {score.unsolved + score.draws} draws of the law could not be solved forward: the "
            "score is of the others."
        )


def _judge_sensors(inference: Inference, warn: Warn) -> None:
    readings = max(inference.experiments, key=lambda each: each.n_sensors)
    terms = [term for fit in inference.fits for term in fit.terms]
    order = max(term.order(axis) for term in terms for axis in readings.axes)
    if readings.n_sensors < order + 2:
        warn(
            f"{readings.n_sensors} sensors cannot tell derivatives of order {order} between them.",
            "Name candidates of lower order, or add sensors.",
        )


def _judge_intervals(fit: Fit, warn: Warn) -> None:
    table = fit.summary
    wide = table["term"][table["sd"] > WIDE * table["mean"].abs()]
    if len(wide):
        warn(
            f"The interval of {', '.join(wide)} is wide: its sd is more than half of the coefficient.",
            "More sensors, or less noise, narrow intervals most where the field bends most.",
        )
