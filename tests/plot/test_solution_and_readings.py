from __future__ import annotations

import pytest
from matplotlib.figure import Figure

from pdescry import plot, simulate, systems
from pdescry.errors import InputError


def test_a_field_has_labels_and_the_law_for_a_title(tmp_path):
    ax = plot.solution(systems.advection_diffusion().solution)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x", "t")
    assert "u_{xx}" in ax.get_title()
    for ending in ("png", "svg", "pdf"):
        plot.save(ax, tmp_path / f"field.{ending}")
        assert (tmp_path / f"field.{ending}").stat().st_size > 1000


def test_figures_go_where_the_user_wants_them():
    figure = Figure()
    ax = figure.add_subplot()
    assert plot.readings(systems.advection_diffusion().observe(), ax=ax) is ax


def test_a_failed_solution_says_so_in_the_picture():
    shock = simulate("u_t = -u*u_x", domain=(-8, 8), until=10, initial="-sin(pi*x/8)", max_points=60)
    assert "unresolved" in [text.get_text() for text in plot.solution(shock).texts]


def test_bad_names_are_told(tmp_path):
    readings = systems.advection_diffusion().observe()
    with pytest.raises(InputError, match="got 'w'"):
        plot.readings(readings, "w")
    with pytest.raises(InputError, match=r"\*.png"):
        plot.save(plot.readings(readings), tmp_path / "picture.doc")
    assert not list(tmp_path.iterdir())
