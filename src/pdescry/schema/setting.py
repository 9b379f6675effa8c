"""`Setting`: one thing that can be chosen, declared beside its default; and what reads such declarations.

    @dataclass(frozen=True)
    class Joint:
        largest: int = setting(4, "terms of a law that is proposed; more are added one at a time", whole(1))

        def __post_init__(self) -> None:
            check_settings(self)

An estimator, whose arguments scikit-learn wants in ``__init__``, has it in their types:

    def __init__(self, threshold: Annotated[float, Setting("δ, in the units of the coefficients")]) -> None: ...
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache, partial
from typing import Any, get_args, get_type_hints

from pdescry.checks import check_choice, check_positive, check_switch, check_texts, check_whole, plain

Check = Callable[[str, Any], Any]  # (what it is called, the value) → the value as it is kept, or an InputError

AUTO = "auto"  # where Python says None
_DECLARED = "setting"


@dataclass(frozen=True)
class Flag:
    """An option of a command that gives a setting. One without help is not listed: `pdescry config` has room for it."""

    help: str = ""
    metavar: str | None = None
    type: Any = str
    name: str = ""  # if it is not the setting's
    short: str = ""
    offered: tuple[str, ...] | Callable[[], tuple[str, ...]] = ()  # after Tab, if not the setting's choices
    read: Callable[[Any], Any] = lambda words: words  # what was typed → the value as a TOML file has it


def spelled(value: Any, none: str = AUTO) -> Any:
    """A value as a TOML file has it."""
    from pdescry.files import plain as written

    return none if value is None else written(value)


@dataclass(frozen=True)
class Setting:
    """comment: what it means, with its unit and what it may be, as `pdescry config` prints it."""

    comment: str
    check: Check | None = None  # None: one of the choices, or anything that its noun takes
    what: str = ""  # in sentences, if it is not "name of Kind"
    choices: tuple[str, ...] = ()
    section: str = ""  # of a run's settings, if it belongs to no noun
    write: Callable[[Any], Any] = spelled  # the value → as a TOML file has it
    flag: Flag | None = None

    def default(self, value: Any) -> Any:
        """The field of a dataclass that has this declaration and this default."""
        return field(default=value, metadata={_DECLARED: self})

    def checked(self, what: str, value: Any) -> Any:
        if self.check is not None:
            return self.check(self.what or what, value)
        return check_choice(self.what or what, value, self.choices) if self.choices else value


def setting(default: Any, comment: str, check: Check | None = None, **more: Any) -> Any:
    """A field of a dataclass with this default, declared as a `Setting`."""
    return Setting(comment, check, **more).default(default)


@cache
def settings_of(kind: type) -> dict[str, Setting]:
    """What can be chosen of a noun, by the names of its arguments; each has to be declared."""
    if is_dataclass(kind):
        declared = {each.name: each.metadata.get(_DECLARED) for each in fields(kind)}
    else:
        hints = get_type_hints(kind.__init__, include_extras=True)
        names = kind._get_param_names()  # type: ignore[attr-defined]  # scikit-learn's way
        declared = {
            name: next((each for each in get_args(hints[name]) if isinstance(each, Setting)), None) for name in names
        }
    if undeclared := [name for name, each in declared.items() if each is None]:
        raise TypeError(
            f"Expected each option of {kind.__name__} to be declared with pdescry.schema.setting; "
            f"{', '.join(undeclared)} is not."
        )
    return {name: each for name, each in declared.items() if each is not None}


def check_settings(noun: Any) -> None:
    """For ``__post_init__`` of a frozen dataclass: every value is checked, and kept as its check gives it back."""
    for name, each in settings_of(type(noun)).items():
        plain(noun, **{name: each.checked(f"{name} of {type(noun).__name__}", getattr(noun, name))})


# ---- checks ----------------------------------------------------------------------------------------------------------


def whole(least: int, below: int | None = None) -> Check:
    return partial(check_whole, least=least, below=below)


def positive(below: float = math.inf) -> Check:
    return partial(check_positive, below=below)


def optional(check: Check) -> Check:
    """None is welcome."""
    return lambda what, value: None if value is None else check(what, value)


switch: Check = check_switch
texts: Check = check_texts
