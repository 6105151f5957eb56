"""Least probabilities: the model's own ``predict_proba`` alone decides; several classes against a conic solver."""

from __future__ import annotations

from itertools import product

import clarabel
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.compose import make_column_transformer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import elsewise as ew
from elsewise.models import Label, Reach, region_of
from elsewise.search.relaxations.softmax import SoftmaxRegion
from fitted_models import assert_certified, random_data, reference_cones
from models.contract import blobs, boundary_pairs, wanted_mask


def softmax_reference(x, weights, W, b, index, p, cone=None, lower=None):
    """Nearest point at which a softmax gives a class at least ``p``, by Clarabel's exponential cones.

    Variables are the change ``v``, its sizes ``t`` and ``e_k >= exp(s_k - s_c)`` of the rivals, whose sum is at most
    ``(1 - p) / p``.
    """
    d, rivals = len(x), [k for k in range(len(W)) if k != index]
    m = len(rivals)
    cost = np.concatenate([np.zeros(d), weights, np.zeros(m)])
    eye = np.eye(d)
    rows = [np.hstack([eye, -eye, np.zeros((d, m))]), np.hstack([-eye, -eye, np.zeros((d, m))])]
    right = [np.zeros(d), np.zeros(d)]
    rows.append(np.concatenate([np.zeros(2 * d), np.ones(m)])[None])
    right.append(np.array([(1 - p) / p]))
    if lower is not None:
        rows.append(np.hstack([-eye, np.zeros((d, d + m))]))
        right.append(-(lower - x))
    cones = [clarabel.NonnegativeConeT(sum(len(part) for part in right))]
    if cone is not None:  # ||F (x + v - centre)|| <= radius
        F, centre, radius = cone
        rows.append(np.vstack([np.zeros((1, 2 * d + m)), np.hstack([-F, np.zeros((len(F), d + m))])]))
        right.append(np.concatenate([[radius], F @ (x - centre)]))
        cones.append(clarabel.SecondOrderConeT(len(F) + 1))
    for place, k in enumerate(rivals):  # (s_k - s_c, 1, e_k) in the exponential cone
        apart = np.zeros((3, 2 * d + m))
        apart[0, :d] = -(W[k] - W[index])
        apart[2, 2 * d + place] = -1.0
        rows.append(apart)
        right.append(np.array([(W[k] - W[index]) @ x + b[k] - b[index], 1.0, 0.0]))
        cones.append(clarabel.ExponentialConeT())
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-10
    n = 2 * d + m
    solver = clarabel.DefaultSolver(
        sparse.csc_matrix((n, n)), cost, sparse.csc_matrix(np.vstack(rows)), np.concatenate(right), cones, settings
    )
    solved = solver.solve()
    if "Infeasible" in str(solved.status):
        return np.inf
    assert str(solved.status) in ("Solved", "AlmostSolved")
    return solved.obj_val


MODELS = [LogisticRegression(max_iter=1000), LinearDiscriminantAnalysis()]


@pytest.mark.parametrize("p", [0.1, 0.4, 0.5, 0.9])
@pytest.mark.parametrize("n_classes", [3, 5])
@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_regions_of_a_softmax_agree_with_predict_proba(model, n_classes, p):
    X, y, Z = blobs(n_classes)
    model.fit(X, y)
    for index in range(n_classes):
        outcome = Label(index, min_probability=p)
        region, wanted = region_of(model, outcome), wanted_mask(model, outcome, Z)
        assert isinstance(region, SoftmaxRegion)
        assert 0 < wanted.sum() < len(Z)
        np.testing.assert_array_equal(region.accepts(Z), wanted)
        inside, outside = boundary_pairs(model, outcome, Z)
        values, _ = region.values(np.vstack([inside, outside]))
        np.testing.assert_allclose(values, region.limit, atol=1e-9)


