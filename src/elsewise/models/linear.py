"""Linear classifiers: one polyhedron for each class.

A model with one vector of weights in ``coef_`` decides for its second class where ``s(z) = w·z + b > 0``. A model with
weights for each class decides for the largest score, ``argmax_k w_k·z + b_k``, so class ``c`` has the polyhedron::

    (w_k - w_c)·z <= b_c - b_k       for all k != c

A range of the probability of a binary model, which grows or falls with ``s``, is a range of ``s``: its ends are found
by bisecting floats with the model's own function. With several classes and a softmax a least probability has a convex
region, which is no polyhedron (:mod:`.softmax`).

Linear regressors: the region where the prediction lies in an interval is a slab.

    low <= h(w·z + b) <= high

``h`` is the identity, or exp for generalised linear models with a log link; then the ends of the interval are replaced
by the scores that exp takes to them. In doubles exp reaches zero.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import expit
from sklearn._loss.link import IdentityLink, LogLink
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import (
    BayesianRidge,
    ElasticNet,
    ElasticNetCV,
    GammaRegressor,
    HuberRegressor,
    Lasso,
    LassoCV,
    LinearRegression,
    LogisticRegression,
    LogisticRegressionCV,
    Perceptron,
    PoissonRegressor,
    Ridge,
    RidgeClassifier,
    RidgeClassifierCV,
    RidgeCV,
    SGDClassifier,
    SGDRegressor,
    TweedieRegressor,
)
from sklearn.svm import LinearSVC, LinearSVR

from ..arrays import BoolArray, FloatArray
from ..errors import InvalidInputError, UnsupportedSettingError
from ..search import Region
from ..search.region import (
    DecisionValue,
    Interval,
    Label,
    Outcome,
    Probability,
    Response,
    require_interval,
    require_label,
)
from ..search.relaxations.polyhedra import PolyhedronUnion, union
from ..search.relaxations.softmax import SoftmaxRegion
from ..search.relaxations.tree_sums.decisions import largest_number, range_of_scores, smallest_number
from .registry import builder_of, register, register_response

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
        # the second class needs s > 0, the first s <= 0
        return slab(W, b, _side(label), strict=label.index == 1)
    return largest_score_region(W, b, label.index)


def largest_score_region(W: FloatArray, b: FloatArray, index: int) -> PolyhedronUnion:
    """Region where the score at ``index`` is the largest of ``W z + b``, the first of those that are equal."""
    others = np.arange(len(W)) != index
    # only the classes before it must be beaten strictly
    return halfspaces((W - W[index])[others], (b[index] - b)[others], strict=np.flatnonzero(others) < index)


@register_response(
    LinearDiscriminantAnalysis,
    LinearSVC,
    LogisticRegression,
    LogisticRegressionCV,
    Perceptron,
    RidgeClassifier,
    RidgeClassifierCV,
    SGDClassifier,
)
def linear_response_region(model: BaseEstimator, response: Response) -> Region:
    """Region of a linear classifier where its only score, or a probability, lies in a range."""
    W, b = scores(model)
    if isinstance(response, DecisionValue):
        if len(W) > 1:
            raise UnsupportedSettingError(
                f"{type(model).__name__} has {len(W)} decision values a row; expected one, of a model of two classes."
            )
        return slab(W, b, Interval(response.low, response.high))
    _require_probability(model, response.low, n_classes=max(len(W), 2))
    if len(W) > 1:
        return _softmax_region(model, W, b, response)
    of_second = _probability_of_second(model)
    function = of_second if response.index == 1 else lambda s: 1.0 - of_second(s)
    grows = response.index == 1
    low, high = _scores_between(function, response.low, response.high, grows=grows)
    return slab(W, b, Interval(low, high))


@register(RidgeClassifier, RidgeClassifierCV)
def ridge_region(model: RidgeClassifier | RidgeClassifierCV, outcome: Outcome) -> PolyhedronUnion:
    """Region of a ridge classifier, which may have been fitted on several labels a row: then there is no one class."""
    if model._label_binarizer.y_type_.startswith("multilabel"):
        raise UnsupportedSettingError(
            f"This {type(model).__name__} was fitted on a matrix of labels (multi-label) and predicts a set of them; "
            "expected one class a row. Fit one model for each label and explain that one."
        )
    return linear_region(model, outcome)


def is_linear_classifier(model: object) -> bool:
    """Whether a model of two classes decides by the sign of ``scores(model)``."""
    return builder_of(model) in (linear_region, ridge_region)


def is_logistic(model: object) -> bool:
    """Whether a linear model of two classes gives its second one the probability ``expit(scores(model))``."""
    if isinstance(model, SGDClassifier):
        return bool(model.loss == "log_loss")
    if isinstance(model, LogisticRegression):  # before scikit-learn 1.8 it could be multinomial: expit(2 s)
        return getattr(model, "multi_class", None) != "multinomial"
    return isinstance(model, LinearDiscriminantAnalysis)


def scores(model: BaseEstimator) -> tuple[FloatArray, FloatArray]:
    """Weights of shape (n_scores, n_features) and intercepts of shape (n_scores,) of a fitted linear model."""
    W = np.atleast_2d(coefficients(model))
    # some models have a number as intercept_
    return W, np.broadcast_to(np.asarray(model.intercept_, dtype=np.float64).ravel(), len(W))


def coefficients(model: BaseEstimator) -> FloatArray:
    """Weights of a fitted linear model, of shape (n_scores, n_features), or (n_features,) where it keeps them so."""
    # sparsify() leaves a sparse coef_
    coef = model.coef_.toarray() if hasattr(model.coef_, "toarray") else model.coef_
    return np.asarray(coef, dtype=np.float64)


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


def slab(W: FloatArray, b: FloatArray, wanted: Interval, *, strict: bool = False) -> PolyhedronUnion:
    """Make the region ``{ z : low <= w·z + b <= high }`` for weights of shape (1, n_features) and ``b`` of shape (1,).

    ``strict`` says that the model needs more than ``low``.
    """
    if wanted.low > wanted.high or wanted.low == np.inf or wanted.high == -np.inf:
        return union([], n_features=W.shape[1])
    return halfspaces(
        np.vstack([W, -W]),
        np.concatenate([wanted.high - b, b - wanted.low]),
        strict=np.array([False, strict]),
    )


def _side(label: Label) -> Interval:
    return Interval(0.0, np.inf) if label.index == 1 else Interval(-np.inf, 0.0)


def _scores_between(function: Callable[[float], float], low: float, high: float, *, grows: bool) -> tuple[float, float]:
    """Find the scores that a growing or falling function takes to ``[low, high]``."""
    if grows:
        return smallest_number(lambda s: function(s) >= low), largest_number(lambda s: function(s) <= high)
    return smallest_number(lambda s: function(s) <= high), largest_number(lambda s: function(s) >= low)


def _probability_of_second(model: BaseEstimator) -> Callable[[float], float]:
    """Return the function that makes the second class's probability of the only score."""
    if isinstance(model, SGDClassifier) and model.loss == "modified_huber":
        return lambda s: float((np.clip(s, -1.0, 1.0) + 1.0) / 2.0)
    return lambda s: float(expit(s))


