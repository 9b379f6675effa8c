"""What came of a sweep as a table: a row a case, a column for each term's coefficient, sd and probability."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from pdescry.files import appearing
from pdescry.sweeps.case import Case
from pdescry.sweeps.study import DONE, Outcome, run_directory

ABOUT = ("status", "verdict", "law", "probability", "warnings", "seconds", "reason", "report")
OF_A_TERM = {"mean": "", "sd": " sd", "low": " low", "high": " high", "probability": " probability"}


def table_of(cases: Mapping[str, Case], outcomes: Mapping[str, Outcome], path: Path) -> pd.DataFrame:
    """One row for each case, in their order; those that have not ended have the status "waiting".

    Columns: case; what was varied; status, verdict ("law", "law of some fields" or "cannot tell"), law, its
    probability, number of warnings, seconds, reason of a failure, report (relative to the sweep's folder); then, for
    each term of any law, its coefficient under the term's own name (``u: u_xx`` if there are several fields), its sd,
    the 95 % interval and its probability.
    """
    several = len({each["field"] for one in outcomes.values() for each in _coefficients(one)}) > 1
    rows = [_row(case, outcomes.get(name), path, several) for name, case in cases.items()]
    varied = dict.fromkeys(name for case in cases.values() for name in case.varied)
    terms = dict.fromkeys(name for row in rows for name in row if name not in ("case", *varied, *ABOUT))
    return pd.DataFrame(rows, columns=pd.Index(["case", *varied, *ABOUT, *terms]))


def _coefficients(outcome: Outcome) -> list[dict[str, Any]]:
    return outcome.summary["coefficients"] if outcome.summary else []


def _row(case: Case, outcome: Outcome | None, path: Path, several: bool) -> dict[str, Any]:
    varied = {name: _cell(value) for name, value in case.varied.items()}
    if outcome is None:
        return {"case": case.name, **varied, "status": "waiting"}
    summary = outcome.summary or {}
    row: dict[str, Any] = {
        "case": case.name,
        **varied,
        "status": outcome.status,
        **{name: summary.get(name) for name in ("verdict", "law", "probability", "warnings")},
        "seconds": outcome.seconds,
        "reason": outcome.reason or None,
    }
    if outcome.status == DONE and summary.get("report"):
        row["report"] = (run_directory(path, case.name) / "report.html").relative_to(path).as_posix()
    for each in _coefficients(outcome):
        name = f"{each['field']}: {each['term']}" if several else each["term"]
        row |= {f"{name}{ending}": each[part] for part, ending in OF_A_TERM.items()}
    return row


def _cell(value: Any) -> Any:
    """A number or a text: one kind a column is what Parquet can hold."""
    if isinstance(value, list):
        return ", ".join(str(each) for each in value)
    return str(value) if isinstance(value, dict) else value


def write_results(path: Path, table: pd.DataFrame) -> list[Path]:
    """results.csv and, where pyarrow is installed (``pdescry[parquet]``), results.parquet."""
    written = [path / "results.csv"]
    with appearing(written[0]) as temporary:
        table.to_csv(temporary, index=False, lineterminator="\n", encoding="utf-8")
    if importlib.util.find_spec("pyarrow") is None:
        return written
    whole = table.copy()
    for name in table.columns:  # of mixed kinds, where a setting is now a number, now a word
        values = table[name].tolist()
        if any(isinstance(each, str) for each in values) and len({type(each) for each in values}) > 1:
            whole[name] = [each if each is None or each != each else str(each) for each in values]
    with appearing(path / "results.parquet") as temporary:
        whole.to_parquet(temporary, index=False)
    return [*written, path / "results.parquet"]
