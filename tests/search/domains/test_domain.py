"""Domains: how features form columns, and what rows may become."""

from __future__ import annotations

import numpy as np
import pytest

from elsewise.search import Domain, Layout
from elsewise.search.domains.clauses import Clauses

# a number, a category of three levels, a whole number, a category of two
LAYOUT = Layout(np.array([0, 1, 1, 1, 2, 3, 3]), 4, np.array([-1, 0, 0, 0, -1, 1, 1]))
ROW = np.array([1.5, 0.0, 1.0, 0.0, 7.0, 1.0, 0.0])


def domain(normals=(), offsets=()):
    return Domain(
        layout=LAYOUT,
        lower=np.stack([ROW - 1, ROW]),
        upper=np.stack([ROW + 1, ROW]),
        integer=np.array([False, False, False, False, True, False, False]),
        max_changes=2,
        normals=np.array(normals, dtype=float).reshape(-1, 7),
        offsets=np.array(offsets, dtype=float),
    )


def test_layout_finds_columns_and_categories():
    np.testing.assert_array_equal(LAYOUT.starts, [0, 1, 4, 5])
    np.testing.assert_array_equal(LAYOUT.indicators, [1, 2, 3, 5, 6])
    np.testing.assert_array_equal(LAYOUT.first_indicators, [0, 3])
    np.testing.assert_array_equal(LAYOUT.category_columns, [1, 3])


def test_layout_without_categories_and_with_nothing_else():
    numbers = Layout(np.arange(3), 3, np.full(3, -1))
    assert len(numbers.indicators) == len(numbers.first_indicators) == len(numbers.category_columns) == 0
    one = Layout(np.zeros(4, dtype=np.int64), 1, np.zeros(4, dtype=np.int64))
    np.testing.assert_array_equal(one.first_indicators, [0])
    np.testing.assert_array_equal(one.category_columns, [0])


@pytest.mark.parametrize(
    ("features", "columns"),
    [({}, []), ({0: 1.6}, [0]), ({1: 1.0, 2: 0.0}, [1]), ({4: 8.0, 5: 0.0, 6: 1.0}, [2, 3])],
    ids=["nothing", "number", "level", "two"],
)
def test_changed_columns(features, columns):
    after = ROW.copy()
    for place, value in features.items():
        after[place] = value
    np.testing.assert_array_equal(np.flatnonzero(LAYOUT.changed(ROW, after)), columns)
    both = LAYOUT.changed(np.stack([ROW, ROW]), np.stack([after, ROW]))
    np.testing.assert_array_equal(both, [np.isin(np.arange(4), columns), np.zeros(4, dtype=bool)])


def test_changes_within_rounding_are_none():
    after = ROW + 1e-8
    assert LAYOUT.changed(ROW, after).all()
    assert not LAYOUT.changed(ROW, after, 1e-6).any()


def test_discrete_features_and_some_rows():
    made = domain()
    np.testing.assert_array_equal(made.discrete, [False, True, True, True, True, True, True])
    some = made.of_rows(np.array([1]))
    np.testing.assert_array_equal(some.lower, ROW[None])
    assert some.max_changes == 2


def test_linear_rules_hold_up_to_the_rounding_of_their_sums():
    assert domain().keeps_rules(ROW[None]).all()
    made = domain([[1.0, 0, 0, 0, -0.1, 0, 0], [0, 0, 0, 0, 1.0, 2.0, 0]], [0.8, 9.0])
    # 1.5 - 0.1 * 7 is 0.8 but for rounding, 7 + 2 is 9.
    assert 1.5 - 0.1 * 7.0 > 0.8 - 1e-15
    rows = ROW + np.array([[0.0] * 7, [1e-9, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 1, 0, 0]])
    np.testing.assert_array_equal(made.keeps_rules(rows), [True, False, False])


def test_equal_boxes_are_narrowed_once_and_alike():
    """Many boxes, most of them equal, are narrowed as each is by itself."""
    rng = np.random.default_rng(5)
    n, n_features = 300, 3
    kinds = rng.integers(0, 7, n)
    lower, upper = np.sort(rng.uniform(-3.0, 3.0, (2, 7, n_features)), axis=0)[:, kinds]
    rows = np.arange(n) % 2
    own = np.zeros((n, n_features))
    # x0 <= -1 or x0 >= 1 for the first row, x1 in [0, 1] or x2 >= 2 for both
    clauses = Clauses(
        feature=np.array([0, 0, 1, 2]),
        first=np.array([0, 2]),
        low=np.tile([-np.inf, 1.0, 0.0, 2.0], (2, 1)),
        high=np.tile([-1.0, np.inf, 1.0, np.inf], (2, 1)),
        binds=np.array([[True, True], [False, True]]),
    )
    domain = Domain(
        layout=Layout(np.arange(n_features), n_features, np.full(n_features, -1)),
        lower=np.full((2, n_features), -3.0),
        upper=np.full((2, n_features), 3.0),
        integer=np.zeros(n_features, dtype=bool),
        max_changes=None,
        normals=np.empty((0, n_features)),
        offsets=np.empty(0),
        clauses=clauses,
    )
    together = lower.copy(), upper.copy()
    holds = domain.narrow(rows, *together, own)
    assert 0 < holds.sum() < n
    for k in range(n):
        one = slice(k, k + 1)
        alone = lower[one].copy(), upper[one].copy()
        np.testing.assert_array_equal(domain.narrow(rows[one], *alone, own[one]), holds[one])
        np.testing.assert_array_equal(alone[0], together[0][one])
        np.testing.assert_array_equal(alone[1], together[1][one])


@pytest.mark.parametrize(
    ("literal", "own", "expected"),
    [
        ((2.3, 2.8), 2.5, (2.5, 2.5)),  # the row's own value is all there is
        ((1.2, 4.7), 1.5, (1.5, 4.0)),
        ((1.2, 4.7), 4.5, (2.0, 4.5)),
        ((1.2, 4.7), 3.5, (2.0, 4.0)),  # it lies between whole numbers that hold
        ((1.2, 4.7), 0.5, (2.0, 4.0)),
        ((2.3, 2.8), 2.0, None),
    ],
)
def test_a_forced_literal_leaves_whole_numbers_and_the_value_of_the_row(literal, own, expected):
    layout = Layout(np.arange(2), 2, np.full(2, -1))
    low, high = np.array([[literal[0], 5.0]]), np.array([[literal[1], 6.0]])
    clauses = Clauses(np.array([0, 1]), np.zeros(1, dtype=np.int64), low, high, np.ones((1, 1), dtype=np.bool_))
    lower, upper = np.array([[0.0, 0.0]]), np.array([[9.0, 1.0]])  # the second literal is out of its box
    row = np.array([[own, 0.0]])
    holds = clauses.narrow(np.zeros(1, dtype=np.int64), lower, upper, layout, np.array([True, False]), row)
    assert holds[0] == (expected is not None)
    if expected is not None:
        assert (lower[0, 0], upper[0, 0]) == expected
