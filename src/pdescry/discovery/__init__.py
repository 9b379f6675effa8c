"""`Readings` → `Law`: the one orchestrator, its presets and its run directory.

    readings ─ discover ─▶ Method ─ infer ─▶ Inference ─▶ Law ─▶ print, predict, simulate, save
               settings             each stage a file in the run directory (``run.py``)

Read first ``discover.py`` (the verb), then ``method.py`` (what it asks of a method, and which one is taken),
``inference.py`` (what a method gives back; ``fit.py``: for each field), ``law.py`` (the same for users) and
``settings.py`` (what can be chosen; ``nouns.py``: sections that are nouns; ``presets.py``). ``coefficients.py`` has the
names and units of a law's coefficients, ``derive.py`` quantities derived from them. ``config.py`` has settings as TOML,
``run.py`` the directory, ``storage.py`` the result in it. ``forward.py`` solves the law forward from a field as
``fields.py`` has it, with ends by ``following.py``, and ``score.py`` scores it; ``judgement.py`` warns,
``next_sensor.py`` says where to read next.
"""

from __future__ import annotations

from pdescry.discovery.config import from_words, load_config, merged, to_toml
from pdescry.discovery.derive import Derived
from pdescry.discovery.discover import choose_settings, discover, resume
from pdescry.discovery.law import Law, load
from pdescry.discovery.presets import PRESETS, preset_settings
from pdescry.discovery.settings import Settings

__all__ = [  # noqa: RUF022 -- the order of a user's work
    "discover",
    "resume",
    "Law",
    "Derived",
    "load",
    "Settings",
    "PRESETS",
    "preset_settings",
    "choose_settings",
    "to_toml",
    "load_config",
    "from_words",
    "merged",
]
