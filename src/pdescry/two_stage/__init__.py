"""The two-stage method: a field without a law is sampled, and the law is found by a regression on its derivatives.

    readings ─ network.py ─▶ Posterior ─▶ Derivatives ─▶ SparseFit of each field ─▶ Regressed

Read first ``method.py`` (`TwoStage`: its capabilities and stages), then ``inference.py`` (`Regressed`: its result).
``network.py`` samples the fields of a run and saves them, ``fields.py`` is the network's field in the form that forward
solutions require, ``draws.py`` draws laws. The protocol of all methods is `discovery/inference.py`.
"""

from __future__ import annotations

from pdescry.two_stage.fields import NetworkField
from pdescry.two_stage.inference import Regressed
from pdescry.two_stage.method import TwoStage

__all__ = ["NetworkField", "Regressed", "TwoStage"]
