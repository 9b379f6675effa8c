"""`SensorFault`: what is wrong with a sensor or with some of its readings, and the `Notice` that describes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from pdescry.notices import Notice

Kind = Literal["outliers", "constant", "drift", "steps"]
NAMED = 3  # sensors that a notice names; of more it gives the number


@dataclass(frozen=True)
class SensorFault:
    """A fault of one field's readings.

    Parameters
    ----------
    kind : {"outliers", "constant", "drift", "steps"}
        "outliers": single readings that are far out. "constant": a sensor reads the same number while the field around
        it changes. "drift": a sensor's readings leave the field at a constant rate. "steps": a converter's steps exceed
        the noise.
    field : str
        The field that was read.
    sensors : tuple of str
        Names of the sensors, or their numbers as texts where they have no names. Two that drift: either of them.
    left_out : bool
        Whether the readings in question were left out.
    readings : int
        How many they are.
    value : float, optional
        "constant": the number. "drift": the rate, per unit of time. "steps": the step.
    since : float, optional
        "constant": the time from which on, or None: throughout.
    everywhere : bool
        Whether it concerns every sensor.
    outermost : bool
        "constant": whether the sensor does not lie between others. It may be right: an end that is held.
    """

    kind: Kind
    field: str
    sensors: tuple[str, ...]
    left_out: bool
    readings: int
    value: float | None = None
    since: float | None = None
    everywhere: bool = False
    outermost: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "sensors", tuple(self.sensors))

    @property
    def is_warning(self) -> bool:
        """Whether to look at it before relying on what comes out; else it is a note."""
        if self.kind == "outliers":
            return not self.left_out
        return self.kind == "drift" or (self.kind == "constant" and not self.outermost)

    def to_dict(self) -> dict[str, Any]:
        """Without entries that are None; ``SensorFault(**…)`` reads it."""
        given = {name: value for name, value in asdict(self).items() if value is not None}
        return given | {"sensors": list(self.sensors)}

    def notice(self, units: Mapping[str, str] | None = None, time: str = "t") -> Notice:
        """The fault in words, for the user.

        Parameters
        ----------
        units : mapping of str to str, optional
            Of time and fields, by their names.
        time : str
            Name of time.

        Returns
        -------
        Notice
        """
        units = units or {}
        unit, clock = units.get(self.field), units.get(time)
        named = len(self.sensors) <= NAMED and not self.everywhere
        who = {"sensors": self.sensors if named else None, "many": None if named else len(self.sensors)}
        match self.kind:
            case "outliers":
                code = "outliers-left-out" if self.left_out else "outliers-kept"
                return Notice.of(code, field=self.field, readings=self.readings, **who)
            case "constant":
                return Notice.of(
                    f"constant-{self._treated}", sensor=self.sensors[0], field=self.field, value=self.value, unit=unit,
                    since=self.since, time=time, clock=clock,
                    **{"readings": self.readings} if self._treated == "partly-left-out" else {},
                )  # fmt: skip
            case "drift":
                parameters = {
                    "rate": self.value,
                    "unit": unit,
                    "clock": clock or f"unit of {time}",
                    "field": self.field,
                }
                first, *others = self.sensors
                if others:
                    return Notice.of("drift-of-either", first=first, other=others[0], **parameters)
                return Notice.of("drift-left-out" if self.left_out else "drift-kept", sensor=first, **parameters)
            case _:
                who = who if not self.everywhere else {}
                return Notice.of(
                    "coarse-steps", field=self.field, step=self.value, unit=unit, everywhere=self.everywhere, **who
                )

    @property
    def _treated(self) -> str:
        if self.left_out:
            return "left-out" if self.since is None else "partly-left-out"
        return "outermost" if self.outermost else "kept"
