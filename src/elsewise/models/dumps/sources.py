"""Trees of a file, and how rows of a user's table become the numbers that they compare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...arrays import FloatArray, JsonObject, ReadObject, UserData, UserValue, is_missing
from ...errors import InvalidInputError
from ...search.relaxations.tree_sums.trees import TreeSum
from ..trees.catboost_categories import SplitReader
from ..trees.catboost_on_codes import Grower, category_text
from ..trees.native_codes import Codes, lightgbm_codes, xgboost_codes
from ..trees.of_catboost import trees_as_nodes
from ..trees.of_lightgbm import LightGBMText
from .category_hash import category_hashes

# The code of a missing value, and of one that has none.
_NO_CODE = -1.0


@dataclass(frozen=True, slots=True)
class XGBoostCategories:
    """Categories of an XGBoost model: types of its columns, and names as it writes them."""

    feature_types: tuple[str, ...]
    written: Sequence[ReadObject]

    def codes(self, X: UserData) -> dict[int, Codes]:
        """Codes of each category column, by its position; rows as they reach the model may say them."""
        return xgboost_codes(self.feature_types, self.written, X)

    def takes_unknown(self, codes: Mapping[int, Codes]) -> bool:
        """Whether values without a code are taken: not where names are known."""
        return all(of_column is None for of_column in codes.values())


@dataclass(frozen=True, slots=True)
class LightGBMCategories:
    """Categories of a LightGBM model."""

    written: LightGBMText

    def codes(self, X: UserData) -> dict[int, Codes]:
        """Codes of each category column, by its position; rows as they reach the model may say them."""
        return lightgbm_codes(self.written, X)

    def takes_unknown(self, codes: Mapping[int, Codes]) -> bool:
        """Whether values without a code are taken: they count as missing."""
        return True


@dataclass(frozen=True, slots=True, eq=False)
class PlainTrees:
    """Trees over numbers and codes.

    Attributes
    ----------
    trees : TreeSum
    categories : XGBoostCategories, LightGBMCategories or None
    """

    trees: TreeSum
    categories: XGBoostCategories | LightGBMCategories | None = None

    def at(self, X: UserData) -> tuple[TreeSum, FloatArray]:
        """Trees, and rows as they compare them, array of shape (n_samples, n_features)."""
        codes = {} if self.categories is None else self.categories.codes(X)
        takes_unknown = self.categories is None or self.categories.takes_unknown(codes)
        rows = np.empty((len(X), self.trees.n_features))
        for place in range(self.trees.n_features):
            column, of_column = _column(X, place), codes.get(place)
            rows[:, place] = _numbers(column) if of_column is None else _coded(column, of_column, takes_unknown)
            if place in codes:
                rows[np.isnan(rows[:, place]), place] = _NO_CODE
        return self.trees, rows


class CatBoostTables:
    """A CatBoost model with category columns: its trees depend on the levels that there are.

    Levels are those of all rows seen so far: the trees are grown anew when a value comes that was not among them.

    Parameters
    ----------
    written : dict
        The model as CatBoost writes it in JSON.
    n_features : int
    """

    def __init__(self, written: JsonObject, n_features: int) -> None:
        self.written, self.n_features = written, n_features
        categories = written["features_info"].get("categorical_features", [])
        self.places = [int(one["flat_feature_index"]) for one in categories]
        self._known: dict[int, dict[str, float]] = {place: {} for place in self.places}
        self._trees: TreeSum | None = None

    def at(self, X: UserData) -> tuple[TreeSum, FloatArray]:
        """Trees over the levels, and rows as they compare them, array of shape (n_samples, n_features)."""
        texts = {place: [category_text(value) for value in _objects(_column(X, place))] for place in self.places}
        new = {place: sorted({*texts[place]} - {*known}) for place, known in self._known.items()}
        if self._trees is None or any(new.values()):
            known = {place: [*self._known[place], *new[place]] for place in self.places}
            self._trees = self.over(known)[0]
            self._known = {place: {text: float(k) for k, text in enumerate(known[place])} for place in self.places}
        rows = np.empty((len(X), self.n_features))
        for place in range(self.n_features):
            codes = self._known.get(place)
            rows[:, place] = _numbers(_column(X, place)) if codes is None else [codes[text] for text in texts[place]]
        return self._trees, rows

    def over(self, levels: Mapping[int, Sequence[UserValue]]) -> tuple[TreeSum, bool]:
        """Trees over codes, the places of levels; and whether all that the model knows is among these."""
        hashes = {place: category_hashes([category_text(one) for one in levels[place]]) for place in self.places}
        reader = SplitReader(self.written, hashes)
        return Grower(reader, self.n_features, trees_as_nodes(self.written)).trees(), reader.knows_only_levels()


def _column(X: UserData, place: int) -> Any:
    return X.iloc[:, place] if hasattr(X, "iloc") else X[:, place]


def _objects(column: UserData) -> list[Any]:
    """Values of a column, as they are."""
    values: list[UserValue] = column.astype(object).tolist()
    return values


def _numbers(column: UserData) -> FloatArray:
    if hasattr(column.dtype, "categories"):
        column = column.astype(column.dtype.categories.dtype)
    try:
        if hasattr(column, "isna"):
            return np.asarray(column.to_numpy(dtype=np.float64, na_value=np.nan))
        return np.asarray(column, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(
            f"Column {getattr(column, 'name', None)!r} holds {column.dtype} values; the model in this file takes "
            "numbers there."
        ) from error


def _coded(column: UserData, codes: Mapping[UserValue, float], takes_unknown: bool) -> FloatArray:
    values, gone = _objects(column), is_missing(column)
    unknown = [value for value, is_gone in zip(values, gone) if not is_gone and value not in codes]
    if unknown and not takes_unknown:
        raise InvalidInputError(
            f"Column {getattr(column, 'name', None)!r} has the value {unknown[0]!r}; the model in this file knows "
            f"{', '.join(map(repr, list(codes)[:10]))}."
        )
    return np.array([np.nan if is_gone else codes.get(value, np.nan) for value, is_gone in zip(values, gone)])
