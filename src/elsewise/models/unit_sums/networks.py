"""Networks of scikit-learn: classifiers by the sign of one score or the largest of several, regressors by a range."""

from __future__ import annotations

import numpy as np
from scipy.special import expit
from sklearn.neural_network import MLPClassifier, MLPRegressor

from ...arrays import FloatArray
from ...errors import UnsupportedSettingError
from ...search.region import DecisionValue, Interval, Outcome, Response, require_interval, require_label
from ...search.relaxations.tree_sums.decisions import range_of_scores
from ...search.relaxations.unit_sums.functions import IDENTITY, LOGISTIC, RELU, TANH, Function
from ...search.relaxations.unit_sums.region import SumRegion
from ...search.relaxations.unit_sums.units import Layer, Sums
from ..registry import register, register_response
from .least_probabilities import of_least_probability

_FUNCTIONS: dict[str, Function] = {"relu": RELU, "identity": IDENTITY, "logistic": LOGISTIC, "tanh": TANH}


@register(MLPClassifier)
def classifier_region(model: MLPClassifier, outcome: Outcome) -> SumRegion:
    """Region where a network decides for a class."""
    label = require_label(model, outcome)
    _refuse_several_labels(model)
    layers, W, b = _taken_apart(model)
    if len(W) == 1:  # the second class needs a positive score
        return range_region(layers, W, b, Interval(0.0, np.inf) if label.index == 1 else Interval(-np.inf, 0.0))
    return largest_region(layers, W, b, label.index)


@register_response(MLPClassifier)
def classifier_response_region(model: MLPClassifier, response: Response) -> SumRegion:
    """Region where a probability of a network of two classes lies in a range, or one of several is large enough."""
    _refuse_several_labels(model)
    return response_region(type(model).__name__, *_taken_apart(model), response)


def response_region(
    name: str, layers: tuple[Layer, ...], W: FloatArray, b: FloatArray, response: Response
) -> SumRegion:
    """Region where the logistic function of the only score ``W a + b``, or the softmax of several, is in a range."""
    if isinstance(response, DecisionValue):
        raise UnsupportedSettingError(f"{name} has no decision_function.")
    if len(W) > 1:
        return SumRegion(of_least_probability(name, largest_region(layers, W, b, response.index).sums, response))
    grows = response.index == 1
    wanted = range_of_scores(lambda s: float(expit(s)) if grows else 1.0 - float(expit(s)), response, grows=grows)
    return range_region(layers, W, b, Interval(wanted.low, wanted.high))


@register(MLPRegressor)
def regressor_region(model: MLPRegressor, outcome: Outcome) -> SumRegion:
    """Region where the prediction of a network lies in a range."""
    wanted = require_interval(model, outcome)
    layers, W, b = _taken_apart(model)
    if len(W) > 1:
        raise UnsupportedSettingError(
            f"This {type(model).__name__} predicts {len(W)} outputs at once; expected one. Fit one model for each "
            "output and explain the one of interest."
        )
    if model.out_activation_ == "exp":  # a Poisson loss
        scores = range_of_scores(lambda s: float(np.exp(s)), wanted, grows=True)
        wanted = Interval(scores.low, scores.high)
    return range_region(layers, W, b, wanted)


def range_region(layers: tuple[Layer, ...], W: FloatArray, b: FloatArray, wanted: Interval) -> SumRegion:
    """Region where the only score ``W a + b``, weights of shape (1, n_units), lies in a range."""
    low, high = wanted.low, wanted.high
    ends = np.array([np.isfinite(low), np.isfinite(high)])
    C = np.vstack([W, -W])[ends]
    d = np.concatenate([b - (low if ends[0] else 0.0), (high if ends[1] else 0.0) - b])[ends]
    return SumRegion(_sums(layers, C, d), is_empty=low > high or low == np.inf or high == -np.inf)


def largest_region(layers: tuple[Layer, ...], W: FloatArray, b: FloatArray, index: int) -> SumRegion:
    """Region where the score at ``index`` is the largest of ``W a + b``."""
    others = np.arange(len(W)) != index
    return SumRegion(_sums(layers, (W[index] - W)[others], (b[index] - b)[others]))


def _sums(layers: tuple[Layer, ...], C: FloatArray, d: FloatArray) -> Sums:
    return Sums(layers, C, np.zeros((len(C), layers[0].W.shape[1])), d)


def _taken_apart(model: MLPClassifier | MLPRegressor) -> tuple[tuple[Layer, ...], FloatArray, FloatArray]:
    """Hidden layers, and weights and intercepts of the outputs."""
    function = _FUNCTIONS[model.activation]
    weights = [np.ascontiguousarray(np.asarray(coef, dtype=np.float64).T) for coef in model.coefs_]
    intercepts = [np.asarray(intercept, dtype=np.float64) for intercept in model.intercepts_]
    layers = tuple(Layer(W, b, function) for W, b in zip(weights[:-1], intercepts[:-1]))
    if not layers:  # no hidden layer: linear
        n = weights[-1].shape[1]
        layers = (Layer(np.eye(n), np.zeros(n), IDENTITY),)
    return layers, weights[-1], intercepts[-1]


def _refuse_several_labels(model: MLPClassifier) -> None:
    if model._label_binarizer.y_type_.startswith("multilabel"):
        raise UnsupportedSettingError(
            f"This {type(model).__name__} was fitted on a matrix of labels (multi-label) and predicts a set of them; "
            "expected one class a row. Fit one model for each label and explain that one."
        )
