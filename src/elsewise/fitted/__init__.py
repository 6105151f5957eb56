"""The fitted model as questions see it."""

from .fitted_model import FittedModel
from .fitting import FitSettings, fit_model
from .space import space_of
from .summaries import ColumnProfile

__all__ = ["ColumnProfile", "FitSettings", "FittedModel", "fit_model", "space_of"]
