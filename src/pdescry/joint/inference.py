"""The joint method behind the interfaces of `discover` and `Law`: `JointMethod`, `JointInference` around `choose` and
`Choice`.

The protocols are documented in ``discovery/method.py`` and ``discovery/inference.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Protocol

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import ArrayLike, NDArray

from pdescry.data import Readings
from pdescry.equation import Equation
from pdescry.errors import PdescryError
from pdescry.executor import Engine, load_here
from pdescry.joint.advice import Advice
from pdescry.joint.choice import Choice, Comparison, FieldLaw
from pdescry.joint.choose import Joint, choose
from pdescry.joint.claims import notices_of
from pdescry.joint.field.axis import Array
from pdescry.joint.field.free import FreeField
from pdescry.joint.field.sampled import SampledField
from pdescry.joint.joint_field import JointField
from pdescry.joint.joint_fit import JointFit
from pdescry.joint.left_out import left_out, some_sensors
from pdescry.joint.options import ANSWER
from pdescry.joint.search.varying import Vary
from pdescry.joint.sensors.against_law import without
from pdescry.notices import Notice, stored
from pdescry.problem import HIGHEST, MOST_AXES, Problem
from pdescry.progress import Progress


class Run(Protocol):
    """What the method requires of a run directory (``discovery/run.py``)."""

    @property
    def path(self) -> Path: ...
    @property
    def experiments(self) -> tuple[Readings, ...]: ...
    @property
    def settings(self) -> Any: ...  # discovery's `Settings`

    def log(self, sentence: str) -> None: ...
    def staged(self, name: str, path: Path, load: Callable[[Path], Any], make: Callable[[], Any]) -> Any: ...


# ---- the method ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class JointMethod:
    """Fields and law inferred together, starting from smooth processes."""

    options: Joint
    candidates: Any = None
    note: Notice | None = None

    kinds: ClassVar[Mapping[str, type]] = {"joint": Joint}
    usual: ClassVar[tuple[str, Mapping[str, Any]]] = ("joint", {})
    takes: ClassVar[str] = f"readings along one or two axes, and derivatives of at most order {HIGHEST}"
    shares_laws: ClassVar[bool] = True
    asks_readings_for_noise: ClassVar[bool] = True
    files: ClassVar[tuple[str, ...]] = ("joint.nc",)
    files_of_each: ClassVar[tuple[str, ...]] = ()
    result: ClassVar[str] = "joint.nc"

    @staticmethod
    def check_options(options: Joint) -> None:
        """`Joint` checks its settings itself."""

    @staticmethod
    def candidates_of(settings: Any, experiments: Sequence[Readings]) -> Any:
        """Unchanged: the problem parses them."""
        return settings.candidates

    @staticmethod
    def obstacle(settings: Any, experiments: Sequence[Readings]) -> str:
        axes = experiments[0].axes
        return f"there are {len(axes)} axes ({', '.join(axes)})" if len(axes) > MOST_AXES else ""

    @staticmethod
    def prepared(settings: Any, said: Collection[str] = ()) -> Any:
        """Unchanged: no chains are sampled."""
        return settings

    def check(self, settings: Any, experiments: Sequence[Readings]) -> None:
        problem = Problem.of(
            experiments,
            self.candidates,
            time_order=settings.time_order or "auto",
            known=self.options.known,
            boundary=self.options.boundary,
            domain=self.options.domain,
        )
        Vary.of(self.options.vary, problem)
        if settings.noise is not None:
            for each in experiments:
                settings.noise.known(each)

    def infer(
        self, run: Run, engine: Engine, watch: Callable[[str], Progress], sample: Callable[..., Any]
    ) -> JointInference:
        def another_start() -> Sequence[SampledField]:
            run.log(
                "The readings change smoothly in time, but suggest no law yet: starting again from trained networks."
            )
            try:
                return sample(trained=True)
            except PdescryError as fault:
                run.log(f"They could not be trained: {fault}")
                raise

        load_here("xarray", "h5netcdf")  # while fits run elsewhere
        choice = run.staged(
            "fit",
            run.path / "joint.nc",
            lambda path: Choice.load(path, run.experiments),
            lambda: choose(
                run.experiments,
                self.candidates,
                self.options,
                time_order=run.settings.time_order or "auto",
                workers=engine.workers,
                executor=engine.executor,
                progress=watch("fit"),
                train=another_start,
                leave_out=run.settings.faults == "leave_out" and run.settings.noise is None,
            ),
        )
        return JointInference(choice, _experiments_of(choice, run.experiments))

    @staticmethod
    def unchanged(sections: Collection[str], experiments: int) -> set[str]:
        return set()

    @staticmethod
    def load(folder: Path, experiments: Sequence[Readings], diagnostics: Any) -> JointInference:
        choice = Choice.load(folder / "joint.nc", experiments)
        return JointInference(choice, _experiments_of(choice, experiments))


def _experiments_of(choice: Choice, experiments: Sequence[Readings]) -> tuple[Readings, ...]:
    """Without sensors that the choice left out."""
    for fault in choice.left_out:
        experiments = [without(each, fault) for each in experiments]
    return tuple(experiments)


# ---- what comes out --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class JointInference:
    """experiments: the readings of each, with all their fields."""

    choice: Choice
    experiments: tuple[Readings, ...]

    how = "fields and law were inferred together"
    about_chains = ""

    @property
    def fit(self) -> JointFit:
        """The fit of the best law, or of the best guess if none was found."""
        return self.choice.fit

    @property
    def fits(self) -> tuple[FieldLaw, ...]:
        return self.choice.laws

    @property
    def obeys_law(self) -> bool:
        """Whether any field has a law; fields without one are not in the fit."""
        return any(fit.support.any() for fit in self.fits)

    @property
    def comparison(self) -> Comparison:
        return self.choice.comparison

    @property
    def remarks(self) -> tuple[Notice, ...]:
        return self.choice.remarks

    @property
    def posteriors(self) -> tuple[()]:
        return ()

    @property
    def diagnostics(self) -> None:
        return None

    @property
    def _kept(self) -> list[int]:
        """Indices of the fit's coefficients that are in a law that was found, equation by equation."""
        return [k for law in self.fits if law.support.any() for k in self.fit.rows_of(law.field)]

    @property
    def covariance(self) -> Array:
        return self.fit.covariance[np.ix_(self._kept, self._kept)]

    def draw_coefficients(self, number: int, seed: int = 0) -> Array:
        random = np.random.default_rng([seed, 17])
        return random.multivariate_normal(self.fit.values[self._kept], self.covariance, number, method="svd")

    # ---- the fields ------------------------------------------------------------------------------------------------

    @property
    def reach(self) -> dict[str, tuple[float, float]]:
        return self.of(0).reach

    def predict(
        self,
        t: ArrayLike,
        *places: ArrayLike,
        level: float = 0.95,
        noise: bool = False,
        grid: bool = True,
        experiment: int = 0,
    ) -> xr.Dataset:
        return self.of(experiment).predict(t, *places, level=level, noise=noise, grid=grid)

    def of(self, experiment: int) -> JointFit | FreeField | PartlyFree:
        fit = self.fit.of(experiment)
        if not self.obeys_law:
            return self._free(experiment, self.choice.fields)
        silent = [name for name in self.choice.fields if name not in fit.fields]
        return PartlyFree(fit, self._free(experiment, silent)) if silent else fit

    def _free(self, experiment: int, fields: Sequence[str]) -> FreeField:
        named = zip(self.choice.fields, self.choice.processes, strict=True)
        return FreeField(tuple(own[experiment] for name, own in named if name in fields))

    @property
    def free_field(self) -> FreeField:
        return self._free(0, self.choice.fields)

    @property
    def field(self) -> JointField:
        return JointField(self.fit, self.fit.state)

    @property
    def noise(self) -> dict[str, dict[str, float | None]]:
        named = zip(self.choice.fields, self.choice.processes, strict=True)
        found = {name: own[0].noise for name, own in named}
        if self.obeys_law:
            found |= dict(zip(self.fit.fields, map(float, self.fit.noise), strict=True))
        return {name: {"mean": sd, "sd": None} for name, sd in found.items()}

    def residuals(self, field: str) -> Array:
        fit, number = self.fit, self.choice.fields.index(field)
        if self.obeys_law and field in fit.fields:
            mine = fit.experiment.observations.field == fit.fields.index(field)
            return fit.experiment.misfit(fit.state)[mine]
        readings, process = self.experiments[0], self.choice.processes[number][0]
        own = np.flatnonzero(readings.observed[:, number])
        points = np.column_stack([readings.space[own], readings.time[own]])
        return (readings.values[own, number] - process.at(points)[0]) / process.noise

    # ---- draws -----------------------------------------------------------------------------------------------------

    def draw_laws(self, number: int, seed: int = 0) -> list[tuple[JointField, Equation]]:
        for law in self.fits:
            _ = law.component  # raises an error if there is no law
        return _drawn(self.fit, number, seed)

    def next_sensor(self, n: int, times: ArrayLike | None) -> Advice | None:
        return self.fit.next_sensor(n, times) if self.obeys_law else None

    def sampled(self, points: Array) -> FieldDraws:
        free = self.free_field
        fields = free.draws(np.roll(points, -1, axis=1), ANSWER.forward.draws_without_law)
        return FieldDraws(
            np.zeros((ANSWER.forward.draws_without_law, 0)),
            fields,
            np.array([each.noise for each in free.processes]),
            [],
            Notice.of("next-without-law"),
        )

    def left_out(self, draws: int, seed: int = 0) -> LeftOutDraws | Notice:
        observed = self.fit.experiment.observations
        readings, sensors = observed.readings, some_sensors(observed, self.field.rectangle)
        if readings.n_sensors < ANSWER.forward.least_sensors:
            return Notice.of("too-few-to-hold-out", sensors=readings.n_sensors, enough=ANSWER.forward.least_sensors)
        if not sensors:
            return Notice.of("none-to-hold-out")
        try:
            without = left_out(self.fit, sensors)
            laws = _drawn(without.fit, draws, seed)
        except np.linalg.LinAlgError:
            return Notice.of("not-fitted-without")
        rows = np.isin(readings.sensor, sensors)
        spread = np.full(readings.values.shape, np.nan)
        spread[observed.row[without.rows], observed.field[without.rows]] = without.noise_sd
        noise = dict(zip(without.fit.fields, map(float, without.fit.noise), strict=True))
        return LeftOutDraws(laws, rows, spread[rows], noise)

    # ---- in words --------------------------------------------------------------------------------------------------

    def judge(self, warn: Callable[..., None]) -> None:
        silent = list(self.comparison.reasons)
        if len(claims := self.comparison.claims):
            remedy = Notice.of("check-claims", law=claims["law"].iloc[0])
            for notice in notices_of(claims):
                warn(notice, remedy)
        if len(silent) == len(self.choice.fields):
            warn(Notice.of("law-not-determined"), Notice.of("see-more"))
        elif silent:
            warn(Notice.of("some-laws-not-determined", fields=silent), Notice.of("look-at-readings", fields=silent))
        if self.comparison.near and not silent:
            warn(Notice.of("other-laws"), Notice.of("say-what-you-know"))
        if self.comparison.other_order:
            warn(self.comparison.other_order, Notice.of("say-which-order"))
        for note in self.choice.notes:
            warn(note)

    def ranking(self, field: str) -> pd.DataFrame:
        """The effect of each candidate (`single_term_changes`)."""
        table: Any = self.comparison.single_term_changes
        if table.empty:
            return table
        own = table[table["field"] == field].drop(columns="field")
        return own.sort_values(["kept", "score"], ascending=[False, False], kind="stable")

    # ---- keeping it ------------------------------------------------------------------------------------------------

    def facts(self) -> dict[str, Any]:
        """Comparison with other laws and no law, scored by log densities of held-out sensors; offsets of sensors."""
        comparison, fit = self.comparison, self.fit
        offsets, calibration = (
            [
                ({"experiment": number} if fit.n_experiments > 1 else {}) | row
                for number in range(fit.n_experiments)
                for row in getattr(fit.of(number), table).to_dict(orient="records")
            ]
            for table in ("offsets", "calibration")
        )
        rms_error, expected = comparison.errors
        sensors = comparison.held_out.to_dict(orient="records")
        return {
            "time_orders": dict(zip(fit.fields, fit.orders, strict=True)),
            "alternatives": comparison.alternatives.to_dict(orient="records"),
            "probabilities": comparison.probabilities.to_dict(orient="records"),
            "single_term_changes": comparison.single_term_changes.to_dict(orient="records"),
            "claims": comparison.claims.to_dict(orient="records"),
            "held_out": {"rms_error": rms_error, "expected": expected, "sensors": sensors},
            "baselines": comparison.baselines,
            "reasons": {field: reason.to_dict() for field, reason in comparison.reasons.items()},
            "profiles": comparison.profiles.to_dict(orient="records"),
            "variation": stored(comparison.variation),
            "offsets": offsets,
            "calibration": calibration,
        }

    def facts_of(self, experiment: int) -> dict[str, Any]:
        noise = self.fit.of(experiment).noise
        return {"noise": {name: float(sd) for name, sd in zip(self.fit.fields, noise, strict=True)}}

    def save(self, folder: Path) -> None:
        self.choice.save(folder / "joint.nc")


