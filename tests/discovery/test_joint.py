"""The default way: law and field inferred together, on disk, in words, forward; and when it is not taken."""

from __future__ import annotations

import json
import math
import shutil
import sys
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from pdescry import InputError, Law, Readings, discover, load, plot, refine, resume, systems
from pdescry.discovery import Settings
from pdescry.discovery.forward import check_forward
from pdescry.discovery.judgement import judge
from pdescry.discovery.method import method_for
from pdescry.discovery.run import begun, is_ours
from pdescry.equation import Equation, Term
from pdescry.errors import DamagedFile
from pdescry.joint import Joint
from pdescry.joint.joint_field import JointField
from pdescry.notices import Notice
from pdescry.regression import STBLR, SequentialRidge
from pdescry.surrogate import HMC, MCLMC, Diagnostics
from tests.discovery.conftest import (
    JOINT,
    PICTURES,
    TINY,
    choice_of,
    near_tie,
    sampled,
    with_comparison,
    with_inference,
)

FILES = {
    "config.toml", "readings.csv", "joint.nc", "forward.csv", "law.json", "log.txt", "report.html",
    "figures", ".lock",
}  # fmt: skip
REASON = Notice.of("as-well-by-constant")


# ---- which way -------------------------------------------------------------------------------------------------------


def test_the_way_that_is_taken(readings: Readings) -> None:
    way = method_for(Settings(), [readings])
    assert way.options == Joint()
    assert way.candidates is None  # the problem names its own
    assert way.note is None
    assert len(method_for(Settings(method=STBLR(0.1)), [readings]).candidates) == 11
    assert method_for(Settings(method=STBLR(0.1)), [readings]).note is None
    assert method_for(Settings(candidates="paper"), [readings]).candidates == "paper"
    for given in (two_fields(), readings):
        assert method_for(Settings(time_order=2), [given]).options == Joint()


def test_a_regression_gets_longer_chains_unless_they_were_chosen(readings: Readings) -> None:
    def prepared(settings: Settings, given: Readings, said: Collection[str] = ()) -> Settings:
        return method_for(settings, [given]).prepared(settings, said)

    assert prepared(Settings(), readings) == Settings()
    longer = prepared(Settings(), in_space())
    assert (longer.sampler, longer.chains) == (MCLMC(), 4)
    assert prepared(Settings(method=STBLR(0.1)), readings).sampler == MCLMC()
    more = Settings().changed({"sampler": {"draws": 300}})
    assert prepared(more, in_space(), {"sampler.draws"}).sampler == MCLMC(draws=300)
    assert prepared(more, readings, {"sampler.draws"}) == more


@pytest.mark.parametrize(
    ("said", "sampler", "chains"),
    [
        ({"config": {"field": {"chains": 1}}}, MCLMC(), 1),
        ({"config": {"field": {"chains": 2}}}, MCLMC(), 2),  # as many as the default's, but said
        ({"config": {"sampler": {"draws": 50}}}, MCLMC(draws=50), 4),
        ({"config": Settings().to_dict()}, Settings().sampler, 2),  # what `pdescry config` prints
        ({"sampler": MCLMC(draws=7)}, MCLMC(draws=7), 2),
        ({"sampler": HMC(draws=9), "chains": 3}, HMC(draws=9), 3),
        ({"preset": "paper", "candidates": "small", "config": {"sampler": {"kind": "MCLMC"}}}, MCLMC(), 1),
    ],
)
def test_what_was_said_of_chains_is_done(said, sampler, chains, monkeypatch) -> None:
    class Begun(Exception):
        """With the settings of the run."""

    def begin(path, experiments, settings, *_):
        raise Begun(settings)

    monkeypatch.setattr(sys.modules["pdescry.discovery.discover"], "begun", begin)
    with pytest.raises(Begun) as told:
        discover(in_space(), **said)
    (settings,) = told.value.args
    assert (settings.sampler, settings.chains) == (sampler, chains)


def diagnostics_of(law: Law) -> Diagnostics:
    assert law.diagnostics is not None
    return law.diagnostics


