"""What the speed is judged by; the measurement itself, shortened, gives numbers of the right size."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from pdescry.doctor import examine
from pdescry.doctor.speed import REFERENCE, measured, speed
from pdescry.doctor.work import flops, gradients, products, timed
from pdescry.surrogate import Network

CPU = [{"platform": "cpu", "kind": "cpu"}]
USUAL = {"devices": CPU, "gradients": REFERENCE, "gflops": 100.0, "share": 0.6, "core_share": 0.99}


def troubles(**changed: object) -> list[str]:
    return [trouble.says for trouble in speed(lambda _: USUAL | changed)[1].troubles]


def test_as_expected():
    devices, found = speed(lambda _: USUAL)
    assert found.troubles == ()
    assert found.says.endswith(": as expected")
    assert devices.says == "cpu (cpu)"


def test_what_is_not_as_expected():
    assert troubles(core_share=0.4)[0].startswith("other programs left only 40% of a core")
    assert troubles(share=0.1)[0].startswith("gradients reach 10% of the rate of matrix products")
    assert troubles(gradients=REFERENCE / 4) == ["this core is slow: a run takes about 4.0 times the README's minutes"]
    assert "not as expected" in speed(lambda _: USUAL | {"share": 0.1})[1].says


def test_nothing_is_expected_of_other_devices():
    found = speed(lambda _: USUAL | {"devices": [{"platform": "gpu", "kind": "A"}], "share": 0.01})[1]
    assert found.troubles == ()
    assert "not known" in found.says


def test_a_process_that_fails_is_broken():
    def fails(_: float) -> dict:
        raise RuntimeError("ImportError: no jaxlib")

    found = examine(fails)
    assert found.broken
    assert "no jaxlib" in found.troubles[-1].says
    assert json.loads(json.dumps(found.to_dict()))["broken"]


def test_a_process_that_fails_says_why(monkeypatch):
    monkeypatch.setattr("pdescry.doctor.speed.one_core_command", lambda _: [sys.executable, "-c", "import nowhere"])
    with pytest.raises(RuntimeError, match="No module named 'nowhere'"):
        measured(0.1)


def test_works_take_turns_and_are_counted():
    works = {"gradients": gradients(Network(4, 1)), "gflops": products(64)}
    found = timed(works, 0.1)
    assert set(found) == {"gradients", "gflops", "core_share"}
    assert all(value > 0 for value in found.values())
    assert works["gradients"][1] == 300
    assert works["gflops"][1] == pytest.approx(64**3 * 2e-9)


def test_operations_of_a_gradient():
    """4 × 50: (2·50 + 3·50² + 50) multiplications and additions a reading forward, and twice back, less the inputs'."""
    assert flops(Network(50, 4)) == pytest.approx(2 * 816 * (3 * 7650 - 100) / 1e9)


@pytest.mark.slow
def test_measured():
    """In a process of its own. The share of a core's matrix products, unlike its speed, is much the same anywhere."""
    found = measured(0.3)
    assert found["devices"][0]["platform"]
    assert found["gradients"] > 0
    assert found["gflops"] > 0
    assert 0 < found["core_share"] < 1.2
    assert 0.05 < found["share"] < 5


def test_the_examination_itself_loads_no_jax():
    """JAX may be what is broken."""
    code = """
import json, sys
from pdescry.doctor import examine
examine(lambda _: json.loads(sys.argv[1]))
assert "jax" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code, json.dumps(USUAL)], check=True)
