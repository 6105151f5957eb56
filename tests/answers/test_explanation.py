"""Explanation and Explanations: arrays, sequence, tables and sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import FrozenInstanceError, fields

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

import elsewise as ew
from bits import ARRAYS, assert_same_bits
from elsewise.answers import concatenate
from fitted_models import random_data


@pytest.fixture(scope="module")
def answers(iris_explainer, iris):
    return iris_explainer.explain(iris[0][::15], "versicolor", on_satisfied="move")


@pytest.fixture(scope="module")
def hopeless():
    """Answers none of which is feasible."""
    X, y = random_data(3, seed=1)
    model = DecisionTreeClassifier(max_depth=1, random_state=0).fit(X, y)
    never = next(label for label in model.classes_ if label not in model.predict(X))
    return ew.Explainer(model, density=None).fit(X, y).explain(X[:4], never)


def test_it_is_a_sequence(answers):
    assert isinstance(answers, Sequence)
    assert len(answers) == 10
    assert len(list(answers)) == 10
    assert all(isinstance(one, ew.Explanation) for one in answers)
    assert answers[-1].distance == answers[9].distance
    assert answers[np.int64(3)].distance == answers.distances[3]
    assert [one.distance for one in reversed(answers)] == answers.distances[::-1].tolist()
    for wrong in (10, -11):
        with pytest.raises(IndexError, match=f"explanation {wrong} of 10"):
            answers[wrong]


@pytest.mark.parametrize(
    "index", [slice(2, 5), slice(None, None, -1), slice(3, 3), slice(None), slice(-3, None)], ids=str
)
def test_slices_keep_everything(answers, index):
    part = answers[index]
    assert isinstance(part, ew.Explanations)
    assert len(part) == len(range(10)[index])
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(part, name), getattr(answers, name)[index])
    assert list(part.targets) == list(answers.targets)[index]
    assert part.reasons == answers.reasons[index]
    assert part.feature_names == answers.feature_names


def test_one_explanation_says_what_the_arrays_say(answers):
    for i, one in enumerate(answers):
        np.testing.assert_array_equal(one.x, answers.x[i])
        np.testing.assert_array_equal(one.counterfactual, answers.counterfactuals[i])
        assert one.target == answers.targets[i]
        assert one.prediction == answers.predictions[i]
        assert one.status == answers.statuses[i]
        assert one.distance == answers.distances[i]
        assert one.lower_bound == one.certificate.lower_bound == answers.lower_bounds[i]
        assert one.gap == one.certificate.gap == answers.gaps[i]
        assert one.log_density == answers.log_densities[i]
        assert one.log_density_mixture == answers.log_densities_mixture[i]
        assert one.log_threshold == answers.log_thresholds[i]
        assert one.component == answers.components[i]
        assert one.model_free == answers.model_free[i]
        assert one.certificate.n_projections == answers.n_projections[i]
        assert one.certificate.valid is True
        assert one.certificate.dense is True
        assert one.gap == (one.distance - one.lower_bound) / (one.distance or 1.0)
        assert type(one.distance) is type(one.log_density) is float
        assert type(one.component) is int
        assert type(one.model_free) is bool
        assert type(one.status) is str


def test_changes_list_what_changes_and_nothing_else(answers):
    for one in answers:
        moved = np.flatnonzero(one.counterfactual != one.x)
        assert {change.feature for change in one.changes} == {f"x{i}" for i in moved}
        sizes = [abs(change.difference) for change in one.changes]
        assert sizes == sorted(sizes, reverse=True)
        np.testing.assert_allclose(sum(sizes), one.distance, rtol=1e-12)
        for change in one.changes:
            i = int(change.feature[1:])
            assert (change.before, change.after) == (one.x[i], one.counterfactual[i])
            assert change.difference == change.after - change.before
            assert change.cost == abs(change.difference)  # plain Manhattan
            assert str(change).startswith(f"{change.feature}: ")


def test_answers_cannot_be_reassigned(answers):
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'distance'"):
        answers[0].distance = 0.0
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'statuses'"):
        answers.statuses = None


def test_answers_own_their_arrays(iris, iris_explainer):
    X = iris[0][:3].copy()
    answers = iris_explainer.explain(X)
    before = answers.counterfactuals.copy()
    X[:] = 0
    iris_explainer.explain(iris[0][50:60])
    np.testing.assert_array_equal(answers.x, iris[0][:3])
    np.testing.assert_array_equal(answers.counterfactuals, before)


def test_one_answer_as_text(answers):
    moved = next(one for one in answers if one.distance > 0 and one.prediction == "setosa")
    lines = str(moved).splitlines()
    assert lines[0] == moved.sentence
    for change, line in zip(moved.changes, lines[1:]):
        assert line.split()[0] == change.feature
        assert float(line.split("(")[1].rstrip(")")) == pytest.approx(change.difference, rel=1e-3)
    assert f"log density {moved.log_density:.6g}, at least {moved.log_threshold:.6g} required" in lines[-1]
    written = float(re.search(r"distance (\S+), proven smallest", lines[-1])[1])
    assert written == pytest.approx(moved.distance, rel=6e-4)
    assert ("Theorem 2" in lines[-1]) == moved.model_free


def test_representations_fit_on_a_line(answers, hopeless):
    for many in (answers, hopeless, answers[:0]):
        assert repr(many) == f"<Explanations: {str(many).splitlines()[0]}>"
        for one in many:
            assert repr(one).startswith(f'<Explanation "{one.prediction}" -> "{one.target}": {one.status}')
            assert "\n" not in repr(one)


def test_a_row_that_may_stay_as_text(answers):
    stays = next(one for one in answers if one.distance == 0)
    assert "Nothing has to change" in str(stays)
    assert "nothing has to change" in stays.reason
    np.testing.assert_array_equal(stays.counterfactual, stays.x)
    assert stays.status == "optimal"
    assert stays.changes == ()


def test_a_range_as_text():
    from sklearn.linear_model import LinearRegression

    X, y = random_data(None)
    explainer = ew.Explainer(LinearRegression().fit(X, y), density=None, learn_rules=False).fit(X)
    one = explainer.explain_one(X[0], (3.0, None))
    assert "It would predict at least 3 with: " in str(one)
    assert "-> at least 3: optimal" in repr(one)
    assert "log density" not in str(one)
    assert one.certificate.dense is None
    assert np.isnan(one.log_density)
    assert one.log_threshold == -np.inf
    assert one.component == -1
    assert one.model_free is False


def test_many_answers_as_text(answers, hopeless):
    optimal = int((answers.statuses == "optimal").sum())
    median = np.median(answers.distances[answers.distances > 0])
    assert str(answers).splitlines()[0] == (f"10 explanations: {optimal} optimal, median distance {median:.6g}")
    assert str(hopeless).splitlines()[0] == "4 explanations: 4 infeasible"
    assert f'No row at all makes the model predict "{hopeless[0].target}" (proven).' in str(hopeless[0])


def test_tables(answers, hopeless):
    pandas = pytest.importorskip("pandas")
    frame = answers.to_frame()
    assert isinstance(frame, pandas.DataFrame)
    assert len(frame) == 10
    np.testing.assert_array_equal(frame[list(answers.feature_names)].to_numpy(), answers.counterfactuals)
    np.testing.assert_array_equal(frame["distance"], answers.distances)
    np.testing.assert_array_equal(frame["lower_bound"], answers.lower_bounds)
    assert frame["status"].tolist() == answers.statuses.tolist()
    assert frame["target"].tolist() == list(answers.targets)
    assert frame["prediction"].tolist() == answers.predictions.tolist()
    empty = hopeless.to_frame()
    assert empty[list(hopeless.feature_names)].isna().all(axis=None)
    assert empty["reason"].str.contains("No row at all").all()
    assert len(answers[:0].to_frame()) == 0


def test_tables_keep_features_named_like_columns_apart():
    pandas = pytest.importorskip("pandas")
    X, y = random_data(2, n_features=2)
    frame = pandas.DataFrame(X, columns=["distance", "age"])
    explainer = ew.Explainer(DecisionTreeClassifier().fit(frame, y), density=None).fit(frame, y)
    answers = explainer.explain(frame[:3])
    table = answers.to_frame()
    assert table.columns.is_unique
    np.testing.assert_array_equal(table["distance"], answers.distances)
    np.testing.assert_array_equal(table[["counterfactual_distance", "age"]], answers.counterfactuals)


def test_tables_with_ranges_as_targets():
    pytest.importorskip("pandas")
    from sklearn.linear_model import LinearRegression

    X, y = random_data(None)
    explainer = ew.Explainer(LinearRegression().fit(X, y), density=None).fit(X)
    assert explainer.explain(X[:3], (1.0, 2.0)).to_frame()["target"].tolist() == [(1.0, 2.0)] * 3


def test_joining_gives_back_the_whole(answers):
    joined = concatenate([answers[:3], answers[3:4], answers[4:]])
    assert_same_bits(joined, answers)
    for name in ARRAYS:
        assert getattr(joined, name).dtype == getattr(answers, name).dtype
    np.testing.assert_array_equal(joined.rows, np.arange(10))
    assert concatenate([answers]) is answers
    with pytest.raises(ew.InvalidInputError, match="Nothing to join"):
        concatenate([])


def test_every_array_has_a_row_for_each_explanation(answers, hopeless):
    for many in (answers, hopeless):
        for field in fields(many):
            if field.name != "table":
                assert len(getattr(many, field.name)) == len(many), field.name


# --- tables of several types -----------------------------------------------------------------------------------------


def test_changes_of_a_table_are_in_its_own_types(loans):
    answers = loans.explainer.explain(loans.frame[:30], "yes", n_counterfactuals=3, diversity="columns")
    seen = set()
    for one in answers:
        assert {change.feature for change in one.changes} == {
            name for name in loans.frame if one.x[name] != one.counterfactual[name]
        }
        np.testing.assert_allclose(sum(change.cost for change in one.changes), one.distance, rtol=1e-12)
        costs = [change.cost for change in one.changes]
        assert costs == sorted(costs, reverse=True)
        for change in one.changes:
            kind = {"years": int, "income": float, "housing": str, "guarantor": bool}[change.feature]
            assert type(change.before) is type(change.after) is kind
            assert (change.difference is None) == (kind in (str, bool))
            seen.add(change.feature)
        frame = one.to_frame()
        assert frame.index.tolist() == list(loans.frame.columns)
        assert frame["before"].tolist() == one.x.tolist()
        assert frame["after"].tolist() == one.counterfactual.tolist()
        assert frame["changed"].tolist() == one.changed.tolist()
    assert seen == set(loans.frame.columns)
    one_each = loans.explainer.explain(loans.frame[:30], "yes")
    assert (one_each.counterfactuals.dtypes == loans.frame.dtypes).all()


def test_whole_numbers_stay_so_beside_others():
    pandas = pytest.importorskip("pandas")
    X, y = random_data(2, n_features=2)
    frame = pandas.DataFrame({"count": X[:, 0].round().astype(int), "size": X[:, 1]})
    model = DecisionTreeClassifier(random_state=0).fit(frame, y)
    explainer = ew.Explainer(model, density=None).fit(frame, y)
    changes = [change for one in explainer.explain(frame[:20]) for change in one.changes]
    assert {type(change.before) for change in changes if change.feature == "count"} == {int}
    assert {type(change.after) for change in changes if change.feature == "count"} == {int}


def test_several_answers_in_one_table(loans):
    answers = loans.explainer.explain(loans.frame[:5], "yes", n_counterfactuals=3, diversity="columns")
    table = answers.to_frame()
    assert table.index.tolist() == loans.frame.index[answers.rows].tolist()
    assert len(table) == len(answers) > 5
    np.testing.assert_array_equal(table["housing"], answers.counterfactuals["housing"])


def test_a_single_answer_has_the_fields_that_many_describe():
    described = {item.metadata["one"] for item in fields(ew.Explanations) if item.metadata}
    assert {item.name for item in fields(ew.Explanation)} == described | {"table"}
