"""What is inside of an estimator: the one it stands for, or those it makes its decision of.

Single decision trees inside of wrappers, as sums of one.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any

from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    BaggingRegressor,
    StackingClassifier,
    VotingClassifier,
    VotingRegressor,
)
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import FixedThresholdClassifier, TunedThresholdClassifierCV
from sklearn.model_selection._search import BaseSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.tree import BaseDecisionTree

from ...arrays import Estimator
from ...errors import UnsupportedSettingError
from ..trees import TreeAsSum

_WITH_LISTS = (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    BaggingRegressor,
    OneVsRestClassifier,
    StackingClassifier,
    VotingClassifier,
    VotingRegressor,
)
_CUTOFFS = (FixedThresholdClassifier, TunedThresholdClassifierCV)
_PASSING_ROWS_ON = (
    *_CUTOFFS,
    CalibratedClassifierCV,
    OneVsRestClassifier,
    StackingClassifier,
    TransformedTargetRegressor,
    VotingClassifier,
    VotingRegressor,
)


def seen_through(model: Estimator) -> Any:
    """Return the estimator that a search over parameters found, or that was frozen; others as they are."""
    while True:
        if isinstance(model, BaseSearchCV):
            if not hasattr(model, "best_estimator_") and hasattr(model, "cv_results_"):
                raise UnsupportedSettingError(
                    f"This {type(model).__name__} was fitted with refit=False and holds no model. Fit it with "
                    "refit=True, or explain a model fitted with its best_params_."
                )
            if not hasattr(model, "best_estimator_"):
                return model  # not fitted, which is said elsewhere
            model = model.best_estimator_
        elif isinstance(model, FrozenEstimator):
            model = model.estimator
        else:
            return model


def is_sampler(step: object) -> bool:
    """Whether a step of a pipeline resamples rows, as those of imbalanced-learn do: it does nothing in ``predict``."""
    return hasattr(step, "fit_resample") and type(step).__module__.split(".")[0] == "imblearn"


def members_of(model: Estimator) -> list[Any]:
    """Estimators that a fitted wrapper decides by; none for all others, and for wrappers that are not fitted."""
    if isinstance(model, CalibratedClassifierCV):
        return [calibrated.estimator for calibrated in getattr(model, "calibrated_classifiers_", ())]
    if isinstance(model, _CUTOFFS):
        return [getattr(model, "estimator_", model.estimator)]
    if isinstance(model, TransformedTargetRegressor):
        return [model.regressor_] if hasattr(model, "regressor_") else []
    if isinstance(model, _WITH_LISTS):
        return list(getattr(model, "estimators_", ()))
    return []


def passes_rows_on(model: Estimator) -> bool:
    """Whether a wrapper gives its members rows as they are, without a look at them."""
    return isinstance(model, _PASSING_ROWS_ON)


def innermost(model: Estimator) -> list[Any]:
    """Estimators at the bottom of all wrappers; the model itself if it is none."""
    members = members_of(seen_through(model))
    return [one for member in members for one in innermost(member)] if members else [seen_through(model)]


def with_members(model: Estimator, members: Sequence[Estimator]) -> Any:
    """Return a copy of a fitted wrapper around other members, one for each of its own."""
    changed = copy(model)
    if isinstance(model, CalibratedClassifierCV):
        calibrated = [copy(one) for one in model.calibrated_classifiers_]
        for one, member in zip(calibrated, members, strict=True):
            one.estimator = member
        changed.calibrated_classifiers_ = calibrated
    elif isinstance(model, _CUTOFFS):
        (changed.estimator_,) = members
    elif isinstance(model, TransformedTargetRegressor):
        (changed.regressor_,) = members
    else:
        changed.estimators_ = list(members)
    return changed


def with_trees_as_sums(model: Estimator) -> Any:
    """Put a sum of one in place of a single tree, wherever it is inside; others, and several trees, as they are."""
    model = seen_through(model)
    if isinstance(model, BaseDecisionTree):
        return TreeAsSum(model)
    members = members_of(model)
    if len(members) != 1 or not passes_rows_on(model):
        return model
    return with_members(model, [with_trees_as_sums(members[0])])
