"""What never occurs together: how much of it chance may explain, against SciPy's hypergeometric distribution."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import hypergeom

from elsewise.rules.learned.never_together import never_together
from elsewise.table.infer import read_table

pandas = pytest.importorskip("pandas")
N, A, CHANCE = 400, 20, 0.01


def found(gap: int) -> set[str]:
    """Pairs of a table with one number and a rare level that does not occur in the last ``gap`` rows."""
    job = np.full(N, "clerk", dtype=object)
    job[np.linspace(0, N - gap - 1, A).astype(int)] = "judge"
    frame = pandas.DataFrame({"job": job, "age": np.arange(N) + 0.5})
    table = read_table(frame)
    return {str(pair) for pair in never_together(table, table.encode(frame), {})}


def test_ranges_are_corrected_for_how_many_of_them_there_are():
    pairs_of_columns = 2  # two levels, one number
    ranges = A + 1  # between the rows with the level, and beyond them
    for gap in range(60, 180, 4):
        chance = hypergeom.pmf(0, N, gap, A) * ranges
        expected = {f"job = judge and age above {N - gap - 0.5:g}"} if chance <= CHANCE / pairs_of_columns else set()
        assert found(gap) == expected, gap
    assert found(60) == set()
    assert found(176) != set()


def test_levels_are_corrected_for_how_many_pairs_there_are():
    """Two levels that are never together are found where chance would hardly keep any pair of the table apart."""
    for n_columns in (2, 9):
        is_found = []
        for count in range(38, 70, 2):
            first, second = np.zeros(N, dtype=bool), np.zeros(N, dtype=bool)
            first[:count], second[-count:] = True, True
            columns = {"a": np.where(first, "x", "y"), "b": np.where(second, "x", "y")}
            columns |= {f"c{k}": np.where((np.arange(N) >> k) % 2, "x", "y") for k in range(n_columns - 2)}
            frame = pandas.DataFrame(columns)
            table = read_table(frame)
            pairs = {str(pair) for pair in never_together(table, table.encode(frame), {})}
            pairs_of_levels = 4 * n_columns * (n_columns - 1) // 2
            chance = hypergeom.pmf(0, N, count, count)
            is_found.append("a = x and b = x" in pairs)
            assert is_found[-1] == (chance <= CHANCE / pairs_of_levels), (n_columns, count)
        assert set(is_found) == {False, True}


def test_columns_of_few_whole_numbers_are_compared():
    days = np.arange(700) % 7
    frame = pandas.DataFrame(
        {"weekday": days, "workingday": ((days > 0) & (days < 6)).astype(int), "count": days + 100}
    )
    frame["count"] += np.arange(700)
    table = read_table(frame)
    pairs = {str(pair) for pair in never_together(table, table.encode(frame), {})}
    assert pairs == {
        "workingday = 1 and weekday below 1",
        "workingday = 1 and weekday above 5",
        "workingday = 0 and weekday between 0 and 6",
    }
