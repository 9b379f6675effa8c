"""Many runs: from files × settings × seeds to a table of laws.

Comes in: a table or a list of files, and an executor. Goes out: `Study`, a folder with a run directory for each case,
results.csv, results.parquet and index.html.

Read first: ``sweep.py`` (the verb). Then ``case.py`` (one run), ``table.py`` (globs and grids), ``study.py`` (the
folder and its lock), ``work.py`` (a case as a worker does it), ``schedule.py`` (tasks on an engine, also those that
are lost), ``results.py`` and ``page.py``.
"""

from pdescry.sweeps.case import Case
from pdescry.sweeps.sweep import Study, load_study, sweep

__all__ = ["Case", "Study", "load_study", "sweep"]
