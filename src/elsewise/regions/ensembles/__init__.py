"""Sums of trees: forests and boosting of scikit-learn, XGBoost, LightGBM and CatBoost, with a search of their own."""

from . import boosters, families, of_catboost, of_trees  # noqa: F401 - they register their model families
from .behind_steps import check_behind_steps, region_behind_steps
from .of_trees import one_tree_region
from .region import EnsembleRegion
from .steps_before import AsIs, ColumnFunctions, ModelColumn, Stepped, StepsBefore, Warped

__all__ = [
    "AsIs",
    "ColumnFunctions",
    "EnsembleRegion",
    "ModelColumn",
    "Stepped",
    "StepsBefore",
    "Warped",
    "check_behind_steps",
    "one_tree_region",
    "region_behind_steps",
]
