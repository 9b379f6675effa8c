"""Faulty sensors and readings, found before a law is sought: `examine`. Start at ``examine.py``.

field_of_readings   readings of one field beside a Gaussian process; each reading predicted from others
outliers, constant, drift, steps   one kind of fault each
"""

from pdescry.joint.sensors.examine import examine

__all__ = ["examine"]