@dataclass(frozen=True, eq=False)
class PartlyFree:
    """Fields with a law, and others without."""

    fit: JointFit
    free: FreeField

    @property
    def readings(self) -> Readings:
        return self.free.readings

    @property
    def reach(self) -> dict[str, tuple[float, float]]:
        return self.fit.reach

    def predict(self, t: ArrayLike, *places: ArrayLike, **asked: Any) -> xr.Dataset:
        return self.fit.predict(t, *places, **asked).merge(self.free.predict(t, *places, **asked))


@dataclass(frozen=True, eq=False)
class FieldDraws:
    """Draws of fields alone: coefficients (S, 0), fields (S, F, P), noise (F,), no terms, and a note on their use."""

    coefficients: Array
    fields: Array
    noise: Array
    terms: list[str]
    note: Notice


@dataclass(frozen=True, eq=False)
class LeftOutDraws:
    """laws: of a fit without some sensors. rows: (N,) which readings are theirs. noise_sd: (left out, F), sds of their
    readings about the fields. noise: of each field, rms, of the other readings."""

    laws: list[tuple[JointField, Equation]]
    rows: NDArray[np.bool_]
    noise_sd: Array
    noise: dict[str, float]


def _drawn(fit: JointFit, number: int, seed: int) -> list[tuple[JointField, Equation]]:
    """Draws of the coefficients with corresponding fields."""
    return [
        (JointField(fit, state), fit.problem.equation(dict(zip(fit.terms, map(float, values), strict=True))))
        for values, state in zip(*fit.draw(number, seed, bounded=True), strict=True)
    ]
