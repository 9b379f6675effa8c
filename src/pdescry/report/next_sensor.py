"""The advice on the next sensor in the report."""

from __future__ import annotations

from typing import Any

import numpy as np

from pdescry.errors import InputError
from pdescry.joint import Advice
from pdescry.report.law import Reported
from pdescry.report.numbers import names_of, packed

NUMBER = 3  # sensors that a page advises


def advice_of(law: Reported) -> Advice | None:
    """None along several axes, where the map cannot be drawn, and if there is no basis for advice."""
    if len(law.readings.axes) > 1:
        return None
    try:
        return law.next_sensor(NUMBER)
    except InputError:  # the rest of the page is unaffected
        return None


def map_of(law: Reported, advice: Advice | None) -> dict[str, Any] | None:
    """The square root of the information: otherwise a few readings with much information would dominate the map."""
    if advice is None:
        return None
    time, axis = map(str, advice.map.dims)
    return {
        "names": names_of(law.readings),
        "label": "√ information (√nats a reading)",
        "times": packed(advice.map[time], exact=True),
        "places": packed(advice.map[axis], exact=True),
        "values": packed(np.sqrt(np.maximum(advice.map.to_numpy(), 0))),
        "pins": [float(place) for place in advice.present[:, 0]],
        "advised": [float(place) for place in advice.table[axis]],
    }