def in_space() -> Readings:
    rng = np.random.default_rng(0)
    return Readings.from_arrays(np.arange(30.0), rng.uniform(0, 1, (30, 3)), rng.uniform(0, 1, 30))


def two_fields() -> Readings:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({name: rng.uniform(0, 1, 30) for name in "txuv"})
    return Readings.from_frame(frame, time="t", space="x", fields=["u", "v"])


def test_where_it_cannot_work_a_regression_is_taken() -> None:
    way = method_for(Settings(), [in_space()])
    assert isinstance(way.options, SequentialRidge)
    assert way.options.threshold == 0.1
    assert way.note is not None
    assert str(way.note).startswith("The law was found by SequentialRidge")
    with pytest.raises(InputError, match=r"'joint'; .*3 axes.*; leave the method out"):
        method_for(Settings(method=Joint()), [in_space()])
    assert max(term.order() for term in way.candidates) == 4
    assert len(way.candidates) < len(method_for(Settings(candidates="general"), [in_space()]).candidates)  # "small"


def test_derivatives_that_splines_do_not_have_are_refused_before_any_work(readings: Readings) -> None:
    with pytest.raises(InputError, match="at most order 4; got one of order 5"):
        discover(readings, ["u_xxxxx"])


def test_the_note_is_a_warning(finished: tuple[Law, Path]) -> None:
    law, _ = finished
    note = Notice.of("found-by-regression", method="STBLR()", obstacle="three axes")
    assert judge(law.inference, law.forward, note)[0][0] == note


def test_what_is_known_is_looked_at_before_any_work(readings: Readings, tmp_path: Path) -> None:
    for known, said in (("u_xx > 1", "u_xx > 0"), ("u_xq", "u_xq"), ("u_x^4", "among the candidates")):
        with pytest.raises(InputError, match=said):
            discover(readings, method=Joint(known=(known,)), workdir=tmp_path / "run")
    assert not (tmp_path / "run").exists()


# ---- what comes out --------------------------------------------------------------------------------------------------


def test_a_law_found_together_with_the_field(chosen: tuple[Law, Path]) -> None:
    law, folder = chosen
    assert law.found
    assert {path.name for path in folder.iterdir()} == FILES
    assert {path.name for path in (folder / "figures").iterdir()} == PICTURES | {"forecast.png"}
    assert (law.posterior, law.posteriors, law.diagnostics) == (None, (), None)
    (row,) = law.coefficients.to_dict(orient="records")
    assert (row["term"], row["spread"]) == ("u_xx", "joint")
    assert abs(row["mean"] - 2) < 4 * row["sd"] < 0.5
    assert row["low"] < row["mean"] < row["high"]
    assert row["probability"] == pytest.approx(1, abs=0.01)
    assert law.equation.coefficients == {law.fits[0].terms[0]: row["mean"]}
    assert str(law) == str(choice_of(law).fit)
    assert list(law.fits[0].table["kept"]) == [True, False]


def test_regressions_tell_no_probability(finished: tuple[Law, Path]) -> None:
    law, _ = finished
    assert law.comparison is None
    assert law.remarks == ()
    assert np.isnan(law.coefficients["probability"].to_numpy(float)).all()


def test_what_law_json_tells(chosen: tuple[Law, Path]) -> None:
    law, folder = chosen
    told = json.loads((folder / "law.json").read_text())
    assert told["law"] == [str(law)]
    assert told["equation"] == str(law.equation)
    assert told["alternatives"][0]["terms"] == "u_xx"
    assert [(row["field"], row["term"]) for row in told["probabilities"]] == [("u", "u_xx"), ("u", "u_x")]
    assert [row["term"] for row in told["single_term_changes"]] == ["u_xx", "u_x"]
    assert (told["time_orders"], told["reasons"], told["diagnostics"]) == ({"u": 1}, {}, None)
    assert 0.5 < told["held_out"]["rms_error"] / told["held_out"]["expected"] < 1.5
    assert len(told["held_out"]["sensors"]) == 8
    assert set(told["baselines"]["u"]) >= {"constant", "smooth"}
    assert abs(told["noise"]["u"]["mean"] - 0.05) < 0.015
    assert told["settings"]["regression"] == {"method": "auto"}


