"""CatBoost: trees over numbers, read from the JSON it writes.

A number goes right where ``float32(z) > border``. Leaves are added with 64 bits, tree by tree, from zero, and the bias
comes last; here it is the only leaf of one more tree. Missing numbers are less than all others, or greater, as the
training set it. Models with category columns are read over the levels of a table (:mod:`.catboost_on_codes`); texts and
embeddings are refused.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ...arrays import Estimator, FloatArray, JsonObject
from ...errors import UnsupportedModelError, UnsupportedSettingError
from ...search.region import DecisionValue, Interval, Label, Outcome, Response, require_interval, require_label
from ...search.relaxations.tree_sums.decisions import Largest, Range, smallest_number
from ...search.relaxations.tree_sums.region import EnsembleRegion
from ...search.relaxations.tree_sums.trees import TreeSum, left_limits
from ..registry import register_by_name, register_response_by_name
from .families import INSTEAD, of_response, sigmoid

# Losses of classifiers with one sum, or a softmax of several; and one with a sigmoid for each class.
_LOSSES_OF_CLASSES = ("Logloss", "CrossEntropy", "MultiClass")
ONE_BY_ONE = "MultiClassOneVsAll"
# Losses of regressors that predict the sum itself.
_PLAIN_LOSSES = ("RMSE", "MAE", "Quantile", "MAPE", "Huber", "LogCosh", "Expectile", "Lq")


@dataclass(frozen=True, slots=True)
class CatBoostLoss:
    """What a model was trained for, and the probability above which the second of two classes is predicted, if set."""

    name: str
    threshold: float | None

    @classmethod
    def of(cls, model: Estimator) -> CatBoostLoss:
        """Ask a model."""
        name = str(model.get_all_params()["loss_function"]).partition(":")[0]
        return cls(name, model.get_probability_threshold() if hasattr(model, "get_probability_threshold") else None)

    @property
    def cut(self) -> float:
        """What the only sum of two classes is above for the second one."""
        return 0.0 if self.threshold is None else _logit(float(self.threshold))

    @property
    def is_of_classes(self) -> bool:
        """Whether labels are predicted."""
        return self.name in (*_LOSSES_OF_CLASSES, ONE_BY_ONE)


@register_by_name("catboost.core.CatBoostClassifier")
def catboost_classifier_region(model: Estimator, outcome: Outcome) -> EnsembleRegion:
    """Region of CatBoost: the second class where the sum is above the threshold, or the class of the largest sum."""
    return class_region(catboost_trees(model), require_label(model, outcome), CatBoostLoss.of(model))


def class_region(trees: TreeSum, label: Label, loss: CatBoostLoss) -> EnsembleRegion:
    """Region of a class of a CatBoost classifier, given its trees."""
    _require_loss(loss, (*_LOSSES_OF_CLASSES, ONE_BY_ONE))
    if trees.n_scores > 1:
        return EnsembleRegion(trees, Largest(label.index))
    above = smallest_number(lambda s: s > loss.cut)
    return EnsembleRegion(trees, Range(above, np.inf) if label.index == 1 else Range(-np.inf, loss.cut))


@register_response_by_name("catboost.core.CatBoostClassifier")
def catboost_response_region(model: Estimator, response: Response) -> EnsembleRegion:
    """Region where a probability of CatBoost lies in a range, whatever its own threshold is."""
    return probability_region(model, catboost_trees(model), response, CatBoostLoss.of(model))


def probability_region(model: Estimator, trees: TreeSum, response: Response, loss: CatBoostLoss) -> EnsembleRegion:
    """Region where a probability of a CatBoost classifier lies in a range, given its trees."""
    if isinstance(response, DecisionValue):
        raise UnsupportedSettingError("CatBoostClassifier has probabilities, but no decision_function.")
    _require_loss(loss, _LOSSES_OF_CLASSES)
    return of_response(model, trees, response, sigmoid)


def _require_loss(loss: CatBoostLoss, supported: Collection[str]) -> None:
    if loss.name not in supported:
        raise UnsupportedSettingError(
            f"CatBoostClassifier is supported with the losses {', '.join(_LOSSES_OF_CLASSES)} and, without "
            f"min_probability, {ONE_BY_ONE}; received {loss.name!r}. {INSTEAD}"
        )


@register_by_name("catboost.core.CatBoostRegressor")
def catboost_regressor_region(model: Estimator, outcome: Outcome) -> EnsembleRegion:
    """Region of a range of CatBoost's predictions."""
    return number_region(catboost_trees(model), require_interval(model, outcome), CatBoostLoss.of(model))


def number_region(trees: TreeSum, interval: Interval, loss: CatBoostLoss) -> EnsembleRegion:
    """Region of a range of the predictions of a CatBoost regressor, given its trees."""
    if loss.name not in _PLAIN_LOSSES:
        raise UnsupportedSettingError(
            f"CatBoostRegressor is supported with the losses {', '.join(_PLAIN_LOSSES)}, received {loss.name!r}. "
            f"{INSTEAD}"
        )
    return EnsembleRegion(trees, Range(interval.low, interval.high))


@register_by_name("catboost.core.CatBoost")
def catboost_region(model: Estimator, outcome: Outcome) -> EnsembleRegion:
    """Refuse a model that says neither labels nor numbers."""
    raise UnsupportedModelError(
        "CatBoost predicts sums of leaves, neither labels nor numbers. Explain a CatBoostClassifier or a "
        "CatBoostRegressor instead; their load_model reads the same files."
    )


