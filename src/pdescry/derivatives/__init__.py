"""Derivatives of the field, averaged over its draws: a `Posterior` and candidate terms in, `Derivatives` out.

Read `differentiate` first (the verb) and `differentiation` (its work, which can start before the last draw is made),
then `taylor` (all partial derivatives of a tanh network in one pass, independent of everything else), `library` (terms
from derivatives, in scaled units), `sweep` (over points and draws, on all cores, in bounded memory) with `moments` (a
running mean and variance), `points` (where) and `derivatives` (the result).
"""

from pdescry.derivatives.derivatives import Derivatives
from pdescry.derivatives.differentiate import differentiate

__all__ = ["Derivatives", "differentiate"]