@pytest.mark.parametrize("p", [0.1, 0.5, 0.9])
def test_tangents_hold_for_every_accepted_point(p):
    X, y, Z = blobs(4)
    model = LogisticRegression().fit(X, y)
    explainer = ew.Explainer(model, density=None, learn_rules=False).fit(X, y)
    for index in range(4):
        problem = explainer.fitted_.problem((Label(index, min_probability=p),))
        cover = problem.goals[0].cover
        inside = Z[region_of(model, Label(index, min_probability=p)).accepts(Z)]
        for near in Z[:40]:
            reach = Reach(near, np.inf, np.full(4, -np.inf), np.full(4, np.inf), problem.space)
            A, b = cover.halfspaces(cover.first_part(0), near, reach)
            assert (inside @ A.T <= b + 1e-9 * (1 + np.abs(b))).all()
            if not cover.region.accepts(near[None])[0]:
                assert (A @ near > b).any(), "the point is not cut off"


@pytest.mark.parametrize("p", [0.15, 0.5, 0.8, 0.97])
@pytest.mark.parametrize("n_classes", [3, 4])
@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_several_classes_against_a_conic_solver(model, n_classes, p):
    X, y = random_data(n_classes, seed=n_classes)
    model.fit(X, y)
    explainer = ew.Explainer(model, density=None, learn_rules=False).fit(X, y)
    for index, target in enumerate(model.classes_):
        answers = explainer.explain(X[:8], target, min_probability=p)
        assert_certified(explainer, X[:8], answers, min_probability=p)
        assert (answers.statuses == "optimal").all()
        for answer, x in zip(answers, X[:8]):
            value = softmax_reference(x, explainer.distance_.weights, model.coef_, model.intercept_, index, p)
            np.testing.assert_allclose(answer.distance, value, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("p", [0.3, 0.8])
def test_several_classes_with_a_density_and_bounds_against_a_conic_solver(p):
    X, y = random_data(3, seed=3)
    model = LogisticRegression().fit(X, y)
    explainer = ew.Explainer(
        model, density=ew.GaussianMixtureDensity(n_components=2), threshold=0.3, learn_rules=False
    ).fit(X, y)
    lower = X.min(axis=0)
    rules = ew.Constraints(bounds={f"x{i}": (float(low), None) for i, low in enumerate(lower)})
    n_infeasible = 0
    for index, target in enumerate(model.classes_):
        answers = explainer.explain(X[:6], target, constraints=rules, min_probability=p)
        assert_certified(explainer, X[:6], answers, min_probability=p)
        for answer, x in zip(answers, X[:6]):
            value = min(
                softmax_reference(
                    x, explainer.distance_.weights, model.coef_, model.intercept_, index, p, cone=cone, lower=lower
                )
                for cone in reference_cones(explainer, Label(index))
            )
            n_infeasible += np.isinf(value)
            if np.isinf(value):
                assert answer.status == "infeasible"
            else:
                assert answer.status == "optimal"
                np.testing.assert_allclose(answer.distance, value, rtol=1e-5, atol=1e-6)


def trips(n=150):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {"km": rng.gamma(2.0, 4.0, n).round(1), "bags": rng.integers(0, 5, n), "rain": rng.choice(["no", "yes"], n)}
    )
    score = frame["km"] + 2 * frame["bags"] + 4 * (frame["rain"] == "yes") + rng.normal(0, 2, n)
    return frame, np.where(score < 9, "walk", np.where(score < 15, "bike", "car"))


