"""`Problem`: what is asked of the readings, validated once; a method only ever sees a valid one."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from pdescry.data import Readings
from pdescry.equation import Equation, Term
from pdescry.equation import candidates as listed
from pdescry.equation.algebra import expand
from pdescry.equation.equation import Component
from pdescry.errors import InputError
from pdescry.problem.candidate import Candidate, overlapping
from pdescry.problem.ends import Ends, ends_of
from pdescry.problem.experiments import check_alike
from pdescry.problem.known import Claim, Known
from pdescry.problem.library import terms_by_name

HIGHEST = 4  # derivative along an axis of space that splines of degree five have
HIGHEST_IN_PLANE = 2  # that splines of degree three have, which meshes in the plane are made of
MOST_AXES = 2  # of space
TIMES = 3  # fewest that determine a second derivative in time

TimeOrder = Literal["auto", 1, 2] | Mapping[str, int]
Candidates = str | Iterable[str | Term] | Mapping[str, Iterable[str | Term]]


@dataclass(frozen=True, eq=False)
class Problem:
    """fields: inferred, each with an equation ∂ᵏ/∂tᵏ = Σ c·T of its order k, as in ``orders``. inputs: known functions
    of time and place that terms may contain. candidates: of all equations. alternatives: the same with other orders in
    time, where these are to be inferred, too. varying: candidates T whose coefficients may vary along the axis, so that
    ``x*T``, ``x^2*T`` and ``x^3*T`` are candidates, too."""

    experiments: tuple[Readings, ...]
    fields: tuple[str, ...]
    inputs: tuple[str, ...]
    axes: tuple[str, ...]
    orders: tuple[int, ...]
    candidates: tuple[Candidate, ...]
    known: Known
    ends: tuple[Ends, ...]
    alternatives: tuple[Problem, ...] = ()
    varying: tuple[Candidate, ...] = ()

    @classmethod
    def of(
        cls,
        readings: Readings | Sequence[Readings],
        candidates: Candidates | None = None,
        *,
        time_order: TimeOrder = "auto",
        known: Sequence[str] = (),
        boundary: Sequence[str] = (),
        domain: tuple[float, float] | None = None,
    ) -> Problem:
        """candidates: a library by name ("general", "small", "paper"), a list of terms for every equation, or lists by
        the field whose equation they are for. time_order: 1 (u_t on the left), 2 (u_tt), by field, or "auto"."""
        experiments = (readings,) if isinstance(readings, Readings) else tuple(readings)
        if not experiments:
            raise InputError("Expected readings, or a list of them, one for each experiment; got an empty list.")
        check_alike(experiments)
        first = experiments[0]
        if len(first.axes) > MOST_AXES:
            raise InputError(
                f"Expected readings along one or two axes of space; got {len(first.axes)} ({', '.join(first.axes)}); "
                "even a mesh of 8 × 8 × 8 × 8 elements has 14,641 unknowns and takes about 20 s and 0.5 GB for each of "
                "hundreds of factorisations; pass readings of a plane, or method= with a regression such as "
                "SequentialRidge(0.1)."
            )
        ends = ends_of(boundary, domain, experiments)
        every = [
            cls._with_orders(experiments, orders, candidates, known, tuple(ends))
            for orders in _orders(time_order, first.fields, candidates)
        ]
        for each in every:
            if max(each.orders) > 1 and any(len(some.times) < TIMES for some in experiments):
                raise InputError(
                    f"Expected readings at {TIMES} or more times for a law of second order in time; got "
                    f"{min(len(some.times) for some in experiments)}; pass ⟦time_order=1⟧, or read more often."
                )
        return replace(every[0], alternatives=tuple(every[1:]))

    @classmethod
    def _with_orders(
        cls,
        experiments: tuple[Readings, ...],
        orders: Mapping[str, int],
        candidates: Candidates | None,
        known: Sequence[str],
        ends: tuple[Ends, ...],
    ) -> Problem:
        first = experiments[0]
        inputs = tuple(each.name for each in first.inputs)
        places = len(np.unique(np.concatenate([each.space for each in experiments]), axis=0))
        found = tuple(
            Candidate(field, term)
            for field in first.fields
            for term in _terms(candidates, field, first, orders, inputs, places)
        )
        names = (first.fields, inputs, first.axes)
        return cls(experiments, *names, tuple(orders.values()), found, Known.of(known, found, *names), ends)

    # ---- names -----------------------------------------------------------------------------------------------------

    @property
    def names(self) -> tuple[str, ...]:
        """Everything that terms may contain beside coordinates."""
        return *self.fields, *self.inputs

    @property
    def time_name(self) -> str:
        return self.experiments[0].time_name

    @property
    def n_readings(self) -> int:
        return sum(len(each) for each in self.experiments)

    def left(self, field: str) -> str:
        """``u_t`` or ``u_tt``."""
        return f"{field}_{'t' * self.orders[self.fields.index(field)]}"

    def of_field(self, field: str) -> tuple[Candidate, ...]:
        return tuple(each for each in self.candidates if each.field == field)

    def term(self, text: str) -> Term:
        return Term.parse(text, self.names, self.axes)

    # ---- laws ------------------------------------------------------------------------------------------------------

    def equation(self, law: Mapping[Candidate, float]) -> Equation:
        """The law with these coefficients."""
        parts = [
            Component.of(field, {each.term: float(c) for each, c in law.items() if each.field == field}, order)
            for field, order in zip(self.fields, self.orders, strict=True)
        ]
        return Equation.of(parts, inputs=self.inputs)

    def law_of(self, law: Equation | str | Iterable[str | Term]) -> tuple[Problem, tuple[Candidate, ...]]:
        """The terms of a law that is given as an equation or, for one field, as a list of terms; and the problem with
        the orders in time that it has."""
        if isinstance(law, str) and "=" in law:
            law = Equation.parse(law, self.axes, inputs=self.inputs)
        if isinstance(law, Equation):
            if law.fields != tuple(sorted(self.fields)):
                raise InputError(
                    f"Expected a law for each of {', '.join(self.fields)}, which were read; got {law}; give one "
                    "equation for each."
                )
            orders = {field: law[field].time_order for field in self.fields}
            terms: Candidates = {field: [str(term) for term in law[field].coefficients] for field in self.fields}
        else:
            orders, terms = dict(zip(self.fields, self.orders, strict=True)), list(law)
        problem = self._with_orders(self.experiments, orders, terms, (), self.ends)
        return problem, problem.candidates

    def without(self, fields: Iterable[str]) -> Problem:
        """For the other fields alone: no term contains these."""
        left = tuple(field for field in self.fields if field not in set(fields))
        gone = set(fields)
        kept = tuple(each for each in self.candidates if each.field in left and not each.term.fields & gone)
        orders = tuple(order for field, order in zip(self.fields, self.orders, strict=True) if field in left)
        ends = tuple(each.of_fields(left) for each in self.ends)
        experiments = tuple(each.of_fields(left) for each in self.experiments)
        known = self.known.among(kept)
        others = tuple(each.without(fields) for each in self.alternatives)
        varying = tuple(each for each in self.varying if each in kept)
        return Problem(experiments, left, self.inputs, self.axes, orders, kept, known, ends, others, varying)

    # ---- coefficients that vary --------------------------------------------------------------------------------------

    def with_varying(self, terms: Iterable[Candidate]) -> Problem:
        """The same where coefficients of these candidates may vary along the axis, as polynomials of it."""
        (axis,) = self.axes
        new = tuple(dict.fromkeys(each for each in terms if each not in self.varying))
        powers = [power for each in new for power in each.powers(axis) if power not in self.candidates]
        known = replace(self.known, candidates=(*self.known.candidates, *powers))
        return replace(self, candidates=(*self.candidates, *powers), known=known, varying=(*self.varying, *new))

    def with_powers_in(self, laws: Iterable[Iterable[Candidate]]) -> Problem:
        """The same with all terms of these laws times powers of the coordinate."""
        new = [each for law in laws for each in law if each not in self.candidates]
        return self.with_varying(Candidate(each.field, each.term.without_coordinates) for each in new)

    @property
    def powers(self) -> tuple[Candidate, ...]:
        """``x*T``, ``x^2*T``, ``x^3*T`` of candidates whose coefficients may vary."""
        return tuple(power for each in self.varying for power in each.powers(self.axes[0]))

    def is_whole(self, law: Iterable[Candidate]) -> bool:
        """Whether coefficients that vary are whole polynomials: one without its lower powers would depend on where the
        origin of the axis lies. And whether no group appears beside a term that it contains."""
        law = set(law)
        return not overlapping(tuple(law)).any() and all(
            (family[k - 1] in law) >= (family[k] in law)
            for each in self.varying
            for family in [(each, *each.powers(self.axes[0]))]
            for k in range(1, len(family))
        )

    def named(self, vary: Iterable[str]) -> tuple[Candidate, ...]:
        """Candidates whose coefficients may vary, from texts such as ``"u_xx"`` or ``"v: u_xx"``."""
        found = []
        for text in vary:
            equation, _, name = text.rpartition(":")
            term = self.term(name.strip())
            fields = [equation.strip()] if equation else [each for each in self.fields if each in term.fields]
            each = Candidate(fields[0], term) if len(fields) == 1 else None
            if each is None and len(self.fields) == 1:
                each = Candidate(self.fields[0], term)
            if each is None or each not in self.candidates or term.coordinates:
                raise InputError(
                    f"Expected terms to vary among the candidates, without coordinates; got {text!r}; name one such as "
                    "'u_xx', of several fields with its equation ('v: u_xx'), 'all' or 'none'."
                )
            if each in self.known.values:
                raise InputError(
                    f"Expected the coefficient of {name.strip()!r} either known or to vary; got both; leave one out."
                )
            found.append(each)
        return tuple(dict.fromkeys(found))

    def released(self, claims: Collection[Claim]) -> Problem:
        """As if the user had not said this of terms."""
        known = self.known.released(claims, self.candidates)
        return replace(self, known=known, alternatives=tuple(each.released(claims) for each in self.alternatives))


def _orders(time_order: TimeOrder, fields: tuple[str, ...], given: Candidates | None) -> list[dict[str, int]]:
    """Orders in time of each equation: one choice, or the ones to compare."""
    if isinstance(time_order, Mapping):
        if unknown := [name for name in time_order if name not in fields]:
            raise InputError(
                f"Expected time_order for fields that were read ({', '.join(fields)}); got {unknown[0]!r}; leave it "
                "out."
            )
        chosen = {field: time_order.get(field, 1) for field in fields}
    elif time_order == "auto":
        both = [dict.fromkeys(fields, order) for order in (1, 2)]
        return both[:1] if given == "paper" else both
    else:
        chosen = dict.fromkeys(fields, time_order)
    for field, order in chosen.items():
        if order not in (1, 2):
            raise InputError(f"Expected the time order of {field} to be 1, 2 or 'auto'; got {order!r}.")
    return [chosen]


def _terms(
    given: Candidates | None,
    field: str,
    readings: Readings,
    orders: Mapping[str, int],
    inputs: tuple[str, ...],
    places: int,
) -> tuple[Term, ...]:
    """The candidates of one equation. places: of the sensors of all experiments."""
    given = "general" if given is None else given
    if isinstance(given, Mapping):
        if unknown := [name for name in given if name not in readings.fields]:
            raise InputError(
                f"Expected candidates for the equations of {', '.join(readings.fields)}; got some for {unknown[0]!r}; "
                "name a field that was read."
            )
        given = given.get(field, ())
        if not isinstance(given, str):
            given = list(given)
            if not given:
                return ()
    if isinstance(given, str):
        return terms_by_name(given, readings.fields, readings.axes, orders, inputs, places)
    # By their text, so that fields and axes of another law are refused, too.
    names = (*readings.fields, *inputs)
    terms = listed([str(term) for term in given], fields=names, axes=readings.axes, time_order=2)
    for term in terms:
        if late := [name for name in term.fields & set(orders) if term.order("t", name) >= orders[name]]:
            if max(orders.values()) == 1:
                continue
            left = f"{late[0]}_{'t' * orders[late[0]]}"
            raise InputError(f"Expected time derivatives below {left} among the candidates; got {term}; leave it out.")
        if known := [name for name in inputs if term.order(None, name)]:
            raise InputError(
                f"Expected the input {known[0]} itself among the candidates; got {term}; derivatives of an input are "
                "not known."
            )
    kept = tuple(
        term for term in terms if all(term.order("t", name) < orders[name] for name in term.fields & set(orders))
    )
    highest = max(
        (part.order(axis) for term in kept for part in expand({term: 1.0}) for axis in readings.axes), default=0
    )
    most, where = (HIGHEST, "") if len(readings.axes) == 1 else (HIGHEST_IN_PLANE, " along an axis of the plane")
    if highest > most:
        raise InputError(
            f"Expected derivatives of at most order {most}{where}; got one of order {highest}; leave that term out."
        )
    if not kept:
        raise InputError(
            f"Expected a candidate for {field} without time derivatives; got none; add one, or pass ⟦time_order=2⟧."
        )
    return kept
