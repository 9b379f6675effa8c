from __future__ import annotations

import re

import pytest

from pdescry.cli.progress import progress_bar


@pytest.fixture
def shown(monkeypatch, capsys):
    """What the bar drew for some reports, without colours and movements of the cursor."""
    monkeypatch.setenv("FORCE_COLOR", "1")  # as on a terminal
    monkeypatch.setenv("COLUMNS", "100")

    def draw(*reports: tuple) -> list[str]:
        frames = []
        with progress_bar(silent=False) as show:
            for report in reports:
                show(*report)
                frames.append(capsys.readouterr().err)
        frames.append(capsys.readouterr().err)
        return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", frames[-1]).strip().splitlines()

    return draw


def test_stage_fraction_and_the_time_left_are_shown(shown):
    (line,) = shown(("warm start", 0.1, None), ("sampling", 0.5, 90.0))
    assert line.startswith("sampling ")
    assert "50%" in line
    assert line.endswith("left 0:01:30")


def test_a_fraction_that_falls_begins_another_bar(shown):
    (line,) = shown(("solving with 49 points", 0.9), ("solving with 97 points", 0.2))
    assert line.startswith("solving with 97 points ")
    assert "20%" in line


def test_nobody_watching_nothing_is_drawn(capsys):
    for silent in (True, False):
        with progress_bar(silent) as show:
            show("solving", 0.5)
            show("sampling", 0.5, 10.0)
    assert capsys.readouterr().err == ""
