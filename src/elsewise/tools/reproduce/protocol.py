"""One fold of the experiment: densities, models, and the counterfactuals of every held-out row.

Choices the paper leaves open, and how they are made here:

- Folds are stratified and shuffled with the seed.
- A row's target is drawn, with the seed, among the classes other than its own label; it is the same for all models.
- Densities and models live in the space of the principal components, counterfactuals in the original features.
- ``estimators="elsewise"`` takes the mixtures and kernel bandwidths of this library's defaults, ``"published"`` the
  grids and the ridge of the authors' program. Both score by 5-fold cross-validated likelihood, computed exactly.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from ...answers import Explanations
from ...arrays import FloatArray, IntArray
from ...density import ClassDensity, GaussianMixtureDensity, KernelDensity, TrainingQuantile, class_density
from ...explainer import Explainer
from ...lvq import GeneralizedMatrixLVQ
from .data import DataSet
from .fold_result import FoldResult, JudgedPoints
from .published_rule import solve_as_published

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

# Rounding differs between ways to compute a log density: this many nats, and this share of it, are no difference.
DENSITY_ROUNDING = 1e-9
# Rows of a fold answered one at a time, for the median time of a single call.
TIMED_ROWS = 20
# Bandwidths it tries, in the units of model space: first, end (left out) and step.
PUBLISHED_BANDWIDTHS = (0.1, 10.0, 0.05)
# Numbers of components it tries: first, and end (left out).
PUBLISHED_COMPONENTS = (2, 10)
# Folds of its cross-validated likelihood.
PUBLISHED_FOLDS = 5
# Its random state: in a tree it decides between equally good splits, and that moves the figures of iris.
PUBLISHED_RANDOM_STATE = 42
# Depth of its decision tree.
PUBLISHED_TREE_DEPTH = 7

# Title of each model, and a function that makes one to be fitted.
MODELS: dict[str, tuple[str, Callable[[], BaseEstimator]]] = {
    "softmax": ("Softmax regression", lambda: LogisticRegression(max_iter=100_000)),
    "tree": (
        "Decision tree",
        lambda: DecisionTreeClassifier(max_depth=PUBLISHED_TREE_DEPTH, random_state=PUBLISHED_RANDOM_STATE),
    ),
    "lda": ("LDA", lambda: LinearDiscriminantAnalysis()),
    "svm": ("Linear SVM", lambda: LinearSVC(dual=False, max_iter=100_000, random_state=0)),
    "gmlvq": ("Matrix LVQ", lambda: GeneralizedMatrixLVQ(max_iter=20_000, random_state=0)),
}
ESTIMATORS = ("elsewise", "published")
# What the paper asks of a counterfactual: the median over the training rows of the target.
PAPER_THRESHOLD = TrainingQuantile(0.5)


@dataclass(frozen=True, slots=True)
class Protocol:
    """What decides the figures of the table.

    Attributes
    ----------
    seed : int
        Of the folds and the targets.
    n_folds : int
    n_rows : int or None
        Held-out rows explained in each fold, all of them by default.
    only_first_fold : bool
    estimators : "elsewise" or "published"
    """

    seed: int = 0
    n_folds: int = 4
    n_rows: int | None = None
    only_first_fold: bool = False
    estimators: str = "elsewise"

    @property
    def folds(self) -> range:
        """Numbers of the folds to run."""
        return range(1 if self.only_first_fold else self.n_folds)

    def split(self, data: DataSet, fold: int) -> tuple[IntArray, IntArray]:
        """Training rows and the held-out rows to explain, as positions in the data."""
        folds = StratifiedKFold(self.n_folds, shuffle=True, random_state=self.seed).split(data.X, data.y)
        train, test = list(folds)[fold]
        if self.n_rows is not None:  # rows are often sorted by class: the first ones would be of one class
            test = np.sort(np.random.default_rng(self.seed).permutation(test)[: self.n_rows])
        return train, test

    def targets(self, data: DataSet) -> IntArray:
        """Draw a label other than its own for every row of the data, int array of shape (n_samples,)."""
        labels, position = np.unique(data.y, return_inverse=True)
        steps = np.random.default_rng(self.seed).integers(1, len(labels), size=len(position))
        targets: IntArray = labels[(position + steps) % len(labels)]
        return targets


@dataclass(frozen=True, slots=True, eq=False)
class Fold:
    """Training part of a fold in model space, with the densities of every class.

    Attributes
    ----------
    pca : fitted PCA or None
    X : array of shape (n_train, n_features)
    Z : array of shape (n_train, n_model_features)
        The rows of ``X`` in model space.
    y : int array of shape (n_train,)
    mixtures : dict of label to GaussianMixture
        What the constraint uses.
    kernels : dict of label to ClassDensity
        What the answers are scored with.
    """

    pca: PCA | None
    X: FloatArray
    Z: FloatArray
    y: IntArray
    mixtures: dict[int, GaussianMixture]
    kernels: dict[int, ClassDensity]

    def to_model_space(self, X: FloatArray) -> FloatArray:
        """Rows as densities and models see them."""
        return X if self.pca is None else np.asarray(self.pca.transform(X))


def prepare_fold(data: DataSet, protocol: Protocol, train: IntArray) -> Fold:
    """Fit the PCA and the densities of every class."""
    X, y = data.X[train], data.y[train]
    pca = None if data.n_components is None else PCA(data.n_components, svd_solver="full").fit(X)
    Z = X if pca is None else np.asarray(pca.transform(X))
    mixtures, kernels = {}, {}
    for label in np.unique(y).tolist():
        rows = Z[y == label]
        if protocol.estimators == "published":
            mixtures[label] = _published_mixture(rows)
            kernel = KernelDensity(bandwidth=np.arange(*PUBLISHED_BANDWIDTHS).tolist())
        else:
            mixtures[label] = GaussianMixtureDensity().fit(rows).mixture_
            kernel = KernelDensity()
        kernels[label] = class_density(kernel, rows)
    return Fold(pca, X, Z, y, mixtures, kernels)


def run_model(data: DataSet, protocol: Protocol, fold: Fold, test: IntArray, model_name: str) -> FoldResult:
    """Fit one model and explain the held-out rows under every rule, without and with the constraint."""
    X, targets = data.X[test], protocol.targets(data)[test]
    model = MODELS[model_name][1]()
    if fold.pca is None:
        model.fit(fold.X, fold.y)
    else:
        # Fitted on what the PCA gave before: the pipeline only joins them.
        model = make_pipeline(fold.pca, model.fit(fold.Z, fold.y))
    closest = Explainer(model, distance="manhattan", learn_rules=False, density=None).fit(fold.X, fold.y)
    plausible = Explainer(
        model, distance="manhattan", learn_rules=False, density=fold.mixtures, threshold=PAPER_THRESHOLD
    ).fit(fold.X, fold.y)
    labels = np.unique(fold.y)
    goal = np.searchsorted(labels, targets)
    judge = _Judge(model, fold, plausible, X, targets)
    answers, seconds = {}, {}
    model_free, gaps = np.zeros(len(X), dtype=np.bool_), np.zeros(len(X))
    for name, explainer in (("closest", closest), ("plausible", plausible)):
        found, seconds[f"{name}_batch"] = _timed(explainer, X, targets)
        seconds[f"{name}_single"] = _single(explainer, X, targets)
        answers[f"defined_{name}"] = judge(found.counterfactuals)
        model_free = found.model_free
        gaps = np.fmax(gaps, found.gaps)
    by_class = [fold.Z[fold.y == label] for label in labels.tolist()]
    for rule, name in ((None, "code_closest"), ("at_most", "at_most_plausible"), ("at_least", "at_least_plausible")):
        points = solve_as_published(plausible, X, goal, by_class, rule)
        answers[name] = judge(points)
    predictions = np.asarray(model.predict(X))
    return FoldResult(
        rows=test,
        targets=targets,
        asked=predictions != targets,
        correct=predictions == data.y[test],
        model_free=model_free,
        gaps=gaps,
        answers=answers,
        seconds=seconds,
        n_components=np.array([len(fold.mixtures[label].weights_) for label in labels.tolist()]),
        bandwidths=np.array([fold.kernels[label].mixture_.covariances_[0] ** 0.5 for label in labels.tolist()]),
    )


class _Judge:
    """Judges points afresh: by the model's own predict and transformer, and by the densities of their targets."""

    def __init__(
        self, model: BaseEstimator, fold: Fold, plausible: Explainer, X: FloatArray, targets: IntArray
    ) -> None:
        self.model, self.fold, self.densities, self.X, self.targets = model, fold, plausible.densities_, X, targets

    def __call__(self, points: FloatArray) -> JudgedPoints:
        n = len(points)
        found = np.asarray(np.isfinite(points).all(axis=1))
        log_density, margin = np.full(n, np.nan), np.full(n, -np.inf)
        valid = np.zeros(n, dtype=np.bool_)
        if found.any():
            valid[found] = self.model.predict(points[found]) == self.targets[found]
        for label, kernel in self.fold.kernels.items():
            of_target = np.flatnonzero(found & (self.targets == label))
            if len(of_target):
                Z = self.fold.to_model_space(points[of_target])
                log_density[of_target] = kernel.log_mixture(Z)
                margin[of_target] = self.densities[label].log_max(Z) - self.densities[label].log_threshold_
        return JudgedPoints(
            points=points,
            distance=np.abs(points - self.X).sum(axis=1),
            log_density=log_density,
            found=found,
            valid=valid,
            dense=margin >= -DENSITY_ROUNDING * (1.0 + np.abs(log_density)),
        )


