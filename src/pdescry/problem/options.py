"""Tuned numbers of what is asked: default candidates, and domains (`problem`).

Each field has its unit, what it trades, and where it was measured; where no source is named, it was chosen, not
measured.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class LibraryOptions:
    """Candidates where the user names none (``library.py``)."""

    sensors_per_factor: int = 2
    """Sensors that a term takes for each factor and each order of its derivatives: what is tried grows with what they
    can distinguish. With six sensors, u·u_xxx and offsets of 4 °C explained an aluminium rod better than diffusion and
    losses did (docs/ARCHITECTURE.md). Larger: laws of high order are not tried."""
    sensors_per_derivative: int = 4
    """Sensors along the axis that each order of a derivative takes; second derivatives are always tried. Fields of laws
    of third order may vary within the intervals of a few sensors, and so explain whatever is wrong with these: eight
    thermometers with errors of 2 % on a rod, by waves as long as their intervals. Larger: dispersion is not tried."""
    always: int = 3
    """Factors and orders of terms that any number of sensors is asked for: diffusion, advection, reactions up to cubic
    ones."""
    highest_alone: int = 4
    """Order of derivatives alone and times a field, of several fields. Larger: more candidates, slower."""
    highest_in_products: int = 2
    """Order of derivatives in other products of several fields."""
    many_fields: int = 3
    """Fields, from which products of a field hold derivatives up to `highest_in_products` only."""


@dataclass(frozen=True)
class DomainOptions:
    """Domains and ends (``ends.py``), in intervals of the sensors."""

    widest: float = 3.0
    """Domain: beyond, nothing would speak but the law. Larger: fields are made up."""
    common_end: float = 0.5
    """Distance of an end beyond the sensors of one experiment, up to which it is in the domain, if other experiments
    end there. Larger: fields are made up."""
    points_of_edge: int = 65
    """Number of points along a known edge in the plane, up to which the law is required. Fewer: gaps beside images of
    many pixels."""


@dataclass(frozen=True)
class ProblemOptions:
    library: LibraryOptions = LibraryOptions()
    domain: DomainOptions = DomainOptions()


PROBLEM = ProblemOptions()
