"""How far to trust a law, in one sentence."""

from __future__ import annotations

import math

from pdescry.report.law import Reported

SURE = 0.95  # probability of each term
AS_EXPECTED = 1.3  # times the expected error


def how_far_to_trust(law: Reported) -> tuple[bool, str]:
    """Whether nothing contradicts it, and the sentence."""
    if not law.found:
        return False, "The readings do not determine a law; they do determine the field between the sensors."
    if law.comparison is None:
        kinds = " and ".join(sorted(set(law.coefficients["spread"])))
        return False, (
            f"Take the terms as a proposal: {law.inference.how}, and gives them no probability; intervals are {kinds}."
        )
    if len(law.comparison.claims):
        return False, "Check what you said of its terms before you rely on it: the readings favour another law."
    if law.remarks:
        probability = float(law.comparison.alternatives["probability"].iloc[0])
        return False, (
            f"Take it as the likeliest of several laws (probability {probability:.2f}): others explain the readings "
            "about as well."
        )
    score = law.forward.score
    # Leave-one-sensor-out errors, and those of sensors predicted by the law solved forward.
    several = len(law.readings.fields) > 1
    errors = [(f" in {name}" * several, *law.comparison.errors_of(name)) for name in law.readings.fields]
    errors += [] if score is None else [(f" in {score.worst}" * several, score.rms_error, score.expected)]
    for where, error, expected in errors:
        if error > AS_EXPECTED * expected:
            return False, (
                f"Trust the terms more than the digits: held-out sensors are missed{where} by {error:.2g}, where "
                f"{expected:.2g} was expected."
            )
    if law.warnings:
        return False, "Read the warnings before you rely on it: they may touch what you need."
    predicted, (where, error, expected) = "", errors[-1]
    if math.isfinite(error):
        predicted = f", and held-out sensors are predicted{where} to within {error:.2g}, as expected ({expected:.2g})"
    least = float(law.coefficients["probability"].to_numpy(float).min())
    if least < SURE:
        return False, f"Trust it with care: its least sure term is there with probability {least:.2f}{predicted}."
    return True, (
        "Trust it between the sensors and at the times that were read: each term is there with probability "
        f"{_at_least(least)}{predicted}."
    )


def _at_least(probability: float) -> str:
    """Limited, because laws outside the candidates are not included."""
    return "0.99 or more" if probability >= 0.99 else f"{probability:.2f} or more"
