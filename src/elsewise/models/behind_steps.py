"""Regions of models behind steps that are not affine: trees, sums of trees, scorecards, linear and smooth models."""

from __future__ import annotations

import numpy as np
from sklearn.tree import BaseDecisionTree

from ..errors import UnsupportedModelError, UnsupportedSettingError
from ..search import Region
from ..search.region import Outcome, Probability
from ..search.relaxations.polyhedra import PolyhedronUnion, union
from ..search.relaxations.softmax import SoftmaxRegion
from ..search.relaxations.tree_sums.decisions import Largest
from . import trees as ensembles
from . import unit_sums as sums
from .linear import generalized_linear_region, linear_region, linear_regression_region, ridge_region, scores
from .pairs import svc_region
from .registry import asked_of, builder_of, region_of
from .tree import boxes, wanted_leaves
from .trees import EnsembleRegion, StepsBefore
from .trees.of_trees import tree_sum
from .trees.rewriting import rewritten
from .trees.scorecards import is_scorecard, scorecard, scorecard_region
from .trees.steps_before import AsIs, Warped
from .unit_sums import SumRegion
from .unit_sums.behind_curves import curve_of, curve_region, sums_behind_curves
from .unit_sums.least_probabilities import of_least_probability
from .wrappers import innermost, with_trees_as_sums

_ONE_FORM = (linear_region, ridge_region, linear_regression_region, generalized_linear_region)
_LINEAR = (*_ONE_FORM, svc_region)


def is_linear_model(model: object) -> bool:
    """Whether a model decides by linear forms of its columns alone: not by votes, not a wrapper of others."""
    try:
        return builder_of(model) in _ONE_FORM
    except UnsupportedModelError:
        return False


def check_behind_steps(model: object, steps: StepsBefore) -> None:
    """Refuse a model that cannot stand behind these steps, itself or by what is inside of it."""
    for one in innermost(model):
        builder = builder_of(one)
        if isinstance(one, BaseDecisionTree) or builder.__module__.startswith(f"{ensembles.__name__}."):
            _require_monotone(one, steps)
            continue
        if builder.__module__.startswith(f"{sums.__name__}."):
            for j, column in enumerate(steps.columns):
                if not isinstance(column, AsIs):
                    curve_of(steps, j)
            continue
        if builder not in _LINEAR:
            raise UnsupportedModelError(
                f"{steps.first.why} Trees, sums of trees, linear models, networks and Gaussian ones may follow it, but "
                f"not {type(one).__name__}."
            )
        weighted = np.flatnonzero(scores(one)[0].any(axis=0)).tolist() if hasattr(one, "coef_") else []
        for j in weighted:
            if not isinstance(steps.columns[j], AsIs):
                curve_of(steps, j)


def _require_monotone(model: object, steps: StepsBefore) -> None:
    for column in steps.columns:
        if isinstance(column, Warped) and column.rises is None:
            raise UnsupportedSettingError(
                f"{column.why} Linear models may follow it, {type(model).__name__} may not: it neither rises nor falls "
                "throughout. Apply it to the data before the pipeline."
            )


def region_behind_steps(model: object, outcome: Outcome, steps: StepsBefore) -> Region:
    """Region of model space where a model behind steps decides for an outcome."""
    if isinstance(model, BaseDecisionTree):
        trees = rewritten(tree_sum(model), steps)
        wanted = wanted_leaves(model, asked_of(model, outcome), trees.value)
        return boxes(trees.feature, trees.limit, trees.left, trees.right, wanted, n_features=steps.n_features)
    region = region_of(with_trees_as_sums(model), outcome)
    if isinstance(region, EnsembleRegion):
        if region.trees.zero_is_missing.any():
            raise UnsupportedSettingError(
                f"{type(model).__name__} takes a number for missing values (zero_as_missing, missing=...), which is "
                "not supported behind steps that are not affine. Train it without, or apply the steps before the "
                "pipeline."
            )
        return EnsembleRegion(rewritten(region.trees, steps), region.decision)
    check_behind_steps(model, steps)
    if isinstance(region, SoftmaxRegion) and is_scorecard(region.W, steps):
        decision = Largest(region.index, least_log_odds=-region.limit)
        return EnsembleRegion(scorecard(region.W, -region.b, steps), decision)
    if isinstance(region, SoftmaxRegion):
        ahead = curve_region(region.normals, -region.offsets, steps)
        return SumRegion(
            of_least_probability(type(model).__name__, ahead.sums, Probability(region.index, region.least))
        )
    if isinstance(region, SumRegion):
        return sums_behind_curves(region, steps)
    if not isinstance(region, PolyhedronUnion):
        raise UnsupportedSettingError(
            f"{steps.first.why} Behind such a step least probabilities of {type(model).__name__} are not known. Leave "
            "min_probability out."
        )
    if region.n_polyhedra == 0:
        return union([], n_features=steps.n_features)
    if region.n_polyhedra > 1:
        raise UnsupportedModelError(
            f"{steps.first.why} {type(model).__name__} decides by votes, in {region.n_polyhedra} ways: behind such a "
            "step that is supported for trees and sums of trees, not for linear models. Use one linear model."
        )
    A, b = region.polyhedron(0)
    return scorecard_region(A, b, steps) if is_scorecard(A, steps) else curve_region(A, b, steps)
