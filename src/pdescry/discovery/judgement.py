"""What to warn of, and what to try next, in sentences."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from pdescry.data import Readings
from pdescry.discovery.forward import Forward
from pdescry.regression import SparseFit
from pdescry.regression.estimator import NOTHING
from pdescry.surrogate import Diagnostics, Posterior

WIDE = 0.5  # an sd of more than half its coefficient
READINGS_A_TERM = 20
FAR = 0.5  # a forward solution off by more than half the readings' sd

Warn = Callable[..., None]  # a sentence, and perhaps a remedy


def judge(
    posterior: Posterior, diagnostics: Diagnostics, fits: Sequence[SparseFit], forward: Forward
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Warnings, and advice in the order in which it helps most."""
    warnings: list[str] = []
    advice: list[str] = []

    def warn(sentence: str, remedy: str = "") -> None:
        warnings.append(sentence)
        if remedy and remedy not in advice:
            advice.append(remedy)

    if not diagnostics.mixed:
        warn(
            f"The draws of the field are not to be relied on: {diagnostics.verdict}",
            "Sample longer: sampler.draws and sampler.thin twice as large.",
        )
    for sentence in posterior.left_out:
        warn(sentence)
    _judge_number(posterior.readings, fits, warn)
    for fit in fits:
        _judge_fit(fit, warn)
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
    elif forward.misfit > FAR:
        warn(
            f"Solved forward ({forward.boundary}), the law leaves the field by {forward.misfit:.2g} of the readings' "
            "sd (rms): the law, or these ends, are not right.",
            "Solve it with the boundary conditions that you know: law.simulate(boundary=…, domain=…).",
        )
    return tuple(dict.fromkeys(warnings)), tuple(advice)


def _judge_number(readings: Readings, fits: Sequence[SparseFit], warn: Warn) -> None:
    n_terms = len(fits[0].terms)
    if len(readings) < READINGS_A_TERM * n_terms:
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


def _judge_fit(fit: SparseFit, warn: Warn) -> None:
    if fit.outcome == NOTHING:
        warn(
            f"No candidate is left for {fit.field}_{'t' * fit.time_order}: none stands out against the others.",
            "Try a lower threshold, or other candidates: the draws of the field are kept when a run is overwritten.",
        )
        return
    for note in fit.notes:
        warn(note)
    kept = fit.coefficients[fit.support]
    sds = fit.formal_sd[fit.support] if fit.spread is None else fit.spread.sd
    wide = [
        str(term)
        for term, value, sd in zip(np.array(fit.terms, object)[fit.support], kept, sds, strict=True)
        if sd > WIDE * abs(value)
    ]
    if wide:
        warn(
            f"The interval of {', '.join(wide)} is wide: its sd is more than half of the coefficient.",
            "More sensors, or less noise, narrow intervals most where the field bends most.",
        )
