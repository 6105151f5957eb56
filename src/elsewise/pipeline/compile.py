"""A fitted pipeline on a table: an exact affine map from its features to model space, and steps behind it.

A model as a whole: its table as the data show it, and nothing between the features and what the model takes.

Which columns a model was fitted on, as far as it says.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.ensemble._forest import BaseForest
from sklearn.ensemble._gb import BaseGradientBoosting
from sklearn.tree import BaseDecisionTree

from ..arrays import Estimator, FloatArray, IntArray, UserData, UserValue
from ..errors import InvalidInputError, UnsupportedModelError, UnsupportedSettingError
from ..models import check_behind_steps
from ..models.trees import StepsBefore
from ..models.wrappers import innermost
from ..table.column import Column, Declaration, Ordinal
from ..table.frames import as_table, column_of, is_frame, is_missing_value, rows_of
from ..table.infer import as_category, merge_levels, read_table
from ..table.levels import levels_seen
from ..table.reading import check_within
from ..table.rows import check_count, column_names, select_columns
from ..table.table import Table
from ..table.types import LARGEST_NUMBER, UserRows
from .affine import FAR_LIMIT, MAP_TOLERANCE, AffineMap
from .columnwise import dense
from .derived_view import derived_view
from .deriving import with_derived
from .missing import effect_of_missing, with_missing, with_missing_as_seen
from .model_view import ModelView, model_view, refuse_mixed_limits, with_seen
from .side_by_side import SideBySide, in_first_part
from .steps import Step, unwrap
from .streams import DerivedStream, Findings, Limits, Recast, Stream, Unsettled, WarpStream, source_streams
from .transformers.composites import selections
from .transformers.curves import check_curves
from .transformers.native_categories import on_codes, own_steps
from .transformers.polynomials import check_products, with_products
from .walk import Walk
from .warping import check_monotone


def columns_seen(model: Estimator, X: UserData) -> tuple[tuple[str, ...], int]:
    """Return the names of a model's columns, none where it knows none, and how many they are.

    CatBoost has names of its own, ``feature_names_``, numbers as text where it was fitted on arrays; read from a file,
    it has forgotten how many columns there are.

    Parameters
    ----------
    model : fitted model
    X : table of shape (n_samples, n_columns)
        Tells how many there are where the model does not.
    """
    names = tuple(getattr(model, "feature_names_in_", ()))
    own = tuple(getattr(model, "feature_names_", ()))
    if not names and own and set(own) == set(column_names(X) or ()):
        names = own
    return names, int(getattr(model, "n_features_in_", 0)) or len(own) or X.shape[1]


# Training rows, at least, on which the compiled map is compared with the pipeline's own transform: enough to show every
# way in which a transformer could differ, few enough not to be felt in a fit.
N_ROWS_CHECKED = 200
# Of those, rows at least that are taken from all over the data, however many levels the other rows must show.
N_ROWS_SPREAD = 20
# Sums that cancel to nothing leave up to this share of the largest number in their row: some hundred roundings of a
# double. A rotation does so in directions in which data do not vary.
CANCELLATION = 1e-13

# What refuses numbers that are infinite as 32-bit floats.
_READ_32_BITS = (BaseDecisionTree, BaseForest, BaseGradientBoosting)


@dataclass(frozen=True, slots=True, eq=False)
class CompiledModel:
    """A model taken apart: ``estimator`` decides on ``to_model(table.encode(X))``, behind ``steps`` if there are any.

    Attributes
    ----------
    table : Table
    to_model : AffineMap
        From features to model space: the space of the final estimator, or what reaches the first steps that are not
        affine.
    estimator : the final estimator
    features : array of shape (n_samples, n_features)
        The training rows, encoded.
    steps : StepsBefore or None
        From model space to what the estimator sees, where these differ.
    missing_effect : array of shape (n_out, n_features), or None
        What is added in model space where a number is missing of which the model is told, beside its stand-in.
    """

    table: Table
    to_model: AffineMap
    estimator: Estimator
    features: FloatArray
    steps: StepsBefore | None = None
    missing_effect: FloatArray | None = None


def compile_model(
    model: Estimator,
    X: UserData,
    declared: Mapping[str, Declaration] | None = None,
    derive: Mapping[str, str] | None = None,
) -> CompiledModel:
    """Find the table of training data and the affine map that a fitted model's transformers are on it.

    Parameters
    ----------
    model : fitted estimator or Pipeline
    X : data frame or array of shape (n_samples, n_columns)
        Training rows, as the model takes them.
    declared : mapping of column name to declaration, optional
        See :func:`read_table`.
    derive : mapping of column name to formula, optional
        Columns that follow from others.

    Raises
    ------
    UnsupportedModelError, UnsupportedSettingError
        A step cannot be followed exactly: names the step and the columns.
    InvalidInputError
        The data do not fit the model or the declarations.
    """
    steps, estimator, inside = with_products(*unwrap(model))
    X = as_table(X)
    estimator = on_codes(estimator, None if steps else X)
    steps = [*steps, *own_steps(estimator, None if steps else X)]
    seen_by_model, width = columns_seen(model, X)
    if seen_by_model:
        X = select_columns(X, seen_by_model)
    names = column_names(X) or seen_by_model or tuple(f"x{place}" for place in range(width))
    if steps and len(set(names)) < len(names):
        twice = next(label for label in names if names.count(label) > 1)
        raise InvalidInputError(
            f"X has {names.count(twice)} columns of the name {twice!r}, which transformers cannot tell apart. Rename "
            "them."
        )
    if X.shape[1] != width:
        check_count(X.shape[1], names[:width])
    table = read_table(X, declared, names=seen_by_model or None, unused=_dropped(steps, width))
    table = with_derived(table, derive or {}, X)
    walk, view = _settle(steps, table, X, {} if declared is None else declared, estimator)
    table = walk.table
    if view.steps is not None:
        check_behind_steps(estimator, view.steps)
    if any(isinstance(one, _READ_32_BITS) for one in innermost(estimator)) or view.steps is not None:
        table = replace(table, largest=_largest_in_single_precision(view.to_model))
    if view.steps is None:
        table = with_missing(table, estimator if view.derived is None else view.derived, steps, X)
    features = table.encode(X)
    table = _with_limits(table, walk.findings.limits, features)
    if view.steps is not None:
        _check_warps(walk, view, features)
        view = with_seen(view, features)
    if table.indicated.any() and (view.steps is not None or view.derived is not None):
        raise UnsupportedSettingError(
            "The pipeline tells the model what is missing (add_indicator=True, or MissingIndicator), and a step behind "
            "it is not affine. Apply that step to the data before the pipeline, or leave the indicators out."
        )
    row = _in_double_precision(rows_of(X, np.zeros(1, dtype=np.int64)))
    effect = effect_of_missing(table, row, lambda row: _transformed(steps, row, seen_by_model)[0])
    _check(steps, table, view, X, features, seen_by_model, effect)
    check_products(estimator, inside, view.of_features(features[_rows_to_check(table, features)]))
    to_model = view.to_model
    if steps and view.steps is None and isinstance(steps[-1].transformer, SideBySide):
        estimator, to_model = in_first_part(estimator, steps[-1].transformer, to_model)
    own = estimator if view.derived is None else view.derived
    return CompiledModel(table, to_model, own, features, view.steps, effect)


def _largest_in_single_precision(to_model: AffineMap) -> float:
    """Find the largest numbers that reach a tree as finite 32-bit floats, whatever is added to them on the way."""
    gain = float(np.abs(to_model.matrix).sum(axis=1).max(initial=1.0))
    return min(float(np.finfo(np.float32).max) / gain, LARGEST_NUMBER)


def _with_limits(table: Table, limits: Mapping[int, Limits], features: FloatArray) -> Table:
    """Return columns the limits of what steps take, but for those that are far from all training values.

    Limits that are known up to rounding keep off it, but not off training values, which the pipeline has taken.
    """
    columns = list(table.columns)
    for place, found in limits.items():
        column = columns[place]
        values = features[:, column.start]
        far = FAR_LIMIT * (1.0 + float(np.abs(values).max(initial=0.0)))
        least, most = float(values.min(initial=np.inf)), float(values.max(initial=-np.inf))
        low, high = found.low + found.blur, found.high - found.blur
        if low - 2 * found.blur <= least < low:
            low = least
        if high < most <= high + 2 * found.blur:
            high = most
        columns[place] = replace(column, low=low if low >= -far else -np.inf, high=high if high <= far else np.inf)
        check_within(values, columns[place], "X")
    return replace(table, columns=tuple(columns))


def _dropped(steps: Sequence[Step], n_columns: int) -> Collection[int]:
    """Positions of columns that a ColumnTransformer in front leaves out: ids, dates and texts may be among them."""
    if not steps or not isinstance(steps[0][1], ColumnTransformer):
        return ()
    taken = {place for _, positions in selections(steps[0][1], n_columns) for place in positions}
    return set(range(n_columns)) - taken


def _settle(
    steps: Sequence[Step], table: Table, X: UserRows, declared: Mapping[str, Declaration], estimator: Estimator
) -> tuple[Walk, ModelView]:
    """Follow the steps; where they tell that a column is other than the table says, change it and follow again."""
    refused: dict[int, set[UserValue]] = {}  # levels that an encoder does not take, whatever another one knows
    while True:  # each round settles a column, and what is settled stays so
        walk, columns = Walk(table, refused), list(table.columns)
        try:
            # only a ColumnTransformer in front leaves columns out, and it takes none of those
            streams = walk.steps(steps, cast("list[Stream]", source_streams(table)))
            is_derived = any(isinstance(stream, DerivedStream) for stream in streams)
            view = derived_view(walk, streams, estimator) if is_derived else model_view(walk, streams)
        except Recast as request:
            place, before = request.column, columns[request.column]
            columns[place] = _informed(place, before, walk.findings, table, declared)
            if columns[place].levels == before.levels:  # no level was lacking, the kind is wrong
                columns[place] = _recast(before, X, declared, request.step)
        except Unsettled:
            for place, foreign in walk.findings.foreign.items():
                columns[place] = _without(columns[place], foreign, X, declared)
                refused.setdefault(place, set()).update(level for level, _ in foreign)
        else:
            columns = [_informed(place, c, walk.findings, table, declared) for place, c in enumerate(columns)]
            if columns == list(table.columns):
                return walk, view
        table = table.with_columns(columns)


def _recast(column: Column, X: UserRows, declared: Mapping[str, Declaration], step: str) -> Column:
    if column.kind == "ordinal":
        return replace(column, kind="category")
    if column.name in declared:
        raise InvalidInputError(
            f"Column {column.name!r} is declared {declared[column.name]!r}, but {step} takes its values as categories. "
            'Declare it "category", or leave the declaration out.'
        )
    return as_category(column_of(X, column.sources[0]), column.sources[0], column.name)


def _without(
    column: Column, foreign: Sequence[tuple[UserValue, str]], X: UserRows, declared: Mapping[str, Declaration]
) -> Column:
    """Leave out levels that do not occur and that an encoder would refuse: a boolean that was always the same, say."""
    seen = levels_seen(column_of(X, column.sources[0]), column.name)
    for level, step in foreign:
        if level in seen:
            what = "missing values" if level is None else repr(level)
            raise InvalidInputError(
                f"X holds {what} in column {column.name!r}, which {step} has never seen and refuses. Pass the rows the "
                'model was trained on, or fit it with handle_unknown="ignore" (OneHotEncoder) or "use_encoded_value" '
                "(OrdinalEncoder)."
            )
        if isinstance(declared.get(column.name), Ordinal):
            raise InvalidInputError(
                f"Column {column.name!r} is declared to have the level {level!r}, which {step} does not know and "
                "refuses. Leave it out of levels."
            )
    gone = [level for level, _ in foreign]
    return replace(column, levels=tuple(level for level in column.levels if level not in gone))


def _informed(
    place: int, column: Column, findings: Findings, table: Table, declared: Mapping[str, Declaration]
) -> Column:
    """Take over what the pipeline knows of a column: values, whether others are accepted, what stands for missing."""
    if column.kind in ("number", "integer"):
        fill, stays = findings.fills.get(place), place in findings.indicated
        if stays and fill is None:
            raise UnsupportedSettingError(
                f"MissingIndicator tells the model of missing values of column {column.name!r}, but no imputer puts a "
                "number for them. Put a SimpleImputer beside it, as in make_union(SimpleImputer(), MissingIndicator())."
            )
        return replace(column, fill=fill, missing_stays=stays, stand_in=fill if fill is not None and stays else 0.0)
    if column.is_group or isinstance(declared.get(column.name), Ordinal):
        return column
    known = findings.known.get(place, [])
    missing = [value for value in known if is_missing_value(value)]
    if missing and column.kind == "ordinal":
        missing = []
    if missing:
        column = replace(column, missing=missing[0])
    more = [value for value in known if not is_missing_value(value)] + ([None] if missing else [])
    if more:
        column = replace(column, levels=merge_levels(column, more, table.dtypes[column.sources[0]]))
    accepts = findings.accepts.get(place, [])
    is_boolean = all(isinstance(level, (bool, np.bool_)) or level is None for level in column.levels)
    is_open = column.kind == "category" and bool(accepts) and all(accepts) and not is_boolean
    return replace(column, open=is_open)


def _check_warps(walk: Walk, view: ModelView, features: FloatArray) -> None:
    """Refuse steps that are not monotone, as their types promise, or take part of mixed columns only."""
    assert view.steps is not None
    Y = view.to_model(features)
    refuse_mixed_limits(walk, view, Y)
    warped = [(j, stream) for j, stream in enumerate(view.streams) if isinstance(stream, WarpStream)]
    streams, seen = [stream for _, stream in warped], [Y[:, view.steps.columns[j].place] for j, _ in warped]
    check_monotone(walk, streams, seen)
    check_curves([view.steps.curve(j) for j, _ in warped], streams, seen)


def _check(
    steps: Sequence[Step],
    table: Table,
    view: ModelView,
    X: UserRows,
    features: FloatArray,
    names: tuple[str, ...],
    effect: FloatArray | None = None,
) -> None:
    """Compare the view with the pipeline's own transformers on rows that show every level.

    Behind a step that is not affine a column may be anything that it is within the tolerance of model space.
    """
    if not steps or len(features) == 0:
        return
    rows = _rows_to_check(table, features)
    expected = _transformed(steps, _in_double_precision(rows_of(X, rows)), names)
    to_model = view.to_model
    size = np.abs(features[rows]) @ np.abs(to_model.matrix).T + np.abs(to_model.offset)
    found = view.of_features(features[rows])
    if expected.shape != found.shape:
        raise UnsupportedModelError(
            f"The pipeline's transformers give {expected.shape[1]} columns, but following them gave {found.shape[1]}. "
            "One of them does not do what its type promises; leave it out, or apply it before the pipeline."
        )
    if view.derived is not None:
        slack, places = view.derived.rounding(MAP_TOLERANCE, to_model(features[rows]), size), view.derived.places
        least = most = found
    elif view.steps is None:
        missing = table.missing(rows_of(X, rows))
        if effect is not None:
            found, missing = found + missing @ effect.T, missing & ~table.indicated
        stays_missing = missing @ (to_model.matrix != 0).T  # and is so behind the steps, too
        found = np.where(stays_missing, np.nan, found)
        size += np.where(np.isnan(expected), 0.0, np.abs(expected))
        rounding = CANCELLATION * size.max(axis=1, initial=0.0, keepdims=True)
        least, most, places, slack = found, found, np.arange(found.shape[1]), MAP_TOLERANCE * size + rounding
    else:
        moved = [view.of_features(features[rows], sign * MAP_TOLERANCE * size) for sign in (-1.0, 1.0)]
        least, most = np.fmin.reduce([found, *moved]), np.fmax.reduce([found, *moved])
        places, slack = view.steps.places, MAP_TOLERANCE * np.abs(expected)
    wrong = ~((expected >= least - slack) & (expected <= most + slack))
    wrong &= ~(np.isnan(found) & np.isnan(expected))
    if wrong.any():
        row, place = np.argwhere(wrong)[0]
        touched = [repr(c.name) for c in table.columns if np.any(to_model.matrix[places[place], c.features])]
        origin = ", ".join(touched[:5]) or "no column"
        raise UnsupportedModelError(
            f"The pipeline's transformers give {expected[row, place]} in column {place} of what the final estimator "
            f"sees, for row {rows[row]} of X; following them gave {found[row, place]}, from {origin}. "
            "One of them does not do what its type promises; leave it out, or apply it before the pipeline."
        )


def _rows_to_check(table: Table, features: FloatArray) -> IntArray:
    """Rows with every level, the largest of every number and one that is filled, and others from all over the data."""
    showing = [*features.argmax(axis=0)]
    showing += [np.argmax(features[:, c.start] == c.fill) for c in table.columns if c.fill is not None]
    n_more = max(N_ROWS_CHECKED - len(showing), N_ROWS_SPREAD)
    spread = np.linspace(0, len(features) - 1, min(n_more, len(features))).astype(np.int64)
    return np.unique(np.concatenate([np.array(showing, dtype=np.int64), spread]))


def _transformed(steps: Sequence[Step], rows: UserRows, names: tuple[str, ...]) -> FloatArray:
    if names and not is_frame(rows):
        import pandas

        rows = pandas.DataFrame(rows, columns=list(names))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what the pipeline says at every predict is not this library's to repeat
        for _, transformer in steps:
            rows = transformer.transform(rows)
    return dense(rows)


def _in_double_precision(rows: UserRows) -> UserRows:
    """Rows of 32-bit numbers would be transformed with 32 bits, too few to compare with."""
    if not is_frame(rows):
        return rows.astype(np.float64) if rows.dtype.kind == "f" else rows
    small = [place for place, dtype in enumerate(rows.dtypes) if dtype in (np.float32, np.float16)]
    rows = rows.copy() if small else rows
    for place in small:
        rows.isetitem(place, rows.iloc[:, place].astype(np.float64))
    return rows


def compile_whole(
    model: Estimator,
    X: UserData,
    declared: Mapping[str, Declaration] | None = None,
    derive: Mapping[str, str] | None = None,
) -> CompiledModel:
    """Take a model whose steps cannot be followed as one: model space is that of the features.

    Parameters
    ----------
    model : fitted estimator or Pipeline
    X : data frame or array of shape (n_samples, n_columns)
        Training rows, as the model takes them.
    declared : mapping of column name to declaration, optional
        See :func:`read_table`. Only these and the dtypes say what columns are: nothing else is known of the steps.
    derive : mapping of column name to formula, optional
        Columns that follow from others.
    """
    X = as_table(X)
    seen_by_model, width = columns_seen(model, X)
    if seen_by_model:
        X = select_columns(X, seen_by_model)
    if X.shape[1] != width:
        names = column_names(X) or seen_by_model or tuple(f"x{place}" for place in range(width))
        check_count(X.shape[1], names[:width])
    table = with_missing_as_seen(read_table(X, declared, names=seen_by_model or None), X)
    table = with_derived(table, derive or {}, X)
    return CompiledModel(table, AffineMap.identity(table.n_features), model, table.encode(X))
