"""Rows with missing values: which models take them, and what is left of a region where some values are missing."""

from __future__ import annotations

from sklearn.utils import get_tags

from ..arrays import BoolArray, Estimator
from ..errors import UnsupportedSettingError
from ..search import Region
from ..search.region import Outcome
from .registry import is_adapter, region_of
from .trees import EnsembleRegion
from .wrappers import members_of, passes_rows_on, with_trees_as_sums


def takes_missing(model: Estimator) -> bool:
    """Whether a model itself takes rows with missing values, so that none has to be put in their place."""
    if is_adapter(model):
        return True
    if passes_rows_on(model):
        return all(takes_missing(member) for member in members_of(model))
    return hasattr(model, "__sklearn_tags__") and bool(get_tags(model).input_tags.allow_nan)


def region_where_missing(model: Estimator, outcome: Outcome, region: Region, missing: BoolArray) -> EnsembleRegion:
    """Region of rows whose values of some features are missing, about the other features alone.

    Parameters
    ----------
    model : fitted estimator
    outcome : Outcome
    region : Region
        Of the model for this outcome.
    missing : bool array of shape (n_model_features,)
    """
    if not isinstance(region, EnsembleRegion):  # boxes of a single tree say nothing of missing values
        region = region_of(with_trees_as_sums(model), outcome)
    if not isinstance(region, EnsembleRegion):
        raise UnsupportedSettingError(
            f"Where {type(model).__name__} sends missing values is not known. Impute or drop them first."
        )
    return EnsembleRegion(region.trees.where_missing(missing), region.decision)
