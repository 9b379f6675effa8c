"""Settings: the same from Python, from TOML and from words; and whatever is wrong is told by its name."""

from __future__ import annotations

import math
import shlex
import tomllib
from dataclasses import fields, replace
from itertools import pairwise

import numpy as np
import pytest

from pdescry import InputError, Readings
from pdescry.discovery import PRESETS, Settings, choose_settings, from_words, load_config, merged, to_toml
from pdescry.discovery.config import command_of, settings_from, spelled
from pdescry.discovery.method import KINDS
from pdescry.joint import Joint
from pdescry.regression import STBLR, Greedy, SequentialRidge, SparseRegressor
from pdescry.surrogate import HMC, MCLMC, NUTS, PAPER_DNN, Adam, Network, Noise, Prior
from pdescry.surrogate.samplers import SAMPLERS


def round_trip(settings: Settings, tmp_path) -> Settings:
    path = tmp_path / "settings.toml"
    path.write_text(to_toml(settings), encoding="utf-8")
    return settings_from(load_config(path))


def parameters(settings: Settings) -> dict:
    assert isinstance(settings.method, SparseRegressor)
    return settings.method.get_params()


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("kind", [name for name in SAMPLERS if name != "Point"])
@pytest.mark.parametrize("method", ["auto", *KINDS])
def test_every_setting_has_a_comment_and_survives_the_file(preset, kind, method, tmp_path):
    regression = {"method": method} | ({"threshold": 0.1} if method in ("stblr", "stols") else {})
    settings = PRESETS[preset].changed({"sampler": {"kind": kind}, "regression": regression})
    assert round_trip(settings, tmp_path) == settings


def test_the_three_ways_agree(tmp_path):
    python = choose_settings(
        "default", None, seed=3, candidates=["u_xx", "u*u_x"], network=Network(width=20), sampler=HMC(draws=40),
        noise=0.1, within={"x": (0, 1)}, method=STBLR(0.2), keep_draws=7,
    )  # fmt: skip
    words = [
        "seed=3", "law.candidates=['u_xx', 'u*u_x']", "network.width=20", "sampler.kind=hmc", "sampler.draws=40",
        "noise.sd=0.1", "derivatives.within={x=[0, 1]}", "regression.method=STBLR", "regression.threshold=0.2",
        "derivatives.keep_draws=7",
    ]  # fmt: skip
    shell = choose_settings("default", from_words(words))
    assert python == shell
    assert round_trip(python, tmp_path) == python
    assert python.noise == Noise(0.1)


def test_what_is_known_of_terms_in_the_three_ways(tmp_path):
    python = choose_settings(None, None, method=Joint(known=("u_xx > 0", "u")))
    assert round_trip(python, tmp_path) == python
    assert 'known = ["u_xx > 0", "u"]' in to_toml(python)
    for words in ([], ["regression.method=joint"], ["regression.method=auto"]):
        assert choose_settings(None, from_words([*words, "regression.known=['u_xx > 0', 'u']"])) == python


def test_a_domain_in_the_three_ways(tmp_path):
    python = choose_settings("default", None, method=Joint(domain=(0, 10)))
    assert round_trip(python, tmp_path) == python
    assert settings_from(from_words(["regression.domain=[0, 10]"])) == python
    assert settings_from(from_words(["regression.domain=[0, 10]", "regression.domain=auto"])).method == Joint()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "pdescry discover"),
        (["seed=3"], "pdescry discover --set seed=3"),
        (["regression.domain=[0, 10]"], "pdescry discover --set 'regression.domain=[0.0, 10.0]'"),
        (["noise.sd=readings"], None),
        (["regression.threshold=0.2"], "pdescry discover --set regression.threshold=0.2"),
        (["regression.method=joint"], None),
        (["preset=paper", "regression.method=ard", "network.width=9"], None),
    ],
)
def test_a_command_says_the_settings_and_no_more(words, said):
    settings = settings_from(from_words(words))
    command = command_of([], settings)
    assert said in (None, command)
    given = shlex.split(command)
    presets = [f"preset={after}" for before, after in pairwise(given) if before == "--preset"]
    presets += ["noise.sd=readings" for word in given if word == "--noise"]
    changes = [after for before, after in pairwise(given) if before == "--set"]
    assert settings_from(from_words([*presets, *changes])) == settings


