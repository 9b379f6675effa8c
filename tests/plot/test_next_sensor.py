"""The map of what readings would tell: axes, sensors and advice where they are."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.figure import Figure

from pdescry import Readings
from pdescry.joint import Advice
from pdescry.joint.advice import Sites, advise
from pdescry.joint.information import Belief
from pdescry.plot import next_sensor as draw_advice
from pdescry.plot import save


def advice(axes: tuple[str, ...] = ("x",), fields: int = 1, times: list[float] | None = None) -> Advice:
    """Of made-up draws of a field whose only coefficient is its value far to the right."""
    random = np.random.default_rng(0)
    space = random.uniform(0, 10, (40, len(axes)))
    values = random.standard_normal((40, fields))
    readings = Readings.from_arrays(np.tile([0.0, 1.0, 2.0, 3.0], 10), space, values, axes=axes)
    sites = Sites.of(readings, [0.5, 1.5, 2.5] if times is None else times)
    x, drawn = sites.points[:, 1], random.standard_normal((100, 1))
    field = drawn * (x / x.max()) ** 4 + 0.1 * random.standard_normal((100, len(x)))
    belief = Belief.of_draws(drawn, np.tile(field, fields))
    return advise(belief, sites, ["u_xx"], np.full(fields, 0.5), 2)


def test_sensors_advice_and_the_best_reading_are_where_they_are(tmp_path):
    found = advice()
    ax = draw_advice(found)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x", "t")
    marked = {line.get_label(): np.asarray(line.get_xydata()) for line in ax.get_lines()}
    np.testing.assert_allclose(marked["sensors"][:, 0], found.present[:, 0])
    assert marked["advised"][0, 0] == found.table["x"].to_numpy()[0]
    assert marked["best single reading"].tolist() == found.readings[["x", "t"]].to_numpy()[:1].tolist()
    assert [text.get_text() for text in ax.texts] == ["1", "2"]
    assert ax.get_title() == f"Next sensor: {found.spelled(found.table.iloc[0])}"
    assert found.table["x"].to_numpy()[0] > 9  # where the field hangs on the coefficient
    save(ax, tmp_path / "next.svg")


@pytest.mark.parametrize("changes", [{"times": [1.0]}, {"axes": ("x", "y")}, {"axes": ("x", "y"), "fields": 2}])
def test_one_time_several_axes_and_fields(changes, tmp_path):
    ax = Figure().add_subplot()
    found = advice(**changes)
    assert draw_advice(found, ax=ax) is ax
    save(ax, tmp_path / "next.png")
    assert found.map.shape == (len(found.times), found.sensors.size)
    assert found.table["x"].to_numpy()[0] > 7


def test_a_second_field_tells_more():
    one, two = (advice(("x", "y"), fields).table["information"].to_numpy() for fields in (1, 2))
    assert two[0] > one[0]
