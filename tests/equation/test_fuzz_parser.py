"""A few thousand random and mutated texts: the parser gives an equation or its own error, nothing else."""

from __future__ import annotations

import random

import pytest

from pdescry.equation import Equation, Formula, Term
from pdescry.errors import EquationError

SEEDS = [
    "u_t = -u*u_x + 0.1*u_xx",
    "u_tt = 4*u_xx - sin(2*u)",
    "u_t = d_x(u*u_x) + x*u_x^2 + 1; v_t = (u - v)/3",
    "uₜ = −u·uₓ + 0.1·uₓₓ + ∂ₓ(u²)",
    "-sin(pi*x/8)*exp(-x^2)",
]
ALPHABET = "uvxyzt_0123456789.+-*/^()=; \n\tdeEsincoexptanhpi·−²³ₓₜ∂'\"[]{}:,@#%&!?\\\x00é中𝒳"


def mutated(source: random.Random) -> str:
    text = list(source.choice(SEEDS))
    for _ in range(source.randint(1, 6)):
        place = source.randrange(len(text) + 1)
        match source.randrange(4):
            case 0:
                text.insert(place, source.choice(ALPHABET))
            case 1:
                del text[place : place + source.randint(1, 4)]
            case 2:
                text[place:place] = text[: source.randint(0, 12)]
            case _:
                text[place : place + 1] = source.choice(["u_t", "__", "**", "1e308*10", "^^", "u_xx", "sin(", ")", "="])
    return "".join(text)


@pytest.mark.parametrize("parse", [Equation.parse, Term.parse, Formula.parse], ids=["equation", "term", "formula"])
def test_only_our_own_error_comes_out(parse):
    source = random.Random(7)
    texts = [mutated(source) for _ in range(2000)]
    texts += ["+".join([source.choice(SEEDS)] * 300), "u" + "⁹" * 999, "-" * 999 + "u", "(" * 999]
    texts += ["".join(source.choice(ALPHABET) for _ in range(source.randint(0, 60))) for _ in range(1000)]
    accepted = 0
    for text in texts:
        try:
            value = parse(text)
        except EquationError:
            continue
        accepted += 1
        if parse != Formula.parse:
            assert parse(str(value)) == value
    assert 0 < accepted < len(texts)  # the mutations reach both sides of the border
