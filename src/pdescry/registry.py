"""`Registry`: what names in settings stand for, loaded when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

T = TypeVar("T")


class Registry(Mapping[str, T]):
    """Names are known at once, so that they can be listed and compared; what one stands for is made when it is looked
    up, and kept: making it may load a library that takes a second.
    """

    def __init__(self, makers: Mapping[str, Callable[[], T]]) -> None:
        self._makers = dict(makers)
        self._made: dict[str, T] = {}

    def __getitem__(self, name: str) -> T:
        if name not in self._made:
            self._made[name] = self._makers[name]()
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        return name in self._makers

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)


def name_of(noun: object, kinds: Mapping[str, type]) -> str:
    """The name of a noun's kind. Kinds are looked up one after the other, until it is found."""
    return next(name for name, kind in kinds.items() if type(noun) is kind)
