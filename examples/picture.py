"""The picture in the README: a discovered law, drawn from its run directory.

python examples/picture.py cloud.pdescry docs/law.png
"""

from __future__ import annotations

import sys

from matplotlib.figure import Figure

from pdescry import load, plot


def main(run: str, picture: str) -> None:
    law = load(run)
    figure = Figure(figsize=(11.5, 4.6), layout="constrained")
    field, slices, terms = figure.subplot_mosaic(
        [["field", "slices"], ["field", "terms"]], height_ratios=[2, 1]
    ).values()
    plot.field(law, ax=field).set_title("20 sensors (marks above), and the field between them", fontsize="medium")
    plot.slices(law, ax=slices).set_title("the field at three times, and what the sensors read", fontsize="medium")
    plot.coefficients(law, ax=terms).set_title("the terms, with their 95 % intervals", fontsize="medium")
    figure.suptitle(f"${law.equation.to_latex(digits=3)}$", fontsize="x-large")
    figure.savefig(picture, dpi=110)


if __name__ == "__main__":
    main(*sys.argv[1:])
