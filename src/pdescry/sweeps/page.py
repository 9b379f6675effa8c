"""index.html of a sweep: a table that sorts, and coefficients against whatever was varied. It needs nothing else.

Its figures and its table are drawn by ``assets/study.js`` from the numbers in the page; colours and type are those of
the reports (``report/assets/style.css``).
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping
from html import escape
from importlib import metadata, resources
from pathlib import Path
from string import Template
from typing import Any

import pandas as pd

from pdescry.files import appearing
from pdescry.sweeps.case import Case
from pdescry.sweeps.study import DONE, FAILED, Outcome

DIGITS = 7  # of a number in the page; results.csv has all
REASONS = 20  # kinds of failures that are listed


def write_page(
    path: Path, name: str, cases: Mapping[str, Case], outcomes: Mapping[str, Outcome], table: pd.DataFrame
) -> None:
    text = page_of(name, cases, outcomes, table)
    with appearing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def page_of(name: str, cases: Mapping[str, Case], outcomes: Mapping[str, Outcome], table: pd.DataFrame) -> str:
    return Template(_asset("pdescry.sweeps", "study.html")).substitute(
        version=metadata.version("pdescry"),
        title=escape(f"Sweep: {name}"),
        style=_asset("pdescry.report", "style.css") + _asset("pdescry.sweeps", "study.css"),
        summary=_summary(cases, outcomes),
        failures=_failures(outcomes),
        data=_json(_numbers(cases, outcomes, table)),
        script=_asset("pdescry.sweeps", "study.js"),
    )


def _numbers(cases: Mapping[str, Case], outcomes: Mapping[str, Outcome], table: pd.DataFrame) -> dict[str, Any]:
    varied = list(dict.fromkeys(name for case in cases.values() for name in case.varied))
    columns = ["case", *varied, "status", "verdict", "law", "probability", "seconds", "report"]
    shown = table[columns].astype(object).where(table[columns].notna(), None)
    rows = [[_short(value) for value in row] for row in shown.itertuples(index=False, name=None)]
    points = [
        [
            place,
            each["field"],
            each["term"],
            *(_short(each[part]) for part in ("mean", "low", "high", "probability", "sd")),
        ]
        for place, case in enumerate(cases)
        if (outcome := outcomes.get(case)) is not None and outcome.summary
        for each in outcome.summary["coefficients"]
    ]
    return {"columns": columns, "varied": varied, "rows": rows, "points": points}


def _short(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}") if math.isfinite(value) else None
    return value if value is None or isinstance(value, str | int | bool) else str(value)


def _summary(cases: Mapping[str, Case], outcomes: Mapping[str, Outcome]) -> str:
    status = Counter(each.status for each in outcomes.values())
    verdicts = Counter(each.summary["verdict"] for each in outcomes.values() if each.summary)
    parts = [f"{len(cases)} cases: {status[DONE]} done"]
    if status[FAILED]:
        parts.append(f"{status[FAILED]} failed")
    if waiting := len(cases) - status[DONE] - status[FAILED]:
        parts.append(f"{waiting} not done yet")
    text = f" Of those done, {verdicts['law']} have a law"
    if verdicts["law of some fields"]:
        text += f", {verdicts['law of some fields']} one of some of their fields"
    if verdicts["cannot tell"]:
        text += f", and for {verdicts['cannot tell']} the readings do not determine one"
    return escape(", ".join(parts) + "." + (f"{text}." if status[DONE] else ""))


def _failures(outcomes: Mapping[str, Outcome]) -> str:
    """Reasons, each once, with the cases that they are of."""
    failed: dict[str, list[str]] = {}
    for outcome in outcomes.values():
        if outcome.status == FAILED:
            failed.setdefault(outcome.reason, []).append(outcome.case)
    if not failed:
        return ""
    items = [
        f"<li>{escape(', '.join(names[:3]))}{f' and {len(names) - 3} more' if len(names) > 3 else ''}: "
        f"{escape(reason)}</li>"
        for reason, names in list(failed.items())[:REASONS]
    ]
    more = f"<p>And {len(failed) - REASONS} other reasons; results.csv has all.</p>" if len(failed) > REASONS else ""
    return f'<section class="told warn"><h2 id="failures">Failed</h2><ul>{"".join(items)}</ul>{more}</section>'


def _asset(package: str, name: str) -> str:
    return (resources.files(package) / "assets" / name).read_text(encoding="utf-8")


def _json(numbers: dict[str, Any]) -> str:
    """So that no text in it can end the element that it is in."""
    return json.dumps(numbers, ensure_ascii=False, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
