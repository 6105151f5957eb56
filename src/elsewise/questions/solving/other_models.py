"""Further models that answers have to satisfy: each is taken apart as the first was, over the same table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ...errors import InvalidInputError, UnsupportedSettingError
from ...fitted import FittedModel
from ...models import Outcome, as_estimator, builder_of, classes_of, trained_again
from ...pipeline import compile_model, unwrap
from ...table import Column, Ordinal, Table
from ...table.column import Declaration, OneHot
from ...table.frames import rows_of
from ..targets import interval_outcome, label_outcome

# Rows of the fit by which a further model is taken apart; every level occurs beside them.
ROWS_OF_FURTHER_MODELS = 200


def with_other_models(fitted: FittedModel, other_models: Sequence[tuple[Any, Any]], given: Any) -> FittedModel:
    """Return the fitted model whose answers satisfy further models, too; made once.

    Parameters
    ----------
    fitted : FittedModel
    other_models : sequence of (model, outcome)
    given : data frame or array of shape (n_samples, n_columns)
        Rows in the user's columns.
    """
    if not other_models or len(given) == 0:
        return fitted
    key = repr([(id(model), outcome) for model, outcome in other_models]).encode()
    known = fitted.partial.get(key)
    if known is None or any(
        one.model is not model for (one, _), (model, _) in zip(known.further[len(fitted.further) :], other_models)
    ):
        further = [(_further(fitted, model, given), outcome) for model, outcome in other_models]
        known = _with_further(fitted, [(one, _outcome(one, outcome)) for one, outcome in further])
        fitted.partial[key] = known
    return known


def with_refits(fitted: FittedModel, X: Any, y: Any) -> FittedModel:
    """Return the fitted model whose answers satisfy models that are trained on bootstraps of its rows, too.

    Parameters
    ----------
    fitted : FittedModel
    X : data frame or array of shape (n_samples, n_columns)
        Training rows in the user's columns.
    y : array of shape (n_samples,)
    """
    if y is None:
        raise InvalidInputError('robust_to="retraining": expected the labels y, with which the model is trained again.')
    given = fitted.table.own_columns(X)
    return _with_further(fitted, [(_further(fitted, one, given), None) for one in trained_again(fitted.model, X, y)])


def _with_further(fitted: FittedModel, further: Sequence[tuple[FittedModel, Outcome | None]]) -> FittedModel:
    least = min(fitted.table.largest, *(one.table.largest for one, _ in further))
    table = replace(fitted.table, largest=least)
    return replace(fitted, table=table, problems={}, partial={}, further=(*fitted.further, *further))


def with_robust_radius(fitted: FittedModel, distance: float) -> FittedModel:
    """Return the fitted model whose answers are valid for every row within a distance, too; made once."""
    if not distance:
        return fitted
    key = f"robust_radius {distance!r}".encode()
    known = fitted.partial.get(key)
    if known is None:
        known = fitted.partial[key] = replace(fitted, robust_radius=float(distance), problems={}, partial={})
    return known


def _outcome(fitted: FittedModel, outcome: Any) -> Outcome:
    """Read what is wanted of a further model."""
    return interval_outcome(outcome) if fitted.classes is None else label_outcome(outcome, fitted.classes, None)


def _further(fitted: FittedModel, model: Any, given: Any) -> FittedModel:
    """Take a model apart."""
    name = type(model).__name__
    model = as_estimator(model)
    estimator = unwrap(model)[1]
    builder_of(estimator)
    if hasattr(estimator, "fit"):
        check_is_fitted(model)
    width = int(getattr(model, "n_features_in_", len(fitted.table.names)))
    if width != len(fitted.table.names):
        raise InvalidInputError(
            f"other_models: {name} takes {width} columns, but the explainer's table has {len(fitted.table.names)}. "
            "Expected models of the same columns."
        )
    formulas = {column.name: column.text for column in fitted.table.derived}
    compiled = compile_model(model, _like_training_rows(fitted, given), _declarations(fitted.table), formulas)
    _require_same(fitted.table, compiled.table, name)
    classes = classes_of(estimator)
    return replace(
        fitted,
        model=model,
        estimator=compiled.estimator,
        table=compiled.table,
        to_model=compiled.to_model,
        classes=classes,
        densities={},
        problems={},
        regions={},
        steps=compiled.steps,
        missing_effect=compiled.missing_effect,
        training=None,  # it is read, whether or not the first one is
        complete=None,
        missing=None,
        partial={},
        landscapes=[],
        further=(),
    )


def _like_training_rows(fitted: FittedModel, given: Any) -> Any:
    """Write rows like those of the fit in the user's columns: every level occurs, as it did there."""
    values = fitted.column_values
    categories = [column for column in fitted.table.columns if column.kind == "category"]
    n_levels = [len(column.levels) for column in categories]  # without the place of values never seen
    places = np.arange(max(min(len(values), ROWS_OF_FURTHER_MODELS), *n_levels, 1))
    rows = values[places % len(values)]
    for column in categories:  # each row has one level of every category, all take turns
        rows[:, column.features] = places[:, None] % len(column.levels) == np.arange(column.width)
    return fitted.table.decode(rows, rows_of(given, np.zeros(len(rows), dtype=np.int64)))


def _declarations(table: Table) -> dict[str, Declaration]:
    """Describe what the columns are, in the user's words."""
    return {column.name: _declared(column, table) for column in table.columns}


def _declared(column: Column, table: Table) -> Declaration:
    if column.is_group:
        names = [table.names[source] for source in column.sources]
        left_out = [str(level) for level in column.levels if level not in names]
        return OneHot(names, left_out[0] if left_out else None)
    return Ordinal(column.levels) if column.kind == "ordinal" else column.kind


def _require_same(table: Table, other: Table, name: str) -> None:
    """Refuse a model that sees the columns as other kinds, or with other levels."""
    layouts = [
        [(one.name, one.kind, one.width, one.levels, one.fill, one.is_indicated) for one in each.columns]
        for each in (table, other)
    ]
    if layouts[0] != layouts[1]:
        differing = [mine for mine in layouts[0] if mine not in layouts[1]] or layouts[1]
        raise UnsupportedSettingError(
            f"other_models: {name} sees the columns in another way than the explainer's own model, "
            f"{differing[0][0]!r} among them. Expected models of the same columns, of the same kinds and with "
            "the same levels."
        )
    limits = [each.step_limits() for each in (table, other)]
    if limits[1] is not None and (limits[0] is None or not np.array_equal(limits[0], limits[1])):
        raise UnsupportedSettingError(
            f"other_models: {name} has steps that do not take every number, other than those of the explainer's own "
            "model. Further models may have such steps only where the first has the same ones."
        )
