"""pdescry at default settings: its own candidates, not those that the peers are given, and one answer."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from exchange import Answer, Clock, Work, main

import pdescry


def answer_of(work: Work, **settings: Any) -> Answer:
    readings = pdescry.Readings.from_arrays(work.time, work.space, work.values, axes=work.axes, fields=work.fields)
    clock = Clock()
    with tempfile.TemporaryDirectory() as folder:
        law = pdescry.discover(readings, workdir=Path(folder) / "run", workers=1, figures=False, **settings)
        seconds = clock()
        told = law.comparison is None or law.comparison.reason is None
        rows = law.coefficients.to_dict(orient="records") if told else []
        left = {part.field: part.left for part in law.equation.components} if rows else {}
        names = [f"{left[row['field']]}: {row['term']}" for row in rows]
        return Answer(
            {name: row["mean"] for name, row in zip(names, rows, strict=True)},
            settings.get("preset", "default"),
            seconds,
            sd={name: row["sd"] for name, row in zip(names, rows, strict=True)},
            field=_field(law, work) if len(work.points) else None,
        )


def _field(law: pdescry.Law, work: Work) -> Any:
    found = law.predict(*work.points.T, grid=False)
    return [[float(found[name][k]) for name in work.fields] for k in range(len(work.points))]


if __name__ == "__main__":
    main(lambda work: ([answer_of(work, seed=work.seed)], 0), "pdescry")
