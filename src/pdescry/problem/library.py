"""The candidates of an equation where the user names none, or names a library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations_with_replacement

from pdescry.equation import Term
from pdescry.equation import candidates as library
from pdescry.equation.term import ONE, Derivative
from pdescry.errors import InputError
from pdescry.problem.options import PROBLEM


def terms_by_name(
    name: str,
    fields: Sequence[str],
    axes: Sequence[str],
    orders: Mapping[str, int],
    inputs: Sequence[str],
    places: int | None = None,
) -> tuple[Term, ...]:
    """A library by its name, for fields of these orders in time; with inputs, and these times each field. places:
    the positions of sensors; the general library leaves out terms that too few of them cannot distinguish."""
    if len(axes) > 1:
        found = set(_in_the_plane(name, fields, axes))
    elif len(fields) > 1 and name == "general":
        found = set(_coupled(fields, axes))
    else:
        found = set(library(name, fields=tuple(fields), axes=tuple(axes)))
    if name == "general" and places is not None:
        most = max(PROBLEM.library.always, places // PROBLEM.library.sensors_per_factor)
        highest = max(2, places // PROBLEM.library.sensors_per_derivative)
        found = {term for term in found if term.degree + term.order() <= most and term.order() <= highest}
    for field, order in orders.items():
        if order > 1 and name != "paper":
            found.add(Term.of([(Derivative(field, "t"), 1)]))  # damping
            if len(axes) > 1:
                found.add(Term.parse(f"lap({field}_t)", fields, axes))
                continue
            found.update(Term.of([(Derivative(field, "".join(sorted("t" + axis * 2))), 1)]) for axis in axes)
    for each in inputs:
        known = (Derivative(each), 1)
        found.add(Term.of([known]))
        found.update(Term.of([known, (Derivative(field), 1)]) for field in fields)
    if name == "paper":
        return library(name, fields=tuple(fields), axes=tuple(axes)) + tuple(
            sorted(found - set(library(name)), key=lambda term: term.key)
        )
    return tuple(sorted(found, key=lambda term: term.key))


# In the plane, of one field u along axes x and y, of each field, and of each pair of fields u and v; what is the same
# in all directions is one term. Of each pair of axes x and y, too.
PLANE_SMALL = ("1", "{u}", "{u}^2", "{u}_{x}", "{u}_{x}{x}", "lap({u})", "{u}*{u}_{x}", "{u}*lap({u})")
PLANE_ALONE = (
    "{u}^3",
    "{u}*div({u})",
    "{u}*{u}_{x}{x}",
    "{u}^2*{u}_{x}",
    "{u}_{x}{y}",
    "{u}_{x}*{u}_{y}",
    "grad2({u})",
)
PLANE_COUPLED = ("{u}*{v}", "{u}^2*{v}", "{u}*{v}^2", "{u}^3", "{u}*{v}_{x}", "{u}*lap({v})", "grad2({u})")


def _in_the_plane(name: str, fields: Sequence[str], axes: Sequence[str]) -> list[Term]:
    """Some thirty: derivatives up to second order, products with the field, reactions up to cubic ones, and groups."""
    if name not in ("general", "small"):
        raise InputError(
            f"Expected candidates in the plane as 'general', 'small' or a list of terms such as ['lap(u)', 'u*u_x']; "
            f"got {name!r}."
        )
    texts = PLANE_SMALL
    if name == "general":
        texts += PLANE_ALONE if len(fields) == 1 else PLANE_COUPLED
    return list(
        dict.fromkeys(
            Term.parse(text.format(u=u, v=v, x=x, y=y), fields, axes)
            for text in texts
            for u in fields
            for v in fields
            for x in axes
            for y in axes
        )
    )


def _coupled(fields: Sequence[str], axes: Sequence[str]) -> list[Term]:
    """Of several fields: derivatives of each, products of two factors across fields, cubic products of fields, and
    products of two fields and a low derivative."""

    def derivatives(lowest: int, highest: int) -> list[Derivative]:
        return [
            Derivative(field, "".join(sorted(along)))
            for order in range(lowest, highest + 1)
            for field in fields
            for along in combinations_with_replacement(axes, order)
        ]

    plain, many = derivatives(0, 0), len(fields) >= PROBLEM.library.many_fields
    low, high = derivatives(1, PROBLEM.library.highest_in_products), derivatives(1, PROBLEM.library.highest_alone)
    products: list[tuple[Derivative, ...]] = [(each,) for each in plain + high]
    products += combinations_with_replacement(plain, 2)
    products += [(field, each) for field in plain for each in (low if many else high)]
    products += combinations_with_replacement(derivatives(1, 1) if many else low, 2)
    products += combinations_with_replacement(plain, 3)
    if not many:
        products += [(*pair, each) for pair in combinations_with_replacement(plain, 2) for each in low]
    return [ONE, *(Term.of((factor, 1) for factor in factors) for factors in products)]
