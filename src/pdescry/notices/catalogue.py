"""`CATALOGUE`: the codes of all notices, and the template of each one's sentence (``notice.py`` has the notation)."""

from __future__ import annotations

from pdescry.notices import of_fields, of_forward, of_laws, of_readings, of_regressions

CATALOGUE: dict[str, str] = {}
for _room in (of_readings, of_fields, of_regressions, of_laws, of_forward):
    if _twice := CATALOGUE.keys() & _room.TEMPLATES.keys():
        raise ValueError(f"Expected each code once; {sorted(_twice)[0]!r} is declared twice.")
    CATALOGUE |= _room.TEMPLATES
