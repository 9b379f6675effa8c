"""The whole examination, in about ten seconds."""

from __future__ import annotations

from pdescry.doctor.finding import Examination
from pdescry.doctor.machine import cores, folder, linear_algebra, memory
from pdescry.doctor.packages import packages, program
from pdescry.doctor.speed import Measure, measured, speed


def examine(measure: Measure = measured, seconds: float = 2.0) -> Examination:
    """What is installed, what the machine has, and whether chains run as fast as they should.

    seconds: how long to time gradients for. Nothing is written and nothing is changed.
    """
    return Examination((program(), packages(), cores(), memory(), folder(), linear_algebra(), *speed(measure, seconds)))
