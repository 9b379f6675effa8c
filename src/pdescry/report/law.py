"""What a page requires of a law, beyond what figures require."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from pdescry.notices import Notice
from pdescry.plot.law import Drawn

if TYPE_CHECKING:
    import xarray as xr

    from pdescry.data import Readings
    from pdescry.joint import Advice


class Reported(Drawn, Protocol):
    """A `Law`."""

    @property
    def experiments(self) -> tuple[Readings, ...]: ...
    @property
    def remarks(self) -> tuple[Notice, ...]: ...
    @property
    def warnings(self) -> tuple[Notice, ...]: ...
    @property
    def advice(self) -> tuple[Notice, ...]: ...
    @property
    def settings(self) -> Any: ...  # discovery's `Settings`
    @property
    def command(self) -> str: ...

    def next_sensor(self, n: int = 1) -> Advice: ...

    def simulate(self, times: Any = None, *, x: Any = None, **limits: Any) -> xr.Dataset: ...