def _timed(explainer: Explainer, X: FloatArray, targets: IntArray) -> tuple[Explanations, float]:
    """All rows at once, and the seconds a row took."""
    started = time.perf_counter()
    found = explainer.explain(X, targets, on_satisfied="move")
    return found, (time.perf_counter() - started) / len(X)


def _single(explainer: Explainer, X: FloatArray, targets: IntArray) -> float:
    """Median seconds of a call for one row."""
    seconds = []
    for row, target in zip(X[:TIMED_ROWS], targets.tolist()):
        started = time.perf_counter()
        explainer.explain_one(row, target, on_satisfied="move")
        seconds.append(time.perf_counter() - started)
    return float(np.median(seconds))


def _published_mixture(Z: FloatArray) -> GaussianMixture:
    """Mixture with the grid and the settings of the authors' program; scikit-learn's ridge, 1e-6 in raw units."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # of EM, or of its k-means start on repeated rows
        # Held-out folds without a usable mixture score NaN and lose.
        warnings.filterwarnings("ignore", message=".*(fits failed|non-finite).*")
        grid = {"n_components": range(*PUBLISHED_COMPONENTS)}
        search = GridSearchCV(GaussianMixture(random_state=PUBLISHED_RANDOM_STATE), grid, cv=PUBLISHED_FOLDS)
        return search.fit(Z).best_estimator_
