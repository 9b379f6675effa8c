"""Samplers, one file and one anatomy each (``sampler.py``): MCLMC is the default, HMC the paper's.

`SAMPLERS` is the registry: run directories name samplers by it, and the shared tests run over it.
"""

from __future__ import annotations

from pdescry.surrogate.samplers.adjusted_mclmc import AdjustedMCLMC
from pdescry.surrogate.samplers.hmc import HMC
from pdescry.surrogate.samplers.mclmc import MCLMC
from pdescry.surrogate.samplers.nuts import NUTS
from pdescry.surrogate.samplers.point import Point
from pdescry.surrogate.samplers.sampler import Info, Sampler, SamplingError

SAMPLERS = {kind.__name__: kind for kind in (MCLMC, AdjustedMCLMC, HMC, NUTS, Point)}

__all__ = ["HMC", "MCLMC", "NUTS", "SAMPLERS", "AdjustedMCLMC", "Info", "Point", "Sampler", "SamplingError"]
