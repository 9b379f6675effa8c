"""The page of `accuracy.py document`: its tables, the provenance of the records, and the calibration of
probabilities."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from accuracy import FORCED, HALF_NULL, IDLE, LIBRARIES, NOISES, NULL, OTHERS, system_of

from pdescry.data import systems
from pdescry.experiments.paper import EXPERIMENTS

TITLES = {
    "coupled": "Two coupled fields",
    "second": "Second order in time",
    "input": "A known input",
    "faults": "Faulty sensors, noise 0.05",
}
EDGES = (0.0, 0.01, 0.1, 0.5, 0.9, 0.99, 1.0 + 1e-9)  # of probabilities that are counted together
SURE = 0.99  # wrong laws must not have a larger probability (issue 22)
PROBABLE = 0.9  # a law that lacks a term must not have a larger probability without a warning (issue 22)
MENTIONED = 0.01  # terms with a smaller probability are very many, and not in doubt

Records = Mapping[str, Mapping[str, Any]]  # by name


# ---- what made the records -------------------------------------------------------------------------------------------


def _inference(record: Mapping[str, Any]) -> str:
    """Records without a digest are equal only if one commit, without changes, made them."""
    return record.get("inference") or f"unknown ({record.get('commit', 'no commit')})"


def _versions(record: Mapping[str, Any]) -> str:
    """Versions of the numerical packages; pdescry's own changes if its inference does not."""
    known: Mapping[str, str] = record.get("versions") or {}
    return ", ".join(f"{name} {number}" for name, number in known.items() if name != "pdescry") or "unknown versions"


def _cell(record: Mapping[str, Any]) -> str:
    return f"{record['system']}, noise {record['noise']}, {record.get('kind', '')} {record['library']}"


def differences(records: Records) -> list[str]:
    """In what records differ that they should have in common, one phrase each."""
    found = []
    if len(inferences := {_inference(each) for each in records.values()}) > 1:
        found.append(f"{len(inferences)} different inferences")
    if len(some := {_versions(each) for each in records.values()}) > 1:
        found.append(f"{len(some)} different sets of versions")
    settings: dict[str, set[str | None]] = {}
    for each in records.values():
        settings.setdefault(_cell(each), set()).add(each.get("settings"))
    if several := sum(len(each) > 1 for each in settings.values()):
        found.append(f"different settings in {several} cells")
    return found


def made_by(records: Records) -> list[str]:
    """Lines with the commits, inferences and versions of the records."""
    commits: dict[str, int] = {}
    for each in records.values():
        name = each.get("commit", "an unknown commit")
        name += f", inference {each['inference']}" if each.get("inference") else ""
        commits[name] = commits.get(name, 0) + 1
    mixed = differences(records)
    lines = [f"**These records are mixed**: {', '.join(mixed)}; a row need not be of one version."] if mixed else []
    each_one = "; ".join(f"{name} ({count})" for name, count in sorted(commits.items()))
    lines += textwrap.wrap(f"Commits that made the records (how many; a + marks uncommitted sources): {each_one}.", 120)
    some = "; ".join(sorted({_versions(each) for each in records.values()}))
    return [*lines, *textwrap.wrap(f"Made with {some}.", 120)]


# ---- the document ----------------------------------------------------------------------------------------------------


def truth_of(record: Mapping[str, Any]) -> dict[str, float]:
    """Coefficients of the law, by the field of the equation and the term; none where noise replaces it."""
    if record["noise"] in (*NULL, FORCED):
        return {}
    equation = system_of(dict(record)).equation
    return {f"{part.field}: {term}": value for part in equation.components for term, value in part.terms}


def table_of(records: Records) -> Any:
    rows = []
    for record in records.values():
        truth = truth_of(record)
        found = dict(zip(record.get("terms", ()), record.get("values", ()), strict=True))
        sds = dict(zip(record.get("terms", ()), record.get("sd", ()), strict=True))
        errors = [found.get(term, 0.0) - truth.get(term, 0.0) for term in {*found, *truth}]
        held = [abs(found[term] - truth[term]) <= 1.96 * sds[term] for term in truth if term in found]
        orders = {part.field: part.time_order for part in system_of(dict(record)).equation.components}
        same_order = dict(zip(record.get("fields", ()), record.get("orders", ()), strict=True)) == orders
        rows.append(
            {name: record[name] for name in ("system", "noise", "layout", "sensors", "library", "law", "commit")}
            | {
                "kind": record.get("kind", ""),
                "right": set(found) == set(truth)
                and same_order
                and not record["reason"]
                and record["noise"] not in NULL,
                "told": not record["reason"],
                "probability": _of_best(record),
                "same_order": same_order,
                "reasons": record["reasons"],
                "e_C": float(np.linalg.norm(errors)),
                "relative": [abs(found[term] / truth[term] - 1) for term in truth if term in found],
                "held": sum(held),
                "intervals": len(held),
                "seconds": record["seconds"],
                "networks": record.get("networks", 0),
                "idle": any(term.endswith(": Q") or "Q*" in term for term in found),
                "probabilities": {
                    f"{p['field']}: {p['term']}": p["probability"] for p in record.get("probabilities", ())
                },
                "truth": truth,
                "both_named": record.get("both_named", False),
                "missing_told": bool(record.get("missing_told", False)),
            }
        )
    return pd.DataFrame(rows)


