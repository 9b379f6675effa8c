"""Sections of a run's settings that are nouns: between `HMC(draws=500)` and ``draws = 500`` under ``[sampler]``.

The options of a noun are declared by its fields (``schema/setting.py``); here is only how a section names its noun.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from pdescry.checks import check_kind
from pdescry.discovery.method import AUTO_KINDS, KINDS, owner_of
from pdescry.errors import InputError
from pdescry.registry import name_of
from pdescry.schema.run import METHOD, SAMPLER_KIND, SAMPLERS
from pdescry.schema.setting import AUTO, Setting, settings_of
from pdescry.schema.words import meant
from pdescry.surrogate import Noise
from pdescry.surrogate.samplers import SAMPLERS as SAMPLER_KINDS

Table = Mapping[str, Any]


class Section(Protocol):
    """A section of a settings file that is one noun."""

    @property
    def name(self) -> str: ...

    def checked(self, value: Any, /) -> Any:
        """The noun as it is kept."""
        ...

    def write(self, value: Any, /) -> dict[str, Any]:
        """Its options as a file has them."""
        ...

    def read(self, given: Table, known: Table, /) -> Any:
        """The noun with what is given, and for the rest what is known: as `write` had it."""
        ...

    def declared(self, table: Table, /) -> dict[str, Setting]:
        """What such a table may hold."""
        ...

    def everything(self) -> dict[str, Setting]:
        """What a table of this section may hold, whichever noun it is."""
        ...


@dataclass(frozen=True)
class Noun:
    """A section of one kind of noun, or of several, of which ``key`` names the one."""

    name: str
    kinds: Mapping[str, type]
    key: str = ""
    naming: Mapping[str, Setting] = field(default_factory=dict)

    @classmethod
    def of(cls, name: str, kind: type) -> Noun:
        return cls(name, {kind.__name__: kind})

    def checked(self, value: Any) -> Any:
        check_kind(f"the {self.name}", value, tuple(self.kinds.values()))
        return value

    def write(self, value: Any) -> dict[str, Any]:
        named = {self.key: name_of(value, self.kinds)} if self.key else {}
        return named | written(value)

    def read(self, given: Table, known: Table) -> Any:
        kind, usual = self._kind_in(known), known
        if self.key in given:
            kind = meant(given[self.key], list(self.kinds), f"{self.name}.{self.key}")
            usual = known if kind == known[self.key] else {}
        return built(self.kinds[kind], without(given, self.key), usual, self.name)

    def declared(self, table: Table) -> dict[str, Setting]:
        return {**self.naming, **settings_of(self.kinds[self._kind_in(table)])}

    def everything(self) -> dict[str, Setting]:
        return merged_declarations(self.naming, self.kinds.values())

    def _kind_in(self, table: Table) -> str:
        return table[self.key] if self.key else next(iter(self.kinds))


@dataclass(frozen=True)
class OfNoise:
    """None is written as ``sd = "auto"``: what the readings bring, or inferred."""

    name: str = "noise"

    def checked(self, value: Any) -> Any:
        return value if value is None or isinstance(value, Noise) else Noise(value)

    def write(self, value: Any) -> dict[str, Any]:
        return written(Noise()) | {"sd": AUTO} if value is None else written(value)

    def read(self, given: Table, known: Table) -> Any:
        refuse_unknown(given, known, f"{self.name}.")
        table = {**known, **given}
        sd, per = table["sd"], table["per"]
        if sd == AUTO and per == Noise().per:
            return None
        if isinstance(sd, str) and sd not in (AUTO, "inferred", "readings"):
            raise InputError(f"Expected noise.sd to be a number, 'auto', 'inferred' or 'readings'; got {sd!r}.")
        return Noise(None if sd in (AUTO, "inferred") else sd, per)

    def declared(self, table: Table) -> dict[str, Setting]:
        return self.everything()

    def everything(self) -> dict[str, Setting]:
        return settings_of(Noise)


@dataclass(frozen=True)
class OfMethod:
    """None is written as ``method = "auto"``: the first that can work."""

    name: str = "regression"
    key: str = "method"

    def checked(self, value: Any) -> Any:
        if value is not None:
            owner_of(value).check_options(value)
        return value

    def write(self, value: Any) -> dict[str, Any]:
        return {self.key: AUTO} if value is None else {self.key: name_of(value, KINDS), **written(value)}

    def read(self, given: Table, known: Table) -> Any:
        """ "auto" with a setting of one that it may stand for names that one."""
        name = meant(given.get(self.key, known[self.key]), [AUTO, *KINDS], f"{self.name}.{self.key}")
        given = without(given, self.key)
        if name == AUTO:
            if not given:
                return None
            owners = (each for each in AUTO_KINDS if set(given) <= set(settings_of(KINDS[each])))
            name = next(owners, next(iter(AUTO_KINDS)))
        if known[self.key] == AUTO:
            known = written(AUTO_KINDS[name]) if name in AUTO_KINDS else {}
        elif known[self.key] != name:
            known = {}
        return built(KINDS[name], given, known, self.name)

    def declared(self, table: Table) -> dict[str, Setting]:
        kind = table[self.key]
        return {self.key: METHOD} if kind == AUTO else {self.key: METHOD, **settings_of(KINDS[kind])}

    def everything(self) -> dict[str, Setting]:
        return merged_declarations({self.key: METHOD}, KINDS.values())


SAMPLER = Noun("sampler", {name: SAMPLER_KINDS[name] for name in SAMPLERS}, "kind", {"kind": SAMPLER_KIND})
NOISE, METHODS = OfNoise(), OfMethod()


# ---- what they share -------------------------------------------------------------------------------------------------


def written(noun: Any) -> dict[str, Any]:
    """The options of a noun, as they can be written down."""
    return {name: each.write(getattr(noun, name)) for name, each in settings_of(type(noun)).items()}


def built(kind: type, given: Table, known: Table, section: str) -> Any:
    """A noun of this kind with what is given, and for the rest what is known, or its own defaults."""
    names = settings_of(kind)
    refuse_unknown(given, names, f"{section}.")
    arguments = {name: none_if_auto(value) for name, value in {**known, **given}.items() if name in names}
    try:
        return kind(**arguments)
    except TypeError as fault:
        if "threshold" not in names or "threshold" in arguments:
            raise InputError(
                f"Expected settings of {kind.__name__} under [{section}]; got {dict(given)!r} ({fault})."
            ) from None
        raise InputError(
            f"Expected a threshold for {kind.__name__}, in the units of the coefficients; got none; pass "
            f"{section}.threshold (--threshold)."
        ) from None


def refuse_unknown(given: Iterable[str], known: Iterable[str], prefix: str = "") -> None:
    known = list(known)
    for name in given:
        if name not in known:
            near = difflib.get_close_matches(str(name), known, n=1)
            hint = f" Did you mean {prefix}{near[0]}?" if near else ""
            raise InputError(
                f"There is no setting {prefix}{name}; there are {', '.join(prefix + each for each in known)}.{hint}"
            )


def none_if_auto(value: Any) -> Any:
    return None if isinstance(value, str) and value == AUTO else value


def without(table: Table, key: str) -> dict[str, Any]:
    return {name: value for name, value in table.items() if name != key}


def merged_declarations(naming: Mapping[str, Setting], kinds: Iterable[type]) -> dict[str, Setting]:
    """Of all kinds; where several have an option of one name, as the first has it."""
    found = dict(naming)
    for kind in kinds:
        found = settings_of(kind) | found
    return found
