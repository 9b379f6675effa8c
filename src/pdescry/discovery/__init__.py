"""`Readings` → `Law`: the one orchestrator, its presets and its run directory.

    readings ─ discover ─▶ posterior ─▶ derivatives ─▶ fits ─▶ Law ─▶ print, predict, simulate, save
               settings      each stage a file in the run directory (``run.py``)

Read first ``discover.py`` (the verb and its stages), then ``law.py`` (what it gives back) and ``settings.py`` (what can
be chosen; the presets). ``config.py`` is settings as TOML, ``run.py`` the directory, ``forward.py`` the law solved
forward, ``judgement.py`` the warnings.
"""

from __future__ import annotations

from pdescry.discovery.config import from_words, load_config, merged, to_toml
from pdescry.discovery.discover import choose_settings, discover, resume
from pdescry.discovery.law import Law, load
from pdescry.discovery.settings import PRESETS, Settings, preset_settings

__all__ = [  # noqa: RUF022 -- the order of a user's work
    "discover",
    "resume",
    "Law",
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
