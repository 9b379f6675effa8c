"""Settings to begin from: the default ones, and the paper's as it was run and as it is printed."""

from __future__ import annotations

from dataclasses import replace

from pdescry.discovery.method import KINDS
from pdescry.discovery.settings import Settings
from pdescry.errors import InputError
from pdescry.registry import Registry
from pdescry.surrogate import HMC, PAPER_DNN, Network, Noise, Prior


def _paper() -> Settings:
    return Settings(
        preset="paper",
        candidates="paper",
        network=Network(50, 5),
        prior=Prior("standard_normal", scale=1.0),
        noise=Noise(0.1),  # the text's σ = 0.01 was handed over as a precision of 1/0.01
        start=PAPER_DNN,
        sampler=HMC(step_size=5e-4, steps=30, draws=5800, burn=200),
        chains=1,
        standardise="inputs",
        average=False,
        faults="ignore",
        within="box",
        method=KINDS["stblr"](0.005, gamma_power=0.5),
    )


def _paper_as_printed() -> Settings:
    return replace(
        _paper(),
        preset="paper_as_printed",
        network=Network(50, 4),
        noise=Noise(0.01),
        method=KINDS["stblr"](0.005, gamma_power=1.0),
    )


PRESETS: Registry[Settings] = Registry({"default": Settings, "paper": _paper, "paper_as_printed": _paper_as_printed})


def preset_settings(name: str) -> Settings:
    if not isinstance(name, str) or name not in PRESETS:
        raise InputError(f"Expected the preset to be one of {', '.join(PRESETS)}; got {name!r}.")
    return PRESETS[name]
