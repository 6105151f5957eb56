"""Categories that an estimator takes as they are: what it does to them in front of its trees, as one more step.

scikit-learn's histogram boosting, XGBoost and LightGBM give codes to categories themselves. CatBoost has statistics of
them; it is read over codes that are given here, from the levels of the training rows. A missing value has no code
there; here it gets one below zero, which trees (:class:`~elsewise.search.relaxations.tree_sums.trees.TreeSum`) know.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

from ...arrays import FloatArray
from ...errors import UnsupportedSettingError
from ...models.trees import CatBoostOnCodes
from ...models.wrappers import innermost, members_of, seen_through, with_members
from ...table.as_trained import as_trained
from ...table.frames import (
    category_of_values,
    column_of,
    floats_of,
    is_categorical,
    is_frame,
    is_missing_value,
    objects_of,
)
from ...table.levels import levels_seen
from ...table.types import UserRows
from ..registry import register
from ..steps import Step
from ..streams import LevelStream, Stream
from .encoders import as_levels

if TYPE_CHECKING:
    from ..walk import Walk

# The code of a missing value, and of one never seen where that is the same to the model.
MISSING_CODE = -1.0
# Codes by value; None where numbers are codes themselves.
Codes = Mapping[Any, float] | None


@dataclass(frozen=True, slots=True, eq=False)
class NativeCategories:
    """A step that turns the values of some columns into codes and leaves others as they are.

    Attributes
    ----------
    codes : mapping of position of a column to its codes
    takes_unknown : bool
        A value that has no code counts as a missing one.
    """

    codes: Mapping[int, Codes]
    takes_unknown: bool

    def transform(self, X: UserRows) -> FloatArray:
        """Rows with codes for categories, array of shape (n_samples, n_columns)."""
        out = np.empty(X.shape)
        for place in range(X.shape[1]):
            column = column_of(X, place)
            if self.codes.get(place) is None:
                out[:, place] = floats_of(column)
            else:
                out[:, place] = [self.code(place, value) for value in objects_of(column)]
            if place in self.codes:
                out[np.isnan(out[:, place]), place] = MISSING_CODE
        return out

    def code(self, place: int, value: Any) -> float:
        """Code of a value of the column at a position."""
        codes = self.codes[place]
        if is_missing_value(value):
            return MISSING_CODE
        return float(value) if codes is None else codes.get(value, MISSING_CODE)


@register(NativeCategories)
def _native(walk: Walk, step: Step, streams: list[Stream]) -> list[Stream]:
    native, out = step.transformer, list(streams)
    for place in native.codes:
        levels = as_levels(walk, step, streams[place])
        if not isinstance(levels, LevelStream):
            values = levels.values.tolist()
            out[place] = replace(levels, values=np.array([native.code(place, value) for value in values]))
            continue
        if not levels.encoded:
            walk.findings.accepts.setdefault(levels.column, []).append(native.takes_unknown)
        codes = tuple(native.code(place, value) for value in levels.values)
        out[place] = LevelStream(levels.column, codes, encoded=True)
    return out


def on_codes(estimator: Any, X: UserRows | None) -> Any:
    """Return an estimator in which CatBoost models with category columns take codes of the levels of training rows.

    Parameters
    ----------
    estimator : fitted estimator
    X : data frame or array of shape (n_samples, n_columns), optional
        Training rows as they reach the estimator, if no other step is before it.
    """
    inner = seen_through(estimator)
    members = members_of(inner)
    if members:
        changed = [on_codes(member, X) for member in members]
        same = all(one is other for one, other in zip(changed, members))
        return estimator if same else with_members(inner, changed)
    places = inner.get_cat_feature_indices() if "catboost.core.CatBoost" in _kinds(inner) else []
    if not places:
        return estimator
    if X is None:
        raise UnsupportedSettingError(
            f"This {type(inner).__name__} has category columns (cat_features), but other steps are before it. Fit "
            "it on the rows themselves, or encode categories in the pipeline and leave cat_features out."
        )
    order = _catboost_order(inner, X)
    levels = {place: levels_seen(column_of(X, order[place]), str(order[place])) for place in places}
    return CatBoostOnCodes(
        inner,
        {place: [value for value in values if not is_missing_value(value)] for place, values in levels.items()},
    )


def _catboost_order(model: Any, X: UserRows) -> list[int]:
    """Positions in X of the columns of a CatBoost model, which finds those of a frame by their names."""
    own, names = list(model.feature_names_), list(X.columns) if is_frame(X) else []
    return [names.index(name) for name in own] if set(own) <= set(names) else list(range(len(own)))


def own_steps(estimator: Any, X: UserRows | None) -> list[Step]:
    """Give what an estimator, or all that are inside of it, does to categories itself, as steps in front of its trees.

    Parameters
    ----------
    estimator : fitted estimator
    X : data frame or array of shape (n_samples, n_columns), optional
        Training rows as they reach the estimator, if no other step is before it.
    """
    each = [_native_of(one, X) for one in innermost(estimator)]
    native = each[0] if each else None
    if any(not _is_same(native, other) for other in each[1:]):
        raise UnsupportedSettingError(
            f"The models inside of {type(estimator).__name__} give codes to categories each in its own way; expected "
            "the same for all. Encode categories before it (OneHotEncoder or OrdinalEncoder in a pipeline)."
        )
    return [] if native is None else [Step(f"categories of {type(innermost(estimator)[0]).__name__}", native)]


def with_own_categories(estimator: Any, X: UserRows) -> UserRows:
    """Return a frame whose text columns have the category dtypes of an estimator that was fitted on category columns.

    XGBoost and LightGBM refuse text, as files have it, in the place of categories.

    Parameters
    ----------
    estimator : fitted estimator, to which rows come as they are
    X : data frame or array of shape (n_samples, n_columns)
    """
    if not is_frame(X) or not innermost(estimator):
        return X
    columns = [column for _, column in X.items()]
    texts = [place for place, one in enumerate(columns) if one.dtype.kind == "O" and not is_categorical(one)]
    one = innermost(estimator)[0]
    booster: Any = getattr(one, "booster", None) or getattr(one, "booster_", None)
    names: dict[int, list[Any]] = {}
    if texts and hasattr(booster, "pandas_categorical"):  # LightGBM keeps the names, but not their columns
        known = booster.pandas_categorical or []
        names = dict(zip(texts, known)) if len(texts) == len(known) else {}
    elif texts:
        native = _native_of(one, X)
        # histogram boosting takes text as it is
        is_taken = isinstance(one, (HistGradientBoostingClassifier, HistGradientBoostingRegressor))
        native = None if is_taken else native
        names = {place: list(codes) for place, codes in (native.codes if native else {}).items() if codes}
    if not set(names) & set(texts):
        return X
    X = X.copy()
    for place in sorted(set(names) & set(texts)):
        X.isetitem(
            place, as_trained(columns[place], category_of_values({"categories": names[place], "ordered": False}))
        )
    return X


def _is_same(one: NativeCategories | None, other: NativeCategories | None) -> bool:
    if one is None or other is None:
        return one is other
    return one.takes_unknown == other.takes_unknown and one.codes == other.codes


def _native_of(estimator: Any, X: UserRows | None) -> NativeCategories | None:
    kinds = _kinds(estimator)
    library = type(getattr(estimator, "booster", None)).__module__.partition(".")[0]
    if isinstance(estimator, (HistGradientBoostingClassifier, HistGradientBoostingRegressor)):
        return _of_histogram_boosting(estimator)
    if isinstance(estimator, CatBoostOnCodes):
        return NativeCategories(estimator.codes, estimator.takes_unknown)
    if "xgboost.sklearn.XGBModel" in kinds or library == "xgboost":
        return _of_xgboost(estimator.booster if library == "xgboost" else estimator.get_booster(), X)
    if "lightgbm.sklearn.LGBMModel" in kinds or library == "lightgbm":
        return _of_lightgbm(estimator.booster if library == "lightgbm" else estimator.booster_, X)
    return None


def _kinds(estimator: Any) -> set[str]:
    return {f"{kind.__module__}.{kind.__qualname__}" for kind in type(estimator).__mro__}


def _of_histogram_boosting(model: Any) -> NativeCategories | None:
    if model.is_categorical_ is None:
        return None
    known = model._preprocessor.named_transformers_["encoder"].categories_
    places = np.flatnonzero(model.is_categorical_).tolist()
    return NativeCategories({place: _places(values.tolist()) for place, values in zip(places, known)}, True)


def _of_xgboost(booster: Any, X: UserRows | None) -> NativeCategories | None:
    places = [place for place, kind in enumerate(booster.feature_types or ()) if kind == "c"]
    if not places:
        return None
    written = json.loads(booster.save_raw("json"))["learner"]["gradient_booster"]
    kept = written.get("gbtree", written)["model"].get("cats", {}).get("enc", [])
    codes: dict[int, Codes] = {}
    for place in places:
        names = _names_of(kept[place]) if place < len(kept) else []
        column = column_of(X, place) if X is not None else None
        if column is not None and is_categorical(column):
            own = column.dtype.categories.tolist()
            # XGBoost cuts names that are not ASCII when it writes them; without any it goes by the frame's own order
            if not names or (len(names) == len(own) and any(not str(name).isascii() for name in own)):
                names = own
        codes[place] = _places(names) if names else None
    return NativeCategories(codes, takes_unknown=all(of_column is None for of_column in codes.values()))


def _names_of(written: dict[str, Any]) -> list[Any]:
    """Names of categories as XGBoost writes them: numbers, or the bytes of all names one after the other."""
    if "offsets" not in written:
        return list(written["values"])
    text = bytes(value % 256 for value in written["values"])
    return [text[start:end].decode("utf-8", "replace") for start, end in pairwise(written["offsets"])]


def _of_lightgbm(booster: Any, X: UserRows | None) -> NativeCategories | None:
    infos = booster.dump_model(num_iteration=1)["feature_infos"]
    codes: dict[int, Codes] = {
        place: None for place, feature in enumerate(booster.feature_name()) if infos.get(feature, {}).get("values")
    }
    names = booster.pandas_categorical or []
    if names and (X is None or not is_frame(X)):
        raise UnsupportedSettingError(
            "This LightGBM model was fitted on a frame with category columns, but other steps are before it, or X is "
            "no frame. Pass the frame it was fitted on, or encode categories in the pipeline (OrdinalEncoder) and name "
            "their positions as categorical_feature."
        )
    if names and is_frame(X):
        columns = [column for _, column in X.items()]
        places = [place for place, column in enumerate(columns) if is_categorical(column)]
        for place, known in zip(places, names):
            if columns[place].dtype.ordered:
                raise UnsupportedSettingError(
                    f"Column {X.columns[place]!r} is an ordered category, whose codes LightGBM takes for numbers. Put "
                    "an OrdinalEncoder in front of the model, or make it an unordered category."
                )
            codes[place] = _places(known)
    return NativeCategories(codes, True) if codes else None


def _places(names: Sequence[Any]) -> dict[Any, float]:
    """Codes of categories: their place among all."""
    return {name: float(place) for place, name in enumerate(names) if not is_missing_value(name)}
