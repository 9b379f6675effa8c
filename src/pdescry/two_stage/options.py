"""Tuned numbers of the two-stage method, first the field, then the law (`two_stage`).

Each field has its unit, what it trades, and where it was measured; where no source is named, it was chosen, not
measured.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class TwoStageOptions:
    chains: int = 4
    """Chains, if a regression depends on the draws. More: more reliable diagnostics; slower."""
    networks: int = 4
    """Networks that are trained to initialise fits: 20 s, and the same laws as from chains of 200 s
    (docs/ARCHITECTURE.md). More: slower."""
    draws_of_field: int = 200
    """Draws of the field for its uncertainty. More: only slower."""
    draws_of_profile: int = 100
    """Draws for a mean profile. More: smoother; slower."""
    states: int = 500
    """Approximate number of points at which the states of the field are sampled. More: rarer states are judged, too;
    slower."""
    readings_per_term: int = 20
    """Readings for each term, below which an interval is a warning. Larger: false alarms."""
    least_draws: int = 10
    """Draws with a regression each, required for the next sensor to be judged by coefficients. Fewer: chance
    decides."""


TWO_STAGE = TwoStageOptions()
