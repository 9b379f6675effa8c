"""`DesignMatrix`: candidate terms as columns, points as rows, the time derivative as the left side."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pdescry.derivatives import Derivatives
from pdescry.equation import Term
from pdescry.errors import InputError


@dataclass(frozen=True, eq=False, repr=False)
class DesignMatrix:
    """The regression y = X·c for one field: posterior means, their variances and, optionally, single draws.

    Parameters
    ----------
    terms : tuple of Term
        The T candidates, in the order of the columns.
    X : (N, T) array
        Posterior mean of each candidate at each point.
    y : (N,) array
        Posterior mean of the left side, ∂ᵏ(field)/∂tᵏ.
    variance : (N, T) array, optional
        Posterior variance of each entry of X.
    field : str
        The field of the law.
    time_order : int
        The order k of the left side.
    draws : (S, n, T) array, optional
        Values of single posterior draws at the points ``rows``.
    draws_left : (S, n) array, optional
        The same for the left side.
    rows : (n,) array of int, optional
        Rows of X.
    """

    terms: tuple[Term, ...]
    X: NDArray[np.float64]
    y: NDArray[np.float64]
    variance: NDArray[np.float64] | None = None
    field: str = "u"
    time_order: int = 1
    draws: NDArray[np.floating] | None = None
    draws_left: NDArray[np.floating] | None = None
    rows: NDArray[np.integer] | None = None

    def __post_init__(self) -> None:
        terms = tuple(self.terms)
        if not terms or not all(isinstance(term, Term) for term in terms):
            raise InputError(
                f"Expected candidate terms; got {self.terms!r}; pass candidates('paper') or your own list."
            )
        if len(set(terms)) < len(terms):
            twice = next(term for term in terms if terms.count(term) > 1)
            raise InputError(f"Expected each candidate once; got {twice} more than once; list it once.")
        if self.time_order not in (1, 2):
            raise InputError(f"Expected a time derivative of order 1 or 2; got {self.time_order!r}; pass 1 or 2.")
        n = np.shape(self.X)[0] if np.ndim(self.X) else 0
        self._put(terms=terms)
        self._array("X", (n, len(terms)))
        self._array("y", (n,))
        self._array("variance", (n, len(terms)), least=0.0)
        self._check_draws(n)

    def _check_draws(self, n: int) -> None:
        given = [part is not None for part in (self.draws, self.draws_left, self.rows)]
        if not any(given):
            return
        if self.draws is None or self.draws_left is None or self.rows is None:
            raise InputError("Expected draws, draws_left and rows together; got only some of them; pass all or none.")
        rows = np.asarray(self.rows)
        if rows.ndim != 1 or rows.dtype.kind not in "iu" or not ((rows >= 0) & (rows < n)).all():
            raise InputError(f"Expected rows to be places in X, from 0 to {n - 1}; got {self.rows!r}; count from 0.")
        self._put(rows=rows)
        shape = (np.shape(self.draws)[0] if np.ndim(self.draws) else 0, len(rows))
        # Single draws are many: they keep their precision.
        self._array("draws", (*shape, len(self.terms)), keep=True)
        self._array("draws_left", shape, keep=True)

    def _array(self, name: str, shape: tuple[int, ...], least: float = -np.inf, keep: bool = False) -> None:
        value = getattr(self, name)
        if value is None:
            return
        array = np.asarray(value)
        if array.dtype.kind not in "fiu":
            raise InputError(f"Expected {name} to contain real numbers; got {array.dtype}; convert it to float.")
        if array.shape != shape or 0 in shape:
            raise InputError(
                f"Expected {name} of shape {shape}, none of them 0; got {array.shape}; give one row for each point and"
                f" one column for each of the {len(self.terms)} terms."
            )
        bad = np.argwhere(~(np.isfinite(array) & (array >= least)))
        if len(bad):
            wanted = "finite numbers" if least == -np.inf else "finite numbers of 0 or more"
            raise InputError(
                f"Expected {wanted} in {name}; got {len(bad)} that are not (first: {array[tuple(bad[0])]} at"
                f" {tuple(map(int, bad[0]))}); leave out those rows."
            )
        self._put(**{name: array if keep and array.dtype.kind == "f" else array.astype(float)})

    def _put(self, **values: object) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @classmethod
    def of(cls, derivatives: Derivatives, field: str | None = None) -> DesignMatrix:
        """The regression for one field of a sweep of derivatives.

        Parameters
        ----------
        derivatives : Derivatives
            The result of `pdescry.differentiate`.
        field : str, optional
            May be omitted if there is only one.

        Returns
        -------
        DesignMatrix
        """
        fields = [left.field for left in derivatives.left]
        if field is None and len(fields) == 1:
            field = fields[0]
        if field not in fields:
            raise InputError(f"Expected one of the fields {', '.join(fields)}; got {field!r}; name one with field=….")
        place, n_terms = fields.index(field), len(derivatives.terms)
        draws = derivatives.draws
        return cls(
            derivatives.terms,
            derivatives.mean,
            derivatives.left_mean[:, place],
            derivatives.variance,
            field,
            len(derivatives.left[place].axes),
            None if draws is None else draws[..., :n_terms],
            None if draws is None else draws[..., n_terms + place],
            None if draws is None else derivatives.rows,
        )

    @property
    def left(self) -> str:
        """The left side as text, such as ``u_t``."""
        return f"{self.field}_{'t' * self.time_order}"

    def __repr__(self) -> str:
        n_draws = 0 if self.draws is None else len(self.draws)
        return f"DesignMatrix({self.left} from {len(self.terms)} terms at {len(self.y)} points, {n_draws} draws)"
