"""Where conditions of one number end, against NumPy's neighbours of a double."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from elsewise.search.relaxations.curves.base import last_where

DOUBLES = st.floats(allow_nan=False, allow_infinity=False)
LARGEST = np.finfo(np.float64).max


@given(st.lists(DOUBLES, min_size=1, max_size=8))
def test_the_last_number_before_an_end_is_the_end_itself(ends):
    wanted = np.array(ends)
    low, high = np.full(len(wanted), -LARGEST), np.full(len(wanted), LARGEST)
    found = last_where(lambda x: x <= wanted, low, high)
    np.testing.assert_array_equal(found, np.where(wanted == LARGEST, np.inf, wanted))
    below = last_where(lambda x: x < wanted, low, high)
    with np.errstate(over="ignore"):  # below the smallest number is minus infinity, as there
        np.testing.assert_array_equal(below, np.nextafter(wanted, -np.inf))


@given(DOUBLES, DOUBLES, DOUBLES)
def test_nothing_outside_of_the_ends_is_asked_and_found(a, b, c):
    low, wanted, high = np.sort([a, b, c])

    def holds(x):
        assert ((x >= low) & (x <= high)).all()
        return x <= wanted

    (found,) = last_where(holds, np.array([low]), np.array([high]))
    assert found == (np.inf if wanted == high else wanted)


def test_functions_of_numpy():
    cuts = last_where(lambda x: np.log1p(x) <= np.array([0.1, 2.0]), np.full(2, -0.5), np.full(2, 1e9))
    assert (np.log1p(cuts) <= [0.1, 2.0]).all()
    assert (np.log1p(np.nextafter(cuts, np.inf)) > [0.1, 2.0]).all()
    assert last_where(lambda x: x < -5, np.array([-1.0]), np.array([1.0]))[0] == -np.inf
