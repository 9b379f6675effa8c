"""Tuned numbers of a law that is found in two stages, first the field, then the law (`two_stage`).

Each field has its unit, what it trades, and where it was measured; where no source is named, it was chosen, not
measured.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class TwoStageOptions:
    chains: int = 4
    """Chains, where a regression relies on the draws. More: surer diagnostics; slower."""
    networks: int = 4
    """Networks that are trained, where fits only begin from them: 20 s, and the same laws as from chains of 200 s
    (docs/ARCHITECTURE.md). More: slower."""
    draws_of_field: int = 200
    """Draws of the field that say how sure it is. More: only slower."""
    draws_of_profile: int = 100
    """Draws of which a mean profile is made. More: smoother; slower."""
    states: int = 500
    """Points, about, that tell in what states the field is. More: rarer states are judged, too; slower."""
    readings_per_term: int = 20
    """Readings for each term, below which an interval is a warning. Larger: false alarms."""
    least_draws: int = 10
    """Draws with a regression each, from which coefficients tell where the next sensor goes. Fewer: chance decides."""


TWO_STAGE = TwoStageOptions()
