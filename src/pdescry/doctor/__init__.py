"""This installation and this machine → `Examination`: what is here, what is wrong, and what to do about it.

    packages.py, machine.py, speed.py ─▶ Finding ── examine.py ─▶ Examination

Read first ``finding.py`` (the types), then ``examine.py``. ``work.py`` is what is timed, in a process like those that
run the chains; ``benchmarks/gradients.py`` times the same. Only that process loads JAX, which may be what is broken.
"""

from pdescry.doctor.examine import examine
from pdescry.doctor.finding import Examination, Finding, Trouble

__all__ = ["Examination", "Finding", "Trouble", "examine"]
