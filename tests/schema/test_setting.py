"""A declaration: what is read from it, and that none is missing."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, dataclass
from typing import Annotated, Any

import numpy as np
import pytest

from pdescry import InputError
from pdescry.schema import Setting, check_settings, optional, positive, setting, settings_of, switch, texts, whole

WIDE = Setting("how wide, in metres", positive())


@dataclass(frozen=True)
class Net:
    """Made up."""

    knots: int = setting(9, "along the edge", whole(2, below=100))
    width: float = WIDE.default(1.5)
    mesh: str = setting("square", '"square" or "hexagon"', choices=("square", "hexagon"))
    depth: float | None = setting(None, '"auto": inferred', optional(positive()), what="depth of the net")
    wet: bool = setting(True, "or dry", switch)
    names: tuple[str, ...] = setting((), "of its corners", texts)

    def __post_init__(self) -> None:
        check_settings(self)


class Estimator:
    """The way of scikit-learn."""

    def __init__(self, power: Annotated[float, Setting("of the ridge")] = 1.0) -> None:
        self.power = power

    @classmethod
    def _get_param_names(cls) -> list[str]:
        return ["power"]


def test_a_noun_declares_its_options():
    declared = settings_of(Net)
    assert list(declared) == ["knots", "width", "mesh", "depth", "wet", "names"]
    assert declared["width"] is WIDE
    assert {name: each.comment for name, each in settings_of(Estimator).items()} == {"power": "of the ridge"}


def test_values_are_kept_as_their_checks_give_them_back():
    net = Net(knots=np.int64(7), width=np.float32(2), names="A")  # pyright: ignore[reportArgumentType]
    assert (type(net.knots), type(net.width), net.names) == (int, float, ("A",))
    assert Net() == Net(9, 1.5, "square", None, True, ())
    assert hash(net) == hash(Net(7, 2.0, names=("A",)))
    with pytest.raises(FrozenInstanceError):
        net.knots = 3  # pyright: ignore[reportAttributeAccessIssue]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"knots": 1}, "knots of Net to be a whole number of at least 2; got 1"),
        ({"knots": 100}, "knots of Net to be a whole number below 100"),
        ({"knots": True}, "knots of Net to be a whole number"),
        ({"width": 0}, "width of Net to be a finite number above zero"),
        ({"width": "far"}, "width of Net to be a finite number"),
        ({"mesh": "round"}, "mesh of Net to be one of 'square', 'hexagon'; got 'round'"),
        ({"depth": -1}, "Expected the depth of the net to be"),
        ({"wet": 1}, "wet of Net to be True or False; got 1"),
        ({"names": 5}, "names of Net to be a text or a list of texts; got 5"),
    ],
)
def test_what_is_wrong_is_named(given: dict[str, Any], said: str):
    with pytest.raises(InputError, match=said):
        Net(**given)


def test_an_option_without_a_declaration_is_refused():
    @dataclass(frozen=True)
    class Half:
        knots: int = setting(9, "along the edge", whole(2))
        length: float = 1.0

    with pytest.raises(TypeError, match=r"each option of Half to be declared.*; length is not"):
        settings_of(Half)


def test_a_value_as_a_file_has_it():
    assert [WIDE.write(value) for value in (None, 2.5, np.float64(2.5), (1, 2))] == ["auto", 2.5, 2.5, [1, 2]]
    assert Setting("…", write=lambda value: f"{value} m").write(3) == "3 m"
