"""Models in files of XGBoost, LightGBM and CatBoost, read and predicted without these libraries."""

from .model import DumpedModel
from .reading import read_catboost, read_lightgbm, read_xgboost

__all__ = ["DumpedModel", "read_catboost", "read_lightgbm", "read_xgboost"]
