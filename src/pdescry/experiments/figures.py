"""Records → the paper's four kinds of figures: truth with sensors, fields, slices, learned solutions.

Rows or columns are noise levels, as in the paper. Panels that are to be compared share their colours; the largest
half per cent of errors may lie beyond a scale. Of several seeds the first is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from pdescry.experiments.records import METHODS, SOURCES, Record
from pdescry.experiments.tables import QUICK
from pdescry.files import made_folder
from pdescry.plot import save
from pdescry.plot.axes import COLOURS, SD_COLOURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PLACE, TIME = "x", "t (s)"
LETTERS = 11  # of a title, to an inch
ERROR_COLOURS = "inferno"
BNN, DNN, TRUTH = "tab:blue", "tab:green", "tab:red"
NETWORK_OF = {"STBLR": "BNN", "STOLS": "DNN"}


def draw_figures(records: Sequence[Record], folder: Path) -> list[Path]:
    """Four PNGs for each source and system that has records."""
    made_folder(folder)
    written: list[Path] = []
    for source, system in dict.fromkeys((r.cell.source, r.cell.system) for r in records):
        first: dict[float, Record] = {}
        for record in records:
            if (record.cell.source, record.cell.system) == (source, system):
                first.setdefault(record.cell.noise, record)
        runs = dict(sorted(first.items()))
        fields = {noise: record.fields() for noise, record in runs.items()}
        for kind, draw in FIGURES.items():
            path = folder / f"{source}-{system}-{kind}.png"
            save(draw(runs, fields), path)
            written.append(path)
    return written


# By noise.
Runs = Mapping[float, Record]
Fields = Mapping[float, xr.Dataset]


def draw_truth(runs: Runs, fields: Fields) -> Axes:
    """The true field, and where it was read."""
    noise = next(iter(fields))
    field = fields[noise]
    figure = _figure(runs, "ground truth; dots are readings", (6.4, 4.6))
    ax = figure.subplots()
    image = _map(ax, field, field["truth"].values, _limits([field["truth"].values]), COLOURS)
    figure.colorbar(image, ax=ax, label="u")
    ax.plot(field["reading_x"], field["reading_t"], ".", color="black", markersize=2.5)
    return ax


def draw_fields(runs: Runs, fields: Fields) -> Axes:
    """Both networks, the BNN's sd, and both errors; a row for each noise."""
    figure = _figure(runs, "the networks' fields and their errors", (14, 0.9 + 2.5 * len(runs)))
    axes = figure.subplots(len(runs), 5, sharex=True, sharey=True, squeeze=False)
    truth = _limits([field["truth"].values for field in fields.values()])
    spread = (0.0, _high([field["bnn_sd"].values for field in fields.values()]))
    errors = {
        noise: [np.abs(field[name].values - field["truth"].values) for name in ("bnn_mean", "dnn")]
        for noise, field in fields.items()
    }
    worst = (0.0, _high([error for both in errors.values() for error in both]))
    images: list[Any] = [None] * 5
    for row, (noise, field) in zip(axes, fields.items(), strict=True):
        values = [field["bnn_mean"].values, field["dnn"].values, field["bnn_sd"].values, *errors[noise]]
        limits = [truth, truth, spread, worst, worst]
        colours = [COLOURS, COLOURS, SD_COLOURS, ERROR_COLOURS, ERROR_COLOURS]
        images = [_map(*each) for each in zip(row, [field] * 5, values, limits, colours, strict=True)]
        row[0].set_ylabel(f"noise {noise:g}\n{TIME}")
    for ax, title in zip(axes[0], ("BNN mean", "DNN", "BNN sd", "|BNN mean − truth|", "|DNN − truth|"), strict=True):
        ax.set_title(title, fontsize="medium")
    _tidy_labels(axes)
    for image, panels, label, extend in (
        (images[0], axes[:, :2], "u", "both"),
        (images[2], axes[:, 2], "sd of u", "max"),
        (images[3], axes[:, 3:], "absolute error of u", "max"),
    ):
        figure.colorbar(image, ax=panels, location="bottom", label=label, extend=extend, aspect=30, shrink=0.9)
    return axes[0, 0]


