"""The honest spread on fields whose posterior is exact: does the 95 % interval hold the truth?"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.polynomial import legendre

from pdescry.equation import Term
from pdescry.equation.with_spread import TWO_SIDED_95
from pdescry.notices import Notice
from pdescry.regression import STBLR, STOLS, DesignMatrix, SparseFit, regress

SPEED, DIFFUSIVITY, UNTIL = 0.5, 0.1, 4.0
TRUTH = np.array([-SPEED, DIFFUSIVITY])
TERMS = (Term.parse("u_x"), Term.parse("u_xx"))
MODES, DEGREE = 6, 10


def series(t, x, along_t=0, along_x=0):
    """Fourier in x times Legendre in t, each scaled by its prior sd: (N, 130)."""
    s = 2 * t / UNTIL - 1
    in_time = np.stack([legendre.legval(s, legendre.legder(np.eye(DEGREE)[j], along_t)) for j in range(DEGREE)], 1)
    k = np.repeat(np.arange(MODES + 1), 2)[1:]  # 0, 1, 1, 2, 2, …: cosine and sine
    phase = np.where(np.arange(len(k)) % 2 == 0, -np.pi / 2, 0.0) * (k > 0) + along_x * np.pi / 2
    in_space = k.astype(float) ** along_x * np.cos(k * x[:, None] + phase)
    prior = (1 / (1 + k**2 / 4))[:, None] * 2 * 2.0 ** (-0.7 * np.arange(DEGREE))
    return (in_space[:, :, None] * in_time[:, None, :] * prior * (2 / UNTIL) ** along_t).reshape(len(x), -1)


def advected_heat(seed: int, noise: float, points=3000, subset=400, n_draws=80) -> DesignMatrix:
    """u_t = −0.5 u_x + 0.1 u_xx read by 16 sensors at 21 times; the Gaussian posterior of the series, exactly."""
    rng = np.random.default_rng(seed)
    t, x = (a.ravel() for a in np.meshgrid(np.linspace(0, UNTIL, 21), np.arange(16) * np.pi / 8, indexing="ij"))
    k = np.arange(1, 4)
    waves = np.exp(-DIFFUSIVITY * k**2 * t[:, None]) * np.cos(k * (x - SPEED * t)[:, None] + rng.uniform(0, 6.28, 3))
    u = waves @ (np.array([1, 0.6, 0.4]) * rng.uniform(0.7, 1.3, 3)) + noise * rng.normal(size=t.size)
    readings = series(t, x) / noise
    factor = np.linalg.inv(np.linalg.cholesky(readings.T @ readings + np.eye(readings.shape[1])))  # Σ = factorᵀ factor
    mean = factor.T @ (factor @ (readings.T @ (u / noise)))
    draws = mean + rng.normal(size=(n_draws, len(mean))) @ factor
    t, x = rng.uniform(0, UNTIL, points), rng.uniform(0, 2 * np.pi, points)
    bases = [series(t, x, along_x=1), series(t, x, along_x=2), series(t, x, along_t=1)]
    X = np.stack([basis @ mean for basis in bases[:2]], 1)
    variance = np.stack([np.sum((basis @ factor.T) ** 2, axis=1) for basis in bases[:2]], 1)
    values = np.stack([draws @ basis[:subset].T for basis in bases], -1)
    return DesignMatrix(
        TERMS, X, bases[2] @ mean, variance, draws=values[..., :2], draws_left=values[..., 2], rows=np.arange(subset)
    )


def coverage(fits: list[SparseFit]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Shares of fits whose interval holds the truth, for each term: honest, quantiles of draws alone, formal."""
    honest, quantiles, formal = [], [], []
    for fit in fits:
        assert fit.spread is not None
        low, high = fit.spread.interval
        honest.append((low <= TRUTH) & (high >= TRUTH))
        low, high = np.quantile(fit.spread.draws, [0.025, 0.975], axis=0)
        quantiles.append((low <= TRUTH) & (high >= TRUTH))
        formal.append(np.abs(fit.coefficients - TRUTH) <= TWO_SIDED_95 * fit.formal_sd)
    return np.mean(honest, axis=0), np.mean(quantiles, axis=0), np.mean(formal, axis=0)


def test_the_honest_interval_holds_the_truth_and_the_formal_one_does_not():
    fits = [regress(advected_heat(seed, noise=0.1), STBLR(0.0)) for seed in range(40)]
    honest, quantiles, formal = coverage(fits)
    assert (honest >= 0.85).all(), honest
    assert (formal <= 0.3).all(), formal
    # Why the shift belongs in: the draws' own quantiles miss, because noise in the terms draws them all one way.
    assert (quantiles <= 0.4).all(), quantiles
    # The correction is nearer the truth than what is reported, on the whole.
    off = np.array([np.abs(fit.coefficients - TRUTH) for fit in fits])
    nearer = np.array([np.abs(fit.spread.corrected - TRUTH) for fit in fits if fit.spread is not None])
    assert (nearer.mean(axis=0) < 0.7 * off.mean(axis=0)).all()


