"""Random tables, pipelines and rules: nothing invalid leaves the library, and what it calls optimal is.

Every answer is judged as it is returned, in the user's columns: by the pipeline's own predict, by the density, and by
rules checked cell by cell in plain Python (:mod:`random_tables`).
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

import elsewise as ew
from random_tables import DISCRETE, Case, draw_case

pytestmark = pytest.mark.filterwarnings("ignore:.*:UserWarning", "ignore:.*:RuntimeWarning", "ignore:.*:FutureWarning")

SEEDS = st.integers(0, 1_000_000)
REFUSED = ("too few rows for the mixture",)
"""What may be wrong with a random table; anything else that raises is a failure."""


def drawn(seed: int, **options) -> Case:
    try:
        return draw_case(seed, **options)
    except ew.InvalidInputError as error:
        if any(text in str(error) for text in REFUSED):
            reject()
        raise


def judge(case: Case, answers: ew.Explanations) -> None:
    """Check every answer as it was returned."""
    found = np.flatnonzero(answers.statuses != "infeasible")
    returned = answers.counterfactuals
    assert list(returned.columns) == list(case.rows.columns)
    assert returned.index.tolist() == case.rows.index[answers.rows].tolist()
    if len(found) == len(answers) and "integer" not in case.rules:
        pd.testing.assert_series_equal(returned.dtypes, case.rows.dtypes)
    for i in found.tolist():
        before, after = case.rows.iloc[answers.rows[i]], answers[i].counterfactual
        where = f"row {i}: {before.to_dict()} -> {after.to_dict()}"
        assert case.is_valid(returned.iloc[[i]], answers.targets[i])[0], where
        assert case.broken(before, after) == [], where
        distance = case.distance(before, after)
        np.testing.assert_allclose(answers.distances[i], distance, rtol=1e-9, atol=1e-12, err_msg=where)
        assert answers.lower_bounds[i] <= distance * (1 + 1e-12), where
        if answers.statuses[i] == "optimal":
            assert answers.lower_bounds[i] >= distance * (1 - 1e-6) - 1e-12, where
        unchanged = [name for name in case.rows if case.columns_unchanged(name, before, after)]
        pd.testing.assert_series_equal(before[unchanged], after[unchanged], check_dtype=False, check_names=False)


def attack(case: Case, answers: ew.Explanations, seed: int) -> None:
    """Look for rows that are better than what was proven to be best."""
    rng = np.random.default_rng([seed, 7])
    for i in range(len(case.rows)):
        if answers.targets[i] is None:
            continue
        before = case.rows.iloc[i]
        tries = case.mixtures(i, 40, rng)
        for at in np.flatnonzero(case.is_valid(tries, answers.targets[i])).tolist():
            if case.broken(before, tries.iloc[at]) == []:
                distance = case.distance(before, tries.iloc[at])
                assert answers.lower_bounds[i] <= distance * (1 + 1e-9) + 1e-12, tries.iloc[at].to_dict()


@settings(max_examples=28, deadline=None, derandomize=True)
@given(SEEDS)
def test_nothing_invalid_is_returned(seed):
    case = drawn(seed)
    answers = case.explain()
    assert len(answers) == len(case.rows)
    assert set(answers.statuses) <= {"optimal", "infeasible"}
    judge(case, answers)
    if case.target is not None:
        attack(case, answers, seed)


@settings(max_examples=12, deadline=None, derandomize=True)
@given(SEEDS)
@pytest.mark.usefixtures("any_grace")
def test_a_time_limit_gives_valid_rows_and_a_valid_bound(seed):
    case = drawn(seed)
    answers, hurried = case.explain(), case.explain(time_limit=1e-5)
    judge(case, hurried)
    np.testing.assert_array_equal(hurried.statuses == "infeasible", answers.statuses == "infeasible")
    found = answers.statuses != "infeasible"
    assert (hurried.lower_bounds[found] <= answers.distances[found] * (1 + 1e-9) + 1e-12).all()
    assert (hurried.distances[found] >= answers.lower_bounds[found] * (1 - 1e-9)).all()


@settings(max_examples=12, deadline=None, derandomize=True)
@given(SEEDS)
def test_several_answers_are_all_valid_and_ascend(seed):
    case = drawn(seed, n_rows=3, most_columns=4)
    answers = case.explain(n_counterfactuals=3)
    judge(case, answers)
    alone = case.explain()
    for i in range(len(case.rows)):
        mine = np.flatnonzero(answers.rows == i)
        assert 1 <= len(mine) <= 3
        assert answers.statuses[mine[0]] == alone.statuses[i]
        if alone.statuses[i] == "infeasible":
            assert len(mine) == 1
            continue
        np.testing.assert_allclose(answers.distances[mine[0]], alone.distances[i], rtol=1e-6)
        assert (np.diff(answers.distances[mine]) >= -1e-6 * answers.distances[mine[1:]]).all()


@settings(max_examples=36, deadline=None, derandomize=True)
@given(SEEDS)
def test_small_discrete_tables_are_solved_exactly(seed):
    case = drawn(seed, kinds=DISCRETE, most_columns=4, n_rows=3, limits=(0, 9))
    if case.target is None:
        reject()
    case.rules.pop("integer", None)
    answers = case.explain()
    judge(case, answers)
    for i in range(len(case.rows)):
        before = case.rows.iloc[i]
        everything = case.everything(before, range(10))
        if len(everything) > 5_000:
            reject()
        valid = everything[case.is_valid(everything, case.target)]
        values = case.distances(before, valid)
        nearest = np.argsort(values, kind="stable").tolist()
        best = next((values[at] for at in nearest if not case.broken(before, valid.iloc[at])), None)
        where = f"row {before.to_dict()}"
        assert (answers.statuses[i] == "infeasible") == (best is None), where
        if best is not None:
            assert answers.statuses[i] == "optimal", where
            np.testing.assert_allclose(answers.distances[i], best, rtol=1e-6, atol=1e-9, err_msg=where)
