"""`Way`: how the law is found, once the readings are known: what "auto" stands for."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields, replace

from pdescry.data import Readings
from pdescry.discovery.settings import AUTO_METHODS, LONG, LONG_CHAINS, Settings
from pdescry.equation import Term
from pdescry.equation import candidates as library
from pdescry.errors import InputError
from pdescry.joint import Joint
from pdescry.joint.ends import ends_of
from pdescry.joint.fit import check_alike
from pdescry.joint.known import Known
from pdescry.joint.mesh import HIGHEST
from pdescry.joint.objective import order_of
from pdescry.regression import SparseRegressor
from pdescry.surrogate import MCLMC

TAKES = f"one field along one axis, a law of first order in time, and derivatives of at most order {HIGHEST}"


@dataclass(frozen=True, eq=False)
class Way:
    """method: `Joint`, or a regression on derivatives of the field. note: why it is not the best one, or nothing."""

    method: Joint | SparseRegressor
    candidates: tuple[Term, ...]
    note: str = ""


def way_of(settings: Settings, experiments: Sequence[Readings]) -> Way:
    """What cannot work with these readings, of one or several experiments, is an error."""
    readings = experiments[0]
    check_alike(experiments)
    obstacle = _obstacle(settings, readings)
    method = settings.method or AUTO_METHODS["sequential_ridge" if obstacle else "joint"]
    if isinstance(settings.method, Joint) and obstacle:
        raise InputError(
            f"Expected {TAKES} for the method 'joint'; {obstacle}; leave the method out, or name a regression."
        )
    if not isinstance(method, Joint) and len(experiments) > 1:
        reason = obstacle or f"the method is {method!r}"
        raise InputError(f"Expected {TAKES} for several experiments that share a law; {reason}; pass one experiment.")
    terms = _terms(settings, readings, "general" if isinstance(method, Joint) else "small")
    if isinstance(method, Joint):
        Known.of(method.known, terms, readings)
        ends_of(method.boundary, method.domain, experiments)
    note = f"The law was found by {method!r} on derivatives of the field, not together with the field: {obstacle}."
    return Way(method, terms, note if settings.method is None and obstacle else "")


def with_enough_draws(settings: Settings, experiments: Sequence[Readings], said: Collection[str] = ()) -> Settings:
    """Longer chains than the default's where a regression has to rely on them, but for what the user said of chains.

    said: "sampler.draws", "field.chains", … as in a file of settings; "sampler" if all of it.
    """
    sampler = settings.sampler
    own = settings.preset != "default" or not isinstance(sampler, MCLMC) or "sampler" in said
    if own or isinstance(way_of(settings, experiments).method, Joint):
        return settings
    chosen = {each.name: getattr(sampler, each.name) for each in fields(LONG) if f"sampler.{each.name}" in said}
    chains = settings.chains if "field.chains" in said else LONG_CHAINS
    return replace(settings, sampler=replace(LONG, **chosen), chains=chains)


def _terms(settings: Settings, readings: Readings, usual: str) -> tuple[Term, ...]:
    source = usual if settings.candidates is None else settings.candidates
    return library(source, fields=readings.fields, axes=readings.axes, time_order=settings.time_order)


def _obstacle(settings: Settings, readings: Readings) -> str:
    """Why field and law cannot be inferred together, or nothing."""
    if len(readings.fields) > 1:
        return f"there are {len(readings.fields)} fields ({', '.join(readings.fields)})"
    if len(readings.axes) > 1:
        return f"there are {len(readings.axes)} axes ({', '.join(readings.axes)})"
    if settings.time_order > 1:
        return f"the law is of order {settings.time_order} in time"
    if (highest := order_of(_terms(settings, readings, "general"))) > HIGHEST:
        return f"a candidate is of order {highest}"
    return ""
