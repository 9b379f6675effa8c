"""Names → tables and figures beside the published ones. Declarative: no algorithm of the product lives here.

    reproduce ─ cell by cell ─▶ records on disk ─▶ tables, figures, document

``paper.py`` has the paper's experiments as data, ``cell.py`` measures one of its cells and keeps it,
``indexing_bug.py`` replays the bug behind table 9. ``reproduce.py`` is the verb, ``cores.py`` its processes;
``records.py`` finds finished cells, and ``tables.py``, ``figures.py``, ``claims.py`` and ``document.py`` make of them
what people read.
"""

from __future__ import annotations

from pdescry.experiments.reproduce import Reproduction, reproduce

__all__ = ["Reproduction", "reproduce"]
