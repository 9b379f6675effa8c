"""Which column is time, which is space, which is a field: as given, else as guessed where it is obvious.

A guess is made only where one choice stands out; anything else is an error that names the argument to pass.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from pdescry.data.headers import UNIT, stem, without_brackets
from pdescry.data.table import Table, is_grouped
from pdescry.equation.parser import RESERVED
from pdescry.errors import InputError
from pdescry.notices import Notice

# The first tier with a hit decides; two hits in one tier are ambiguous.
_TIME = (
    {"t", "time"},
    {"zeit", "uhrzeit", "temps", "heure"},
    {"timestamp", "datetime", "date_time", "elapsed", "elapsed_time", "zeitstempel", "zeitpunkt", "horodatage"},
    {
        *("date", "datum", "seconds", "minutes", "hours", "days", "second", "minute", "hour", "day"),
        *("sekunden", "minuten", "stunden", "tage", "tag", "stunde", "secondes"),
    },
)
_DAY = {"date", "datum", "day", "tag", "jour"}
_SPACE_WORDS = {
    *("position", "pos", "place", "location", "loc", "depth", "distance", "dist", "height", "altitude"),
    *("ort", "stelle", "lage", "abstand", "tiefe", "höhe", "hoehe", "lieu", "profondeur", "hauteur"),
}
_SENSOR = (
    {"sensor", "sensor_id", "sensorid", "sensor_name", "sensor_no", "sensor_number", "fühler", "capteur"},
    {"id", "station", "station_id", "probe", "probe_id", "channel", "node", "gauge", "thermistor", "thermocouple"},
    {"messstelle", "kanal", "sonde"},
)
_FIELDS = ("u", "v", "w")
_INPUTS = ("P", "q", "f", *(f"q{k}" for k in range(1, 100)))
_NOISE = ("sd", "std", "stdev", "sigma", "noise", "uncertainty", "unc", "err", "error", "stderr")
_NOISE_COLUMN = re.compile(rf"(?:.+_)?(?:{'|'.join(_NOISE)})|(?:{'|'.join(_NOISE)})_.+")
_ROW_NUMBER = re.compile(r"|#|no|nr|row|line|record|index|unnamed.*|__index_level.*")
_LETTER = re.compile(r"(?:pos|position|coord|coordinate)_?([xyz])|([xyz])_?(?:pos|position|coord|coordinate)")
_PLACE = re.compile(rf"(?:x\s*=\s*)?([+-]?(?:\d+[.,]?\d*|[.,]\d+)(?:e[+-]?\d+)?)\s*({UNIT})?", re.IGNORECASE)
_FIELD_NAME = re.compile(r"[A-Za-z]+[0-9]*")


@dataclass(frozen=True, slots=True)
class Roles:
    """Which variable plays which part. In a wide table ``fields`` are its columns and ``places`` their headers.

    unit: that of the places, where the headers say. date: the column of days beside a column of clock times. inputs:
    columns of known inputs.
    """

    time: str
    space: tuple[str, ...]
    fields: tuple[str, ...]
    sensor: str | None = None
    noise: tuple[str, ...] | float | None = None
    places: tuple[float, ...] = ()
    unit: str = ""
    date: str | None = None
    unused: tuple[str, ...] = ()
    sensor_was_guessed: bool = False
    inputs: tuple[str, ...] = ()


def is_field_name(name: object) -> bool:
    """Letters, then digits; not a coordinate and not a word of the equation language."""
    return isinstance(name, str) and bool(_FIELD_NAME.fullmatch(name)) and name not in {*RESERVED, *"txyz"}


def is_sensor_name(name: str) -> bool:
    return any(_key(name) in tier for tier in _SENSOR)


def is_time_name(name: str) -> bool:
    return any(_key(name) in tier for tier in _TIME)


def axes_among(names: Iterable[str]) -> list[str]:
    """Columns of places, in a table that has little else: x, y, z, or words such as position, or the only one."""
    names = list(names)
    lettered = sorted((name for name in names if _key(name) in ("x", "y", "z")), key=_key)
    return lettered or [name for name in names if _key(name) in _SPACE_WORDS][:1] or (names if len(names) == 1 else [])


def resolve(
    table: Table,
    time: str | None = None,
    space: str | Sequence[str] | None = None,
    fields: str | Sequence[str] | None = None,
    sensor: str | Literal[False] | None = None,
    noise: str | Sequence[str] | float | Literal[False] | None = None,
    inputs: Sequence[str] = (),
) -> Roles:
    """The part of each variable of the table, or the error that says which argument settles it."""
    given_space, given_fields = _listed(space, "space"), _listed(fields, "fields")
    if len(given_space) > 3:
        raise InputError(f"Expected at most 3 columns for space; got {len(given_space)}; leave some out of ⟦space=⟧.")
    named = [] if time is None else [_find(table, time, "time")]
    named += (chosen_space := [_find(table, name, "space") for name in given_space])
    named += (chosen_fields := [_find(table, name, "fields") for name in given_fields])
    chosen_sensor = None
    if sensor is not None and sensor is not False:
        named.append(chosen_sensor := _find(table, sensor, "sensor"))
    chosen_noise = _given_noise(table, noise)
    named += chosen_noise if isinstance(chosen_noise, tuple) else ()
    named += (chosen_inputs := _find_inputs(table, inputs, named, chosen_fields))
    twice = next((name for name in named if named.count(name) > 1), None)
    if twice is not None:
        raise InputError(
            f"Expected a column for each part; got {twice!r} for two of them; name another one for either."
        )

    free = [name for name in table.variables if name not in named]
    the_time = named[0] if time is not None else _guess_time(table, free)
    free = [name for name in free if name != the_time]
    date = next((name for name in free if _key(name) in _DAY and not table.is_numeric(name)), None)
    free = [name for name in free if name != date]
    sensor_was_guessed = False
    if sensor is None:
        chosen_sensor = _at_most_one_of(free, _SENSOR, "sensor")
        sensor_was_guessed = chosen_sensor is not None
        free = [name for name in free if name != chosen_sensor]
    if not (chosen_space or chosen_fields) and (wide := _wide_headers(table, free)):
        places, unit = _places_in(wide, table.source)
        return Roles(the_time, (), tuple(wide), None, chosen_noise, places, unit, date, inputs=tuple(chosen_inputs))
    if not chosen_space:
        chosen_space = _guess_space(table, free)
        free = [name for name in free if name not in chosen_space]
    if not chosen_fields:
        chosen_fields = _guess_fields(table, free, chosen_space)
        free = [name for name in free if name not in chosen_fields]
    if noise is None:
        chosen_noise = _guess_noise(free, chosen_fields)
        free = [name for name in free if not (isinstance(chosen_noise, tuple) and name in chosen_noise)]
    unused = tuple(name for name in free if _could_be_field(table, name))
    return Roles(
        the_time,
        tuple(chosen_space),
        tuple(chosen_fields),
        chosen_sensor,
        chosen_noise,
        date=date,
        unused=unused,
        sensor_was_guessed=sensor_was_guessed,
        inputs=tuple(chosen_inputs),
    )


def _find_inputs(table: Table, names: Sequence[str], named: Sequence[str], fields: Sequence[str]) -> list[str]:
    found: list[str] = []
    for name in names:
        column = _find(table, name, "inputs")
        if column in found:
            raise InputError(f"Expected each input once; got {column!r} twice; name it once.")
        if column in named:
            part = "a field" if column in fields else "another part"
            raise InputError(
                f"Expected an input that is nothing else; got {column!r}, which is also {part}; name it once."
            )
        found.append(column)
    return found


def tidy(roles: Roles) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...], list[Notice]]:
    """Axes, fields and inputs by names fit for an equation, and a note on each name that had to change."""
    if roles.places:
        note = Notice.of("wide-table", places=len(roles.places), unit=roles.unit or None)
        inputs = _fit_names(roles.inputs, ("u",), _INPUTS)
        return ("x",), ("u",), inputs, [note, *_note_on_names(roles.inputs, inputs)]
    keys = [_key(name) for name in roles.space]
    spare = iter([letter for letter in "xyz" if letter not in keys])
    axes = tuple(key if key in ("x", "y", "z") and key not in keys[:k] else next(spare) for k, key in enumerate(keys))
    fields = _fit_names(roles.fields, (), (*_FIELDS, *(f"u{k + 1}" for k in range(len(roles.fields)))))
    inputs = _fit_names(roles.inputs, fields, _INPUTS)
    old, new = (roles.time, *roles.space, *roles.fields, *roles.inputs), ("t", *axes, *fields, *inputs)
    notes = _note_on_names(old, new)
    if roles.unused:
        notes.append(Notice.of("columns-unused", columns=roles.unused[:12], more=len(roles.unused) > 12))
    return axes, fields, inputs, notes


def _fit_names(headers: Sequence[str], taken: Sequence[str], spare: Sequence[str]) -> tuple[str, ...]:
    found: list[str] = []
    for header in headers:
        options = (_reduce(stem(header)), _reduce(without_brackets(header)), *spare)
        found.append(next(name for name in options if is_field_name(name) and name not in (*taken, *found)))
    return tuple(found)


def _note_on_names(old: Sequence[str], new: Sequence[str]) -> list[Notice]:
    changes = [f"{was!r} is {now}" for was, now in zip(old, new, strict=True) if was != now]
    return [Notice.of("names-changed", changes=changes)] if changes else []


def _key(name: str) -> str:
    """The form in which names are compared. T alone keeps its case: it is a temperature as often as a time."""
    bare = re.sub(r"[\s\-.]+", "_", stem(name))
    if bare == "T":
        return bare
    key = bare.lower()
    match = _LETTER.fullmatch(key)
    return (match.group(1) or match.group(2)) if match else key


def _reduce(name: str) -> str:
    """Letters, then digits: ``cell density 2`` becomes ``celldensity2``."""
    plain = re.sub(r"[^A-Za-z0-9]", "", unicodedata.normalize("NFKD", name))
    return re.sub(r"\d", "", plain) + plain[len(plain.rstrip("0123456789")) :]


def _listed(given: str | Sequence[str] | None, argument: str) -> list[str]:
    if given is None:
        return []
    names = list(given) if isinstance(given, Iterable) and not isinstance(given, str) else [given]
    if not all(isinstance(name, str) for name in names):
        raise InputError(f"Expected ⟦{argument}=⟧ as a name or a list of names; got {given!r}; pass names of columns.")
    return names


def _find(table: Table, name: object, argument: str) -> str:
    """The variable of that name; the unit in its header may be left out."""
    if not isinstance(name, str):
        raise InputError(f"Expected ⟦{argument}=⟧ as a name; got {name!r}; pass the name of a column.")
    if name in table.variables:
        return name
    alike = [known for known in table.variables if stem(known) == name.strip()]
    if len(alike) == 1:
        return alike[0]
    near = difflib.get_close_matches(name, table.variables, 1, 0.5)
    hint = f"did you mean {near[0]!r}?" if near else f"pass ⟦{argument}=⟧ with one of them."
    raise InputError(f"Expected a column {name!r} in {table.source}; got {_columns(table)}; {hint}")


def _columns(table: Table) -> str:
    return f"the columns {table.listing()}{table.remark}"


def _hits(names: Iterable[str], tiers: Iterable[set[str]]) -> list[str]:
    for tier in tiers:
        found = [name for name in names if _key(name) in tier]
        if found:
            return found
    return []


def _at_most_one_of(names: Iterable[str], tiers: Iterable[set[str]], argument: str) -> str | None:
    found = _hits(names, tiers)
    if len(found) > 1:
        raise _ambiguous(argument, found)
    return found[0] if found else None


def _one_of(table: Table, names: Iterable[str], tiers: Iterable[set[str]], argument: str, such_as: str) -> str:
    found = _at_most_one_of(names, tiers, argument)
    if found is None:
        raise InputError(
            f"Expected a column for {argument}, such as {such_as}, in {table.source}; got {_columns(table)}; "
            f"name it with ⟦{argument}=⟧."
        )
    return found


def _ambiguous(argument: str, found: Sequence[str]) -> InputError:
    shown = ", ".join(map(repr, found[:12]))
    return InputError(
        f"Expected one obvious choice for {argument}; got {shown}, which is ambiguous; "
        f"name the right one, as in ⟦{argument}={found[0]!r}⟧."
    )


def _guess_time(table: Table, names: list[str]) -> str:
    stems = {stem(name): name for name in names}
    if not _hits(names, _TIME) and stems.keys() >= {"T", "X", "U"}:
        return stems["T"]  # MATLAB's way of naming meshgrids; alone, T is a temperature as often as a time
    return _one_of(table, names, _TIME, "time", "'t' or 'time'")


def _guess_space(table: Table, names: list[str]) -> list[str]:
    axes = {letter: [name for name in names if _key(name) == letter] for letter in "xyz"}
    for found in axes.values():
        if len(found) > 1:
            raise _ambiguous("space", found)
    lettered = [found[0] for found in axes.values() if found]
    if lettered:
        return lettered
    words = _at_most_one_of(names, (_SPACE_WORDS,), "space")
    if words is None and len(columns := numbered_columns(table, names)) > 1:
        first = stem(columns[0])
        raise InputError(
            f"Expected places, as a column such as 'x' or given for the sensors in the columns {', '.join(columns[:8])}"
            f"{' …' * (len(columns) > 8)} of {table.source}; got none; pass "
            f"⟦places={{'{first}': 0.05, …}}‖--places \"{first}=0.05, …\"⟧, or the path "
            "of a file with the columns sensor,x."
        )
    return [words] if words else [_one_of(table, names, (_SPACE_WORDS,), "space", "'x' or 'position'")]


def numbered_columns(table: Table, names: Iterable[str]) -> list[str]:
    """Columns that look like one for each sensor: names with a common beginning and a number, TC1 … TC8."""
    found: dict[str, list[str]] = {}
    for name in names:
        match = re.fullmatch(r"(.*[^\d])\d+", stem(name))
        if match and table.is_numeric(name) and not is_time_name(name):
            found.setdefault(match[1], []).append(name)
    return max(found.values(), key=len, default=[])


def _could_be_field(table: Table, name: str) -> bool:
    variable, key = table.variables[name], _key(name)
    return (
        name not in table.coordinates
        and variable.values.size > 1
        and not _NOISE_COLUMN.fullmatch(key)
        and not _ROW_NUMBER.fullmatch(key)
        and table.is_numeric(name)
    )


def _guess_fields(table: Table, names: list[str], space: list[str]) -> list[str]:
    usual = [name for name in names if stem(name) in _FIELDS] or [name for name in names if _key(name) in _FIELDS]
    if usual:
        if len({_key(name) for name in usual}) < len(usual):
            raise _ambiguous("fields", usual)
        return sorted(usual, key=_key)
    left = [name for name in names if _could_be_field(table, name)]
    # Beside a field on a grid lie its parameters: only the largest arrays can be fields.
    largest = max((table.variables[name].values.size for name in left), default=0)
    left = [name for name in left if table.variables[name].values.size == largest]
    if len(left) > 1:
        raise _ambiguous("fields", left)
    if not left:
        taken = f" (with {', '.join(map(repr, space))} taken as space)"
        raise InputError(
            f"Expected a column of measured values, such as 'u', in {table.source}; got {_columns(table)}{taken}; "
            "name it with ⟦fields=⟧."
        )
    return left


def _given_noise(table: Table, noise: str | Sequence[str] | float | bool | None) -> tuple[str, ...] | float | None:
    if noise is None or noise is False:
        return None
    if isinstance(noise, int | float) and noise is not True:
        return float(noise)
    if noise is True or not isinstance(noise, str | Sequence):
        raise InputError(
            f"Expected ⟦noise=⟧ as a standard deviation or as names of columns; got {noise!r}; pass either."
        )
    return tuple(_find(table, name, "noise") for name in _listed(noise, "noise"))


def _guess_noise(names: list[str], fields: list[str]) -> tuple[str, ...] | None:
    found: list[str | None] = []
    for field in fields:
        key = _key(field).lower()
        own = {f"{key}_{word}" for word in _NOISE} | {f"{word}_{key}" for word in _NOISE}
        tiers: list[set[str]] = [own, set(_NOISE)] if len(fields) == 1 else [own]
        found.append(_at_most_one_of(names, tiers, "noise"))
    known = tuple(name for name in found if name is not None)
    if known and len(known) < len(fields):
        raise InputError(
            f"Expected a noise column for each of the fields {', '.join(map(repr, fields))}; got only "
            f"{', '.join(map(repr, known))}; name them with ⟦noise=⟧, or pass "
            "⟦noise=False‖--noise none⟧ to leave them out."
        )
    return known or None


def _wide_headers(table: Table, names: list[str]) -> list[str]:
    """The columns of a wide table, whose headers are places, or none if it is not one."""
    headers = [name for name in names if not _ROW_NUMBER.fullmatch(_key(name))]
    is_wide = table.has_names and table.is_long() and all(_PLACE.fullmatch(name.strip()) for name in headers)
    return headers if is_wide else []


def _places_in(headers: Sequence[str], source: str) -> tuple[tuple[float, ...], str]:
    """The places that headers such as ``0.25``, ``x = 0.25`` or ``0,25 m`` stand for, and their unit."""
    found = [match.groups("") for name in headers if (match := _PLACE.fullmatch(name.strip()))]
    units = list(dict.fromkeys(unit.lower() for _, unit in found))
    if len(units) > 1:
        shown = ", ".join(unit or "none" for unit in units)
        raise InputError(
            f"Expected places in one unit in the header of {source}; got {shown}; write all of them in the same unit."
        )
    unclear = next((number for number, _ in found if is_grouped(number)), None)
    if unclear and not any("," in number and not is_grouped(number) for number, _ in found):
        raise InputError(
            f"Expected places of one meaning in the header of {source}; got {unclear!r}; "
            f"write {unclear.replace(',', '')} or {unclear.replace(',', '.')}, whichever is meant."
        )
    return tuple(float(number.replace(",", ".")) for number, _ in found), found[0][1]
