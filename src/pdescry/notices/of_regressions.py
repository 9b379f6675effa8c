"""Of sparse regressions on derivatives of a field."""

from __future__ import annotations

_FORMAL = "The spread is the formal one, which counts correlated points as independent; "

TEMPLATES = {
    # columns and weights
    "left-side-zero": "The left side is zero throughout: no term is needed.",
    "column-zero": "{term} is zero throughout and cannot be distinguished from zero; it is left out.",
    "few-rows": "There are fewer rows ({rows}) than columns ({columns}): many laws fit them exactly.",
    "column-combined": "{term} is a combination of {others:comma}: their coefficients cannot be distinguished.",
    "variances-zero": "All variances are zero: rows count alike.",
    "rows-without-variance": "{rows} rows have no variance at all (γ = 0); they count like the surest of the others.",
    "column-without-variance": "The variance of {term} is zero throughout; it has no say in the weights.",
    "variance-dominates": "The variance of {term} makes up {share:.0%} of γ: it weights the rows alone.",
    "few-rows-weighted": "The weights leave about {effective:.0f} of {rows} rows for {columns} columns.",
    "near-tolerance": "The coefficients ({largest:.1g} at most) are near the tolerance of BayesianRidge, "
    "{tolerance:g}; measure in units that make them of order one.",
    "while-fitting": "While fitting: {warning}.",
    # the law
    "variance-exceeds-term": "The variance exceeds the mean square of {terms:comma}: the readings hardly determine "
    "that.",
    "formal-collinear": _FORMAL + "the coefficients cannot be distinguished: leave some of these candidates out.",
    "formal-without-draws": _FORMAL + "single draws were not kept: pass keep_points=500 to differentiate.",
    "formal-of-one-draw": _FORMAL + "there is only one draw of the field.",
    "formal-of-few-rows": _FORMAL + "the draws have too few rows for so many terms: keep them at more points "
    "(keep_points).",
    "spread-of-few-draws": "The spread is of {draws} draws only; it is itself uncertain.",
    "noise-biases": "Noise in the terms biases the coefficients of {terms:comma} by more than the draws spread: rely "
    "on the interval, not on the digits.",
    "few-readings": "{readings} readings are few for {candidates} candidates.",
    "name-fewer-candidates": "Name fewer candidates: those that the physics allows.",
    "no-candidate-left": "No candidate is left for {left}: none is distinct from the others.",
    "try-lower-threshold": "Try a lower threshold, or other candidates: the draws of the field are kept when a run is "
    "overwritten.",
    "found-by-regression": "The law was found by {method} on derivatives of the field, not together with the field: "
    "{obstacle}.",
    # the next sensor
    "judged-roughly": "The law was found by a regression: this is judged by {draws} draws of the field with a "
    "regression on each, and is rough.",
    "judged-without-draws": "How the coefficients depend on the field is not known, for no regression on single draws "
    "was kept (derivatives.keep_points=500 keeps it): these are the places where the field is most uncertain.",
}
