"""`Derivatives`: the candidate terms and the left sides of a law at points, averaged over the draws of the field."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from pdescry.equation import Term, candidates
from pdescry.equation.term import Derivative
from pdescry.errors import InputError
from pdescry.files import check_target, saved_dataset, write_dataset

FORMAT = "pdescry derivatives 1"
Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Derivatives:
    """T terms and F left sides at N points, in physical units, over all draws.

    Parameters
    ----------
    terms : tuple of Term
        The T candidates.
    left : tuple of Derivative
        The F left sides.
    inputs : tuple of str
        Names of the columns of ``points``: t, x, ….
    points : (N, 1 + d) array
        The points.
    mean, variance : (N, T) array
        Products are formed draw by draw and then averaged: the mean of u·u_x, not the product of the means.
    left_mean, left_variance : (N, F) array
        The same for the left sides.
    n_draws : int
        Number of draws.
    covariance : (N, T + F, T + F) array, optional
        Covariance of terms and left sides at one point.
    draws : (S, n, T + F) array, optional
        Values of single draws at the points ``rows``; terms first, then left sides.
    rows : (n,) array of int, optional
        Points at which single draws were kept.
    """

    terms: tuple[Term, ...]
    left: tuple[Derivative, ...]
    inputs: tuple[str, ...]
    points: Array
    mean: Array
    variance: Array
    left_mean: Array
    left_variance: Array
    n_draws: int
    covariance: Array | None = None
    draws: Array | None = None
    rows: NDArray[np.intp] | None = None

    def __repr__(self) -> str:
        lefts = ", ".join(map(_spell, self.left))
        kept = "" if self.draws is None else f"; {self.draws.shape[0]} draws kept at {self.draws.shape[1]} points"
        return (
            f"Derivatives: {len(self.terms)} terms and {lefts} at {len(self.points)} points, "
            f"averaged over {self.n_draws} draws{kept}\n  {', '.join(map(str, self.terms))}"
        )

    def to_xarray(self) -> xr.Dataset:
        """mean and variance (point, term) by the names of terms and left sides, points (point, input), and the rest."""
        names = [str(term) for term in self.terms] + [_spell(left) for left in self.left]
        variables: dict[str, Any] = {
            "mean": (("point", "term"), np.column_stack([self.mean, self.left_mean])),
            "variance": (("point", "term"), np.column_stack([self.variance, self.left_variance])),
        }
        if self.covariance is not None:
            variables["covariance"] = (("point", "term", "other_term"), self.covariance)
        if self.draws is not None and self.rows is not None:
            variables["draws"] = (("draw", "kept_point", "term"), self.draws)
            variables["rows"] = ("kept_point", self.rows.astype(np.int64))
        variables["points"] = (("point", "input"), self.points)
        return xr.Dataset(variables, {"term": names, "input": list(self.inputs)}, {"n_draws": self.n_draws})

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file that :meth:`load` reads; no pickle.

        Parameters
        ----------
        path : str or path
            A NetCDF file (``.nc``).
        """
        path = Path(path)
        check_target(path, (".nc",))
        about = {"format": FORMAT, "left": json.dumps([(left.field, left.axes) for left in self.left])}
        write_dataset(path, self.to_xarray().assign_attrs(about))

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Derivatives:
        """The derivatives that :meth:`save` wrote.

        Parameters
        ----------
        path : str or path
            The file.

        Returns
        -------
        Derivatives
        """
        return _from_dataset(saved_dataset(Path(path), FORMAT, "derivatives"))

    def select(self, terms: Sequence[Term | str]) -> Derivatives:
        """The same with some of the terms, in the given order.

        Parameters
        ----------
        terms : sequence of Term or str
            The terms to keep.

        Returns
        -------
        Derivatives
        """
        fields = tuple(left.field for left in self.left)
        wanted = candidates(
            [terms] if isinstance(terms, str) else terms,
            fields=fields,
            axes=self.inputs[1:],
            time_order=len(self.left[0].axes),
        )
        if unknown := [term for term in wanted if term not in self.terms]:
            raise InputError(f"Expected terms among {', '.join(map(str, self.terms))}; got {unknown[0]}.")
        columns = np.array([self.terms.index(term) for term in wanted], int)
        both = np.concatenate([columns, len(self.terms) + np.arange(len(self.left))])
        return replace(
            self,
            terms=wanted,
            mean=self.mean[:, columns],
            variance=self.variance[:, columns],
            covariance=None if self.covariance is None else self.covariance[:, both][:, :, both],
            draws=None if self.draws is None else self.draws[:, :, both],
        )


def _from_dataset(dataset: xr.Dataset) -> Derivatives:
    def array(name: str) -> Any:
        return np.array(dataset[name].values, order="C") if name in dataset else None

    left = tuple(Derivative(field, axes) for field, axes in json.loads(dataset.attrs["left"]))
    inputs = tuple(str(name) for name in dataset["input"].values)
    fields = tuple(part.field for part in left)
    names = [str(name) for name in dataset["term"].values[: -len(left)]]
    mean, variance, rows = array("mean"), array("variance"), array("rows")
    return Derivatives(
        tuple(Term.parse(name, fields, inputs[1:]) for name in names),
        left,
        inputs,
        array("points"),
        mean[:, : len(names)],
        variance[:, : len(names)],
        mean[:, len(names) :],
        variance[:, len(names) :],
        int(dataset.attrs["n_draws"]),
        array("covariance"),
        array("draws"),
        None if rows is None else rows.astype(np.intp),
    )


def _spell(left: Derivative) -> str:
    return f"{left.field}_{left.axes}"
