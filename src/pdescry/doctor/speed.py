"""How fast a chain runs on one core, and whether that is what the core can do.

Gradients of the log posterior are small matrix products, so the floating-point operations in them, as a share of what
large products reach on the same core in the same seconds, are much the same on every machine; their number a second
is not. Times are of the core; what other programs took of it is listed separately.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Mapping
from typing import Any

from pdescry.cores import one_core_command, one_core_environment
from pdescry.doctor.finding import Finding, Trouble

# On the machine that the README's minutes are from, 18 runs beside other programs (docs/interpolation.md): 1,082 to
# 1,412 gradients a second of a core, 56 to 68 % of its matrix products. Below half of the least something is wrong.
REFERENCE = 1200.0
LEAST_SHARE = 0.28
LEAST_CORE = 0.8  # of its time
LEAST_SPEED = 0.45  # of the reference

Measure = Callable[[float], Mapping[str, Any]]


def measured(seconds: float = 2.0) -> Mapping[str, Any]:
    """Of one process like a chain's: its devices, gradients and GFLOP a second of the core, and ``core_share``."""
    done = subprocess.run(
        [*one_core_command("pdescry.doctor.work"), str(seconds)],
        env=one_core_environment(),
        capture_output=True,
        text=True,
        timeout=120,
    )
    if done.returncode:
        raise RuntimeError((done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1])
    return json.loads(done.stdout.splitlines()[-1])


def speed(measure: Measure = measured, seconds: float = 2.0) -> tuple[Finding, Finding]:
    """The devices of JAX, and how fast the first of them is."""
    try:
        found = measure(seconds)
    except (RuntimeError, OSError, ValueError, subprocess.SubprocessError) as fault:
        remedy = "pip install -U --force-reinstall jax jaxlib blackjax optax; if it stays, report it with this output"
        trouble = Trouble(f"the process that chains run in fails: {fault}", remedy, broken=True)
        return Finding("devices", "not known"), Finding("speed", "not measured", {}, (trouble,))
    devices = [f"{each['platform']} ({each['kind']})" for each in found["devices"]]
    shown = Finding("devices", ", ".join(devices), {"devices": found["devices"]})
    facts = {name: value for name, value in found.items() if name != "devices"}
    if found["devices"][0]["platform"] != "cpu":
        says = f"{found['gradients']:,.0f} gradients a second; what to expect of such a device is not known"
        return shown, Finding("speed", says, facts)
    troubles = tuple(_troubles(found))
    pace = found["gradients"] / REFERENCE
    says = (
        f"{found['gradients']:,.0f} gradients a second of a core, {pace:.1f} times those of the README's machine; "
        f"{found['share']:.0%} of its matrix products ({found['gflops']:.0f} GFLOP/s): "
        f"{'not as expected' if troubles else 'as expected'}"
    )
    return shown, Finding("speed", says, facts, troubles)


def _troubles(found: Mapping[str, Any]) -> list[Trouble]:
    troubles = []
    if found["core_share"] < LEAST_CORE:
        troubles.append(
            Trouble(
                f"other programs left only {found['core_share']:.0%} of a core{_load()}",
                "close them or wait; until then runs take longer, and end with the same law",
            )
        )
    if found["share"] < LEAST_SHARE:
        troubles.append(
            Trouble(
                f"gradients reach {found['share']:.0%} of the rate of matrix products; {LEAST_SHARE:.0%} or more is "
                "expected",
                "run it again with nothing beside it; if it stays, pip install -U jax jaxlib",
            )
        )
    if found["gradients"] < LEAST_SPEED * REFERENCE and not found["share"] < LEAST_SHARE:
        troubles.append(
            Trouble(
                f"this core is slow: a run takes about {REFERENCE / found['gradients']:.1f} times the README's minutes",
                "plug a laptop in and let it cool; an older processor stays so, and fewer readings help",
            )
        )
    return troubles


def _load() -> str:
    if not hasattr(os, "getloadavg"):
        return ""
    return f" (load average {os.getloadavg()[0]:.1f})"