def draw_slices(runs: Runs, fields: Fields) -> Axes:
    """Both networks at three times, the BNN with its 95 % band, against the truth; a row for each noise."""
    figure = _figure(runs, "the field at three times", (12, 1.1 + 2.5 * len(runs)))
    axes = figure.subplots(len(runs), 3, sharex=True, sharey=True, squeeze=False)
    for row, (noise, field) in zip(axes, fields.items(), strict=True):
        for number, ax in enumerate(row):
            cut, x = field.isel(slice=number), field["x"].values
            ax.fill_between(
                x, cut["slice_low"], cut["slice_high"], color=BNN, alpha=0.25, linewidth=0, label="95 % band of the BNN"
            )
            ax.plot(x, cut["slice_bnn"], color=BNN, label="BNN mean")
            ax.plot(x, cut["slice_dnn"], color=DNN, label="DNN")
            ax.plot(x, cut["slice_truth"], color=TRUTH, linestyle="--", label="truth")
            near = _nearest(field, float(cut["slice"]))
            ax.plot(
                field["reading_x"][near],
                field["reading_u"][near],
                "o",
                color="black",
                markerfacecolor="none",
                markersize=4,
                label="readings nearest in time",
            )
            ax.margins(x=0)
        row[0].set_ylabel(f"noise {noise:g}\nu")
    for ax, time in zip(axes[0], next(iter(fields.values()))["slice"].values, strict=True):
        ax.set_title(f"t = {time:g} s", fontsize="medium")
    truth = _limits([field["slice_truth"].values for field in fields.values()])
    margin = 0.35 * (truth[1] - truth[0])  # a band that is wider would hide everything else
    axes[0, 0].set_ylim(truth[0] - margin, truth[1] + margin)
    for ax in axes[-1]:
        ax.set_xlabel(PLACE)
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=5, frameon=False)
    return axes[0, 0]


def draw_learned(runs: Runs, fields: Fields) -> Axes:
    """Solutions of both discovered laws, each above its error; a column for each noise."""
    figure = _figure(runs, "solutions of the discovered laws and their errors", (1.8 + 3.4 * len(runs), 9.6))
    axes = figure.subplots(4, len(runs), sharex=True, sharey=True, squeeze=False)
    truth = _limits([field["truth"].values for field in fields.values()])
    learned = {m: [_known(field[f"learned_{m.lower()}"].values) for field in fields.values()] for m in METHODS}
    errors = {
        method: [np.abs(values - field["truth"].values) for values, field in zip(of, fields.values(), strict=True)]
        for method, of in learned.items()
    }
    worst = (0.0, _high([error for of in errors.values() for error in of]))
    for row, method in zip((0, 2), METHODS, strict=True):
        name = f"{NETWORK_OF[method]} + {method}"
        for values, below, limits, colours, what, label in (
            (learned[method], 0, truth, COLOURS, "solution", "u"),
            (errors[method], 1, worst, ERROR_COLOURS, "error", "absolute error of u"),
        ):
            panels = axes[row + below]
            image = None
            for ax, each, record, field in zip(panels, values, runs.values(), fields.values(), strict=True):
                image = _map(ax, field, each, limits, colours)
                _mark_failure(ax, each, record.laws[method].status, field)
                if not (below or record.laws[method].coefficients):
                    _say(ax, 0.5, "u_t = 0: every term was dropped")
            extend = "max" if below else "both"
            figure.colorbar(image, ax=panels, label=label, extend=extend, aspect=14)  # pyright: ignore[reportArgumentType]
            panels[0].set_ylabel(f"{name}: {what}\n{TIME}")
    for ax, noise in zip(axes[0], runs, strict=True):
        ax.set_title(f"noise {noise:g}", fontsize="medium")
    _tidy_labels(axes)
    return axes[0, 0]


