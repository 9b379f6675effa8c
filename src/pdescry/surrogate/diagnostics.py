"""Whether to believe a posterior, judged in function space: at values and derivatives of the field at probe points.

Weights are not identifiable, so chains that agree on the field may disagree on every weight. R-hat and effective sample
sizes come from ArviZ, which enters the house by this file only.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from pdescry.data import Readings
from pdescry.data.hull import points_in_hull
from pdescry.notices import Notice
from pdescry.surrogate.options import SURROGATE
from pdescry.surrogate.posterior import Posterior, disturbed


@dataclass(frozen=True, eq=False, repr=False)
class Diagnostics:
    """Whether chains have mixed.

    Parameters
    ----------
    table : pandas.DataFrame
        One row for each quantity (u, u_t, u_x, u_xx, log noise): R-hat and effective draws that 95 % of the probe
        points satisfy (``r_hat``, ``ess_bulk``, ``ess_tail``), the same at the worst (``worst_…``), and where R-hat is
        worst.
    acceptance : float
        Mean probability of acceptance; NaN where the sampler never rejects.
    energy_error : float
        Mean square per transition and dimension.
    divergences : int
        Transitions that produced NaN, or whose energy error was far out.
    drift : float
        By how many of its own standard deviations log p moved from the first third to the last, in the worst chain.
    coverage : float
        Fraction of readings within their 95 % predictive intervals.
    mixed : bool
        Whether the draws can be relied on.
    verdict : str
        The same in a sentence.
    """

    table: pd.DataFrame
    acceptance: float
    energy_error: float
    divergences: int
    drift: float
    coverage: float
    mixed: bool
    verdict: Notice

    @property
    def faults(self) -> tuple[Notice, ...]:
        """What is wrong; empty where draws have mixed, or are too few to judge."""
        return self.verdict.parameters.get("faults", ())

    def __repr__(self) -> str:
        return (
            f"{self.verdict}\n{self.table.to_string(float_format=lambda v: f'{v:.3g}')}\n"
            f"acceptance {self.acceptance:.2f}, energy error {self.energy_error:.2g} per dimension, "
            f"{self.divergences} divergences, drift of log p {self.drift:+.1f} sd, "
            f"{self.coverage:.1%} of the readings within their 95 % intervals"
        )


def diagnose(posterior: Posterior) -> Diagnostics:
    if posterior.n_draws == 1:
        return _unjudged(Notice.of("single-fit"))
    if posterior.positions.shape[1] < SURROGATE.diagnostics.least_draws:
        return _unjudged(Notice.of("few-draws", fewest=SURROGATE.diagnostics.least_draws))
    points = probe_points(posterior.readings)
    table = _table(probe_values(posterior, points), points, posterior)
    trace = posterior.trace
    energy_error = float(np.mean(np.square(trace.energy_error)) / posterior.plan.model.dimension)
    divergences = int(np.sum(trace.divergences))
    drift = _drift(np.asarray(trace.log_density, float))
    coverage = _coverage(posterior)
    faults = _faults(posterior, table, energy_error, divergences, drift, coverage)
    if faults:
        verdict = Notice.of("not-mixed", faults=faults)
    else:
        verdict = Notice.of("mixed", r_hat=table.r_hat.max(), draws=table.ess_bulk.min())
    acceptance = float(np.mean(trace.acceptance))
    return Diagnostics(table, acceptance, energy_error, divergences, drift, coverage, not faults, verdict)


def probe_points(readings: Readings, number: int = SURROGATE.diagnostics.probes) -> NDArray[np.float64]:
    """(number, 1 + d) points within the sensors' hull and the span of time; always the same for the same readings."""
    rng = np.random.default_rng(0)
    times = rng.uniform(readings.time.min(), readings.time.max(), number)
    return np.column_stack([times, points_in_hull(readings.space, number, rng)])


