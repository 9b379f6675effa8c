"""Two axes of space: where a law is required, what is left out together, and laws that are found and told."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pdescry import Choice, InputError, JointFit, Readings, choose, refine, systems
from pdescry.executor import Inline
from pdescry.joint import Joint
from pdescry.joint.field.axis import Array, Axis
from pdescry.joint.field.mesh import finer_in_space, first_sizes, refined, space_of
from pdescry.joint.field.options import FIELD
from pdescry.joint.field.region import Region
from pdescry.joint.field.space import Space
from pdescry.joint.fit.known_edges import resolved_to_edges
from pdescry.joint.fit.options import FIT
from pdescry.joint.observations import Observations
from pdescry.joint.without_law import fields_without_law, starts_of
from pdescry.problem import Condition, Problem

LAW = {"u_x": 0.25, "u_y": 0.5, "lap(u)": 0.5}


def spreading(t: Array, places: Array) -> Array:
    """u_t = 0.25 u_x + 0.5 u_y + 0.5 lap(u): Gaussians that drift and spread."""
    total = np.zeros(len(t))
    for centre, size, height in ((-0.4, 0.6, 1.0), (0.7, 0.7, -0.8), (-0.9, 0.7, 0.7)):
        variance = size**2 + t
        away = (places[:, 0] - centre + 0.25 * t) ** 2 + (places[:, 1] + centre + 0.5 * t) ** 2
        total += height * size**2 / variance * np.exp(-away / (2 * variance))
    return total


def plane(sensors: int = 25, times: int = 12, noise: float = 0.01, seed: int = 0) -> Readings:
    random = np.random.default_rng(seed)
    places = np.tile(random.uniform(-1.8, 1.8, (sensors, 2)), (times, 1))
    t = np.repeat(np.linspace(0, 1, times), sensors)
    values = spreading(t, places)
    values += noise * values.std() * random.normal(size=len(values))
    return Readings.from_arrays(t, places, values, axes=("x", "y"))


@pytest.fixture(scope="module")
def readings() -> Readings:
    return plane()


@pytest.fixture(scope="module")
def fit(readings: Readings) -> JointFit:
    return refine(readings, "u_t = u_x + u_y + lap(u)", workers=1)


@pytest.fixture(scope="module")
def choice(readings: Readings) -> Choice:
    candidates = ["u_x", "u_y", "u_xx", "u_yy", "lap(u)"]
    return choose(readings, candidates, Joint(proposals=1, largest=3), time_order=1, workers=1)


# ---- where a law is required -----------------------------------------------------------------------------------------


def test_a_law_is_required_among_sensors_and_not_in_a_notch() -> None:
    random = np.random.default_rng(0)
    places = random.uniform(0, 1, (200, 2))
    places = places[~((places > 0.5).all(axis=1))]  # an L
    region = Region.of(Readings.from_arrays(np.arange(len(places)), places, places[:, 0], axes=("x", "y")))
    assert region is not None
    asked = np.array([[0.25, 0.25], [0.3, 0.8], [0.95, 0.95], [0.8, 0.2], [5.0, 0.2]])
    assert region.contains(asked).tolist() == [True, True, False, True, False]
    assert not region.between(places[[np.argmin(places[:, 0])]])[0]


def test_what_no_law_is_required_of_weighs_nothing(readings: Readings) -> None:
    around = Region.of(readings.select(readings.space[:, 0] + readings.space[:, 1] < 0))  # half of the box
    space = space_of([np.linspace(-1.8, 1.8, 13)] * 2 + [np.linspace(0, 1, 5)], 1, around)
    required = space.required
    assert required is not None
    assert 0.4 < required.mean() < 0.8
    assert np.isclose(space.volume.sum(), 1.0)
    ones = space.moments(np.ones(space.points))
    np.testing.assert_allclose(np.sum(ones**2), 1.0)
    np.testing.assert_array_equal(np.any(ones != 0, axis=1), required.ravel().repeat(4))


def test_sensors_along_a_line_of_the_plane_do_not_fail() -> None:
    t, x = np.repeat(np.arange(4.0), 5), np.tile(np.arange(5.0), 4)
    region = Region.of(Readings.from_arrays(t, np.column_stack([x, 2 * x]), x, axes=("x", "y")))
    assert region is not None
    assert region.contains(np.array([[2.0, 4.0]])).all()


def test_both_ways_of_squaring_agree() -> None:
    axes = (Axis(np.linspace(0, 1, 4), 3), Axis(np.linspace(0, 2, 3), 3), Axis(np.linspace(0, 1, 6), 3))
    space = Space(axes)
    rows = np.random.default_rng(0).normal(size=(space.n_elements, space.n_moments, space.n_local))
    np.testing.assert_allclose(space._squared_by_elements(rows), space._squared_by_pairs(rows), atol=1e-10)


def test_meshes_in_the_plane_are_bounded() -> None:
    sizes = first_sizes(0, False, 2)
    assert sizes[0] == (8, 8, 8)
    assert refined((8, 8, 8), [0, 1, 2], (28, 28, 48)) == (12, 12, 12)
    large = refined((28, 28, 12), [2], (28, 28, 48))
    assert large == (28, 28, 12)  # a factorisation would take too long
    assert refined((12, 12, 12), [0, 1], (28, 28, 48), last=False)[1] == 12
    work = FIELD.mesh.in_the_plane.work
    assert work[0] < work[1]


def test_the_next_mesh_for_laws_is_finer_along_the_coarser_axis_and_bounded() -> None:
    def mesh(x: int, y: int, t: int, components: int = 1) -> Space:
        return space_of([np.linspace(0, 1, number + 1) for number in (x, y, t)], components)

    assert finer_in_space(mesh(8, 8, 8)) == 12
    assert finer_in_space(mesh(12, 8, 8)) == 12
    assert finer_in_space(mesh(12, 12, 8)) == 16
    assert finer_in_space(mesh(16, 16, 8)) is None  # a factorisation would take too long
    assert finer_in_space(mesh(20, 20, 8)) is None
    assert finer_in_space(mesh(12, 12, 8, 2)) is None
    assert finer_in_space(space_of([np.linspace(0, 1, 49), np.linspace(0, 1, 17)], 1)) is None


def test_laws_can_begin_on_finer_meshes(readings: Readings) -> None:
    problem = Problem.of((readings,), time_order=1)
    processes = fields_without_law(problem, Inline(), lambda what, fraction, left=None: None, ("shared", "smooth"))
    first, finer = (starts_of(problem, processes, (), least)[0].initial[0] for least in (0, 12))
    assert min(axis.n for axis in first.experiment.space.places) < 12
    assert min(axis.n for axis in finer.experiment.space.places) == 12
    points = np.column_stack([readings.space, readings.time])
    for each in (first, finer):
        values = each.experiment.at(points, np.zeros(len(points), int)) @ each.state
        assert np.std(values - readings.values[:, 0]) < 0.03


# ---- what is left out together ---------------------------------------------------------------------------------------


def test_few_sensors_are_left_out_one_by_one_and_pixels_in_groups(readings: Readings) -> None:
    few = Observations(readings)
    assert [sensors.tolist() for sensors, _ in few.left_out] == [[k] for k in range(25)]
    assert 0 < len(few.between) < 25
    assert few.offsets_identifiable
    x, y, t = (each.ravel() for each in np.meshgrid(np.arange(20.0), np.arange(20.0), np.arange(6.0), indexing="ij"))
    many = Observations(Readings.from_arrays(t, np.column_stack([x, y]), x, axes=("x", "y")))
    assert len(many.left_out) == 64
    assert sorted(np.concatenate([sensors for sensors, _ in many.left_out])) == list(range(400))
    assert sum(len(own) for _, own in many.left_out) == 2400
    assert not many.offsets_identifiable


# ---- laws ------------------------------------------------------------------------------------------------------------


def test_the_coefficients_of_a_law_in_the_plane(fit: JointFit) -> None:
    truth = np.array([LAW[str(each.term)] for each in fit.terms])
    assert (np.abs(fit.values - truth) < 3 * fit.sd).all()
    assert (np.abs(fit.values / truth - 1) < 0.15).all()
    assert not fit.variation
    assert fit.profiles.empty


def test_meshes_are_refined_for_known_edges_only(fit: JointFit, monkeypatch: pytest.MonkeyPatch) -> None:
    found = fit.minimum
    assert resolved_to_edges(found) is found
    low, _ = fit.reach["x"]
    known = found.with_experiments([replace(fit.experiment, conditions=(Condition("u", 1, low, 0.0),))])
    any_cost = replace(FIT, refinement=replace(FIT.refinement, residual_cost_at_edges=1e9))
    monkeypatch.setattr("pdescry.joint.fit.known_edges.FIT", any_cost)
    assert resolved_to_edges(known) is known


def test_the_field_is_predicted_between_the_sensors(fit: JointFit) -> None:
    random = np.random.default_rng(5)
    points = random.uniform([0.1, -1.0, -1.0], [0.9, 1.0, 1.0], (60, 3))
    found = fit.predict(*points.T, grid=False)
    truth = spreading(points[:, 0], points[:, 1:])
    assert np.sqrt(np.mean((found["u"].to_numpy() - truth) ** 2)) < 0.02
    assert ((found["u_low"] <= truth) & (truth <= found["u_high"])).mean() > 0.8


def test_an_isotropic_law_is_told_as_one_term(choice: Choice) -> None:
    assert {str(each.term) for each in choice.fit.terms} == LAW.keys()
    for each, value, sd in zip(choice.fit.terms, choice.fit.values, choice.fit.sd, strict=True):
        assert abs(value - LAW[str(each.term)]) < 3 * sd
    assert choice.comparison.alternatives["probability"].iloc[0] > 0.9
    laws = [set(terms.split(", ")) for terms in choice.comparison.alternatives["terms"]]
    assert not any("lap(u)" in law and law & {"u_xx", "u_yy"} for law in laws)


def test_a_choice_in_the_plane_is_kept(choice: Choice, readings: Readings, tmp_path: Path) -> None:
    choice.save(tmp_path / "plane.nc")
    again = Choice.load(tmp_path / "plane.nc", readings)
    assert str(again) == str(choice)
    points = np.array([0.3, 0.8]), np.array([0.1, -0.4]), np.array([0.0, 0.7])
    np.testing.assert_allclose(
        again.fit.predict(*points, grid=False)["u_sd"], choice.fit.predict(*points, grid=False)["u_sd"]
    )


@pytest.mark.slow
def test_a_law_whose_field_is_sharper_than_a_smooth_one() -> None:
    """On the mesh that follows the smooth field, 1 and u^2 take the place of half of u^3."""
    readings = systems.get("allen_cahn_2d").observe(sensors=60, times=40, noise="2%", seed=1)
    choice = choose(readings, workers=1)
    assert choice.told
    assert {str(each.term) for each in choice.fit.terms} == {"u", "lap(u)", "u^3"}
    np.testing.assert_allclose(sorted(choice.fit.values), [-1, 0.1, 1], rtol=0.1)


@pytest.mark.slow
def test_readings_in_random_order_tell_no_law(readings: Readings) -> None:
    order = np.random.default_rng(3).permuted(np.arange(len(readings)).reshape(12, 25), axis=0).ravel()
    shuffled = replace(readings, values=readings.values[order])
    assert not choose(shuffled, workers=1).told


def test_coefficients_do_not_vary_in_the_plane(readings: Readings) -> None:
    with pytest.raises(InputError, match="vary along the one axis of readings"):
        choose(readings, ["lap(u)"], Joint(vary=("lap(u)",)), time_order=1)
