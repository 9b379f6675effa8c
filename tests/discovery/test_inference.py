"""A method that nobody knows goes all the way: from `discover` to the law, its pictures, its page and its files.

Two fields, no network, no chains: whatever asks which method it was, or for a posterior, fails here.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from numpy.polynomial import Chebyshev

import pdescry
from pdescry import Equation, InputError, Law, Readings, Term, discover, load, plot
from pdescry.data.asked import Asked
from pdescry.discovery import method as methods
from pdescry.discovery.forward import check_forward
from pdescry.discovery.inference import Inference
from pdescry.discovery.method import Method
from pdescry.joint import Comparison
from pdescry.notices import Notice, declare
from pdescry.regression import SparseFit
from pdescry.report.page import page_of
from pdescry.report.trust import how_far_to_trust

RATES = {"u": 0.1, "v": 0.2}  # u_t = 0.1 u_xx, v_t = 0.2 v_xx
NOISE = 0.01
declare(
    {
        "law-guessed": "The law was guessed.",
        "guess-again": "Guess again.",
        "judged-by-guesses": "Judged by guesses.",
    }
)


def exact(name: str, t: Any, x: Any, order: int = 0) -> Any:
    """A wave that decays: of u a sine, of v a cosine; or its derivative along x."""
    phase = (0.0 if name == "u" else math.pi / 2) + order * math.pi / 2
    return np.pi**order * np.exp(-RATES[name] * np.pi**2 * t) * np.sin(np.pi * x + phase)


@dataclass(frozen=True)
class Waves:
    """A `Field`."""

    readings: Readings
    known_ends = ()

    def mean(self, times: Any, places: Any) -> dict[str, Any]:
        return {name: exact(name, times[:, None], places[None, :]) for name in RATES}

    def profile(self, time: float, domain: Sequence[float]) -> dict[str, Any]:
        return {
            name: Chebyshev.interpolate(lambda x, name=name: exact(name, time, x), 30, domain=list(domain))
            for name in RATES
        }

    @property
    def rectangle(self) -> None:
        return None

    def over(self, name: str, times: Any, x: Any, y: Any, order_t: int = 0) -> Any:
        raise NotImplementedError

    def follows(self, times: Any, domain: Sequence[float]) -> bool:
        return True

    def along_time(self, name: str, place: float, order: int) -> Callable[[float], float]:
        return lambda t: float(exact(name, t, place, order))

    def states(self, variables: Any, time_order: int) -> Mapping[Any, Any]:
        return {each: np.linspace(-1, 1, 5) for each in variables}


def fit_of(name: str) -> SparseFit:
    terms = tuple(Term.parse(text, ("u", "v"), ("x",)) for text in (f"{name}_xx", name))
    return SparseFit(
        terms, np.array([RATES[name], 0.0]), np.diag([1e-4, 0.0]), np.array([True, False]), (), math.nan, "fitted", (),
        SimpleNamespace(), None, name,  # type: ignore[arg-type]
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Guessed:
    """An `Inference`."""

    experiments: tuple[Readings, ...]
    fits: tuple[SparseFit, ...]
    comparison: Comparison | None = None

    remarks = ()
    how = "somebody guessed them"
    obeys_law = True
    posteriors = ()
    diagnostics = None
    about_chains = ""

    @property
    def readings(self) -> Readings:
        return self.experiments[0]

    @property
    def field(self) -> Waves:
        return Waves(self.readings)

    @property
    def reach(self) -> dict[str, tuple[float, float]]:
        return self.readings.span

    @property
    def noise(self) -> dict[str, dict[str, float | None]]:
        return {name: {"mean": NOISE, "sd": None} for name in RATES}

    def predict(
        self, t: Any, *places: Any, level: float = 0.95, noise: bool = False, grid: bool = True, experiment: int = 0
    ) -> xr.Dataset:
        asked = Asked.of((t, *places), ("t", "x"), level, grid)
        means = {name: exact(name, *asked.points.T) for name in RATES}
        about = {"": 0.0, "_low": -2 * NOISE, "_high": 2 * NOISE}
        found = {name + ending: mean + shift for name, mean in means.items() for ending, shift in about.items()}
        return asked.answered(found | {f"{name}_sd": 0 * mean + NOISE for name, mean in means.items()})

    def of(self, experiment: int) -> Guessed:
        return self

    @property
    def free_field(self) -> Guessed:
        return self

    @property
    def covariance(self) -> Any:
        return np.diag([1e-4, 4e-4])

    def draw_coefficients(self, number: int, seed: int = 0) -> Any:
        random = np.random.default_rng(seed)
        return random.multivariate_normal(list(RATES.values()), self.covariance, number)

    def ranking(self, field: str) -> pd.DataFrame:
        table = pd.DataFrame({"term": [f"{field}_xx", field], "kept": [True, False]})
        return table.assign(score=[-30.0, -2.0], ill_posed=False)

    def judge(self, warn: Callable[..., None]) -> None:
        warn(Notice.of("law-guessed"), Notice.of("guess-again"))

    def residuals(self, field: str) -> Any:
        return np.linspace(-2, 2, 50)

    def draw_laws(self, number: int, seed: int = 0) -> list[tuple[Waves, Equation]]:
        return [(self.field, Equation.of([fit.component for fit in self.fits]))] * number

    def left_out(self, draws: int, seed: int = 0) -> Any:
        rows = self.readings.sensor == 2
        return SimpleNamespace(
            laws=self.draw_laws(draws),
            rows=rows,
            noise_sd=np.full((rows.sum(), 2), NOISE),
            noise=dict.fromkeys(RATES, NOISE),
        )

    def next_sensor(self, n: int, times: Any) -> None:
        return None

    def sampled(self, points: Any) -> Any:
        random = np.random.default_rng(0)
        fields = np.array([[exact(name, *points.T) for name in RATES]] * 20)
        fields = fields * (1 + 0.1 * random.standard_normal((20, 1, 1)))
        note = Notice.of("judged-by-guesses")
        return SimpleNamespace(
            coefficients=np.zeros((20, 0)), fields=fields, noise=np.full(2, NOISE), terms=[], note=note
        )

    def facts(self) -> dict[str, Any]:
        return {"guessed": True}

    def facts_of(self, experiment: int) -> dict[str, Any]:
        return {}

    def save(self, folder: Path) -> None:
        (folder / "guess.json").write_text(json.dumps([fit.field for fit in self.fits]))


@dataclass(frozen=True)
class Guess:
    """The noun."""


@dataclass(frozen=True, eq=False)
class Guessing:
    """A `Method`."""

    options: Any
    candidates: Any = None
    note: Notice | None = None

    kinds: ClassVar[Mapping[str, type]] = {"guess": Guess}
    usual: ClassVar[tuple[str, Mapping[str, Any]]] = ("guess", {})
    takes: ClassVar[str] = "two fields"
    shares_laws: ClassVar[bool] = False
    asks_readings_for_noise: ClassVar[bool] = False
    files: ClassVar[tuple[str, ...]] = ("guess.json",)
    files_of_each: ClassVar[tuple[str, ...]] = ()
    result: ClassVar[str] = "guess.json"

    @staticmethod
    def check_options(options: Any) -> None:
        """Nothing can be wrong."""

    @staticmethod
    def candidates_of(settings: Any, experiments: Sequence[Readings]) -> Any:
        return settings.candidates

    @staticmethod
    def obstacle(settings: Any, experiments: Sequence[Readings]) -> str:
        return "" if len(experiments[0].fields) == 2 else "there is one field"

    @staticmethod
    def prepared(settings: Any, said: Any = ()) -> Any:
        return settings

    @staticmethod
    def unchanged(sections: Any, experiments: int) -> set[str]:
        return set()

    def check(self, settings: Any, experiments: Sequence[Readings]) -> None:
        """Anything goes."""

    def infer(self, run: Any, engine: Any, watch: Any, sample: Any) -> Guessed:
        found = Guessed(run.experiments, tuple(fit_of(name) for name in RATES))
        found.save(run.path)
        return found

    @staticmethod
    def load(folder: Path, experiments: Sequence[Readings], diagnostics: Any) -> Guessed:
        assert diagnostics is None
        names = json.loads((folder / "guess.json").read_text())
        return Guessed(tuple(experiments), tuple(fit_of(name) for name in names))


def conforms(method: Guessing, inference: Guessed) -> tuple[Method, Inference]:
    """What a type checker looks at."""
    return method, inference


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(methods, "METHODS", (Guessing, *methods.METHODS))


@pytest.fixture(scope="module")
def guessed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Law, Path]:
    t, x = (each.ravel() for each in np.meshgrid(np.linspace(0, 1, 11), np.linspace(0.1, 0.9, 6)))
    random = np.random.default_rng(0)
    values = {name: exact(name, t, x) + NOISE * random.standard_normal(len(t)) for name in RATES}
    readings = Readings.from_frame(pd.DataFrame({"t": t, "x": x} | values), time="t", space="x", fields=["u", "v"])
    folder = tmp_path_factory.mktemp("runs") / "guess.pdescry"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(methods, "METHODS", (Guessing, *methods.METHODS))
        return discover(readings, workdir=folder), folder


def test_a_new_method_is_one_folder(guessed: tuple[Law, Path]) -> None:
    law, folder = guessed
    assert str(law).splitlines() == ["u_t = 0.100(10)*u_xx", "v_t = 0.200(10)*v_xx"]
    assert (law.posterior, law.diagnostics, law.comparison, law.posteriors) == (None, None, None, ())
    assert str(law.warnings[0]) == "The law was guessed."
    assert {path.name for path in (folder / "figures").iterdir()} == {
        "coefficients.png", "path.png", "diagnostics.png", "field-u.png", "field-v.png", "slices-u.png",
        "slices-v.png", "forecast-u.png", "forecast-v.png",
    }  # fmt: skip
    told = json.loads((folder / "law.json").read_text())
    assert told["diagnostics"] is None
    assert told["guessed"] is True
    assert told["candidates"] == ["u_xx", "u", "v_xx", "v"]
    assert [(row["field"], row["term"]) for row in told["coefficients"]] == [("u", "u_xx"), ("v", "v_xx")]
    assert set(told["noise"]) == {"u", "v"}


def test_such_a_law_is_kept_and_found_again(guessed: tuple[Law, Path], tmp_path: Path) -> None:
    law, folder = guessed
    law.save(tmp_path / "kept")
    for again in (load(folder), load(tmp_path / "kept"), pdescry.resume(folder)):
        assert repr(again) == repr(law)
        assert again.forward.held_out is not None
        assert again.forward.held_out.equals(law.forward.held_out)
    assert (tmp_path / "kept" / "law.json").read_bytes() == (folder / "law.json").read_bytes()


def test_each_field_is_solved_forward_and_scored(guessed: tuple[Law, Path]) -> None:
    law, _ = guessed
    forward = law.forward
    assert (forward.status, forward.conditions, forward.unscored) == ("ok", "field", None)
    assert forward.misfit < 1e-2
    assert forward.score is not None
    assert forward.score.readings == 2 * 11
    assert forward.score.rms_error == pytest.approx(NOISE, rel=0.6)
    each = forward.score.by_field
    assert each.index.tolist() == ["u", "v"]
    assert each["readings"].tolist() == [11, 11]
    assert forward.score.rms_error == each.loc[forward.score.worst, "rms_error"]
    for name in RATES:
        assert f"{name} to within {each.loc[name, 'rms_error']:.3g} (expected" in forward.score.sentence
    assert forward.held_out is not None
    assert forward.held_out["field"].unique().tolist() == ["u", "v"]
    found = law.simulate([0.0, 0.5, 1.0], x=[0.2, 0.5, 0.8], draws=2)
    for name in RATES:
        wanted = exact(name, np.array([[0.0], [0.5], [1.0]]), np.array([0.2, 0.5, 0.8]))
        np.testing.assert_allclose(found[name], wanted, atol=2e-3)
        assert f"{name}_draws" in found
    assert law.next_sensor(2).notes == (Notice.of("judged-by-guesses"),)
    assert str(law.draw_laws(1)[0][1]) == str(law.equation)


def test_rows_without_a_reading_of_a_field_do_not_count(guessed: tuple[Law, Path]) -> None:
    law, _ = guessed
    values = law.readings.values.copy()
    values[::3, 1] = np.nan
    some: Any = replace(law.inference, experiments=(replace(law.readings, values=values),))  # type: ignore[type-var]
    forward = check_forward(some)
    assert forward.status == "ok"
    assert math.isfinite(forward.misfit)
    assert forward.score is not None
    assert forward.held_out is not None
    assert forward.score.readings < 2 * 11
    assert math.isfinite(forward.score.log_score)
    assert not forward.held_out.isna().any(axis=None)


def test_pictures_show_both_fields(guessed: tuple[Law, Path]) -> None:
    law, _ = guessed
    assert [label.get_text() for label in plot.path(law).get_yticklabels()] == ["u: u_xx", "u: u", "v: v_xx", "v: v"]
    assert [label.get_text() for label in plot.path(law, "v").get_yticklabels()] == ["v_xx", "v"]
    assert [label.get_text() for label in plot.coefficients(law).get_yticklabels()] == ["u: u_xx", "v: v_xx"]
    assert plot.field(law, "v").get_title().startswith("v_t = ")
    legend: Any = plot.diagnostics(law).get_legend()
    assert [text.get_text() for text in legend.get_texts()] == ["u", "v"]
    assert plot.diagnostics(law, field="v").get_legend() is None
    assert plot.forecast(law, field="v").get_ylabel() == "v"
    with pytest.raises(InputError, match="this one has none; pass what='residuals'"):
        plot.diagnostics(law, "chains")
    with pytest.raises(InputError, match="fields u, v; got 'w'"):
        plot.diagnostics(law, field="w")


def compared(law: Law) -> Law:
    """With laws compared, and sensors left out."""
    held_out = pd.DataFrame(
        [
            {"field": name, "sensor": k, "inside": 0 < k < 5, "readings": 11, "log_density": 1.0, "rms_error": 0.01,
             "expected": 0.01}
            for name in RATES
            for k in range(6)
        ]
    )  # fmt: skip
    alternatives = pd.DataFrame({"law": [str(law)], "elpd": [1.0], "score": [0.0], "probability": [1.0]})
    probabilities = pd.DataFrame({"field": ["u"], "term": ["u_xx"], "probability": [1.0]})
    comparison = Comparison(alternatives, probabilities, held_out, {name: {"smooth": 0.5} for name in RATES})
    fits: Any = [
        SimpleNamespace(
            **{name: getattr(fit, name) for name in ("field", "time_order", "terms", "support", "concise")},
            summary=fit.summary.assign(probability=1.0),
            table=fit.table.assign(probability=[1.0, 0.0]),
            component=fit.component,
        )
        for fit in law.inference.fits
    ]
    inference: Any = law.inference
    return replace(law, inference=replace(inference, comparison=comparison, fits=tuple(fits)), warnings=())


def numbers_in(page: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found
    return json.loads(found[1])


def test_the_page_shows_both_fields_and_no_chains(guessed: tuple[Law, Path]) -> None:
    _, folder = guessed
    page = (folder / "report.html").read_text(encoding="utf-8")
    drawn = set(re.findall(r'data-figure="([^"]+)"', page))
    assert drawn >= {"solved", "solved-2", "difference", "difference-2", "residuals", "residuals-2", "forecast-1"}
    assert "chains" not in drawn
    assert page.count("<math") == 2
    assert "somebody guessed them" in page
    numbers = numbers_in(page)
    assert [each["name"] for each in numbers["terms"]] == ["u: u_xx", "v: v_xx"]
    assert [each["name"] for each in numbers["forward"]["fields"]] == ["u", "v"]
    assert [each["name"] for each in numbers["fields"][0]["fields"]] == ["u", "v"]
    assert [row["name"] for row in numbers["path"]["rows"]] == ["u: u_xx", "u: u", "v: v_xx", "v: v"]


def test_where_laws_were_compared_the_page_and_pictures_tell_of_both_fields(guessed: tuple[Law, Path]) -> None:
    law = compared(guessed[0])
    sure, _ = how_far_to_trust(law)
    assert sure
    numbers = numbers_in(page_of(law))
    assert {each["name"] for each in numbers["candidates"]} == {"u: u_xx", "u: u", "v: v_xx", "v: v"}
    assert [each["sensor"] for each in numbers["left_out"]][5:7] == ["u: 5", "v: 0"]
    assert plot.diagnostics(law, field="v").get_ylabel() == "v"


def test_nothing_outside_a_method_asks_which_it_was() -> None:
    """Neither by its type nor by a member that only one of them has."""
    root = Path(pdescry.__file__).parent
    asked = re.compile(r"isinstance\([^)]*(Choice|Joint|SparseFit|Regressed|TwoStage|SparseRegressor|NetworkField)")
    own = {root / "joint", root / "two_stage", root / "regression"}
    for path in root.rglob("*.py"):
        if own.isdisjoint(path.parents):
            text = path.read_text(encoding="utf-8")
            assert not asked.search(text), path
            assert not re.search(r"\blaw\.choice\b|\.inference\.(choice|posterior|derivatives)\b", text), path
