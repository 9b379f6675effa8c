"""`Notice`: a warning, note, reason or piece of advice as a value; its sentence is made where it is shown.

Templates are written as for `str.format`, with three additions:

    {count:reading|readings}   the first for 1, True and lists of one, the second otherwise
    [[ in {unit}]]             only where all its parameters are given; [[ in {unit}|| in no unit]]: or else the second
    ⟦time=⟧                    an argument, which is a flag at the shell (``wording.py``)

and with formats of lists (``and``, ``or``, ``by``, ``comma``, ``semicolon``, ``quoted``, ``sensors``, at the beginning
of a sentence ``Sensors``), of numbers (``short``: four digits) and of words for the shell (``sh``).
"""

from __future__ import annotations

import math
import re
import shlex
import string
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from pdescry.notices.catalogue import CATALOGUE
from pdescry.notices.wording import for_python, for_shell

_SECTION = re.compile(r"\[\[((?:(?!\[\[|\]\]).)*)\]\]", re.DOTALL)  # an innermost one


@dataclass(frozen=True, repr=False)
class Notice:
    """What a user should know, as a code and parameters; prints as a sentence.

    Parameters
    ----------
    code : str
        Which notice it is: a key of ``CATALOGUE``.
    parameters : mapping of str
        What its sentence mentions: numbers, texts, lists of these, other notices. None and NaN mark what is not there,
        and are left out.
    """

    code: str
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        plain = {name: _plain(value) for name, value in self.parameters.items()}
        given = {name: value for name, value in plain.items() if value is not None}
        object.__setattr__(self, "parameters", MappingProxyType(given))

    @classmethod
    def of(cls, code: str, /, **parameters: Any) -> Notice:
        """One whose code is declared, with the parameters that its sentence needs."""
        needed, optional = parameters_of(CATALOGUE[code])
        given = {name for name, value in parameters.items() if value is not None}
        if lacking := sorted(needed - given):
            raise TypeError(f"Expected {', '.join(sorted(needed))} of the notice {code!r}; got no {lacking[0]}.")
        if unknown := sorted(parameters.keys() - needed - optional):
            raise TypeError(f"Expected parameters of the notice {code!r}; got {unknown[0]}, which it does not mention.")
        return cls(code, parameters)

    def __hash__(self) -> int:
        return hash((self.code, tuple(sorted(self.parameters.items(), key=lambda pair: pair[0]))))

    def __reduce__(self) -> tuple[Any, ...]:
        return Notice, (self.code, dict(self.parameters))

    def __repr__(self) -> str:
        return f"<{self.code}: {self}>"

    @property
    def marked(self) -> str:
        """The sentence with what differs between Python and the shell still marked."""
        if self.code not in CATALOGUE:  # of a package that is not loaded
            return ", ".join([self.code, *(f"{name} {value}" for name, value in self.parameters.items())]) + "."
        return filled(CATALOGUE[self.code], self.parameters)

    def __str__(self) -> str:
        """The sentence, with arguments as in Python."""
        return for_python(self.marked)

    def for_shell(self) -> str:
        """The sentence, with flags."""
        return for_shell(self.marked)

    def to_dict(self) -> dict[str, Any]:
        """For JSON and TOML; the text is for people, `from_dict` does not read it."""
        parameters = {name: _stored(value) for name, value in self.parameters.items()}
        return {"code": self.code, "parameters": parameters, "text": str(self)}

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Notice:
        return cls(stored["code"], {name: _restored(value) for name, value in stored["parameters"].items()})


def declare(templates: Mapping[str, str]) -> None:
    """Adds notices to the catalogue: of a method, or another package, of one's own."""
    if taken := sorted(code for code, text in templates.items() if CATALOGUE.get(code, text) != text):
        raise ValueError(f"Expected new codes of notices; {taken[0]!r} is declared with another sentence.")
    CATALOGUE.update(templates)


def stored(notices: Iterable[Notice]) -> list[dict[str, Any]]:
    return [each.to_dict() for each in notices]


def restored(tables: Iterable[Mapping[str, Any]]) -> tuple[Notice, ...]:
    """What `stored` wrote."""
    return tuple(map(Notice.from_dict, tables))


