"""Pictures of a law, by whichever way it was found: they show its numbers, and go where the user wants them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from pdescry import InputError, Law, plot
from pdescry.plot.diagnostics import against_normal
from pdescry.plot.field import GRID
from pdescry.plot.path import FURTHEST, ranked
from tests.discovery.conftest import sampled, with_comparison, with_inference

DRAWINGS = {
    "field": plot.field,
    "slices": plot.slices,
    "coefficients": plot.coefficients,
    "path": plot.path,
    "diagnostics": plot.diagnostics,
}


@pytest.mark.parametrize("name", DRAWINGS)
@pytest.mark.parametrize("way", ["chosen", "finished"])
def test_every_picture_of_every_law(name: str, way: str, request: pytest.FixtureRequest) -> None:
    law: Any = request.getfixturevalue(way)[0]
    ax = Figure().add_subplot()
    if name == "field" and law.posterior is not None:  # of the network, where predicting is quick
        law = sampled(law)
    assert DRAWINGS[name](law, ax=ax) is ax
    assert ax.get_xlabel()
    assert ax.has_data()


def test_the_field_is_the_one_that_obeys_the_law(chosen: tuple[Law, Path]) -> None:
    law, _ = chosen
    ax = plot.field(law)
    mesh = ax.collections[0]
    ends = [float(edge) for edge in law.readings.span["x"]]
    corner = law.predict(law.readings.span["t"][:1], ends)["u"].to_numpy()[0]
    drawn = np.asarray(mesh.get_array()).reshape(GRID)
    np.testing.assert_allclose(drawn[0, [0, -1]], corner)
    assert ax.get_title() == str(law)
    assert plot.field(law.free_field).get_title() != str(law)
    assert plot.field(law.free_field, what="sd").collections[0].get_clim()[0] == 0
    with pytest.raises(InputError, match="mean, sd; got 'median'"):
        plot.field(law, what="median")  # pyright: ignore[reportArgumentType]


def test_why_these_terms(chosen: tuple[Law, Path]) -> None:
    """What the law loses is drawn to the left, as far as it fits."""
    law, _ = chosen
    table = ranked(law)
    assert table["kept"].tolist() == [True, False]
    ax = plot.path(law)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["u_xx", "u_x"]
    drawn = [float(np.asarray(line.get_xdata())[-1]) for line in ax.lines if line.get_linewidth() == 2]
    assert drawn == pytest.approx([-FURTHEST, max(float(table["score"].iloc[1]), -FURTHEST)])
    with pytest.raises(InputError, match="fields u; got 'v'"):
        plot.path(law, field="v")


def test_a_term_that_was_dropped_by_a_regression(finished: tuple[Law, Path]) -> None:
    fit: Any = finished[0].fits[0]
    step = replace(fit.path[0], dropped=("u_x",))
    dropped = replace(fit, path=(step, *fit.path), support=np.array([True, False]))
    law = with_inference(finished[0], fits=(dropped,))
    table = ranked(law).set_index("term")
    assert table.loc["u_x", "step"] == 1
    assert np.isnan(table.loc["u_xx", "step"])
    bars: Any = plot.path(law).patches
    widths = [bar.get_width() for bar in bars]
    assert widths == [len(dropped.path) + 0.5, 1]


def test_no_law_was_fitted_to_its_end(chosen: tuple[Law, Path]) -> None:
    unknown = with_comparison(chosen[0], single_term_changes=pd.DataFrame(), reasons={"u": "Noise."})
    assert plot.path(unknown).get_title() == "no law was fitted to its end"
    assert plot.coefficients(unknown).get_title() == "no term is left"
    assert plot.field(unknown).get_title() == "u, which obeys no law"


def test_what_diagnostics_draw(chosen: tuple[Law, Path], finished: tuple[Law, Path]) -> None:
    law, _ = chosen
    assert law.comparison is not None
    held_out = law.comparison.held_out
    ax = plot.diagnostics(law)
    np.testing.assert_allclose(np.asarray(ax.lines[0].get_ydata()), held_out["expected"])
    assert len(plot.diagnostics(finished[0], "chains").lines) == sampled(finished[0]).n_chains
    with pytest.raises(InputError, match="this one has none; pass what='residuals'"):
        plot.diagnostics(law, "chains")
    assert np.std(law.inference.residuals("u")) == pytest.approx(1, abs=0.3)
    assert np.std(finished[0].inference.residuals("u")) == pytest.approx(1, abs=0.5)
    with pytest.raises(InputError, match="what='residuals' or 'chains'"):
        plot.diagnostics(finished[0], "left_out")
    with pytest.raises(InputError, match="got 'all'"):
        plot.diagnostics(law, "all")  # pyright: ignore[reportArgumentType]


def test_normal_values_lie_on_the_line() -> None:
    expected, found = against_normal(np.random.default_rng(0).standard_normal(50_000), most=500)
    assert len(expected) == 500
    inner = np.abs(expected) < 2
    np.testing.assert_allclose(found[inner], expected[inner], atol=0.05)
