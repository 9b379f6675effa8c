"""The report in a real browser, opened from disk: what a reader does works, and says what law.json says.

``tests/browser/set_up.sh`` installs what this needs; without it the tests are skipped.
"""

from __future__ import annotations

import csv
import json
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pdescry import Law
from tests.discovery.conftest import with_comparison, with_readings

pytestmark = pytest.mark.slow

AXE = Path(__file__).parents[1] / "browser" / "node_modules" / "axe-core" / "axe.min.js"
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--allow-file-access-from-files",
)  # fmt: skip
WIDE, NARROW = (1280, 900), (360, 740)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    driver, chromium = shutil.which("chromedriver"), shutil.which("chromium")
    if not driver or not chromium:
        pytest.skip("no chromium and chromedriver: run tests/browser/set_up.sh")
    from selenium.webdriver import Chrome, ChromeOptions, ChromeService

    options = ChromeOptions()
    options.binary_location = chromium
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    browser = Chrome(options=options, service=ChromeService(driver))
    yield browser
    browser.quit()


@pytest.fixture
def opened(browser: Any, tmp_path: Path) -> Callable[..., None]:
    def open_page(path: Path, size: tuple[int, int] = WIDE, scheme: str = "light") -> None:
        browser.execute_cdp_cmd(
            "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path), "eventsEnabled": False}
        )
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        browser.set_window_size(*size)
        for kind in ("browser", "performance"):  # what was before
            browser.get_log(kind)
        browser.get(path.resolve().as_uri())
        assert browser.find_element("css selector", "html").get_attribute("data-ready") == "yes"

    return open_page


def told(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "law.json").read_text(encoding="utf-8"))


def downloaded(folder: Path, name: str) -> Path:
    for _ in range(100):
        if (folder / name).exists():
            return folder / name
        time.sleep(0.1)
    raise AssertionError(f"no {name} among {sorted(path.name for path in folder.iterdir())}")


