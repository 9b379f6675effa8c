from __future__ import annotations

import numpy as np
import pytest
from matplotlib.figure import Figure

from pdescry import simulate, systems
from pdescry.errors import InputError
from pdescry.report import draw_readings, draw_solution, save_figure, sketch


def test_a_field_has_labels_and_the_law_for_a_title(tmp_path):
    ax = draw_solution(systems.advection_diffusion().solution)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x", "t")
    assert "u_{xx}" in ax.get_title()
    for ending in ("png", "svg", "pdf"):
        save_figure(ax, tmp_path / f"field.{ending}")
        assert (tmp_path / f"field.{ending}").stat().st_size > 1000


def test_figures_go_where_the_user_wants_them():
    figure = Figure()
    ax = figure.add_subplot()
    assert draw_readings(systems.advection_diffusion().observe(), ax=ax) is ax


def test_a_failed_solution_says_so_in_the_picture():
    shock = simulate("u_t = -u*u_x", domain=(-8, 8), until=10, initial="-sin(pi*x/8)", max_points=60)
    assert "unresolved" in [text.get_text() for text in draw_solution(shock).texts]


def test_bad_names_are_told(tmp_path):
    readings = systems.advection_diffusion().observe()
    with pytest.raises(InputError, match="got 'w'"):
        draw_readings(readings, "w")
    with pytest.raises(InputError, match=r"\*.png"):
        save_figure(draw_readings(readings), tmp_path / "picture.doc")
    assert not list(tmp_path.iterdir())


def test_sketch_shows_where_readings_are():
    picture = sketch([0, 1, 1], [0, 0, 1], [0.0, 1.0, 2.0], width=2, height=2, colour=False).plain
    assert picture == "·█\n▁▅\n"
    assert "█" in sketch([0, 1], [0, 1], [3.0, 3.0], width=4, height=2).plain


def test_sketch_survives_a_single_place():
    assert sketch(np.zeros(3), np.arange(3), np.arange(3), 4, 3, colour=False).plain.count("\n") == 3
