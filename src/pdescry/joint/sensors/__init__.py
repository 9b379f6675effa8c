"""Detection of faulty sensors and readings before the search for a law: `examine`. Start at ``examine.py``.

field_of_readings   readings of one field and a Gaussian process; each reading predicted from others
outliers, constant, drift, steps   one kind of fault each
"""

from pdescry.joint.sensors.examine import examine

__all__ = ["examine"]
