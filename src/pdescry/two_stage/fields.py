"""The network's field in the form that forward solutions require."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdescry.data import Readings
from pdescry.derivatives import differentiate
from pdescry.equation import Term
from pdescry.equation.term import Coordinate, Derivative, Factor
from pdescry.errors import InputError
from pdescry.solver.profiles import nodes, polynomial
from pdescry.surrogate import Posterior
from pdescry.two_stage.options import TWO_STAGE

Array = NDArray[np.float64]
Profile = Callable[[Any], Any]


@dataclass(frozen=True, eq=False)
class NetworkField:
    """The mean of some draws of the network, without a law."""

    posterior: Posterior

    @property
    def readings(self) -> Readings:
        return self.posterior.readings

    @property
    def known_ends(self) -> tuple[()]:
        return ()

    def mean(self, times: Array, places: Array) -> dict[str, Array]:
        found = self.posterior.predict(times, places)
        return {name: found[name].values for name in self.readings.fields}

    def profile(self, time: float, domain: Sequence[float]) -> dict[str, Profile]:
        """In double precision: a solver would mistake rounding errors of single precision for short waves."""
        layers = [layer.astype(float) for layer in self.posterior.at_most(TWO_STAGE.draws_of_profile).layers()]
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

        places = nodes(domain)
        rates = (values(places, time + step) - values(places, time - step)) / (2 * step)
        names = self.readings.fields
        found = dict(zip(names, values(places, time), strict=True))
        found |= {f"{name}_t": along for name, along in zip(names, rates, strict=True)}
        return {name: polynomial(along, domain) for name, along in found.items()}

    def follows(self, times: Array, domain: Sequence[float]) -> bool:
        """Never: at the ends a network does not satisfy a law."""
        return False

    @property
    def rectangle(self) -> None:
        """None, for the same reason."""
        return None

    def over(self, name: str, times: Array, x: Array, y: Array, order_t: int = 0) -> Array:
        raise InputError(f"Expected a field that obeys a law, whose edges can be followed; {name} obeys none.")

    def along_time(self, name: str, place: float, order: int) -> Callable[[float], float]:
        raise InputError(f"Expected a field that obeys a law, whose ends can be followed; {name} obeys none.")

    def states(self, variables: Iterable[Derivative], time_order: int) -> Mapping[Factor, Array]:
        every = max(1, self.posterior.positions.shape[1] * self.posterior.n_chains // TWO_STAGE.draws_of_profile)
        few = replace(self.posterior, positions=self.posterior.positions[:, ::every])
        variables = list(variables)
        terms = [Term.of([(variable, 1)]) for variable in variables]
        found = differentiate(few, terms, time_order=time_order, points=TWO_STAGE.states, workers=1)
        values: dict[Factor, Array] = {variable: found.mean[:, column] for column, variable in enumerate(variables)}
        return values | {
            Coordinate("t" if number == 0 else name): found.points[:, number]
            for number, name in enumerate(found.inputs)
        }
