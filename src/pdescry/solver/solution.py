"""`Solution`: the result of `simulate`. The field at any time and place, and whether it can be trusted."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field as declare
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from pdescry.equation import Equation
from pdescry.equation.algebra import expand
from pdescry.equation.parser import parse_derivative
from pdescry.equation.term import Coordinate, Derivative, Factor, Function
from pdescry.errors import InputError, PdescryError
from pdescry.files import write_dataset
from pdescry.notices import Notice
from pdescry.solver.evaluate import evaluate_terms
from pdescry.solver.inputs import Inputs
from pdescry.solver.pieces import Pieces
from pdescry.solver.verdict import Status

if TYPE_CHECKING:
    import xarray as xr

Array = np.ndarray


@dataclass(frozen=True, repr=False)
class Solution:
    """The solution of an `Equation` from an initial state, with a verdict.

    Parameters
    ----------
    equation : Equation
        The law that was solved.
    extent : mapping of str to (float, float)
        The domain, by axis.
    boundary : str
        The boundary conditions in words.
    until : float
        The last time that was asked for.
    times : (T,) array
        Times of `dataset`.
    grids : mapping of str to (n,) array
        Coordinates of `dataset`, by axis.
    status : {"ok", "ill-posed", "blow-up", "unresolved", "sensitive", "limit", "wrong-boundary", "bad-initial"}
        Whether the fields can be used.
    message : Notice
        The status explained; prints as a sentence.
    reached : float
        The last time up to which the field was computed and verified; later values are NaN.
    error : float
        Estimated error, relative to the largest value of each field.
    points : int
        Points of the grid on which the law was solved, in all.
    steps : int
        Steps in time.
    seconds : float
        Time that it took.
    pieces : mapping of str to Pieces
        The fields between the times of the steps.
    inputs : Inputs
        The known inputs.

    Notes
    -----
    Look at ``status`` before using the fields, or call `require_ok`.
    """

    equation: Equation
    extent: Mapping[str, tuple[float, float]]  # of each axis, in the order of the axes
    boundary: str
    until: float
    times: Array  # as asked for
    grids: Mapping[str, Array]  # places of `dataset` along each axis
    status: Status
    message: Notice
    reached: float  # the last time up to which the field was computed and verified
    error: float  # estimated, relative to the largest value of each field; NaN where unknown
    points: int  # collocation points, in the plane those of both axes multiplied
    steps: int
    seconds: float
    pieces: Mapping[str, Pieces]
    inputs: Inputs = declare(default_factory=dict)

    @property
    def axes(self) -> tuple[str, ...]:
        return tuple(self.extent)

    @property
    def axis(self) -> str:
        """The axis of a law in one space dimension."""
        if len(self.axes) > 1:
            raise InputError(f"Expected a solution along one axis; this one has {', '.join(self.axes)}: use .axes.")
        return next(iter(self.extent))

    @property
    def domain(self) -> tuple[float, float]:
        """Where the axis of a law in one space dimension begins and ends; `extent` has it for each of several axes."""
        return self.extent[self.axis]

    @property
    def ok(self) -> bool:
        return self.status == "ok"

    def require_ok(self) -> Solution:
        """This solution, or a `PdescryError` with its message."""
        if not self.ok:
            raise PdescryError(
                f"The equation {self.equation} could not be solved ({self.status}). {self.message.marked}"
            )
        return self

    def __repr__(self) -> str:
        space = ", ".join(f"{axis} in [{low:g}, {high:g}]" for axis, (low, high) in self.extent.items())
        return f"<Solution of {self.equation} on {space}, t in [0, {self.until:g}]: {self.status}. {self.message}>"

    def at(self, t: Any, x: Any, y: Any = None, of: str | None = None) -> Array:
        """The field at any times and places of the domain, which broadcast.

        Parameters
        ----------
        t : array_like
            Times; those that the solution did not reach give NaN.
        x : array_like
            Places along the first axis.
        y : array_like, optional
            Places along the second axis, in the plane.
        of : str, optional
            A field, a space derivative such as ``"u_xx"``, or ``"u_t"``; a law of one field needs none.

        Returns
        -------
        array
            Of the shape to which t, x and y broadcast.

        Examples
        --------
        >>> solution.at(2.0, [-6, -2, 0.5])  # doctest: +SKIP
        >>> solution.at(t[:, None], x[None, :], of="u_x")  # doctest: +SKIP
        >>> solution.at(2.0, 0.5, 1.5)  # in the plane  # doctest: +SKIP
        """
        if isinstance(y, str):  # ``of`` without its name
            y, of = None, y
        places = (x,) if y is None else (x, y)
        derivative = self._derivative(of)
        if len(places) != len(self.axes):
            names = ", ".join(("t", *self.axes)) + ", of=…" * (len(self.equation.fields) > 1)
            raise InputError(
                f"Expected t and a place along {' and '.join(self.axes)}, as in solution.at({names}); got"
                f" {1 + len(places)} arguments."
            )
        try:
            t, *coordinates = np.broadcast_arrays(*(np.asarray(each, float) for each in (t, *places)))
        except (TypeError, ValueError):
            names, grid = " and ".join(("t", *self.axes)), "t[:, None], x[None, :]"
            if len(self.axes) > 1:
                grid = "t[:, None, None], x[:, None], y"
            raise InputError(
                f"Expected numbers {names} of one shape, or shapes that broadcast; for a grid write"
                f" solution.at({grid})."
            ) from None
        self._check_inside(t, "t", 0.0, self.until)
        for axis, x in zip(self.axes, coordinates, strict=True):
            self._check_inside(x, axis, *self.extent[axis])
        out = np.full(t.size, np.nan)
        moments = np.clip(t.ravel(), 0.0, self.until)
        clipped = [np.clip(x.ravel(), *ends) for x, ends in zip(coordinates, self.extent.values(), strict=True)]
        known = moments <= self.reached
        if self.pieces and known.any():
            out[known] = self._known(derivative, moments[known], [x[known] for x in clipped])
        return out.reshape(t.shape)

    def _derivative(self, of: str | None) -> Derivative:
        if of is None:
            if len(self.equation.components) != 1:
                raise InputError(f"Expected ⟦of=⟧ to name one of the fields {', '.join(self.equation.fields)}.")
            return Derivative(self.equation.components[0].field)
        derivative = parse_derivative(of, self.equation.fields, self.axes)
        if "t" in derivative.axes and (derivative.axes != "t" or self.equation[derivative.field].time_order != 1):
            raise InputError(f"Expected a field, a space derivative or the left side of its law; got {of!r}.")
        return derivative

    def _check_inside(self, values: Array, name: str, low: float, high: float) -> None:
        slack = 1e-9 * (high - low)
        if values.size and not (np.all(values >= low - slack) and np.all(values <= high + slack)):
            raise InputError(
                f"Expected {name} between {low:g} and {high:g}; got {np.min(values):g} to {np.max(values):g}."
            )

    def _known(self, derivative: Derivative, t: Array, places: list[Array]) -> Array:
        if derivative.axes == "t":
            # The law itself gives u_t to spectral accuracy; differentiating the cubic in time would not.
            right = expand(self.equation[derivative.field].coefficients)
            values: dict[Factor, Array] = {Coordinate(axis): x for axis, x in zip(self.axes, places, strict=True)}
            values[Coordinate("t")] = t
            values |= {Derivative(name): known.scattered(t, *places) for name, known in self.inputs.items()}
            for term in right:
                for factor, _ in term.factors:
                    wanted = Derivative(factor.field) if isinstance(factor, Function) else factor
                    if isinstance(wanted, Derivative) and wanted not in values:
                        values[wanted] = self._known(wanted, t, places)
            return evaluate_terms(right, values, t)
        return self.pieces[derivative.field].at(t, places, [derivative.axes.count(axis) for axis in self.axes])

    @cached_property
    def dataset(self) -> xr.Dataset:
        """All fields at ``times`` on an even grid, as an `xarray.Dataset`: dimensions (t, x), in the plane (t, x, y).

        Known inputs are coordinates beside these: along t, or along all.
        """
        import xarray as xr

        fields, dimensions = {}, ("t", *self.axes)
        known, grids = self.times <= self.reached, [self.grids[axis] for axis in self.axes]
        shape = [len(each) for each in grids]
        for name in self.equation.fields:
            values = np.full((len(self.times), *shape), np.nan)
            if self.pieces and known.any():
                values[known] = self.pieces[name].on_grid(self.times[known], *grids)
            fields[name] = (dimensions, values)
        attributes = {
            "equation": str(self.equation),
            "status": self.status,
            "message": str(self.message),
            "reached": self.reached,
            "estimated_relative_error": self.error,
            "boundary": self.boundary,
            "points": self.points,
            "steps": self.steps,
        }
        coordinates: dict[str, Any] = {"t": self.times, **self.grids}
        places = [x.ravel() for x in np.meshgrid(*grids, indexing="ij")]
        for name, known in self.inputs.items():
            values = np.array([known.at(float(t), *places) for t in self.times])
            coordinates[name] = (dimensions, values.reshape(-1, *shape)) if known.along_space else ("t", values[:, 0])
        return xr.Dataset(fields, coordinates, attributes)

    @property
    def field(self) -> xr.DataArray:
        """The field of a law of one field, as an `xarray.DataArray` (t, x) or (t, x, y)."""
        if len(self.equation.components) != 1:
            raise InputError(
                f"The system has the fields {', '.join(self.equation.fields)}; use solution['u'] or .dataset."
            )
        return self[self.equation.components[0].field]

    def __getitem__(self, name: str) -> xr.DataArray:
        if name not in self.equation.fields:
            raise KeyError(name)
        return self.dataset[name]

    def to_netcdf(self, path: str | os.PathLike[str]) -> None:
        """Write `dataset`, verdict included, as a NetCDF file that appears whole or not at all.

        Parameters
        ----------
        path : str or path
            The file, ending in ``.nc``.
        """
        write_dataset(path, self.dataset)
