"""`Readings` → `Posterior`: a Bayesian neural network, sampled.

    readings ─ scaling ─▶ model (network, prior, noise) ─ log p ─▶ chains ─▶ Posterior ─▶ predict, diagnostics
                                                       warm_start → samplers/, in blocks,
                                                       each on disk, over worker processes

Read first ``interpolate.py`` (the verb), then ``model.py`` (the posterior as a function), ``chain.py`` (one chain, in
blocks that can be resumed) and ``samplers/sampler.py`` (the anatomy of a sampler). ``problem.py`` and
``checkpoint.py`` are the chain's files; ``pool.py`` and ``worker.py`` its processes. ``posterior.py`` is the type
handed on, ``storage.py`` its file, ``diagnostics.py`` the verdict on it, ``compiled.py`` what both ask of draws.

Importing this loads no JAX: what is chosen (``network.py``, ``prior.py``, ``noise.py``, ``adam.py``, ``samplers/``) and
what is handed on are plain; ``evaluate.py``, ``warm_start.py`` and the files named first load when a network is sampled
or asked.
"""

from __future__ import annotations

from pdescry.surrogate.adam import PAPER_DNN, Adam
from pdescry.surrogate.diagnostics import Diagnostics
from pdescry.surrogate.interpolate import interpolate, train
from pdescry.surrogate.network import Network
from pdescry.surrogate.noise import Noise
from pdescry.surrogate.posterior import Posterior
from pdescry.surrogate.prior import Prior
from pdescry.surrogate.samplers import HMC, MCLMC, NUTS, AdjustedMCLMC, Point, SamplingError

__all__ = [  # noqa: RUF022 -- the order of a user's work
    "interpolate",
    "train",
    "Posterior",
    "Diagnostics",
    "Network",
    "Prior",
    "Noise",
    "Adam",
    "PAPER_DNN",
    "MCLMC",
    "AdjustedMCLMC",
    "HMC",
    "NUTS",
    "Point",
    "SamplingError",
]