def test_a_command_tells_the_noise_that_was_told():
    rng = np.random.default_rng(0)
    plain = Readings.from_arrays(np.arange(40.0), rng.random(40), rng.random(40))
    told, others = replace(plain, noise=np.full((40, 1), 0.02)), replace(plain, noise=rng.random((40, 1)))
    settings = Settings(noise=Noise("readings"))
    assert command_of([told, told], settings) == "pdescry discover FILE FILE --noise 0.02"
    long = Readings.from_arrays(
        np.tile(np.arange(400.0), 3), np.repeat(np.arange(3.0), 400), rng.random(1200), noise=0.02
    )
    assert command_of([long], settings).endswith("--noise 0.02")
    averaged = long.averaged(100)  # their sd is not what was told
    for unknown in ([others], [told, others], [told, plain], [averaged]):
        assert command_of(unknown, settings).endswith("--noise NOISE")


def test_what_auto_stands_for_is_shown_and_can_be_named():
    """The lines behind "of joint:", without their first two characters, change nothing."""
    _, _, shown = to_toml(Settings()).partition("# of joint:\n")
    lines = [line.removeprefix("# ") for line in shown.splitlines()]
    names = {line.split(" = ")[0] for line in lines}
    assert names == {each.name for each in fields(Joint)}
    assert settings_from({"regression": tomllib.loads("\n".join(lines))}).method == Joint()


def test_whether_to_average_in_the_three_ways(tmp_path):
    for python, toml in ((True, "auto"), (False, "off"), (250, 250), (np.int64(250), 250)):
        settings = choose_settings(None, None, average=python)
        assert settings.to_dict()["field"]["average"] == toml
        assert round_trip(settings, tmp_path) == settings
        assert choose_settings(None, from_words([f"field.average={toml}"])) == settings
    assert PRESETS["default"].average is True
    assert choose_settings("paper", {"field": {"average": "auto"}}).average is True


def test_auto_is_what_was_not_chosen(tmp_path):
    settings = PRESETS["default"]
    assert (settings.method, settings.candidates) == (None, None)
    assert settings.to_dict()["regression"] == {"method": "auto"}
    assert settings.to_dict()["law"]["candidates"] == "auto"
    back = {"law": {"candidates": "auto"}, "regression": {"method": "auto"}}
    assert PRESETS["paper"].changed(back).method is None
    assert PRESETS["paper"].changed(back).candidates is None
    # A threshold asks for the one that has thresholds; either begins from what auto would have taken.
    for given in ({"threshold": 0.2}, {"method": "sequential_ridge", "threshold": 0.2}):
        assert parameters(settings.changed({"regression": given}))["threshold"] == 0.2
    ridge = settings.changed({"regression": {"method": "sequential_ridge"}})
    assert parameters(ridge) == SequentialRidge(0.1).get_params()


def test_presets_are_the_papers():
    paper, printed = PRESETS["paper"], PRESETS["paper_as_printed"]
    assert paper.network == Network(50, 5)
    assert paper.start == PAPER_DNN
    assert paper.prior == Prior("standard_normal", scale=1.0)
    assert paper.noise == Noise(0.1)  # 1/0.01 as a precision
    assert isinstance(paper.sampler, HMC)
    assert (paper.sampler.draws, paper.sampler.burn, paper.sampler.steps) == (5800, 200, 30)
    assert paper.chains == 1
    assert paper.average is printed.average is False
    assert parameters(paper)["gamma_power"] == 0.5
    assert printed.network == Network(50, 4)
    assert printed.noise == Noise(0.01)
    assert parameters(printed)["gamma_power"] == 1.0
    assert isinstance(PRESETS["default"].sampler, MCLMC)


def test_later_ones_win():
    tables = merged({"sampler": {"draws": 5, "burn": 1}}, {"sampler": {"draws": 6}}, {"seed": 2})
    settings = choose_settings("default", tables, chains=3)
    assert isinstance(settings.sampler, MCLMC)
    assert (settings.sampler.draws, settings.sampler.burn, settings.seed, settings.chains) == (6, 1, 2, 3)
    assert choose_settings(None, {"preset": "paper"}).network.depth == 5
    assert choose_settings(None, {"seed": 5}, seed=0).seed == 0
    with pytest.raises(InputError, match="one preset"):  # a file of all defaults under the name of another preset
        choose_settings("paper", {"preset": "default"})


def test_numbers_of_numpy_and_whole_floats(tmp_path):
    settings = choose_settings(
        None, None, seed=np.int64(3), chains=np.int32(2), points=1e4, method=STBLR(np.float64(0.5))
    )
    assert round_trip(settings, tmp_path) == settings
    assert settings.points == 10_000


def test_texts_that_toml_has_its_own_way_with(tmp_path):
    odd = 'a"b\\c\x7f\n\tü\u2028'
    settings = PRESETS["default"].changed({"law": {"candidates": [odd]}, "regression": {"method": "ard"}})
    assert round_trip(settings, tmp_path).candidates == (odd,)
    assert tomllib.loads(f"v = {spelled([1e400, -1e400, 0.1, True, 3])}")["v"] == [
        float("inf"),
        -float("inf"),
        0.1,
        True,
        3,
    ]
    assert math.isnan(tomllib.loads(f"v = {spelled(float('nan'))}")["v"])
    assert "?" in spelled("a\udcffb")


