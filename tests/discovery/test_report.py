"""The page of a law, read as text: what stands in it agrees with the law, whatever was read."""

from __future__ import annotations

import base64
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pdescry import InputError, Law, Readings, discover, load, plot
from pdescry.report.page import page_of
from pdescry.report.trust import how_far_to_trust
from tests.discovery.conftest import TINY, near_tie, with_comparison, with_readings

VOID = {"meta", "link", "input", "br", "mspace"}


class Tree(HTMLParser):
    """Every element that is opened is closed, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.figures: list[dict[str, Any]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        about = dict(attrs)
        if tag not in VOID:
            self.open.append(tag)
        if about.get("id"):
            self.ids.append(str(about["id"]))
        if tag == "a":
            self.links.append(str(about["href"]))
        if tag == "figure":
            self.figures.append(about)

    def handle_endtag(self, tag: str) -> None:
        assert tag in VOID or self.open.pop() == tag


def parsed(page: str) -> tuple[Tree, dict[str, Any]]:
    tree = Tree()
    tree.feed(page)
    assert tree.open == []
    assert len(tree.ids) == len(set(tree.ids))
    assert {link.removeprefix("#") for link in tree.links} <= set(tree.ids)
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found
    return tree, json.loads(found[1])


def test_every_run_has_its_report(chosen: tuple[Law, Path], finished: tuple[Law, Path]) -> None:
    for law, folder in (chosen, finished):
        page = (folder / "report.html").read_text(encoding="utf-8")
        assert not re.findall(r"""(?:src|href|url\()\s*=?\s*["']?(?!data:|#)\w+:""", page)  # nothing from elsewhere
        tree, numbers = parsed(page)
        assert [each["mean"] for each in numbers["terms"]] == law.coefficients["mean"].tolist()
        assert all(figure["data-alt"] for figure in tree.figures)
        assert str(law).replace("*", " ").split()[2].split("(")[0] in page


def test_it_shows_the_law_the_field_and_the_readings(chosen: tuple[Law, Path]) -> None:
    law, folder = chosen
    tree, numbers = parsed((folder / "report.html").read_text(encoding="utf-8"))
    drawn = {figure["data-figure"] for figure in tree.figures}
    assert drawn >= {"mean", "sd", "slice", "record", "forest", "probabilities", "path", "left_out", "residuals"}
    (field,) = numbers["fields"]
    read = np.frombuffer(base64.b64decode(field["fields"][0]["read"]["f8"]), "<f8")
    np.testing.assert_array_equal(read, law.readings.values[:, 0])
    assert numbers["candidates"][0] == {"name": "u_xx", "probability": pytest.approx(1.0), "kept": True}
    assert len(numbers["left_out"]) == law.readings.n_sensors


def test_what_cannot_be_told_is_not_shown_as_a_law(chosen: tuple[Law, Path]) -> None:
    page = page_of(with_comparison(chosen[0], reasons={"u": "The readings are noise."}))
    tree, numbers = parsed(page)
    assert "cannot tell: The readings are noise." in page
    assert "<math" not in page
    assert numbers["terms"] == []
    assert "forest" not in {figure["data-figure"] for figure in tree.figures}


CLAIMS = pd.DataFrame({"claim": ["u_xx = 5"], "favoured": ["2.00(3)"], "cost": [84.6], "law": ["u_t = 2.00(3)*u_xx"]})


def test_what_was_said_stands_beside_the_law(chosen: tuple[Law, Path], tmp_path: Path) -> None:
    law = with_comparison(chosen[0], claims=CLAIMS)
    law.report(tmp_path / "law.html")
    page = (tmp_path / "law.html").read_text(encoding="utf-8")
    assert "You said u_xx = 5; the readings favour 2.00(3), by 85 nats." in page
    assert "without it: u_t = 2.00(3)*u_xx" in page


def test_how_far_to_trust_it(chosen: tuple[Law, Path], finished: tuple[Law, Path]) -> None:
    law = replace(chosen[0], warnings=())
    assert law.comparison is not None
    sure, sentence = how_far_to_trust(law)
    assert sure
    assert "probability 0.99 or more" in sentence
    cases = {
        "likeliest of several laws (probability 0.70)": near_tie(law),
        "do not determine a law": with_comparison(law, reasons={"u": "Noise."}),
        "Check what you said": with_comparison(law, claims=CLAIMS),
        "Read the warnings": replace(law, warnings=("Wide intervals.",)),
        "a regression with a threshold": finished[0],
        "missed by": replace(with_comparison(law, held_out=law.comparison.held_out.assign(rms_error=1e3)), warnings=()),
    }
    for said, other in cases.items():
        sure, sentence = how_far_to_trust(other)
        assert not sure
        assert said in sentence


@pytest.mark.slow
def test_a_regression_of_two_fields_shows_both(readings: Readings, tmp_path: Path) -> None:
    frame = readings.to_frame().assign(v=lambda table: 3 - table["u"] / 2)
    both = Readings.from_frame(frame, time="t", space="x", fields=["u", "v"])
    config = TINY | {"law": {"candidates": ["u_xx", "v_x"]}}
    law = discover(both, config=config, workdir=tmp_path / "run", workers=1)
    assert [line[:6] for line in str(law).splitlines()] == ["u_t = ", "v_t = "]
    tree, numbers = parsed((tmp_path / "run" / "report.html").read_text(encoding="utf-8"))
    assert {"residuals", "residuals-2", "path", "forest"} <= {figure["data-figure"] for figure in tree.figures}
    assert [each["name"] for each in numbers["terms"]] == [f"{f}: {term}" for f in "uv" for term in ("u_xx", "v_x")]
    assert len(numbers["path"]["rows"]) == 4
    pictures = {path.name for path in (tmp_path / "run" / "figures").iterdir()}
    assert {"field-u.png", "field-v.png", "slices-u.png", "slices-v.png"} <= pictures
    assert [label.get_text()[:3] for label in plot.path(law).get_yticklabels()] == ["u: ", "u: ", "v: ", "v: "]
    again = load(tmp_path / "run")
    assert repr(again) == repr(law)
    assert set(again.next_sensor(times=[1.0, 2.0]).sd.index) == {each["name"] for each in numbers["terms"]}


def test_names_cannot_break_out_of_the_page(finished: tuple[Law, Path]) -> None:
    """What a file is called, or says of its sensors and units, is text."""
    law, _ = finished
    evil = "</script><script>alert(1)</script>"
    names = tuple(f"{evil}{number}" for number in range(law.readings.n_sensors))
    readings = replace(law.readings, source=f"{evil}.csv", sensor_names=names, units={"u": evil}, notes=(evil,))
    page = page_of(replace(with_readings(law, readings), warnings=(evil,)))
    assert "<script>alert" not in page
    parsed(page)


def test_a_report_goes_where_it_is_wanted(finished: tuple[Law, Path], tmp_path: Path) -> None:
    law, folder = finished
    law.report(tmp_path / "rod.html")
    assert (tmp_path / "rod.html").read_bytes() == (folder / "report.html").read_bytes()
    with pytest.raises(InputError, match="html"):
        law.report(tmp_path / "rod.pdf")


def test_the_command_that_makes_it_again(finished: tuple[Law, Path]) -> None:
    law, _ = finished
    assert law.command.startswith("pdescry discover FILE --set ")  # made-up readings come from no file
    assert " --set network.width=6 " in law.command
    named = with_readings(law, replace(law.readings, source="my rod.csv"))
    assert named.command.startswith("pdescry discover 'my rod.csv' --set ")
