"""Regions of models that stand behind steps which are not affine: trees, sums of trees, and scorecards."""

from __future__ import annotations

import numpy as np
from sklearn.tree import BaseDecisionTree

from ...errors import UnsupportedModelError, UnsupportedSettingError
from ...search import Region
from ..linear import linear_region, ridge_region, scores, svc_region
from ..outcomes import Outcome
from ..polyhedra import PolyhedronUnion, union
from ..registry import builder_of, region_of
from ..regression import generalized_linear_region, linear_regression_region
from ..tree import boxes, wanted_leaves
from .region import EnsembleRegion
from .rewriting import rewritten
from .scorecards import require_steps, scorecard_region
from .steps_before import StepsBefore
from .trees import TreeSum, left_limits

_LINEAR = (linear_region, ridge_region, svc_region, linear_regression_region, generalized_linear_region)


def check_behind_steps(model: object, steps: StepsBefore) -> None:
    """Refuse a model that cannot stand behind these steps."""
    builder = builder_of(model)
    if isinstance(model, BaseDecisionTree) or builder.__module__.startswith(f"{__package__}."):
        return
    if builder in _LINEAR:
        weighted = np.flatnonzero(scores(model)[0].any(axis=0)).tolist() if hasattr(model, "coef_") else []
        require_steps(model, weighted, steps)
        return
    raise UnsupportedModelError(
        f"{steps.first.why} Trees and sums of trees may follow it, and linear models if it bins, but not "
        f"{type(model).__name__}."
    )


def region_behind_steps(model: object, outcome: Outcome, steps: StepsBefore) -> Region:
    """Region of model space where a model behind steps decides for an outcome."""
    if isinstance(model, BaseDecisionTree):
        trees = rewritten(_one_tree(model), steps)
        wanted = wanted_leaves(model, outcome, trees.value)
        return boxes(trees.feature, trees.limit, trees.left, trees.right, wanted, n_features=steps.n_features)
    region = region_of(model, outcome)
    if isinstance(region, EnsembleRegion):
        if region.trees.zero_is_missing.any():
            raise UnsupportedSettingError(
                f"{type(model).__name__} takes zeros for missing values (zero_as_missing), which is not supported "
                "behind steps that are not affine. Train it without, or apply the steps before the pipeline."
            )
        return EnsembleRegion(rewritten(region.trees, steps), region.decision)
    check_behind_steps(model, steps)
    assert isinstance(region, PolyhedronUnion)
    if region.n_polyhedra == 0:
        return union([], n_features=steps.n_features)
    return scorecard_region(*region.polyhedron(0), steps)


def _one_tree(model: BaseDecisionTree) -> TreeSum:
    tree = model.tree_
    is_leaf = tree.children_left < 0
    return TreeSum(
        n_features=tree.n_features,
        roots=np.zeros(1, dtype=np.int64),
        feature=np.where(is_leaf, -1, tree.feature).astype(np.int64),
        limit=np.where(is_leaf, 0.0, left_limits(tree.threshold, strict=False, single=True)),
        codes=np.full(len(is_leaf), -1),
        code_sets=(),
        missing_left=tree.missing_go_to_left.astype(np.bool_),
        zero_is_missing=np.zeros(len(is_leaf), dtype=np.bool_),
        left=tree.children_left.astype(np.int64),
        right=tree.children_right.astype(np.int64),
        value=tree.value[:, 0, :],
        base=np.zeros(tree.value.shape[2]),
        single=False,
        divisor=1.0,
    )
