"""`Noise`: what is known of the readings' noise, and how large it is taken to be before they are seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from pdescry.data import Readings
from pdescry.errors import InputError
from pdescry.schema import check_settings, setting
from pdescry.schema.setting import spelled

INFERRED = "inferred"  # where Python says None: "auto" leaves the whole noise to the readings


@dataclass(frozen=True)
class Noise:
    """Noise of the readings.

    Parameters
    ----------
    sd : float, sequence of float, or "readings", optional
        Standard deviation in the field's units: one number; one per field; with ``per="sensor"`` one per sensor;
        "readings" for what they have with them. By default it is inferred.
    per : {"field", "sensor"}
        Whether one number is given or inferred for each field, or one for each field and sensor.
    """

    sd: float | Sequence[float] | Literal["readings"] | None = setting(
        None,
        '"auto": the file\'s own or inferred; "inferred"; "readings"; a number, or one for each field or sensor',
        lambda _, given: _checked(given),
        write=lambda sd: spelled(sd, INFERRED),
    )
    per: Literal["field", "sensor"] = setting(
        "field", '"field" or "sensor": what has a noise of its own', choices=("field", "sensor")
    )

    def __post_init__(self) -> None:
        check_settings(self)

    def known(self, readings: Readings) -> NDArray[np.float64] | None:
        """(f, N) standard deviations in physical units, or None where they are to be inferred."""
        if self.sd is None:
            return None
        if self.sd == "readings":
            if readings.noise is None:
                raise InputError("Expected readings with a known noise; these do not; leave ⟦noise=⟧ out to infer it.")
            return readings.noise.T
        wanted = readings.n_sensors if self.per == "sensor" else len(readings.fields)
        numbers = np.atleast_1d(np.asarray(self.sd, float))
        if len(numbers) not in (1, wanted):
            raise InputError(
                f"Expected one noise sd, or {wanted} (one per {self.per}); got {len(numbers)}; pass that many."
            )
        shape = (len(readings.fields), len(readings))
        if self.per == "sensor" and len(numbers) > 1:
            return np.broadcast_to(numbers[readings.sensor], shape)
        return np.broadcast_to(numbers[:, None], shape)


def _checked(sd: Any) -> Any:
    """A plain tuple or number: comparable, hashable, and the same after a round trip through JSON."""
    if sd is None or (isinstance(sd, str) and sd == "readings"):
        return sd
    try:
        numbers = np.atleast_1d(np.asarray(np.nan if isinstance(sd, bool) else sd, float))
    except (TypeError, ValueError):
        numbers = np.array([np.nan])
    if numbers.ndim != 1 or not (np.isfinite(numbers).all() and (numbers > 0).all()):
        raise InputError(
            f"Expected noise standard deviations above zero; got {sd!r}; leave them out to have them inferred."
        )
    return float(numbers[0]) if np.ndim(sd) == 0 else tuple(map(float, numbers))
