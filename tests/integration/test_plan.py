"""Plans: the best of all orders, against every permutation."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC

import elsewise as ew
from elsewise.questions import Move, best_order, in_parts


def moves_of(row, end, groups):
    return [Move(np.array(group), np.stack([row[group], end[group]])) for group in groups]


def all_orders(row, moves):
    """Every order of single parts, and the stages between row and answer."""
    parts = [place for place, move in enumerate(moves) for _ in range(move.n_parts)]
    for order in sorted(set(permutations(parts))):
        done, stages = [0] * len(moves), []
        for place in order:
            done[place] += 1
            stage = row.copy()
            for move, count in zip(moves, done):
                stage[move.features] = move.stages[count]
            stages.append(stage)
        yield order, np.array(stages[:-1]).reshape(-1, len(row))


@pytest.mark.parametrize("seed", range(8))
def test_the_order_is_the_best_of_all_permutations(seed):
    rng = np.random.default_rng(seed)
    row, end = np.zeros(6), np.append(np.ones(5), 0.0)
    groups = [[0], [1, 2], [3], [4]] if seed % 2 else [[0], [1], [2], [3], [4]]
    moves = moves_of(row, end, groups)
    if seed % 3 == 0:
        moves[0] = Move(np.array([0]), np.array([[0.0], [0.4], [1.0]]))
    weights, slopes = rng.normal(size=(40, 6)), rng.normal(size=6)

    def height(stages):
        values = np.sin(3 * stages @ weights.T).sum(axis=1).round(1 if seed < 4 else 12)  # with ties at first
        return np.where(stages @ np.roll(slopes, 1) > 2.0, -np.inf, values)

    def rise(stages):
        return stages @ slopes

    found = best_order(row, moves, height, rise)
    best, sequence = -np.inf, None
    for order, stages in all_orders(row, moves):
        worst = height(stages).min()
        if worst < best or worst == -np.inf:
            continue
        key = tuple(rise(np.vstack([stages, end])))
        if worst > best or sequence is None or key > sequence[0]:
            best, sequence = worst, (key, order)
    if sequence is None:
        assert found.moves == ()
        return
    assert found.is_exact
    assert found.bottleneck == found.bound == best
    assert tuple(rise(found.stages[1:])) == pytest.approx(sequence[0])
    assert found.stages[0].tolist() == row.tolist()


def test_beyond_fifteen_changes_a_beam_says_what_it_does_not_know(monkeypatch):
    rng = np.random.default_rng(0)
    n = 8
    row, end = np.zeros(n), np.ones(n)
    moves = moves_of(row, end, [[place] for place in range(n)])
    weights = rng.normal(size=(20, n))

    def height(stages):
        return np.sin(3 * stages @ weights.T).sum(axis=1)

    exact = best_order(row, moves, height, lambda stages: np.zeros(len(stages)))
    monkeypatch.setattr("elsewise.questions.paths.order.MOST_STAGES", 10)
    beam = best_order(row, moves, height, lambda stages: np.zeros(len(stages)))
    assert not beam.is_exact
    assert sorted(beam.moves) == list(range(n))
    assert beam.bottleneck == height(beam.stages[1:-1]).min()
    assert beam.bottleneck <= exact.bottleneck <= beam.bound
    monkeypatch.setattr("elsewise.questions.paths.order.BEAM_WIDTH", 10_000)
    assert best_order(row, moves, height, lambda stages: np.zeros(len(stages))).bottleneck == exact.bottleneck


def test_fifteen_changes_are_still_exact():
    n = 15
    row, end = np.zeros(n), np.ones(n)
    moves = moves_of(row, end, [[place] for place in range(n)])

    def height(stages):  # only the order from the last to the first is not sparse
        done = stages.sum(axis=1).astype(int)
        expected = (np.arange(n) >= n - done[:, None]).astype(float)
        return np.where((stages == expected).all(axis=1), 0.0, -1.0)

    found = best_order(row, moves, height, lambda stages: np.zeros(len(stages)))
    assert found.moves == tuple(range(n - 1, -1, -1))
    assert found.is_exact


def test_parts_of_whole_numbers_are_whole():
    assert in_parts(0.0, 10.0, 4, is_whole=True).tolist() == [0, 2, 5, 8, 10]
    assert in_parts(3.0, 5.0, 5, is_whole=True).tolist() == [3, 4, 5]
    assert in_parts(0.5, 1.0, 2, is_whole=False).tolist() == [0.5, 0.75, 1.0]


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True, as_frame=True)
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)).fit(X, y)
    return ew.Explainer(model, distance="scaled").fit(X, y), X


def test_a_plan_of_an_explanation_is_the_best_of_all_orders(wine):
    explainer, X = wine
    n_between = 0
    for i in (97, 120, 5, 140):
        answer = explainer.explain_one(X.iloc[i], constraints=ew.Constraints(max_changes=4))
        if answer.status == "infeasible":
            continue
        plan = explainer.plan(answer)
        land, fitted = explainer.fitted_.landscape(), explainer.fitted_
        changed = np.flatnonzero(answer.row_features != answer.features)
        moves = moves_of(answer.row_features, answer.features, [[place] for place in changed])
        heights = [land.log_max(fitted.density_rows(stages)).min(initial=np.inf)
                   for _, stages in all_orders(answer.row_features, moves)]  # fmt: skip
        assert plan.status == "optimal"
        assert len(plan) == len(changed)
        if len(plan) > 1:
            n_between += 1
            assert plan.steps[plan.bottleneck].log_density == pytest.approx(max(heights), abs=1e-12)
            assert plan.log_bound == pytest.approx(max(heights), abs=1e-12)
        assert plan.steps[-1].row.tolist() == answer.counterfactual.tolist()
        assert plan.steps[-1].is_as_wanted
        rows = pd.DataFrame([X.iloc[i], *(step.row for step in plan)])
        said = explainer.model.predict(rows) == answer.target
        assert said[plan.turn :].all()
        assert not said[plan.turn - 1]
        probabilities = explainer.model.predict_proba(rows[1:])[:, list(explainer.classes_).index(answer.target)]
        assert [step.probability for step in plan] == pytest.approx(probabilities)
    assert n_between


def test_columns_can_change_together_and_in_parts(wine):
    explainer, X = wine
    answer = explainer.explain_one(X.iloc[97], 0)
    names = [change.feature for change in answer.changes]
    plan = answer.plan(explainer, together=[names[:2]], parts={names[2]: 3})
    by_step = [[change.feature for change in step.changes] for step in plan]
    assert sorted(names[:2]) in [sorted(step) for step in by_step]
    assert by_step.count([names[2]]) == 3
    split = [step.changes[0] for step in plan if step.changes[0].feature == names[2]]
    assert split[0].after == split[1].before
    assert sum(change.cost for change in split) == pytest.approx(answer.changes[2].cost)
    with pytest.raises(ew.InvalidInputError, match="no column 'nothing'"):
        explainer.plan(answer, together=[["nothing"]])
    with pytest.raises(ew.InvalidInputError, match="in two groups"):
        explainer.plan(answer, together=[[names[0], names[0]]])
    with pytest.raises(ew.InvalidInputError, match="lists of column names"):
        explainer.plan(answer, together=[names[0]])
    with pytest.raises(ew.InvalidInputError, match="whole number >= 1"):
        explainer.plan(answer, parts={names[0]: 0})
    with pytest.raises(ew.InvalidInputError, match="changes together with others"):
        explainer.plan(answer, together=[names[:2]], parts={names[0]: 2})


def test_rules_hold_at_every_stage():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {"income": rng.uniform(10, 50, 300), "debt": rng.uniform(0, 20, 300), "age": rng.uniform(20, 60, 300)}
    )
    y = (X["income"] - X["debt"] + 0.1 * X["age"] > 25).astype(int)
    explainer = ew.Explainer(LogisticRegression(max_iter=1000).fit(X, y), distance="scaled").fit(X, y)
    rules = ew.Constraints(linear=["debt <= 0.5 * income"], immutable=["age"])
    row = X[(y == 0) & (X["debt"] < 0.5 * X["income"])].iloc[0]
    answer = explainer.explain_one(row, 1, constraints=rules)
    plan = explainer.plan(answer, constraints=rules)
    assert plan.status == "optimal"
    for step in plan:
        assert step.row["debt"] <= 0.5 * step.row["income"]


def test_where_no_order_keeps_the_rules_it_says_so():
    X, y = load_iris(return_X_y=True, as_frame=True)
    X.columns = list("abcd")
    explainer = ew.Explainer(LogisticRegression(max_iter=1000).fit(X, y)).fit(X, y)
    answer = explainer.explain_one(X.iloc[0], 2)
    before, after = answer.x, answer.counterfactual
    moved = [change.feature for change in answer.changes]
    assert len(moved) >= 3
    # the sum of the relative changes is either nothing or all of it: no stage between
    share = " + ".join(f"({name} - {before[name]}) / {after[name] - before[name]}" for name in moved)
    rules = ew.Constraints(linear=[f"{share} >= {len(moved) - 0.5}"])
    plan = explainer.plan(answer, constraints=rules)
    assert plan.status == "infeasible"
    assert plan.reason.startswith(f"No order of the {len(moved)} changes keeps the rules")
    assert plan.sentence == plan.reason
    assert len(plan) == 0
    together = explainer.plan(answer, together=[moved], constraints=rules)
    assert together.status == "optimal"
    assert len(together) == 1


def test_tables_with_categories_have_plans():
    rng = np.random.default_rng(1)
    X = pd.DataFrame(
        {
            "amount": rng.integers(1, 90, 400) * 100,
            "months": rng.integers(6, 60, 400),
            "housing": rng.choice(["rent", "own", "free"], 400),
        }
    )
    y = np.where(X["amount"] / 100 + X["months"] - 20 * (X["housing"] == "own") > 60, "bad", "good")
    encode = make_column_transformer((OneHotEncoder(), ["housing"]), remainder=StandardScaler())
    explainer = ew.Explainer(make_pipeline(encode, LogisticRegression()).fit(X, y)).fit(X, y)
    row = X[(explainer.model.predict(X) == "bad") & (X["housing"] == "rent")].iloc[0]
    answer = explainer.explain_one(row, "good")
    plan = answer.plan(explainer)
    assert {change.feature for step in plan for change in step.changes} == {change.feature for change in answer.changes}
    assert explainer.model.predict(plan.steps[-1].row.to_frame().T.astype(X.dtypes))[0] == "good"
    assert all(float(step.row["amount"]).is_integer() for step in plan)
    assert plan.sentence[0].isupper()
    assert 'the model predicts "good"' in plan.sentence
    assert plan._repr_html_().count("<tr>") == len(plan) + 1
    frame = plan.to_frame()
    assert frame["step"].tolist() == list(range(1, len(plan) + 1))
    if any(change.feature == "housing" for change in answer.changes):
        with pytest.raises(ew.InvalidInputError, match="is no number"):
            explainer.plan(answer, parts={"housing": 2})


def test_sentences_say_what_to_do():
    X, y = load_iris(return_X_y=True, as_frame=True)
    X.columns = ["sepal length", "sepal width", "petal length", "petal width"]
    explainer = ew.Explainer(LogisticRegression(max_iter=1000).fit(X, y)).fit(X, y)
    plan = explainer.plan(explainer.explain_one(X.iloc[99], 2))
    assert plan.sentence.startswith("First ")
    assert ", then " in plan.sentence
    for step in plan:
        change = step.changes[0]
        verb = "raise" if change.after > change.before else "lower"
        assert f"{verb} {change.feature} from" in plan.sentence
    assert str(plan).count("\n") == len(plan)
    assert repr(plan) == f"<Plan 1 -> 2: optimal, {len(plan)} steps>"


def test_models_without_probabilities_and_regressors_have_plans():
    X, y = load_iris(return_X_y=True)
    explainer = ew.Explainer(LinearSVC().fit(X, y)).fit(X, y)
    plan = explainer.plan(explainer.explain_one(X[99], 2))
    assert all(np.isnan(step.probability) for step in plan)
    assert plan.turn is not None
    regressor = ew.Explainer(LinearRegression().fit(X[:, :3], X[:, 3])).fit(X[:, :3])
    plan = regressor.plan(regressor.explain_one(X[60, :3], (1.5, None)))
    assert plan.steps[-1].prediction >= 1.5
    assert "at least 1.5" in plan.sentence


def test_plans_need_no_density():
    X, y = load_breast_cancer(return_X_y=True)
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)).fit(X, y)
    explainer = ew.Explainer(model, density=None, distance="scaled").fit(X, y)
    plan = explainer.plan(explainer.explain_one(X[0], 1))
    assert plan.bottleneck is None
    assert np.isnan(plan.log_bound)
    rising = [step.probability for step in plan]
    assert plan.status == "optimal"
    assert rising[-1] == max(rising)


def test_without_a_counterfactual_there_is_no_plan(wine):
    explainer, X = wine
    answer = explainer.explain_one(X.iloc[97], 0, constraints=ew.Constraints(immutable=list(X.columns)))
    with pytest.raises(ew.InvalidInputError, match="no counterfactual to plan for"):
        explainer.plan(answer)
    with pytest.raises(ew.InvalidInputError, match="received str"):
        explainer.plan("answer")
    iris_X, iris_y = load_iris(return_X_y=True)
    other = ew.Explainer(LogisticRegression(max_iter=1000).fit(iris_X, iris_y)).fit(iris_X, iris_y)
    with pytest.raises(ew.InvalidInputError, match="other columns"):
        explainer.plan(other.explain_one(iris_X[99], 2))


def test_nothing_to_change_is_a_plan_without_steps(wine):
    explainer, X = wine
    inside = X.iloc[[int(np.argmax(explainer.log_density(X, 1)))]]
    answer = explainer.explain_one(inside, explainer.model.predict(inside)[0])
    assert not answer.changes
    plan = explainer.plan(answer)
    assert (len(plan), plan.status, plan.turn) == (0, "optimal", 0)
    assert plan.sentence == "Nothing has to change."


def test_a_least_probability_alone_decides_when_the_model_turns():
    X, y = load_wine(return_X_y=True)
    model = make_pipeline(StandardScaler(), LogisticRegression(C=0.05)).fit(X, y)
    explainer = ew.Explainer(model, density=None).fit(X, y)
    row = X[model.predict_proba(X)[:, 1] < 0.2][0]
    explanation = explainer.explain_one(row, model.classes_[1], min_probability=0.35)
    assert model.predict(explanation.counterfactual[None])[0] != explanation.target
    plan = explainer.plan(explanation)
    assert plan.turn == len(plan) > 0
    assert [step.is_as_wanted for step in plan] == [step.probability >= 0.35 for step in plan]
    assert f"the probability of {explanation.target} is at least 0.35." in plan.sentence
