"""Regions of models in ONNX files.

Networks and linear models are read with 64 bits, as weights: answers are verified by onnxruntime, which has 32, and
keep as far from the boundary as that takes. Trees are compared with onnxruntime on rows all over their cuts: their sums
have to be its own, to the bit, or are in doubt by their rounding.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ...arrays import FloatArray, UserData
from ...errors import UnsupportedModelError
from ...search import Region
from ...search.region import Interval, Outcome, require_interval, require_label
from ...search.relaxations.tree_sums.decisions import Largest, Range, smallest_number
from ...search.relaxations.tree_sums.region import EnsembleRegion
from ...search.relaxations.tree_sums.trees import TreeSum
from ...search.relaxations.unit_sums.functions import IDENTITY, LOGISTIC, RELU, TANH
from ...search.relaxations.unit_sums.units import Layer
from ..linear import largest_score_region, slab
from ..registry import register
from ..unit_sums.networks import largest_region, range_region
from .columns import affine
from .graph import Labels, Scores, TreeScores
from .reading import OnnxClassifier, OnnxModel, OnnxRegressor

_FUNCTIONS = {"": IDENTITY, "Relu": RELU, "Tanh": TANH, "Sigmoid": LOGISTIC}
# Weights, intercepts and activation of a hidden layer.
Hidden = tuple[FloatArray, FloatArray, str]
# Rows about which onnxruntime is asked to compare trees with it.
ROWS_COMPARED = 512
_OTHERWISE = "from this ONNX graph are not those of onnxruntime; the graph is asked."


@register(OnnxClassifier)
def onnx_classifier_region(model: OnnxClassifier, outcome: Outcome) -> Region:
    """Region of a label of an ONNX graph."""
    label = require_label(model, outcome)
    decision = _decision(model)
    assert isinstance(decision, Labels)
    if isinstance(decision.of, TreeScores):
        return _tree_region(model, decision.of, label.index)
    network = model.network
    assert network is not None
    if len(network.b) > 1:
        return _largest(network, model.columns.n_columns, label.index)
    return _between(network, model.columns.n_columns, Interval(0.0, np.inf) if label.index else Interval(-np.inf, 0.0))


@register(OnnxRegressor)
def onnx_regressor_region(model: OnnxRegressor, outcome: Outcome) -> Region:
    """Region of a range of the number that an ONNX graph gives."""
    interval = require_interval(model, outcome)
    decision = _decision(model)
    if isinstance(decision, TreeScores):
        return EnsembleRegion(_compared(model, decision.trees)[0], Range(interval.low, interval.high))
    return _between(decision, model.columns.n_columns, interval)


def _decision(model: OnnxModel) -> Any:
    if model.decision is None:
        raise UnsupportedModelError(model.reason)
    return model.decision


def _tree_region(model: OnnxClassifier, scores: TreeScores, index: int) -> EnsembleRegion:
    trees, rows = _compared(model, scores.trees)
    decision: Largest | Range = Largest(index)
    if trees.n_scores == 1 and index == 0:
        decision = Range(-np.inf, scores.cut)
    elif trees.n_scores == 1:
        decision = Range(smallest_number(lambda s: s > scores.cut, single=True), np.inf)
    region = EnsembleRegion(trees, decision)
    weights, least = decision.rows(trees.n_scores)
    seen = _seen(model, rows)
    is_clear = (np.abs(trees.scores(seen) @ weights.T - least) > 4 * trees.doubt).all(axis=1) | (trees.doubt == 0)
    if (region.accepts(seen[is_clear]) != (model.predict(rows[is_clear]) == model.classes_[index])).any():
        raise UnsupportedModelError(f"The labels of the trees that were read {_OTHERWISE}")
    return region


def _seen(model: OnnxModel, rows: UserData) -> FloatArray:
    """Rows as the graph has them behind its encoders, array of shape (n_rows, n_columns)."""
    encoders = model.encoders
    return np.asarray(rows if encoders is None else encoders.transform(rows), dtype=np.float64)


def _compared(model: OnnxModel, trees: TreeSum) -> tuple[TreeSum, Any]:
    """Compare sums with onnxruntime's; return the trees, in doubt where these differ in rounding, and the rows."""
    trees = replace(trees, n_features=model.columns.n_columns)
    rows = model.columns.rows(ROWS_COMPARED, trees.cuts())
    whole = model.takes_whole_numbers
    rows[:, whole] = np.floor(rows[:, whole].astype(np.float64))
    expected = model.tree_sums(rows)[:, -trees.n_scores :]
    off = float(np.abs(expected - trees.scores(_seen(model, rows))).max())
    if off > 2 * trees.rounding():
        raise UnsupportedModelError(f"The sums of the trees that were read {_OTHERWISE}")
    return (trees if off == 0 else replace(trees, doubt=trees.rounding())), rows


def _first_layer(network: Scores, n_inputs: int) -> tuple[list[Hidden], FloatArray, FloatArray]:
    """Hidden layers, weights and intercepts of the scores, over the input columns."""
    matrix, offset = affine(network.columns, n_inputs)
    every = [*network.layers, (network.W, network.b, "")]
    W, b, function = every[0]
    every[0] = W @ matrix, b + W @ offset, function
    return every[:-1], every[-1][0], every[-1][1]


def _layers(hidden: list[Hidden]) -> tuple[Layer, ...]:
    return tuple(Layer(np.ascontiguousarray(W), b, _FUNCTIONS[function]) for W, b, function in hidden)


def _largest(network: Scores, n_inputs: int, index: int) -> Region:
    hidden, W, b = _first_layer(network, n_inputs)
    return largest_region(_layers(hidden), W, b, index) if hidden else largest_score_region(W, b, index)


def _between(network: Scores, n_inputs: int, interval: Interval) -> Region:
    hidden, W, b = _first_layer(network, n_inputs)
    return range_region(_layers(hidden), W, b, interval) if hidden else slab(W, b, interval)
