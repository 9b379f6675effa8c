"""Tuned numbers of the search for terms (`joint/search`, `choose.py`, `claims.py`).

Each field has its unit, what it trades, and where it was measured; where no source is named, it was chosen, not
measured.
"""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class OrderOptions:
    """Orders in time (``choose.py``, ``by_order.py``)."""

    terms_explaining: int = 3
    """Terms: laws of up to this size decide which order is searched first, by how much of the inferred fields they
    explain. More: products of derivatives explain noise."""
    unexplained: float = 0.2
    """Ratio: share of inferred fields that second-order laws leave unexplained to that of first-order laws, below which
    the second order is searched first. Waves with 2 and 5 % noise, layout 77: at most 0.11; two aluminium rods: 0.3 and
    0.8, other systems of first order above 1. Larger: laws of second order that smooth fields suggest take the time;
    smaller: waves are searched briefly."""
    laws_to_the_end: int = 4
    """Soft laws that are fitted with a tight tolerance. More: the right one is missed less often; slower."""
    of_other_order: tuple[int, int, int] = (1, 3, 2)
    """Proposals of each size, largest size, and laws fitted with a tight tolerance, of the other order. Larger:
    slower."""
    shortlist: float = 10.0
    """Nats: laws found on stretches of a long record within this margin of the best are fitted to the whole record.
    Larger: slower; smaller: the right law may not be among them."""
    lead: float = 10.0
    """Nats by which a law of second order has to score more than one of first order: every law of first order implies
    laws of second order, whose fields have more freedom. Larger: waves in noise are told as transport; smaller: what
    follows from a law is told instead of it."""
    reported: float = 3.0
    """Nats: a law of another order in time within this margin of the best is mentioned. Larger: unlikely laws are
    reported."""


@dataclass(frozen=True)
class ProposalOptions:
    """Which laws are fitted (``proposals.py``)."""

    least_explained: float = 0.5
    """Ratio: explained share of a law's fields to that of a law of its size for other initial fields, below which it is
    not proposed. Larger: fewer fits; the right initial field may be missed."""
    gain_per_factor: float = 0.02
    """Share of the unexplained part that a further factor or derivative has to explain to be proposed first. Larger:
    simple laws first; smaller: products that explain noise displace them."""
    most_subsets: int = 400_000
    """Subsets of one size; above, larger subsets are formed of the candidates that explain most. More: memory and
    time."""


@dataclass(frozen=True)
class SoftLawOptions:
    """Which soft laws are followed up (``search.py``, ``by_order.py``, ``fitted_law.py``)."""

    margin_per_reading: float = 0.1
    """Nats for each reading: a soft law that is worse than the best by more is not tightened. Larger: more fits;
    smaller: the right law is dropped before its noise is inferred."""
    close_per_reading: float = 0.01
    """Nats for each reading: soft laws within this margin of the best are tightened, however many others are. Larger:
    slower; smaller: the right law is dropped where readings depart a little from every law (a switched rod), because
    this departure is inferred later."""
    most_close: int = 8
    """Largest number of laws tightened for that reason."""
    margin_per_reading_if_satisfied: float = 0.03
    """The same if the best soft law is satisfied."""
    cost_if_satisfied: float = 30.0
    """Nats, for each record of usual length: largest cost of the residual of a law that is satisfied. Larger: wrong
    laws end the search early; smaller: it continues in vain."""
    cost_if_well_satisfied: float = 10.0
    """The same, above which a law is also fitted gradually. Smaller: more fits; larger: shocks between sensors are
    missed (Burgers, layouts 132 to 134; docs/ARCHITECTURE.md)."""
    parts_tightened: int = 2
    """Subsets of the tightened laws that are tightened, too. More: slower; fewer: a superfluous term that compensates
    for a coarse mesh hides the right law (heat, noise 0.05, layout 152)."""
    highest_order: int = 3
    """Order of derivatives: with higher ones, the score of a soft law is overestimated, and laws far behind it are
    tightened, too. Larger: the right law may be dropped early (heat, noise 0.05, layout 158); smaller: slower."""
    rounds: int = 5
    """Rounds of exchanging terms. More: farther from the proposals; slower."""
    as_good: float = 2.0
    """Nats: soft laws that score less than the best by at most this are also changed. Larger: slower; smaller: where
    noise is as large as the field, chance decides from which law the search goes on (Burgers, 64 sensors, layout 301).
    """
    refitted_with_noise: int = 4
    """Laws that are also fitted with larger errors of sensors, if none is satisfied. More: slower."""
    noise_ratio: float = 1.3
    """Ratio: noise of a law to that of the initial fields, above which it is noisier and not fitted gradually. Larger:
    useless fits with too small a noise."""
    same_field: float = 0.02
    """Share of the left side (rms): fits of a law that differ by less converge to the same one with a tight tolerance.
    Larger: fewer fits; another minimum may be missed."""
    gain_per_reading_on_finer_mesh: float = 0.01
    """Nats for each reading that a finer mesh has to gain. Smaller: finer, slower meshes; larger: the mesh is too
    coarse for the fields of the laws."""
    laws_on_finer_mesh: int = 4
    """Laws that are tried on it, in addition to the best of each size. More: slower."""


