"""What a notebook shows: laws typeset with a table and a figure, readings with a map; and the log."""

from __future__ import annotations

import logging
import re
from dataclasses import replace
from xml.etree import ElementTree

from pdescry import discover
from tests.discovery.conftest import JOINT, with_comparison, with_inference


def well_formed(html: str) -> ElementTree.Element:
    return ElementTree.fromstring(re.sub(r"<img([^>]*)>", r"<img\1/>", html))


def test_a_law_is_typeset_with_table_and_figure(chosen):
    law = chosen[0]
    (readings,) = law.experiments
    law = with_inference(law, experiments=(replace(readings, units={"t": "s", "x": "m"}),))
    page = well_formed(law._repr_html_())
    assert page.find("math") is not None
    cells = [cell.text for cell in page.iter("td")]
    assert "u_xx" in cells
    assert "m²/s" in cells
    picture = page.find("img")
    assert picture is not None
    assert picture.attrib["src"].startswith("data:image/png;base64,iVBOR")


def test_a_law_that_is_not_told_says_why(chosen):
    law = with_comparison(chosen[0], reasons={"u": "a < b & c."})
    page = well_formed(law._repr_html_())
    assert page.find("math") is None
    assert any("cannot tell: a < b & c." in (each.text or "") for each in page.iter("p"))


def test_readings_have_a_map(readings):
    page = well_formed(readings._repr_html_())
    assert f"{len(readings)} readings of u by 8 sensors" in (page.find("p").text or "")  # type: ignore[union-attr]
    assert len(list(page.iter("circle"))) == len(readings)
    assert len(list(well_formed(replace(readings, values=0 * readings.values)._repr_html_()).iter("circle")))


def test_of_a_path_the_law_is_found_and_the_log_goes_to_the_logger_too(chosen, readings, tmp_path, caplog):
    readings.to_csv(tmp_path / "rod.csv")
    with caplog.at_level(logging.INFO, "pdescry"):
        law = discover(tmp_path / "rod.csv", config=JOINT, workdir=tmp_path / "rod", workers=1, figures=False)
    assert str(law) == str(chosen[0])
    assert any("Finished fit" in record.getMessage() for record in caplog.records)
