"""What can be chosen, declared once: from a declaration come arguments, TOML, flags, comments, checks and completion.

    Setting ─ beside its default, in the noun that has it ─▶ checks in Python, a line of TOML, ``--set``, Tab
            └ with a Flag ─▶ an option of `pdescry discover`

Read first ``setting.py`` (a declaration, and what reads it), then ``run.py`` (those of a run that belong to no noun,
the order of the sections, the flags). ``values.py`` has checks that only one setting needs, ``words.py`` what becomes
of words typed at the shell. The nouns (`Joint`, `HMC`, `Network`, …) declare their options where they are;
``discovery/settings.py`` puts all of it together.

Nothing here loads numpy: every ``--help`` and every Tab comes by.
"""

from __future__ import annotations

from pdescry.schema.setting import (
    Flag,
    Setting,
    check_settings,
    optional,
    positive,
    setting,
    settings_of,
    switch,
    texts,
    whole,
)

__all__ = [
    "Flag",
    "Setting",
    "check_settings",
    "optional",
    "positive",
    "setting",
    "settings_of",
    "switch",
    "texts",
    "whole",
]
