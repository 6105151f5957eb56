"""Names for the columns of a model that was fitted on an array."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from .fitted_model import FittedModel


def with_column_names(fitted: FittedModel, names: Sequence[str]) -> FittedModel:
    """Give the same fitted model with other names for its columns; rows may still be arrays.

    Parameters
    ----------
    fitted : FittedModel
    names : sequence of str
        One a column, in order.
    """
    columns = tuple(replace(column, name=name) for column, name in zip(fitted.table.columns, names, strict=True))
    profiles = {
        label: tuple(replace(profile, name=name) for profile, name in zip(profiles, names, strict=True))
        for label, profiles in fitted.profiles.items()
    }
    return replace(fitted, table=replace(fitted.table, columns=columns, names=tuple(names)), profiles=profiles)