def _softmax_region(model: BaseEstimator, W: FloatArray, b: FloatArray, response: Probability) -> Region:
    if response.high < 1:
        raise UnsupportedSettingError(
            f"Where a class of {type(model).__name__} has at most a probability is not convex and not supported."
        )
    return SoftmaxRegion(W, b, response.index, response.low)


def _require_probability(model: BaseEstimator, p: float, *, n_classes: int) -> None:
    """Refuse models without probabilities of a known form, and least ones that these never reach."""
    kind = type(model).__name__
    several = n_classes > 2
    huber = isinstance(model, SGDClassifier) and model.loss == "modified_huber" and not several
    # before scikit-learn 1.8 a model of two classes could be multinomial, with P = expit(2 s), and one of several not
    form = getattr(model, "multi_class", None)
    one_by_one = form == "ovr" or (form is not None and form != "multinomial" and model.solver == "liblinear")
    logistic = (
        isinstance(model, LinearDiscriminantAnalysis)
        or (isinstance(model, SGDClassifier) and model.loss == "log_loss" and not several)
        or (isinstance(model, LogisticRegression) and (not one_by_one if several else form != "multinomial"))
    )
    if several and not logistic and hasattr(model, "predict_proba"):
        raise UnsupportedSettingError(
            f"min_probability of {n_classes} classes needs a softmax, and {kind} divides probabilities of single "
            "classes by their sum. Leave min_probability out, or use LogisticRegression or LinearDiscriminantAnalysis."
        )
    if not (huber or logistic):
        raise UnsupportedSettingError(
            f"min_probability needs a model whose predict_proba is an increasing function of its decision value, and "
            f"{kind} with its settings is none. Leave min_probability out, or use LogisticRegression, "
            "LinearDiscriminantAnalysis, SGDClassifier(loss='log_loss') or SGDClassifier(loss='modified_huber')."
        )
    if 1 <= p < np.inf and logistic:
        raise InvalidInputError(
            f"min_probability of {kind} must be a number p with 0 < p < 1 (the logistic function never reaches 1), "
            f"received {p!r}."
        )


@register(
    BayesianRidge,
    ElasticNet,
    ElasticNetCV,
    HuberRegressor,
    Lasso,
    LassoCV,
    LinearRegression,
    LinearSVR,
    Ridge,
    RidgeCV,
    SGDRegressor,
)
def linear_regression_region(model: BaseEstimator, outcome: Outcome) -> PolyhedronUnion:
    """Region of a regressor that predicts ``w·z + b``."""
    return _slab(model, require_interval(model, outcome))


@register(GammaRegressor, PoissonRegressor, TweedieRegressor)
def generalized_linear_region(
    model: GammaRegressor | PoissonRegressor | TweedieRegressor, outcome: Outcome
) -> PolyhedronUnion:
    """Region of a generalised linear model that predicts ``w·z + b`` or ``exp(w·z + b)``."""
    wanted = require_interval(model, outcome)
    # the link chosen in fit, which predict uses: the parameter 'link' may be 'auto' or may have changed since
    link = model._base_loss.link
    if isinstance(link, IdentityLink):
        return _slab(model, wanted)
    if isinstance(link, LogLink):
        inside = range_of_scores(lambda s: float(np.exp(s)), wanted, grows=True)
        return _slab(model, Interval(inside.low, inside.high))
    raise UnsupportedSettingError(
        f"{type(model).__name__} is supported with an identity or a log link, received {type(link).__name__}. "
        "Fit it with link='identity' or link='log'."
    )


def _slab(model: BaseEstimator, wanted: Interval) -> PolyhedronUnion:
    W, b = scores(model)
    if len(W) > 1:
        raise UnsupportedSettingError(
            f"This {type(model).__name__} predicts {len(W)} outputs at once; expected one. Fit one model for each "
            "output and explain the one of interest."
        )
    return slab(W, b, wanted)
