"""Stacks of images: read with steps, averaged in blocks, and nothing lost but noise."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest
import xarray as xr

import pdescry
from pdescry.data.images import MOST
from pdescry.errors import InputError

DT, DX = 0.05, 0.04


def field(t, x, y):
    return np.exp(-0.3 * t) * np.sin(1.3 * x + 0.4) * np.cos(1.1 * y - t)


def stack(times=90, rows=120, columns=140, noise=0.0, kind=np.float32):
    t, y, x = DT * np.arange(times), DX * np.arange(rows), DX * np.arange(columns)
    values = field(t[:, None, None], x, y[:, None])
    return (values + noise * np.random.default_rng(1).standard_normal(values.shape)).astype(kind)


def test_a_small_stack_is_kept(tmp_path):
    images = stack(12, 20, 30)
    np.save(tmp_path / "small.npy", images)
    readings = pdescry.read(tmp_path / "small.npy", dt=DT, dx=DX, x0={"x": 1.0})
    assert len(readings) == images.size
    assert readings.axes == ("x", "y")
    x, y = readings.space.T
    np.testing.assert_allclose(readings.values[:, 0], field(readings.time, x - 1.0, y), atol=1e-6)
    assert "20 rows (y) by 30 columns (x)" in " ".join(map(str, readings.notes))


@pytest.mark.parametrize("kind", ["npy", "npz", "tif", "nc", "array"])
def test_a_large_stack_becomes_means_that_lie_on_the_field(tmp_path, kind):
    images, noise = stack(noise=0.1), 0.1
    file, steps = tmp_path / f"stack.{kind}", cast("dict[str, Any]", {"dt": DT, "dx": DX})
    if kind == "npy":
        np.save(file, images)
    elif kind == "npz":
        np.savez(file, u=images)
    elif kind == "tif":
        pytest.importorskip("tifffile").imwrite(file, images)
    elif kind == "nc":
        sizes = zip("tyx", images.shape, strict=True)
        coordinates = {axis: (DT if axis == "t" else DX) * np.arange(size) for axis, size in sizes}
        xr.DataArray(images, coordinates, name="u").to_netcdf(file, engine="h5netcdf")
        steps = {}
    readings = pdescry.read(images if kind == "array" else file, **steps)
    assert len(readings) <= MOST
    (told,) = (note for note in readings.notes if note.code == "averaged-in-blocks")
    assert str(told).startswith(f"{images.size:,} pixels were averaged to {len(readings):,}, in blocks of about ")
    off = readings.values[:, 0] - field(readings.time, *readings.space.T)
    assert off.std() < 1.15 * noise / np.sqrt(images.size / len(readings))
    assert abs(off.mean()) < 4 * noise / np.sqrt(images.size)


def test_noise_that_is_known_becomes_that_of_the_means():
    images = stack(noise=0.1)
    readings = pdescry.read(images, dt=DT, dx=DX, noise=0.1)
    assert readings.noise is not None
    assert np.sqrt(np.mean(readings.noise**2)) == pytest.approx(0.1 / np.sqrt(images.size / len(readings)), rel=0.1)


def test_dead_pixels_are_left_out():
    images = stack()
    images[:, 30:33, 50] = np.nan
    images[:, 60:100, 60:100] = np.nan
    readings = pdescry.read(images, dt=DT, dx=DX)
    off = readings.values[:, 0] - field(readings.time, *readings.space.T)
    assert np.isfinite(off).all()
    assert np.sqrt(np.mean(off**2)) < 5e-3
    hidden = (np.abs(readings.space - [3.2, 3.2]) < 0.6).all(axis=1)
    assert not hidden.any()


def test_what_is_finer_than_blocks_is_told():
    t = DT * np.arange(60)
    images = np.sin(t[:, None, None] + np.arange(200) * 1.5 + 1.3 * np.arange(200)[:, None])
    readings = pdescry.read(images, dt=DT, dx=DX)
    assert len(readings) <= MOST
    assert not readings.notes[-1].parameters["harmless"]


def test_all_pixels_may_be_kept():
    images = stack(30, 40, 50)
    assert len(pdescry.read(images, dt=DT, dx=DX, average=False)) == images.size


def test_pixels_need_not_be_square():
    readings = pdescry.read(stack(12, 20, 30), dt=DT, dx={"x": 0.5, "y": 0.1})
    assert readings.span["x"] == (0, 14.5)
    assert readings.span["y"] == pytest.approx((0, 1.9))


def test_colour_images_are_refused(tmp_path):
    tifffile = pytest.importorskip("tifffile")
    tifffile.imwrite(tmp_path / "rgb.tif", np.zeros((5, 32, 32, 3), np.uint8), photometric="rgb")
    tifffile.imwrite(tmp_path / "one.tif", np.zeros((32, 32), np.uint8))
    with pytest.raises(InputError, match="one channel"):
        pdescry.read(tmp_path / "rgb.tif", dt=DT, dx=DX)
    with pytest.raises(InputError, match="several times"):
        pdescry.read(tmp_path / "one.tif", dt=DT, dx=DX)
    with pytest.raises(InputError, match=r"u\[t, y, x\]"):
        pdescry.read(np.zeros((5, 8, 8, 3)), dt=DT, dx=DX)


def test_without_tifffile_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "tifffile", None)
    (tmp_path / "stack.tif").write_bytes(b"II*\0")
    with pytest.raises(InputError, match=r"pip install 'pdescry\[images\]'"):
        pdescry.read(tmp_path / "stack.tif", dt=DT, dx=DX)
