"""`Method`: what `discover` asks of a method; which methods there are, and which one is taken.

To add a method: a folder with a class like `two_stage.TwoStage` and what it gives back (``inference.py``), and its name
in `METHODS` below.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from pdescry.data import Readings
from pdescry.discovery.inference import Inference
from pdescry.errors import DamagedFile, InputError
from pdescry.executor import Engine
from pdescry.joint.inference import JointMethod
from pdescry.notices import Notice
from pdescry.progress import Progress
from pdescry.registry import Registry, name_of
from pdescry.surrogate import Diagnostics
from pdescry.two_stage import TwoStage

if TYPE_CHECKING:
    from pdescry.discovery.run import Run
    from pdescry.discovery.settings import Settings


class Method(Protocol):
    """How the law is found, once the readings are known."""

    # ---- of all its instances ------------------------------------------------------------------------------------

    kinds: ClassVar[Mapping[str, type]]  # the nouns that name it in settings: "joint", "stblr", …
    usual: ClassVar[tuple[str, Mapping[str, Any]]]  # which of them "auto" stands for, and with what settings
    takes: ClassVar[str]  # what it can work with, in words
    shares_laws: ClassVar[bool]  # whether several experiments can share a law
    asks_readings_for_noise: ClassVar[bool]  # whether readings have to carry the noise of the settings
    files: ClassVar[tuple[str, ...]]  # that it keeps in a run directory,
    files_of_each: ClassVar[tuple[str, ...]]  # and those of each experiment (posterior.nc, posterior-2.nc)
    result: ClassVar[str]  # the file by which a folder is known to contain a result of this method

    @staticmethod
    def check_options(options: Any, /) -> None:
        """Refuses settings of its own that are wrong."""
        ...

    @staticmethod
    def candidates_of(settings: Any, experiments: Sequence[Readings], /) -> Any:
        """The candidates that the settings name, or its own."""
        ...

    @staticmethod
    def obstacle(settings: Any, experiments: Sequence[Readings], /) -> str:
        """Why it cannot work with these readings and settings, in a clause, or nothing."""
        ...

    @staticmethod
    def prepared(settings: Any, said: Collection[str] = (), /) -> Any:
        """The settings with what the method needs; said: those that the user chose ("sampler.draws", or "sampler")."""
        ...

    @staticmethod
    def unchanged(sections: Collection[str], experiments: int, /) -> set[str]:
        """Its files that stay as they are when these sections of the settings change."""
        ...

    @staticmethod
    def load(folder: Path, experiments: Sequence[Readings], diagnostics: Diagnostics | None, /) -> Inference:
        """What `Inference.save` or a run wrote. diagnostics: as law.json keeps them."""
        ...

    # ---- of one --------------------------------------------------------------------------------------------------

    @property
    def options(self) -> Any: ...  # the noun with its settings
    @property
    def candidates(self) -> Any: ...  # as `candidates_of` gives them
    @property
    def note(self) -> Notice | None: ...  # why it is not the best one

    def check(self, settings: Any, experiments: Sequence[Readings], /) -> None:
        """Refuses with a sentence what it cannot do, before any work."""
        ...

    def infer(
        self, run: Run, engine: Engine, watch: Callable[[str], Progress], sample: Callable[..., Any], /
    ) -> Inference:
        """Stage by stage in the run directory, so that a run that was stopped goes on. engine: where tasks run, and how
        many at a time. watch: progress of a stage, by its name. sample: the fields as networks, where they are needed
        (`two_stage.network.sampled`)."""
        ...


def _usual(method: type[Any]) -> Any:
    """The options that "auto" stands for."""
    name, settings = method.usual
    return method.kinds[name](**settings)


# The first that can work is taken where none is named.
METHODS: tuple[type[Any], ...] = (JointMethod, TwoStage)  # of `Method`
# The nouns of all methods by their names in settings, and those that "auto" may stand for.
KINDS: Registry[type] = Registry(
    {name: partial(method.kinds.__getitem__, name) for method in METHODS for name in method.kinds}
)
AUTO_KINDS: Registry[Any] = Registry({method.usual[0]: partial(_usual, method) for method in METHODS})


if TYPE_CHECKING:  # that both are what they are taken for

    def _is_method(of_joint: JointMethod, in_two_stages: TwoStage) -> tuple[Method, ...]:
        return of_joint, in_two_stages


def owner_of(options: Any) -> type[Any]:
    """The method that these options belong to."""
    for method in METHODS:
        if type(options) in method.kinds.values():
            return method
    raise InputError(
        "Expected pdescry.joint.Joint() or a method of pdescry.regression such as STBLR(threshold=0.1); got "
        f"{options!r}."
    )


def method_for(settings: Settings, experiments: Sequence[Readings]) -> Method:
    """The method that the settings name, or the first that can work; what cannot work is an error."""
    if settings.method is None:
        return _first(settings, experiments)
    method = owner_of(settings.method)
    if obstacle := method.obstacle(settings, experiments):
        name = name_of(settings.method, method.kinds)
        raise InputError(
            f"Expected {method.takes} for the method {name!r}; {obstacle}; leave the method out, or name a regression."
        )
    _check_number(method, experiments, f"the method is {settings.method!r}")
    return method(settings.method, method.candidates_of(settings, experiments))


def _first(settings: Settings, experiments: Sequence[Readings]) -> Method:
    obstacles: list[str] = []
    for method in METHODS:
        if obstacle := method.obstacle(settings, experiments):
            obstacles.append(obstacle)
            continue
        options, note = _usual(method), None
        if obstacles:
            _check_number(method, experiments, obstacles[0])
            note = Notice.of("found-by-regression", method=repr(options), obstacle=obstacles[0])
        return method(options, method.candidates_of(settings, experiments), note)
    raise InputError(f"Expected {' or '.join(each.takes for each in METHODS)}; {obstacles[0]}.")


def _check_number(method: type[Any], experiments: Sequence[Readings], reason: str) -> None:
    if len(experiments) > 1 and not method.shares_laws:
        takes = next(each.takes for each in METHODS if each.shares_laws)
        raise InputError(f"Expected {takes} for several experiments that share a law; {reason}; pass one experiment.")


def load_inference(folder: Path, experiments: Sequence[Readings], diagnostics: Diagnostics | None) -> Inference:
    """By the method whose result is there, whatever "auto" stands for today."""
    for method in METHODS:
        if (folder / method.result).exists():
            return method.load(folder, experiments, diagnostics)
    raise DamagedFile(
        f"Expected one of {', '.join(method.result for method in METHODS)} in {str(folder)!r}; there is none; "
        f"`pdescry resume {folder}` makes it again."
    )


def carries_noise(method: Method, settings: Settings) -> bool:
    """Whether readings carry the noise of the settings: where they may be averaged, and where the method asks
    the readings for it."""
    has_noise = settings.noise is not None and settings.noise.sd is not None
    return has_noise and (settings.average is not False or method.asks_readings_for_noise)


def files() -> Mapping[str, bool]:
    """The files of all methods in a run directory, and whether there is one for each experiment."""
    return {name: False for each in METHODS for name in each.files} | {
        name: True for each in METHODS for name in each.files_of_each
    }
