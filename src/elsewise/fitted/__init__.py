"""The fitted model as questions see it."""

from .fitted_model import FittedModel
from .fitting import fit_model
from .profiles import ColumnProfile
from .space import space_of

__all__ = ["ColumnProfile", "FittedModel", "fit_model", "space_of"]
