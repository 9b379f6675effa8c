"""How probable each of several laws is, by how well they predict left-out sensors, with an honest standard error.

A sum of log densities over sensors says which law predicts best, as if these sensors were all there are. Others would
have been as good: how much the sum would differ is seen by weighing sensors at random, as often as one likes (the
Bayesian bootstrap). In each such world laws have weights exp(score); their probabilities are the means of these
(pseudo-BMA+; Yao, Vehtari, Simpson and Gelman, "Using stacking to average Bayesian predictive distributions", 2018). A
law that is ahead by ten nats because of one sensor of five is not certain.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import softmax

from pdescry.joint.field.axis import Array
from pdescry.joint.search.options import SEARCH


def probabilities(by_sensor: Sequence[Array], penalties: Sequence[float]) -> Array:
    """(laws,), for each law the log densities of left-out sensors, (sensors,), and its complexity penalty."""
    table, paid = np.array(by_sensor, float), np.array(penalties, float)
    number = table.shape[1]
    if not number:
        return softmax(-paid)
    weights = number * np.random.default_rng(0).dirichlet(np.ones(number), SEARCH.weighings)  # (worlds, sensors)
    return np.mean(softmax(weights @ table.T - paid, axis=1), axis=0)
