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
    """Terms: the order of whose laws so many explain most of inferred fields is looked at first. More: products of
    derivatives explain noise."""
    laws_to_the_end: int = 4
    """Soft laws that are tightened. More: the right one is missed less often; slower."""
    of_other_order: tuple[int, int, int] = (1, 3, 2)
    """Proposals of each size, largest size, and laws that are tightened, of the other order. Larger: slower."""
    shortlist: float = 10.0
    """Nats: laws of a long record's stretches within so much of the best are fitted to the whole record. Larger:
    slower; smaller: the right law may not be among them."""
    reported: float = 3.0
    """Nats: a law of another order in time within so much of the best is mentioned. Larger: unlikely laws are told."""


@dataclass(frozen=True)
class ProposalOptions:
    """Laws worth a fit (``proposals.py``)."""

    least_explained: float = 0.5
    """Ratio: what a law explains of its fields to what one of its size explains of others, below which it is not
    proposed. Larger: fewer fits; the right field to begin from may be missed."""
    gain_per_factor: float = 0.02
    """Share of what is unexplained that a further factor or derivative has to take away to be proposed first. Larger:
    simple laws first; smaller: products that explain noise crowd them out."""
    most_subsets: int = 400_000
    """Subsets of one size; above, larger ones are made of the candidates that explain most. More: memory and time."""


@dataclass(frozen=True)
class SoftLawOptions:
    """Which soft laws are followed up (``search.py``, ``by_order.py``, ``fitted_law.py``)."""

    margin_per_reading: float = 0.1
    """Nats a reading: a soft law that is worse than the best by more is not tightened. Larger: more fits; smaller: the
    right law is dropped while its noise is not inferred yet."""
    margin_per_reading_if_met: float = 0.03
    """The same where the best soft law lacks nothing."""
    cost_if_met: float = 30.0
    """Nats, for each record of usual length, that the residual may cost of a law that lacks nothing. Larger: wrong laws
    end the search early; smaller: it goes on in vain."""
    cost_if_well_met: float = 10.0
    """The same, above which a law is also approached gradually. Smaller: more fits; larger: shocks between sensors are
    missed (Burgers, layouts 132 to 134; docs/ARCHITECTURE.md)."""
    parts_tightened: int = 2
    """Laws that are a part of those that are tightened, and are tightened, too. More: slower; fewer: a superfluous term
    that makes up for a coarse mesh hides the right law (heat, noise 0.05, layout 152)."""
    highest_order: int = 3
    """Order of derivatives: a soft law with higher ones promises more than it will once tight, and laws far behind it
    are tightened, too. Larger: the right law may be dropped early (heat, noise 0.05, layout 158); smaller: slower."""
    rounds: int = 4
    """Rounds of exchanging terms. More: farther from the proposals; slower."""
    refitted_with_noise: int = 4
    """Laws that are also fitted with larger errors of sensors, where none is met. More: slower."""
    noise_ratio: float = 1.3
    """Ratio: noise of a law to that of the fields it began from, above which it is noisier and not approached
    gradually. Larger: fits of the noise that the law has outgrown."""
    same_field: float = 0.02
    """Share of the left side (rms): fits of a law that differ by less end alike once it is tight. Larger: fewer fits;
    another minimum may be missed."""
    gain_per_reading_on_finer_mesh: float = 0.01
    """Nats a reading that a finer mesh has to gain. Smaller: finer, slower meshes; larger: the mesh is too coarse for
    the fields that laws lead to."""
    laws_on_finer_mesh: int = 4
    """Laws that are tried on it, beside the best of each size. More: slower."""


@dataclass(frozen=True)
class TightLawOptions:
    """When tight laws convince (``by_order.py``, ``search.py``)."""

    unresolved: float = 0.1
    """Share of the left side: a law whose fields fail it by more does not convince. Larger: wrong laws end the search;
    smaller: more starts are tried."""
    fall_per_reading: float = 0.05
    """Nats a reading by which a right law may lose as it is tightened, or on a finer mesh, before its rivals are tried
    there, too. Larger: laws that lived on the coarse mesh win; smaller: more fits."""
    left_out_error: float = 0.1
    """Share of the readings' sd that readings, seen or left out, may depart from a convincing law by, beyond noise.
    Larger: wrong laws end the search (Burgers, layouts 132 to 134; docs/ARCHITECTURE.md); smaller: more starts."""