def test_it_is_read_back_and_resumed_to_the_same_bytes(chosen: tuple[Law, Path], tmp_path: Path) -> None:
    law, folder = chosen
    again = load(folder)
    assert repr(again) == repr(law)
    pd.testing.assert_frame_equal(again.coefficients, law.coefficients)
    again.save(tmp_path / "copy.pdescry")
    assert (tmp_path / "copy.pdescry" / "law.json").read_bytes() == (folder / "law.json").read_bytes()
    assert {path.name for path in (tmp_path / "copy.pdescry").iterdir()} == FILES - {
        "log.txt",
        "report.html",
        "figures",
        ".lock",
    }
    shutil.copytree(folder, tmp_path / "run")
    (tmp_path / "run" / "law.json").unlink()
    resume(tmp_path / "run", figures=False)
    assert (tmp_path / "run" / "law.json").read_bytes() == (folder / "law.json").read_bytes()


@pytest.mark.slow
def test_stopped_while_it_fits_it_ends_with_the_same_bytes(chosen: tuple[Law, Path], tmp_path: Path) -> None:
    _, folder = chosen
    shutil.copytree(folder, tmp_path / "run")
    for name in ("law.json", "joint.nc"):
        (tmp_path / "run" / name).unlink()

    def stop(stage: str, fraction: float, left: float | None) -> None:
        if stage.startswith("fit: ") and fraction > 0.3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        resume(tmp_path / "run", progress=stop, workers=1)
    assert not (tmp_path / "run" / "joint.nc").exists()
    resume(tmp_path / "run", figures=False, workers=2)
    assert (tmp_path / "run" / "law.json").read_bytes() == (folder / "law.json").read_bytes()


def test_a_damaged_fit_is_told_and_made_again(chosen: tuple[Law, Path], tmp_path: Path) -> None:
    shutil.copytree(chosen[1], tmp_path / "run")
    path = tmp_path / "run" / "joint.nc"
    content = bytearray(path.read_bytes())
    at = content.index(xr.load_dataset(path, engine="h5netcdf")["coefficients"].values.tobytes())
    content[at] ^= 1  # one bit of a coefficient, which only a checksum can tell
    path.write_bytes(bytes(content))
    with pytest.raises(DamagedFile, match=r"joint\.nc"):
        load(tmp_path / "run")
    with pytest.warns(UserWarning, match="recomputed"):
        resume(tmp_path / "run", figures=False, workers=1)
    for name in ("joint.nc", "law.json"):
        assert (tmp_path / "run" / name).read_bytes() == (chosen[1] / name).read_bytes()


def test_overwriting_keeps_nothing_of_a_network(finished: tuple[Law, Path], readings: Readings, tmp_path: Path) -> None:
    shutil.copytree(finished[1], tmp_path / "run")
    settings = finished[0].settings.changed({"regression": {"method": "joint"}})
    with begun(tmp_path / "run", [readings], settings, overwrite=True):
        assert {path.name for path in (tmp_path / "run").iterdir()} == {".lock", "config.toml", "readings.csv"}


# ---- in words --------------------------------------------------------------------------------------------------------


def test_laws_that_may_be_true_as_well_are_told(chosen: tuple[Law, Path], tmp_path: Path) -> None:
    law = near_tie(chosen[0])
    assert law.found
    assert "\n  or u_t = " in repr(law)
    assert "(probability 0.30)" in repr(law)
    assert "other-laws" in [each.code for each in law.warnings]
    assert Notice.of("say-what-you-know") in law.advice
    assert "(probability" not in repr(chosen[0])
    law.save(tmp_path / "law")
    assert repr(load(tmp_path / "law")) == repr(law)


