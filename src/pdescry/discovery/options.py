"""Tuned numbers of judging, scoring and extrapolating a law that was found (`discovery`).

Each field has its unit, what it trades, and where it was measured; where no source is named, it was chosen, not
measured.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class FollowingOptions:
    """Laws solved forward with ends that follow the inferred field (``following.py``, ``forward.py``)."""

    rtol: float = 1e-4
    """Relative tolerance: a field obeys its law to a thousandth of u_t, so more digits would be spent on what its ends
    are wrong by. Smaller: slower."""
    most_points: int = 364
    """Points along the axis. More: sharper fields; slower."""
    most_steps: int = 4000
    """Steps; no limit in seconds, for what comes out must not depend on machine load. More: stiffer laws are solved."""
    times: int = 21
    """Times at which the number of boundary conditions is looked at. More: later changes are seen; slower."""
    times_in_plane: int = 21
    """Times at which solution and field are compared in the plane."""
    places_in_plane: int = 31
    """Places along each axis, the same."""
    rtol_of_simple_ends: float = 1e-5
    """Relative tolerance with simple boundary conditions, which the field need not obey."""
    most_points_of_simple_ends: int = 400
    """Points along the axis with these."""


@dataclass(frozen=True)
class ScoreOptions:
    """Draws solved forward, and compared with held-out sensors (``score.py``)."""

    most_draws: int = 20
    """Draws. More: less scatter of the score; slower."""
    least_draws: int = 8
    """Draws of laws that take many steps."""
    steps: int = 4000
    """Steps of all draws together, about: fewer are drawn of a law that takes more steps each. More: slower."""
    steps_in_plane: int = 500
    """The same in the plane, where a step takes 20 to 35 ms of a core (864 to 4,510 points; three systems with 25 to 60
    sensors)."""
    least_solved: int = 5
    """Draws that have to be solved, or there is no score."""
    digits: float = 0.03
    """Share of the noise that a solution may be off by, within the bounds below. Smaller: slower."""
    rtol: tuple[float, float] = (1e-6, 1e-3)
    """Bounds of the relative tolerance."""
    steps_ratio: int = 3
    """Ratio: steps that a draw may take to those of the mean law. Larger: slower; smaller: rough draws are lost."""
    points_ratio: float = 0.7
    """Ratio: points of a draw's first grid to those of the mean law: a start that is not smooth is compared on two
    grids. Larger: slower."""
    least_points: int = 16
    """Points of that grid, at least."""


@dataclass(frozen=True)
class JudgementOptions:
    """What is a warning (``judgement.py``, ``next_sensor.py``)."""

    wide: float = 0.5
    """Ratio: sd of a coefficient to its value. Larger: no warning of unsure terms."""
    misfit: float = 0.5
    """Share of the readings' sd (rms) by which a forward solution leaves the field. Larger: no warning of wrong laws;
    smaller: laws that magnify small errors are called wrong."""
    missed: float = 1.5
    """Ratio: error at held-out sensors to the expected one. Larger: no warning of intervals that are too narrow."""
    least_readings: int = 30
    """Left-out readings, from which that ratio is judged. Fewer: chance decides."""
    least_draws: int = 10
    """Draws that say how sure the field is. Fewer: chance decides where the next sensor goes."""


@dataclass(frozen=True)
class ForecastOptions:
    """Laws solved past the last reading, or beyond the sensors (``extrapolating.py``, ``continuing.py``)."""

    rtol: float = 1e-7
    """Relative tolerance, with conditions that are no inferred field's. Smaller: slower."""
    most_points: int = 400
    """Points along the axis."""
    rtol_in_plane: float = 1e-5
    """Relative tolerance in the plane."""
    places_in_plane: int = 41
    """Places along each axis, by default: with 20 draws at 101 times 27 MB."""
    nearby: float = 0.25
    """Share of the distance between outermost sensors: so far beyond them a start is taken from the nearest place.
    Larger: starts are made up."""
    damped_degree: float = 40
    """Degree by which waves have died away in a start that is extrapolated. Larger: it is rough; smaller: blurred."""
    fade: float = 0.1
    """Share of the record for which an end moves on as it did, lest the solution has a kink to resolve. With half of
    it, a wave (layout 0 of the system of that name) was not resolved by 162 points. Larger: ends run away."""
    step: float = 0.01
    """Share of that, for differences. Smaller: rounding; larger: blurred rates."""
    long: float = 0.5
    """Share of the record: longer forecasts take stretches that run back and forth through it."""
    recent: float = 0.5
    """Share of the record in which stretches begin, counted from its end: a start that is not in balance with its ends,
    as in heat, changes more than anything later. With 1, intervals of heat were three times as wide (three layouts)."""
    no_flux_every: int = 4
    """Draws, of which one in so many has ends without flux. Smaller: they decide the intervals."""


@dataclass(frozen=True)
class DerivedOptions:
    """Derived quantities (``derive.py``)."""

    draws: int = 4000
    """Draws, of which 100 lie beyond either end of the interval. More: less scatter; slower."""
    heavy_tails: float = 3.0
    """Ratio: sd to that of the interval, above which a few outlying draws have made it. Larger: no warning."""


@dataclass(frozen=True)
class DiscoveryOptions:
    following: FollowingOptions = FollowingOptions()
    score: ScoreOptions = ScoreOptions()
    judgement: JudgementOptions = JudgementOptions()
    forecast: ForecastOptions = ForecastOptions()
    derived: DerivedOptions = DerivedOptions()


DISCOVERY = DiscoveryOptions()
