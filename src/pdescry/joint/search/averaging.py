"""Probabilities of several laws, from how well they predict held-out sensors, including its standard error.

The sum of log densities over sensors says which law predicts these sensors best. Its sampling error is estimated by the
Bayesian bootstrap, with random weights of the sensors: for each set of weights, laws have weights exp(score), and their
probabilities are the means of these (pseudo-BMA+; Yao, Vehtari, Simpson and Gelman, "Using stacking to average Bayesian
predictive distributions", 2018). A law that leads by ten nats because of one sensor of five is not certain.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import softmax

from pdescry.joint.field.axis import Array
from pdescry.joint.search.options import SEARCH


def probabilities(by_sensor: Sequence[Array], penalties: Sequence[float]) -> Array:
    """(laws,): probabilities, from the log densities of held-out sensors, (sensors,), and the complexity penalty of
    each law."""
    table, paid = np.array(by_sensor, float), np.array(penalties, float)
    number = table.shape[1]
    if not number:
        return softmax(-paid)
    weights = number * np.random.default_rng(0).dirichlet(np.ones(number), SEARCH.weighings)  # (replicates, sensors)
    return np.mean(softmax(weights @ table.T - paid, axis=1), axis=0)
