"""Sums of trees: forests and boosting of scikit-learn, XGBoost and LightGBM, with a search of their own."""

from . import families  # noqa: F401 - registers its model families
from .region import EnsembleRegion

__all__ = ["EnsembleRegion"]
