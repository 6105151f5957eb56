"""From a model and its training rows to a :class:`FittedModel`.

Names for the columns of a model that was fitted on an array.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from ..arrays import AnyArray, Estimator, FloatArray, UserValue
from ..density import completed, fit_class_densities
from ..density.conditional import is_conditional
from ..distances import ResolvedManhattan, Scaled, resolve_distance
from ..errors import InvalidInputError, UnsupportedModelError, UnsupportedSettingError
from ..models import Interval, Outcome, as_estimator, builder_of, classes_of
from ..pipeline import (
    AddDerived,
    AffineMap,
    CompiledModel,
    compile_model,
    compile_whole,
    unwrap,
    unwrap_or_whole,
    with_own_categories,
)
from ..rules import Constraints, names_in
from ..rules.learned.column_facts import facts_of_columns
from ..rules.learned.identities import identities_of
from ..rules.learned.regularities import regularities_of
from ..rules.learned.suggestions import combined, suggest
from ..table import Table
from ..table.frames import as_table, is_frame, without_na
from ..table.types import UserRows
from ..table.wording import wording_of
from ..text.languages import check_language
from .black_box import TrainingRows, require_askable
from .fitted_model import FittedModel
from .missing import density_rows_with_gaps
from .summaries import ColumnProfile, profiles_of, sureness_of

# Special codes that a column may have on either side: so many of its smallest and largest values are
# kept. Real tables have a handful.
MOST_CODES = 100
# Training rows of a class that are kept for quantiles given fixed columns: these are then known to half a percent.
MOST_REFERENCE_ROWS = 10_000

# What becomes of rules that columns suggest: a warning about what is free, use, or nothing.
RULES = ("warn", "suggested", None)


@dataclass(frozen=True, slots=True, eq=False)
class FitSettings:
    """Parameters of :class:`~elsewise.Explainer` that decide what a fit learns."""

    columns: Mapping[str, Any] | None
    distance: Any
    density: Any
    threshold: Any
    learn_rules: bool
    condition_on_fixed: bool
    constraints: Constraints | None
    rules: str | None
    labels: Mapping[str, Any] | None
    outcomes: Mapping[UserValue, str] | None
    language: str


def fit_model(
    model: Estimator, X: ArrayLike, y: ArrayLike | None, settings: FitSettings, tell: Callable[[int], None]
) -> FittedModel:
    """Learn where data of each class lie, and compile the model.

    ``tell`` is called with the training rows whose class has its density.
    """
    rules, constraints, density = settings.rules, settings.constraints, settings.density
    condition_on_fixed, learn_rules = settings.condition_on_fixed, settings.learn_rules
    if rules not in RULES:
        raise InvalidInputError(f"rules: expected 'warn', 'suggested' or None, received {rules!r}.")
    model = as_estimator(model)
    _check_model(model)
    given = without_na(as_table(X))
    if len(given) == 0:
        raise InvalidInputError("X has no rows: expected the rows the model was trained on, or like them.")
    if not unwrap_or_whole(model)[0]:
        given = with_own_categories(model, given)
    compiled, reason = _compiled_with_derived(model, given, settings.columns, constraints, finds=learn_rules)
    classes = classes_of(compiled.estimator)
    known = None if classes is None else classes.tolist()
    language = check_language(settings.language)
    stated = wording_of(settings.labels, settings.outcomes, compiled.table.stated_names, known, language)
    table = replace(compiled.table, wording=stated)
    rows, missing = compiled.features, table.missing(given)
    present = np.where(missing, np.nan, rows)
    scales = 1.0 / Scaled().resolve(rows).weights
    fitted = FittedModel(
        model=model,
        estimator=compiled.estimator,
        table=table,
        to_model=compiled.to_model,
        classes=classes,
        distance=resolve_distance(settings.distance, present, table),
        densities={},
        profiles={},
        origin=rows.mean(axis=0),
        column_values=_ends(rows),
        scales=scales,
        density_map=AffineMap(np.diag(1.0 / scales), np.zeros(len(scales))) if _derives(model, table) else None,
        steps=compiled.steps,
        missing_effect=compiled.missing_effect,
    )
    reason = reason or _why_unread(fitted)
    if reason:
        require_askable(model)
        training = TrainingRows.of(model, table, classes, given, rows, reason)
        fitted = replace(fitted, training=training, steps=None, regions={})
    if learn_rules and isinstance(fitted.distance, ResolvedManhattan):
        by_default = is_frame(given) and table.named
        found = regularities_of(table, present, by_default=by_default, scales=fitted.scales)
        fitted = replace(fitted, regularities=found)
    fitted = fitted.with_constraints(constraints)  # wrong ones are refused before the long work
    n_levels = np.bincount(table.group[table.group >= 0]).tolist()
    if not isinstance(condition_on_fixed, bool):
        raise InvalidInputError(f"condition_on_fixed: expected True or False, received {condition_on_fixed!r}.")
    density_rows = fitted.density_rows(rows) if density is None else density_rows_with_gaps(fitted, rows, missing)
    densities = fit_class_densities(density, settings.threshold, density_rows, y, classes, n_levels, tell)
    y_rows = None if y is None else np.asarray(y)
    steps = {} if fitted.regularities is None else fitted.regularities.steps
    facts = tuple(
        replace(fact, step=float(steps.get(fact.name, 0.0)))
        for fact in facts_of_columns(table, present, y_rows, classes)
    )
    fitted = replace(fitted, facts=facts)
    if rules == "suggested":
        fitted = replace(fitted.with_constraints(combined(suggest(facts), constraints)), follows_directions=True)
    fitted = replace(fitted, sureness=sureness_of(fitted, given, rows, y_rows))
    fitted = replace(fitted, densities=densities, profiles=_profiles(table, present, y, classes))
    conditions = condition_on_fixed and not reason  # where a model is only asked, all rows have the same cones
    if conditions or table.keeps_missing:
        references = _references(fitted, density_rows, y)
        fitted = replace(fitted, references=references, condition_on_fixed=conditions and bool(references))
    fitted.problem(fitted.labels)
    return fitted


def _check_model(model: Estimator) -> None:
    """Refuse what is no fitted model."""
    if isinstance(model, type):
        raise InvalidInputError(f"model: expected a fitted model, received the class {model.__name__} itself.")
    if not hasattr(model, "predict") or isinstance(getattr(model, "classes_", None), list):
        require_askable(model)
    if hasattr(model, "fit"):
        check_is_fitted(model)
    try:
        builder_of(unwrap(model)[1])
    except UnsupportedModelError:
        require_askable(model)


def _derives(model: Estimator, table: Table) -> bool:
    """Whether model space has columns that follow from others, given as rows or added by a first step."""
    added = any(isinstance(getattr(step.transformer, "func", None), AddDerived) for step in unwrap_or_whole(model)[0])
    return bool(table.derived) or added


def _compiled_with_derived(
    model: Estimator,
    given: UserRows,
    columns: Mapping[str, Any] | None,
    constraints: Constraints | None,
    *,
    finds: bool,
) -> tuple[CompiledModel, str]:
    """Compile a model with the columns that follow from others, as the user says or, if they say nothing, as found."""
    if isinstance(constraints, Constraints) and constraints.derive is not None:
        return _compiled(model, given, columns, constraints.derive)
    compiled, reason = _compiled(model, given, columns, {})
    table = compiled.table
    if not (finds and is_frame(given) and table.named):
        return compiled, reason
    found = identities_of(table, np.where(table.missing(given), np.nan, compiled.features))
    found = {name: text for name, text in found.items() if name not in names_in(constraints)}
    return _compiled(model, given, columns, found) if found else (compiled, reason)


def _compiled(
    model: Estimator, given: UserRows, columns: Mapping[str, Any] | None, derive: Mapping[str, str]
) -> tuple[CompiledModel, str]:
    """Follow the steps of a model, or take it as a whole; and why it was taken so, nothing if it was not."""
    try:
        steps, estimator = unwrap(model)
        if not steps:
            builder_of(estimator)
    except UnsupportedModelError as error:
        return compile_whole(model, given, columns, derive), str(error)
    # without steps, a model of scikit-learn sees the rows as they are: what is wrong is in X, or in the formulas
    sees_rows = not steps and type(model).__module__.startswith("sklearn.")
    try:
        return compile_model(model, given, columns, derive), ""
    except (UnsupportedModelError, UnsupportedSettingError) as error:
        if sees_rows and not derive:
            raise
        require_askable(model)
        return compile_whole(model, given, columns, derive), str(error)


def _why_unread(fitted: FittedModel) -> str:
    """Read the regions of a model; tell why that cannot be done, nothing if it can."""
    outcomes: tuple[Outcome, ...] = fitted.labels or (Interval(0.0, np.inf),)
    try:
        for outcome in outcomes:
            fitted.region(outcome)
    except (UnsupportedModelError, UnsupportedSettingError) as error:
        return str(error)
    return ""


def _profiles(
    table: Table, rows: FloatArray, y: ArrayLike | None, classes: AnyArray | None
) -> dict[UserValue, tuple[ColumnProfile, ...]]:
    """Distributions of the columns: of all rows (None), and of each label's."""
    profiles: dict[UserValue, tuple[ColumnProfile, ...]] = {None: profiles_of(table, rows)}
    if y is not None and classes is not None:
        labels = np.asarray(y)
        for label in classes.tolist():
            rows_of_label = rows[labels == label]
            if len(rows_of_label):
                profiles[label] = profiles_of(table, rows_of_label)
    return profiles


def _references(fitted: FittedModel, rows: FloatArray, y: ArrayLike | None) -> dict[UserValue, FloatArray]:
    """Training rows of each label that densities of some columns refer to; none where these mean nothing.

    They do where the density is one of the columns themselves: a feature alone decides about each of its columns. What
    is missing in them is drawn from the density given the rest.
    """
    is_of_columns = fitted.has_categories or bool(((fitted.to_density.matrix != 0).sum(axis=1) <= 1).all())
    references: dict[UserValue, FloatArray] = {}
    for label, density in fitted.densities.items() if is_of_columns else ():
        own = rows if label is None else rows[np.asarray(y) == label]
        if not is_conditional(density, len(own)):
            return {}
        places = np.linspace(0, len(own) - 1, min(len(own), MOST_REFERENCE_ROWS)).astype(np.int64)
        references[label] = completed(density.mixture_, own[places])
    return references


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


def with_column_names(fitted: FittedModel, names: Sequence[str]) -> FittedModel:
    """Return the same fitted model with other names for its columns; rows may still be arrays.

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
