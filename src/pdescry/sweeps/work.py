"""One case, as a worker does it: read, discover in its run directory, and report how it ended. It never raises.

The engine sees to it that a task has one thread.
"""

from __future__ import annotations

import json
import os
import time
import warnings
from pathlib import Path
from typing import Any

from pdescry.discovery import discover
from pdescry.discovery.run import RunInUse
from pdescry.errors import PdescryError
from pdescry.sweeps.case import Case
from pdescry.sweeps.study import DONE, FAILED, Outcome, is_study, run_directory

BUSY = "busy"  # another process works on the case: the worker of a sweep that was killed, perhaps


def run_case(study: str, case: Case, reports: bool) -> Outcome:
    """status "busy": somebody else holds its run directory, so that it has to be asked for again later."""
    began = time.monotonic()
    folder, stamps = Path(study), case.stamps(Path(study))
    summary, reason = None, ""
    try:
        if not is_study(folder):
            raise PdescryError(
                f"A worker does not see the folder {study!r}; a sweep and its workers have to share a disk."
            )
        summary = _summary(folder, case, reports)
        status = DONE
    except RunInUse as fault:
        status, reason = BUSY, str(fault)
    except PdescryError as fault:
        status, reason = FAILED, str(fault)
    except Exception as fault:  # a bug, or what no worker can fix: it stops this case alone
        status, reason = FAILED, f"{type(fault).__name__}: {fault}"
    return Outcome(case.name, status, round(time.monotonic() - began, 3), reason, summary, stamps)


def _summary(study: Path, case: Case, reports: bool) -> dict[str, Any]:
    run = run_directory(study, case.name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # they are in law.json
        readings = case.readings(study)
        law = discover(
            readings if len(readings) > 1 else readings[0],
            config=dict(case.settings),
            workdir=run,
            workers=1,
            figures=False,
            progress=False,
        )
        if reports and not (run / "report.html").exists():
            law.report(run / "report.html")
    return summary_of(run)


def summary_of(run: Path) -> dict[str, Any]:
    """What the table of results has of a finished run, from its law.json."""
    stored = json.loads((run / "law.json").read_text(encoding="utf-8"))
    fields = stored["noise"]
    found = {each["field"] for each in stored["coefficients"]}
    best = (stored.get("alternatives") or [{}])[0]
    return {
        "verdict": "law" if found >= set(fields) else "law of some fields" if found else "cannot tell",
        "law": "; ".join(stored["law"]),
        "probability": best.get("probability") if found else None,
        "coefficients": [
            {name: each[name] for name in ("field", "term", "mean", "sd", "low", "high", "probability")}
            for each in stored["coefficients"]
        ],
        "warnings": len(stored["warnings"]),
        "report": os.path.exists(run / "report.html"),
    }
