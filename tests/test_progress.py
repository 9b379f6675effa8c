"""Who watches long work, and what they see."""

from __future__ import annotations

import io
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from pdescry.progress import Line, watched


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def shown(stream: io.StringIO) -> list[str]:
    return [text.rstrip() for text in stream.getvalue().split("\r") if text.strip()]


def test_a_line_says_what_goes_on_and_how_long_the_rest_takes() -> None:
    stream, clock = io.StringIO(), Clock()
    line = Line(stream, clock)
    for clock.now, what, fraction in ((1, "fit: looking", 0.0), (2, "fit: trying", 0.1), (2.1, "fit: trying", 0.2)):
        line(what, fraction)
    clock.now = 20
    line("law: solving", 0.5)  # another stage, of which nothing is known yet
    clock.now = 21
    line("law: solving", 0.75)
    clock.now = 22
    line("law: solving", 0.8, 90)  # told
    assert shown(stream) == [
        "fit: looking (0%)",
        "fit: trying (10%, about 0:00:09 left)",
        "law: solving (50%)",
        "law: solving (75%, about 0:00:01 left)",
        "law: solving (80%, about 0:01:30 left)",
    ]
    line.clear()
    assert stream.getvalue().endswith("\r")
    assert not stream.getvalue().split("\r")[-2].strip()


def test_a_function_is_called_as_it_is() -> None:
    told: list[Any] = []
    with watched(lambda *given: told.append(given)) as tell:
        tell("fit", 0.5, None)
    assert told == [("fit", 0.5, None)]


@pytest.mark.parametrize(("given", "seen"), [(True, True), (False, False), (None, False)])
def test_a_line_where_it_is_asked_for(given: bool | None, seen: bool, capsys: pytest.CaptureFixture[str]) -> None:
    with watched(given) as tell:
        tell("fit", 0.5, None)
    assert ("fit (50%)" in capsys.readouterr().err) == seen


def test_notebooks_have_it_without_asking(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    shown: list[str] = []

    def display(text: dict[str, str], **options: Any) -> SimpleNamespace:
        assert options == {"raw": True, "display_id": True}
        shown.append(text["text/plain"])
        return SimpleNamespace(update=lambda text, raw: shown.append(text["text/plain"]))

    notebook = SimpleNamespace(get_ipython=lambda: SimpleNamespace(kernel=object()))
    monkeypatch.setitem(sys.modules, "IPython", notebook)
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(display=display))
    with watched(None) as report_progress:
        report_progress("fit", 0.5, None)
    assert shown == ["fit (50%)", ""]
    with watched(False) as report_progress:
        report_progress("fit", 0.5, None)
    with watched(None):
        pass
    assert shown == ["fit (50%)", ""]
    assert not capsys.readouterr().err
