"""Options that several methods share, declared once: what they mean, for `pdescry config`."""

from __future__ import annotations

from typing import Annotated

from pdescry.schema import Setting

Threshold = Annotated[
    float,
    Setting("δ, in the units of the coefficients; the paper's: Burgers 0.005, KdV 0.05, heat 0.02"),
]
Doubling = Annotated[bool, Setting("whether the threshold doubles after each pass")]
GammaPower = Annotated[
    float, Setting("rows are scaled by γ^(−this): 0.5 as the paper's program, 1 as its text, 0 alike")
]
