"""`TwoStage`: the law from derivatives of a sampled field, by a sparse regression."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from pdescry.data import Readings
from pdescry.derivatives import Derivatives
from pdescry.equation import Term
from pdescry.equation import candidates as library
from pdescry.errors import InputError
from pdescry.executor import Engine
from pdescry.notices import Notice
from pdescry.regression import REGRESSORS
from pdescry.surrogate import MCLMC, Diagnostics
from pdescry.surrogate.scaling import Scaling
from pdescry.two_stage.inference import Regressed, load_fits, write_fits
from pdescry.two_stage.network import FILES, LATER, Run, Watch, check_network, numbered
from pdescry.two_stage.options import TWO_STAGE

if TYPE_CHECKING:
    from pdescry.derivatives.differentiation import Differentiation
    from pdescry.regression import SparseRegressor

LONG = MCLMC()  # for a regression, which depends on the draws


@dataclass(frozen=True, eq=False)
class TwoStage:
    """options: the regression, with its settings. A `Method` (``discovery/method.py``)."""

    options: SparseRegressor
    candidates: tuple[Term, ...]
    note: Notice | None = None

    kinds: ClassVar[Mapping[str, type]] = REGRESSORS
    usual: ClassVar[tuple[str, Mapping[str, Any]]] = ("sequential_ridge", {"threshold": 0.1})
    takes: ClassVar[str] = "readings of one experiment"
    shares_laws: ClassVar[bool] = False
    asks_readings_for_noise: ClassVar[bool] = False
    files: ClassVar[tuple[str, ...]] = ("derivatives.nc", "fit.json")
    files_of_each: ClassVar[tuple[str, ...]] = FILES
    result: ClassVar[str] = "fit.json"

    @staticmethod
    def check_options(options: SparseRegressor) -> None:
        options.check()

    @staticmethod
    def candidates_of(settings: Any, experiments: Sequence[Readings]) -> tuple[Term, ...]:
        readings, source = experiments[0], "small" if settings.candidates is None else settings.candidates
        if isinstance(source, Mapping):
            raise InputError("Expected one list of candidates for a regression; got lists by field; pass one list.")
        return library(source, fields=readings.fields, axes=readings.axes, time_order=settings.time_order or 1)

    @staticmethod
    def obstacle(settings: Any, experiments: Sequence[Readings]) -> str:
        """Nothing: any number of fields and axes is possible."""
        return ""

    @staticmethod
    def prepared(settings: Any, said: Collection[str] = ()) -> Any:
        """Longer chains than the default's, except for what the user chose."""
        sampler = settings.sampler
        if settings.preset != "default" or not isinstance(sampler, MCLMC) or "sampler" in said:
            return settings
        chosen = {each.name: getattr(sampler, each.name) for each in fields(LONG) if f"sampler.{each.name}" in said}
        chains = settings.chains if "field.chains" in said else TWO_STAGE.chains
        return replace(settings, sampler=replace(LONG, **chosen), chains=chains)

    def check(self, settings: Any, experiments: Sequence[Readings]) -> None:
        check_network(settings, experiments)
        if any(each.inputs for each in experiments):
            raise InputError(
                "Expected readings without known inputs for a regression on derivatives; leave the method out, or "
                "the inputs."
            )

    def infer(self, run: Run, engine: Engine, watch: Watch, sample: Callable[..., Any]) -> Regressed:
        """Derivatives are computed on idle cores while the field is sampled."""
        from pdescry.regression import regress

        differentiation = self._differentiation(run)
        (posterior,) = sample(differentiation.add)
        derivatives = run.staged(
            "derivatives", run.path / "derivatives.nc", Derivatives.load,
            lambda: differentiation.finish(posterior, engine.workers, watch("derivatives")),
        )  # fmt: skip
        watch("law")("regressing", 0.0, None)
        (readings,), path = run.experiments, run.path / "fit.json"
        if not path.exists():
            write_fits(path, [regress(derivatives, self.options, name) for name in readings.fields])
        return Regressed(posterior, derivatives, load_fits(path, readings))

    def _differentiation(self, run: Run) -> Differentiation:
        from pdescry.derivatives.differentiation import Differentiation

        settings, (readings,) = run.settings, run.experiments
        return Differentiation(
            readings,
            Scaling.of(readings, settings.standardise),
            self.candidates,
            time_order=settings.time_order or 1,
            points=settings.points,
            within=settings.within,
            keep_points=settings.keep_points,
            keep_draws=settings.keep_draws if settings.keep_points else None,
            seed=settings.seed,
        )

    @staticmethod
    def unchanged(sections: Collection[str], experiments: int) -> set[str]:
        if set(sections) - LATER:
            return set()
        kept = {numbered(name, number) for name in FILES for number in range(experiments)}
        return kept if set(sections) - {"regression"} else kept | {"derivatives.nc"}

    @staticmethod
    def load(folder: Path, experiments: Sequence[Readings], diagnostics: Diagnostics | None) -> Regressed:
        return Regressed.load(folder, experiments, diagnostics)
