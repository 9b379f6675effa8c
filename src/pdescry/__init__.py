"""pdescry: the partial differential equation behind a handful of noisy sensors, and how sure it is.

The names below load when first used, so that ``import pdescry`` is quick. Start with :func:`pdescry.read` for your own
file or :mod:`pdescry.systems` for synthetic readings, and :func:`pdescry.discover` for the law behind them: by default
it infers fields and law together, as :func:`pdescry.choose` does. :func:`pdescry.refine` infers the coefficients of a
law whose terms are given, and :func:`pdescry.simulate` solves an equation forward. The two stages of the paper are
:func:`pdescry.interpolate` for the field, and :func:`pdescry.differentiate` and :func:`pdescry.regress` for the law
behind it.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.2.0"

if TYPE_CHECKING:
    from pdescry import plot as plot
    from pdescry.data import Input as Input
    from pdescry.data import Readings as Readings
    from pdescry.data import SensorFault as SensorFault
    from pdescry.data import read as read
    from pdescry.data import systems as systems
    from pdescry.derivatives import Derivatives as Derivatives
    from pdescry.derivatives import differentiate as differentiate
    from pdescry.discovery import Derived as Derived
    from pdescry.discovery import Law as Law
    from pdescry.discovery import discover as discover
    from pdescry.discovery import load as load
    from pdescry.discovery import resume as resume
    from pdescry.equation import Equation as Equation
    from pdescry.equation import Term as Term
    from pdescry.equation import candidates as candidates
    from pdescry.errors import EquationError as EquationError
    from pdescry.errors import InputError as InputError
    from pdescry.errors import PdescryError as PdescryError
    from pdescry.joint import Choice as Choice
    from pdescry.joint import Joint as Joint
    from pdescry.joint import JointFit as JointFit
    from pdescry.joint import choose as choose
    from pdescry.joint import examine as examine
    from pdescry.joint import refine as refine
    from pdescry.regression import SparseFit as SparseFit
    from pdescry.regression import regress as regress
    from pdescry.solver import Solution as Solution
    from pdescry.solver import simulate as simulate
    from pdescry.surrogate import Posterior as Posterior
    from pdescry.surrogate import interpolate as interpolate
    from pdescry.sweeps import Study as Study
    from pdescry.sweeps import sweep as sweep

_HOME = {
    "Choice": "pdescry.joint",
    "Derivatives": "pdescry.derivatives",
    "Derived": "pdescry.discovery",
    "Equation": "pdescry.equation",
    "EquationError": "pdescry.errors",
    "Input": "pdescry.data",
    "InputError": "pdescry.errors",
    "Joint": "pdescry.joint",
    "JointFit": "pdescry.joint",
    "Law": "pdescry.discovery",
    "PdescryError": "pdescry.errors",
    "Posterior": "pdescry.surrogate",
    "Readings": "pdescry.data",
    "SensorFault": "pdescry.data",
    "Solution": "pdescry.solver",
    "SparseFit": "pdescry.regression",
    "Study": "pdescry.sweeps",
    "Term": "pdescry.equation",
    "candidates": "pdescry.equation",
    "choose": "pdescry.joint",
    "differentiate": "pdescry.derivatives",
    "discover": "pdescry.discovery",
    "examine": "pdescry.joint",
    "interpolate": "pdescry.surrogate",
    "load": "pdescry.discovery",
    "read": "pdescry.data",
    "refine": "pdescry.joint",
    "regress": "pdescry.regression",
    "resume": "pdescry.discovery",
    "simulate": "pdescry.solver",
    "sweep": "pdescry.sweeps",
    "systems": "pdescry.data",
}
__all__ = [  # noqa: RUF022 -- the order of a user's work
    "__version__",
    "Equation",
    "Term",
    "candidates",
    "Solution",
    "simulate",
    "Readings",
    "Input",
    "SensorFault",
    "read",
    "examine",
    "systems",
    "discover",
    "resume",
    "Law",
    "Derived",
    "load",
    "sweep",
    "Study",
    "plot",
    "interpolate",
    "Posterior",
    "differentiate",
    "Derivatives",
    "regress",
    "SparseFit",
    "choose",
    "Joint",
    "Choice",
    "refine",
    "JointFit",
    "PdescryError",
    "InputError",
    "EquationError",
]


def __getattr__(name: str) -> Any:
    if name == "plot":
        return importlib.import_module("pdescry.plot")
    if name in _HOME:
        return getattr(importlib.import_module(_HOME[name]), name)
    raise AttributeError(f"module 'pdescry' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
