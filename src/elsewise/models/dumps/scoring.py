"""How sums of trees become labels, probabilities and numbers, as each library computes them; and where they do.

Exponentials are those of the C library, which the libraries call: with 64 bits by ``math.exp``; with 32 bits by
rounding it, which is the same but for one result in some hundreds, by one unit in the last place.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ...arrays import Estimator, FloatArray, IntArray
from ...search.region import Interval, Label, Response
from ...search.relaxations.tree_sums.region import EnsembleRegion
from ...search.relaxations.tree_sums.trees import TreeSum
from ..trees.families import (
    LIGHTGBM_CLASSES,
    XGBOOST_CLASSES,
    XGBOOST_LINKS,
    Link,
    Objective,
    lightgbm_classes,
    lightgbm_link,
    lightgbm_numbers,
    lightgbm_probability,
    lightgbm_responses,
    require_objective,
    sigmoid_single,
    xgboost_classes,
    xgboost_numbers,
    xgboost_probabilities,
)
from ..trees.of_catboost import ONE_BY_ONE, CatBoostLoss, class_region, number_region, probability_region


@dataclass(frozen=True, slots=True)
class XGBoostScoring:
    """An objective of XGBoost: 32 bits throughout."""

    objective: str

    @property
    def is_of_classes(self) -> bool:
        """Whether labels are predicted."""
        return self.objective in XGBOOST_CLASSES

    def probabilities(self, scores: FloatArray) -> FloatArray:
        """Probabilities of classes, array of shape (n_samples, n_classes)."""
        if scores.shape[1] == 1:
            second = _each(sigmoid_single, scores[:, 0]).astype(np.float32)
            return np.column_stack([np.float32(1.0) - second, second])
        single = scores.astype(np.float32)
        powers = np.exp((single - single.max(axis=1, keepdims=True)).astype(np.float64)).astype(np.float32)
        return np.asarray(powers / powers.astype(np.float64).sum(axis=1, keepdims=True).astype(np.float32))

    def labels(self, scores: FloatArray) -> IntArray:
        """Positions of the predicted labels, int array of shape (n_samples,)."""
        probabilities = self.probabilities(scores)
        return (probabilities[:, 1] > 0.5).astype(np.int64) if scores.shape[1] == 1 else probabilities.argmax(axis=1)

    def numbers(self, scores: FloatArray) -> FloatArray:
        """Predicted numbers, array of shape (n_samples,)."""
        require_objective(self, self.objective, XGBOOST_LINKS)
        return _each(XGBOOST_LINKS[self.objective], scores[:, 0])

    def label_region(self, model: Estimator, trees: TreeSum, label: Label) -> EnsembleRegion:
        """Region of a class."""
        return xgboost_classes(model, trees, label, self.objective)

    def response_region(self, model: Estimator, trees: TreeSum, response: Response) -> EnsembleRegion:
        """Region where a probability lies in a range."""
        return xgboost_probabilities(model, trees, response, self.objective)

    def number_region(self, model: Estimator, trees: TreeSum, interval: Interval) -> EnsembleRegion:
        """Region of a range of numbers."""
        return xgboost_numbers(model, trees, interval, self.objective)


@dataclass(frozen=True, slots=True)
class LightGBMScoring:
    """An objective of LightGBM: 64 bits throughout."""

    objective: Objective

    @property
    def is_of_classes(self) -> bool:
        """Whether labels are predicted."""
        return self.objective[0] in LIGHTGBM_CLASSES

    def probabilities(self, scores: FloatArray) -> FloatArray:
        """Probabilities of classes, array of shape (n_samples, n_classes)."""
        if scores.shape[1] > 1:
            return _softmax(scores)
        steepness = float(self.objective[1].get("sigmoid", 1.0))
        second = 1.0 / (1.0 + _each(math.exp, np.minimum(-steepness * scores[:, 0], _LARGEST_POWER)))
        return np.column_stack([1.0 - second, second])

    def labels(self, scores: FloatArray) -> IntArray:
        """Positions of the predicted labels, int array of shape (n_samples,)."""
        return np.asarray(self.probabilities(scores).argmax(axis=1))

    def numbers(self, scores: FloatArray) -> FloatArray:
        """Predicted numbers, array of shape (n_samples,)."""
        link = lightgbm_link(self, self.objective)
        return _each(None if link is None else math.exp, scores[:, 0])

    def label_region(self, model: Estimator, trees: TreeSum, label: Label) -> EnsembleRegion:
        """Region of a class."""
        return lightgbm_classes(model, trees, self.objective, label)

    def response_region(self, model: Estimator, trees: TreeSum, response: Response) -> EnsembleRegion:
        """Region where a probability lies in a range."""
        lightgbm_probability(model, self.objective)
        return lightgbm_responses(model, trees, self.objective, response)

    def number_region(self, model: Estimator, trees: TreeSum, interval: Interval) -> EnsembleRegion:
        """Region of a range of numbers."""
        return lightgbm_numbers(model, trees, self.objective, interval)


@dataclass(frozen=True, slots=True)
class CatBoostScoring:
    """A loss of CatBoost: sums with 64 bits."""

    loss: CatBoostLoss

    @property
    def is_of_classes(self) -> bool:
        """Whether labels are predicted."""
        return self.loss.is_of_classes

    def probabilities(self, scores: FloatArray) -> FloatArray:
        """Probabilities of classes, array of shape (n_samples, n_classes)."""
        if scores.shape[1] > 1 and self.loss.name != ONE_BY_ONE:
            return _softmax(scores)
        each = 1.0 / (1.0 + _each(math.exp, np.minimum(-scores, _LARGEST_POWER)))
        return each if scores.shape[1] > 1 else np.column_stack([1.0 - each[:, 0], each[:, 0]])

    def labels(self, scores: FloatArray) -> IntArray:
        """Positions of the predicted labels, int array of shape (n_samples,)."""
        if scores.shape[1] > 1:
            return np.asarray(scores.argmax(axis=1))
        return (scores[:, 0] > self.loss.cut).astype(np.int64)

    def numbers(self, scores: FloatArray) -> FloatArray:
        """Predicted numbers, array of shape (n_samples,)."""
        return scores[:, 0]

    def label_region(self, model: Estimator, trees: TreeSum, label: Label) -> EnsembleRegion:
        """Region of a class."""
        return class_region(trees, label, self.loss)

    def response_region(self, model: Estimator, trees: TreeSum, response: Response) -> EnsembleRegion:
        """Region where a probability lies in a range."""
        return probability_region(model, trees, response, self.loss)

    def number_region(self, model: Estimator, trees: TreeSum, interval: Interval) -> EnsembleRegion:
        """Region of a range of numbers."""
        return number_region(trees, interval, self.loss)


Scoring = XGBoostScoring | LightGBMScoring | CatBoostScoring
# The largest number whose exponential is finite.
_LARGEST_POWER = 709.0


def _each(function: Link | None, values: FloatArray) -> FloatArray:
    """Apply a function of one number to an array of any shape."""
    if function is None:
        return values
    return np.fromiter(map(function, values.ravel().tolist()), np.float64, values.size).reshape(values.shape)


def _softmax(scores: FloatArray) -> FloatArray:
    powers = _each(math.exp, scores - scores.max(axis=1, keepdims=True))
    total = np.zeros(len(scores))
    for k in range(scores.shape[1]):  # one after the other, as the libraries do
        total += powers[:, k]
    return powers / total[:, None]
