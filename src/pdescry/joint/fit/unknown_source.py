"""Whether the readings favour a source that is missing in the law: u_t = Σ cⱼTⱼ(u) + f, with f(t), f(x) or f(t, x)
unknown.

An unrecorded forcing, an unmentioned heater, a term outside the candidates: each leaves a residual that the
coefficients of the law cannot explain. f is a sum of cosines with independent Gaussian amplitudes of one common sd.
Whether there is one is judged with errors of sensors that last as the fit has them, because these may look like it; how
large it is, without them, because the fit took a part of its effect for them. About the minimum everything is linear in
the amplitudes, so the evidence for f is known in closed form for any sd, after elimination of the fields and the
coefficients.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import block_diag

from pdescry.joint.field.axis import Array, Axis
from pdescry.joint.fit.experiment import Experiment
from pdescry.joint.fit.noise_model import NoiseModel, at_least
from pdescry.joint.fit.objective import Minimum
from pdescry.joint.fit.options import FIT


@dataclass(frozen=True)
class UnknownSource:
    """field: of the equation. varies: along which axes. rms: in units of the left side. share: of the left side's rms.
    gain: log evidence for the source, in nats."""

    field: str
    varies: tuple[str, ...]
    rms: float
    share: float
    gain: float


def unknown_source(found: Minimum) -> UnknownSource | None:
    """The source with the largest evidence, if that is clear."""
    with np.errstate(all="ignore"):
        sources = [
            _source(found, number, varies)
            for number in range(len(found.objective.operator.fields))
            for varies in ((False, True), (True, False), (True, True))
        ]
        least = FIT.unknown_source
        clear = [each for each in sources if each.gain > least.evidence and each.share > least.least_size]
        best = max(clear, key=lambda each: each.gain, default=None)
        if best is None or not any(each.noise_model.lasting.any() for _, each, _ in found.experiments):
            return best
        number = found.objective.operator.fields.index(best.field)
        varies = best.varies != ("t",), "t" in best.varies
        alone = _source(_with_independent_errors(found), number, varies)
    return replace(best, rms=alone.rms, share=alone.share)


def _with_independent_errors(found: Minimum) -> Minimum:
    """Without the part of the sensors' errors that lasts."""

    def model_of(experiment: Experiment) -> NoiseModel:
        model = experiment.noise_model
        noise = at_least(model.noise * np.sqrt(1 - model.lasting[:, 0]), model.observations)
        return model.with_noise(noise).with_lasting(np.zeros_like(model.lasting))

    return found.with_experiments([replace(each, noise_model=model_of(each)) for _, each, _ in found.experiments])


def _source(found: Minimum, equation: int, varies: tuple[bool, bool]) -> UnknownSource:
    """varies: along space, in time."""
    operator, coefficients = found.objective.operator, found.coefficients
    on_coefficients, on_source, left, squares = [], [], [], []
    for _, experiment, state in found.experiments:
        rows = experiment.linearised(state, operator, coefficients)
        size, basis = experiment.space.n_moments, list(_cosines(experiment, varies))
        scale = float(np.sqrt(experiment.space.mean_square(experiment.lefts(state, operator)[equation])))
        squares.append(scale**2)
        more = np.zeros((*rows.on_law.shape[:2], len(basis)))
        for k, each in enumerate(basis):
            some = slice(equation * size, (equation + 1) * size)
            more[:, some, k] = -experiment.space.moments(scale * each / experiment.tolerance[equation])
        number = len(coefficients)
        extended = np.concatenate([rows.on_law[..., :number], more, rows.on_law[..., number:]], axis=-1)
        rest = replace(rows, on_law=extended).eliminated().rest
        on_coefficients.append(rest[:, :number])
        on_source.append(rest[:, number:-1])
        left.append(rest[:, -1])
    own = found.linearised.own
    separate = np.asarray(block_diag(*on_source), float)
    rest = _less_coefficients(
        np.vstack([*on_coefficients, own[:, :-1]]),
        np.vstack([separate, np.zeros((len(own), separate.shape[1]))]),
        np.concatenate([*left, own[:, -1]]),
    )
    gain, share = _most_likely(*rest)
    along = (operator.axes if varies[0] else ()) + (("t",) if varies[1] else ())
    return UnknownSource(operator.fields[equation], along, share * float(np.sqrt(np.mean(squares))), share, gain)


def _cosines(experiment: Experiment, varies: tuple[bool, bool]) -> Iterator[Array]:
    """Cosines with unit mean square over the box, at the quadrature points, (x, …, t)."""
    observed, places, t = experiment.observations, experiment.space.places, experiment.space.time
    sensors = experiment.readings.n_sensors
    in_time = max(len(observed.values) // (2 * max(observed.n_groups, 1)), 1)
    # As many along each axis as give half the number of sensors over all of them.
    in_space = max(int((sensors // 2) ** (1 / len(places))), 1)
    tried = FIT.unknown_source
    most = tried.cosines_in_space if len(places) == 1 else tried.cosines_in_plane
    if all(varies):
        in_time, most = min(in_time, tried.cosines_of_products), min(most, tried.cosines_of_products)
    in_space = min(in_space, most)
    in_time = min(in_time, tried.cosines_in_time)
    along_t = [_cosine(t, k) for k in range(1, in_time + 1)] if varies[1] else [np.ones(len(t.points))]
    still = (0,) * len(places)
    waves = [each for each in np.ndindex(*(in_space + 1,) * len(places)) if any(each)] if varies[0] else [still]
    for each in waves:
        over_space = np.ones(())
        for x, k in zip(places, each, strict=True):
            over_space = np.multiply.outer(over_space, _cosine(x, k) if k else np.ones(len(x.points)))
        for other in along_t:
            yield np.multiply.outer(over_space, other)


def _cosine(axis: Axis, k: int) -> Array:
    return np.sqrt(2) * np.cos(np.pi * k * (axis.points - axis.span[0]) / axis.width)


def _less_coefficients(on_coefficients: Array, on_source: Array, left: Array) -> tuple[Array, Array]:
    """The part that is linear in the source, and the residual without it, after elimination of the coefficients."""
    if not on_coefficients.shape[1]:
        return on_source, left
    basis, _ = np.linalg.qr(on_coefficients)
    both = np.column_stack([on_source, left])
    both = both - basis @ (basis.T @ both)
    return both[:, :-1], both[:, -1]


def _most_likely(on_source: Array, left: Array) -> tuple[float, float]:
    """Log evidence for a source of the most likely sd, and the rms of the source then, in units of the left side."""
    values, vectors = np.linalg.eigh(on_source.T @ on_source)
    values, pulled = np.maximum(values, 0.0), vectors.T @ (on_source.T @ left)
    best, share = 0.0, 0.0
    for sd in np.geomspace(*FIT.unknown_source.sds) / np.sqrt(len(values)):
        precision = values + 1 / sd**2
        gain = 0.5 * float(np.sum(pulled**2 / precision) - np.sum(np.log1p(sd**2 * values)))
        if gain > best:
            best, share = gain, float(np.linalg.norm(pulled / precision))
    return best, share
