"""Rows with missing numbers as densities see them: the numbers that are there decide how dense a row is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..arrays import BoolArray, FloatArray, UserValue
from ..density import ClassDensity, density_where_missing
from ..errors import InvalidInputError

if TYPE_CHECKING:
    from .fitted_model import FittedModel


def missing_in_density(fitted: FittedModel, missing: BoolArray) -> BoolArray:
    """Which columns of the density's rows are missing with some features.

    Parameters
    ----------
    fitted : FittedModel
    missing : bool array of shape (n_samples, n_features)

    Returns
    -------
    bool array of shape (n_samples, n_density_columns)

    Raises
    ------
    InvalidInputError
        The model sees a column that is missing and one that is not as one number.
    """
    if fitted.has_categories:
        n_categories = int(fitted.table.group.max()) + 1
        return np.column_stack([missing[:, fitted.table.numeric], np.zeros((len(missing), n_categories), np.bool_)])
    depends = fitted.to_density.matrix != 0
    lost = missing @ depends.T
    if (lost & (~missing @ depends.T)).any():
        feature = int(np.flatnonzero(missing.any(axis=0))[0])
        raise InvalidInputError(
            f"X holds missing values in column {fitted.table.feature_names[feature]!r}, which a step of the pipeline "
            "adds to other columns: the density of the rest is not known. Put an imputer before that step, or ask for "
            "no density (density=None)."
        )
    return np.asarray(lost)


def density_rows_with_gaps(fitted: FittedModel, rows: FloatArray, missing: BoolArray) -> FloatArray:
    """Write features as densities take them, NaN where a number is missing; see :meth:`FittedModel.density_rows`."""
    written = fitted.density_rows(rows)
    return np.where(missing_in_density(fitted, missing), np.nan, written) if missing.any() else written


def densities_where_missing(
    fitted: FittedModel, missing: BoolArray
) -> tuple[dict[UserValue, ClassDensity], dict[UserValue, FloatArray]]:
    """Return the densities of rows that lack some features, and training rows that lack them, by label.

    Parameters
    ----------
    fitted : FittedModel
        For rows without missing values.
    missing : bool array of shape (n_features,)
    """
    if not fitted.densities:
        return {}, {}
    absent = [label for label in fitted.densities if label not in fitted.references]
    if absent:
        raise InvalidInputError(
            "A row has missing values, and the density that was asked for cannot leave columns out "
            f"({type(fitted.densities[absent[0]].mixture_).__name__} with a component for about every row). Use "
            "density='auto', ask for no density (density=None), or impute in the pipeline."
        )
    lost = missing_in_density(fitted, missing[None])[0]
    features = np.zeros((1, fitted.table.n_features))
    for column in fitted.table.columns:
        if missing[column.start]:
            features[0, column.start] = column.stand_in
    stand_ins = fitted.density_rows(features)[0]
    densities, references = {}, {}
    for label, density in fitted.densities.items():
        rows = fitted.references[label]
        densities[label] = density_where_missing(density, lost, stand_ins, rows)
        references[label] = np.where(lost, stand_ins, rows)
    return densities, references