def test_whole_numbers_categories_and_rules_with_several_classes():
    frame, y = trips()
    columns = make_column_transformer((StandardScaler(), ["km", "bags"]), (OneHotEncoder(), ["rain"]))
    model = make_pipeline(columns, LogisticRegression()).fit(frame, y)
    explainer = ew.Explainer(model, density=None, distance="manhattan", learn_rules=False).fit(frame, y)
    rules = ew.Constraints(bounds={"bags": (0, 4)}, linear=["km + bags <= 22"])
    rows = frame[model.predict(frame) == "walk"].iloc[:6]
    index = model.classes_.tolist().index("car")
    grids = []
    for bags, rain in product(range(5), ("no", "yes")):
        km = np.unique(np.append(np.linspace(-40, 22 - bags, 200_001), rows["km"]))
        grid = pd.DataFrame({"km": km[km + bags <= 22], "bags": bags, "rain": rain})
        grids.append((bags, rain, grid["km"].to_numpy(), model.predict_proba(grid)[:, index]))
    for p in (0.3, 0.6):
        answers = explainer.explain(rows, "car", constraints=rules, min_probability=p)
        assert (answers.statuses == "optimal").all()
        assert (model.predict_proba(answers.counterfactuals)[:, index] >= p).all()
        for answer, (_, row) in zip(answers, rows.iterrows()):
            best = min(
                np.abs(km[probability >= p] - row["km"]).min(initial=np.inf)
                + abs(bags - row["bags"])
                + (rain != row["rain"])
                for bags, rain, km, probability in grids
            )
            assert best - 4e-4 <= answer.distance <= best + 1e-9


def test_sentences_speak_of_the_probability():
    X, y = random_data(2, seed=9)
    model = LogisticRegression().fit(X, y)
    explainer = ew.Explainer(model, density=None).fit(X, y)
    row = X[model.predict_proba(X)[:, 1].argmin()]
    answer = explainer.explain_one(row, "right", min_probability=0.3)
    assert model.predict([answer.counterfactual])[0] == "left"
    assert answer.sentence.startswith(
        'The model predicts "left". It would give "right" a probability of at least 0.3 with: x'
    )
    assert answer.sentence.endswith("No smaller change exists (proven).")
    assert answer.min_probability == 0.3
    nothing = explainer.explain_one(answer.counterfactual, "right", min_probability=0.25)
    assert nothing.sentence == (
        'The model predicts "left". It gives "right" a probability of at least 0.25. Nothing has to change.'
    )
    assert nothing.reason.startswith('The model already gives "right" a probability of at least 0.25: ')
    rules = ew.Constraints(immutable=["x0", "x1", "x2", "x3"])
    none = explainer.explain_one(row, "right", constraints=rules, min_probability=0.3)
    assert none.sentence.startswith('The model predicts "left". No ')
    assert np.isnan(explainer.explain_one(row, "right").min_probability)


def test_forests_and_their_answers_below_one_half():
    X, y = random_data(3, seed=2)
    model = RandomForestClassifier(7, max_depth=3, random_state=0).fit(X, y)
    explainer = ew.Explainer(model, density=None).fit(X, y)
    for index, target in enumerate(model.classes_):
        answers = explainer.explain(X[:8], target, min_probability=0.35)
        probability = model.predict_proba(answers.counterfactuals)[:, index]
        assert (probability >= 0.35).all()
        plain = explainer.explain(X[:8], target)
        assert (answers.distances <= plain.distances * (1 + 1e-9) + 1e-12).all()


def test_the_nearest_other_class_with_a_low_probability_may_be_the_row_itself():
    X, y = random_data(2, seed=9)
    model = LogisticRegression().fit(X, y)
    explainer = ew.Explainer(model, density=None).fit(X, y)
    row = X[np.abs(model.predict_proba(X)[:, 0] - 0.5).argmin()]
    answer = explainer.explain_one(row, min_probability=0.05)
    assert answer.distance == 0
    assert answer.target != model.predict([row])[0]


def test_certain_classes_are_refused():
    X, y = random_data(3)
    explainer = ew.Explainer(LogisticRegression().fit(X, y), density=None).fit(X, y)
    with pytest.raises(ew.InvalidInputError, match=r"0 < p < 1 \(the logistic function never reaches 1\)"):
        explainer.explain(X[:2], y[0], min_probability=1.0)


def test_a_softmax_without_weights_says_the_same_everywhere():
    X, y = random_data(3)
    model = LogisticRegression().fit(X, y)
    model.coef_[:], model.intercept_[:] = 0.0, [0.0, 0.0, 1.0]
    explainer = ew.Explainer(model, density=None).fit(X, y)
    low, high = (explainer.explain_one(X[0], model.classes_[2], min_probability=p) for p in (0.5, 0.7))
    assert low.distance == 0
    assert high.status == "infeasible"
