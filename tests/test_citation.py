"""CITATION.cff names this software, in this version, and the paper."""

from __future__ import annotations

from pathlib import Path

import pytest

import pdescry

yaml = pytest.importorskip("yaml")  # comes with zarr


def test_citation():
    cited = yaml.safe_load((Path(__file__).parents[1] / "CITATION.cff").read_text(encoding="utf-8"))
    assert {"message", "license", "abstract"} <= set(cited)
    assert (cited["cff-version"], cited["type"], cited["title"]) == ("1.2.0", "software", "pdescry")
    assert cited["version"] == pdescry.__version__
    assert cited["authors"] == [{"name": "The pdescry developers"}]
    (paper,) = cited["references"]
    assert paper["title"].startswith("Bayesian Deep Learning for Partial Differential Equation Parameter Discovery")
    assert [each["family-names"] for each in paper["authors"]] == ["Bonneville", "Earls"]
    assert (paper["type"], paper["year"]) == ("article", 2021)
