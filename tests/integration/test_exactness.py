"""Answers against an independent reference: every cell of every family solved by Clarabel, and plain sampling."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import elsewise as ew
from elsewise.models import Interval, Label
from fitted_models import CLASSIFIERS, FAMILIES, REGRESSORS, assert_certified, measured_transform, reference_distance

MIXTURES = {
    "full": ew.GaussianMixtureDensity(n_components=2),
    "tied": ew.GaussianMixtureDensity(n_components=3, covariance_type="tied"),
    "diag": ew.GaussianMixtureDensity(n_components=2, covariance_type="diag"),
    "spherical": ew.GaussianMixtureDensity(n_components=3, covariance_type="spherical"),
    "chosen": ew.GaussianMixtureDensity(max_components=3),
    "none": None,
}


def distance_of(name, n_features, seed=0):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(n_features, n_features))
    return {
        "manhattan": ew.Manhattan(),
        "weighted": ew.Manhattan(rng.uniform(0.2, 3.0, size=n_features)),
        "mahalanobis": ew.Mahalanobis(),
        "omega": ew.Mahalanobis(root @ root.T + 0.1 * np.eye(n_features)),
    }[name]


def wanted_by(family, model, y, seed=0):
    """A target and the outcome it stands for."""
    if family.n_classes is not None:
        index = seed % len(model.classes_)
        return model.classes_[index], Label(index)
    low, high = np.quantile(y, [0.6, 0.75]).tolist()
    target = [(low, high), (high, None), (None, float(np.quantile(y, 0.2)))][seed % 3]
    return target, Interval(-np.inf if target[0] is None else target[0], np.inf if target[1] is None else target[1])


def assert_exact(explainer, X, answers, outcome):
    """Check everything that is promised of answers to one outcome."""
    assert_certified(explainer, X, answers)
    for i, x in enumerate(np.asarray(X, dtype=np.float64)):
        reference = reference_distance(explainer, x, outcome)
        if answers.statuses[i] == "infeasible":
            assert reference == np.inf
            continue
        assert answers.statuses[i] == "optimal", answers.reasons[i]
        # The reference is only good to 1e-9 of the size of the problem.
        if not np.isclose(answers.distances[i], reference, rtol=1e-6, atol=1e-9):
            reference = min(reference_distance(explainer, x, outcome, unit=unit) for unit in (0.1, 0.01))
        np.testing.assert_allclose(answers.distances[i], reference, rtol=1e-6, atol=1e-9)
        assert answers.lower_bounds[i] <= reference * (1 + 1e-9) + 1e-9


@pytest.mark.parametrize("distance", ["manhattan", "weighted", "mahalanobis", "omega"])
@pytest.mark.parametrize("density", ["full", "none"])
@pytest.mark.parametrize("family", FAMILIES, ids=str)
def test_every_family_matches_the_reference(family, density, distance):
    model, X, y = family.fitted(seed=1)
    explainer = ew.Explainer(
        model, learn_rules=False, distance=distance_of(distance, X.shape[1]), density=MIXTURES[density]
    ).fit(X, y)
    for seed in range(2):
        target, outcome = wanted_by(family, model, y, seed)
        rows = X[seed::17][:3]
        assert_exact(explainer, rows, explainer.explain(rows, target, on_satisfied="move"), outcome)


@pytest.mark.parametrize("threshold", [0.1, 0.9])
@pytest.mark.parametrize("density", ["tied", "diag", "spherical", "chosen"])
@pytest.mark.parametrize("family", [family for family in FAMILIES if str(family) in
                                    ("softmax", "gmlvq", "tree", "pca softmax", "poisson")], ids=str)  # fmt: skip
def test_every_covariance_type_matches_the_reference(family, density, threshold):
    model, X, y = family.fitted(seed=2)
    explainer = ew.Explainer(model, learn_rules=False, density=MIXTURES[density], threshold=threshold).fit(X, y)
    target, outcome = wanted_by(family, model, y, 1)
    assert_exact(explainer, X[::19], explainer.explain(X[::19], target, on_satisfied="move"), outcome)


@pytest.mark.parametrize("distance", ["manhattan", "omega"])
@pytest.mark.parametrize("name", ["softmax", "nearest centroid", "tree", "linear regression"])
def test_kernel_density_matches_the_reference(name, distance):
    family = next(family for family in FAMILIES if str(family) == name)
    model, X, y = family.fitted(seed=3)
    X, y = X[:45], y[:45]
    explainer = ew.Explainer(model, learn_rules=False, distance=distance_of(distance, 4), density="kernel").fit(X, y)
    target, outcome = wanted_by(family, model, y, 1)
    assert_exact(explainer, X[::16], explainer.explain(X[::16], target, on_satisfied="move"), outcome)


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES, ids=str)
def test_random_instances_match_the_reference(family):
    for seed in range(24):  # every mixture with every distance, twice
        rng = np.random.default_rng(seed)
        model, X, y = family.fitted(seed=seed, n_features=4 + seed % 4)
        distance = distance_of(["manhattan", "weighted", "mahalanobis", "omega"][seed % 4], X.shape[1], seed)
        density = MIXTURES[list(MIXTURES)[seed % 6]]
        explainer = ew.Explainer(
            model, learn_rules=False, distance=distance, density=density, threshold=float(rng.uniform(0.02, 0.98))
        )
        explainer.fit(X, y)
        target, outcome = wanted_by(family, model, y, int(rng.integers(6)))
        rows = X[rng.choice(len(X), size=3, replace=False)]
        if seed % 5 == 0:  # far away from all data
            rows = rows + 20 * rng.normal(size=rows.shape)
        assert_exact(explainer, rows, explainer.explain(rows, target, on_satisfied="move"), outcome)


REAL = {
    "iris": (load_iris, []),
    "wine": (load_wine, [StandardScaler(), PCA(8)]),
    "breast cancer": (load_breast_cancer, [PCA(5)]),
    "digits": (load_digits, [PCA(40)]),
}
LAST = {
    "softmax": LogisticRegression(max_iter=5000),
    "tree": DecisionTreeClassifier(max_depth=7, random_state=0),
    "gmlvq": ew.lvq.GeneralizedMatrixLVQ(prototypes_per_class=2, tol=1e-2, random_state=0),
    "1-nn": KNeighborsClassifier(n_neighbors=1),
}


def real_explainer(data, last, distance, n_components=3):
    load, steps = REAL[data]
    X, y = load(return_X_y=True)
    model = make_pipeline(*steps, LAST[last]).fit(X[::2], y[::2])
    density = ew.GaussianMixtureDensity(n_components=n_components)
    return ew.Explainer(model, learn_rules=False, distance=distance, density=density).fit(X[::2], y[::2]), X[1::2]


@pytest.mark.parametrize(
    ("data", "last", "distance"),
    [
        ("iris", "softmax", "manhattan"),
        ("iris", "1-nn", "mahalanobis"),
        ("wine", "softmax", "mahalanobis"),
        ("wine", "gmlvq", "manhattan"),
        ("breast cancer", "softmax", "manhattan"),
        ("breast cancer", "tree", "manhattan"),
        ("digits", "softmax", "manhattan"),
    ],
)
def test_real_data_match_the_reference(data, last, distance):
    explainer, X = real_explainer(data, last, distance)
    rows = X[:: len(X) // 3]
    assert_exact(explainer, rows, explainer.explain(rows, 1, on_satisfied="move"), Label(1))


@pytest.mark.slow
@pytest.mark.parametrize("distance", ["manhattan", "mahalanobis"])
@pytest.mark.parametrize("last", ["softmax", "tree", "gmlvq"])
@pytest.mark.parametrize("data", list(REAL))
def test_many_real_rows_match_the_reference(data, last, distance):
    explainer, X = real_explainer(data, last, distance)
    rows = X[:: max(1, len(X) // (6 if data == "digits" else 20))]
    for target in (0, 1):
        assert_exact(explainer, rows, explainer.explain(rows, target, on_satisfied="move"), Label(target))


@pytest.mark.parametrize("data", list(REAL))
@pytest.mark.parametrize("last", ["softmax", "tree", "gmlvq"])
def test_every_point_is_valid_and_dense(data, last):
    explainer, X = real_explainer(data, last, "manhattan")
    rows = X[:60]
    answers = explainer.explain(rows)
    assert_certified(explainer, rows, answers)
    assert (answers.statuses == "optimal").all()
    assert (np.asarray(answers.targets) != explainer.model.predict(rows)).all()


# --- independent of regions and cones: sampling ----------------------------------------------------------------------


def is_good(explainer, X, target):
    """Whether points are valid and dense enough, by scikit-learn alone."""
    predicted = explainer.model.predict(X)
    valid = (
        predicted == target if explainer.classes_ is not None else (predicted >= target[0]) & (predicted <= target[1])
    )
    if explainer.densities_:
        density = explainer.densities_[target if explainer.classes_ is not None else None]
        Z = measured_transform(explainer.model)(X)
        valid &= density.mixture_._estimate_weighted_log_prob(Z).max(axis=1) >= density.log_threshold_
    return valid


@pytest.mark.parametrize("distance", ["manhattan", "mahalanobis"])
@pytest.mark.parametrize("density", [None, ew.GaussianMixtureDensity(n_components=2), ew.KernelDensity()])
@pytest.mark.parametrize("family", [*CLASSIFIERS, *REGRESSORS[:-1]], ids=str)
def test_no_sample_is_nearer_than_the_lower_bound(family, density, distance):
    model, X, y = family.fitted(seed=4, n_features=2)
    explainer = ew.Explainer(model, learn_rules=False, distance=distance, density=density).fit(X, y)
    target = model.classes_[0] if family.n_classes else tuple(np.quantile(y, [0.7, 0.8]).tolist())
    rows = X[::20]
    answers = explainer.explain(rows, target, on_satisfied="move")
    assert_certified(explainer, rows, answers)
    assert (answers.statuses != "feasible").all()
    low, high = X.min(axis=0), X.max(axis=0)
    grid = np.stack(np.meshgrid(*np.linspace(low, high, 150).T), axis=-1).reshape(-1, 2)
    rng = np.random.default_rng(0)
    for i, x in enumerate(rows):
        if answers.statuses[i] == "infeasible":
            assert not is_good(explainer, grid, target).any()
            continue
        # all over the place, and around the answer itself, where a nearer point would most likely be
        reach = max(answers.distances[i] ** (1.0 if distance == "manhattan" else 0.5), 1e-3)
        about = answers.counterfactuals[i] + reach * rng.normal(size=(3000, 2)) * 10 ** rng.uniform(
            -4, 0, size=(3000, 1)
        )
        samples = np.vstack([grid, about])
        good = samples[is_good(explainer, samples, target)]
        assert len(good), "no sample is good: the check would say nothing"
        distances = explainer.distance_(good, x)
        assert distances.min() >= answers.lower_bounds[i]
        # and the answer is at least as good as what sampling finds
        assert answers.distances[i] <= distances.min() * (1 + 1e-6) + 1e-12


# --- rows at the boundary --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("family", [family for family in FAMILIES if isinstance(family.n_classes, int)], ids=str)
def test_training_rows_of_the_target_class_stay_or_hardly_move(family):
    # The median density is the density of a training row: that row lies on the very boundary, and stays where it is.
    model, X, y = family.fitted(seed=5)
    assert (np.unique(y, return_counts=True)[1] % 2 == 1).all()
    explainer = ew.Explainer(model, learn_rules=False, density=ew.GaussianMixtureDensity(n_components=1)).fit(X, y)
    answers = explainer.explain(X, y, on_satisfied="move")
    assert_certified(explainer, X, answers)
    assert answers.found.all()
    for label in model.classes_:
        density = explainer.densities_[label]
        logs = density.log_max(explainer.to_model_space(X))
        stay = (y == label) & (model.predict(X) == label) & (logs >= density.log_threshold_)
        assert stay.any()
        np.testing.assert_array_equal(answers.counterfactuals[stay], X[stay])
        assert (answers.distances[stay] == 0).all()
        assert all("nothing has to change" in answers.reasons[i] for i in np.flatnonzero(stay))
        assert (answers.distances[(y == label) & ~stay] > 0).all()


@pytest.mark.parametrize("density", [None, ew.GaussianMixtureDensity(n_components=1)])
def test_rows_on_the_very_boundary_move_by_next_to_nothing(density):
    # Integer data make ties exact: with weights (1, -1) and no intercept every row with x0 = x1 has the score 0.
    rng = np.random.default_rng(0)
    X = rng.integers(0, 9, size=(60, 2)).astype(float)
    y = np.where(X[:, 0] > X[:, 1], "above", "below")
    model = Perceptron(random_state=0).fit(X, np.where(y == "above", 1, 0))
    model.coef_, model.intercept_ = np.array([[1.0, -1.0]]), np.zeros(1)
    explainer = ew.Explainer(model, learn_rules=False, density=density, threshold=0.01).fit(
        X, (y == "above").astype(int)
    )
    rows = np.repeat(np.arange(2.0, 7.0), 2).reshape(-1, 2)
    assert (model.predict(rows) == 0).all()
    answers = explainer.explain(rows, 1, on_satisfied="move")
    assert_certified(explainer, rows, answers)
    assert answers.found.all()
    assert (answers.distances < 1e-6).all() or density is not None


@pytest.mark.parametrize("step", [1e-3, 1e-5])
@pytest.mark.parametrize("name", ["softmax", "svc", "lda", "gmlvq", "tree", "linear regression"])
def test_rows_close_to_the_boundary(name, step):
    family = next(family for family in FAMILIES if str(family) == name)
    model, X, y = family.fitted(seed=6)
    explainer = ew.Explainer(model, learn_rules=False, density=None).fit(X, y)
    target, outcome = wanted_by(family, model, y, 1)
    answers = explainer.explain(X[::9], target, on_satisfied="move")
    far = answers.distances > 1e-2
    rows = answers.counterfactuals[far] + step * (X[::9] - answers.counterfactuals)[far]
    near = explainer.explain(rows, target, on_satisfied="move")
    assert_certified(explainer, rows, near)
    # The row lies on the way to the optimum: step times the distance remains, less the margin that was kept.
    np.testing.assert_allclose(near.distances, step * answers.distances[far], rtol=1e-2)
    for x, bound in zip(rows, near.lower_bounds):
        assert bound <= reference_distance(explainer, x, outcome) * (1 + 1e-9) + 1e-9
