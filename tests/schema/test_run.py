"""One declaration for each setting: arguments, TOML, ``--set``, comments, flags and completion all come from it."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from contextlib import nullcontext
from dataclasses import dataclass, fields
from types import SimpleNamespace
from typing import Any

import pytest
import typer

from pdescry import InputError, discover
from pdescry.cli.app import app
from pdescry.cli.completing import setting_names
from pdescry.cli.settings import tables_of
from pdescry.data.averaged import LEAST
from pdescry.discovery import PRESETS, choose_settings, from_words, method, nouns, to_toml
from pdescry.discovery.settings import ARGUMENTS, NOUNS, PLAIN, Settings, every_setting
from pdescry.regression import REGRESSORS
from pdescry.schema import check_settings, run, setting, whole
from pdescry.schema.run import FLAGS, SECTIONS
from pdescry.surrogate.samplers import SAMPLERS

EVERY = dict(every_setting())
COMMANDS = typer.main.get_command(app).commands  # pyright: ignore[reportAttributeAccessIssue]


@dataclass(frozen=True)
class Weave:
    """A made-up method."""

    strands: int = setting(3, "woven together", whole(2))
    pattern: str = setting("plain", '"plain" or "twill"', choices=("plain", "twill"))

    def __post_init__(self) -> None:
        check_settings(self)


@pytest.fixture
def weave(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if it stood in the registries of a method and of a sampler."""
    owner = SimpleNamespace(kinds={"weave": Weave}, check_options=lambda options: None)
    monkeypatch.setattr(method, "METHODS", (owner, *method.METHODS))
    monkeypatch.setattr(nouns, "KINDS", {**method.KINDS, "weave": Weave})


@pytest.mark.usefixtures("weave")
def test_an_option_of_a_noun_shows_up_everywhere():
    chosen = choose_settings(None, None, method=Weave(strands=5))
    shell = choose_settings(None, from_words(["regression.method=Weave", "regression.strands=5"]))
    assert chosen == shell
    assert shell.method == Weave(5, "plain")
    text = to_toml(chosen)
    assert re.search(r"^strands = 5 +# woven together$", text, re.MULTILINE)
    assert re.search(r'^pattern = "plain" +# "plain" or "twill"$', text, re.MULTILINE)
    assert {"regression.strands", "regression.pattern"} <= set(dict(every_setting()))
    assert setting_names("regression.str") == ["regression.strands"]
    with pytest.raises(InputError, match="strands of Weave to be a whole number of at least 2; got 1"):
        shell.changed({"regression": {"strands": 1}})
    with pytest.raises(InputError, match=r"no setting regression\.strand; .* Did you mean regression\.strands"):
        shell.changed({"regression": {"strand": 4}})


@pytest.mark.parametrize("name", EVERY)
def test_each_setting_has_a_comment_on_one_line(name):
    comment = EVERY[name].comment
    assert comment.strip() == comment != ""
    assert "\n" not in comment


@pytest.mark.parametrize("name", [name for name in EVERY if name not in ("sampler.kind", "regression.method")])
def test_each_setting_refuses_what_makes_no_sense(name):
    """Of each noun that has it."""
    section, _, last = name.rpartition(".")
    kinds: dict[str, list[dict[str, Any]]] = {"sampler": [{"kind": each} for each in run.SAMPLERS]}
    kinds["regression"] = [{"method": each, **({"threshold": 1.0} if "st" in each[:3] else {})} for each in run.METHODS]
    for kind in kinds.get(section, [{}]):
        settings = Settings().changed({section: kind} if kind else {})
        if section and last not in settings.to_dict()[section]:
            continue
        with pytest.raises(InputError, match="Expected"):
            settings.changed({section: {last: {"x": object()}}} if section else {last: object()})


def test_every_section_has_a_place_in_the_file():
    assert tuple(Settings().to_dict()) == ("preset", "seed", *SECTIONS[1:])
    assert {each.section for each in PLAIN.values()} | {each.name for each in NOUNS.values()} == set(SECTIONS)


def test_names_that_stand_for_what_takes_long_to_load():
    assert tuple(PRESETS) == run.PRESETS
    assert {"Point", *run.SAMPLERS} == set(SAMPLERS)
    assert tuple(method.KINDS) == run.METHODS == ("joint", *REGRESSORS)
    assert LEAST == 3  # as `average` is told to be


# ---- Python ----------------------------------------------------------------------------------------------------------


def test_arguments_of_discover_are_the_settings_and_each_is_explained():
    named = list(inspect.signature(discover).parameters)
    own = ["readings", "workdir", "config", "workers", "executor", "figures", "overwrite", "progress"]
    assert sorted(named) == sorted([*own, *ARGUMENTS])
    assert {each.name for each in fields(Settings)} == set(ARGUMENTS) == {*PLAIN, *NOUNS}
    _, explained, *_ = re.split(r"\n\w+\n-+\n", inspect.getdoc(discover) or "")
    assert re.findall(r"^(\w+) ?:?", explained, re.MULTILINE) == named