@dataclass(frozen=True)
class ChangeOptions:
    """Single-term changes (``neighbours.py``, ``search.py``)."""

    margin: float = 3.0
    """Nats: a change that promises to score less than the best law by more is not fitted (docs/refine.md). Larger: more
    fits; smaller: closed forms decide."""
    mentioned: float = 10.0
    """Nats: changes that score less by more are not within reach. Larger: longer tables."""
    fits: int = 3
    """Changes that are fitted in each round. More: slower; fewer: the search may end early."""
    rounds: int = 8
    """Rounds, in each of which the best law may move. More: farther from the first law; slower."""
    residual: float = 0.01
    """Share of the left side that any change may fail by; else no more than twice the best law does. Larger: laws that
    live on what the mesh cannot resolve."""
    climbing: float = 0.1
    """Nats that an exchange has to gain in closed form. Smaller: more steps that hardly matter."""
    scored: int = 8
    """Laws of the search in closed form that are scored by left-out sensors. More: slower."""
    exchanged_in_pairs: int = 24
    """Candidates that gain most alone are also exchanged in pairs. Time grows with the square."""
    added_in_pairs: int = 40
    """Candidates that promise most alone are also added two at a time. Time grows with the square."""


@dataclass(frozen=True)
class VaryingOptions:
    """Coefficients that vary along the axis (``varying.py``)."""

    bases: int = 2
    """Soft laws, the most promising ones, and of each size if none is found, that are varied. More: slower."""
    terms: int = 3
    """Largest size of such laws. More: slower, and more chance."""
    margin: float = 5.0
    """Nats by which a soft law that varies may promise less than the best, as its noise is not inferred yet. Larger:
    more fits."""
    least_sensors: int = 10
    """For coefficients to vary unasked. With six, they explained what real sensors err by."""
    fits: int = 2
    """Laws that are tightened. More: slower."""
    penalty: float = math.log(10)
    """Nats: a coefficient varies unasked with probability 1 in 10 beforehand. Larger: variation is missed."""


@dataclass(frozen=True)
class ComplexityOptions:
    """Beforehand, which terms are likely (``complexity.py``)."""

    per_factor: float = math.log(2)
    """Nats: a further factor or derivative makes a term half as likely. With one price for all, products such as
    u·u_xx² replaced diffusion where a shock stands between sensors (docs/ARCHITECTURE.md). Larger: products are
    missed."""
    of_simple_product: int = 3
    """Factors and derivatives of a simple product, at most. Larger: products of derivatives crowd out reactions and
    diffusion (docs/ARCHITECTURE.md)."""


@dataclass(frozen=True)
class VerdictOptions:
    """Whether the readings determine a law (``verdict.py``)."""

    evidence: float = 5.0
    """Nats by which a law must predict left-out sensors better than no law, and differences count. Larger: right laws
    are not told; smaller: noise looks lawful."""
    error_ratio: float = 1.2
    """Ratio: the law's error at left-out sensors to that of smoothness alone, above which it lacks a term. Larger:
    wrong laws are told."""
    surer: float = 0.5
    """Ratio: error of soft laws to the expected one, below which less noise would predict more. Smaller: the search is
    given up early."""
    precise: float = 0.01
    """Share of the readings' sd: error of soft laws, the tolerance of these, below which noise is not what limits them.
    Smaller: readings without noise are given up early (heat, noise 0, layout 154)."""
    soft_error_ratio: float = 1.2
    """Ratio: error of soft laws to that of what knows no dynamics, below which there is hope: their noise is not
    inferred yet. Smaller: given up early."""
    unexplained: float = 0.2
    """Share of the left side: a law whose own field fails it by more is not told. Larger: wrong laws are."""
    noise_by_chance: float = 1.2
    """Ratio: what readings depart from a right law by to the noise without a law, by chance at most. Larger: departures
    are missed; smaller: chance is told as one."""
    departure: float = 0.15
    """Share of the readings' sd that they may depart from a law's field by, beyond noise. Real instruments and simple
    laws agree to a few per cent (two rods at hand: 6 and 3 %). Larger: wrong laws are told."""


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
    """Ways of weighing sensors, of which probabilities are averages (``averaging.py``). More: less scatter; slower."""
    growth_every: int = 7
    """Points of the mesh, of which one in so many is judged for growth (``well_posed.py``). Larger: faster; ill-posed
    laws may be missed."""


SEARCH = SearchOptions()
