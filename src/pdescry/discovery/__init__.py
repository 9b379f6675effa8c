"""`Readings` → `Law`: the one orchestrator, its presets and its run directory.

    readings ─ discover ─▶ posterior ─▶ (derivatives ─▶) fits ─▶ Law ─▶ print, predict, simulate, save
               settings      each stage a file in the run directory (``run.py``)

Read first ``discover.py`` (the verb and its stages), then ``law.py`` (what it gives back; ``fit.py`` says of what) and
``settings.py`` (what can be chosen; the presets). ``way.py`` is the method where none was chosen, ``config.py`` has
settings as TOML, ``run.py`` the directory, ``storage.py`` the result in it. ``forward.py`` solves the law forward from
a field of ``fields.py``, ``draws.py`` draws laws, ``judgement.py`` warns, ``next_sensor.py`` says where to read next.
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
