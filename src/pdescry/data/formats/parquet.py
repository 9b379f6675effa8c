"""Parquet through pyarrow, as pandas reads it."""

from __future__ import annotations

from pathlib import Path

from pdescry.data.convert import from_frame
from pdescry.data.formats import check_size, parsing
from pdescry.data.table import Table
from pdescry.errors import needing


def load(path: Path, sensor: str | None) -> Table:
    with needing("parquet", "to read Parquet files"):
        import pyarrow.parquet as pq

    with parsing(path, "Parquet"), pq.ParquetFile(path) as file:
        check_size(8 * file.metadata.num_rows * file.metadata.num_columns, path)
        return from_frame(file.read().to_pandas(), path.name, where=lambda i: f"row {i + 1}")
