"""Tuned numbers of sampling networks, and of what their draws are trusted for (`surrogate`).

Each field has its unit, what it trades, and where it was measured; where no source is named, it was chosen, not
measured.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class DiagnosticsOptions:
    """Beyond these a summary of the draws depends on which draws one happened to get (``diagnostics.py``)."""

    probes: int = 100
    """Points at which draws are judged. More: surer; slower."""
    r_hat: float = 1.1
    """Largest R-hat. Larger: no warning of chains that differ."""
    effective_draws: float = 50.0
    """Fewest effective draws. Smaller: no warning where it is chance."""
    drift: float = 1.5
    """Sds of log p: its largest change along a chain. Larger: no warning of chains that have not settled."""
    quantile: float = 0.95
    """Share of the probes that R-hat and effective draws are wanted at: the worst of hundreds scatters too much to
    judge by. Larger: false alarms."""
    least_draws: int = 10
    """Draws of a chain: fewer say nothing about mixing."""


@dataclass(frozen=True)
class ModelOptions:
    """The network's posterior (``model.py``, ``noise.py``)."""

    noise_median: float = 0.05
    """Share of the field's sd: median of the noise beforehand. Larger: small noise is found later."""
    noise_log_sd: float = 2.0
    """Sd of log σ beforehand, so that 0.1 % to 250 % lie within two sds. Larger: slower chains."""
    least_noise: float = 3e-3
    """Share of the field's sd that inferred noise is at least: below it the misfit is the network's, not the readings',
    and the posterior so narrow that chains crawl."""
    condition: float = 1e5
    """Largest ratio of variances that the last layer is conditioned by: what float32 can factor, with room to spare."""


@dataclass(frozen=True)
class MCLMCOptions:
    """Steps of microcanonical Langevin dynamics (``samplers/mclmc.py``)."""

    trials: int = 10
    """Trials in one rung of tuning, each followed by a better step size. More: surer step sizes, fewer of them."""
    far: float = 5.0
    """Ratio: energy error to the wanted sd, above which a step is taken again in twice as many parts. Smaller: more
    parts; larger: draws from where the energy is wrong."""
    calm: float = 0.4
    """The same ratio, below which the next step begins with half as many parts. Larger: parts taken in vain."""
    most_parts: int = 8
    """Parts of a step. More: rough places are crossed; slower."""


@dataclass(frozen=True)
class SurrogateOptions:
    diagnostics: DiagnosticsOptions = DiagnosticsOptions()
    model: ModelOptions = ModelOptions()
    mclmc: MCLMCOptions = MCLMCOptions()
    block_work: float = 6e10
    """Multiply-adds in a block: about two seconds of one core, so that little is lost when a run is interrupted, and
    writing costs nothing (``chain.py``)."""
    points_at_once: int = 1024
    """Points that are evaluated together, so that no number of points asks for a compilation of its own. More: memory;
    fewer: slower (``posterior.py``)."""
    draws_at_once: int = 256
    """Draws, the same: thousands of them take up a good part of the memory."""


SURROGATE = SurrogateOptions()
