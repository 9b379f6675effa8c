"""Which of the paper's claims hold in our runs, and on which seeds."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pdescry.experiments.paper import EXPERIMENTS, NOISES, Experiment
from pdescry.experiments.records import SOURCES, Record, true_coefficients
from pdescry.experiments.tables import NOTHING, counted

# Runs by system and noise, one for each seed.
Cells = Mapping[tuple[str, float], Sequence[Record]]

CLAIMS_TEXT = """\
A claim about a cell holds on every seed, on some, or on none; where on some, a single run, as published, could have
shown either. STOLS is done right here, without the indexing bug of table 9.
A law that cannot be solved forward to the end is
farther from the true solution than any that can; where neither can, the claim does not hold.
"""


@dataclass(frozen=True)
class Claim:
    """What the paper says of its cells: whether it holds in a run of ours, and in the published numbers."""

    text: str
    ours: Callable[[Record], bool]
    published: Callable[[Experiment, float], bool] | None = None  # None: shown in figures, without numbers
    system: str | None = None  # None: said of all


def _distance(run: Record, method: str) -> float:
    """From the true solution. A law that cannot be solved to the end is infinitely far from it."""
    per_point = run.laws[method].e_L_per_point
    return math.inf if per_point is None else per_point


CLAIMS = (
    Claim(
        "BNN + STBLR comes nearer to the true coefficients than DNN + STOLS (e_C)",
        lambda run: run.laws["STBLR"].e_C < run.laws["STOLS"].e_C,
        lambda experiment, noise: experiment.stblr[noise].e_C < experiment.stols[noise].e_C,
    ),
    Claim(
        "Its law, solved forward, comes nearer to the true solution (e_L)",
        lambda run: _distance(run, "STBLR") < _distance(run, "STOLS"),
        lambda experiment, noise: experiment.stblr[noise].e_L < experiment.stols[noise].e_L,
    ),
    Claim(
        "It has exactly the true terms",
        lambda run: run.laws["STBLR"].right,
        lambda experiment, noise: (
            experiment.stblr[noise].coefficients.keys() == true_coefficients(experiment.system).keys()
        ),
    ),
    Claim(
        "STOLS does not find heat's u_xx",
        lambda run: "u_xx" not in run.laws["STOLS"].coefficients,
        lambda experiment, noise: "u_xx" not in experiment.stols[noise].coefficients,
        system="heat",
    ),
    Claim(
        "The DNN's field is nearer to the true one than the BNN's (RMSE)",
        lambda run: run.numbers["field"]["DNN"]["rmse"] < run.numbers["field"]["BNN"]["rmse"],
        lambda experiment, noise: experiment.rmse[noise][1] < experiment.rmse[noise][0],
    ),
    Claim(
        "The BNN's 95 % bands mean something: they contain the true field at 90 % of the points or more",
        lambda run: run.numbers["field"]["BNN"]["coverage"] >= 0.9,
    ),
)


def claims_table(sources: Mapping[str, Cells]) -> str:
    """One row a claim: in how many of the published cells, and in how many of ours on every, some and no seed."""
    header = ("claim", "published", *(SOURCES[source] for source in sources))
    lines = [header, ("---",) * len(header)]
    for claim in CLAIMS:
        outcomes = [
            claim.published(experiment, noise)
            for experiment in EXPERIMENTS.values()
            for noise in NOISES
            if claim.published and claim.system in (None, experiment.system)
        ]
        published = f"{sum(outcomes)} of {len(outcomes)} cells" if outcomes else "in figures"
        lines.append((claim.text, published, *(_seeds_that_agree(claim, cells) for cells in sources.values())))
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def _seeds_that_agree(claim: Claim, cells: Cells) -> str:
    shares = [
        sum(map(claim.ours, runs)) / len(runs) for (name, _), runs in cells.items() if claim.system in (None, name)
    ]
    if not shares:
        return NOTHING
    every, none = shares.count(1), shares.count(0)
    some = len(shares) - every - none
    return f"{counted(len(shares), 'cell')}: {every} on every seed, {some} on some, {none} on none"
