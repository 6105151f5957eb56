"""Counts of steps and their values: exact decimals, in both directions."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from elsewise.search import Lattice

STEPS = st.builds(lambda size, decimals: Fraction(size, 10**decimals), st.integers(1, 20_000), st.integers(0, 6))
COUNTS = st.integers(-100_000, 100_000)


def lattice_of(step: Fraction) -> Lattice:
    made = Lattice.of({1: step}, 3)
    assert made is not None
    return made


def row(value: float) -> np.ndarray:
    return np.array([[7.3, value, -1.0]])


def written(number: Fraction) -> float:
    """Read a decimal as Python reads what a person writes."""
    return float(str(Decimal(number.numerator) / Decimal(number.denominator)))


@given(STEPS, COUNTS)
def test_multiples_are_what_their_decimals_are_read_as(step, count):
    lattice, value = lattice_of(step), written(count * step)
    assert lattice.values(row(float(count)))[0].tolist() == [7.3, value, -1.0]
    assert lattice.counts(row(value))[0].tolist() == [7.3, float(count), -1.0]


@given(STEPS, st.integers(-10_000, 10_000))
def test_multiples_in_32_bits_are_multiples(step, count):
    assert lattice_of(step).counts(row(float(np.float32(written(count * step)))))[0, 1] == count


@given(STEPS, st.decimals(-100_000, 100_000, places=5))
def test_other_decimals_come_back_as_they_were(step, other):
    lattice, value = lattice_of(step), float(other)
    counts = lattice.counts(row(value))
    assert lattice.values(counts)[0, 1] == value
    assert lattice.points(counts, row(value))[0].tolist() == [7.3, value, -1.0]
    assert (counts[0, 1] == np.round(counts[0, 1])) == (value == written(round(Fraction(other) / step) * step))


@given(STEPS, st.floats(-1e5, 1e5))
def test_limits_are_the_outermost_multiples_within(step, end):
    lattice = lattice_of(step)
    first, last = (int(function(np.array([end]))[0]) for function in (lattice.first_at_least, lattice.last_at_most))
    assert written(first * step) >= end > written((first - 1) * step)
    assert written(last * step) <= end < written((last + 1) * step)


@given(STEPS, st.floats(-1e4, 1e4), st.integers(0, 40))
def test_values_ascend_with_counts(step, start, n):
    counts = np.sort(np.concatenate([start + np.arange(n) * np.spacing(start), np.round(start) + np.arange(3)]))
    function = lattice_of(step).value_of(1)
    assert function is not None
    assert (np.diff(function(counts)) >= 0).all()
