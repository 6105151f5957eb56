"""A fixed price per changed column: against SCIP with a limit on changes, subsets of columns, and lists of all rows."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import linprog
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import elsewise as ew
from elsewise.projection import project
from listed_table import listed, mixed_table, small_table


def explained(density: bool, price: float) -> tuple[ew.Explainer, pd.DataFrame]:
    frame, y = mixed_table()
    numbers = ["income", "debt", "years", "age"]
    before = make_column_transformer((OneHotEncoder(), ["housing", "job"]), (StandardScaler(), numbers))
    model = make_pipeline(before, LogisticRegression(max_iter=1000)).fit(frame, y)
    made = ew.MixedMixtureDensity(n_components=2) if density else None
    explainer = ew.Explainer(model, density=made, threshold=0.3, distance=ew.Scaled(per_change=price)).fit(frame, y)
    return explainer, frame[model.predict(frame) == "bad"]


@pytest.mark.parametrize("price", [0.2, 1.0])
@pytest.mark.parametrize("density", [False, True])
def test_prices_are_proven_by_limits_on_changes(density, price):
    """With the best distance of at most k changes from SCIP, the optimum is the least of distance + price k."""
    pytest.importorskip("pyscipopt", reason="the mixed-integer reference needs pyscipopt")
    from mixed_reference import scip
    from mixed_tables import TableReference

    explainer, rows = explained(density, price)
    bounds = {name: (float(rows[name].min()) - 5, float(rows[name].max()) * 3) for name in ("income", "debt")}
    bounds |= {"years": (0, 30), "age": (18, 90)}
    reference = TableReference(explainer, rows)
    for i in range(3):
        row = rows.iloc[i]
        answer = explainer.explain_one(row, "good", constraints=ew.Constraints(bounds=bounds))
        best = np.inf
        for most in range(7):
            if price * most >= best:
                break
            found = scip(reference.problem(row, "good", {"bounds": bounds, "max_changes": most}))
            best = min(best, found.value + price * most)
        assert answer.status == "optimal"
        np.testing.assert_allclose(answer.distance, best, rtol=1e-6)
        changed = [name for name in rows if answer.counterfactual[name] != row[name]]
        plain = explainer.distance_.per_change * len(changed)
        assert answer.distance > plain
        np.testing.assert_allclose(answer.shares.sum(), answer.distance)
        assert (answer.shares[answer.shares > 0] > price).all()


def test_numbers_alone_move_in_the_best_subset():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 6))
    y = (X @ np.array([1.0, 0.8, 0.5, 0.3, -0.6, 0.1]) + 0.3 * rng.normal(size=200) > 1.0).astype(int)
    model = LogisticRegression().fit(X, y)
    price, ends = 0.4, (-1.6, 1.6)
    explainer = ew.Explainer(model, density=None, distance=ew.Manhattan(per_change=price)).fit(X, y)
    rules = ew.Constraints(bounds={f"x{i}": ends for i in range(6)})
    inside = X[(np.abs(X) < 1.6).all(axis=1)]
    rows = inside[np.argsort(model.decision_function(inside))][:4]  # the farthest away
    answers, sizes = explainer.explain(rows, 1, constraints=rules), set()
    for row, answer in zip(rows, answers):
        best = np.inf
        for chosen in itertools.chain.from_iterable(itertools.combinations(range(6), k) for k in range(7)):
            some = list(chosen)
            normal = model.coef_[0][some]
            least = -model.intercept_[0] - model.coef_[0] @ row
            limits = [(0, ends[1] - row[i]) for i in some] + [(0, row[i] - ends[0]) for i in some]
            if not some:
                continue
            solved = linprog(np.ones(2 * len(some)), A_ub=[[*-normal, *normal]], b_ub=[-least], bounds=limits)
            if solved.status == 0:
                best = min(best, solved.fun + price * len(some))
        assert answer.status == "optimal"
        np.testing.assert_allclose(answer.distance, best, rtol=1e-6)
        sizes.add(int((np.asarray(answer.counterfactual) != row).sum()))
    assert max(sizes) > 1


@pytest.mark.parametrize("density", [False, True])
def test_forests_pay_for_every_column(density):
    frame, y = small_table()
    before = make_column_transformer((OneHotEncoder(), ["colour", "member"]), remainder="passthrough")
    model = make_pipeline(before, RandomForestClassifier(15, max_depth=4, random_state=0)).fit(frame, y)
    weights = {"years": 0.5, "loans": 0.4, "colour": 1.3, "member": 2.0}
    explainer = ew.Explainer(
        model,
        distance=ew.Manhattan(weights, per_change=0.7),
        density=ew.MixedMixtureDensity(n_components=2) if density else None,
        threshold=0.2,
    ).fit(frame, y)
    rows = frame[model.predict(frame) == "bad"].drop_duplicates().iloc[:8]
    rules = ew.Constraints(bounds={"years": (0, 4), "loans": (0, 3)})
    answers, sizes = explainer.explain(rows, "good", constraints=rules), set()
    for i in range(len(rows)):
        row = rows.iloc[i]
        everything, distance = listed(row, weights)
        distance = distance + 0.7 * np.array([everything[name] != row[name] for name in everything]).sum(axis=0)
        good = model.predict(everything) == "good"
        if density:
            good &= explainer.log_density(everything, "good") >= explainer.densities_["good"].log_threshold_
        assert answers.statuses[i] == "optimal"
        np.testing.assert_allclose(answers.distances[i], distance[good].min(), rtol=1e-6)
        np.testing.assert_allclose(answers.lower_bounds[i], distance[good].min(), rtol=1e-6)
        sizes.add(int(answers.changed[i].sum()))
    assert len(sizes) > 1


def test_forests_with_numbers_move_in_the_best_subset():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 5))
    y = (X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * X[:, 3] > 0.5).astype(int)
    model = RandomForestClassifier(20, max_depth=4, random_state=0).fit(X, y)
    rows = X[model.predict(X) == 0][:3]
    priced = ew.Explainer(model, distance=ew.Manhattan(per_change=0.3), threshold=0.2).fit(X, y)
    plain = ew.Explainer(model, distance="manhattan", threshold=0.2).fit(X, y)
    answers = priced.explain(rows, 1)
    best = np.full(len(rows), np.inf)
    for fixed in itertools.chain.from_iterable(itertools.combinations(range(5), k) for k in range(5)):
        few = plain.explain(rows, 1, constraints=ew.Constraints(immutable=[f"x{i}" for i in fixed]))
        best = np.fmin(best, few.distances + 0.3 * (5 - len(fixed)))
    assert (answers.statuses == "optimal").all()
    np.testing.assert_allclose(answers.distances, best, rtol=1e-5)


def test_frontier_and_several_answers_pay_too():
    explainer, rows = explained(True, 0.5)
    frontier = explainer.frontier(rows.iloc[0], "good", [0.1, 0.5, 0.8])
    assert (np.diff(frontier.explanations.distances) >= -1e-9).all()
    several = explainer.explain_one(rows.iloc[0], "good", n_counterfactuals=3)
    assert (np.diff(several.distances) >= -1e-9).all()
    assert (several.statuses == "optimal").all()
    np.testing.assert_allclose(several.distances, several.shares.sum(axis=1))


@pytest.mark.parametrize("wrong", [-1.0, float("inf"), float("nan"), "much", True])
@pytest.mark.parametrize("distance", [ew.Scaled, ew.Manhattan])
def test_prices_are_checked(distance, wrong):
    with pytest.raises(ew.InvalidInputError, match="per_change: expected a finite number, 0 or more"):
        distance(per_change=wrong).resolve(np.zeros((3, 2)))


def test_paths_and_projections_take_no_price():
    explainer, rows = explained(True, 0.5)
    with pytest.raises(ew.InvalidInputError, match="price per change has no meaning"):
        explainer.path(rows.iloc[0], "good")
    with pytest.raises(ew.InvalidInputError, match="price per change is not convex"):
        project(np.zeros((1, 2)), A=[[1.0, 0.0]], b=[-1.0], distance=ew.Manhattan(per_change=1.0))
