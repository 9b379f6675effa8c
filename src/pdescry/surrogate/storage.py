"""A posterior as a NetCDF file or a Zarr folder, self-contained and without pickle: settings are in it as JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from pdescry.data import Readings
from pdescry.files import appearing, check_target, check_zarr, saved_dataset, write_dataset
from pdescry.notices import restored, stored
from pdescry.surrogate.chain import Trace
from pdescry.surrogate.posterior import Posterior
from pdescry.surrogate.problem import plan_of, settings_of
from pdescry.surrogate.scaling import Scaling

ENDINGS = (".nc", ".zarr")
FORMAT = "pdescry posterior 3"
_ABOUT_READINGS = ("axes", "fields", "sensor_names", "source", "time_name", "units", "time_origin")


def save(posterior: Posterior, path: Path) -> None:
    check_target(path, ENDINGS)
    dataset = _dataset(posterior)
    if path.suffix != ".zarr":
        write_dataset(path, dataset)
        return
    check_zarr()
    with appearing(path) as temporary:
        dataset.to_zarr(temporary, mode="w", consolidated=False)


def load(path: Path) -> Posterior:
    return _posterior(saved_dataset(path, FORMAT, "a posterior"))


def _dataset(posterior: Posterior) -> xr.Dataset:
    readings, scaling = posterior.readings, posterior.scaling
    variables: dict[str, Any] = {
        "starts": (("chain", "coordinate"), posterior.starts),
        "positions": (("chain", "draw", "coordinate"), posterior.positions),
        "time": ("reading", readings.time),
        "space": (("reading", "axis"), readings.space),
        "values": (("reading", "field"), readings.values),
        "sensor": ("reading", readings.sensor.astype(np.int64)),
        "input_centre": ("input", scaling.input_centre),
        "input_spread": ("input", scaling.input_spread),
        "field_centre": ("field", scaling.field_centre),
        "field_spread": ("field", scaling.field_spread),
    }
    variables |= {name: (("chain", "draw"), part) for name, part in posterior.trace._asdict().items()}
    if readings.noise is not None:
        variables["noise"] = (("reading", "field"), readings.noise)
    if posterior.known_noise is not None:
        variables["known_noise"] = (("field", "reading"), posterior.known_noise)
    attributes = {
        "format": FORMAT,
        "plan": json.dumps(settings_of(posterior.plan)),
        "left_out": json.dumps(stored(posterior.left_out)),
        "readings": json.dumps({name: getattr(readings, name) for name in _ABOUT_READINGS}),
        "notes": json.dumps(stored(readings.notes)),
    }
    return xr.Dataset(variables, attrs=attributes)


def _posterior(dataset: xr.Dataset) -> Posterior:
    def array(name: str) -> Any:
        # Zarr and HDF5 may hand out arrays of the other byte order or read-only views: plain ones from here on.
        found = np.ascontiguousarray(dataset[name].values)
        return (
            found if found.flags.writeable and found.dtype.isnative else np.array(found, found.dtype.newbyteorder("="))
        )

    about: dict[str, Any] = {
        name: tuple(part) if isinstance(part, list) else part
        for name, part in json.loads(dataset.attrs["readings"]).items()
    }
    noise = array("noise") if "noise" in dataset else None
    notes = restored(json.loads(dataset.attrs["notes"]))
    readings = Readings(
        array("time"), array("space"), array("values"), array("sensor").astype(np.intp), noise=noise, notes=notes,
        **about,
    )  # fmt: skip
    scaling = Scaling(*(array(name) for name in ("input_centre", "input_spread", "field_centre", "field_spread")))
    return Posterior(
        readings,
        plan_of(json.loads(dataset.attrs["plan"])),
        scaling,
        array("starts"),
        array("positions"),
        Trace(*(array(name) for name in Trace._fields)),
        array("known_noise") if "known_noise" in dataset else None,
        restored(json.loads(dataset.attrs["left_out"])),
    )
