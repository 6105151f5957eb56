"""Cases in which a bound, a proof or a search once went wrong."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import elsewise as ew
from elsewise import models as regions
from elsewise import theory
from elsewise.projection import project


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return X, y, ew.Explainer(LogisticRegression(max_iter=1000).fit(X, y)).fit(X, y)


def test_one_feature_and_several_classes_against_a_grid():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(m, 1, (60, 1)) for m in (0, 5, 10, 15)])
    y = np.repeat(range(4), 60)
    model = LogisticRegression(max_iter=1000).fit(X, y)
    explainer = ew.Explainer(model, density="kernel").fit(X, y)
    target = (y + 1) % 4
    answers = explainer.explain(X, target)
    grid = np.linspace(-8, 24, 100_001)[:, None]
    predicted = model.predict(grid)
    for label in range(4):
        density = explainer.densities_[label]
        allowed = grid[(predicted == label) & (density.log_max(grid) >= density.log_threshold_)]
        wanted = target == label
        nearest = np.abs(allowed.T - X[wanted]).min(axis=1)
        assert (answers.distances[wanted] <= nearest + 1e-9).all()
        assert (answers.lower_bounds[wanted] <= nearest + 1e-9).all()


class _Corner:
    """Decides for "in" beyond either of two walls; the first is written down twice, once too far out."""

    classes_ = np.array(["out", "in"])
    n_features_in_ = 2

    def predict(self, X):
        X = np.asarray(X)
        return self.classes_[((X[:, 0] >= 2.0) | (X[:, 1] >= 2.5)).astype(int)]


def test_redundant_rows_of_a_users_region_do_not_add_up():
    @regions.register(_Corner)
    def corner(model, outcome):
        walls = [([[-1.0, 0.0], [-1.0, 0.0]], [-1.0, -2.0]), ([[0.0, -1.0]], [-2.5])]
        return regions.union([(np.array(A), np.array(b)) for A, b in walls], n_features=2)

    X = np.random.default_rng(0).normal(size=(20, 2))
    explainer = ew.Explainer(_Corner(), density=None, learn_rules=False).fit(X, _Corner().predict(X))
    answer = explainer.explain_one(np.zeros(2), "in")
    assert answer.status == "optimal"
    assert answer.distance == pytest.approx(2.0, rel=1e-8)


@pytest.mark.parametrize("model", [LogisticRegression(), DecisionTreeClassifier(max_depth=4, random_state=0)])
@pytest.mark.parametrize("scales", [(1, 1e3, 1e-3), (1, 1e4, 1e-4), (1, 1e5, 1e-5), (1, 1e6, 0.03)])
def test_features_in_very_different_units_always_have_an_answer(model, scales):
    rng = np.random.default_rng(1)
    B, y = rng.normal(size=(200, 3)), np.repeat([0, 1], 100)
    B[y == 1] += 4
    X = B * np.array(scales)
    pipe = make_pipeline(StandardScaler(), model).fit(X, y)
    explainer = ew.Explainer(pipe).fit(X, y)
    answers = explainer.explain(X)
    assert answers.found.all()
    assert (pipe.predict(answers.counterfactuals) == np.array(answers.targets)).all()
    assert (answers.log_densities >= answers.log_thresholds).all()
    if max(scales) / min(scales) < 1e7:
        assert (answers.statuses == "optimal").all()


@pytest.mark.parametrize("size", [1e5, 1e6, 1e8])
def test_rows_far_away_have_an_answer(iris, size):
    _, _, explainer = iris
    answer = explainer.explain_one(np.full(4, size), 1)
    assert answer.status == "optimal"
    assert answer.log_density >= answer.log_threshold


def test_model_free_counterfactuals_of_a_row_beyond_all_precision_are_dense_and_proven():
    X = np.random.default_rng(0).normal(size=(200, 2))
    y = (X[:, 1] > 0).astype(int)
    explainer = ew.Explainer(DecisionTreeClassifier(max_depth=1).fit(X, y)).fit(X, y)
    row = np.array([[1e12, -3.0]])
    found = theory.model_free_counterfactuals(explainer, row, 1)
    density = explainer.densities_[1]
    assert density.log_max(found.points)[0] >= density.log_threshold_
    assert found.log_densities[0] == pytest.approx(density.log_max(found.points)[0], abs=1e-9)
    assert found.distances[0] == pytest.approx(np.abs(found.points - row).sum(), rel=1e-15)
    assert found.lower_bounds[0] <= found.distances[0]
    # what is dense enough lies within 10 of the origin
    assert found.lower_bounds[0] == pytest.approx(1e12, rel=1e-11)
    assert found.classified_as_target[0] == (explainer.model.predict(found.points)[0] == 1)


@pytest.mark.usefixtures("any_grace")
def test_model_free_is_not_claimed_for_cones_a_time_limit_left_unseen():
    X, y = load_iris(return_X_y=True)
    model = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, y)
    explainer = ew.Explainer(model, density="kernel").fit(X, y)
    target = (model.predict(X) + 1) % 3
    full, hasty = explainer.explain(X, target), explainer.explain(X, target, time_limit=1e-12)
    assert not (hasty.model_free & ~full.model_free).any()


def test_emptiness_is_not_claimed_for_a_far_corner():
    answer = project(np.zeros((1, 2)), A=[[-1.0, 0.0], [1.0, -1e-6]], b=[-1.0, 0.0])
    assert answer.status[0] == "optimal"
    assert answer.distance[0] == pytest.approx(1.0 + 1e6, rel=1e-6)


def test_theory_takes_frames_as_explain_does(iris):
    X, y, explainer = iris
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    plain = theory.is_locally_sufficient_perfect(explainer, X[:20], y[:20])
    assert (theory.is_locally_sufficient_perfect(explainer, frame[:20], y[:20]).holds == plain.holds).all()


@pytest.mark.parametrize("n_jobs", [0, 1.5, "two", True])
def test_n_jobs_has_to_be_a_number_of_threads(iris, n_jobs):
    X, y, explainer = iris
    bad = ew.Explainer(explainer.model, n_jobs=n_jobs).fit(X, y)
    with pytest.raises(ew.InvalidInputError, match="n_jobs must be a whole number"):
        bad.explain(X[:3], 1)


def test_nested_targets_are_refused(iris):
    X, _, explainer = iris
    with pytest.raises(ew.InvalidInputError, match="received a nested list"):
        explainer.explain(X[:2], [[1], 2])


def test_an_index_array_is_refused_clearly(iris):
    X, _, explainer = iris
    with pytest.raises(TypeError, match="expected an int or a slice"):
        explainer.explain(X[:3], 1)[np.array([0, 1])]


def test_a_cell_that_is_empty_on_the_first_few_features_is_not_given_up():
    X, y = load_breast_cancer(return_X_y=True)
    train, test, y_train, _ = train_test_split(X, y, test_size=0.5, random_state=0, stratify=y)
    model = make_pipeline(PCA(5), LogisticRegression(max_iter=20_000)).fit(train, y_train)
    explainer = ew.Explainer(model, density=ew.GaussianMixtureDensity(n_components=3)).fit(train, y_train)
    assert (explainer.explain(test).statuses == "optimal").all()