def _of_best(record: Mapping[str, Any]) -> float:
    """The probability of the law that is reported."""
    alternatives = record.get("alternatives", ())
    return alternatives[0]["probability"] if alternatives else float("nan")


def markdown(records: Records, mixed: bool = False) -> str:
    """mixed: also if different sources or settings made the records."""
    if (found := differences(records)) and not mixed:
        raise SystemExit(
            f"Expected records that one inference made with one set of versions and settings; got {', '.join(found)}; "
            "make the stale ones again (accuracy.py stale FOLDER lists them), or pass --mixed to have the page say so."
        )
    table = table_of(records)
    lines = [
        "# How often the default method is right",
        "",
        "Written by `python benchmarks/accuracy.py document`. Fresh layouts of random sensors and fresh noise for each",
        "run, default settings, nothing chosen by hand. Laws are exact: their readings contain nothing but the law and",
        "independent Gaussian noise; real readings are less kind.",
        "",
        *made_by(records),
    ]
    for library in LIBRARIES:
        part = table[table["library"] == library]
        paper = part[part["system"].isin(EXPERIMENTS) & part["noise"].map(lambda noise: not isinstance(noise, str))]
        if len(paper):
            lines += ["", f"## The paper's nine cells, candidates `{library}`", "", *_paper_lines(paper)]
        others = part[(part["noise"] == "5%") & (part["kind"] == "")]
        if len(others):
            head = f"## Other systems, noise 5 % of the sd, candidates `{library}`"
            lines += ["", head, "", *_other_lines(others)]
        for kind, title in TITLES.items():
            if len(rows := part[part["kind"] == kind]):
                lines += ["", f"## {title}, candidates `{library}`", "", *_relative_lines(rows)]
                if kind == "faults":
                    named = f"{rows['both_named'].sum()} of {len(rows)}"
                    lines += ["", f"What was wrong, and nothing else, was named or left alone in {named}."]
                if len(idle := rows[rows["system"] == IDLE]):
                    lines += ["", f"The idle input is in {idle['idle'].sum()} of {len(idle)} laws."]
        if len(half := part[part["noise"] == HALF_NULL]):
            right = [law.startswith("u_t = ") and "v" in reasons for law, reasons in half[["law", "reasons"]].values]
            lines += ["", f"## FitzHugh–Nagumo whose v is replaced by noise, candidates `{library}`", ""]
            lines += [
                f'- "cannot tell" for v in {sum("v" in each for each in half["reasons"])} of {len(half)} runs; for u, '
                f"too, in {sum('u' in each for each in half['reasons'])}; a law for u alone in "
                f"{sum(good and 'u' not in each for good, each in zip(right, half['reasons'], strict=True))}."
            ]
        if len(forced := part[part["kind"] == "forced"]):
            sure = forced[forced["told"] & (forced["probability"] > PROBABLE)]
            warned, unwarned = forced["missing_told"], sure[~sure["missing_told"]]
            lines += ["", f"## A periodic forcing of 20 % of u_t that nobody mentions, candidates `{library}`", ""]
            lines += [
                f"- {len(forced)} runs: a law in {forced['told'].sum()}, with a probability above {PROBABLE} in "
                f"{len(sure)}; a warning that something is missing in {warned.sum()} of all. With more than "
                f"{PROBABLE} and without that warning: {len(unwarned)} (bar 0)."
            ]
        if len(null := part[part["noise"].isin(NULL)]):
            lines += ["", f"## No law at all, candidates `{library}`", ""]
            lines += [
                f'- {kind}: "cannot tell" in {(~rows["told"]).sum()} of {len(rows)} runs (bar 19 of 20, both together).'
                for kind in NULL
                if len(rows := null[null["noise"] == kind])
            ]
        part = part[~part["noise"].isin((*NULL, HALF_NULL, FORCED))]
        if len(wrong := part[~part["right"]]):
            lines += ["", f"## Wrong laws, candidates `{library}`", "", *_listed(wrong)]
    return "\n".join([*lines, *_probability_lines(table), ""])


def _listed(rows: Any) -> list[str]:
    return [
        f"- {row['system']}, noise {row['noise']}, layout {row['layout']}"
        + ("" if row["told"] else " (said: cannot tell)")
        + f":\n  `{row['law']}`"
        for row in rows.to_dict(orient="records")
    ]


