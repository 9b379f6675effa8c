"""Sums of terms: addition, products, powers, and the product rule that opens a conservative form.

Everything here is exact but for the rounding of coefficients, and returns new values.
"""

from __future__ import annotations

from pdescry.equation.term import ONE, Coordinate, Derivative, Factor, Flux, Function, Group, Sum, Term

MAX_TERMS = 2_000  # a product of sums may not grow beyond this
MAX_POWER = 32


class TooLargeError(Exception):
    """A sum outgrew MAX_TERMS or a power MAX_POWER; the parser turns it into an error with a position."""


def add(left: Sum, right: Sum, sign: float = 1.0) -> Sum:
    total = dict(left)
    for term, coefficient in right.items():
        total[term] = total.get(term, 0.0) + sign * coefficient
    return {term: coefficient for term, coefficient in total.items() if coefficient != 0}


def scale(terms: Sum, factor: float) -> Sum:
    return {term: factor * coefficient for term, coefficient in terms.items() if factor * coefficient != 0}


def multiply(left: Sum, right: Sum) -> Sum:
    if len(left) * len(right) > MAX_TERMS:
        raise TooLargeError(f"more than {MAX_TERMS} terms")
    product: Sum = {}
    for one, a in left.items():
        for other, b in right.items():
            term = one * other
            if any(power > MAX_POWER for _, power in term.factors):
                raise TooLargeError(f"a power above {MAX_POWER}")
            product[term] = product.get(term, 0.0) + a * b
    return {term: coefficient for term, coefficient in product.items() if coefficient != 0}


def raise_to(base: Sum, power: int) -> Sum:
    result: Sum = {ONE: 1.0}
    for _ in range(power):
        result = multiply(result, base)
    return result


def conservative(axes: str, inner: Sum) -> Sum:
    """∂(inner)/∂axes as fluxes, in canonical form: ``d_x(u)`` is ``u_x``, ``d_x(d_x(p))`` is ``d_xx(p)``."""
    total: Sum = {}
    for term, coefficient in inner.items():
        total = add(total, scale(_flux(axes, term), coefficient))
    return total


def _flux(axes: str, inner: Term) -> Sum:
    if not inner.fields:  # 1, x, x^2: nothing to conserve, so differentiate at once
        return differentiate({inner: 1.0}, axes)
    outside = [f for f in inner.factors if isinstance(f[0], Coordinate) and f[0].axis not in axes]
    if outside:  # constant along these axes
        inside = Term.of(f for f in inner.factors if f not in outside)
        return multiply({Term.of(outside): 1.0}, _flux(axes, inside))
    if len(inner.factors) == 1 and inner.factors[0][1] == 1:
        factor = inner.factors[0][0]
        if isinstance(factor, Derivative):
            return {Term.of([(Derivative(factor.field, _join(factor.axes, axes)), 1)]): 1.0}
        if isinstance(factor, Flux):
            return {Term.of([(Flux(_join(factor.axes, axes), factor.inner), 1)]): 1.0}
    return {Term.of([(Flux(_join(axes), inner), 1)]): 1.0}


def grouped(name: str, axes: str, inner: Sum) -> Sum:
    """A group of a sum, in canonical form: linear ones term by term; over one axis it is opened at once."""
    total: Sum = {}
    if name == "grad2" and len(inner) > 1:
        raise ValueError("the square of a sum's slope is not a sum of squares")
    for term, coefficient in inner.items():
        if len(axes) > 1 and term.fields:
            own: Sum = {Term.of([(Group(name, "".join(sorted(axes)), term), 1)]): 1.0}
        else:
            own = _opened(name, axes, {term: 1.0})
        total = add(total, scale(own, coefficient**2 if name == "grad2" else coefficient))
    return total


def _opened(name: str, axes: str, inner: Sum) -> Sum:
    total: Sum = {}
    for axis in axes:
        slope = differentiate(expand(inner), axis * 2 if name == "lap" else axis)
        total = add(total, raise_to(slope, 2) if name == "grad2" else slope)
    return total


def expand(terms: Sum) -> Sum:
    """The same sum without a `Flux` or a `Group`: ``d_x(u*u_x)`` becomes ``u_x^2 + u*u_xx``, ``lap(u)`` becomes
    ``u_xx + u_yy``."""
    total: Sum = {}
    for term, coefficient in terms.items():
        product: Sum = {ONE: coefficient}
        for factor, power in term.factors:
            if isinstance(factor, Flux):
                opened = differentiate(expand({factor.inner: 1.0}), factor.axes)
                product = multiply(product, raise_to(opened, power))
            elif isinstance(factor, Group):
                opened = _opened(factor.name, factor.axes, {factor.inner: 1.0})
                product = multiply(product, raise_to(opened, power))
            else:
                product = multiply(product, {_term(factor, power): 1.0})
        total = add(total, product)
    return total


def differentiate(terms: Sum, axes: str) -> Sum:
    """The derivative of a sum without fluxes along each of the axes in turn, by the product rule."""
    for axis in axes:
        total: Sum = {}
        for term, coefficient in terms.items():
            for factor, power in term.factors:
                rest = Term.of([*term.factors, (factor, -1)])
                inner = _derivative_of(factor, axis)
                total = add(total, scale(multiply({rest: 1.0}, inner), coefficient * power))
        terms = total
    return terms


def partial(terms: Sum, variable: Factor) -> Sum:
    """∂(terms)/∂variable, where every factor is a variable of its own and functions follow their field."""
    total: Sum = {}
    for term, coefficient in terms.items():
        for factor, power in term.factors:
            rest = Term.of([*term.factors, (factor, -1)])
            if factor == variable:
                total = add(total, {rest: coefficient * power})
            elif isinstance(factor, Function) and variable == Derivative(factor.field):
                total = add(total, scale(multiply({rest: 1.0}, _slope(factor)), coefficient * power))
    return total


def _derivative_of(factor: Factor, axis: str) -> Sum:
    if isinstance(factor, Coordinate):
        return {ONE: 1.0} if factor.axis == axis else {}
    if isinstance(factor, Derivative):
        return {_term(Derivative(factor.field, _join(factor.axes, axis))): 1.0}
    if isinstance(factor, Function):
        return multiply(_slope(factor), {_term(Derivative(factor.field, axis)): 1.0})
    raise TypeError("a flux or a group must be expanded before it is differentiated")


def _slope(function: Function) -> Sum:
    """d/du of sin(ku), cos(ku), exp(ku), tanh(ku)."""
    k = function.scale
    if function.name == "sin":
        return {_term(Function("cos", function.field, k)): k}
    if function.name == "cos":
        return {_term(Function("sin", function.field, k)): -k}
    if function.name == "exp":
        return {_term(function): k}
    return {ONE: k, _term(function, 2): -k}


def _term(factor: Factor, power: int = 1) -> Term:
    return Term.of([(factor, power)])


def _join(*axes: str) -> str:
    return "".join(sorted("".join(axes)))
