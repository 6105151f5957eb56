"""The published rules against direct formulas, and what they do to validity and density."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

import elsewise as ew
from elsewise.density import class_density
from elsewise.tools.reproduce.published_rule import published_cones, published_region, solve_as_published

MIXTURE = ew.GaussianMixtureDensity(n_components=2)
PAPER = ew.TrainingQuantile(0.5)


def _forms_and_nll(mixture, Z):
    """Quadratic forms and negative log-likelihoods of every component, straight from the covariances."""
    forms, nll = [], []
    for weight, mean, covariance in zip(mixture.weights_, mixture.means_, mixture.covariances_):
        form = np.einsum("na,ab,nb->n", Z - mean, np.linalg.inv(covariance), Z - mean)
        constant = -2 * np.log(weight) + len(mean) * np.log(2 * np.pi) + np.linalg.slogdet(covariance)[1]
        forms.append(form)
        nll.append(form + constant)
    return np.array(forms).T, np.array(nll).T


@pytest.mark.parametrize("rule", ["at_least", "at_most"])
@pytest.mark.parametrize("label", [0, 1, 2])
def test_radii_are_the_largest_forms_over_the_rows_that_count(rule, label):
    X, y = load_iris(return_X_y=True)
    Z = X[y == label]
    density = class_density(MIXTURE, Z, PAPER)
    forms, nll = _forms_and_nll(density.mixture_, Z)
    median = np.median(nll.min(axis=1))
    counts = nll >= median - 1e-9 if rule == "at_least" else nll <= median + 1e-9
    cones = published_cones(density, Z, rule)
    for j in range(2):
        counted = forms[counts[:, j], j]
        if len(counted) == 0:
            assert j not in cones.component
        else:
            radius = cones.radii[cones.component == j]
            np.testing.assert_allclose(radius**2, counted.max(), rtol=1e-9)


def test_at_least_covers_every_row_and_at_most_lies_in_the_definition():
    X, y = load_iris(return_X_y=True)
    Z = X[y == 1]
    density = class_density(MIXTURE, Z, PAPER)
    forms, _ = _forms_and_nll(density.mixture_, Z)
    wide = published_cones(density, Z, "at_least")
    np.testing.assert_allclose(wide.radii**2, forms.max(axis=0)[wide.component], rtol=1e-9)
    defined, narrow = density.cones(), published_cones(density, Z, "at_most")
    for component, radius in zip(narrow.component, narrow.radii):
        assert radius <= defined.radii[defined.component == component][0] * (1 + 1e-9)


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    pca = PCA(5, svd_solver="full").fit(X)
    Z = pca.transform(X)
    models = (DecisionTreeClassifier(max_depth=4, random_state=0), LogisticRegression(max_iter=10_000))
    return X, y, Z, [make_pipeline(pca, model.fit(Z, y)) for model in models]


def test_the_region_of_a_tree_behind_a_pca_forgets_the_mean(cancer):
    X, _, Z, (tree, softmax) = cancer
    pca = tree[0]
    inside = published_region(tree, 1, X.shape[1]).accepts(Z)
    without_mean = tree[-1].predict(X @ pca.components_.T) == 1
    assert np.mean(inside == without_mean) == 1.0
    assert np.mean(without_mean != (tree.predict(X) == 1)) > 0.1
    np.testing.assert_array_equal(published_region(softmax, 1, X.shape[1]).accepts(Z), softmax.predict(X) == 1)


def test_points_satisfy_the_rule_and_not_the_definition(cancer):
    X, y, Z, (_, softmax) = cancer
    explainer = ew.Explainer(softmax, density=MIXTURE, threshold=PAPER).fit(X, y)
    rows = X[::40]
    goal = 1 - softmax.predict(rows)
    by_class = [Z[y == label] for label in (0, 1)]
    defined = explainer.explain(rows, goal)
    solved = {rule: solve_as_published(explainer, rows, goal, by_class, rule) for rule in (None, "at_least", "at_most")}
    closest = ew.Explainer(softmax, density=None).fit(X, y).explain(rows, goal)
    distances = {rule: np.abs(points - rows).sum(axis=1) for rule, points in solved.items()}
    np.testing.assert_allclose(distances[None], closest.distances, rtol=1e-5)
    # Larger sets have nearer points: all rows of a class, then the definition, then its dense rows.
    assert (distances["at_least"] <= defined.distances * (1 + 1e-5)).all()
    assert (distances["at_most"] >= defined.distances * (1 - 1e-5)).all()
    for label in (0, 1):
        wanted = goal == label
        density = explainer.densities_[label]
        logs = {rule: density.log_max(softmax[0].transform(points[wanted])) for rule, points in solved.items()}
        assert (logs["at_most"] >= density.log_threshold_ - 1e-9).all()
        assert (logs["at_least"] < density.log_threshold_).any()
