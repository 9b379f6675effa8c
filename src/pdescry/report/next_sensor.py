"""What the page shows of where to put the next sensor."""

from __future__ import annotations

from typing import Any

import numpy as np

from pdescry.errors import InputError
from pdescry.joint import Advice
from pdescry.report.law import Reported
from pdescry.report.numbers import names_of, packed

NUMBER = 3  # sensors that a page advises


def advice_of(law: Reported) -> Advice | None:
    """None along several axes, where the map cannot be drawn, and where there is nothing to judge by."""
    if len(law.readings.axes) > 1:
        return None
    try:
        return law.next_sensor(NUMBER)
    except InputError:  # the page has all the rest
        return None


def map_of(law: Reported, advice: Advice | None) -> dict[str, Any] | None:
    """The root of the information: few readings add so much that nothing else would show beside them."""
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
