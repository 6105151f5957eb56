"""One against the rest: the largest of linear scores, or one estimator's cut for two classes."""

from __future__ import annotations

import numpy as np
from sklearn.multiclass import OneVsRestClassifier

from ...arrays import Estimator, FloatArray
from ...errors import UnsupportedModelError, UnsupportedSettingError
from ...search import Region
from ...search.region import DecisionValue, Outcome, Probability, Response, require_label
from ..linear import is_linear_classifier, largest_score_region, scores
from ..registry import builder_of, register, register_response, response_region_of
from .members import seen_through


@register(OneVsRestClassifier)
def one_vs_rest_region(model: Estimator, outcome: Outcome) -> Region:
    """Region of a class of linear models, each of one class against all others."""
    label = require_label(model, outcome)
    _refuse_several_labels(model)
    members = [seen_through(member) for member in model.estimators_]
    if len(members) == 1:  # two classes: above the middle is the second
        kind = DecisionValue if hasattr(members[0], "decision_function") else _second_class
        middle = 0.0 if hasattr(members[0], "decision_function") else 0.5
        is_second = label.index == 1
        low, high = (np.nextafter(middle, np.inf), np.inf) if is_second else (-np.inf, middle)
        return response_region_of(members[0], kind(low, high))
    W, b = zip(*(_score(member) for member in members))
    return largest_score_region(np.vstack(W), np.concatenate(b), label.index)


@register_response(OneVsRestClassifier)
def response_of_one_vs_rest(model: Estimator, response: Response) -> Region:
    """Pass the question on for two classes; probabilities of more are shared out by their sum."""
    _refuse_several_labels(model)
    if len(model.estimators_) > 1:
        raise UnsupportedSettingError(
            f"min_probability is supported for a OneVsRestClassifier of two classes, received {len(model.classes_)}: "
            "the probabilities of more are divided by their sum, which has no exact description yet. Use "
            "LogisticRegression, which has a softmax."
        )
    return response_region_of(seen_through(model.estimators_[0]), response)


def _second_class(low: float, high: float) -> Probability:
    return Probability(1, low, high)


def _refuse_several_labels(model: Estimator) -> None:
    if model.multilabel_:
        raise UnsupportedSettingError(
            "This OneVsRestClassifier was fitted on a matrix of labels (multi-label) and predicts a set of them; "
            "expected one class a row. Fit one model for each label and explain that one."
        )


def _score(member: Estimator) -> tuple[FloatArray, FloatArray]:
    """Weights of shape (1, n_features) and intercept of shape (1,) of the score of one class."""
    if not is_linear_classifier(member):
        builder_of(member)
        raise UnsupportedModelError(
            f"OneVsRestClassifier of several classes is supported over linear models, received {type(member).__name__} "
            "in it. Use the model by itself, if it takes several classes."
        )
    return scores(member)
