"""What to warn of, and what to try next."""

from __future__ import annotations

from pdescry.discovery.fit import Fit
from pdescry.discovery.following import BY_FIELD
from pdescry.discovery.forward import Forward
from pdescry.discovery.inference import Inference, Warn
from pdescry.discovery.options import DISCOVERY
from pdescry.discovery.score import Score
from pdescry.notices import Notice

Notices = tuple[Notice, ...]


def judge(inference: Inference, forward: Forward, note: Notice | None = None) -> tuple[Notices, Notices]:
    """Warnings, and advice in the order in which it helps most. note: on how the law was found."""
    warnings: list[Notice] = []
    advice: list[Notice] = []

    def warn(notice: Notice, remedy: Notice | None = None) -> None:
        warnings.append(notice)
        if remedy is not None:
            advice.append(remedy)

    if note is not None:
        warn(note)
    for readings in inference.experiments:
        for notice in readings.warnings:
            warn(notice)
    inference.judge(warn)
    _judge_sensors(inference, warn)
    for fit in inference.fits:
        if fit.support.any():
            _judge_intervals(fit, warn)
    if forward.status == "ill-posed":
        warn(Notice.of("law-ill-posed", reason=forward.message), Notice.of("try-lower-derivatives"))
    elif forward.status not in ("ok", "not tried"):
        unsolved = Notice.of("law-not-solved", status=forward.status, reason=forward.message)
        warn(unsolved, Notice.of("solve-with-known-ends"))
    elif forward.misfit > DISCOVERY.judgement.misfit and forward.conditions == BY_FIELD:
        warn(Notice.of("leaves-field", misfit=forward.misfit))
    elif forward.misfit > DISCOVERY.judgement.misfit:
        leaves = Notice.of("leaves-field-with-ends", boundary=forward.boundary, misfit=forward.misfit)
        warn(leaves, Notice.of("solve-with-known-ends"))
    if forward.score is not None:
        _judge_score(forward.score, warn)
    return tuple(dict.fromkeys(warnings)), tuple(dict.fromkeys(advice))


def _judge_score(score: Score, warn: Warn) -> None:
    if (
        score.readings >= DISCOVERY.judgement.least_readings
        and score.rms_error > DISCOVERY.judgement.missed * score.expected
    ):
        told = {"error": score.rms_error, "expected": score.expected}
        warn(Notice.of("misses-held-out", field=score.worst or None, **told), Notice.of("try-other-candidates"))
    if score.unsolved > score.draws:
        warn(Notice.of("score-of-the-others", unsolved=score.unsolved, draws=score.unsolved + score.draws))


def _judge_sensors(inference: Inference, warn: Warn) -> None:
    readings = max(inference.experiments, key=lambda each: each.n_sensors)
    terms = [term for fit in inference.fits for term in fit.terms]
    order = max(term.order(axis) for term in terms for axis in readings.axes)
    if readings.n_sensors < order + 2:
        warn(Notice.of("few-sensors", sensors=readings.n_sensors, order=order), Notice.of("lower-order"))


def _judge_intervals(fit: Fit, warn: Warn) -> None:
    table = fit.summary
    wide = table["term"][table["sd"] > DISCOVERY.judgement.wide * table["mean"].abs()]
    if len(wide):
        warn(Notice.of("wide-interval", terms=wide.tolist()), Notice.of("narrow-intervals"))
