"""Laws of different orders in time, compared on fine meshes."""

from types import SimpleNamespace
from typing import Any

import pytest

from pdescry.joint.choose import _leading_order
from pdescry.joint.search.by_order import ByOrder
from pdescry.joint.search.options import SEARCH

LEAD = SEARCH.orders.lead


class _Search:
    """A search whose best law has the same score on every mesh."""

    def __init__(self, order: int):
        self.problem: Any = SimpleNamespace(orders=(order,), n_readings=1000)

    @staticmethod
    def on_a_fine_mesh(laws: list[Any]) -> list[Any]:
        return laws


def _chosen(scores: dict[int, float]) -> int:
    """The order in time that is chosen, by the scores of the best law of each order."""
    orders = sorted(scores)
    searches: Any = [_Search(order) for order in orders]
    laws = ByOrder(searches, [[] for _ in orders], 0, {}, lambda number, least: [])
    tights: Any = {k: [SimpleNamespace(total_score=scores[order])] for k, order in enumerate(orders)}
    return orders[laws.on_fine_meshes(tights, lambda law: True)[0]]


@pytest.mark.parametrize(
    ("ahead", "order"),
    [(2 * LEAD, 2), (LEAD + 0.1, 2), (LEAD - 0.1, 1), (0.0, 1), (-2 * LEAD, 1)],
)
def test_second_order_needs_a_lead(ahead: float, order: int) -> None:
    assert _chosen({1: 500.0, 2: 500.0 + ahead}) == order


def test_second_order_alone_needs_none() -> None:
    assert _chosen({2: 500.0}) == 2


@pytest.mark.parametrize(
    ("first", "second", "leading"), [(0.4, 0.83, 0), (0.2, 0.9, 1), (0.99, 0.999, 1), (0.9, 0.9, 0)]
)
def test_second_order_is_searched_first_if_it_leaves_a_fifth_as_much(first: float, second: float, leading: int) -> None:
    problems: Any = [SimpleNamespace(orders=(1,)), SimpleNamespace(orders=(2,))]
    assert _leading_order(problems, [first, second]) == leading
    assert _leading_order(problems[::-1], [second, first]) == 1 - leading