def test_when_the_readings_do_not_tell(chosen: tuple[Law, Path], tmp_path: Path) -> None:
    law = with_comparison(chosen[0], reasons={"u": REASON})
    assert not law.found
    assert str(law) == f"cannot tell: {REASON}"
    assert "The best law, which the readings do not support: u_t = " in repr(law)
    assert law.coefficients.empty
    assert list(law.coefficients.columns) == list(chosen[0].coefficients.columns)
    assert not law.fits[0].coefficients.any()
    assert "law-not-determined" in [each.code for each in law.warnings]
    assert Notice.of("see-more") in law.advice
    with pytest.raises(InputError, match="determine a law"):
        law.simulate()
    with pytest.raises(InputError, match="determine a law"):
        _ = law.equation
    law.save(tmp_path / "law")
    told = json.loads((tmp_path / "law" / "law.json").read_text())
    assert told["law"] == [f"cannot tell: {REASON}"]
    assert told["equation"] is None
    assert told["coefficients"] == []
    assert told["alternatives"]
    assert repr(load(tmp_path / "law")) == repr(law)
    # The field that knows no law is what is left to ask.
    assert law.predict([1.0], [5.0]).equals(law.free_field.predict([1.0], [5.0]))


def test_chains_that_have_not_mixed_are_told(finished: tuple[Law, Path]) -> None:
    law, _ = finished
    posterior = replace(sampled(law))
    verdict = Notice.of("few-draws", fewest=10)
    vars(posterior)["diagnostics"] = replace(diagnostics_of(law), mixed=False, verdict=verdict)
    warnings, advice = judge(with_inference(law, posterior=posterior).inference, law.forward)
    assert Notice.of("draws-unreliable", verdict=verdict) in warnings
    assert Notice.of("sample-longer") in advice


# ---- the field, and forward ------------------------------------------------------------------------------------------


def test_the_field_that_obeys_the_law_is_predicted(chosen: tuple[Law, Path]) -> None:
    law, _ = chosen
    t, x = np.array([1.0, 2.0]), np.array([3.0, 4.0, 5.0])
    found = law.predict(t, x)
    assert found["u"].dims == ("t", "x")
    assert not found.equals(law.free_field.predict(t, x))
    assert found.equals(choice_of(law).fit.predict(t, x))
    wide = law.predict(t, x, level=0.99)
    assert (wide["u_high"] > found["u_high"]).all()
    read = law.predict(t, x, noise=True)
    noise = choice_of(law).fit.noise[0]
    np.testing.assert_allclose(read["u_sd"] ** 2, found["u_sd"] ** 2 + noise**2)
    scattered = law.predict(t[[0, 1]], x[[0, 2]], grid=False)
    assert scattered["u"].dims == ("point",)
    np.testing.assert_allclose(scattered["u"], [found["u"][0, 0], found["u"][1, 2]])
    np.testing.assert_allclose(scattered["u_sd"], [found["u_sd"][0, 0], found["u_sd"][1, 2]])
    for wrong in (([1.0], [-50.0]), ([1e3], [5.0])):
        with pytest.raises(InputError, match=r"where the law was fitted; got .*law\.simulate"):
            law.predict(*wrong)


def test_a_domain_beyond_the_sensors(chosen: tuple[Law, Path], tmp_path: Path) -> None:
    law, _ = chosen
    assert law.reach == law.readings.span
    fit = refine(law.readings, law.equation, domain=(0.0, 10.0), workers=1)
    wide = with_inference(law, choice=replace(choice_of(law), fit=fit))
    assert wide.reach == law.readings.span | {"x": (0.0, 10.0)}
    assert plot.field(wide).get_xlim() == (0.0, 10.0)
    assert wide.simulate([0.0, 1.0])["x"].to_numpy()[[0, -1]] == pytest.approx([0.0, 10.0])
    wide.report(tmp_path / "wide.html")
    wide.save(tmp_path / "wide")
    assert load(tmp_path / "wide").reach == wide.reach