def _relative_lines(rows: Any) -> list[str]:
    lines = [
        "| system | noise | sensors | layouts | right terms | relative error, median (largest) "
        "| covered by 95 % intervals | seconds, median |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for (system, noise), some in rows.groupby(["system", "noise"], sort=False):
        errors = [error for each in some["relative"] for error in each]
        shown = f"{np.median(errors):.4f} ({max(errors):.3f})" if errors else ""
        lines.append(
            f"| {system} | {noise} | {some['sensors'].iloc[0]} | {len(some)} | {some['right'].sum()} | {shown} | "
            f"{some['held'].sum()} of {some['intervals'].sum()} | {some['seconds'].median():.0f} |"
        )
    return lines


def _paper_lines(paper: Any) -> list[str]:
    lines = ["| cell | layouts | right terms | e_C, median (range) | published e_C | bar | seconds, median |"]
    lines += ["| --- | --- | --- | --- | --- | --- | --- |"]
    for system in EXPERIMENTS:
        for noise in NOISES:
            rows = paper[(paper["system"] == system) & (paper["noise"] == noise)]
            if not len(rows):
                lines.append(f"| {system}, noise {noise:g} | none yet | | | | | |")
                continue
            published = EXPERIMENTS[system].stblr[noise].e_C
            bar = max(published / 10, 0.02)
            median = rows["e_C"].median()
            lines.append(
                f"| {system}, noise {noise:g} | {len(rows)} | {rows['right'].sum()} | {median:.4f} "
                f"({rows['e_C'].min():.4f} to {rows['e_C'].max():.4f}) | {published:.4f} | {bar:.4f} "
                f"{'met' if median <= bar else 'missed'} | {rows['seconds'].median():.0f} |"
            )
    held, intervals = paper["held"].sum(), paper["intervals"].sum()
    each = paper.groupby("commit", sort=False)["right"]
    by_commit = ", ".join(f"{name} {own.sum()} of {len(own)}" for name, own in each)
    lines += [
        "",
        f"Right terms in {paper['right'].sum()} of {len(paper)} runs (bar: 44 of 45); by commit: {by_commit}.",
        f"95 % intervals contain the true coefficient in {held} of {intervals}"
        + (f" ({held / intervals:.0%}; bar 88 to 99 %)." if intervals else "."),
        f"Networks were trained in {(paper['networks'] > 0).sum()} runs: smooth fields suggested no law.",
    ]
    return lines


def _other_lines(others: Any) -> list[str]:
    lines = [
        "| system | sensors | until | layouts | right terms | e_C, median | seconds, median |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for system, (sensors, own) in OTHERS.items():
        until = systems.get(system).until if own is None else own
        rows = others[others["system"] == system]
        if not len(rows):
            lines.append(f"| {system} | {sensors} | {until:g} | none yet | | | |")
            continue
        lines.append(
            f"| {system} | {sensors} | {until:g} | {len(rows)} | {rows['right'].sum()} | {rows['e_C'].median():.4f} | "
            f"{rows['seconds'].median():.0f} |"
        )
    return lines


# ---- probabilities ---------------------------------------------------------------------------------------------------


def _probability_lines(table: Any) -> list[str]:
    """Calibration of terms and of whole laws, over the records of all systems and libraries in which a law was found
    for every field; also of readings without a law."""
    reported = table[table["told"] & (table["noise"] != HALF_NULL)]
    terms = [
        (probability, row["same_order"] and term in row["truth"])
        for row in reported.to_dict(orient="records")
        for term, probability in row["probabilities"].items()
    ]
    laws = list(zip(reported["probability"], reported["right"], strict=True))
    lines = ["", "## Probabilities", ""]
    lines += [
        f"Over all systems and candidates, of the {len(reported)} laws that were found; in "
        f"{len(table) - len(reported)} runs none was."
    ]
    if not laws:
        return lines
    doubtful = [pair for pair in terms if pair[0] >= MENTIONED]
    lines += ["", "### Of terms", "", *_reliability(terms, "terms", "in the law"), ""]
    lines.append(f"Brier score: {_brier(terms):.5f} over all candidates;")
    lines.append(f"{_brier(doubtful):.4f} over the {len(doubtful)} that have a probability of {MENTIONED:g} or more.")
    lines += ["", "### Of whole laws", "", *_reliability(laws, "laws", "right"), ""]
    lines.append(f"Brier score: {_brier(laws):.4f}.")
    sure = reported[~reported["right"] & (reported["probability"] > SURE)]
    lines.append(f"Wrong laws with a probability above {SURE:g}: {len(sure)} (bar: 0).")
    return [*lines, "", *_listed(sure)] if len(sure) else lines


def _brier(pairs: list[tuple[float, bool]]) -> float:
    """Mean squared difference between the probability and the truth, 1 or 0; for no pairs, 0."""
    return float(np.mean([(stated - true) ** 2 for stated, true in pairs])) if pairs else 0.0


def _reliability(pairs: list[tuple[float, bool]], what: str, so: str) -> list[str]:
    lines = [f"| probability | {what} | mean probability | of these, {so} |", "| --- | --- | --- | --- |"]
    for low, high in pairwise(EDGES):
        some = [(p, true) for p, true in pairs if low <= p < high]
        if some:
            stated, true = (float(np.mean([pair[k] for pair in some])) for k in (0, 1))
            lines.append(f"| {low:g} to {min(high, 1):g} | {len(some)} | {stated:.3f} | {true:.3f} |")
    return lines
