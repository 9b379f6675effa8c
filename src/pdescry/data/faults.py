"""`SensorFault`: what is wrong with a sensor or with some of its readings, as a value; its sentence is made here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

Kind = Literal["outliers", "constant", "drift", "steps"]
NAMED = 3  # sensors that a sentence names; of more it tells how many


@dataclass(frozen=True)
class SensorFault:
    """A fault of one field's readings.

    Parameters
    ----------
    kind
        "outliers": single readings that are far out. "constant": a sensor reads the same number while the field around
        it changes. "drift": a sensor's readings leave the field at a constant rate. "steps": a converter's steps exceed
        the noise.
    field
        The field that was read.
    sensors
        Names of the sensors, or their numbers as texts where they have no names. Two that drift: either of them.
    left_out
        Whether the readings in question were left out.
    readings
        How many they are.
    value
        "constant": the number. "drift": the rate, per unit of time. "steps": the step.
    since
        "constant": the time from which on, or None: throughout.
    everywhere
        Whether it concerns every sensor.
    outermost
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
        """Without what is not told; ``SensorFault(**…)`` reads it."""
        told = {name: value for name, value in asdict(self).items() if value is not None}
        return told | {"sensors": list(self.sensors)}

    def sentence(self, units: Mapping[str, str] | None = None, time: str = "t") -> str:
        """For the user. units: of time and fields, by their names."""
        units = units or {}
        unit = f" {units[self.field]}" if self.field in units else ""
        clock = f" {units[time]}" if time in units else ""
        who = _listed(self.sensors)
        match self.kind:
            case "outliers":
                noun = "reading" if self.readings == 1 else "readings"
                are = "is an outlier" if self.readings == 1 else "are outliers"
                of = who if len(self.sensors) <= NAMED else f"{len(self.sensors)} sensors"
                end = f"{'was' if self.readings == 1 else 'were'} left out" if self.left_out else "kept"
                return f"{self.readings} {noun} of {self.field} {are} (of {_inside(of)}) and {end}."
            case "constant":
                reads = f"{who} reads {self.field} = {_short(self.value)}{unit}"
                when = " throughout" if self.since is None else f" from {time} = {_short(self.since)}{clock} on"
                return f"{reads}{when}{self._treated(self.since is not None)}"
            case "drift":
                rate = f"{_short(self.value)}{unit} per {units.get(time, 'unit of ' + time)}"
                if len(self.sensors) > 1:
                    first, other = (_inside(_listed([name])) for name in self.sensors)
                    return f"Either {first} or {other} drifts (the first, by {rate} in {self.field}); both were kept."
                return f"{who} drifts by {rate} in {self.field}{self._treated(False)}"
            case _:
                where = "all sensors" if self.everywhere else _inside(who) if len(self.sensors) <= NAMED else ""
                where = where or f"{len(self.sensors)} sensors"
                return f"{self.field} changes in steps of {_short(self.value)}{unit} at {where}, larger than the noise."

    def _treated(self, partly: bool) -> str:
        if self.left_out:
            return f"; these {self.readings} readings were left out." if partly else " and was left out."
        if self.outermost:
            return "; it is outermost, where that may be so, and was kept."
        return f"; it was kept: leave it out with without=[{self.sensors[0]!r}] if it is broken."


def _listed(names: Sequence[str]) -> str:
    called = [f"Sensor {name}" if name.isdecimal() else name for name in names]
    return " and ".join([", ".join(called[:-1]), called[-1]]) if len(called) > 1 else called[0]


def _inside(who: str) -> str:
    """Within a sentence."""
    return who.replace("Sensor ", "sensor ")


def _short(number: float | None) -> str:
    return f"{number:.4g}".replace("-", "−")
