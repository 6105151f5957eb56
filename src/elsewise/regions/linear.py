"""Linear classifiers: one polyhedron for each class.

A model with one vector of weights in ``coef_`` decides for its second class where ``s(z) = w·z + b > 0``. A model with
weights for each class decides for the largest score, ``argmax_k w_k·z + b_k``, so class ``c`` has the polyhedron::

    (w_k - w_c)·z <= b_c - b_k       for all k != c

A least probability ``p`` moves the hyperplane of a binary model whose probability grows with ``s``: the target's score
must reach the number ``t`` with ``P(t) = p``, and 0 because ``predict`` must decide for it, too.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import issparse
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import (
    LogisticRegression,
    LogisticRegressionCV,
    Perceptron,
    RidgeClassifier,
    RidgeClassifierCV,
    SGDClassifier,
)
from sklearn.svm import SVC, LinearSVC

from ..arrays import BoolArray, FloatArray
from ..errors import InvalidInputError, UnsupportedSettingError
from .outcomes import Label, Outcome, require_label
from .polyhedra import PolyhedronUnion, union
from .registry import register

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


@register(
    LinearDiscriminantAnalysis,
    LinearSVC,
    LogisticRegression,
    LogisticRegressionCV,
    Perceptron,
    SGDClassifier,
)
def linear_region(model: BaseEstimator, outcome: Outcome) -> PolyhedronUnion:
    """Region of a classifier that decides by ``decision_function``: its sign, or its largest column."""
    label = require_label(model, outcome)
    W, b = scores(model)
    if len(W) == 1:
        return _binary_region(model, label, W, b)
    if label.min_probability is not None:
        raise UnsupportedSettingError(
            f"min_probability is supported for binary models only, received {type(model).__name__} with {len(W)} "
            "classes: where a class reaches a probability is no polyhedron then. Leave min_probability out, or fit a "
            "binary model of the target against the rest."
        )
    c = label.index
    others = np.arange(len(W)) != c
    # argmax returns the first of equal scores, so only the classes before c must be beaten strictly
    return halfspaces((W - W[c])[others], (b[c] - b)[others], strict=np.flatnonzero(others) < c)


@register(RidgeClassifier, RidgeClassifierCV)
def ridge_region(model: RidgeClassifier | RidgeClassifierCV, outcome: Outcome) -> PolyhedronUnion:
    """Region of a ridge classifier, which may have been fitted on several labels a row: then there is no one class."""
    if model._label_binarizer.y_type_.startswith("multilabel"):
        raise UnsupportedSettingError(
            f"This {type(model).__name__} was fitted on a matrix of labels (multi-label) and predicts a set of them; "
            "expected one class a row. Fit one model for each label and explain that one."
        )
    return linear_region(model, outcome)


@register(SVC)
def svc_region(model: SVC, outcome: Outcome) -> PolyhedronUnion:
    """Region of a binary support vector machine with a linear kernel."""
    if model.kernel != "linear":
        raise UnsupportedSettingError(
            f"SVC is supported with kernel='linear' only, received kernel={model.kernel!r}: other kernels do not "
            "decide by hyperplanes. Use SVC(kernel='linear') or LinearSVC."
        )
    if len(model.classes_) > 2:
        raise UnsupportedSettingError(
            f"SVC is supported for two classes only, received {len(model.classes_)}: it lets all pairs of classes "
            "vote, and a vote has no convex region. Use LinearSVC, which compares one score for each class."
        )
    if issparse(model.support_vectors_):
        raise UnsupportedSettingError(
            "This SVC was fitted on a sparse matrix; expected a dense array. Fit it on X.toarray()."
        )
    return linear_region(model, outcome)


def scores(model: BaseEstimator) -> tuple[FloatArray, FloatArray]:
    """Weights of shape (n_scores, n_features) and intercepts of shape (n_scores,) of a fitted linear model."""
    # sparsify() leaves a sparse coef_; some models have a one-dimensional coef_ or a number as intercept_
    coef = model.coef_.toarray() if hasattr(model.coef_, "toarray") else model.coef_
    W = np.atleast_2d(np.asarray(coef, dtype=np.float64))
    return W, np.broadcast_to(np.asarray(model.intercept_, dtype=np.float64).ravel(), len(W))


def halfspaces(A: FloatArray, b: FloatArray, *, strict: bool | BoolArray = False) -> PolyhedronUnion:
    """Make the region ``{ z : A z <= b }`` without half-spaces that say nothing about ``z``.

    One whose normal is zero (two classes with equal weights, a model without weights) holds everywhere or nowhere: it
    is left out, or the region is empty. The same goes for limits of plus and minus infinity.

    Parameters
    ----------
    A : array of shape (n_halfspaces, n_features)
    b : array of shape (n_halfspaces,)
    strict : bool or bool array of shape (n_halfspaces,)
        Whether the model needs ``A z < b``. It matters for zero normals only, because a region is closed.
    """
    constant = ~A.any(axis=1)
    violated = (constant & ((b < 0) | (strict & (b == 0)))) | (b == -np.inf)
    if violated.any():
        return union([], n_features=A.shape[1])
    kept = ~constant & (b < np.inf)
    return union([(A[kept], b[kept])], n_features=A.shape[1])


def _binary_region(model: BaseEstimator, label: Label, W: FloatArray, b: FloatArray) -> PolyhedronUnion:
    # the second class needs s >= t, the first -s >= t, with t >= 0; s = 0 itself belongs to the first
    t = 0.0
    if label.min_probability is not None:
        t = max(t, _score_at_probability(model, label.min_probability))
    sign = 1.0 if label.index == 1 else -1.0
    return halfspaces(-sign * W, sign * b - t, strict=label.index == 1 and t == 0)


def _score_at_probability(model: BaseEstimator, p: float) -> float:
    """Score of the target class at which its probability is ``p``."""
    kind = type(model).__name__
    huber = isinstance(model, SGDClassifier) and model.loss == "modified_huber"
    logistic = (
        isinstance(model, LinearDiscriminantAnalysis)
        or (isinstance(model, SGDClassifier) and model.loss == "log_loss")
        # before scikit-learn 1.8 a binary model could be made multinomial, with P = expit(2 s)
        or (isinstance(model, LogisticRegression) and getattr(model, "multi_class", None) != "multinomial")
    )
    if not (huber or logistic):
        raise UnsupportedSettingError(
            f"min_probability needs a model whose predict_proba is an increasing function of its decision value, and "
            f"{kind} with its settings is none. Leave min_probability out, or use LogisticRegression, "
            "LinearDiscriminantAnalysis, SGDClassifier(loss='log_loss') or SGDClassifier(loss='modified_huber')."
        )
    if not 0 < p <= 1 or (logistic and p == 1):
        upper = "0 < p <= 1" if huber else "0 < p < 1 (the logistic function never reaches 1)"
        raise InvalidInputError(f"min_probability of {kind} must be a number p with {upper}, received {p!r}.")
    # modified_huber: P(s) = (clip(s, -1, 1) + 1) / 2;  otherwise P(s) = 1 / (1 + exp(-s))
    return 2 * p - 1 if huber else math.log(p) - math.log1p(-p)
