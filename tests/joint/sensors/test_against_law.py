"""A sensor that drifts against a law is found, left out, and left out again when a choice is loaded."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pdescry import Choice, JointFit, Readings, choose, refine
from pdescry.joint.sensors.against_law import drifting, fault_of, without

DRIFTS = 6


@pytest.fixture(scope="module")
def drifted(heat: Readings) -> Readings:
    since = (heat.time - heat.time.min()) / np.ptp(heat.time)
    late = np.where(heat.sensor == DRIFTS, since * heat.values.std(), 0.0)
    return replace(heat, values=heat.values + late[:, None])


def test_a_sensor_that_drifts_is_found_by_the_law(drifted: Readings) -> None:
    seen = drifting(refine(drifted, "u_t = u_xx", workers=1).minimum)
    assert seen is not None
    sensor, rate = seen
    assert sensor == DRIFTS
    assert rate == pytest.approx(drifted.values.std() / np.ptp(drifted.time), rel=0.3)


def test_none_is_found_where_none_drifts(fitted: JointFit, shared: JointFit) -> None:
    assert drifting(fitted.minimum) is None
    assert drifting(shared.minimum) is None  # several experiments are not judged


def test_it_is_named_and_the_others_keep_their_names(drifted: Readings) -> None:
    fault = fault_of(drifted, DRIFTS, 0.1)
    assert (fault.kind, fault.sensors, fault.readings) == ("drift", ("6",), 26)
    left = without(drifted, fault)
    assert left.n_sensors == drifted.n_sensors - 1
    assert left.sensor_names == tuple(str(k) for k in range(12) if k != DRIFTS)
    assert left.faults == (fault,)
    assert without(left, fault) is left


def test_the_law_is_sought_without_it_and_loaded_with_all_readings(drifted: Readings, tmp_path: Path) -> None:
    kept = choose(drifted, ["u_xx"], time_order=1, workers=1, leave_out=False)
    assert kept.left_out == ()
    choice = choose(drifted, ["u_xx"], time_order=1, workers=1)
    (fault,) = choice.left_out
    assert (fault.kind, fault.sensors) == ("drift", (str(DRIFTS),))
    assert choice.fit.readings == without(drifted, fault)
    assert choice.fit.sd[0] < 0.6 * kept.fit.sd[0]
    choice.save(tmp_path / "joint.nc")
    for given in (drifted, choice.fit.readings):
        found = Choice.load(tmp_path / "joint.nc", given)
        assert found.left_out == (fault,)
        assert found.fit.readings == choice.fit.readings
        np.testing.assert_array_equal(found.fit.covariance, choice.fit.covariance)
