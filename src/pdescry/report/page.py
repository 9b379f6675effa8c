"""The page of a law: one self-contained HTML file that opens from disk.

Text and tables come from ``sections.py``; figures are drawn by ``assets/figures.js``, in the plane with ``plane.js``,
from the data of ``numbers.py``.
"""

from __future__ import annotations

import json
import os
from html import escape
from importlib import metadata, resources
from pathlib import Path
from string import Template
from typing import Any

from pdescry.files import appearing, check_target
from pdescry.plot.field import IN_THE_PLANE, on_a_grid
from pdescry.report.forward import forward_of
from pdescry.report.law import Reported
from pdescry.report.next_sensor import advice_of, map_of
from pdescry.report.numbers import fields_of, numbers_of
from pdescry.report.sections import sections_of


def write_page(law: Reported, path: str | os.PathLike[str]) -> None:
    """Write the report of a law to an HTML file."""
    check_target(path, (".html", ".htm"))
    text = page_of(law)
    with appearing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def page_of(law: Reported) -> str:
    name = Path(law.readings.source or "readings").name or "readings"
    more = len(law.experiments) - 1
    titled = f"{name} and {more} more" if more else name
    fields = fields_of(law)
    in_the_plane = len(law.readings.axes) > 1
    grids = [on_a_grid(field, IN_THE_PLANE if in_the_plane else None) for field in fields]
    numbers = numbers_of(law, Path(name).stem, fields, grids)
    numbers["forward"] = forward_of(law, grids[0] if grids else None)
    advice = advice_of(law)
    numbers["next"] = map_of(law, advice)
    return Template(_asset("page.html")).substitute(
        version=metadata.version("pdescry"),
        title=escape(f"The law behind {titled}"),
        style=_asset("style.css"),
        body=f"<main>{''.join(sections_of(law, titled, numbers, advice))}</main>",
        data=_json(numbers),
        script=_asset("figures.js") + (_asset("plane.js") if numbers["planes"] else ""),
    )


def _asset(name: str) -> str:
    return (resources.files("pdescry.report") / "assets" / name).read_text(encoding="utf-8")


def _json(numbers: dict[str, Any]) -> str:
    """Escaped, so that no text in it can end the element that contains it."""
    return json.dumps(numbers, ensure_ascii=False, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
