"""Every model family on data small enough for a reference, and what each answer must fulfil.

The reference shares nothing with the engine but the polyhedra of the regions, which have contract tests of their own:
the affine map is measured by transforming unit vectors, the cones are built from the mixture's covariances.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.feature_selection import VarianceThreshold
from sklearn.linear_model import (
    ElasticNet,
    GammaRegressor,
    Lasso,
    LinearRegression,
    LogisticRegression,
    Perceptron,
    PoissonRegressor,
    Ridge,
    RidgeClassifier,
    SGDClassifier,
    TweedieRegressor,
)
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier

import elsewise as ew
from elsewise.arrays import FloatArray
from elsewise.models import Outcome, region_of
from reference import best_over_cells


@dataclass(frozen=True)
class Family:
    """A model family: how it is made, and how many classes its data have (None for a regressor)."""

    name: str
    make: Callable[[], Any]
    n_classes: int | None = 3

    def __str__(self) -> str:
        return self.name

    def fitted(self, *, seed: int = 0, n_features: int = 4) -> tuple[Any, FloatArray, np.ndarray]:
        """Model, training rows and labels (or values) of a random instance."""
        X, y = random_data(self.n_classes, seed=seed, n_features=n_features)
        return clone(self.make()).fit(X, y), X, y


LABELS = np.array(["left", "right", "up", "down"])

CLASSIFIERS = [
    Family("softmax", lambda: LogisticRegression(max_iter=2000)),
    Family("logistic", lambda: LogisticRegression(), 2),
    Family("ridge", lambda: RidgeClassifier(), 4),
    Family("ridge binary", lambda: RidgeClassifier(), 2),
    Family("perceptron", lambda: Perceptron(random_state=0)),
    Family("sgd", lambda: SGDClassifier(loss="log_loss", random_state=0)),
    Family("sgd binary", lambda: SGDClassifier(random_state=0), 2),
    Family("linear svc", lambda: LinearSVC(random_state=0)),
    Family("svc", lambda: SVC(kernel="linear"), 2),
    Family("lda", lambda: LinearDiscriminantAnalysis()),
    Family("nearest centroid", lambda: NearestCentroid()),
    Family("centroid priors", lambda: NearestCentroid(priors=[0.6, 0.3, 0.1])),
    Family("glvq", lambda: ew.lvq.GeneralizedLVQ(prototypes_per_class=2, random_state=0)),
    Family("gmlvq", lambda: ew.lvq.GeneralizedMatrixLVQ(prototypes_per_class=2, random_state=0)),
    Family("1-nn", lambda: KNeighborsClassifier(n_neighbors=1)),
    Family("tree", lambda: DecisionTreeClassifier(max_depth=5, random_state=0)),
    Family("extra tree", lambda: ExtraTreeClassifier(max_depth=4, random_state=0)),
]
PIPELINES = [
    Family("standard softmax", lambda: make_pipeline(StandardScaler(), LogisticRegression())),
    Family("pca softmax", lambda: make_pipeline(PCA(2), LogisticRegression())),
    Family("whitened gmlvq", lambda: make_pipeline(PCA(3, whiten=True), ew.lvq.GeneralizedMatrixLVQ(random_state=0))),
    Family("min-max svc", lambda: make_pipeline(MinMaxScaler(), SVC(kernel="linear")), 2),
    Family("robust lda", lambda: make_pipeline(RobustScaler(), PCA(3), LinearDiscriminantAnalysis())),
    Family("max-abs 1-nn", lambda: make_pipeline(MaxAbsScaler(), KNeighborsClassifier(n_neighbors=1))),
    Family("pca tree", lambda: make_pipeline(PCA(2), DecisionTreeClassifier(max_depth=4, random_state=0))),
    Family("scaled tree", lambda: make_pipeline(StandardScaler(), DecisionTreeClassifier(max_depth=4, random_state=0))),
    Family(
        "nested",
        lambda: Pipeline([
            ("first", "passthrough"),
            ("scale", make_pipeline(StandardScaler(), VarianceThreshold())),
            ("last", make_pipeline(TruncatedSVD(2, random_state=0), RidgeClassifier())),
        ]),
    ),
]  # fmt: skip
REGRESSORS = [
    Family("linear regression", lambda: LinearRegression(), None),
    Family("ridge regression", lambda: Ridge(), None),
    Family("lasso", lambda: Lasso(alpha=0.05), None),
    Family("elastic net", lambda: ElasticNet(alpha=0.05), None),
    Family("poisson", lambda: PoissonRegressor(), None),
    Family("gamma", lambda: GammaRegressor(), None),
    Family("tweedie", lambda: TweedieRegressor(power=1.5), None),
    Family("tree regressor", lambda: DecisionTreeRegressor(max_depth=4, random_state=0), None),
    Family("pca linear regression", lambda: make_pipeline(StandardScaler(), PCA(2), LinearRegression()), None),
]
FAMILIES = [*CLASSIFIERS, *PIPELINES, *REGRESSORS]


def random_data(n_classes: int | None, *, seed: int = 0, n_features: int = 4) -> tuple[FloatArray, np.ndarray]:
    """Rows of overlapping Gaussian classes in different units and away from the origin, with labels or values."""
    rng = np.random.default_rng(seed)
    n_groups = n_classes or 2
    centres = rng.normal(scale=1.5, size=(n_groups, n_features))
    index = np.arange(25 * n_groups) % n_groups
    spread = rng.uniform(0.5, 2.0, size=n_features)
    X = (centres[index] + rng.normal(size=(len(index), n_features))) * spread + 3.0
    if n_classes is None:
        return X, np.exp(0.3 * (X[:, 0] - X[:, 1]) / spread[0] + 0.1 * rng.normal(size=len(X)))
    return X, LABELS[:n_classes][index]


def reference_distance(explainer: ew.Explainer, x: FloatArray, outcome: Outcome, *, unit: float = 1.0) -> float:
    """Distance from ``x`` to the nearest valid and dense enough point, infinite if there is none.

    ``unit`` is the unit of length of the solver, which now and then takes a point for optimal too early: ask again in
    another one.
    """
    model = explainer.model
    while isinstance(model, Pipeline):
        model = model.steps[-1][1]
    d = len(x)
    at = measured_transform(explainer.model)
    offset = at(np.zeros((1, d)))[0]
    matrix = (at(np.eye(d)) - offset).T
    region = region_of(model, outcome)
    cones = reference_cones(explainer, outcome)
    best = np.inf
    for i in range(region.n_polyhedra):
        for cone in [None] if cones is None else cones:
            rows = region.polyhedron(i)
            best = min(best, reference_cell(explainer.distance_, x, matrix, offset, rows, cone, first_unit=unit))
    return best


def reference_cell(
    distance: Any, x: FloatArray, matrix: Any, offset: Any, rows: Any, cone: Any, *, first_unit: float = 1.0
) -> float:
    """Distance to one cell; where the solver gives up, the same problem in other units of length."""
    manhattan = hasattr(distance, "weights")
    cost = {"weights": distance.weights} if manhattan else {"omega": distance.omega}
    for unit in first_unit * np.array([1.0, 0.1, 10.0, 0.01, 100.0]):
        try:
            value = best_over_cells(
                np.asarray(x, dtype=np.float64) / unit,
                matrix=matrix * unit,
                offset=offset,
                polyhedra=[rows],
                cones=None if cone is None else [cone],
                **cost,
            )[0]
        except RuntimeError:
            continue
        return float(value * (unit if manhattan else unit**2))
    raise RuntimeError("the reference solver gave up in all units")


def measured_transform(model: Any) -> Callable[[FloatArray], FloatArray]:
    """Return the function from the user's features to model space, by the transformers' own ``transform``."""
    if not isinstance(model, Pipeline):
        return lambda X: X
    inner = measured_transform(model.steps[-1][1])
    return lambda X: inner(model[:-1].transform(X) if len(model) > 1 else X)


def reference_cones(explainer: ew.Explainer, outcome: Outcome) -> list[tuple[FloatArray, FloatArray, float]] | None:
    """Ellipsoids ``||factor (z - centre)|| <= radius`` where one Gaussian alone reaches the threshold."""
    if not explainer.densities_:
        return None
    key = None if explainer.classes_ is None else explainer.classes_.tolist()[outcome.index]
    density = explainer.densities_[key]
    mixture = density.mixture_
    q = mixture.means_.shape[1]
    cones = []
    for j, (weight, mean) in enumerate(zip(mixture.weights_, mixture.means_)):
        given = mixture.covariances_
        covariance = {
            "full": lambda: given[j],  # noqa: B023
            "tied": lambda: given,  # noqa: B023
            "diag": lambda: np.diag(given[j]),  # noqa: B023
            "spherical": lambda: given[j] * np.eye(q),  # noqa: B023
        }[mixture.covariance_type]()
        # log weight + log N(z) >= threshold  <=>  (z - mean)' inv(covariance) (z - mean) <= squared radius
        squared = (
            2 * (np.log(weight) - density.log_threshold_) - q * np.log(2 * np.pi) - np.linalg.slogdet(covariance)[1]
        )
        if squared > 0:
            factor = np.linalg.cholesky(np.linalg.inv(covariance)).T
            cones.append((factor, mean, float(np.sqrt(squared))))
    return cones


def assert_certified(
    explainer: ew.Explainer, X: Any, answers: ew.Explanations, min_probability: float | None = None
) -> None:
    """Check each point that was returned with the model's own predict and a fresh density, without tolerance.

    A least probability decides alone, by the model's own predict_proba.
    """
    found = answers.found
    returned = answers.counterfactuals
    assert np.isnan(np.asarray(returned, dtype=np.float64)[~found]).all()
    assert np.isinf(answers.lower_bounds[~found]).all()
    assert all(answers.reasons[i] for i in np.flatnonzero(~found))
    if not found.any():
        return
    rows_as_returned = returned.iloc[found] if hasattr(returned, "iloc") else returned[found]
    points = np.asarray(rows_as_returned, dtype=np.float64)
    assert np.isfinite(points).all()
    wanted = [target for target, kept in zip(answers.targets, found) if kept]
    for predicted in (
        explainer.model.predict(rows_as_returned),
        np.concatenate([explainer.model.predict(rows_as_returned[i : i + 1]) for i in range(len(points))]),
    ):
        if min_probability is not None:
            place = [explainer.classes_.tolist().index(target) for target in wanted]
            probability = explainer.model.predict_proba(rows_as_returned)[np.arange(len(place)), place]
            assert (probability >= min_probability).all()
            break
        if explainer.classes_ is None:
            low, high = np.array(wanted).T
            assert ((predicted >= low) & (predicted <= high)).all()
        else:
            np.testing.assert_array_equal(predicted, wanted)
    rows = np.asarray(X, dtype=np.float64)[found]
    np.testing.assert_array_equal(answers.distances[found], explainer.distance_(points, rows))
    assert (answers.lower_bounds <= answers.distances)[found].all()
    assert (answers.lower_bounds >= 0)[found].all()
    optimal = answers.statuses == "optimal"
    assert (answers.gaps[optimal] <= 1e-6).all()
    assert_dense(explainer, answers[:], found)


def assert_dense(explainer: ew.Explainer, answers: ew.Explanations, found: np.ndarray) -> None:
    """Check densities at the returned points with scikit-learn's own arithmetic, without tolerance."""
    if not explainer.densities_:
        assert (answers.log_thresholds == -np.inf).all()
        return
    for i in np.flatnonzero(found):
        density = explainer.densities_[None if explainer.classes_ is None else answers.targets[i]]
        z = explainer.to_model_space(answers.counterfactuals[i : i + 1])
        logs = density.mixture_._estimate_weighted_log_prob(z)[0]
        assert answers.log_thresholds[i] == density.log_threshold_
        assert answers.log_densities[i] >= density.log_threshold_
        assert density.log_max(z)[0] >= density.log_threshold_
        assert logs.max() >= density.log_threshold_
        assert density.mixture_.score_samples(z)[0] >= density.log_threshold_
        np.testing.assert_allclose(answers.log_densities[i], logs.max(), rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(answers.log_densities_mixture[i], density.mixture_.score_samples(z)[0], rtol=1e-9)
        assert logs[answers.components[i]] >= logs.max() - 1e-9
