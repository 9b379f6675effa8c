"""The joint method as `discover` and `Law` ask for it: `JointMethod`, `JointInference` around `choose` and `Choice`.

What they have to offer is said in ``discovery/method.py`` and ``discovery/inference.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import xarray as xr
from numpy.polynomial import Chebyshev
from numpy.typing import ArrayLike, NDArray

from pdescry.data import Readings
from pdescry.equation import Equation, Term
from pdescry.equation.equation import Component
from pdescry.equation.term import Derivative, Factor
from pdescry.errors import InputError
from pdescry.joint.advice import Advice
from pdescry.joint.choice import Choice, Comparison
from pdescry.joint.choose import Joint, choose
from pdescry.joint.ends import ends_of
from pdescry.joint.fit import JointFit, check_alike
from pdescry.joint.known import Known
from pdescry.joint.left_out import left_out, some_sensors
from pdescry.joint.mesh import HIGHEST
from pdescry.joint.objective import order_of
from pdescry.joint.splines import Array
from pdescry.surrogate import Diagnostics, Posterior
from pdescry.two_stage.draws import Draws, field_alone
from pdescry.two_stage.fields import NODES, STATES, NetworkField, nodes, polynomial
from pdescry.two_stage.inference import NO_LAW
from pdescry.two_stage.network import (
    FILES,
    LATER,
    Run,
    Watch,
    check_network,
    judge_draws,
    load_posteriors,
    noise_of,
    numbered,
    sampled,
    save_posteriors,
    staged,
)

SHORTEST = 160  # degree by which waves have died away in a profile of the field that obeys the law
FEWEST_SENSORS = 5
KNOWN = 'regression.known = ["u_xx > 0"]'


# ---- the method ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class JointMethod:
    """Field and law together, begun from the mean of a sampled network."""

    options: Joint
    candidates: tuple[Term, ...]
    note: str = ""

    kinds: ClassVar[dict[str, type]] = {"joint": Joint}
    usual: ClassVar[tuple[str, Joint]] = ("joint", Joint())
    library: ClassVar[str] = "general"
    takes: ClassVar[str] = (
        f"one field along one axis, a law of first order in time, and derivatives of at most order {HIGHEST}"
    )
    shares_laws: ClassVar[bool] = True
    asks_readings_for_noise: ClassVar[bool] = True
    files: ClassVar[tuple[str, ...]] = ("joint.nc",)
    files_of_each: ClassVar[tuple[str, ...]] = FILES
    result: ClassVar[str] = "joint.nc"

    @staticmethod
    def check_options(options: Joint) -> None:
        """`Joint` has looked at its settings itself."""

    @staticmethod
    def obstacle(settings: Any, experiments: Sequence[Readings], candidates: Sequence[Term]) -> str:
        readings = experiments[0]
        if len(readings.fields) > 1:
            return f"there are {len(readings.fields)} fields ({', '.join(readings.fields)})"
        if len(readings.axes) > 1:
            return f"there are {len(readings.axes)} axes ({', '.join(readings.axes)})"
        if settings.time_order > 1:
            return f"the law is of order {settings.time_order} in time"
        if (highest := order_of(tuple(candidates))) > HIGHEST:
            return f"a candidate is of order {highest}"
        return ""

    @staticmethod
    def prepared(settings: Any, said: Collection[str] = ()) -> Any:
        """As they are: short chains are enough to begin from."""
        return settings

    def check(self, settings: Any, experiments: Sequence[Readings]) -> None:
        check_network(settings, experiments)
        check_alike(experiments)
        Known.of(self.options.known, self.candidates, experiments[0])
        ends_of(self.options.boundary, self.options.domain, experiments)

    def infer(self, run: Run, carried: bool, workers: int | None, watch: Watch) -> JointInference:
        posteriors = sampled(run, workers, watch, carried)
        choice = staged(
            run, "fit", run.path / "joint.nc", lambda path: Choice.load(path, run.experiments),
            lambda: choose(posteriors, self.candidates, self.options, workers=workers, progress=watch("fit")),
        )  # fmt: skip
        return JointInference(choice, posteriors)

    @staticmethod
    def unchanged(sections: Collection[str], experiments: int) -> set[str]:
        if set(sections) - LATER:
            return set()
        return {numbered(name, number) for name in FILES for number in range(experiments)}

    @staticmethod
    def load(folder: Path, experiments: Sequence[Readings], diagnostics: Diagnostics | None) -> JointInference:
        there = (folder / "posterior.nc").exists()
        posteriors = load_posteriors(folder, experiments, diagnostics) if there else ()
        return JointInference(Choice.load(folder / "joint.nc", experiments), posteriors)


# ---- what comes out --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class JointInference:
    """posteriors: the network of each experiment from which the fit began, if one was sampled."""

    choice: Choice
    posteriors: tuple[Posterior, ...] = ()

    how = "field and law were inferred together"
    about_chains = (
        "The chains only say where to begin from: field and law were inferred together afterwards, so they need not be "
        "mixed."
    )

    @property
    def fit(self) -> JointFit:
        """Of the best law, or the best guess where none is told."""
        return self.choice.fit

    @property
    def fits(self) -> tuple[Choice, ...]:
        return (self.choice,)

    @property
    def obeys_law(self) -> bool:
        return all(fit.support.any() for fit in self.fits)

    @property
    def comparison(self) -> Comparison:
        return self.choice.comparison

    @property
    def remarks(self) -> tuple[str, ...]:
        return self.choice.remarks

    @property
    def diagnostics(self) -> Diagnostics | None:
        return self.posteriors[0].diagnostics if self.posteriors else None

    # ---- the field -----------------------------------------------------------------------------------------------

    @property
    def experiments(self) -> tuple[Readings, ...]:
        return tuple(self.fit.of(number).readings for number in range(self.fit.n_experiments))

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

    def of(self, experiment: int) -> JointFit | Posterior:
        fit = self.fit.of(experiment)
        return fit if self.obeys_law or not self.posteriors else self.posteriors[experiment]

    @property
    def free_field(self) -> JointFit | Posterior:
        return self.posteriors[0] if self.posteriors else self.fit

    @property
    def field(self) -> JointField | NetworkField:
        if self.obeys_law or not self.posteriors:
            return JointField(self.fit, self.fit.spline)
        return NetworkField(self.posteriors[0])

    @property
    def noise(self) -> dict[str, dict[str, float | None]]:
        if self.posteriors and not self.obeys_law:
            return noise_of(self.posteriors[0])
        return {self.choice.field: {"mean": _rms(self.fit.noise), "sd": None}}

    def residuals(self, field: str) -> Array:
        fit = self.fit
        if self.obeys_law or not self.posteriors:
            return fit.experiment.misfit(fit.spline)
        readings = fit.readings
        inferred = self.posteriors[0].predict(readings.time, *readings.space.T, grid=False)[field].to_numpy()
        return (readings.values[:, 0] - inferred) / _rms(self.posteriors[0].noise_sd)

    # ---- draws ---------------------------------------------------------------------------------------------------

    def draw_laws(self, number: int, seed: int = 0) -> list[tuple[JointField, Equation]]:
        _ = self.choice.component  # an error if there is no law
        return _drawn(self.fit, number, seed)

    def next_sensor(self, n: int, times: ArrayLike | None) -> Advice | None:
        return self.fit.next_sensor(n, times) if self.obeys_law else None

    def sampled(self, points: Array) -> Draws:
        if not self.posteriors:
            raise InputError("Expected draws of a field that obeys no law to judge by; none were kept.")
        return field_alone(self.posteriors[0], points, NO_LAW)

    def left_out(self, draws: int, seed: int = 0) -> LeftOutDraws | str:
        readings = self.fit.readings
        sensors = some_sensors(readings)
        if readings.n_sensors < FEWEST_SENSORS or not sensors:
            return f"{readings.n_sensors} sensors are too few to leave some out; {FEWEST_SENSORS} would do."
        try:
            without = left_out(self.fit, sensors)
            laws = _drawn(without.fit, draws, seed)
        except np.linalg.LinAlgError:
            return "The law could not be fitted without some of the sensors."
        return LeftOutDraws(laws, without.rows, without.scatter_sd[:, None], _rms(without.fit.noise))

    # ---- in words ------------------------------------------------------------------------------------------------

    def judge(self, warn: Callable[..., None]) -> None:
        if self.comparison.reason:
            warn(
                "The readings do not tell a law: do not rely on the best guess.",
                f"Add sensors, read them more often, or with less noise; or say what you know: {KNOWN}.",
            )
        elif self.comparison.near:
            warn("Other laws explain the readings about as well.", f"Say what you know of a term, such as {KNOWN}.")
        for note in self.choice.notes:
            warn(note)
        judge_draws(self.posteriors, bool(self.choice.notes), warn)

    def ranking(self, field: str) -> pd.DataFrame:
        """``singly``, as `joint.neighbours.singly` tells."""
        table = self.comparison.singly
        return table if table.empty else table.sort_values(["kept", "worth"], ascending=[False, False], kind="stable")

    # ---- keeping it ----------------------------------------------------------------------------------------------

    def facts(self) -> dict[str, Any]:
        """How other laws fared, and no law at all; scores are log densities of left-out sensors. Offsets of sensors."""
        comparison, fit = self.comparison, self.fit
        offsets = [
            ({"experiment": number} if fit.n_experiments > 1 else {}) | row
            for number in range(fit.n_experiments)
            for row in fit.of(number).offsets.to_dict(orient="records")
        ]
        rms_error, expected = comparison.errors
        sensors = comparison.held_out.to_dict(orient="records")
        return {
            "alternatives": comparison.alternatives.to_dict(orient="records"),
            "probabilities": comparison.probabilities.to_dict(),
            "singly": comparison.singly.to_dict(orient="records"),
            "held_out": {"rms_error": rms_error, "expected": expected, "sensors": sensors},
            "baselines": comparison.baselines,
            "offsets": offsets,
        }

    def facts_of(self, experiment: int) -> dict[str, Any]:
        noise = {"noise": _rms(self.fit.of(experiment).noise)}
        return noise | ({"verdict": self.posteriors[experiment].diagnostics.verdict} if self.posteriors else {})

    def save(self, folder: Path) -> None:
        save_posteriors(folder, self.posteriors)
        self.choice.save(folder / "joint.nc")


@dataclass(frozen=True, eq=False)
class LeftOutDraws:
    """laws: of a fit without some sensors. rows: (N,) which readings are theirs. scatter_sd: (left out, fields) of what
    they read about the field. noise: rms, of the readings about it."""

    laws: list[tuple[JointField, Equation]]
    rows: NDArray[np.bool_]
    scatter_sd: Array
    noise: float


def _drawn(fit: JointFit, number: int, seed: int) -> list[tuple[JointField, Equation]]:
    """Coefficients, and the field that follows them."""
    name = fit.readings.fields[0]
    return [
        (
            JointField(fit, spline),
            Equation.of([Component.of(name, dict(zip(fit.terms, map(float, values), strict=True)))]),
        )
        for values, spline in zip(*fit.draw(number, seed, bounded=True), strict=True)
    ]


def _rms(values: Any) -> float:
    return float(np.sqrt(np.nanmean(np.square(values))))


@dataclass(frozen=True, eq=False)
class JointField:
    """The field that was inferred together with the law; ``spline``: its coefficients, or those of a draw of it."""

    fit: JointFit
    spline: Array

    @property
    def readings(self) -> Readings:
        return self.fit.readings

    def mean(self, times: Array, places: Array) -> dict[str, Array]:
        space = self.fit.experiment.space
        along = space.x.matrix(places) @ self.spline.reshape(space.shape) @ space.t.matrix(times).T
        return {self.readings.fields[0]: along.T}

    def follows(self, times: Array, domain: Sequence[float]) -> bool:
        (early, late), (left, right) = self.fit.reach.values()
        return bool(early <= times[0] and times[-1] <= late and left <= domain[0] and domain[1] <= right)

    def along_time(self, name: str, place: float, order: int) -> Callable[[float], float]:
        space = self.fit.experiment.space
        (along,) = space.x.matrix(np.array([place]), order) @ self.spline.reshape(space.shape)
        return space.t.along(along)

    def profile(self, time: float, domain: Sequence[float]) -> dict[str, Chebyshev]:
        (early, late), (left, right) = self.fit.reach.values()
        if not (early <= time <= late and left <= domain[0] and domain[1] <= right):
            raise InputError(
                f"Expected a start from {early:g} to {late:g} and a domain from {left:g} to {right:g}, where the law "
                f"was fitted; got {time:g} and {domain[0]:g} to {domain[1]:g}; pass initial=, what the field is there."
            )
        (along,) = self.mean(np.array([time]), nodes(domain))[self.readings.fields[0]]
        found = polynomial(along, domain)
        # Waves so short that no sensor tells them at one moment are rough in a draw, and too rough for the solver.
        damped = found.coef * np.exp(-36 * (np.arange(NODES) / SHORTEST) ** 8)
        return {self.readings.fields[0]: Chebyshev(damped, domain=list(domain))}

    def states(self, variables: Iterable[Derivative], time_order: int) -> Mapping[Factor, Array]:
        found = self.fit.experiment.derivatives(self.spline)
        return {name: part.ravel()[:: max(1, part.size // STATES)] for name, part in found.items()}
