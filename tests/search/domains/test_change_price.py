"""A price per change in small searches whose every point can be listed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from elsewise.search import Layout, SearchRequest, search_tree
from small_search import SmallSearch, small_search


def with_price(problem: SmallSearch, price: float, unit: np.ndarray) -> object:
    domain = problem.domain()
    layout = Layout(domain.layout.column, domain.layout.n_columns, domain.layout.group, unit)
    n = len(problem.E)
    priced = replace(domain, layout=layout, per_change=price)
    return search_tree(SearchRequest.plain(problem.problem(), problem.E, np.zeros(n, dtype=np.int64), priced))


def n_units(problem: SmallSearch, row: int, points: np.ndarray, unit: np.ndarray) -> np.ndarray:
    changed = problem.changed(row, points)
    return np.array([[changed[k, unit == u].any() for u in range(unit.max() + 1)] for k in range(len(points))]).sum(1)


@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize("density", [False, True])
def test_the_price_is_paid_and_the_sum_is_smallest(density, together):
    n_found = n_sparser = 0
    for seed in range(25):
        problem = replace(small_search(seed, n_rows=3, density=density, broken=seed % 2 == 1), max_changes=None)
        n_columns = int(problem.column[-1]) + 1
        unit = np.arange(n_columns)
        if together and n_columns > 2:
            unit = np.unique(np.where(unit == n_columns - 1, 0, unit), return_inverse=True)[1]  # first and last are one
        price = (0.3, 1.0, 4.0)[seed % 3]
        found = with_price(problem, price, unit)
        plain = problem.search()
        for row in range(3):
            points, values = problem.nearest(row)
            if len(points) == 0:
                assert np.isinf(found.value[row])
                assert np.isinf(found.lower_bound[row])
                continue
            paid = values + price * n_units(problem, row, points, unit)
            np.testing.assert_allclose(found.value[row], paid.min(), rtol=1e-9, atol=1e-12)
            assert found.lower_bound[row] >= paid.min() * (1 - 1e-8) - 1e-12
            assert found.lower_bound[row] <= found.value[row]
            before, after = (n_units(problem, row, each.points[[row]], unit)[0] for each in (plain, found))
            n_found, n_sparser = n_found + 1, n_sparser + (after < before)
    assert n_found > 30
    assert n_sparser
