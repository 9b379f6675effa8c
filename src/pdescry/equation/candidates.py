"""Libraries of candidate terms: the paper's, a general one, or the user's own list."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations_with_replacement

from pdescry.equation.term import ONE, Derivative, Term
from pdescry.errors import InputError

# Table 2 of the paper, in its order.
PAPER = ("u", "u_x", "u_xx", "u_xxx", "u_xxxx", "u*u_x", "u*u_xx", "u*u_xxx", "u*u_xxxx", "u^2", "u_x^2")
LIBRARIES = ("paper", "small", "general")


def candidates(
    source: str | Iterable[str | Term] = "general",
    *,
    fields: Iterable[str] = ("u",),
    axes: Iterable[str] = ("x",),
    max_order: int = 4,
    max_power: int = 3,
    max_derivatives: int = 2,
    constant: bool = True,
    time_order: int = 1,
) -> tuple[Term, ...]:
    """Candidate terms for the right side of a law.

    Parameters
    ----------
    source : {"general", "paper", "small"} or iterable of (str or Term)
        "paper": the paper's eleven terms in the order of its table 2. "small": a constant, the fields, their
        derivatives up to ``max_order``, and each of these times a field. "general": every product of at most
        ``max_power`` factors, of which at most ``max_derivatives`` are derivatives of at most ``max_order`` and the
        others are the fields themselves. Anything else is a list of your own terms.
    fields : iterable of str
        Names of the fields.
    axes : iterable of str
        Names of the space axes.
    max_order : int
        The highest derivative.
    max_power : int
        The most factors in a term.
    max_derivatives : int
        The most factors of a term that are derivatives.
    constant : bool
        Whether the constant ``1`` is a candidate.
    time_order : int
        2 for a law for u_tt, whose terms may contain u_t.

    Returns
    -------
    tuple of Term

    Examples
    --------
    >>> [str(term) for term in candidates(max_order=2, max_power=2, max_derivatives=1)]
    ['1', 'u', 'u_x', 'u_xx', 'u^2', 'u*u_x', 'u*u_xx']
    >>> len(candidates("small"))
    11
    >>> candidates(["u_xx", "u_x*u"])
    (Term('u_xx'), Term('u*u_x'))
    """
    fields = (fields,) if isinstance(fields, str) else tuple(fields)
    axes = (axes,) if isinstance(axes, str) else tuple(axes)
    for name in (*fields, *axes):
        Term.parse(name, fields, axes)  # an error if it cannot be a field or an axis
    if isinstance(source, str):
        if source == "general":
            return _general(fields, axes, max_order, max_power, max_derivatives, constant)
        if source == "small":
            return _general(fields, axes, max_order, 2, 1, constant)
        if source == "paper":
            if fields != ("u",) or axes != ("x",):
                raise InputError(
                    "The paper's candidates are for one field u and one axis x; use candidates('general')."
                )
            return tuple(Term.parse(text) for text in PAPER)
        raise InputError(
            f"Expected one of {', '.join(map(repr, LIBRARIES))} or a list of terms such as ['u_xx', 'u*u_x'];"
            f" got {source!r}."
        )
    if not isinstance(source, Iterable):
        raise InputError(f"Expected a list of terms such as ['u_xx', 'u*u_x']; got {source!r}.")
    own = [term if isinstance(term, Term) else Term.parse(term, fields, axes) for term in source]
    if not own:
        raise InputError("Expected at least one candidate term; got an empty list.")
    for term in own:
        if own.count(term) > 1:
            raise InputError(f"The candidate {term} is listed more than once; list it once.")
        if term.order("t") >= max(time_order, 1):
            raise InputError(f"The candidate {term} is a time derivative, which belongs on the left side; remove it.")
    return tuple(own)


def _general(
    fields: tuple[str, ...], axes: tuple[str, ...], max_order: int, max_power: int, max_derivatives: int, constant: bool
) -> tuple[Term, ...]:
    for name, value, least in (
        ("max_order", max_order, 0),
        ("max_power", max_power, 1),
        ("max_derivatives", max_derivatives, 0),
    ):
        if not isinstance(value, int) or value < least:
            raise InputError(f"{name} must be a whole number, {least} or more; got {value!r}.")
    plain = [Derivative(field) for field in fields]
    derived = [
        Derivative(field, "".join(sorted(along)))
        for field in fields
        for order in range(1, max_order + 1)
        for along in combinations_with_replacement(axes, order)
    ]
    found = {ONE} if constant else set()
    for n_derived in range(min(max_derivatives, max_power) + 1):
        for n_plain in range(max_power - n_derived + 1):
            for high in combinations_with_replacement(derived, n_derived):
                for low in combinations_with_replacement(plain, n_plain):
                    if high or low:
                        found.add(Term.of((factor, 1) for factor in (*high, *low)))
    return tuple(sorted(found, key=lambda term: term.key))
