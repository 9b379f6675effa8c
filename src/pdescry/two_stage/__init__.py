"""The method in two stages: a field that obeys no law is sampled, and the law is regressed on its derivatives.

    readings ─ network.py ─▶ Posterior ─▶ Derivatives ─▶ SparseFit of each field ─▶ Regressed

Read first ``method.py`` (`TwoStage`: what it can do, and its stages), then ``inference.py`` (`Regressed`: what it gives
back). ``network.py`` samples the fields of a run and keeps them, ``fields.py`` is the network's field as a forward
solution asks for it, ``draws.py`` draws laws. `discovery/inference.py` says what any method has to offer.
"""

from __future__ import annotations

from pdescry.two_stage.fields import NetworkField
from pdescry.two_stage.inference import Regressed
from pdescry.two_stage.method import TwoStage

__all__ = ["NetworkField", "Regressed", "TwoStage"]
