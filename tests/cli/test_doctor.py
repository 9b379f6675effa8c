"""`pdescry doctor`: what it prints, and when it ends with 1."""

from __future__ import annotations

import json

import pytest

from pdescry.doctor import Examination, Finding, Trouble

FINE = Finding("cores", "2 of 2 usable", {"usable": 2})
SLOW = Finding("speed", "300 gradients", {}, (Trouble("this core is slow", "let it cool"),))
OLD = Finding("packages", "jax 0.4", {}, (Trouble("jax 0.4 is installed", 'pip install -U "jax>=0.10"', broken=True),))


@pytest.fixture
def examined(run, monkeypatch):
    def of(*findings: Finding, words: tuple[str, ...] = ()):
        monkeypatch.setattr("pdescry.doctor.examine", lambda: Examination(findings))
        return run("doctor", *words)

    return of


def test_all_is_well(examined):
    assert examined(FINE) == (0, "cores     2 of 2 usable\nAll is well.\n", "")


def test_warnings_do_not_fail(examined):
    code, out, _ = examined(FINE, SLOW)
    assert code == 0
    assert "! warning: this core is slow; to fix it: let it cool." in out


def test_what_is_broken_ends_with_1_and_its_remedy(examined):
    code, out, _ = examined(OLD, FINE)
    assert code == 1
    assert 'broken: jax 0.4 is installed; to fix it: pip install -U "jax>=0.10".' in out
    assert out.endswith("Something is broken: see what to do above.\n")


def test_json(examined):
    code, out, _ = examined(FINE, SLOW, OLD, words=("--json",))
    told = json.loads(out)
    assert (code, told["broken"]) == (1, True)
    assert told["findings"]["cores"] == {"says": "2 of 2 usable", "troubles": [], "usable": 2}
    assert told["findings"]["speed"]["troubles"][0]["remedy"] == "let it cool"
