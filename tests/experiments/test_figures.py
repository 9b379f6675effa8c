"""Figures from made-up records: what is in them, not how they look."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from pdescry.experiments.figures import FIGURES, draw_figures, draw_learned, draw_slices, draw_truth
from pdescry.experiments.records import read_records


@pytest.fixture
def drawn(folder, make):
    make("burgers", 0.0)
    make("burgers", 0.05, unsolved_after=5, STOLS_status="blow-up")
    make("burgers", 0.01, unsolved_after=1, STOLS_status="ill-posed")
    runs = {record.cell.noise: record for record in read_records(folder)}
    return runs, {noise: record.fields() for noise, record in runs.items()}


@pytest.mark.slow
def test_four_pictures_for_each_source_and_system_of_the_first_seed(folder, make):
    for cell in (("burgers", 0.0, 0), ("burgers", 0.0, 1), ("heat", 0.05, 2), ("heat", 0.05, 2, "paper")):
        make(*cell)
    written = draw_figures(read_records(folder), folder / "figures")
    pairs = ("generated-burgers", "generated-heat", "paper-heat")
    assert sorted(path.name for path in written) == sorted(f"{p}-{k}.png" for p in pairs for k in FIGURES)
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in written)


@pytest.mark.parametrize("kind", FIGURES)
def test_every_figure_names_its_system_readings_and_seed(drawn, kind):
    figure = FIGURES[kind](*drawn).figure
    assert figure.get_suptitle().startswith("Burgers equation: ")
    assert figure.get_suptitle().endswith("generated readings, seed 0")
    panels = [ax for ax in figure.axes if ax.get_label() != "<colorbar>"]
    assert len(panels) == {"truth": 1, "fields": 15, "slices": 9, "learned": 12}[kind]
    assert any(ax.get_xlabel() == "x" for ax in panels)


def test_different_seeds_are_named(folder, make):
    runs = {record.cell.noise: record for record in (make("heat", 0.0), make("heat", 0.05, seed=2))}
    title = draw_truth(runs, {noise: record.fields() for noise, record in runs.items()}).figure.get_suptitle()
    assert title.endswith("generated readings, seeds 0 (noise 0), 2 (noise 0.05)")


def test_a_quick_figure_says_so(folder, make):
    record = make("heat", 0.0, scale="quick")
    assert draw_truth({0.0: record}, {0.0: record.fields()}).figure.get_suptitle().startswith("QUICK TRIAL")


def test_unsolved_laws_show_their_status(drawn):
    texts = [text.get_text() for ax in draw_learned(*drawn).figure.axes for text in ax.texts]
    assert texts == ["ill-posed", "blow-up after t = 4 s"] * 2  # the solution, and its error below


def test_a_law_without_terms_is_named(folder, make):
    record = make("kdv", 0.05, STOLS={})
    axes = draw_learned({0.05: record}, {0.05: record.fields()}).figure.axes
    assert [[text.get_text() for text in ax.texts] for ax in axes[:4]] == [
        [], [], ["u_t = 0: every term was dropped"], [],
    ]  # fmt: skip


@pytest.mark.parametrize("kind", ["truth", "learned"])  # the narrow ones
def test_a_title_is_no_wider_than_its_figure(kind, folder, make):
    record = make("kdv", 0.05)
    figure: Any = FIGURES[kind]({0.05: record}, {0.05: record.fields()}).figure
    FigureCanvasAgg(figure).draw()
    (title,) = (text for text in figure.texts if text.get_text() == figure.get_suptitle())
    extent = title.get_window_extent()
    assert figure.bbox.x0 < extent.x0 < extent.x1 < figure.bbox.x1


def test_compared_panels_share_their_colours(drawn):
    axes = FIGURES["fields"](*drawn).figure.axes
    limits = [ax.collections[0].get_clim() for ax in axes[:15]]
    for columns in ((0, 1), (2,), (3, 4)):
        assert len({limits[5 * row + column] for row in range(3) for column in columns}) == 1


def test_slices_have_readings_of_one_time_each(drawn):
    figure = draw_slices(*drawn).figure
    assert [ax.get_title() for ax in figure.axes[:3]] == ["t = 1 s", "t = 3 s", "t = 6 s"]
    circles = [line for ax in figure.axes for line in ax.lines if line.get_marker() == "o"]
    assert [np.size(line.get_xdata()) for line in circles] == [8] * 9
    assert len(figure.legends) == 1
