"""Words of the shell become what a TOML file would hold."""

from __future__ import annotations

import pytest

from pdescry import InputError
from pdescry.schema import words


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("5", 5),
        (" 1e4", 1e4),
        ("off", "off"),
        ("'off'", "off"),
        ("[1, 2]", [1, 2]),
        ("u, v", "u, v"),
        ("true", True),
    ],
)
def test_a_value_is_toml_or_the_text(text, value):
    assert words.value(text) == value


def test_values_by_field():
    assert words.value_by_field("2") == 2
    assert words.value_by_field("auto") == "auto"
    assert words.value_by_field(" u=2, T = 1,") == {"u": 2, "T": 1}
    assert words.value_by_field("u=soon") == {"u": "soon"}  # refused where settings are checked


def test_several_in_one_word():
    assert words.parts(["TC5,TC7", " TC9 ", ","]) == ["TC5", "TC7", "TC9"]
    assert words.parts(["TC5,TC7", "a,b"], whole=["a,b"]) == ["TC5", "TC7", "a,b"]


@pytest.mark.parametrize(
    ("given", "candidates"),
    [
        (["small"], "small"),
        (["auto"], "auto"),
        (["u_xx, u*u_x"], ["u_xx", "u*u_x"]),
        (["u_xx", "u"], ["u_xx", "u"]),
        (["u_xx"], ["u_xx"]),
        (["small", "u"], ["small", "u"]),
    ],
)
def test_a_library_or_terms(given, candidates):
    assert words.library_or_terms(given) == candidates


def test_names_whatever_their_capitals_and_hyphens():
    names = ["AdjustedMCLMC", "best_subset", "HMC"]
    assert [words.hyphenated(name) for name in names] == ["adjusted-mclmc", "best-subset", "hmc"]
    for name in names:
        for given in (name, words.hyphenated(name), name.upper()):
            assert words.meant(given, names, "--kind") == name
    with pytest.raises(InputError, match="--kind to be one of AdjustedMCLMC, best_subset, HMC; got 'nuts'"):
        words.meant("nuts", names, "--kind")