def test_defaults_stand_in_the_declarations_alone():
    parameters = inspect.signature(discover).parameters
    assert {name for name in ARGUMENTS if parameters[name].default is not None} == set()


# ---- the shell -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FLAGS)
def test_each_flag_gives_a_setting(name):
    assert name in EVERY
    command: Any = COMMANDS["discover"]
    (option,) = [each for each in command.params if each.name == FLAGS[name].name]
    assert option.hidden == (not FLAGS[name].help)
    assert f"--{FLAGS[name].name.replace('_', '-')}" in option.opts


def test_flags_have_names_of_their_own():
    assert len({each.name for each in FLAGS.values()}) == len(FLAGS)
    short = [each.short for each in FLAGS.values() if each.short]
    assert len(set(short)) == len(short)


def said(words: list[str], monkeypatch: pytest.MonkeyPatch, file: Any) -> Settings:
    """What `pdescry discover` would have run with."""
    asked: list[dict[str, Any]] = []

    class Enough(Exception):
        pass

    def find(readings: Any, **given: Any) -> None:
        asked.append(given)
        raise Enough

    monkeypatch.setattr("pdescry.discovery.discover", find)
    monkeypatch.setattr("pdescry.cli.discover.processes_ahead", lambda *_: nullcontext())
    command: Any = COMMANDS["discover"]
    with pytest.raises(Enough):
        command.main([str(file), "--output", str(file.with_suffix(".pdescry")), *words], standalone_mode=False)
    (given,) = asked
    return choose_settings(None, given["config"])


@pytest.fixture
def rod(tmp_path):
    file = tmp_path / "rod.csv"
    file.write_text("t,x,u\n" + "".join(f"{t},{x},{t * x}\n" for t in range(4) for x in range(6)), encoding="utf-8")
    return file


WORDS: dict[str, tuple[list[str], dict[str, Any]]] = {
    "candidates": (["-c", "u_xx, u", "-c", "u_x"], {"law": {"candidates": ["u_xx", "u", "u_x"]}}),
    "a library": (["--candidates", "small"], {"law": {"candidates": "small"}}),
    "order": (["--time-order", "u=2"], {"law": {"time_order": {"u": 2}}}),
    "one order": (["--time-order", "2"], {"law": {"time_order": 2}}),
    "facts": (["--known", "u_xx > 0", "--known", "u"], {"regression": {"known": ["u_xx > 0", "u"]}}),
    "ends": (["--boundary", "u(0) = 1"], {"regression": {"boundary": ["u(0) = 1"]}}),
    "domain": (["--domain", "-1", "9"], {"regression": {"domain": [-1, 9]}}),
    "vary": (["--vary", "all"], {"regression": {"vary": ["all"]}}),
    "method": (["--method", "best-subset"], {"regression": {"method": "best_subset"}}),
    "threshold": (["--threshold", "0.2"], {"regression": {"threshold": 0.2}}),
    "average": (["--average", "250"], {"field": {"average": 250}}),
    "no average": (["--average", "off"], {"field": {"average": "off"}}),
    "faults": (
        ["--faults", "leave-out", "--chains", "3"],
        {"sensors": {"faults": "leave_out"}, "field": {"chains": 3}},
    ),
    "sampler": (["--sampler", "nuts", "--draws", "9"], {"sampler": {"kind": "NUTS", "draws": 9}}),
    "chains' steps": (["--thin", "7", "--burn", "3"], {"sampler": {"thin": 7, "burn": 3}}),
    "points": (["--points", "70", "--seed", "4"], {"derivatives": {"points": 70}, "seed": 4}),
    "preset": (["--preset", "paper"], {"preset": "paper"}),
    "without": (["--without", "1,2", "--without", "4"], {"sensors": {"without": ["1", "2", "4"]}}),
    "noise": (["--noise", "0.1"], {"noise": {"sd": "readings"}}),
    "a flag wins": (["--set", "seed=1", "--seed", "2"], {"seed": 2}),
    "none": ([], {}),
}


@pytest.mark.parametrize(("words", "tables"), WORDS.values(), ids=WORDS)
def test_flags_say_what_a_file_says(words, tables, monkeypatch, rod):
    assert said(words, monkeypatch, rod) == choose_settings(None, tables)


def test_every_flag_is_among_these():
    used = {word for words, _ in WORDS.values() for word in words}
    assert {f"--{each.name.replace('_', '-')}" for each in FLAGS.values()} <= used


def test_one_preset_at_a_time(tmp_path):
    (tmp_path / "all.toml").write_text(to_toml(Settings()), encoding="utf-8")
    with pytest.raises(InputError, match="one preset; got 'paper', and 'default'"):
        tables_of({"preset": "paper"}, tmp_path / "all.toml")


def test_help_and_completion_need_no_numpy():
    code = "import sys, pdescry.cli.app, pdescry.schema.run; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert not {"numpy", "pandas", "tomllib", "pdescry.equation", "pdescry.discovery"} & loaded