def test_the_law_is_solved_from_the_field_that_obeys_it(chosen: tuple[Law, Path]) -> None:
    law, _ = chosen
    assert law.forward.status == "ok"
    low, high = law.readings.span["x"]
    left, right = law.predict([1.0], [low, high])["u"].values[0].tolist()
    found = law.simulate([1.0, 1.5, 2.0], boundary={"left": f"u={left!r}", "right": f"u={right!r}"})
    np.testing.assert_allclose(found["u"][0], law.predict([1.0], found["x"].values)["u"][0], atol=1e-5)
    assert check_forward(law.inference, Equation.parse("u_t = -2*u_xx")).status == "ill-posed"
    for times, domain in (([-1.0, 1.0], None), ([1.0, 2.0], (-50.0, 50.0))):
        with pytest.raises(InputError, match="pass initial="):
            law.simulate(times, domain=domain)
    with pytest.warns(UserWarning, match="from another start"):
        wider = law.simulate([1.0, 2.0], domain=(low - 1, high + 1), initial="7 + cos(pi*x/5)")
    assert wider.attrs["status"] == "ok"


def test_draws_spread_as_the_law_and_its_field_do(chosen: tuple[Law, Path]) -> None:
    law, _ = chosen
    laws = law.draw_laws(400, seed=1)
    (term,) = law.equation.coefficients
    drawn = np.array([equation.coefficients[term] for _, equation in laws])
    (row,) = law.coefficients.to_dict(orient="records")
    assert abs(drawn.mean() - row["mean"]) < 4 * row["sd"] / math.sqrt(400)
    assert drawn.std() == pytest.approx(row["sd"], rel=0.15)  # 4 sds of an sd of 400
    t, x = np.array([0.5, 5.0]), np.array([3.0, 5.0, 8.0])
    predicted, fit = law.predict(t, x), choice_of(law).fit
    fields = np.array([JointField(fit, state).mean(t, x)["u"] for state in fit.draw(400, seed=1)[1]])
    np.testing.assert_allclose(fields.std(0), predicted["u_sd"], rtol=0.15)
    assert (np.abs(fields.mean(0) - predicted["u"].values) < 4 * predicted["u_sd"].values / 20).all()
    # To be solved forward, they obey the law more closely, which leaves less open.
    fields = np.array([field.mean(t, x)["u"] for field, _ in laws])
    ratio = fields.std(0) / predicted["u_sd"].values
    assert ((ratio > 0.5) & (ratio < 1.15)).all()
    assert (np.abs(fields.mean(0) - predicted["u"].values) < predicted["u_sd"].values).all()
    found = law.simulate([0.0, 0.5, 1.0], draws=2, x=[3.0, 5.0, 7.0])  # from the first moment, where draws are roughest
    assert found["u_draws"].sizes["draw"] == 2
    assert found.attrs["unsolved_draws"] == 0
    assert [str(equation) for _, equation in law.draw_laws(400, seed=1)] == [str(equation) for _, equation in laws]


def test_settings_of_the_run_are_the_users(chosen: tuple[Law, Path], readings: Readings) -> None:
    law, folder = chosen
    assert law.settings.method is None
    with pytest.raises(InputError, match=r"regression\.method was 'auto', now 'stols'"):
        discover(readings, config=TINY, workdir=folder)
    assert repr(discover(readings, config=JOINT, workdir=folder)) == repr(law)


@pytest.mark.slow
def test_the_same_law_in_any_units() -> None:
    """The whole default, from readings in other units: the same terms, coefficients that differ by the units alone."""
    units_u, units_t, units_x = 10.0, 100.0, 0.01
    readings = systems.heat().observe(noise=0.05, seed=3)
    other = Readings.from_arrays(units_t * readings.time, units_x * readings.space, units_u * readings.values)
    one, two = (choice_of(discover(each)) for each in (readings, other))
    assert [str(term) for term in one.fit.terms] == [str(term) for term in two.fit.terms] == ["u: u_xx"]
    assert two.fit.values[0] == pytest.approx(one.fit.values[0] * units_x**2 / units_t, rel=0.01)
    assert two.fit.sd[0] == pytest.approx(one.fit.sd[0] * units_x**2 / units_t, rel=0.05)


