"""From a table of readings × settings × seeds to cases: globs are looked up, grids become all their combinations.

files = ["rods/*.csv"]                # relative to the table
seeds = [0, 1, 2]

[reading]                             # arguments of pdescry.read
noise = 0.05

[settings]                            # as `pdescry config` prints them
law.candidates = "small"

[grid]                                # every combination of these
"regression.largest" = [2, 3]
"reading.noise" = [0.01, 0.05]

[[part]]                              # as often as needed: the same, in place of the above
files = ["plates/*.csv"]
"""

from __future__ import annotations

import difflib
import glob
import itertools
import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pdescry.discovery.config import merged
from pdescry.errors import InputError
from pdescry.sweeps.case import Case

KEYS = ("files", "together", "seeds", "reading", "settings", "grid")
LONGEST = 40  # characters of a value in the name of a case, and three times as many of a name


def cases_in(table: Mapping[str, Any], base: Path) -> list[Case]:
    """The cases of a table such as a TOML file contains; files are relative to ``base``."""
    _refuse_unknown(table, (*KEYS, "part"))
    above = {name: part for name, part in table.items() if name != "part"}
    parts = table.get("part", [{}])
    if not isinstance(parts, list) or not all(isinstance(part, Mapping) for part in parts):
        raise InputError("Expected parts of a sweep as tables headed [[part]]; write the heading with two brackets.")
    cases: list[tuple[str, Case]] = []
    for part in parts:
        _refuse_unknown(part, KEYS)
        whole = {**above, **part}
        for name in ("reading", "settings", "grid"):
            _check_table(name, whole.get(name, {}))
            if name in above and name in part:
                whole[name] = merged(above[name], part[name])
        cases += _combined(whole, base)
    return list(_named(cases))


def _combined(table: Mapping[str, Any], base: Path) -> Iterator[tuple[str, Case]]:
    """(wanted name, case) of every file, or of all together, with every combination of the grid."""
    files = _found(table.get("files", []), base)
    groups = [files] if table.get("together", False) else [[file] for file in files]
    grid = dict(table.get("grid", {}))
    if "seeds" in table:
        grid["seed"] = _seeds(table["seeds"])
    for name, values in grid.items():
        if not isinstance(values, list | tuple) or not values:
            raise InputError(f"Expected a list of values for {name!r} in the grid; got {values!r}; write [{values!r}].")
    stems = _stems(groups)
    for group, stem in zip(groups, stems, strict=True):
        for combination in itertools.product(*grid.values()):
            varied = dict(zip(grid, combination, strict=True))
            reading, settings = dict(table.get("reading", {})), table.get("settings", {})
            for name, value in varied.items():
                section, _, last = name.rpartition(".")
                if section == "reading":
                    reading[last] = value
                else:
                    settings = merged(settings, {section: {last: value}} if section else {name: value})
            parts = [stem, *(f"{name.rpartition('.')[2]}={_word(value)}" for name, value in varied.items())]
            about = {"file": " ".join(Path(file).name for file in group), **varied}
            yield "_".join(parts), Case("case", tuple(group), reading, settings, about)


def _named(cases: Iterable[tuple[str, Case]]) -> Iterator[Case]:
    """Each with a name of its own, which depends on the names before it only where they are the same."""
    before: Counter[str] = Counter()
    for wanted, case in cases:
        name = re.sub(r"[^\w.=+-]", "-", wanted)[: 3 * LONGEST].lstrip(".-") or "case"
        before[name.lower()] += 1  # there are disks that take a and A for the same
        if before[name.lower()] > 1:
            name = f"{name}~{before[name.lower()]}"
        yield Case(name, case.files, case.reading, case.settings, case.varied)


def _found(patterns: Any, base: Path) -> list[str]:
    patterns = [patterns] if isinstance(patterns, str | os.PathLike) else patterns
    if not isinstance(patterns, Sequence) or not patterns:
        raise InputError('Expected files of readings, such as files = ["rods/*.csv"]; got none.')
    found: list[str] = []
    for each in patterns:
        pattern = os.path.abspath(base / Path(each).expanduser())
        if glob.has_magic(pattern) and not os.path.exists(pattern):
            matching = sorted(glob.glob(pattern, recursive=True))
            if not matching:
                raise InputError(f"Expected files that match {str(each)!r}; there are none in {str(base)!r}.")
            found += matching
        else:
            found.append(pattern)
    return list(dict.fromkeys(found))


def _stems(groups: Sequence[Sequence[str]]) -> list[str]:
    """The first file's name without its ending; with its folder's where two are the same."""
    stems = [_stem(group[0]) for group in groups]
    several = Counter(stems)
    return [
        stem if several[stem] == 1 else f"{Path(group[0]).parent.name}-{stem}"
        for group, stem in zip(groups, stems, strict=True)
    ]


def _stem(file: str) -> str:
    name = Path(file).name
    for packed in (".gz", ".bz2", ".xz", ".zip"):
        name = name.removesuffix(packed)
    return Path(name).stem


def _seeds(given: Any) -> list[int]:
    """[0, 1, 2], or 3."""
    if isinstance(given, int) and not isinstance(given, bool) and given > 0:
        return list(range(given))
    if isinstance(given, list | tuple) and given and all(isinstance(each, int) for each in given):
        return list(given)
    raise InputError(f"Expected seeds as a number of them or a list, such as [0, 1, 2]; got {given!r}.")


def _word(value: Any) -> str:
    """A value in a file's name."""
    if isinstance(value, list | tuple):
        text = "+".join(str(each) for each in value)
    else:
        text = value if isinstance(value, str) else json.dumps(value)
    return text[:LONGEST]


def _check_table(name: str, given: Any) -> None:
    if not isinstance(given, Mapping):
        raise InputError(f"Expected [{name}] to be a table; got {given!r}.")


def _refuse_unknown(given: Iterable[str], known: Sequence[str]) -> None:
    for name in given:
        if name not in known:
            near = difflib.get_close_matches(str(name), known, n=1)
            hint = f" Did you mean {near[0]}?" if near else ""
            raise InputError(f"Expected {', '.join(known)} in the table of a sweep; got {name!r}.{hint}")
