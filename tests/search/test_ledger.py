"""The ledger: incumbents only get nearer, bounds only lower, and no bound exceeds a point."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elsewise.errors import InternalError
from elsewise.search import Ledger
from elsewise.search import ledger as ledger_module

ONLY = np.zeros(1, dtype=np.int64)


def made(n_rows=1, **options):
    return Ledger(np.zeros((n_rows, 2)), **options)


def offer(ledger, value, **where):
    return bool(ledger.offer(ONLY, np.array([value]), np.full((1, 2), value), **where)[0])


def test_nothing_is_proven_before_a_search_is_closed():
    ledger = made(3)
    assert (ledger.lower_bound == 0.0).all()
    ledger.close(np.array([np.inf, 2.0, 0.5]))
    assert ledger.lower_bound.tolist() == [np.inf, 2.0, 0.5]


def test_only_nearer_points_are_taken():
    ledger = made(cutoff=np.array([5.0]))
    assert not offer(ledger, 5.0)
    assert not ledger.has_point[0]
    assert offer(ledger, 4.0, part=2, ellipsoid=1)
    assert not offer(ledger, 4.5, part=3)
    assert (ledger.value[0], ledger.cutoff[0], ledger.part[0], ledger.ellipsoid[0]) == (4.0, 4.0, 2, 1)
    assert ledger.points[0].tolist() == [4.0, 4.0]


@given(
    st.lists(st.tuples(st.sampled_from(["offer", "settle"]), st.floats(1.0, 9.0)), max_size=20),
    st.floats(0.0, 1.0),
)
def test_the_bound_is_the_smallest_of_settled_open_and_incumbent(events, left_open):
    ledger, points, bounds = made(), [np.inf], [left_open]
    for what, value in events:
        if what == "offer":
            offer(ledger, value)
            points.append(value)
        else:
            ledger.settle(ONLY, value)
            bounds.append(value)
    ledger.close(left_open)
    assert ledger.value[0] == min(points)
    assert ledger.lower_bound[0] == min(points + bounds)


def test_a_row_may_settle_several_nodes_at_once():
    ledger = made(2)
    ledger.settle(np.array([0, 0, 1]), np.array([3.0, 2.0, 7.0]))
    ledger.close(np.inf)
    assert ledger.lower_bound.tolist() == [2.0, 7.0]


def test_a_bound_above_a_point_is_refused():
    ledger = made(2)
    ledger.offer(np.array([0, 1]), np.array([4.0, 4.0]), np.zeros((2, 2)))
    ledger.settle(np.array([0, 1]), np.array([3.9, 4.1]))
    ledger.close(np.inf, [0])
    with pytest.raises(InternalError, match=r"nothing is nearer than .*4\.1.*distance .*4\.0"):
        ledger.close(np.inf, [1])


def test_bounds_are_computed_and_cannot_be_written():
    ledger = made()
    with pytest.raises(ValueError, match="read-only"):
        ledger.lower_bound[0] = 3.0
    with pytest.raises(AttributeError):
        ledger.lower_bound = np.array([3.0])


def test_rows_of_another_ledger_are_taken_over():
    one, all_rows = made(), made(3)
    offer(one, 2.0, part=1)
    one.n_projections[0], one.seconds[0], all_rows.n_projections[1] = 5, 0.5, 2
    one.close(1.5)
    all_rows.adopt([1], one)
    assert (all_rows.value[1], all_rows.lower_bound[1], all_rows.n_projections[1]) == (2.0, 1.5, 7)
    assert not all_rows.has_point[[0, 2]].any()
    twice = all_rows.of_rows(np.array([1, 1, 0]))
    assert twice.lower_bound.tolist() == [1.5, 1.5, 0.0]
    twice.value[0] = 0.0
    assert all_rows.value[1] == 2.0


def test_rows_pay_for_what_is_done_for_them(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(ledger_module.time, "perf_counter", lambda: now[0])
    ledger = made(3, time_limit=np.array([1.0, 1.0, np.inf]), cutoff=np.ones(3))
    every = np.arange(3)
    now[0] = 0.9
    ledger.charge(every)
    np.testing.assert_allclose(ledger.seconds, 0.3)
    since = now[0]
    now[0] = 1.4
    ledger.charge_alone(1, since)
    assert ledger.ends_at(1) == pytest.approx(now[0] + 0.2)
    now[0] = 2.0
    ledger.charge(every)
    np.testing.assert_allclose(ledger.seconds, [0.5, 1.0, 0.5])
    assert ledger.in_time(every).tolist() == [0, 2]
    assert ledger.timed_out.tolist() == [False, True, False]