def probe_values(posterior: Posterior, points: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
    """u, u_t, u_x, u_xx, … of every field, each (chains, draws, points), in physical units."""
    from pdescry.surrogate.compiled import jets

    scaling, readings = posterior.scaling, posterior.readings
    inputs = scaling.inputs(points)
    parts = [
        [np.asarray(part, float)[: draws.stop - draws.start] for part in jets(posterior.plan.model, some, inputs)]
        for draws, some in posterior.some_at_a_time()
    ]
    values, slopes, bends = (np.concatenate(part) for part in zip(*parts, strict=True))
    found: dict[str, NDArray[np.float64]] = {}
    for number, field in enumerate(readings.fields):
        spread = scaling.field_spread[number]
        found[field] = values[:, number] * spread + scaling.field_centre[number]
        for axis, name in enumerate((readings.time_name, *readings.axes)):
            unit = scaling.input_spread[axis]
            found[f"{field}_{name}"] = slopes[:, axis, number] * spread / unit
            if axis > 0:
                found[f"{field}_{name}{name}"] = bends[:, axis, number] * spread / unit**2
    shape = (posterior.n_chains, -1, len(points))
    return {name: part.reshape(shape) for name, part in found.items()}


def to_arviz(posterior: Posterior) -> Any:
    """The field and its derivatives at the probe points, the noise, and the sampler's statistics, as InferenceData."""
    points = probe_points(posterior.readings)
    trace = posterior.trace
    names = (posterior.readings.time_name, *posterior.readings.axes)
    return _arviz().from_dict(
        posterior=probe_values(posterior, points) | {"noise_sd": posterior.noise_sd},
        sample_stats={
            "lp": np.asarray(trace.log_density),
            "energy_error": np.asarray(trace.energy_error),
            "acceptance_rate": np.asarray(trace.acceptance),
            "diverging": np.asarray(trace.divergences) > 0,
        },
        constant_data={f"probe_{name}": points[:, k] for k, name in enumerate(names)},
    )


def _arviz() -> Any:
    with warnings.catch_warnings():
        # 0.23 announces 1.0 at import.
        warnings.simplefilter("ignore", FutureWarning)
        import arviz

    return arviz


def _table(values: dict[str, NDArray[np.float64]], points: NDArray[np.float64], posterior: Posterior) -> pd.DataFrame:
    az = _arviz()
    quantities = dict(values)
    if posterior.known_noise is None:
        noise = np.log(posterior.noise_sd)
        quantities["log noise"] = noise.reshape(*noise.shape[:2], -1)
    # A quantity that does not vary at all (u_xx of a linear model) has no R-hat, and needs none.
    quantities = {name: part for name, part in quantities.items() if np.ptp(part, axis=(0, 1)).any()}
    data = az.convert_to_dataset(quantities)
    with np.errstate(invalid="ignore"):
        r_hat, bulk, tail = _r_hat(data), az.ess(data, method="bulk"), az.ess(data, method="tail")
    r_hat = r_hat.fillna(np.inf)  # a point where nothing moves
    names = (posterior.readings.time_name, *posterior.readings.axes)
    rows = {}
    for name in quantities:
        worst = int(np.argmax(r_hat[name].values))
        place = ", ".join(f"{axis}={value:.3g}" for axis, value in zip(names, points[worst], strict=True))
        rows[name] = {
            "r_hat": float(r_hat[name].quantile(SURROGATE.diagnostics.quantile)),
            "ess_bulk": float(bulk[name].quantile(1 - SURROGATE.diagnostics.quantile)),
            "ess_tail": float(tail[name].quantile(1 - SURROGATE.diagnostics.quantile)),
            "worst_r_hat": float(r_hat[name].max()),
            "worst_ess_bulk": float(bulk[name].min()),
            "worst_at": "" if name == "log noise" else place,
        }
    return pd.DataFrame.from_dict(rows, orient="index")


def _r_hat(data: Any) -> Any:
    """R-hat, the chain cut in halves if there is only one."""
    if data.sizes["chain"] == 1:
        half = data.sizes["draw"] // 2
        data = xr.concat([data.isel(draw=slice(half)), data.isel(draw=slice(half, 2 * half))], "chain", join="override")
    return _arviz().rhat(data)


def _drift(log_density: NDArray[np.float64]) -> float:
    """By how many sds log p moved from the first third of the draws to the last, in the worst chain."""
    third = log_density.shape[1] // 3
    if third < 2:
        return 0.0
    first, last = log_density[:, :third], log_density[:, -third:]
    spread = np.sqrt((first.var(1) + last.var(1)) / 2)
    drifts = (last.mean(1) - first.mean(1)) / np.maximum(spread, 1e-12)
    return float(drifts[np.argmax(np.abs(drifts))])


def _coverage(posterior: Posterior) -> float:
    # Of a thousand draws, each disturbed several times, and a few thousand readings: the fraction to a percent.
    posterior, readings = posterior.at_most(1000), posterior.readings
    rows = np.random.default_rng(0).permutation(len(readings))[:4000]
    inside = []
    # In parts: memory does not grow with the readings.
    for part in np.array_split(rows, -(-len(rows) // SURROGATE.points_at_once)):
        values = posterior.values(np.column_stack([readings.time, readings.space])[part])
        low, high = np.quantile(disturbed(values, posterior.noise_of_readings(part)), [0.025, 0.975], axis=0)
        inside.append((low <= readings.values[part].T) & (high >= readings.values[part].T))
    return float(np.mean(np.concatenate(inside, axis=1)))


def _faults(
    posterior: Posterior, table: pd.DataFrame, energy_error: float, divergences: int, drift: float, coverage: float
) -> list[Notice]:
    """What is wrong, each with what to do about it; empty if nothing is."""
    faults = []
    sampler, trace = posterior.plan.sampler, posterior.trace
    transitions = posterior.n_draws * sampler.thin
    wanted = getattr(sampler, "energy_error", None)
    if divergences > 0.01 * transitions:
        faults.append(Notice.of("diverged", diverged=divergences, transitions=transitions))
    elif wanted is not None and energy_error > 10 * wanted:
        faults.append(Notice.of("energy-error", times=energy_error / wanted))
    if np.mean(trace.acceptance) < 0.3:
        faults.append(Notice.of("rejected", accepted=np.mean(trace.acceptance)))
    if abs(drift) > SURROGATE.diagnostics.drift:
        faults.append(Notice.of("drifting", drift=drift, burn=4 * max(sampler.burn, 25)))
    longer = 0.0
    if not table.r_hat.max() <= SURROGATE.diagnostics.r_hat:
        worst = table.r_hat.idxmax()
        told = {"where": table.worst_at[worst] or None, "r_hat": table.r_hat.max()}
        faults.append(Notice.of("chains-differ", quantity=worst, **told))
        longer = 4.0
    if not table.ess_bulk.min() >= SURROGATE.diagnostics.effective_draws:
        faults.append(Notice.of("few-effective-draws", draws=table.ess_bulk.min(), quantity=table.ess_bulk.idxmin()))
        longer = max(longer, 2.0, SURROGATE.diagnostics.effective_draws / max(table.ess_bulk.min(), 1.0))
    if longer:
        thin = int(np.ceil(longer)) * sampler.thin
        faults.append(
            Notice.of(
                "draw-longer", r_hat=SURROGATE.diagnostics.r_hat, draws=SURROGATE.diagnostics.effective_draws, thin=thin
            )
        )
    if coverage < 0.85:
        given = posterior.known_noise is not None
        faults.append(Notice.of("missed-by-noise-given" if given else "missed-by-network", coverage=coverage))
    return faults


def _unjudged(verdict: Notice) -> Diagnostics:
    columns = ("r_hat", "ess_bulk", "ess_tail", "worst_r_hat", "worst_ess_bulk", "worst_at")
    return Diagnostics(pd.DataFrame(columns=list(columns)), np.nan, np.nan, 0, 0.0, np.nan, False, verdict)
