"""A single decision tree as a sum of one: that knows where missing values go, and takes steps before it."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.tree import BaseDecisionTree

from ...errors import UnsupportedSettingError
from ...search.outcomes import Outcome, Probability, Response, require_interval, require_label
from ...search.relaxations.tree_sums.decisions import Largest, Range
from ...search.relaxations.tree_sums.region import EnsembleRegion
from ...search.relaxations.tree_sums.trees import TreeSum
from ..registry import region_of, register, register_response
from .of_trees import one_tree


class TreeAsSum:
    """A decision tree whose region is that of a sum of trees.

    Parameters
    ----------
    tree : fitted decision tree
    """

    def __init__(self, tree: BaseDecisionTree) -> None:
        self.tree = tree
        self.n_features_in_ = tree.n_features_in_
        if hasattr(tree, "predict_proba"):  # wrappers ask for these
            self.classes_, self.predict_proba = tree.classes_, tree.predict_proba


@register(TreeAsSum)
def tree_as_sum_region(model: TreeAsSum, outcome: Outcome) -> EnsembleRegion:
    """Region of the most frequent class, or of a range of numbers."""
    if not hasattr(model, "classes_"):
        interval = require_interval(model.tree, outcome)
        return EnsembleRegion(tree_sum(model.tree), Range(interval.low, interval.high))
    return EnsembleRegion(tree_sum(model.tree), Largest(require_label(model.tree, outcome).index))


@register_response(TreeAsSum)
def tree_as_sum_response_region(model: TreeAsSum, response: Response) -> EnsembleRegion:
    """Region where the share of a class lies in a range."""
    if not isinstance(response, Probability):
        raise UnsupportedSettingError(f"{type(model.tree).__name__} has probabilities, but no decision_function.")
    return EnsembleRegion(tree_sum(model.tree).only(response.index), Range(response.low, response.high))


def one_tree_region(model: BaseDecisionTree, outcome: Outcome) -> EnsembleRegion:
    """Region of a single decision tree, as a sum of one."""
    region = region_of(TreeAsSum(model), outcome)
    assert isinstance(region, EnsembleRegion)
    return region


def tree_sum(model: Any) -> TreeSum:
    """Read a decision tree of scikit-learn: its scores are the shares of classes, or its number."""
    return one_tree(model.tree_, model.tree_.value[:, 0, :], model.n_features_in_, np.arange(model.n_features_in_))
