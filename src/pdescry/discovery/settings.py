"""`Settings`: everything that can be chosen of a run, one noun a stage.

A setting is reached from Python as a noun (``sampler=HMC(draws=500)``), from a TOML file as ``draws = 500`` under
``[sampler]``, and from the shell as ``--set sampler.draws=500``: the same names in all three. Each is declared once:
those of a noun where the noun is, the others in ``schema/run.py``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import Field, dataclass, field, fields, replace
from typing import Any

from pdescry.checks import plain
from pdescry.discovery.nouns import METHODS, NOISE, SAMPLER, Noun, Section, none_if_auto, refuse_unknown
from pdescry.equation import Term
from pdescry.errors import InputError
from pdescry.schema.run import SECTIONS, PlainSettings, dotted
from pdescry.schema.setting import Setting, settings_of
from pdescry.surrogate import MCLMC, Adam, Network, Noise, Prior
from pdescry.surrogate.samplers import Sampler

Candidates = str | Iterable[str | Term] | Mapping[str, Iterable[str | Term]]
# Enough to begin from, where field and law are then inferred together; a regression needs draws of the posterior.
QUICK = MCLMC(draws=50, thin=20, rungs=5, rung_transitions=400)


@dataclass(frozen=True, eq=False)
class Settings(PlainSettings):
    """All that fixes a law, given the readings. Defaults are those of the preset "default".

    method None: field and law together where that can work, or else a regression. noise None: what the readings bring,
    or inferred.
    """

    network: Network = field(default=Network(), metadata={"section": Noun.of("network", Network)})
    prior: Prior = field(default=Prior(), metadata={"section": Noun.of("prior", Prior)})
    noise: Noise | None = field(default=None, metadata={"section": NOISE})
    start: Adam = field(default=Adam(), metadata={"section": Noun.of("start", Adam)})
    sampler: Sampler = field(default=QUICK, metadata={"section": SAMPLER})
    method: Any = field(default=None, metadata={"section": METHODS})

    def __post_init__(self) -> None:
        for name, section in NOUNS.items():
            plain(self, **{name: section.checked(getattr(self, name))})
        for name, each in PLAIN.items():
            plain(self, **{name: each.checked(name, getattr(self, name))})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Settings) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]

    def to_dict(self) -> dict[str, Any]:
        """Sections and names as in a TOML file; None is spelled "auto"."""
        tables: dict[str, dict[str, Any]] = {section: {} for section in SECTIONS}
        for name, each in PLAIN.items():
            tables[each.section][name] = each.write(getattr(self, name))
        tables |= {section.name: section.write(getattr(self, name)) for name, section in NOUNS.items()}
        return tables.pop("") | tables

    def changed(self, tables: Mapping[str, Any]) -> Settings:
        """These settings with some of them changed, named as in `to_dict`; another kind begins from its defaults."""
        known = self.to_dict()
        refuse_unknown(tables, known)
        parts: dict[str, Any] = {}
        for section, given in tables.items():
            if section in PLAIN and not PLAIN[section].section:
                parts[section] = given
            elif not isinstance(given, Mapping):
                raise InputError(f"Expected [{section}] to be a table of settings; got {given!r}.")
            elif section in _ARGUMENTS:
                name = _ARGUMENTS[section]
                parts[name] = NOUNS[name].read(given, known[section])
            else:
                refuse_unknown(given, known[section], f"{section}.")
                parts |= {name: none_if_auto(value) for name, value in given.items()}
        return replace(self, **parts)


def _section_of(each: Field[Any]) -> Section | None:
    return each.metadata.get("section")


# What each argument of `Settings` and `discover` is: a setting, or a noun that is a section.
PLAIN: Mapping[str, Setting] = settings_of(PlainSettings)
NOUNS: Mapping[str, Section] = {each.name: section for each in fields(Settings) if (section := _section_of(each))}
ARGUMENTS = tuple(each.name for each in fields(Settings))
_ARGUMENTS = {section.name: name for name, section in NOUNS.items()}


def name_in_tables(argument: str) -> str:
    """``chains`` → ``field.chains``, ``method`` → ``regression``: what an argument is called in a file."""
    return NOUNS[argument].name if argument in NOUNS else dotted(PLAIN[argument].section, argument)


def declared_in(section: str, table: Mapping[str, Any]) -> dict[str, Setting]:
    """What each name of a table such as `Settings.to_dict` has stands for. "": what belongs to no section."""
    if section in _ARGUMENTS:
        return NOUNS[_ARGUMENTS[section]].declared(table)
    return {name: each for name, each in PLAIN.items() if each.section == section}


def every_setting() -> Iterator[tuple[str, Setting]]:
    """All that can be set, by dotted names, of whichever noun."""
    for section in SECTIONS:
        noun = NOUNS.get(_ARGUMENTS.get(section, ""))
        for name, each in (noun.everything() if noun else declared_in(section, {})).items():
            yield dotted(section, name), each
