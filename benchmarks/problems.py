"""The paper's data sets and models as benchmark problems, and their cells written out from scikit-learn objects.

The cells are derived here once more, independently of the library: half-spaces of softmax and boxes of leaves from the
fitted model, ellipsoids from the fitted mixture, the affine map from PCA.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

FloatArray = NDArray[np.float64]

DATA = {
    "iris": (load_iris, None),
    "wine": (load_wine, 8),
    "breast cancer": (load_breast_cancer, 5),
    "digits": (load_digits, 40),
}
"""Loader and number of principal components, as in the paper's experiments."""

MODELS = {
    "softmax": lambda: LogisticRegression(max_iter=100_000),
    "tree": lambda: DecisionTreeClassifier(max_depth=7, random_state=0),
}


@dataclass(frozen=True, slots=True)
class Problem:
    """A fitted model with the rows to explain and the class wanted for each."""

    name: str
    model: Any
    X_train: FloatArray
    y_train: NDArray[Any]
    X_test: FloatArray
    targets: NDArray[Any]


@dataclass(frozen=True, slots=True)
class Cell:
    """One convex cell in model space, ``A z <= b`` and ``||factor (z - centre)|| <= radius``.

    Attributes
    ----------
    A, b : arrays of shape (p, q) and (p,)
    precision : array of shape (q, q)
    factor : array of shape (q, q)
        ``factor' factor = precision``.
    centre : array of shape (q,)
    radius : float
    """

    A: FloatArray
    b: FloatArray
    precision: FloatArray
    factor: FloatArray
    centre: FloatArray
    radius: float


def load(data: str, model: str, *, seed: int = 0) -> Problem:
    """Load a data set and make a problem of it."""
    loader, n_components = DATA[data]
    return build(data, *loader(return_X_y=True), model, n_components=n_components, seed=seed)


def build(
    data: str,
    X: FloatArray,
    y: NDArray[Any],
    model: str,
    *,
    n_components: int | None = None,
    test_size: float | int = 0.5,
    seed: int = 0,
) -> Problem:
    """Split, fit, and draw for every test row a random class other than the predicted one."""
    X_train, X_test, y_train, _ = train_test_split(X, y, test_size=test_size, random_state=seed, stratify=y)
    steps = [] if n_components is None else [PCA(n_components, random_state=seed)]
    pipeline = make_pipeline(*steps, MODELS[model]()).fit(X_train, y_train)
    rng = np.random.default_rng(seed)
    X_test = X_test[rng.permutation(len(X_test))]
    return Problem(f"{data}, {model}", pipeline, X_train, y_train, X_test, other_classes(pipeline, X_test, rng))


def names() -> list[tuple[str, str]]:
    """Return the (data, model) names of the eight problems."""
    return [(data, model) for model in MODELS for data in DATA]


def other_classes(model: Any, X: FloatArray, rng: np.random.Generator) -> NDArray[Any]:
    """Draw for every row a class the model does not predict for it."""
    n_classes = len(model.classes_)
    predicted = np.searchsorted(model.classes_, model.predict(X))
    return model.classes_[(predicted + rng.integers(1, n_classes, size=len(X))) % n_classes]


def resampled(problem: Problem, n_rows: int, *, seed: int = 0) -> tuple[FloatArray, NDArray[Any]]:
    """Draw many rows from the test rows, with jitter, and a target for each; without temporary copies of the whole."""
    rng = np.random.default_rng(seed)
    X = problem.X_test[rng.integers(len(problem.X_test), size=n_rows)]
    spread = 0.05 * problem.X_train.std(axis=0)
    targets = np.empty(n_rows, dtype=problem.targets.dtype)
    for start in range(0, n_rows, 1_000):
        block = X[start : start + 1_000]
        block += spread * rng.normal(size=block.shape)
        targets[start : start + 1_000] = other_classes(problem.model, block, rng)
    return X, targets


def affine_map(model: Any) -> tuple[FloatArray, FloatArray]:
    """Return ``(W, w0)`` with ``z = W x + w0``, for a pipeline of at most one PCA and a classifier."""
    if len(model.steps) == 1:
        d = model.n_features_in_
        return np.eye(d), np.zeros(d)
    pca = model[0]
    return pca.components_, -pca.components_ @ pca.mean_


def polyhedra(estimator: Any, k: int) -> list[tuple[FloatArray, FloatArray]]:
    """Where the estimator decides for class number ``k``, as pairs ``(A, b)``."""
    if isinstance(estimator, DecisionTreeClassifier):
        return _leaf_boxes(estimator, k)
    w, c = estimator.coef_, estimator.intercept_
    if len(w) == 1:
        sign = 1.0 if k == 1 else -1.0
        return [(-sign * w, sign * c)]
    rivals = np.arange(len(w)) != k
    return [(w[rivals] - w[k], c[k] - c[rivals])]


def _leaf_boxes(tree: DecisionTreeClassifier, k: int) -> list[tuple[FloatArray, FloatArray]]:
    """Boxes of the leaves that decide for class ``k``: one row for each finite side."""
    t, q = tree.tree_, tree.n_features_in_
    found = []
    open_nodes = [(0, np.full(q, -np.inf), np.full(q, np.inf))]
    while open_nodes:
        node, low, high = open_nodes.pop()
        left, right = t.children_left[node], t.children_right[node]
        if left == right:
            if t.value[node, 0].argmax() == k:
                above, below, eye = np.isfinite(high), np.isfinite(low), np.eye(q)
                found.append((np.vstack([eye[above], -eye[below]]), np.concatenate([high[above], -low[below]])))
            continue
        feature, threshold = t.feature[node], t.threshold[node]
        cut_high, cut_low = high.copy(), low.copy()
        cut_high[feature] = min(high[feature], threshold)
        cut_low[feature] = max(low[feature], threshold)
        open_nodes += [(left, low, cut_high), (right, cut_low, high)]
    return found


def cells(problem: Problem, density: Any, label: Any) -> list[Cell]:
    """List all cells (component, polyhedron) of a class, for a density with ``mixture_`` and ``log_threshold_``."""
    mixture, q = density.mixture_, density.mixture_.means_.shape[1]
    region = polyhedra(problem.model[-1], int(np.searchsorted(problem.model.classes_, label)))
    found = []
    for weight, mean, root in zip(mixture.weights_, mixture.means_, mixture.precisions_cholesky_):
        # Eq. gmm:approx:component:finalconstraint, with precision = root root'.
        log_det = np.log(np.diag(root)).sum()
        radius2 = 2 * (np.log(weight) - q / 2 * np.log(2 * np.pi) + log_det - density.log_threshold_)
        if radius2 > 0:
            ball = (root @ root.T, root.T, mean, float(np.sqrt(radius2)))
            found += [Cell(A, b, *ball) for A, b in region]
    return found


def plain_densities(problem: Problem) -> dict[Any, Any]:
    """Fit a mixture per class, components by cross-validation, threshold the median of the component-wise maximum.

    A stand-in with the attributes of the library's own densities, so that the alternatives can be measured alone.
    """
    densities = {}
    W, w0 = affine_map(problem.model)
    Z = problem.X_train @ W.T + w0
    for label in problem.model.classes_:
        rows = Z[problem.y_train == label]
        search = GridSearchCV(GaussianMixture(random_state=0), {"n_components": range(1, 6)}, cv=5).fit(rows)
        mixture = search.best_estimator_
        maximum = (mixture._estimate_log_prob(rows) + np.log(mixture.weights_)).max(axis=1)
        densities[label] = SimpleNamespace(mixture_=mixture, log_threshold_=float(np.median(maximum)))
    return densities
