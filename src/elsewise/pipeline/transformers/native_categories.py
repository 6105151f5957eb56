"""Categories that an estimator takes as they are: what it does to them in front of its trees, as one more step.

scikit-learn's histogram boosting, XGBoost and LightGBM give codes to categories themselves. CatBoost has statistics of
them; it is read over codes that are given here, from the levels of the training rows. A missing value has no code
there; here it gets one below zero, which trees (:class:`~elsewise.search.relaxations.tree_sums.trees.TreeSum`) know.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

from ...arrays import Estimator, FloatArray, UserValue
from ...errors import UnsupportedSettingError
from ...models import DumpedModel
from ...models.onnx import OnnxModel
from ...models.trees import CatBoostOnCodes, Codes, lightgbm_codes, lightgbm_text, places_of, xgboost_codes
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

    def code(self, place: int, value: UserValue) -> float:
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


def on_codes(estimator: Estimator, X: UserRows | None) -> Any:
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
    is_dumped = isinstance(inner, DumpedModel)
    if not is_dumped and "catboost.core.CatBoost" not in _kinds(inner):
        return estimator
    places = inner.category_places if is_dumped else inner.get_cat_feature_indices()
    if not places:
        return estimator
    if X is None:
        raise UnsupportedSettingError(
            f"This {type(inner).__name__} has category columns (cat_features), but other steps are before it. Fit "
            "it on the rows themselves, or encode categories in the pipeline and leave cat_features out."
        )
    order = _catboost_order(list((inner.names or ()) if is_dumped else inner.feature_names_), X)
    seen = {place: levels_seen(column_of(X, order[place]), str(order[place])) for place in places}
    levels = {place: [value for value in values if not is_missing_value(value)] for place, values in seen.items()}
    return inner.on_codes(levels) if is_dumped else CatBoostOnCodes(inner, levels)


def _catboost_order(own: list[str], X: UserRows) -> list[int]:
    """Positions in X of the columns of a CatBoost model, which finds those of a frame by their names."""
    names = list(X.columns) if is_frame(X) else []
    return [names.index(name) for name in own] if own and set(own) <= set(names) else list(range(X.shape[1]))


def own_steps(estimator: Estimator, X: UserRows | None) -> list[Step]:
    """Return what an estimator, or all inside of it, does to categories itself, as steps in front of its trees.

    Parameters
    ----------
    estimator : fitted estimator
    X : data frame or array of shape (n_samples, n_columns), optional
        Training rows as they reach the estimator, if no other step is before it.
    """
    inner = seen_through(estimator)
    if isinstance(inner, OnnxModel):
        return [] if inner.encoders is None else [Step("encoders of the ONNX graph", inner.encoders)]
    each = [_native_of(one, X) for one in innermost(estimator)]
    native = each[0] if each else None
    if any(not _is_same(native, other) for other in each[1:]):
        raise UnsupportedSettingError(
            f"The models inside of {type(estimator).__name__} give codes to categories each in its own way; expected "
            "the same for all. Encode categories before it (OneHotEncoder or OrdinalEncoder in a pipeline)."
        )
    return [] if native is None else [Step(f"categories of {type(innermost(estimator)[0]).__name__}", native)]


def with_own_categories(estimator: Estimator, X: UserRows) -> UserRows:
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
    booster: Estimator = getattr(one, "booster", None) or getattr(one, "booster_", None)
    names: dict[int, list[UserValue]] = {}
    if texts and hasattr(booster, "pandas_categorical"):  # LightGBM keeps the names, but not their columns
        known = booster.pandas_categorical or []
        names = dict(zip(texts, known)) if len(texts) == len(known) else {}
    elif texts:
        native = _native_of(one, X)
        # histogram boosting and models in files take text as it is
        is_taken = isinstance(one, (HistGradientBoostingClassifier, HistGradientBoostingRegressor, DumpedModel))
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


def _native_of(estimator: Estimator, X: UserRows | None) -> NativeCategories | None:
    kinds = _kinds(estimator)
    library = type(getattr(estimator, "booster", None)).__module__.partition(".")[0]
    if isinstance(estimator, (HistGradientBoostingClassifier, HistGradientBoostingRegressor)):
        return _of_histogram_boosting(estimator)
    if isinstance(estimator, DumpedModel):
        found = estimator.own_codes(X)
        return None if found is None else NativeCategories(*found)
    if isinstance(estimator, CatBoostOnCodes):
        return NativeCategories(estimator.codes, estimator.takes_unknown)
    if "xgboost.sklearn.XGBModel" in kinds or library == "xgboost":
        return _of_xgboost(estimator.booster if library == "xgboost" else estimator.get_booster(), X)
    if "lightgbm.sklearn.LGBMModel" in kinds or library == "lightgbm":
        return _of_lightgbm(estimator.booster if library == "lightgbm" else estimator.booster_, X)
    return None


def _kinds(estimator: Estimator) -> set[str]:
    return {f"{kind.__module__}.{kind.__qualname__}" for kind in type(estimator).__mro__}


def _of_histogram_boosting(model: Estimator) -> NativeCategories | None:
    if model.is_categorical_ is None:
        return None
    known = model._preprocessor.named_transformers_["encoder"].categories_
    places = np.flatnonzero(model.is_categorical_).tolist()
    return NativeCategories({place: places_of(values.tolist()) for place, values in zip(places, known)}, True)


def _of_xgboost(booster: Estimator, X: UserRows | None) -> NativeCategories | None:
    types = booster.feature_types or ()
    if "c" not in types:
        return None
    written = json.loads(booster.save_raw("json"))["learner"]["gradient_booster"]
    kept = written.get("gbtree", written)["model"].get("cats", {}).get("enc", [])
    codes = xgboost_codes(types, kept, X)
    return NativeCategories(codes, takes_unknown=all(of_column is None for of_column in codes.values()))


def _of_lightgbm(booster: Estimator, X: UserRows | None) -> NativeCategories | None:
    codes = lightgbm_codes(lightgbm_text(booster), X)
    return NativeCategories(codes, True) if codes else None
