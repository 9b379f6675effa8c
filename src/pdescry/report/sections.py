"""The text and tables of a page, in the order of a reader's questions: what is the law, and how far can I trust it;
what do the readings show; why these terms; what does the law predict; what contradicts it; how to reproduce it."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from importlib import metadata
from typing import Any

from pdescry.data.digits import distinct
from pdescry.equation.with_spread import with_spread
from pdescry.joint import Advice, Comparison
from pdescry.report.law import Reported
from pdescry.report.markup import copied, figure, folded, listed, paragraph, section, side_by_side, table
from pdescry.report.mathematics import typeset
from pdescry.report.trust import how_far_to_trust

LINKS = {
    "field": "Field",
    "terms": "Terms",
    "forward": "Solved forward",
    "diagnostics": "Diagnostics",
    "next": "Next sensor",
    "again": "Reproduce it",
}
FEW = 12  # candidates that figures.js shows at first
VERSIONS = ("pdescry", "jax", "blackjax", "numpy", "scipy", "scikit-learn")


def sections_of(law: Reported, name: str, numbers: dict[str, Any], advice: Advice | None) -> Iterator[str]:
    """name: of the readings. numbers: data of the figures."""
    yield _head(law, name, {"next"} if advice is None else set())
    yield _field(law, numbers)
    yield section("terms", "The terms", *_terms(law, numbers))
    yield section("forward", "The law solved forward", *_forward(law, numbers["forward"]))
    yield _diagnostics(law)
    if advice is not None:
        yield _next(advice)
    yield _again(law)


# ---- the law ---------------------------------------------------------------------------------------------------------


def _head(law: Reported, name: str, missing: set[str]) -> str:
    """missing: parts of the page that do not exist."""
    sure, sentence = how_far_to_trust(law)
    shown = "".join(typeset(fit) for fit in law.fits) if law.found else f"<p class='words'>{escape(str(law))}</p>"
    links = "".join(f'<a href="#{key}">{text}</a>' for key, text in LINKS.items() if key not in missing)
    return "".join(
        [
            f"<header><h1>The law behind {escape(name)}</h1>",
            paragraph(_read(law), "muted"),
            f'<div class="law" id="law" tabindex="0" role="region" aria-label="The law">{shown}</div>',
            paragraph(_how_to_read(law), "muted") if law.found else "",
            paragraph(sentence, "told" if sure else "told warn"),
            listed(law.remarks),
            f"<h2>Warnings</h2>{listed(law.warnings)}" if law.warnings else "",
            f"<h2>What to try</h2>{listed(law.advice)}" if law.advice else "",
            f'<nav aria-label="Parts of this page">{links}</nav></header>',
        ]
    )


def _read(law: Reported) -> str:
    readings, sensors = (sum(map(count, law.experiments)) for count in (len, lambda each: each.n_sensors))
    several = f"{len(law.experiments)} experiments of one law: " if len(law.experiments) > 1 else ""
    return f"{several}{readings:,} readings by {sensors} sensors"


def _how_to_read(law: Reported) -> str:
    first = law.coefficients.iloc[0]
    number = with_spread(first["mean"], first["sd"]).replace("-", "−")
    return f"{number} means {_short(first['mean'])} ± {_short(first['sd'], 2)} (one standard deviation)."


# ---- the field -------------------------------------------------------------------------------------------------------


def _field(law: Reported, numbers: dict[str, Any]) -> str:
    readings, title = law.readings, "The readings and the field"
    obeys = "the one that obeys the law" if law.inference.obeys_law else "inferred without a law"
    if numbers["planes"]:
        return _in_the_plane(law, title, obeys, len(numbers["planes"]))
    if not numbers["fields"]:
        words = "A field along three axes is not drawn; law.predict gives its values."
        return section("field", title, paragraph(words))
    (axis,), time = readings.axes, readings.time_name
    what = readings.label(readings.fields[0]) if len(readings.fields) == 1 else "the field that is chosen above"
    where = f"over {axis} (across) and {time} (up)"
    return section(
        "field",
        title,
        paragraph(
            f"The field is {obeys}. Point at a map, or move time and place, to read values; the slice and the record "
            "below follow."
        ),
        _controls(law, len(numbers["fields"])),
        side_by_side(
            figure(
                "mean",
                f"Map of the mean of {what} {where}, with sensors and readings.",
                f"Mean of {what}. White dots are readings, marks above the map are sensors.",
            ),
            figure(
                "sd",
                f"Map of the standard deviation of {what} {where}: uncertainty of the mean.",
                "Its standard deviation: where the field is most uncertain. Colours end where 98 % of the map do.",
            ),
        ),
        side_by_side(
            figure(
                "slice",
                f"{what} over {axis} at the chosen time: mean, 95 % band, and readings nearest in time.",
                "Mean and 95 % band of the field, and the readings nearest in time.",
                follows="time-now",
            ),
            figure(
                "record",
                f"{what} over {time} at the sensor nearest to the chosen place: its readings, and the field.",
                "Its readings, mean and 95 % band of the field.",
                follows="sensor-now",
            ),
        ),
    )


def _in_the_plane(law: Reported, title: str, obeys: str, experiments: int) -> str:
    readings = law.readings
    (across, up), time = readings.axes, readings.time_name
    what = readings.label(readings.fields[0]) if len(readings.fields) == 1 else "the field that is chosen above"
    where = f"over {across} (across) and {up} (up) at the chosen time"
    return section(
        "field",
        title,
        paragraph(
            f"The field is {obeys}. Move time, or let it run; point at a map to read values. The record below is that"
            " of the nearest sensor."
        ),
        _controls(law, experiments),
        side_by_side(
            figure(
                "plane-mean",
                f"Map of the mean of {what} {where}, with the sensors.",
                f"Mean of {what}. Rings are sensors, white dots readings near that time.",
            ),
            figure(
                "plane-sd",
                f"Map of the standard deviation of {what} {where}: uncertainty of the mean.",
                "Its standard deviation: where the field is most uncertain. Colours end where 90 % of all maps do.",
            ),
        ),
        figure(
            "plane-record",
            f"{what} over {time} at the sensor nearest to the chosen place: its readings, and the field.",
            "Its readings, mean and 95 % band of the field.",
            follows="sensor-now",
        ),
    )


def _controls(law: Reported, experiments: int) -> str:
    readings, chosen = law.readings, ""
    if experiments > 1:
        chosen += _select("experiment", "Experiment", [str(number + 1) for number in range(experiments)])
    if len(readings.fields) > 1:
        chosen += _select("component", "Field", readings.fields)
    one_axis = len(readings.axes) == 1
    chosen_by = {"time": readings.time_name} | ({"place": readings.axes[0]} if one_axis else {})
    sliders = "".join(
        f'<label for="{key}">{escape(readings.label(name))}'
        f'<input type="range" id="{key}" min="0" max="1" value="0"></label>'
        for key, name in chosen_by.items()
    )
    if not one_axis:
        sliders += '<button type="button" id="play">Play</button>'
    now = f'<output class="value" id="value-now" for="{" ".join(chosen_by)}" aria-live="polite"></output>'
    return f'<div class="controls">{chosen}{sliders}{now}</div>'


def _select(key: str, title: str, choices: Any) -> str:
    options = "".join(f'<option value="{number}">{escape(text)}</option>' for number, text in enumerate(choices))
    return f'<label for="{key}">{title}<select id="{key}">{options}</select></label>'


# ---- the terms -------------------------------------------------------------------------------------------------------


def _terms(law: Reported, numbers: dict[str, Any]) -> Iterator[str]:
    if law.found:
        rows = numbers["terms"]
        columns = ("mean", "sd", "low", "high")
        cells = [[row["name"], *(_short(row[key]) for key in columns), _short(row["probability"], 2)] for row in rows]
        heads, units = ["term", "coefficient", "sd", "95 % from", "to", "probability"], [row["unit"] for row in rows]
        if any(units):
            rows_with_units = [[*row, unit or "not known"] for row, unit in zip(cells, units, strict=True)]
            yield table([*heads, "unit"], rows_with_units, "Terms of the law")
        else:
            yield table(heads, cells, "Terms of the law")
        words = "; ".join(f"{name} {mean}, 95 % from {low} to {high}" for name, mean, _, low, high, _ in cells)
        caption = "Coefficients with their 95 % intervals."
        yield figure("forest", f"Forest plot of the coefficients: {words}.", caption)
        yield from (_profile(number, part) for number, part in enumerate(numbers["profiles"]))
    else:
        yield paragraph("No law was found. The best guess, and why it is not reported as a law, are at the top.")
    if numbers["candidates"]:
        yield _probabilities(numbers["candidates"])
    if law.comparison is not None:
        yield from _compared(law.comparison)
    if numbers["path"]["rows"]:
        yield _why(numbers["path"])


def _profile(number: int, part: dict[str, Any]) -> str:
    return figure(
        of_field("profile", number),
        f"The coefficient of {part['name']} along {part['axis']}: mean and 95 % band.",
        f"The coefficient of {part['name']} varies along {part['axis']}: mean and 95 % band.",
    )


def _probabilities(candidates: list[dict[str, Any]]) -> str:
    likely = [f"{each['name']} {each['probability']:.2f}" for each in candidates if each["probability"] >= 0.01]
    rest = f"; the other {len(candidates) - len(likely)} candidates below 0.01" if len(likely) < len(candidates) else ""
    return figure(
        "probabilities",
        f"Probability of each candidate: {', '.join(likely)}{rest}.",
        "Probability that a term is in the law, among the laws that were fitted.",
        more=len(candidates) > FEW,
    )


def _compared(comparison: Comparison) -> Iterator[str]:
    yield table(
        ["law", "elpd", "score below the best", "probability"],
        [
            [row["law"], _short(row["elpd"], 6), _short(abs(row["score"]), 3), _short(row["probability"], 2)]
            for row in comparison.alternatives.to_dict(orient="records")
        ],
        "Laws that were compared at the end, by how well they predict sensors: inner ones left out as a whole, the "
        "outermost ones reading by reading",
    )
    inner, baselines = comparison.of_inner_sensors, comparison.baselines
    names = next(iter(baselines.values()), {})
    rows = [[name, *(_short(scores[name], 6) for scores in baselines.values())] for name in names]
    yield table(
        ["model", *(f"elpd of {field}" for field in baselines)],
        [*rows, ["the best law", *(_short(inner[field], 6) for field in baselines)]],
        "Models without a law, for comparison, by the inner sensors only",
    )


def _why(path: dict[str, Any]) -> str:
    rows = path["rows"]
    kept = ", ".join(row["name"] for row in rows if row["kept"]) or "none"
    if path["kind"] == "steps":
        caption = "The order in which candidates were dropped: the longer the bar, the later; dark ones were kept."
        words = f"Steps at which candidates were dropped; {kept} were kept to the end."
        return figure("path", words, caption, more=len(rows) > FEW)
    outside = [row for row in rows if not row["kept"] and row["score"] is not None]
    words = f"Change of the score with one term less or more; terms of the law: {kept}."
    if outside:
        words += f" Nearest to being in it: {outside[0]['name']} ({_short(outside[0]['score'], 3)} nats)."
    caption = (
        "Why these terms: what the law would lose or gain (elpd of the sensors less the complexity penalty; "
        "to first order) with one of its own terms taken away (dark) or another one added (grey). To the left: worse. "
        "A law gives way only to one that is better, and well-posed."
    )
    return figure("path", words, caption, more=len(rows) > FEW)


# ---- the law solved forward ------------------------------------------------------------------------------------------


def _forward(law: Reported, forward: dict[str, Any] | None) -> Iterator[str]:
    if law.forward.score is not None:
        yield paragraph(law.forward.score.sentence)
    elif law.forward.unscored is not None:
        yield paragraph(f"The law was not compared with held-out sensors: {law.forward.unscored}")
    if len(law.readings.axes) > 1 and law.forward.status == "ok":
        yield paragraph(
            "From the inferred start and with edges that follow the field, on a rectangle among the sensors, the mean "
            f"law stays within {law.forward.misfit:.2g} of the readings' sd (rms) of it."
        )
        yield _held_out(law, forward)
        return
    if forward is None:
        drawn = "The map of its solution took too long, or too many points, to be drawn here; law.simulate() makes it."
        yield paragraph(drawn if law.forward.status == "ok" else str(law.forward.message))
        return
    yield paragraph(
        f"With {law.forward.boundary}, the mean law differs from the inferred field by {law.forward.misfit:.2g} of the "
        "readings' sd (rms)."
        if law.forward.conditions != "field"
        else f"From the inferred start and with ends that follow the field, the mean law stays within "
        f"{law.forward.misfit:.2g} of the readings' sd (rms) of it."
    )
    several = len(law.readings.fields) > 1
    for number, part in enumerate(forward["fields"]):
        of_what = f" of {part['name']}" if several else ""
        yield side_by_side(
            figure(
                of_field("solved", number),
                f"Map{of_what} of the law solved forward from the inferred start.",
                f"The law solved forward from the inferred field at the first time{_colon(of_what)}.",
            ),
            figure(
                of_field("difference", number),
                f"Map{of_what} of the forward solution less the inferred field.",
                f"That, less the inferred field{_colon(of_what)}.",
            ),
        )
    yield _held_out(law, forward)


def _held_out(law: Reported, forward: dict[str, Any] | None) -> str:
    """Figures of held-out sensors."""
    several, axes = len(law.readings.fields) > 1, law.readings.axes
    return side_by_side(
        *(
            figure(
                f"forecast-{number}",
                f"Held-out sensor {sensor['name']}: its readings{of_what}, and the law's prediction with its 95 % "
                "interval.",
                f"Sensor {sensor['name']} at {where}, held out: its readings{of_what}, and"
                " draws of the law solved forward without them (mean, and 95 % interval of a reading).",
            )
            for number, sensor in enumerate(forward["sensors"] if forward else ())
            for of_what in [f" of {sensor['field']}" if several else ""]
            for where in [", ".join(f"{axis} = {_short(at)}" for axis, at in zip(axes, sensor["place"], strict=True))]
        )
    )


def of_field(name: str, number: int) -> str:
    """The name of the figure of each field in ``figures.js``."""
    return f"{name}-{number + 1}" if number else name


def _colon(of_what: str) -> str:
    return f": {of_what.removeprefix(' of ')}" if of_what else ""


# ---- diagnostics -----------------------------------------------------------------------------------------------------


def _diagnostics(law: Reported) -> str:
    words, drawn, details = [], [], ""
    if law.comparison is not None:
        error, expected = (_short(each, 3) for each in law.comparison.errors)
        words.append(
            f"Sensors between others, each predicted from the rest, are missed by {error} (rms); {expected} was "
            "expected."
        )
        caption = (
            "Each sensor predicted from the others: rms error (dot) and what it should be (bar); pale dots are "
            "outermost sensors, which no law can predict (at the upper edge where they are missed by more)."
        )
        drawn.append(figure("left_out", words[0], caption))
    for number, name in enumerate(law.readings.fields):
        of_what = f" of {name}" if len(law.readings.fields) > 1 else ""
        drawn.append(
            figure(
                of_field("residuals", number),
                f"Quantiles of the readings{of_what} less the field against those of normal noise.",
                f"Readings{of_what} less the field, in units of the noise: on the line if noise is normal and as large "
                "as inferred.",
            )
        )
    if law.diagnostics is not None:
        verdict = law.diagnostics.verdict
        words += [f"Chains of the field: {verdict}", *([law.inference.about_chains] * bool(law.inference.about_chains))]
        caption = "Log p of each chain: it should neither drift nor differ."
        drawn.append(figure("chains", f"Log density of each chain. {verdict}", caption))
        rows = [
            [str(name), *(_short(row[key], 3) for key in ("r_hat", "ess_bulk", "ess_tail"))]
            for name, row in law.diagnostics.table.to_dict(orient="index").items()
        ]
        effective = table(["of", "R-hat", "bulk ESS", "tail ESS"], rows, "R-hat and effective draws")
        details = folded("Numbers of the chains", effective) if rows else ""
    return section("diagnostics", "Diagnostics", listed(words), side_by_side(*drawn), details)


# ---- where to read next ----------------------------------------------------------------------------------------------


def _next(advice: Advice) -> str:
    about = "about the law" if advice.about == "law" else "about the field"
    places = ", ".join(distinct(place, advice.map[advice.axes[0]]) for place in advice.table[advice.axes[0]])
    return section(
        "next",
        "Where to put the next sensor",
        *(paragraph(line) for line in str(advice).splitlines()),
        figure(
            "next",
            f"Map of the expected information of another reading {about} over place and time; advised places: "
            f"{places}.",
            f"The expected information of another reading {about}, by its place and time; marks above the map are "
            "sensors that are there, dashed lines those that are advised, the most useful first.",
        ),
    )


# ---- how to reproduce it ---------------------------------------------------------------------------------------------


def _again(law: Reported) -> str:
    settings = [[name, str(value)] for name, value in _flat(law.settings.to_dict())]
    return section(
        "again",
        "Settings, versions, and how to reproduce it",
        copied("command", law.command),
        paragraph("If you said how the file is to be read (--time, --space, --field, …), say so again."),
        listed(dict.fromkeys(note for each in law.experiments for note in each.remarks)),
        table(["package", "version"], [[name, metadata.version(name)] for name in VERSIONS], "Versions"),
        folded("All settings", table(["setting", "value"], settings, "Settings")),
    )


def _flat(tables: dict[str, Any], before: str = "") -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    for name, value in tables.items():
        found += _flat(value, f"{before}{name}.") if isinstance(value, dict) else [(before + name, value)]
    return found


def _short(value: float | None, digits: int = 4) -> str:
    return "–" if value is None or value != value else f"{value:.{digits}g}".replace("-", "−")