FIGURES: dict[str, Callable[[Runs, Fields], Axes]] = {
    "truth": draw_truth,
    "fields": draw_fields,
    "slices": draw_slices,
    "learned": draw_learned,
}


def _figure(runs: Runs, what: str, size: tuple[float, float]) -> Figure:
    from matplotlib.figure import Figure

    record = next(iter(runs.values()))
    trial = f"{QUICK}\n" if record.numbers["scale"] == "quick" else ""
    figure = Figure(figsize=size, layout="constrained")
    lines = (f"{record.cell.experiment.title}: {what}", f"{SOURCES[record.cell.source]}, {_seeds(runs)}")
    fitting = [fill(line, int(LETTERS * size[0])) for line in lines]
    figure.suptitle(trial + "\n".join(fitting), fontsize="medium")
    return figure


def _seeds(runs: Runs) -> str:
    """Whose runs these are: noises may have begun from different seeds."""
    seeds = {noise: record.cell.seed for noise, record in runs.items()}
    if len(set(seeds.values())) == 1:
        return f"seed {next(iter(seeds.values()))}"
    return "seeds " + ", ".join(f"{seed} (noise {noise:g})" for noise, seed in seeds.items())


def _map(ax: Axes, field: xr.Dataset, values: np.ndarray, limits: tuple[float, float], colours: str) -> Any:
    """``values`` over place (across) and time (up)."""
    ax.set(xlabel=PLACE, ylabel=TIME)
    return ax.pcolormesh(
        field["x"],
        field["t"],
        np.ma.masked_invalid(values),
        vmin=limits[0],
        vmax=limits[1],
        cmap=colours,
        shading="nearest",
        rasterized=True,
    )


def _known(values: np.ndarray) -> np.ndarray:
    """Nothing of a solution of which only the initial state is known."""
    return values if np.isfinite(values[1]).all() else np.full_like(values, np.nan)


def _mark_failure(ax: Axes, values: np.ndarray, status: str, field: xr.Dataset) -> None:
    """The status, where a solution is not known to the end."""
    known = np.isfinite(values).all(axis=1)
    if known.all():
        return
    ax.set_facecolor("0.92")
    reached = int(np.argmin(known))
    text = status
    if reached:
        last = float(field["t"][reached - 1])
        ax.axhline(last, color="0.3", linestyle="--", linewidth=1)
        text = f"{status} after t = {last:.3g} s"
    _say(ax, min(0.5 * (1 + reached / values.shape[0]), 0.9), text)  # midway between what is known and the upper edge


def _say(ax: Axes, height: float, text: str) -> None:
    box = {"facecolor": "0.92", "edgecolor": "none", "alpha": 0.85}
    ax.text(0.5, height, text, transform=ax.transAxes, ha="center", va="center", color="0.2", bbox=box)


def _tidy_labels(axes: np.ndarray) -> None:
    """Names of axes along the edges of the figure only."""
    for ax in axes[:-1].ravel():
        ax.set_xlabel("")
    for ax in axes[:, 1:].ravel():
        ax.set_ylabel("")


def _nearest(field: xr.Dataset, time: float) -> np.ndarray:
    """Which readings were taken at the time nearest to ``time``."""
    times = field["reading_t"].values
    return np.isclose(times, times[np.abs(times - time).argmin()], atol=1e-6 * np.ptp(times))


def _limits(arrays: Iterable[np.ndarray]) -> tuple[float, float]:
    arrays = list(arrays)
    return min(float(np.nanmin(a)) for a in arrays), max(float(np.nanmax(a)) for a in arrays)


def _high(arrays: Iterable[np.ndarray]) -> float:
    """Nearly the largest, so that a few extremes do not make all else look alike; 1 if nothing is known."""
    known = [a[np.isfinite(a)] for a in arrays]
    together = np.concatenate(known) if known else np.array([])
    return float(np.quantile(together, 0.995)) or 1.0 if together.size else 1.0