@dataclass(frozen=True)
class TightLawOptions:
    """When tight laws are convincing (``by_order.py``, ``search.py``)."""

    relative_residual: float = 0.1
    """Share of the left side: a law with a larger residual is not convincing. Larger: wrong laws end the search;
    smaller: more initial fields are tried."""
    fall_per_reading: float = 0.05
    """Nats for each reading by which a right law may lose when it is tightened, or on a finer mesh, before its rivals
    are tried there, too. Larger: laws that profit from the coarse mesh win; smaller: more fits."""
    left_out_error: float = 0.1
    """Share of the readings' sd by which readings, included or left out, may deviate from a convincing law, beyond
    noise. Larger: wrong laws end the search (Burgers, layouts 132 to 134; docs/ARCHITECTURE.md); smaller: more initial
    fields."""


@dataclass(frozen=True)
class ChangeOptions:
    """Single-term changes (``neighbours.py``, ``search.py``)."""

    margin: float = 3.0
    """Nats: a change that is expected to score less than the best law by more is not fitted (docs/refine.md). Larger:
    more fits; smaller: closed forms decide."""
    mentioned: float = 10.0
    """Nats: changes that score less by more are not reported. Larger: longer tables."""
    fits: int = 3
    """Changes that are fitted in each round. More: slower; fewer: the search may end early."""
    rounds: int = 8
    """Rounds, in each of which the best law may change. More: farther from the first law; slower."""
    residual: float = 0.01
    """Share of the left side: largest residual of a change, or twice that of the best law if larger. Larger: laws that
    profit from what the mesh cannot resolve."""
    climbing: float = 0.1
    """Nats that an exchange has to gain in closed form. Smaller: more steps with little effect."""
    scored: int = 8
    """Laws of the search in closed form that are scored by held-out sensors. More: slower."""
    exchanged_in_pairs: int = 24
    """Candidates with the largest gains that are also exchanged in pairs. Time grows with the square."""
    added_in_pairs: int = 40
    """Candidates with the largest scores that are also added in pairs. Time grows with the square."""


@dataclass(frozen=True)
class VaryingOptions:
    """Coefficients that vary along the axis (``varying.py``)."""

    bases: int = 2
    """Soft laws whose coefficients are varied: the best ones, and of each size if there are none. More: slower."""
    terms: int = 3
    """Largest size of such laws. More: slower, and more false positives."""
    margin: float = 5.0
    """Nats by which the total score of a soft law that varies may be below the best, because its noise is not inferred
    yet. Larger: more fits."""
    least_sensors: int = 10
    """Required for coefficients to vary without being requested. With six, they explained errors of real sensors."""
    fits: int = 2
    """Laws that are fitted with a tight tolerance. More: slower."""
    penalty: float = math.log(10)
    """Nats: prior probability of 1 in 10 that a coefficient varies without being requested. Larger: variation is
    missed."""


@dataclass(frozen=True)
class ComplexityOptions:
    """Prior probabilities of terms (``complexity.py``)."""

    per_factor: float = math.log(2)
    """Nats: a further factor or derivative halves the prior probability of a term. With the same penalty for all,
    products such as u·u_xx² replaced diffusion where a shock lies between sensors (docs/ARCHITECTURE.md). Larger:
    products are missed."""
    of_simple_product: int = 3
    """Largest number of factors and derivatives of a simple product. Larger: products of derivatives displace reactions
    and diffusion (docs/ARCHITECTURE.md)."""


@dataclass(frozen=True)
class VerdictOptions:
    """Whether the readings determine a law (``verdict.py``)."""

    evidence: float = 5.0
    """Nats by which a law must predict held-out sensors better than no law; also the least difference that is relevant.
    Larger: right laws are rejected; smaller: noise is mistaken for a law."""
    error_ratio: float = 1.2
    """Ratio: the law's error at held-out sensors to that of smoothness alone, above which a term is missing. Larger:
    wrong laws are accepted."""
    noise_overestimated: float = 0.5
    """Ratio: error of soft laws to the expected one, below which the noise is overestimated and the score will
    increase. Smaller: the search is given up early."""
    precise: float = 0.01
    """Share of the readings' sd: error of soft laws, which is their tolerance, below which it is not due to noise.
    Smaller: readings without noise are given up early (heat, noise 0, layout 154)."""
    soft_error_ratio: float = 1.2
    """Ratio: error of soft laws to that of models without dynamics, below which the search continues, because their
    noise is not inferred yet. Smaller: given up early."""
    unexplained: float = 0.2
    """Share of the left side: a law whose own field has a larger residual is rejected. Larger: wrong laws are
    accepted."""
    noise_by_chance: float = 1.2
    """Ratio: deviation of readings from a right law to the noise without a law, at most by chance. Larger: deviations
    are missed; smaller: chance is reported as one."""
    departure: float = 0.15
    """Share of the readings' sd by which they may deviate from a law's field, beyond noise. Real instruments and simple
    laws agree to a few per cent (two rods at hand: 6 and 3 %). Larger: wrong laws are accepted."""


@dataclass(frozen=True)
class SearchOptions:
    orders: OrderOptions = OrderOptions()
    proposals: ProposalOptions = ProposalOptions()
    soft: SoftLawOptions = SoftLawOptions()
    tight: TightLawOptions = TightLawOptions()
    changes: ChangeOptions = ChangeOptions()
    varying: VaryingOptions = VaryingOptions()
    complexity: ComplexityOptions = ComplexityOptions()
    verdict: VerdictOptions = VerdictOptions()
    weighings: int = 2000
    """Bootstrap replicates of the sensors' weights, over which probabilities are averaged (``averaging.py``). More:
    smaller statistical error; slower."""
    growth_every: int = 7
    """One in so many points of the mesh is tested for growth (``well_posed.py``). Larger: faster; ill-posed laws may be
    missed."""


SEARCH = SearchOptions()
