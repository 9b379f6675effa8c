"""The language of equations: text in, `Equation` and `Term` out. No numerics.

Read `term` first (what a term is), then `syntax` and `parser` (text → values), `algebra` (products and the product
rule), `printing` (values → text, Unicode, LaTeX), `candidates` (libraries of terms), `units` (exact change of units)
and `formula` (functions of the coordinates, for initial states).
"""

from pdescry.equation.candidates import candidates
from pdescry.equation.equation import Component, Equation
from pdescry.equation.formula import Formula
from pdescry.equation.term import Term

__all__ = ["Component", "Equation", "Formula", "Term", "candidates"]
