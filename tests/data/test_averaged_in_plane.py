"""Images of the plane become means over cells, without what a field bends by within them."""

from __future__ import annotations

import numpy as np

from pdescry import Readings
from pdescry.data.averaged_in_plane import CELLS, MOMENTS


def image(pixels: int, frames: int) -> Readings:
    t, x, y = np.meshgrid(np.arange(frames), np.arange(pixels), np.arange(pixels), indexing="ij")
    values = 1.0 + 0.1 * x + 2e-3 * x**2 - 1e-3 * y**2 + 1e-2 * t**2
    places = np.column_stack([x.ravel(), y.ravel()])
    return Readings.from_arrays(t.ravel(), places, values.ravel(), axes=("x", "y"))


def test_an_image_is_averaged_over_cells_and_told() -> None:
    found = image(60, 15).averaged()
    assert len(found) == CELLS * CELLS * 15
    assert found.n_sensors == CELLS * CELLS
    assert "54,000 readings of 3,600 places were averaged to 6,000, over 20 × 20 cells" in str(found.notes[-1])
    t, (x, y) = found.time, found.space.T
    # A parabola is met at the middle of each cell.
    np.testing.assert_allclose(found.values[:, 0], 1.0 + 0.1 * x + 2e-3 * x**2 - 1e-3 * y**2 + 1e-2 * t**2, atol=1e-9)


def test_long_films_are_averaged_in_time_too() -> None:
    found = image(24, 100).averaged()
    assert len(np.unique(found.time)) == MOMENTS


def test_pixels_that_were_not_read_do_not_count() -> None:
    whole = image(60, 15)
    half = whole.select(whole.space[:, 0] + whole.space[:, 1] > 30).averaged()
    assert np.isfinite(half.values).all()
    assert half.n_sensors < CELLS * CELLS


def test_few_readings_stay_as_they_are() -> None:
    assert image(20, 5).averaged() == image(20, 5)