def test_another_kind_begins_from_its_own_defaults():
    settings = PRESETS["paper"].changed({"sampler": {"kind": "nuts"}})
    assert settings.sampler == NUTS()
    assert parameters(PRESETS["paper"].changed({"regression": {"method": "greedy"}})) == Greedy().get_params()


@pytest.mark.parametrize(
    ("tables", "said"),
    [
        ({"sampler": {"drws": 5}}, r"no setting sampler\.drws.*Did you mean sampler\.draws"),
        ({"smpler": {}}, "no setting smpler.*Did you mean sampler"),
        ({"sampler": 5}, "to be a table"),
        ({"sampler": {"kind": "gibbs"}}, r"sampler\.kind to be one of MCLMC"),
        ({"regression": {"method": "lasso"}}, r"regression\.method to be one of auto, joint, stblr"),
        ({"regression": {"method": "stblr"}}, "a threshold for STBLR"),
        ({"preset": "best"}, "preset to be one of default"),
        ({"noise": {"sd": "loud"}}, r"noise\.sd to be a number"),
        ({"noise": {"sd": -1}}, "above zero"),
        ({"network": {"width": 0}}, "width of the network"),
        ({"field": {"chains": 0}}, "number of chains"),
        ({"law": {"time_order": 3}}, "order of the time derivative"),
        ({"derivatives": {"within": "everywhere"}}, "'hull', 'box' or ranges"),
        ({"start": {"steps": "many"}}, "steps of Adam"),
        ({"sampler": {"step_size": 0}, "preset": "paper"}, "step_size of HMC"),
        ({"law": {"candidates": 5}}, "candidates as a name or a list"),
        ({"law": {"candidates": {"u": 1}}}, "candidates as a name or a list"),
        ({"regression": {"method": "joint", "threshold": 0.1}}, r"no setting regression\.threshold"),
        ({"regression": {"known": ["u > 0"], "threshold": 0.1}}, r"no setting regression\.threshold"),
        ({"regression": {"known": 5}}, "known of Joint to be a text or a list"),
        ({"regression": {"proposals": 0}}, "number of proposals"),
        ({"derivatives": {"within": {"x": 5}}}, "'hull', 'box' or ranges"),
        ({"derivatives": {"within": {"x": ["a", "b"]}}}, "'hull', 'box' or ranges"),
        ({"preset": [1]}, "preset to be one of default"),
        ({"regression": {"threshold": -1}}, "threshold of SequentialRidge"),
        ({"regression": {"threshold": "abc"}}, "threshold of SequentialRidge"),
        ({"regression": {"method": "best_subset", "criterion": "foo"}}, "criterion of BestSubset"),
        ({"start": {"decay": "maybe"}}, "decay of Adam"),
        ({"noise": {"sd": True}}, "above zero"),
        ({"field": {"average": 2}}, "average to be 'auto'.* got 2"),
        ({"field": {"average": "all"}}, "average to be 'auto'"),
        ({"field": {"average": 0.5}}, "average to be 'auto'"),
    ],
)
def test_what_is_wrong_is_named(tables, said):
    with pytest.raises(InputError, match=said):
        settings_from(tables)


def test_a_section_whole_and_by_its_names():
    with pytest.raises(InputError, match="either whole or by its names"):
        from_words(["sampler=hmc", "sampler.draws=5"])


@pytest.mark.parametrize("word", ["sampler.draws", "=5", "a.b.c=1", ".x=1"])
def test_words_that_are_no_settings(word):
    with pytest.raises(InputError, match=r"section\.name=value"):
        from_words([word])


def test_files_that_are_no_settings(tmp_path):
    with pytest.raises(InputError, match="Cannot read"):
        load_config(tmp_path / "absent.toml")
    (tmp_path / "bad.toml").write_text("[sampler\n")
    with pytest.raises(InputError, match=r"to be TOML.*pdescry config"):
        load_config(tmp_path / "bad.toml")
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="no text"):
        load_config(tmp_path / "binary.toml")


def test_wrong_nouns_are_refused():
    for wrong in ({"sampler": "HMC"}, {"network": Network}, {"method": "stblr"}, {"start": Prior()}):
        with pytest.raises(InputError, match="Expected"):
            choose_settings("default", None, **wrong)
    assert choose_settings("default", None, start=Adam(steps=7)).start.steps == 7
