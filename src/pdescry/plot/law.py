"""What figures require of a law: `Law` itself is defined in a higher layer, which draws into its run directory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeGuard

from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    import xarray as xr

    from pdescry.data import Readings
    from pdescry.joint import Comparison
    from pdescry.surrogate import Diagnostics, Posterior


class Inferred(Protocol):
    """A field that was inferred from readings: a `Law`, a `Posterior`, or a `JointFit`."""

    @property
    def readings(self) -> Readings: ...
    @property
    def reach(self) -> dict[str, tuple[float, float]]: ...

    def predict(
        self, t: ArrayLike, *places: ArrayLike, level: float = 0.95, noise: bool = False, grid: bool = True
    ) -> xr.Dataset: ...


class Found(Protocol):
    """What figures and pages require of a method's result: discovery's `Inference`."""

    @property
    def how(self) -> str: ...
    @property
    def obeys_law(self) -> bool: ...
    @property
    def about_chains(self) -> str: ...

    def of(self, experiment: int) -> Inferred: ...
    def ranking(self, field: str) -> pd.DataFrame: ...
    def residuals(self, field: str) -> NDArray[np.float64]: ...


class Drawn(Inferred, Protocol):
    """A `Law`."""

    @property
    def inference(self) -> Found: ...
    @property
    def posterior(self) -> Posterior | None: ...
    @property
    def diagnostics(self) -> Diagnostics | None: ...
    @property
    def fits(self) -> tuple[Any, ...]: ...  # discovery's `Fit`, for each field
    @property
    def comparison(self) -> Comparison | None: ...
    @property
    def coefficients(self) -> pd.DataFrame: ...
    @property
    def forward(self) -> Any: ...  # discovery's `Forward`
    @property
    def found(self) -> bool: ...


def is_posterior(law: Inferred) -> TypeGuard[Posterior]:
    """Whether it is the field alone, without a law."""
    from pdescry.surrogate import Posterior  # loads pandas, which figures of solutions do not need

    return isinstance(law, Posterior)
