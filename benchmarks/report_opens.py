"""Time that a browser takes to open reports of more and more readings, from disk until the first figures are drawn.

    python benchmarks/report_opens.py RUN_DIRECTORY [--readings 1000 10000 100000]

RUN_DIRECTORY: a finished ``pdescry discover``, whose readings are repeated at other times. Needs Debian's chromium and
chromium-driver (``tests/browser/set_up.sh``). Loads without figures in view are the browser's own; times are from the
start of the navigation until the page reports that it is ready, median of five.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import cast

import numpy as np
from selenium.webdriver import Chrome, ChromeOptions, ChromeService

from pdescry import Law, load
from pdescry.joint.inference import JointInference
from pdescry.notices import Notice

FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")
READY = """
const done = arguments[0];
const look = () => document.documentElement.dataset.ready
  ? requestAnimationFrame(() => done(performance.now())) : setTimeout(look, 1);
look();
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("run", type=Path)
    parser.add_argument("--readings", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    given = parser.parse_args()
    law = load(given.run)
    options = ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for flag in FLAGS:
        options.add_argument(flag)
    browser = Chrome(options=options, service=ChromeService("/usr/bin/chromedriver"))
    browser.set_window_size(1280, 900)
    with tempfile.TemporaryDirectory() as folder:
        for number in given.readings:
            path = Path(folder) / f"{number}.html"
            with_readings(law, number).report(path)
            taken = []
            for _ in range(5):
                browser.get(path.as_uri())
                taken.append(browser.execute_async_script(READY) / 1000)
            size = path.stat().st_size / 1e6
            spread = f"{min(taken):.2f} to {max(taken):.2f}"
            print(f"{number:>8} readings: {size:5.2f} MB, opens in {statistics.median(taken):.2f} s ({spread})")
    browser.quit()


def with_readings(law: Law, number: int) -> Law:
    """The same field, without a law, and this many readings, at their own times."""
    readings, random = law.readings, np.random.default_rng(0)
    some = np.resize(np.arange(len(readings)), number)
    more = replace(
        readings,
        time=random.uniform(*readings.span[readings.time_name], number),
        space=readings.space[some],
        values=readings.values[some],
        sensor=readings.sensor[some],
    )
    found = cast(JointInference, law.inference)
    comparison = replace(found.comparison, reasons=dict.fromkeys(readings.fields, Notice.of("none-explains")))
    processes = tuple(tuple(replace(each, readings=more) for each in own) for own in found.choice.processes)
    choice = replace(found.choice, comparison=comparison, processes=processes)
    return replace(law, inference=JointInference(choice, (more,)))


if __name__ == "__main__":
    main()