@pytest.mark.slow
@pytest.mark.parametrize(
    "noise",
    [
        0.01,
        0.05,
        0.1,
        pytest.param(0.2, marks=pytest.mark.xfail(reason="the shift is only a first term: 52 % for u_xx")),
    ],
)
def test_coverage_by_noise(noise):
    """The table in `spread`; run with -m slow -s to see it."""
    honest, quantiles, formal = coverage([regress(advected_heat(seed, noise), STBLR(0.0)) for seed in range(100)])
    print(f"noise {noise}: honest {honest}, quantiles of draws {quantiles}, formal {formal}")
    assert (honest >= 0.9).all(), honest


def test_a_shift_above_the_sd_is_told():
    fit = regress(advected_heat(0, noise=0.2), STBLR(0.0))
    assert any(note.code == "noise-biases" and "u_xx" in note.parameters["terms"] for note in fit.notes)
    assert "noise-biases" not in [note.code for note in regress(advected_heat(0, noise=0.002), STBLR(0.0)).notes]


def test_no_honest_spread_where_draws_cannot_tell():
    whole = advected_heat(0, noise=0.05)
    assert whole.draws is not None
    assert whole.draws_left is not None
    assert whole.rows is not None
    few = replace(whole, draws=whole.draws[:, :15], draws_left=whole.draws_left[:, :15], rows=whole.rows[:15])
    fit = regress(few, STBLR(0.0))
    assert fit.spread is None
    assert "formal-of-few-rows" in [note.code for note in fit.notes]
    twice = replace(
        whole,
        terms=(*whole.terms, Term.parse("u^2")),  # a copy of the last column, whatever its name
        X=whole.X[:, [0, 1, 1]],
        variance=None if whole.variance is None else whole.variance[:, [0, 1, 1]],
        draws=whole.draws[..., [0, 1, 1]],
    )
    fit = regress(twice, STBLR(0.0))
    assert fit.outcome == "collinear"
    assert fit.spread is None
    assert "formal-collinear" in [note.code for note in fit.notes]
    two = regress(replace(whole, draws=whole.draws[:2], draws_left=whole.draws_left[:2]), STBLR(0.0))
    assert Notice.of("spread-of-few-draws", draws=2) in two.notes


def test_draws_are_weighted_as_the_fit_was():
    """By hand: two groups of rows that say 1 and 3, with weights 4 and 1: each draw gives (4·1 + 1·3)/5 of itself."""
    x, y = np.ones((40, 1)), np.repeat([1.0, 3.0], 20)
    factors = np.array([0.9, 1.0, 1.1])
    design = DesignMatrix(
        TERMS[:1], x, y, np.repeat([[1.0], [4.0]], 20, axis=0),
        draws=np.ones((3, 40, 1)), draws_left=factors[:, None] * y, rows=np.arange(40),
    )  # fmt: skip
    spread = regress(design, STBLR(0.1)).spread
    assert spread is not None
    np.testing.assert_allclose(spread.draws[:, 0], 1.4 * factors)
    np.testing.assert_allclose(spread.shift, 0, atol=1e-12)
    np.testing.assert_allclose(spread.sd, 0.14)
    alike = regress(design, STOLS(0.1)).spread
    assert alike is not None
    np.testing.assert_allclose(alike.draws[:, 0], 2.0 * factors)


def test_the_shift_is_the_attenuation_by_noise_in_the_columns():
    """x has variance 1 and draws of it an error of 0.5² more: the fits on draws shrink by 1/1.25."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=20_000)
    draws = x[None, :, None] + 0.5 * rng.normal(size=(2, 20_000, 1)) * np.array([1, 1])[:, None, None]
    draws = np.concatenate([draws, 2 * x[None, :, None] - draws])  # errors of both signs: the mean is x
    design = DesignMatrix(
        TERMS[:1], x[:, None], 2 * x, draws=draws, draws_left=np.tile(2 * x, (4, 1)), rows=np.arange(20_000)
    )
    spread = regress(design, STOLS(0.1)).spread
    assert spread is not None
    assert spread.shift[0] == pytest.approx(2 - 2 / 1.25, rel=0.02)
    assert spread.corrected[0] == pytest.approx(2 + 2 - 2 / 1.25, rel=0.02)


def test_no_spread_from_one_draw():
    design = advected_heat(0, 0.1, n_draws=1)
    assert regress(design, STBLR(0.0)).spread is None