@pytest.mark.slow
def test_networks_are_trained_where_nothing_else_tells_the_law(tmp_path: Path) -> None:
    """Burgers' shock stands in a gap between sensors, where smoothness says nothing of it."""
    readings, folder = systems.burgers().observe(noise=0.0, seed=40), tmp_path / "run"
    law = discover(readings, workdir=folder, figures=False, time_order=1)
    assert law.equation.components[0].coefficients.keys() == {Term.parse("u_xx"), Term.parse("u*u_x")}
    assert (folder / "posterior.nc").exists()
    assert not (folder / "chains").exists()
    assert "begun again from trained networks" in (folder / "log.txt").read_text(encoding="utf-8")
    assert repr(load(folder)) == repr(law)


# ---- several experiments ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def two(readings: Readings, tmp_path_factory: pytest.TempPathFactory) -> tuple[Law, Path]:
    """A law that two experiments share, and its run directory."""
    folder = tmp_path_factory.mktemp("runs") / "two.pdescry"
    second = systems.heat().observe(sensors=6, noise=0.05, every=0.5, seed=4)
    return discover([readings, second], config=JOINT, workdir=folder, workers=1), folder


def test_experiments_share_a_law(two: tuple[Law, Path], readings: Readings) -> None:
    law, folder = two
    assert law.equation.components[0].coefficients.keys() == {Term.parse("u_xx")}
    assert law.readings == readings
    assert [each.n_sensors for each in law.experiments] == [8, 6]
    assert {each.name for each in folder.iterdir()} == FILES | {"readings-2.csv"}
    told = json.loads((folder / "law.json").read_text(encoding="utf-8"))
    assert [each["sensors"] for each in (told["readings"], *told["further_experiments"])] == [8, 6]
    assert {row["experiment"] for row in told["offsets"]} == {0, 1}


def test_such_a_law_is_kept_and_found_again(two: tuple[Law, Path], tmp_path: Path) -> None:
    law, folder = two
    law.save(tmp_path / "kept")
    for again in (load(folder), load(tmp_path / "kept"), resume(folder)):
        assert str(again) == str(law)
        assert again.experiments == law.experiments
    assert (tmp_path / "kept" / "law.json").read_bytes() == (folder / "law.json").read_bytes()


def test_a_run_of_several_experiments_goes_on_where_it_was_stopped(two: tuple[Law, Path], tmp_path: Path) -> None:
    law, folder = two
    for name in ("config.toml", "readings.csv", "joint.nc"):
        shutil.copy(folder / name, tmp_path / name)
    with begun(tmp_path, law.experiments, law.settings):  # the second file of readings was not written yet
        assert (tmp_path / "readings-2.csv").read_bytes() == (folder / "readings-2.csv").read_bytes()
    assert str(resume(tmp_path, figures=False)) == str(law)
    with pytest.raises(InputError, match="the readings differ"), begun(tmp_path, law.experiments[:1], law.settings):
        pass


def test_a_run_of_one_experiment_is_none_of_two(chosen: tuple[Law, Path], two: tuple[Law, Path]) -> None:
    with pytest.raises(InputError, match="the readings differ"):
        discover(list(two[0].experiments), config=JOINT, workdir=chosen[1])


def test_numbered_files_are_ours_and_no_others() -> None:
    assert all(map(is_ours, ("readings.csv", "readings-2.csv", "posterior-12.nc", "chains-3", "law.json")))
    assert not any(
        map(is_ours, ("readings-1.csv", "read-7ings.csv", "readings-02.csv", "law-2.json", "posterior-2.csv"))
    )


