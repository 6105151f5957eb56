"""Equal rows of which something else is asked are searched apart."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from small_search import SmallSearch

N = 3
LEFT = [(np.array([[-1.0, -1.0, -1.0]]), np.array([-6.5]))]  # the sum is seven at least


def small(**options) -> SmallSearch:
    plain = SmallSearch(
        E=np.zeros((4, N)),
        prices=np.ones(N),
        levels=(),
        polyhedra=LEFT,
        cones=None,
        lower=np.zeros((4, N)),
        upper=np.full((4, N), 4.0),
        rules=(np.empty((0, N)), np.empty(0)),
    )
    return replace(plain, **options)


def test_limits_tell_equal_rows_apart():
    upper = np.full((4, N), 4.0)
    upper[1, 0], upper[2] = 1.0, 2.0
    found = small(upper=upper).search()
    np.testing.assert_array_equal(found.value, [7.0, 7.0, np.inf, 7.0])
    assert found.points[1, 0] <= 1.0
    np.testing.assert_array_equal(found.points[0], found.points[3])


@pytest.mark.parametrize("cutoff", [6.0, 7.5])
def test_cutoffs_tell_equal_rows_apart(cutoff):
    cutoffs = np.array([np.inf, cutoff, 7.5, 6.0])
    found = small().search(cutoff=cutoffs)
    np.testing.assert_array_equal(found.value, np.where(cutoffs > 7.0, 7.0, np.inf))


def test_bans_tell_equal_rows_apart():
    banned = np.array([[False], [True], [False], [True]])
    found = small().search(banned=banned)
    np.testing.assert_array_equal(np.isfinite(found.value), ~banned[:, 0])
