"""NetCDF through xarray: version 4, which is HDF5, by h5netcdf; version 3 by scipy."""

from __future__ import annotations

from pathlib import Path

from pdescry.data.convert import from_xarray
from pdescry.data.formats import none_found, parsing
from pdescry.data.formats.first_bytes import HDF5_MAGIC
from pdescry.data.formats.hdf5 import check_hdf5
from pdescry.data.table import Table


def load(path: Path, sensor: str | None, group: str | None = None) -> Table:
    import xarray as xr

    with path.open("rb") as file:
        is_version_4 = file.read(8) == HDF5_MAGIC
    with parsing(path, "NetCDF"):
        if is_version_4:
            check_hdf5(path)
            opened = xr.open_dataset(path, engine="h5netcdf", group=group, decode_timedelta=False)
        else:
            # Without mmap: an array that outlives its file must not keep it open.
            opened = xr.open_dataset(path, engine="scipy", mmap=False, decode_timedelta=False)
        with opened:
            table = from_xarray(opened.load(), path.name)
    if not table.variables:
        raise none_found(path, "variables")
    return table