def test_a_config_without_readings_is_told(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("seed = 1\n", encoding="utf-8")
    with pytest.raises(InputError, match="begin the run again"):
        resume(tmp_path)


def test_several_experiments_need_the_joint_method(readings: Readings) -> None:
    with pytest.raises(InputError, match=r"several experiments .*; the method is STBLR.*; pass one experiment"):
        discover([readings, readings.select(sensors=[0, 1, 2, 3, 4])], method=STBLR(0.1))
    with pytest.raises(InputError, match="several experiments that share a law; there are 3 axes"):
        discover([in_space(), in_space().select(sensors=range(25))])
    with pytest.raises(InputError, match="empty list"):
        discover([])
    with pytest.raises(InputError, match="no such file as 'nowhere"):
        discover(Path("nowhere.csv"))
    with pytest.raises(InputError, match="a pandas DataFrame"):
        discover([readings, 3])
    with pytest.raises(InputError, match="the same readings twice"):
        discover([readings, readings])


@pytest.mark.parametrize("reason", ["", REASON])
def test_a_law_without_a_network(chosen: tuple[Law, Path], reason: str, tmp_path: Path) -> None:
    """No draws, no chains, no posterior.nc."""
    law = with_comparison(chosen[0], reasons={"u": reason} if reason else {})
    assert (law.posterior, law.diagnostics) == (None, None)
    law.save(tmp_path / "law")
    assert not (tmp_path / "law" / "posterior.nc").exists()
    assert json.loads((tmp_path / "law" / "law.json").read_text())["diagnostics"] is None
    again = load(tmp_path / "law")
    assert repr(again) == repr(law)
    again.report(tmp_path / "law.html")
    page = (tmp_path / "law.html").read_text(encoding="utf-8")
    assert 'data-figure="residuals"' in page
    assert 'data-figure="chains"' not in page
    assert 'href="#next"' in page
    assert 'id="next"' in page
    assert plot.diagnostics(again).get_title() == "each sensor predicted from the others"
    assert again.predict([1.0], [5.0])["u"].shape == (1, 1)
    assert again.free_field.predict([1.0], [5.0])["u"].shape == (1, 1)


# ---- where to read next ----------------------------------------------------------------------------------------------


def test_the_next_sensor_of_a_law_with_its_field(chosen: tuple[Law, Path]) -> None:
    law, _ = chosen
    advice = law.next_sensor(2)
    assert (advice.about, advice.notes) == ("law", ())
    assert advice.table.equals(choice_of(law).fit.next_sensor(2).table)
    np.testing.assert_allclose(advice.sd, law.coefficients["sd"])
    for number in (0, 1.5):
        with pytest.raises(InputError, match="number of sensors"):
            law.next_sensor(number)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="Expected times from t = 0 to 10"):
        law.next_sensor(times=[1, 11])
    with pytest.raises(InputError, match="Expected times as numbers"):
        law.next_sensor(times="noon")


def test_the_next_sensor_where_no_law_is_told_is_where_the_field_is_least_known(chosen: tuple[Law, Path]) -> None:
    law = with_comparison(chosen[0], reasons={"u": REASON})
    advice = law.next_sensor(2, times=[1.0, 4.0])
    assert (advice.about, len(advice.sd)) == ("field", 0)
    assert list(advice.table) == ["x", "information"]
    assert "No law was found" in str(advice)
    assert "on the field, which is most uncertain there" in str(advice)
    # By 200 draws: not the very place, but one that is about as little known.
    sd = law.free_field.predict([1.0, 4.0], advice.map["x"].values)["u_sd"]
    best = advice.readings.iloc[0]
    assert float(sd.sel(t=best["t"], x=best["x"])) > 0.8 * float(sd.max())


def test_the_next_sensor_after_a_regression_is_judged_by_draws(finished: tuple[Law, Path]) -> None:
    law, _ = finished
    advice = law.next_sensor(times=np.linspace(0, 10, 5))
    assert advice.about == "law"
    assert "25 draws of the field with a regression on each" in str(advice)
    np.testing.assert_allclose(advice.sd, law.coefficients.set_index("term")["sd"][advice.sd.index], rtol=0.5)
    assert (advice.sensors >= 0).all()
    without = with_inference(law, derivatives=None).next_sensor(times=[1.0])
    assert without.about == "field"
    assert "keep_points" in str(without)


def test_the_next_sensor_of_experiments_is_of_the_first(two: tuple[Law, Path]) -> None:
    advice = two[0].next_sensor(times=[1.0, 2.0])
    assert "Of 2 experiments, this is about the first" in str(advice)
    assert len(advice.present) == two[0].readings.n_sensors
