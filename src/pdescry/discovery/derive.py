"""A quantity derived from coefficients, such as a Péclet number or a wave speed, with its uncertainty by draws.

``"u_x * L / u_xx where L = 0.5 m"``: names are terms of the law, each of which stands for its coefficient, those that
are more than a name in quotes (``'u*u_x'``, of several fields ``'v: u_xx'``), and constants of one's own after
``where``. A coefficient that varies along an axis is taken at a place: ``"sqrt(u_xx) where x = 0.3"``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdescry.discovery.coefficients import Coefficient
from pdescry.discovery.options import DISCOVERY
from pdescry.equation import Formula, Term
from pdescry.equation.syntax import Call, Name, Negative, Node, Number, Operation
from pdescry.equation.unit_text import Powers, powers_of, product, written
from pdescry.errors import EquationError, InputError
from pdescry.notices import Notice
from pdescry.solver.evaluate import evaluate_formula

LEVEL = 0.95
_WHERE = re.compile(r"\bwhere\b")
_QUOTED = re.compile(r"'([^'\n]*)'|\"([^\"\n]*)\"")
_NUMBER = r"[-+−]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_CONSTANT = re.compile(rf"([^\W\d]\w*)\s*=\s*({_NUMBER})(?:\s*(?:±|\+/?-)\s*({_NUMBER}))?(?:\s+|(?=[^\W\d]|[°%]))?(.*)")

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Derived:
    """A derived quantity, with its uncertainty.

    Parameters
    ----------
    formula : str
        As it was asked for.
    value : float
        Of the mean coefficients.
    sd : float
        Of the draws.
    low, high : float
        Bounds of the 95 % interval of the draws.
    unit : str
        Empty where it is not known, ``1`` for a pure number.
    draws : (n,) array of float
        NaN where a draw has no value.
    notes : tuple of str
        What to know about it.
    """

    formula: str
    value: float
    sd: float
    low: float
    high: float
    unit: str
    draws: Array
    notes: tuple[Notice, ...] = ()

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        """``10.06 ± 0.31 [9.47, 10.68] 1/m``"""
        value, sd, low, high = (_to_digits(each, self.sd) for each in (self.value, self.sd, self.low, self.high))
        unit = f" {self.unit}" if self.unit not in ("", "1") else ""
        return f"{value} ± {sd} [{low}, {high}]{unit}"

    def __repr__(self) -> str:
        return "\n".join([f"{self.formula} = {self}", *(f"  {note}" for note in self.notes)])


def _to_digits(number: float, sd: float) -> str:
    """With the digits that two digits of the sd have."""
    if not (math.isfinite(sd) and sd > 0):
        return f"{number:.4g}"
    decimals = 1 - math.floor(math.log10(float(f"{sd:.1e}")))
    return f"{number:.{decimals}f}" if 0 <= decimals <= 8 else f"{number:.4g}"


@dataclass(frozen=True)
class _Constant:
    """The part after ``where``; unit: None where it was not given."""

    value: float
    sd: float
    unit: str


def derive(
    text: str,
    coefficients: Sequence[Coefficient],
    draws: Array,
    axes: Sequence[str],
    units: Mapping[str, str],
    seed: int = 0,
) -> Derived:
    """draws: (n, k) of the coefficients. units: of the axes, in which a place is given."""
    if not isinstance(text, str) or not text.strip():
        raise InputError(f"Expected a formula such as 'u_x / u_xx'; got {text!r}.")
    head, *rest = _WHERE.split(text, maxsplit=1)
    constants = _constants(rest[0]) if rest else {}
    places = {name: each for name, each in constants.items() if name in axes}
    known = _at_place(coefficients, draws, places, axes)
    random = np.random.default_rng([seed, 19])
    for name, each in constants.items():
        if name in known:
            raise InputError(f"Expected another name than {name!r}, which is a term of the law; rename the constant.")
        drawn = each.value + each.sd * random.standard_normal(len(draws))
        unit = powers_of(each.unit) if each.unit else (powers_of(units[name]) if name in units else None)
        known[name] = _Known(each.value, drawn, unit)
    head = _QUOTED.sub(lambda found: _canonical(found, coefficients, axes), head.strip())
    try:
        formula = Formula.parse(head, known, quoted=True)
    except EquationError as fault:
        raise _explained(fault, coefficients, head) from None
    _refuse_many_valued(formula.tree, known)
    value = float(evaluate_formula(formula, {name: np.asarray(each.value) for name, each in known.items()}))
    if not math.isfinite(value):
        raise InputError(f"Expected a formula that has a value for this law; {head} has none: {value}.")
    drawn = np.array(evaluate_formula(formula, {name: each.draws for name, each in known.items()}))
    drawn = np.where(np.isfinite(drawn), drawn, np.nan)
    notes: list[Notice] = []
    unit = _unit(formula.tree, known, notes)
    defined = drawn[~np.isnan(drawn)]
    if len(defined) < len(drawn) / 2:
        raise InputError(f"Expected a formula that has a value for most draws of the law; {head} has none for most.")
    sd = float(defined.std(ddof=1))
    low, high = map(float, np.quantile(defined, [(1 - LEVEL) / 2, (1 + LEVEL) / 2]))
    if len(defined) < len(drawn):
        share = 1 - len(defined) / len(drawn)
        notes.append(Notice.of("draws-without-value", share=share))
    if sd > DISCOVERY.derived.heavy_tails * (high - low) / 4:
        notes.append(Notice.of("draws-far-out"))
    return Derived(text.strip(), value, sd, low, high, "" if unit is None else written(unit), drawn, tuple(notes))


# ---- what names stand for --------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Known:
    value: float
    draws: Array
    unit: Powers | None
    why_not: str = ""  # what is needed to know it


def _constants(text: str) -> dict[str, _Constant]:
    found: dict[str, _Constant] = {}
    for part in (each.strip() for each in text.split(",")):
        match = _CONSTANT.fullmatch(part)
        if match is None:
            raise InputError(f"Expected constants such as 'where L = 0.5 m, T = 20 ± 1 s'; got {part!r}.")
        name, value, sd, unit = match.groups()
        if name in found:
            raise InputError(f"Expected each constant once; got {name!r} twice; leave one of them out.")
        number, spread = (float((each or "0").replace("−", "-")) for each in (value, sd))
        found[name] = _Constant(number, abs(spread), unit.strip())
    return found


def _at_place(
    coefficients: Sequence[Coefficient], draws: Array, places: Mapping[str, _Constant], axes: Sequence[str]
) -> dict[str, _Known]:
    """Coefficients by their names, by their terms where only one law has such a term, and, of those that vary, by what
    they multiply: at the place that was given."""
    terms = [str(each.term) for each in coefficients]
    found: dict[str, _Known] = {}
    for column, each in zip(draws.T, coefficients, strict=True):
        known = _Known(each.mean, column, powers_of(each.unit) if each.unit else None)
        found[each.name] = known
        if terms.count(str(each.term)) == 1:
            found[str(each.term)] = known
        else:
            meant = " or ".join(repr(other.name) for other in coefficients if str(other.term) == str(each.term))
            found[str(each.term)] = _Known(math.nan, column, None, f"{meant}, in quotes")
    families: dict[tuple[str, Term], list[int]] = {}
    for k, each in enumerate(coefficients):
        families.setdefault((each.field, each.term.without_coordinates), []).append(k)
    for (_, base), members in families.items():
        if len(members) < 2 or not base.factors:
            continue
        first = coefficients[members[0]]
        prefix = first.name.removesuffix(str(first.term))
        along = sorted({axis for k in members for axis in coefficients[k].term.powers})
        missing = [axis for axis in along if axis not in places]
        if missing:
            example = ", ".join(f"{axis} = 0.3" for axis in missing)
            known = _Known(math.nan, draws[:, 0], None, f"a place, as the coefficient varies: 'where {example}'")
        else:
            at = [
                math.prod(places[axis].value ** power for axis, power in coefficients[k].term.powers.items())
                for k in members
            ]
            value = sum(coefficients[k].mean * weight for k, weight in zip(members, at, strict=True))
            constant = next((coefficients[k] for k in members if coefficients[k].term == base), None)
            unit = powers_of(constant.unit) if constant is not None and constant.unit else None
            known = _Known(value, draws[:, members] @ np.array(at), unit)
        found[f"{prefix}{base}"] = known
        if sum(other == base for _, other in families) == 1:
            found[str(base)] = known
    return found


def _canonical(found: re.Match[str], coefficients: Sequence[Coefficient], axes: Sequence[str]) -> str:
    """``'u_x*u'`` → ``'u*u_x'``, as the law has it."""
    text = (found[1] or found[2] or "").strip()
    field, colon, term = text.rpartition(":")
    fields = sorted({name for each in coefficients for name in each.term.fields})
    try:
        return f"'{field.strip()}{': ' if colon else ''}{Term.parse(term.strip(), tuple(fields), tuple(axes))}'"
    except EquationError:
        return f"'{text}'"


def _explained(fault: EquationError, coefficients: Sequence[Coefficient], text: str) -> InputError:
    names = ", ".join(each.name if re.fullmatch(r"\w+", each.name) else f"'{each.name}'" for each in coefficients)
    if fault.unknown:
        return InputError(
            f"Expected terms of this law ({names}), as written here, or constants after 'where'; got {fault.unknown!r} "
            f"in {text!r}; name a term, or give it as in 'where L = 0.5 m'."
        )
    return InputError(f"Expected a formula of terms such as 'u_x / u_xx'; got {text!r}: {fault.marked}")


def _refuse_many_valued(node: Node, known: Mapping[str, _Known]) -> None:
    for name in _names(node):
        if name in known and known[name].why_not:
            raise InputError(f"Expected of {name!r}: {known[name].why_not}.")


def _names(node: Node) -> list[str]:
    match node:
        case Name():
            return [node.text]
        case Call():
            return _names(node.argument)
        case Negative():
            return _names(node.operand)
        case Operation():
            return _names(node.left) + _names(node.right)
    return []


# ---- its unit --------------------------------------------------------------------------------------------------------


def _unit(node: Node, known: Mapping[str, _Known], notes: list[Notice]) -> Powers | None:
    """None where it is not known."""
    match node:
        case Number():
            return {}
        case Name():
            return known[node.text].unit if node.text in known else {}
        case Negative():
            return _unit(node.operand, known, notes)
        case Call():
            inner = _unit(node.argument, known, notes)
            if inner is None or node.name == "abs":
                return inner
            if node.name == "sqrt":
                return product([(inner, Fraction(1, 2))])
            if inner:
                notes.append(Notice.of("unit-matters", function=node.name, unit=written(inner)))
            return {}
        case Operation():
            return _unit_of_operation(node, known, notes)


def _unit_of_operation(node: Operation, known: Mapping[str, _Known], notes: list[Notice]) -> Powers | None:
    left, right = (_unit(side, known, notes) for side in (node.left, node.right))
    if node.operator == "^":
        exponent: Any = node.right
        sign = 1
        while isinstance(exponent, Negative):
            exponent, sign = exponent.operand, -sign
        if isinstance(exponent, Number) and left is not None:
            return product([(left, sign * Fraction(repr(exponent.value)))])
        return {} if left == {} else None
    if left is None or right is None:
        return None
    if node.operator in "*/":
        return product([(left, Fraction(1)), (right, Fraction(1 if node.operator == "*" else -1))])
    if left != right:
        notes.append(Notice.of("units-differ", first=written(left), second=written(right)))
        return None
    return left
