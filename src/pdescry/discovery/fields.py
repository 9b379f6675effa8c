"""The inferred field as a forward solution asks for it: the network's, or the one that obeys the law."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.polynomial import Chebyshev, chebyshev
from numpy.typing import NDArray
from scipy.fft import dct

from pdescry.data import Readings
from pdescry.derivatives import differentiate
from pdescry.discovery.fit import Fit
from pdescry.equation import Term
from pdescry.equation.term import Coordinate, Derivative, Factor
from pdescry.errors import InputError
from pdescry.joint import Choice, JointFit
from pdescry.surrogate import Posterior

Array = NDArray[np.float64]
Profile = Callable[[Any], Any]
DRAWS, NODES = 100, 256  # draws of which a mean profile is made, and nodes at which
SHORTEST = 160  # degree by which waves have died away in a profile of the field that obeys the law
STATES = 500  # about so many points tell in what states the field is


class Field(Protocol):
    """A mean field, or a single draw of it."""

    @property
    def readings(self) -> Readings: ...

    def mean(self, times: Array, places: Array) -> dict[str, Array]:
        """Each field on the grid, (times, places)."""
        ...

    def profile(self, time: float, domain: Sequence[float]) -> dict[str, Profile]:
        """Each field along the axis at one time; and its rate ``u_t`` where a law of u_tt may ask for it.

        As a polynomial through many nodes, because it is asked for at thousands of places.
        """
        ...

    def states(self, variables: Iterable[Derivative], time_order: int) -> Mapping[Factor, Array]:
        """Derivatives and coordinates at some points between the sensors, on which it hangs whether a law is
        well-posed."""
        ...


@dataclass(frozen=True, eq=False)
class NetworkField:
    """The mean of some draws of the network, which obey no law."""

    posterior: Posterior

    @property
    def readings(self) -> Readings:
        return self.posterior.readings

    def mean(self, times: Array, places: Array) -> dict[str, Array]:
        found = self.posterior.predict(times, places)
        return {name: found[name].values for name in self.readings.fields}

    def profile(self, time: float, domain: Sequence[float]) -> dict[str, Profile]:
        """In double precision: in single precision a solver would take the last digits for short waves."""
        layers = [layer.astype(float) for layer in self.posterior.at_most(DRAWS).layers()]
        scaling = self.posterior.scaling
        step = 1e-4 * scaling.input_spread[0]

        def values(x: Array, moment: float) -> Array:
            """(fields, N)"""
            points = np.column_stack([np.full(len(x), moment), x])
            hidden = np.asarray(((points - scaling.input_centre) / scaling.input_spread).T)
            for layer in layers[:-1]:
                hidden = np.tanh(layer[:, :, :-1] @ hidden + layer[:, :, -1:])
            out = (layers[-1][:, :, :-1] @ hidden + layers[-1][:, :, -1:]).mean(0)
            return out * scaling.field_spread[:, None] + scaling.field_centre[:, None]

        places = _nodes(domain)
        rates = (values(places, time + step) - values(places, time - step)) / (2 * step)
        names = self.readings.fields
        found = dict(zip(names, values(places, time), strict=True))
        found |= {f"{name}_t": along for name, along in zip(names, rates, strict=True)}
        return {name: _polynomial(along, domain) for name, along in found.items()}

    def states(self, variables: Iterable[Derivative], time_order: int) -> Mapping[Factor, Array]:
        every = max(1, self.posterior.positions.shape[1] * self.posterior.n_chains // DRAWS)
        few = replace(self.posterior, positions=self.posterior.positions[:, ::every])
        variables = list(variables)
        terms = [Term.of([(variable, 1)]) for variable in variables]
        found = differentiate(few, terms, time_order=time_order, points=STATES, workers=1)
        values: dict[Factor, Array] = {variable: found.mean[:, column] for column, variable in enumerate(variables)}
        return values | {
            Coordinate("t" if number == 0 else name): found.points[:, number]
            for number, name in enumerate(found.inputs)
        }


@dataclass(frozen=True, eq=False)
class JointField:
    """The field that was inferred together with the law; ``spline``: its coefficients, or those of a draw of it."""

    fit: JointFit
    spline: Array

    @property
    def readings(self) -> Readings:
        return self.fit.readings

    def mean(self, times: Array, places: Array) -> dict[str, Array]:
        space = self.fit.experiment.space
        along = space.x.matrix(places) @ self.spline.reshape(space.shape) @ space.t.matrix(times).T
        return {self.readings.fields[0]: along.T}

    def along_time(self, place: float, order: int) -> Callable[[float], float]:
        """The field at one place, or a derivative of it along x."""
        space = self.fit.experiment.space
        (along,) = space.x.matrix(np.array([place]), order) @ self.spline.reshape(space.shape)
        return space.t.along(along)

    def profile(self, time: float, domain: Sequence[float]) -> dict[str, Chebyshev]:
        space = self.fit.experiment.space
        (early, late), (left, right) = (axis.breaks[[0, -1]] for axis in (space.t, space.x))
        if not (early <= time <= late and left <= domain[0] and domain[1] <= right):
            raise InputError(
                f"Expected a start from {early:g} to {late:g} and a domain from {left:g} to {right:g}, where the law "
                f"was fitted; got {time:g} and {domain[0]:g} to {domain[1]:g}; pass initial=, what the field is there."
            )
        (along,) = self.mean(np.array([time]), _nodes(domain))[self.readings.fields[0]]
        found = _polynomial(along, domain)
        # Waves so short that no sensor tells them at one moment are rough in a draw, and too rough for the solver.
        damped = found.coef * np.exp(-36 * (np.arange(NODES) / SHORTEST) ** 8)
        return {self.readings.fields[0]: Chebyshev(damped, domain=list(domain))}

    def states(self, variables: Iterable[Derivative], time_order: int) -> Mapping[Factor, Array]:
        found = self.fit.experiment.derivatives(self.spline)
        return {name: part.ravel()[:: max(1, part.size // STATES)] for name, part in found.items()}


def field_of(posterior: Posterior, fits: Sequence[Fit]) -> Field:
    """The field that obeys the law if there is one, or else the network's."""
    fit = fits[0]
    if isinstance(fit, Choice) and fit.support.any():
        return JointField(fit.fit, fit.fit.spline)
    return NetworkField(posterior)


def _nodes(domain: Sequence[float]) -> Array:
    return (domain[0] + domain[1]) / 2 + (domain[1] - domain[0]) / 2 * chebyshev.chebpts1(NODES)


def _polynomial(values: Array, domain: Sequence[float]) -> Chebyshev:
    """Through values at the nodes."""
    found = np.asarray(dct(values[::-1], type=2)) / NODES
    found[0] /= 2
    return Chebyshev(found, domain=list(domain))
