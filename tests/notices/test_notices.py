"""Every notice that is declared is made somewhere, renders for Python and for the shell, and survives a file."""

from __future__ import annotations

import ast
import copy
import json
import pickle
import tomllib
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import pdescry
from pdescry.discovery.config import spelled
from pdescry.notices import (
    Notice,
    NoticeWarning,
    declare,
    of_fields,
    of_forward,
    of_laws,
    of_readings,
    of_regressions,
    restored,
    stored,
)
from pdescry.notices.catalogue import CATALOGUE
from pdescry.notices.notice import parameters_of

ROOMS = (of_readings, of_fields, of_regressions, of_laws, of_forward)
TEMPLATES = {code: text for room in ROOMS for code, text in room.TEMPLATES.items()}


class Anything:
    """A parameter that fits whatever format its template asks for: a number, a text or a list of texts."""

    def __init__(self, template: str, name: str) -> None:
        lists = ("and", "or", "by", "comma", "quoted", "semicolon", "sensors")
        is_list = any(f"{{{name}:{spec}}}" in template for spec in lists)
        is_text = any(f"{{{name}{end}" in template for end in ("}", "!r}", ":sh}", ":Sensors}"))
        self.value: Any = ("7", "nine") if is_list else "eight" if is_text else 3


def example(code: str, optional: bool) -> Notice:
    needed, more = parameters_of(TEMPLATES[code])
    names = needed | more if optional else needed
    return Notice.of(code, **{name: Anything(TEMPLATES[code], name).value for name in sorted(names)})


EXAMPLES = [pytest.param(code, optional, id=f"{code}-{optional}") for code in TEMPLATES for optional in (False, True)]


@pytest.mark.parametrize(("code", "optional"), EXAMPLES)
def test_each_renders_for_python_and_for_the_shell(code: str, optional: bool) -> None:
    notice = example(code, optional)
    for text in (str(notice), notice.for_shell()):
        assert text
        assert "–" not in text  # which stands for a number that is missing
        assert not set("⟦⟧‖") & set(text)
        assert "[[" not in text
        assert "  " not in text
    marked = "⟦" in TEMPLATES[code]
    assert (str(notice) != notice.for_shell()) == marked


@pytest.mark.parametrize("code", TEMPLATES)
def test_each_comes_back_from_json_and_toml(code: str) -> None:
    notices = (example(code, True), Notice.of("chain-left-out", reason=example(code, False)))
    assert restored(json.loads(json.dumps(stored(notices)))) == notices
    toml = tomllib.loads(f"notes = {spelled(stored(notices))}")
    assert restored(toml["notes"]) == notices
    assert [each["text"] for each in stored(notices)] == list(map(str, notices))
    for again in (pickle.loads(pickle.dumps(notices)), copy.deepcopy(notices)):  # noqa: S301
        assert again == notices
        assert {*again} == {*notices}


# ---- where they are made ---------------------------------------------------------------------------------------------


def sources() -> Iterator[ast.Module]:
    for path in sorted(Path(pdescry.__file__).parent.rglob("*.py")):
        if path.parent.name != "notices":
            yield ast.parse(path.read_text(encoding="utf-8"))


def texts_in(tree: ast.AST) -> set[str]:
    return {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def test_no_code_is_unused_and_none_is_unknown() -> None:
    trees = list(sources())
    said = set().union(*map(texts_in, trees))
    unused = TEMPLATES.keys() - said - {f"constant-{kind}" for kind in said}  # these are put together of a fault
    assert not unused
    made = [
        node
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "Notice.of"
    ]
    assert len(made) > 50
    for call in made:
        code, *others = call.args
        assert not others
        if isinstance(code, ast.Constant):
            assert code.value in TEMPLATES
            told = {each.arg for each in call.keywords}
            needed, optional = parameters_of(TEMPLATES[str(code.value)])
            assert told - {None} <= needed | optional, code.value
            assert None in told or needed <= told, code.value  # None: of a mapping, which `Notice.of` checks


# ---- the value -------------------------------------------------------------------------------------------------------


def test_parameters_are_checked_where_a_notice_is_made() -> None:
    with pytest.raises(KeyError):
        Notice.of("no-such-code")
    with pytest.raises(TypeError, match="got no readings"):
        Notice.of("gaps-dropped", dropped=3)
    with pytest.raises(TypeError, match="got where, which it does not mention"):
        Notice.of("gaps-dropped", dropped=3, readings=9, where="here")


def test_what_is_not_there_is_left_out() -> None:
    short = Notice.of("gaps-dropped", dropped=3, readings=9, inputs=None)
    assert short == Notice.of("gaps-dropped", dropped=3, readings=9)
    assert str(short) == "Dropped 3 of 9 readings with missing values."
    more = Notice.of("gaps-dropped", dropped=3, readings=9, inputs=2)
    assert str(more) == "Dropped 3 of 9 readings with missing values; 2 of them contain inputs, which are kept."
    assert "error – of" in str(Notice.of("resolved", points="12", error=float("nan")))


def test_one_notice_may_be_part_of_another() -> None:
    verdict = Notice.of(
        "not-mixed", faults=[Notice.of("drifting", drift=-6.1, burn=800), Notice.of("rejected", accepted=0.1)]
    )
    outer = Notice.of("draws-unreliable", verdict=verdict)
    assert "(burn=800); only 10% of" in str(outer)
    assert "(--burn 800)" in outer.for_shell()


def test_a_package_declares_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    declare({"of-my-method": "Guessed {times} {times:time|times}."})
    monkeypatch.setitem(CATALOGUE, "of-my-method", CATALOGUE["of-my-method"])  # and is gone after the test
    notice = Notice.of("of-my-method", times=2)
    assert str(notice) == "Guessed 2 times."
    with pytest.raises(ValueError, match="'blow-up' is declared with another sentence"):
        declare({"blow-up": "It blew up."})
    monkeypatch.delitem(CATALOGUE, "of-my-method")
    assert str(notice) == "of-my-method, times 2."  # where the package is not loaded


def test_a_warning_carries_its_notice() -> None:
    notice = Notice.of("no-workers-yet")
    with pytest.warns(UserWarning, match="The cluster has no workers yet") as caught:
        warnings.warn(NoticeWarning(notice), stacklevel=1)
    for warning in (caught[0].message, pickle.loads(pickle.dumps(caught[0].message))):  # noqa: S301
        assert isinstance(warning, NoticeWarning)
        assert warning.notice == notice
