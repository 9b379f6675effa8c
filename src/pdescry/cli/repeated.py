"""Options of two numbers that may be repeated, as ``--domain -8 8 --domain 0 4``: typer knows either, not both."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand

from pdescry.errors import InputError


class Command(TyperCommand):
    """A command whose repeated options take as many words each time as their metavar has, handed on as one text."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        words = {
            name: len(option.metavar.split())
            for option in self.params
            if getattr(option, "multiple", False) and option.metavar
            for name in option.opts
            if len(option.metavar.split()) > 1
        }
        joined, rest = [], list(args)
        while rest:
            joined.append(rest.pop(0))
            taken: list[str] = []
            while rest and len(taken) < words.get(joined[-1], 0) and not rest[0].startswith("--"):
                taken += rest.pop(0).split()
            if taken:
                joined.append(" ".join(taken))
        return super().parse_args(ctx, joined)


def numbers(text: str, option: str, metavar: str) -> tuple[float, ...]:
    """The numbers of one option's words."""
    try:
        found = tuple(float(word) for word in text.split())
    except ValueError:
        found = ()
    if len(found) != len(metavar.split()):
        raise InputError(f"Expected {option} {metavar} with {len(metavar.split())} numbers; got {text!r}.")
    return found
