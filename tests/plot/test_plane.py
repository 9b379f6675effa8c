"""Maps and animations of fields in the plane, of a field that is known."""

from __future__ import annotations

import base64
import shutil
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import xarray as xr
from PIL import Image

from pdescry import Readings, plot
from pdescry.errors import InputError
from pdescry.plot.field import IN_THE_PLANE, on_a_grid
from pdescry.report.numbers import numbers_of_fields
from pdescry.solver import simulate


def field(t: Any, x: Any, y: Any) -> Any:
    return np.exp(-t) * np.cos(np.pi * x / 4) * np.cos(np.pi * y / 2)


@dataclass
class Known:
    """An inferred field that is right."""

    readings: Readings

    @property
    def reach(self) -> dict[str, tuple[float, float]]:
        return {"t": (0.0, 2.0), "x": (0.0, 4.0), "y": (0.0, 2.0)}

    def predict(self, t: Any, *places: Any, level: float = 0.95, noise: bool = False, grid: bool = True) -> xr.Dataset:
        x, y = places
        mean = field(np.asarray(t)[:, None, None], np.asarray(x)[:, None], np.asarray(y))
        parts = {"u": mean, "u_sd": 0.1 + 0 * mean, "u_low": mean - 0.2, "u_high": mean + 0.2}
        return xr.Dataset({name: (("t", "x", "y"), values) for name, values in parts.items()}, {"t": t, "x": x, "y": y})


@pytest.fixture(scope="module")
def law() -> Known:
    random = np.random.default_rng(3)
    places = np.repeat(random.uniform(0, 1, (12, 2)) * [4, 2], 9, axis=0)
    time = np.tile(np.linspace(0, 2, 9), 12)
    return Known(Readings.from_arrays(time, places, field(time, *places.T), units={"x": "mm"}))


def test_a_map_shows_one_time(law):
    ax = plot.field(law, time=0.5)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x (mm)", "y")
    drawn = np.asarray(ax.collections[0].get_array()).reshape(IN_THE_PLANE[2], IN_THE_PLANE[1])  # rows are y
    x, y = np.linspace(0, 4, IN_THE_PLANE[1]), np.linspace(0, 2, IN_THE_PLANE[2])
    np.testing.assert_allclose(drawn, field(0.5, x, y[:, None]), atol=1e-12)
    assert "t = 0.5" in [text.get_text() for text in ax.texts]
    left, right = plot.mean_and_sd(law)
    assert np.ptp(np.asarray(right.collections[0].get_array())) == 0
    assert "t = 1" in [text.get_text() for text in left.texts]


def test_sensors_that_were_read_near_the_time_are_filled(law):
    ax = plot.field(law, time=0.5)
    assert len(np.asarray(ax.collections[1].get_offsets())) == 12
    between = plot.field(law, time=0.62)
    assert len(np.asarray(between.collections[1].get_offsets())) == 0
    assert len(between.lines[0].get_xydata()) == 12


def test_an_animation_is_a_gif(law, tmp_path):
    plot.animate(law, tmp_path / "law.gif", frames=4, seconds=1)
    with Image.open(tmp_path / "law.gif") as image:
        assert image.n_frames == 4  # type: ignore[attr-defined]
    solution = simulate(
        "u_t = 0.1*u_xx + 0.1*u_yy", domain=((0, 4), (0, 2)), until=2, initial="cos(pi*x/4)", boundary="neumann"
    )
    plot.animate(solution, tmp_path / "solution.gif", frames=3)
    with Image.open(tmp_path / "solution.gif") as image:
        assert image.n_frames == 3  # type: ignore[attr-defined]


def test_what_cannot_be_animated_is_told(law, tmp_path, monkeypatch):
    (tmp_path / "there.gif").write_bytes(b"kept")
    with pytest.raises(InputError, match="exists"):
        plot.animate(law, tmp_path / "there.gif")
    with pytest.raises(InputError, match=r"\.gif"):
        plot.animate(law, tmp_path / "law.png")
    with pytest.raises(InputError, match="frames as a number"):
        plot.animate(law, tmp_path / "law.gif", frames=0)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(InputError, match="ffmpeg"):
        plot.animate(law, tmp_path / "law.mp4")
    line = simulate("u_t = u_xx", domain=(0, 1), until=1, initial="sin(2*pi*x)")
    with pytest.raises(InputError, match="in the plane"):
        plot.animate(line, tmp_path / "line.gif")


def test_slices_are_for_one_axis(law):
    with pytest.raises(InputError, match="animate"):
        plot.slices(law)


def test_a_page_carries_the_field_by_row_of_y(law):
    numbers = numbers_of_fields([law], [on_a_grid(law, (3, 5, 4))])
    assert numbers["fields"] == []
    (plane,) = numbers["planes"]
    assert plane["names"] == {"time": "t", "across": "x (mm)", "up": "y"}
    assert len(plane["pins"]) == 12

    ((kind, text),) = plane["fields"][0]["mean"].items()
    values = np.frombuffer(base64.b64decode(text), "<" + kind).reshape(3, 4, 5)
    x, y = np.linspace(0, 4, 5), np.linspace(0, 2, 4)
    np.testing.assert_allclose(values[1], field(1.0, x, y[:, None]), atol=1e-6)
