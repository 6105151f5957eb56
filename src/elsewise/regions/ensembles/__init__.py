"""Sums of trees: forests and boosting of scikit-learn, XGBoost and LightGBM, with a search of their own."""

from . import families, of_trees  # noqa: F401 - they register their model families
from .behind_steps import check_behind_steps, region_behind_steps
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
    "region_behind_steps",
]