def catboost_trees(model: Estimator) -> TreeSum:
    """Read a CatBoost model of numbers: it compares with 32 bits, and sums with 64."""
    return written_catboost_trees(write_catboost(model), len(model.feature_names_))


def written_catboost_trees(written: JsonObject, n_features: int) -> TreeSum:
    """Read a CatBoost model of numbers as it is written in JSON."""
    features = {one["feature_index"]: one for one in written["features_info"].get("float_features", [])}
    trees = [_tree(one, features, n_features) for one in trees_as_nodes(written)]
    return trees[0].joined(trees[1:])


def write_catboost(model: Estimator, pool: Any = None) -> JsonObject:
    """Return a model as CatBoost writes it in JSON, with the hashes of the categories of a pool if there is one."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        model.save_model(str(path), format="json", pool=pool)
        written: JsonObject = json.loads(path.read_text(encoding="utf-8"))
    require_plain_scale(written)
    return written


def require_plain_scale(written: JsonObject) -> None:
    """Refuse a written model whose sums are multiplied."""
    scale = written["scale_and_bias"][0]
    if scale != 1:
        raise UnsupportedSettingError(
            f"CatBoost is supported with a scale of 1, received {scale}. Set it with model.set_scale_and_bias."
        )


def trees_as_nodes(written: JsonObject) -> list[list[Node]]:
    """Return the nodes of each tree, the root first; the last tree is a leaf of the bias."""
    bias = written["scale_and_bias"][1]
    if "oblivious_trees" in written:
        nodes = [_nodes_of_levels(one, len(bias)) for one in written["oblivious_trees"]]
    else:
        nodes = [_nodes_of_branches(one) for one in written["trees"]]
    nodes.append([Node(None, np.array(bias, dtype=np.float64))])
    return nodes


@dataclass(slots=True)
class Node:
    """A split with its children, or a leaf with its values."""

    split: JsonObject | None
    value: FloatArray | None = None
    left: int = -1
    right: int = -1


def _nodes_of_levels(tree: JsonObject, n_scores: int) -> list[Node]:
    """Nodes of a tree with one split a level: split k decides bit k of the leaf's number.

    The order of levels is free. Splits by statistics come last: splits above them leave fewer levels to tell apart.
    """
    splits = tree.get("splits") or []
    depth = len(splits)
    order = sorted(range(depth - 1, -1, -1), key=lambda k: splits[k]["split_type"] == "OnlineCtr")
    leaves = np.array(tree["leaf_values"], dtype=np.float64).reshape(*(2,) * depth, n_scores)
    leaves = leaves.transpose(*(depth - 1 - k for k in order), depth).reshape(-1, n_scores)
    nodes = [
        Node(splits[k], None, 2 * place + 1, 2 * place + 2)
        for level, k in enumerate(order)
        for place in range(2**level - 1, 2 ** (level + 1) - 1)
    ]
    return nodes + [Node(None, value) for value in leaves]


def _nodes_of_branches(tree: JsonObject) -> list[Node]:
    """Nodes of a tree that is written branch by branch."""
    nodes: list[Node] = []
    waiting: list[tuple[JsonObject, Node | None, str]] = [(tree, None, "")]
    while waiting:
        written, parent, side = waiting.pop()
        if parent is not None:
            setattr(parent, side, len(nodes))
        if "split" in written:
            node = Node(written["split"])
            waiting += [(written["left"], node, "left"), (written["right"], node, "right")]
        else:
            node = Node(None, np.array(written["value"], dtype=np.float64).ravel())
        nodes.append(node)
    return nodes


def _tree(nodes: list[Node], features: dict[int, JsonObject], n_features: int) -> TreeSum:
    others = {node.split["split_type"] for node in nodes if node.split is not None} - {"FloatFeature"}
    if others:
        raise UnsupportedSettingError(
            f"This CatBoost model has splits by {', '.join(sorted(others))}, which statistics of categories or texts "
            "decide; expected splits by numbers alone. The levels of categories are those of the rows that an "
            "Explainer is fitted to; texts and embeddings are not supported."
        )
    of_node = [None if node.split is None else features[node.split["float_feature_index"]] for node in nodes]
    border = np.array([0.0 if node.split is None else node.split["border"] for node in nodes])
    values = [np.zeros_like(nodes[-1].value) if node.value is None else node.value for node in nodes]
    is_leaf = np.array([node.split is None for node in nodes])
    return TreeSum(
        n_features=n_features,
        roots=np.zeros(1, dtype=np.int64),
        feature=np.array([-1 if one is None else one["flat_feature_index"] for one in of_node], dtype=np.int64),
        limit=np.where(is_leaf, 0.0, left_limits(border, strict=False, single=True)),
        codes=np.full(len(nodes), -1),
        code_sets=(),
        missing_left=np.array([one is None or one["nan_value_treatment"] != "AsTrue" for one in of_node]),
        zero_is_missing=np.zeros(len(nodes), dtype=np.bool_),
        left=np.array([node.left for node in nodes], dtype=np.int64),
        right=np.array([node.right for node in nodes], dtype=np.int64),
        value=np.array(values),
        base=np.zeros(values[0].shape),
        single=False,
        divisor=1.0,
    )


def _logit(p: float) -> float:
    return float(np.log(p) - np.log1p(-p))
