"""Sums of trees: forests and boosting of scikit-learn, XGBoost, LightGBM and CatBoost, with a search of their own."""

from ...search.relaxations.tree_sums.region import EnsembleRegion
from . import boosters, catboost_on_codes, families, of_catboost, of_trees  # noqa: F401 - they register their model families
from .catboost_on_codes import CatBoostOnCodes
from .single_tree import TreeAsSum, one_tree_region
from .steps_before import AsIs, ColumnFunctions, ModelColumn, Stepped, StepsBefore, Warped

__all__ = [
    "AsIs",
    "CatBoostOnCodes",
    "ColumnFunctions",
    "EnsembleRegion",
    "ModelColumn",
    "Stepped",
    "StepsBefore",
    "TreeAsSum",
    "Warped",
    "one_tree_region",
]
