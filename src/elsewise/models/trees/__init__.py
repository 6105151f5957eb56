"""Sums of trees: forests and boosting of scikit-learn, XGBoost, LightGBM and CatBoost, with a search of their own."""

from ...search.relaxations.tree_sums.region import EnsembleRegion
from . import boosters, catboost_on_codes, families, of_catboost, of_trees  # noqa: F401 - they register their model families
from .catboost_on_codes import CatBoostOnCodes
from .families import lightgbm_text
from .native_codes import Codes, lightgbm_codes, places_of, xgboost_codes
from .of_trees import TreeAsSum, one_tree_region
from .steps_before import AsIs, ColumnFunctions, ModelColumn, Stepped, StepsBefore, Warped

__all__ = [
    "AsIs",
    "CatBoostOnCodes",
    "Codes",
    "ColumnFunctions",
    "EnsembleRegion",
    "ModelColumn",
    "Stepped",
    "StepsBefore",
    "TreeAsSum",
    "Warped",
    "lightgbm_codes",
    "lightgbm_text",
    "one_tree_region",
    "places_of",
    "xgboost_codes",
]
