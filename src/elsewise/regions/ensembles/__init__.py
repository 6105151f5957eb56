"""Sums of trees: forests and boosting of scikit-learn, XGBoost, LightGBM and CatBoost, with a search of their own."""

from . import boosters, families, of_catboost, of_trees  # noqa: F401 - they register their model families
from .of_trees import one_tree_region
from .region import EnsembleRegion

__all__ = ["EnsembleRegion", "one_tree_region"]
