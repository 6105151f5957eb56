"""Sums of trees: forests and boosting of scikit-learn, XGBoost, LightGBM and CatBoost, with a search of their own."""

from . import boosters, families, of_catboost, of_trees  # noqa: F401 - they register their model families
from .region import EnsembleRegion
from .single_tree import TreeAsSum, one_tree_region
from .steps_before import AsIs, ColumnFunctions, ModelColumn, Stepped, StepsBefore, Warped

__all__ = [
    "AsIs",
    "ColumnFunctions",
    "EnsembleRegion",
    "ModelColumn",
    "Stepped",
    "StepsBefore",
    "TreeAsSum",
    "Warped",
    "one_tree_region",
]
