"""Sums of trees: forests and boosting of scikit-learn, XGBoost and LightGBM, with a search of their own."""

from . import families, of_trees  # noqa: F401 - they register their model families
from .region import EnsembleRegion

__all__ = ["EnsembleRegion"]