class NoticeWarning(UserWarning):
    """A notice for whoever runs the program at that moment: ``warnings.warn(NoticeWarning(notice))``."""

    def __init__(self, notice: Notice) -> None:
        super().__init__(str(notice))
        self.notice = notice

    def __reduce__(self) -> tuple[Any, ...]:
        return NoticeWarning, (self.notice,)


# ---- templates -------------------------------------------------------------------------------------------------------


def filled(template: str, parameters: Mapping[str, Any]) -> str:
    """The sentence, still marked."""
    while True:
        template, found = _SECTION.subn(lambda each: _chosen(each[1], parameters), template)
        if not found:
            return _FORMATTER.vformat(template, (), parameters)


def parameters_of(template: str) -> tuple[set[str], set[str]]:
    """Which a template needs, and which it can do without."""
    needed, optional = template, set()
    while found := _SECTION.search(needed):
        first, _, second = found[1].partition("||")
        optional |= _named(first) | _named(second)
        needed = needed.replace(found[0], "")
    return _named(needed), optional - _named(needed)


def _chosen(section: str, parameters: Mapping[str, Any]) -> str:
    first, _, second = section.partition("||")
    return first if _named(first) <= parameters.keys() else second


def _named(template: str) -> set[str]:
    return {name for _, name, _, _ in _FORMATTER.parse(template) if name}


class _Formatter(string.Formatter):
    def get_value(self, key: int | str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        return kwargs.get(str(key), "–")  # a number that was none (NaN)

    def format_field(self, value: Any, format_spec: str) -> str:
        if value == "–":
            return value
        one, choice, other = format_spec.partition("|")
        if choice:
            return one if (len(value) if isinstance(value, tuple) else value) == 1 else other
        if isinstance(value, Notice):
            return value.marked
        if format_spec in _FORMATS:
            return _FORMATS[format_spec](value)
        return format(value, format_spec)


def _joined(parts: Sequence[Any], last: str) -> str:
    words = [part.marked if isinstance(part, Notice) else str(part) for part in parts]
    return f"{', '.join(words[:-1])} {last} {words[-1]}" if len(words) > 1 else words[0]


def _sensors(names: str | Sequence[str], word: str) -> str:
    names = (names,) if isinstance(names, str) else names
    return _joined([f"{word} {name}" if name.isdecimal() else name for name in names], "and")


_FORMATTER = _Formatter()
_FORMATS: Mapping[str, Any] = {
    "and": lambda parts: _joined(parts, "and"),
    "or": lambda parts: _joined(parts, "or"),
    "by": lambda parts: " by ".join(map(str, parts)),
    "comma": lambda parts: ", ".join(map(str, parts)),
    "quoted": lambda parts: ", ".join(map(repr, parts)),
    "semicolon": lambda parts: "; ".join(part.marked if isinstance(part, Notice) else str(part) for part in parts),
    "sensors": lambda names: _sensors(names, "sensor"),
    "Sensors": lambda names: _sensors(names, "Sensor"),
    "short": lambda number: f"{number:.4g}".replace("-", "−"),
    "sh": shlex.quote,
}


# ---- parameters ------------------------------------------------------------------------------------------------------


def _plain(value: Any) -> Any:
    """Python's own numbers, and tuples: what compares, hashes and survives a file."""
    if isinstance(value, list | tuple):
        return tuple(map(_plain, value))
    if value is None or isinstance(value, Notice | str | bool):
        return value
    value = value.item() if hasattr(value, "item") else value
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if not isinstance(value, int | float | bool | str):
        raise TypeError(f"Expected numbers, texts, lists of these or notices in a notice; got {value!r}.")
    return value


def _stored(value: Any) -> Any:
    if isinstance(value, Notice):
        return value.to_dict()
    return list(map(_stored, value)) if isinstance(value, tuple) else value


def _restored(value: Any) -> Any:
    if isinstance(value, Mapping):
        return Notice.from_dict(value)
    return tuple(map(_restored, value)) if isinstance(value, list | tuple) else value
