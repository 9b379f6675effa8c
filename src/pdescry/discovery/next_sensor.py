"""Where the next sensor would add most information on a law, however the law was found; or of the field, where there is
none."""

from __future__ import annotations

from dataclasses import replace

from numpy.typing import ArrayLike

from pdescry.checks import check_whole
from pdescry.cores import one_thread
from pdescry.discovery.inference import Inference
from pdescry.discovery.options import DISCOVERY
from pdescry.errors import InputError
from pdescry.joint.advice import Advice, Sites, advise
from pdescry.joint.information import Belief
from pdescry.notices import Notice


def next_sensor(inference: Inference, n: int, times: ArrayLike | None) -> Advice:
    """As `Law.next_sensor`: in closed form where the method has one, or else by draws."""
    number, experiments = check_whole("number of sensors", n, 1), len(inference.experiments)
    first = (Notice.of("of-first-experiment", experiments=experiments),) if experiments > 1 else ()
    if (advice := inference.next_sensor(number, times)) is not None:
        return replace(advice, notes=(*advice.notes, *first))
    sites = Sites.of(inference.experiments[0], times)
    drawn = inference.sampled(sites.points)
    least = DISCOVERY.judgement.least_draws
    if (draws := len(drawn.fields)) < least:
        raise InputError(
            f"Expected at least {least} draws of the field to judge by; got {draws}; run with more: sampler.draws."
        )
    with one_thread():
        belief = Belief.of_draws(drawn.coefficients, drawn.fields.reshape(draws, -1))
        return advise(belief, sites, drawn.terms, drawn.noise, number, notes=(drawn.note, *first))
