"""From a model and its training rows to a :class:`FittedModel`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from ..arrays import AnyArray, FloatArray
from ..columns import Table
from ..columns.frames import as_table, is_frame
from ..constraints.regularities import regularities_of
from ..density import fit_class_densities
from ..distances import ResolvedManhattan, resolve_distance
from ..errors import InvalidInputError
from ..pipelines import compile_model, unwrap
from ..regions import Label, as_estimator, builder_of, classes_of, region_of
from .constants import MOST_CODES
from .fitted_model import FittedModel
from .missing import refuse_missing
from .profiles import ColumnProfile, profiles_of


def fit_model(
    model: Any,
    X: ArrayLike,
    y: ArrayLike | None,
    *,
    columns: Mapping[str, Any] | None,
    distance: Any,
    density: Any,
    threshold: Any,
    learn_rules: bool = True,
    tell: Callable[[int], None] = lambda count: None,
) -> FittedModel:
    """Learn where data of each class lie, and compile the model; parameters as for :class:`~elsewise.Explainer`.

    ``tell`` is told of the training rows whose class has its density.
    """
    model = as_estimator(model)
    estimator = unwrap(model)[1]
    if isinstance(estimator, type):
        raise InvalidInputError(f"model: expected a fitted model, received the class {estimator.__name__} itself.")
    builder_of(estimator)
    if hasattr(estimator, "fit"):
        check_is_fitted(model)
    given = as_table(X)
    if len(given) == 0:
        raise InvalidInputError("X has no rows: expected the rows the model was trained on, or like them.")
    compiled = compile_model(model, given, columns)
    table = compiled.table
    rows, missing = compiled.features, table.missing(given)
    if density is not None:
        refuse_missing(table, missing, given)
    present = np.where(missing, np.nan, rows)
    if isinstance(getattr(estimator, "classes_", None), list):
        region_of(estimator, Label(0))  # several outputs: the family says that it takes one
    classes = classes_of(estimator)
    fitted = FittedModel(
        model=model,
        estimator=estimator,
        table=table,
        to_model=compiled.to_model,
        classes=classes,
        distance=resolve_distance(distance, present, table),
        densities={},
        profiles={},
        origin=rows.mean(axis=0),
        column_values=_ends(rows) if table.is_plain else rows,
        steps=compiled.steps,
    )
    if learn_rules and isinstance(fitted.distance, ResolvedManhattan):
        by_default = is_frame(given) and table.named
        fitted = replace(fitted, regularities=regularities_of(table, present, by_default=by_default))
    n_levels = np.bincount(table.group[table.group >= 0]).tolist()
    densities = fit_class_densities(density, threshold, fitted.density_rows(rows), y, classes, n_levels, tell)
    fitted = replace(fitted, densities=densities, profiles=_profiles(table, present, y, classes))
    fitted.problem(fitted.labels)
    return fitted


def _profiles(
    table: Table, rows: FloatArray, y: ArrayLike | None, classes: AnyArray | None
) -> dict[Any, tuple[ColumnProfile, ...]]:
    """Distributions of the columns: of all rows (None), and of each label's."""
    profiles: dict[Any, tuple[ColumnProfile, ...]] = {None: profiles_of(table, rows)}
    if y is not None and classes is not None:
        labels = np.asarray(y)
        for label in classes.tolist():
            rows_of_label = rows[labels == label]
            if len(rows_of_label):
                profiles[label] = profiles_of(table, rows_of_label)
    return profiles


def _ends(rows: FloatArray) -> FloatArray:
    """Smallest and largest distinct values of every feature, array of shape (2 * MOST_CODES, n_features) or shorter.

    Special codes lie below or above all regular values: no more is needed to tell them apart.
    """
    most = min(MOST_CODES, len(rows))
    ends = np.empty((2 * most, rows.shape[1]))
    for i in range(rows.shape[1]):
        values = np.unique(rows[:, i])
        ends[:most, i] = np.resize(values[:most], most)
        ends[most:, i] = np.resize(values[-most:], most)
    return ends
