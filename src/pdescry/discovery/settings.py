"""`Settings`: everything that can be chosen of a run, one noun a stage; and the presets.

A setting is reached from Python as a noun (``sampler=HMC(draws=500)``), from a TOML file as ``draws = 500`` under
``[sampler]``, and from the shell as ``--set sampler.draws=500``: the same names in all three.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any, Literal, get_args

from pdescry.checks import check_choice, check_kind, check_whole, plain
from pdescry.data.averaged import check_number
from pdescry.derivatives.points import Within
from pdescry.discovery.method import AUTO_KINDS, KINDS, owner_of
from pdescry.equation import Term
from pdescry.errors import InputError
from pdescry.files import plain as written
from pdescry.registry import Registry, name_of
from pdescry.surrogate import HMC, MCLMC, PAPER_DNN, Adam, Network, Noise, Point, Prior
from pdescry.surrogate.samplers import SAMPLERS, Sampler
from pdescry.surrogate.scaling import Standardise

Preset = Literal["default", "paper", "paper_as_printed"]
Faults = Literal["leave_out", "tell", "ignore"]
Candidates = str | Iterable[str | Term] | Mapping[str, Iterable[str | Term]]
AUTO = "auto"  # where Python says None
OFF = "off"  # where Python says False
# Enough to begin from, where field and law are then inferred together; a regression needs draws of the posterior.
QUICK = MCLMC(draws=50, thin=20, rungs=5, rung_transitions=400)


@dataclass(frozen=True, eq=False)
class Settings:
    """All that fixes a law, given the readings. Defaults are those of the preset "default".

    method None: field and law together where that can work, or else a regression. candidates None: as many as suit it.
    time_order: 1 for laws of u_t, 2 for u_tt, by field, or None: inferred.
    average: whether consecutive readings of a sensor are averaged where only noise is lost, or to how many.
    without: sensors to leave out. faults: what to do with faulty sensors and readings that are found.
    """

    preset: str = "default"
    seed: int = 0
    candidates: str | tuple[str, ...] | Mapping[str, tuple[str, ...]] | None = None
    time_order: int | Mapping[str, int] | None = None
    network: Network = field(default_factory=Network)
    prior: Prior = field(default_factory=Prior)
    noise: Noise | None = None
    start: Adam = field(default_factory=Adam)
    sampler: Sampler = field(default_factory=lambda: QUICK)
    chains: int = 2
    standardise: Standardise = "all"
    average: bool | int = True
    without: tuple[str, ...] = ()
    faults: Faults = "leave_out"
    points: int = 10_000
    within: Within = "hull"
    keep_points: int = 500
    keep_draws: int | None = 400
    method: Any = None

    def __post_init__(self) -> None:
        check_kind("the network", self.network, (Network,))
        check_kind("the prior", self.prior, (Prior,))
        check_kind("the start", self.start, (Adam,))
        check_kind("the sampler", self.sampler, tuple(kind for kind in SAMPLERS.values() if kind is not Point))
        check_choice("standardise", self.standardise, ("all", "inputs"))
        check_choice("faults", self.faults, get_args(Faults))
        plain(self, without=_checked_sensors(self.without))
        counts = {"seed": ("seed", 0)}
        counts |= {"chains": ("number of chains", 1), "points": ("number of points", 1)}
        counts |= {
            "keep_points": ("number of points to keep draws at", 0),
            "keep_draws": ("number of draws to keep", 1),
        }
        below = {"seed": 2**32}
        for name, (what, least) in counts.items():
            value = getattr(self, name)
            if isinstance(value, float) and value.is_integer():
                value = int(value)  # 1e4
            if value is not None or name != "keep_draws":
                plain(self, **{name: check_whole(what, value, least, below.get(name))})
        if self.method is not None:
            owner_of(self.method).check_options(self.method)
        if self.noise is not None and not isinstance(self.noise, Noise):
            plain(self, noise=Noise(self.noise))
        plain(self, average=_checked_average(self.average), time_order=_checked_order(self.time_order))
        plain(self, candidates=_checked_candidates(self.candidates), within=_checked_within(self.within))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Settings) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]

    # ---- as plain tables -----------------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Sections and names as in a TOML file; None is spelled "auto"."""
        return {
            "preset": self.preset,
            "seed": self.seed,
            "law": {
                "candidates": AUTO if self.candidates is None else _listed(self.candidates),
                "time_order": AUTO if self.time_order is None else written(self.time_order),
            },
            "network": _values(self.network),
            "prior": _values(self.prior),
            "noise": {"sd": AUTO, "per": "field"} if self.noise is None else _noise_values(self.noise),
            "start": _values(self.start),
            "sampler": {"kind": type(self.sampler).__name__, **_values(self.sampler)},
            "field": {
                "chains": self.chains,
                "standardise": self.standardise,
                "average": {True: AUTO, False: OFF}[self.average] if isinstance(self.average, bool) else self.average,
            },
            "sensors": {"without": list(self.without), "faults": self.faults},
            "derivatives": {
                "points": self.points,
                "within": {name: list(ends) for name, ends in self.within.items()}
                if isinstance(self.within, Mapping)
                else self.within,
                "keep_points": self.keep_points,
                "keep_draws": AUTO if self.keep_draws is None else self.keep_draws,
            },
            "regression": {"method": AUTO}
            if self.method is None
            else {"method": name_of(self.method, KINDS), **_values(self.method)},
        }

    def changed(self, tables: Mapping[str, Any]) -> Settings:
        """These settings with some of them changed, named as in `to_dict`; another kind begins from its defaults."""
        known = self.to_dict()
        _refuse_unknown(tables, known, "")
        parts: dict[str, Any] = {name: tables[name] for name in ("preset", "seed") if name in tables}
        for section, given in tables.items():
            if section in ("preset", "seed"):
                continue
            if not isinstance(given, Mapping):
                raise InputError(f"Expected [{section}] to be a table of settings; got {given!r}.")
            parts |= self._section(section, dict(given), known[section])
        return replace(self, **parts)

    def _section(self, section: str, given: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
        match section:
            case "law" | "field" | "sensors" | "derivatives":
                _refuse_unknown(given, known, f"{section}.")
                return {name: _none_if_auto(value) for name, value in given.items()}
            case "sampler":
                names = [name for name in SAMPLERS if name != Point.__name__]
                kind = _kind(given.pop("kind", known["kind"]), names, "sampler.kind")
                return {"sampler": _built(SAMPLERS[kind], given, known if kind == known["kind"] else {}, section)}
            case "regression":
                return {"method": _method(given, known)}
            case "noise":
                _refuse_unknown(given, known, "noise.")
                return {"noise": _noise(known | given)}
            case _:
                return {section: _built(type(getattr(self, section)), given, known, section)}


def _checked_candidates(given: Any) -> str | tuple[str, ...] | dict[str, tuple[str, ...]] | None:
    if given is None or isinstance(given, str):
        return _none_if_auto(given)
    lists = given.values() if isinstance(given, Mapping) else [given]
    if not all(isinstance(each, Iterable) and not isinstance(each, str | Mapping) for each in lists):
        raise InputError(
            f"Expected candidates as a name or a list of terms such as ['u_xx', 'u'], or lists by field; got {given!r}."
        )
    if isinstance(given, Mapping):  # by the field whose equation they are for
        return {str(name): tuple(str(term) for term in terms) for name, terms in given.items()}
    return tuple(str(term) for term in given)


def _checked_order(given: Any) -> int | dict[str, int] | None:
    """1, 2, one of these for each field, or None: inferred."""
    if given is None or given == AUTO:
        return None
    orders = dict(given) if isinstance(given, Mapping) else {"": given}
    for order in orders.values():
        if isinstance(order, bool) or order not in (1, 2):
            raise InputError(f"Expected the order of the time derivative to be 1, 2 or {AUTO!r}; got {order!r}.")
    return {str(name): int(order) for name, order in orders.items()} if isinstance(given, Mapping) else int(given)


def _checked_average(given: Any) -> bool | int:
    if given is None or (isinstance(given, str) and given in (AUTO, OFF)):
        return given != OFF
    try:
        return given if isinstance(given, bool) else check_number(given)
    except InputError:
        raise InputError(
            f"Expected average to be {AUTO!r} (True), {OFF!r} (False) or a number of readings to leave of each sensor "
            f"(3 or more); got {given!r}."
        ) from None


def _checked_sensors(given: Any) -> tuple[str, ...]:
    """Names of sensors, or their numbers, as texts: a TOML file and the shell have them so."""
    if isinstance(given, int | str):
        given = [given]
    if not isinstance(given, Iterable) or not all(isinstance(each, int | str) for each in given):
        raise InputError(f"Expected without as names or numbers of sensors, such as ['TC5']; got {given!r}.")
    return tuple(str(each) for each in given)


def _checked_within(given: Any) -> Any:
    if not isinstance(given, Mapping) and given in ("hull", "box"):
        return given
    try:
        return {str(name): (float(low), float(high)) for name, (low, high) in given.items()}
    except (AttributeError, TypeError, ValueError):
        raise InputError(
            f"Expected within to be 'hull', 'box' or ranges such as {{'x': (0, 1)}}; got {given!r}."
        ) from None


# ---- between nouns and tables ----------------------------------------------------------------------------------------


def _values(noun: Any) -> dict[str, Any]:
    """The arguments of a noun, as they can be written down."""
    if is_dataclass(noun):
        named = {each.name: getattr(noun, each.name) for each in fields(noun)}
    else:
        named = noun.get_params(deep=False)
    return {name: AUTO if value is None else written(value) for name, value in named.items()}


def _noise_values(noise: Noise) -> dict[str, Any]:
    sd = "inferred" if noise.sd is None else list(noise.sd) if isinstance(noise.sd, tuple) else noise.sd
    return {"sd": sd, "per": noise.per}


def _noise(table: Mapping[str, Any]) -> Noise | None:
    sd, per = table["sd"], table["per"]
    if sd == AUTO and per == "field":
        return None
    if isinstance(sd, str) and sd not in (AUTO, "inferred", "readings"):
        raise InputError(f"Expected noise.sd to be a number, 'auto', 'inferred' or 'readings'; got {sd!r}.")
    return Noise(None if sd in (AUTO, "inferred") else sd, per)


def _method(given: dict[str, Any], known: Mapping[str, Any]) -> Any:
    """The method that ``given`` names; "auto" with a setting of one that it may stand for names that one."""
    name = _kind(given.pop("method", known["method"]), [AUTO, *KINDS], "regression.method")
    if name == AUTO:
        if not given:
            return None
        owners = (each for each in AUTO_KINDS if set(given) <= set(_names(KINDS[each])))
        name = next(owners, next(iter(AUTO_KINDS)))
    if known["method"] == AUTO:
        known = _values(AUTO_KINDS[name]) if name in AUTO_KINDS else {}
    elif known["method"] != name:
        known = {}
    return _built(KINDS[name], given, known, "regression")


def _built(kind: type, given: Mapping[str, Any], known: Mapping[str, Any], section: str) -> Any:
    """A noun of this kind with what is given, and for the rest what is known, or its own defaults."""
    names = _names(kind)
    _refuse_unknown(given, names, f"{section}.")
    arguments = {name: _none_if_auto(value) for name, value in (dict(known) | dict(given)).items() if name in names}
    try:
        return kind(**arguments)
    except TypeError as fault:
        if "threshold" not in names or "threshold" in arguments:
            raise InputError(
                f"Expected settings of {kind.__name__} under [{section}]; got {given!r} ({fault})."
            ) from None
        raise InputError(
            f"Expected a threshold for {kind.__name__}, in the units of the coefficients; got none; pass "
            f"{section}.threshold (--threshold)."
        ) from None


def _names(kind: type) -> list[str]:
    """Of the arguments of a noun."""
    if is_dataclass(kind):
        return [each.name for each in fields(kind)]
    return list(kind._get_param_names())  # type: ignore[attr-defined]  # scikit-learn's way


def _kind(given: Any, names: Sequence[str], what: str) -> str:
    """The name meant, whatever its capitals and hyphens."""

    def bare(name: Any) -> str:
        return str(name).lower().replace("-", "").replace("_", "")

    for name in names:
        if bare(name) == bare(given):
            return name
    raise InputError(f"Expected {what} to be one of {', '.join(names)}; got {given!r}.")


def _refuse_unknown(given: Iterable[str], known: Iterable[str], prefix: str) -> None:
    known = list(known)
    for name in given:
        if name not in known:
            near = difflib.get_close_matches(str(name), known, n=1)
            hint = f" Did you mean {prefix}{near[0]}?" if near else ""
            raise InputError(
                f"There is no setting {prefix}{name}; there are {', '.join(prefix + each for each in known)}.{hint}"
            )


def _none_if_auto(value: Any) -> Any:
    return None if isinstance(value, str) and value == AUTO else value


def _listed(candidates: str | Iterable[str] | Mapping[str, Iterable[str]]) -> str | list[str] | dict[str, list[str]]:
    if isinstance(candidates, Mapping):
        return {name: list(terms) for name, terms in candidates.items()}
    return candidates if isinstance(candidates, str) else list(candidates)


# ---- presets ---------------------------------------------------------------------------------------------------------


def _paper() -> Settings:
    return Settings(
        preset="paper",
        candidates="paper",
        network=Network(50, 5),
        prior=Prior("standard_normal", scale=1.0),
        noise=Noise(0.1),  # the text's σ = 0.01 was handed over as a precision of 1/0.01
        start=PAPER_DNN,
        sampler=HMC(step_size=5e-4, steps=30, draws=5800, burn=200),
        chains=1,
        standardise="inputs",
        average=False,
        faults="ignore",
        within="box",
        method=KINDS["stblr"](0.005, gamma_power=0.5),
    )


def _paper_as_printed() -> Settings:
    return replace(
        _paper(),
        preset="paper_as_printed",
        network=Network(50, 4),
        noise=Noise(0.01),
        method=KINDS["stblr"](0.005, gamma_power=1.0),
    )


PRESETS: Registry[Settings] = Registry({"default": Settings, "paper": _paper, "paper_as_printed": _paper_as_printed})


def preset_settings(name: str) -> Settings:
    if not isinstance(name, str) or name not in PRESETS:
        raise InputError(f"Expected the preset to be one of {', '.join(PRESETS)}; got {name!r}.")
    return PRESETS[name]
