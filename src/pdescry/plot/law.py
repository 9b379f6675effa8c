"""What pictures ask of a law, whoever made it: `Law` lies in a room above, because it draws into its run directory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeGuard

from numpy.typing import ArrayLike

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

    from pdescry.data import Readings
    from pdescry.joint import Choice
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


class Drawn(Inferred, Protocol):
    """A `Law`."""

    @property
    def posterior(self) -> Posterior: ...
    @property
    def diagnostics(self) -> Diagnostics: ...
    @property
    def fits(self) -> tuple[Any, ...]: ...  # a `Choice` or `SparseFit` for each field
    @property
    def choice(self) -> Choice | None: ...
    @property
    def coefficients(self) -> pd.DataFrame: ...
    @property
    def forward(self) -> Any: ...  # discovery's `Forward`
    @property
    def found(self) -> bool: ...


def is_posterior(law: Inferred) -> TypeGuard[Posterior]:
    """Whether it is the field alone, which obeys no law."""
    from pdescry.surrogate import Posterior  # loads JAX, which pictures of readings and solutions do without

    return isinstance(law, Posterior)


def is_choice(fit: Any) -> TypeGuard[Choice]:
    """Whether it was inferred together with the field, or else by a regression."""
    from pdescry.joint import Choice

    return isinstance(fit, Choice)
