"""What every sampler offers, so that who knows one knows all.

A sampler is a frozen set of choices with three pure functions over a state that is one pytree of arrays:

    init(log_density, position, key) → state
    tune(log_density, state, key)    → state         one rung of ``rungs``; what is learned travels in the state
    step(log_density, state, key)    → state, Info   one transition

Choices are made and shown without JAX, which takes a second to load: these functions import what they compute with. Who
compiles them imports BlackJAX first, because arrays that a library makes while it loads must not be traced.

``check(state)`` looks at a tuned state from outside and raises `SamplingError` if it cannot sample. Another sampler is
one more file with this anatomy, and one more line in the registry of ``__init__.py``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

from pdescry.errors import PdescryError
from pdescry.schema import Setting, positive, switch, whole

if TYPE_CHECKING:
    import jax

# Options that several samplers have, with defaults of their own.
DRAWS = Setting("kept of each chain; a regression wants 200 or more, and has them unless you say otherwise", whole(1))
THIN = Setting("transitions from one draw to the next", whole(1))
BURN = Setting("draws before the first that counts", whole(0))
RUNGS = Setting("of tuning", whole(1))
RUNG_TRANSITIONS = Setting("transitions in a rung of tuning", whole(10))
STEPS = Setting("of a trajectory", whole(1))
ACCEPTANCE = Setting("wanted of a tuned step size", positive(below=1.0))
CONDITIONED = Setting("whether the last layer follows the others: longer steps", switch)

LogDensity: TypeAlias = "Callable[[jax.Array], jax.Array]"


class SamplingError(PdescryError):
    """A sampler that cannot go on; the sentence says what to do."""


class Info(NamedTuple):
    """What a transition reports. Energy error: the change of a quantity that exact dynamics would conserve."""

    log_density: Any
    energy_error: Any
    acceptance: Any  # NaN where nothing is ever rejected
    divergent: Any


class Sampler(Protocol):
    """``draws`` are kept, each after ``thin`` transitions, after ``burn`` draws that are not."""

    @property
    def draws(self) -> int: ...
    @property
    def thin(self) -> int: ...
    @property
    def burn(self) -> int: ...
    @property
    def rungs(self) -> int: ...
    @property
    def rung_transitions(self) -> int:
        """Transitions in one rung of tuning."""
        ...

    @property
    def gradients(self) -> float:
        """Gradients a transition takes, about: for the estimate of the time left."""
        ...

    @property
    def conditioned(self) -> bool:
        """Whether it moves in the coordinates of `Model.condition`; draws are kept in those of the model either way."""
        ...

    def init(self, log_density: LogDensity, position: jax.Array, key: jax.Array) -> Any: ...
    def tune(self, log_density: LogDensity, state: Any, key: jax.Array) -> Any: ...
    def step(self, log_density: LogDensity, state: Any, key: jax.Array) -> tuple[Any, Info]: ...
    def check(self, state: Any) -> None: ...
    def position(self, state: Any) -> jax.Array: ...


def check_step_size(name: str, step_size: jax.Array, dimension: int) -> None:
    """A chain moves √dimension at most to be somewhere else: a millionth of that a step never gets there."""
    size = float(step_size)
    if not math.isfinite(size) or size < 1e-6 * dimension**0.5:
        raise SamplingError(
            f"{name} found no step size (it came to {size:.3g}), so the chain would not move: "
            "start nearer to the readings (more warm-start steps), or use another sampler or a larger noise sd."
        )
