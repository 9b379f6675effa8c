"""The recurrences against nested ``jax.grad`` in float64."""

from __future__ import annotations

from itertools import pairwise, product

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pdescry.derivatives.taylor import closure, derivatives

MOST = {1: 6, 2: 4, 3: 3}  # total order by number of inputs: a nested gradient of order 6 in three takes minutes


def random_network(inputs, width, depth, outputs, seed):
    rng = np.random.default_rng(seed)
    sizes = [inputs, *[width] * depth, outputs]
    return [rng.standard_normal((b, a + 1)) / np.sqrt(a) for a, b in pairwise(sizes)]


def nested(layers, points, index):
    """∂^index of each output at each point, one ``jax.grad`` for each differentiation: (outputs, N)."""

    def output(number):
        def at(*point):
            hidden = jnp.stack(point)
            for layer in layers[:-1]:
                hidden = jnp.tanh(layer[:, :-1] @ hidden + layer[:, -1])
            return layers[-1][number, :-1] @ hidden + layers[-1][number, -1]

        return at

    rows = []
    for number in range(len(layers[-1])):
        function = output(number)
        for axis, order in enumerate(index):
            for _ in range(order):
                function = jax.grad(function, axis)
        rows.append(jax.jit(jax.vmap(function))(*points))
    return np.array(rows)


def compare(layers, points, indices):
    with jax.enable_x64(True):
        closed = closure(indices)
        found = jax.jit(lambda: derivatives([jnp.asarray(layer) for layer in layers], jnp.asarray(points), closed))()
        for index in indices:
            expected = nested(layers, points, index)
            assert found[index].dtype == jnp.float64
            np.testing.assert_allclose(found[index], expected, rtol=1e-10, atol=1e-10 * np.abs(expected).max())


@st.composite
def problems(draw):
    inputs = draw(st.integers(1, 3))
    every = [index for index in product(range(MOST[inputs] + 1), repeat=inputs) if sum(index) <= MOST[inputs]]
    indices = draw(st.lists(st.sampled_from(every), min_size=1, max_size=2, unique=True))
    shape = draw(st.tuples(st.integers(1, 5), st.integers(0, 3), st.integers(1, 2)))
    return inputs, indices, shape, draw(st.integers(0, 10**6))


@pytest.mark.slow
@given(problem=problems())
@settings(max_examples=20, deadline=None, derandomize=True)
def test_every_derivative_of_random_networks(problem):
    inputs, indices, (width, depth, outputs), seed = problem
    points = np.random.default_rng(seed).uniform(-2, 2, (inputs, 3))
    compare(random_network(inputs, width, depth, outputs, seed), points, indices)


@pytest.mark.parametrize("index", [pytest.param((0, 6), marks=pytest.mark.slow), (2, 0), (1, 4), (2, 2)])
def test_a_network_of_the_papers_size(index):
    points = np.random.default_rng(1).uniform(-2, 2, (2, 2))
    compare(random_network(2, 50, 4, 1, seed=5), points, [index])


def test_mixed_partials_of_three_axes():
    points = np.random.default_rng(2).uniform(-1, 1, (4, 2))
    compare(random_network(4, 4, 2, 2, seed=6), points, [(0, 1, 1, 0), (0, 2, 0, 2), (1, 0, 0, 1)])


def test_only_what_is_needed_is_computed():
    assert closure([(1, 0), (0, 4)]) == ((0, 0), (0, 1), (1, 0), (0, 2), (0, 3), (0, 4))
    assert len(closure([(0, 2, 2)])) == 9
    layers, points = random_network(2, 50, 3, 1, seed=0), np.zeros((2, 8))

    def products(indices):
        traced = jax.make_jaxpr(lambda: derivatives([jnp.asarray(x) for x in layers], jnp.asarray(points), indices))()
        return str(traced).count("dot_general")

    # One product a coefficient and layer; the first layer knows of value and direction only.
    assert products(closure([(0, 0)])) == 4
    assert products(closure([(0, 4)])) == 2 + 3 * 5
    assert products(closure([(0, 4), (1, 0)])) == 3 + 3 * 6