@pytest.mark.parametrize("way", ["chosen", "finished"])
def test_it_opens_without_errors_and_asks_nobody(way: str, browser: Any, opened: Any, request: Any) -> None:
    _, folder = request.getfixturevalue(way)
    opened(folder / "report.html")
    scroll_through(browser)
    assert [entry for entry in browser.get_log("browser") if entry["level"] != "INFO"] == []
    events = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    asked = {event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"}
    assert {url for url in asked if not url.startswith(("data:", "blob:"))} == {(folder / "report.html").as_uri()}
    empty = [
        figure.get_attribute("data-figure")
        for figure in browser.find_elements("css selector", "figure[data-figure]")
        if not figure.find_elements("css selector", "svg[role=img][aria-label]")
    ]
    assert empty == []


def scroll_through(browser: Any) -> None:
    """Figures are drawn when they come into view."""
    height = browser.execute_script("return document.body.scrollHeight")
    for top in range(0, height + 600, 600):
        browser.execute_script("window.scrollTo(0, arguments[0])", top)
        time.sleep(0.05)


def test_the_time_moves_by_keyboard_and_the_figures_follow(browser: Any, opened: Any, chosen: Any) -> None:
    law, folder = chosen
    opened(folder / "report.html")
    from selenium.webdriver.common.keys import Keys

    def state() -> tuple[str, str, str]:
        said = browser.find_element("id", "value-now").text
        curve = browser.find_element("css selector", "[data-figure=slice] .curve").get_attribute("d")
        return said, curve, browser.find_element("id", "time-now").text

    before = state()
    slider = browser.find_element("id", "time")
    slider.send_keys(Keys.ARROW_RIGHT)
    after = state()
    assert all(old != new for old, new in zip(before, after, strict=True))
    slider.send_keys(Keys.HOME)
    browser.find_element("id", "place").send_keys(Keys.HOME)
    first, left = law.readings.span["t"][0], law.readings.span["x"][0]
    mean = float(law.predict([first], [left])["u"].item())
    said = browser.find_element("id", "value-now").text.replace("−", "-")
    assert f"t = {first:g}, x = {left:.4g}" in said
    assert float(said.split("u = ")[1].split(" ±")[0]) == pytest.approx(mean, rel=1e-3)


def test_pointing_at_the_map_reads_values(browser: Any, opened: Any, chosen: Any) -> None:
    from selenium.webdriver import ActionChains

    opened(chosen[1] / "report.html")
    before = browser.find_element("id", "value-now").text
    image = browser.find_element("css selector", "[data-figure=mean] image")
    ActionChains(browser).move_to_element_with_offset(image, 40, 30).perform()
    assert browser.find_element("id", "value-now").text != before


def test_what_is_saved_says_what_law_json_says(browser: Any, opened: Any, chosen: Any, tmp_path: Path) -> None:
    _, folder = chosen
    opened(folder / "report.html")
    scroll_through(browser)
    for kind in ("csv", "svg", "png"):
        button = browser.find_element("css selector", f"[data-figure=forest] button[data-save={kind}]")
        browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", button)
        button.click()
    name = json.loads(browser.find_element("id", "data").get_attribute("textContent"))["name"]
    with downloaded(tmp_path, f"{name}-forest.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    law = told(folder)["coefficients"]
    assert [row["term"] for row in rows] == [row["term"] for row in law]
    for key in ("mean", "sd", "low", "high", "probability"):
        assert [float(row[key]) for row in rows] == [row[key] for row in law]
    assert downloaded(tmp_path, f"{name}-forest.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    picture = downloaded(tmp_path, f"{name}-forest.svg").read_text(encoding="utf-8")
    assert picture.startswith("<svg")
    assert "var(--" not in picture  # it stands alone


def test_all_candidates_are_shown_on_request(browser: Any, opened: Any, chosen: Any, tmp_path: Path) -> None:
    law, _ = chosen
    many = [f"u^{number}*u_x" for number in range(2, 22)]
    changes = law.comparison.single_term_changes
    longer = changes.loc[[0, *[1] * len(many)]].assign(term=["u_xx", *many])
    with_comparison(law, single_term_changes=longer).report(tmp_path / "many.html")
    opened(tmp_path / "many.html")
    scroll_through(browser)
    figure = browser.find_element("css selector", "[data-figure=path]")
    assert len(figure.find_elements("css selector", "line.stem")) == 12
    button = figure.find_element("css selector", "button[data-all]")
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", button)
    button.click()
    assert len(figure.find_elements("css selector", "line.stem")) == 21


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
@pytest.mark.parametrize("way", ["chosen", "finished"])
def test_it_is_accessible(way: str, size: Any, scheme: str, browser: Any, opened: Any, request: Any) -> None:
    if not AXE.exists():
        pytest.skip("no axe-core: run tests/browser/set_up.sh")
    opened(request.getfixturevalue(way)[1] / "report.html", size, scheme)
    scroll_through(browser)
    browser.execute_script(AXE.read_text(encoding="utf-8"))
    found = browser.execute_async_script("axe.run().then(arguments[arguments.length - 1])")
    serious = [
        (each["id"], each["help"], [node["html"][:120] for node in each["nodes"]])
        for each in found["violations"]
        if each["impact"] in ("serious", "critical")
    ]
    assert serious == []
    assert len(found["passes"]) > 15
    if size == NARROW:  # nothing wider than the screen
        assert browser.execute_script("return document.documentElement.scrollWidth <= window.innerWidth + 1")


def test_a_report_of_many_readings(browser: Any, opened: Any, finished: Any, tmp_path: Path) -> None:
    """100,000 readings: under 6 MB, and they are drawn (``benchmarks/report_opens.py`` has how fast)."""
    many_readings(finished[0]).report(tmp_path / "many.html")
    assert (tmp_path / "many.html").stat().st_size < 6e6
    opened(tmp_path / "many.html")
    assert browser.find_elements("css selector", "[data-figure=slice] .reading")
    assert [entry for entry in browser.get_log("browser") if entry["level"] != "INFO"] == []


def many_readings(law: Law, number: int = 100_000) -> Law:
    readings = law.readings
    some = np.resize(np.arange(len(readings)), number)
    random = np.random.default_rng(0)
    more = replace(
        readings,
        time=random.uniform(*readings.span["t"], number),
        space=readings.space[some],
        values=readings.values[some],
        sensor=readings.sensor[some],
    )
    return with_readings(law, more)


@pytest.fixture(scope="module")
def plate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from pdescry import discover, systems

    readings = systems.heat_2d().observe(sensors=24, times=16, noise="2%", seed=1)
    folder = tmp_path_factory.mktemp("plate") / "run"
    discover(readings, candidates=["u_xx", "u_yy"], workdir=folder, workers=1, figures=True)
    return folder


def test_maps_in_the_plane_follow_time_and_the_pointer(plate: Path, browser: Any, opened: Any, tmp_path: Path) -> None:
    from selenium.webdriver import ActionChains

    opened(plate / "report.html")
    scroll_through(browser)
    assert [entry for entry in browser.get_log("browser") if entry["level"] != "INFO"] == []
    said = browser.find_element("id", "value-now")
    browser.execute_script(
        "const time = document.getElementById('time'); time.value = 0; time.dispatchEvent(new Event('input'))"
    )
    assert said.text.startswith("t = 0, x = ")
    drawing = browser.find_element("css selector", "figure[data-figure=plane-mean] svg.drawing")
    browser.execute_script("arguments[0].scrollIntoView()", drawing)
    before, whose = said.text, browser.find_element("id", "sensor-now").text
    ActionChains(browser).move_to_element_with_offset(drawing, -120, 40).perform()
    assert said.text != before
    assert browser.find_element("id", "sensor-now").text != whose
    browser.find_element("id", "play").click()
    time.sleep(1)
    assert not said.text.startswith("t = 0, ")
    browser.find_element("id", "play").click()
    browser.find_element("css selector", "figure[data-figure=plane-mean] button[data-save=csv]").click()
    with downloaded(tmp_path, "system heat_2d-plane-mean.csv").open(newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["t", "x", "y", "u_mean"]
    assert len(rows) == 1 + 25 * 41 * 41
    assert (plate / "figures" / "field.png").stat().st_size > 10_000
