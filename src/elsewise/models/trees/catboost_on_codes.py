"""CatBoost models with category columns, as sums of trees over codes of levels.

A split by a statistic of several columns becomes several splits by one column each: levels of one column that the rest
of the table treats alike stay together. On the way down, levels that splits above have excluded are left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.utils import get_tags

from ...arrays import AnyArray, BoolArray, Estimator, FloatArray, UserValue
from ...errors import UnsupportedModelError, UnsupportedSettingError
from ...search.region import Outcome, Response, require_interval, require_label
from ...search.relaxations.tree_sums.region import EnsembleRegion
from ...search.relaxations.tree_sums.trees import TreeSum
from ..registry import register, register_response
from .catboost_categories import ENCODE_INSTEAD, Split, SplitReader
from .of_catboost import (
    CatBoostLoss,
    Node,
    class_region,
    number_region,
    probability_region,
    trees_as_nodes,
    write_catboost,
)
from .rewriting import Growing

# Nodes that the trees may have: some 100 MB.
MOST_NODES = 2_000_000
# Rows about which the model is asked, to compare its sums with those of the trees, and the largest difference.
ROWS_COMPARED = 256
SUM_TOLERANCE = 1e-9
# What is written in the place of a value that the model does not know.
_UNKNOWN_TEXT = "\x00 no level \x00"


class CatBoostOnCodes:
    """A CatBoost model that takes codes of levels in the place of categories.

    Parameters
    ----------
    model : CatBoostClassifier or CatBoostRegressor
    levels : mapping of int to sequence
        Values of each category column, by its position. The code of a value is its place; -1 stands for any value that
        the model does not know.

    Attributes
    ----------
    codes : dict of int to dict
        Codes by value, for each category column.
    takes_unknown : bool
        All categories that the model knows are among the levels, so that any other value is unknown to it.
    trees : TreeSum
    classes_ : array of labels
        Of a classifier alone.
    """

    def __init__(self, model: Estimator, levels: Mapping[int, Sequence[UserValue]]) -> None:
        self.model, self.levels = model, levels
        self.n_features_in_ = len(model.feature_names_)
        if len(getattr(model, "classes_", ())):
            self.classes_: AnyArray = np.asarray(model.classes_)
        self.codes = {
            place: {value: float(code) for code, value in enumerate(values)} for place, values in levels.items()
        }

    def __sklearn_tags__(self) -> Any:
        return get_tags(self.model)

    def predict(self, Z: FloatArray) -> AnyArray:
        """Ask the model about rows of codes; array of shape (n_samples,)."""
        return np.ravel(self.model.predict(self._pool(Z)))

    def predict_proba(self, Z: FloatArray) -> FloatArray:
        """Ask a classifier for probabilities of rows of codes; array of shape (n_samples, n_classes)."""
        return np.asarray(self.model.predict_proba(self._pool(Z)))

    @cached_property
    def reader(self) -> SplitReader:
        """The splits of the model over the levels."""
        longest = max(len(values) for values in self.levels.values())
        pool = self._pool(np.arange(longest)[:, None] * np.ones(self.n_features_in_))
        written = write_catboost(self.model, pool)
        found = {one["value"]: int(one["hash"]) for one in written["features_info"].get("cat_features_hash", [])}
        hashes = {
            place: np.array([found[category_text(value)] for value in values], dtype=np.int64)
            for place, values in self.levels.items()
        }
        return SplitReader(written, hashes)

    @property
    def takes_unknown(self) -> bool:
        """Whether all categories that the model knows are among the levels."""
        return self.reader.knows_only_levels()

    @cached_property
    def trees(self) -> TreeSum:
        """The model as a sum of trees over numbers and codes, compared with the model's own sums."""
        grown = Grower(self.reader, self.n_features_in_, trees_as_nodes(self.reader.written)).trees()
        rows = self._rows_all_over(grown)
        expected = np.reshape(self.model.predict(self._pool(rows), prediction_type="RawFormulaVal"), (len(rows), -1))
        off = np.abs(grown.scores(rows) - expected)
        if not (off <= SUM_TOLERANCE * (1.0 + np.abs(expected))).all():
            raise UnsupportedSettingError(
                f"The statistics of categories of this CatBoost model could not be followed: its sums differ by up to "
                f"{off.max():.3g} from those that were read. {ENCODE_INSTEAD}"
            )
        return grown

    def _rows_all_over(self, trees: TreeSum) -> FloatArray:
        """Rows of random codes, and of numbers on cuts and beside them, of shape (ROWS_COMPARED, n_features)."""
        rng = np.random.default_rng(0)
        rows = np.zeros((ROWS_COMPARED, self.n_features_in_))
        for j, cuts in enumerate(trees.cuts()):
            if j in self.levels:
                rows[:, j] = rng.integers(0, len(self.levels[j]), ROWS_COMPARED)
            elif len(cuts):
                rows[:, j] = rng.choice(np.concatenate([cuts, np.nextafter(cuts, np.inf)]), ROWS_COMPARED)
        return rows

    def _pool(self, rows: FloatArray) -> Any:
        """Rows of codes as CatBoost takes them; a code that is no level becomes a text that the model does not know."""
        from catboost import Pool  # whoever has a model has its library

        data: list[list[UserValue]] = rows.tolist()
        for place, values in self.levels.items():
            texts = dict(enumerate(map(category_text, values)))
            for row in data:
                row[place] = texts.get(int(row[place]), _UNKNOWN_TEXT)
        return Pool(data, cat_features=list(self.levels), feature_names=list(self.model.feature_names_))


@register(CatBoostOnCodes)
def catboost_on_codes_region(model: CatBoostOnCodes, outcome: Outcome) -> EnsembleRegion:
    """Region of a label of a classifier, or of a range of a regressor's predictions."""
    loss = CatBoostLoss.of(model.model)
    if hasattr(model, "classes_"):
        return class_region(model.trees, require_label(model.model, outcome), loss)
    return number_region(model.trees, require_interval(model.model, outcome), loss)


@register_response(CatBoostOnCodes)
def catboost_on_codes_response_region(model: CatBoostOnCodes, response: Response) -> EnsembleRegion:
    """Region where a probability of a classifier lies in a range."""
    if not hasattr(model, "classes_"):
        raise UnsupportedModelError("CatBoostRegressor is a regressor: it has no probabilities.")
    return probability_region(model.model, model.trees, response, CatBoostLoss.of(model.model))


def category_text(value: UserValue) -> str:
    """Text of a category, of which CatBoost makes the hash: booleans are numbers."""
    return str(int(value)) if isinstance(value, (bool, np.bool_)) else str(value)


# What is still possible of the columns on the way to a node: levels of a category (the last cell is an unknown value),
# or the numbers above the first and up to the second of two ends.
_Possible = dict[int, BoolArray | tuple[float, float]]


class Grower:
    """Trees of splits by one column each, grown from trees whose splits are tables."""

    def __init__(self, reader: SplitReader, n_features: int, trees: list[list[Node]]) -> None:
        self.reader, self.written = reader, trees
        value = trees[-1][0].value
        assert value is not None
        self.growing = Growing(n_features, len(value))
        self.code_sets: dict[tuple[int, ...], int] = {}
        self.start: _Possible = {
            place: np.ones(len(hashes) + 1, dtype=np.bool_) for place, hashes in reader.hashes.items()
        }

    def trees(self) -> TreeSum:
        """Grow all trees."""
        for nodes in self.written:
            self.growing.root()
            self._grow(nodes, 0, self.start)
        sets = tuple(np.array(codes, dtype=np.int64) for codes in self.code_sets)
        return replace(self.growing.trees(np.zeros(self.growing.n_scores)), code_sets=sets)

    def _grow(self, nodes: list[Node], place: int, possible: _Possible) -> int:
        """Grow what is below a node, and return the number of the first node grown."""
        node = nodes[place]
        if node.split is None:
            assert node.value is not None
            return self.growing.leaf(node.value)
        split = self.reader.split(node.split)
        cells = [_cells(column, ends, possible) for column, ends in zip(split.columns, split.ends)]
        goes_right = split.goes_right[np.ix_(*cells)]
        if goes_right.all() or not goes_right.any():
            return self._grow(nodes, node.right if goes_right.all() else node.left, possible)
        if len(self.growing) > MOST_NODES:
            raise UnsupportedSettingError(
                f"This CatBoost model has more than {MOST_NODES} nodes once statistics of combinations are written as "
                "splits of single columns. Fit it with a smaller max_ctr_complexity, fewer trees or fewer levels."
            )
        axis, is_left = _division(split, goes_right)
        left, right = cells[axis][is_left], cells[axis][~is_left]
        column, ends = split.columns[axis], split.ends[axis]
        parent = self._split(column, ends, left)
        for side, kept in ((True, left), (False, right)):
            child = self._grow(nodes, place, {**possible, column: _narrowed(column, ends, possible, kept)})
            self.growing.attach(parent, side, child)
        return parent

    def _split(self, column: int, ends: FloatArray | None, left: Any) -> int:
        if ends is not None:
            missing_left = not self.reader.treats_missing_as_large(column)
            return self.growing.split(column, float(ends[left[-1]]), missing_left=missing_left)
        unknown = len(self.reader.hashes[column])
        codes = tuple(code for code in left.tolist() if code != unknown)
        number = self.code_sets.setdefault(codes, len(self.code_sets))
        return self.growing.split(column, 0.0, number, missing_left=unknown in left)


def _cells(column: int, ends: FloatArray | None, possible: _Possible) -> Any:
    """Cells of an axis that are possible, int array."""
    state = possible.get(column, (-np.inf, np.inf))
    if ends is None:
        return np.flatnonzero(state)
    low, high = state
    first, last = np.searchsorted(ends, [low, high], side="right")[0], np.searchsorted(ends, high, side="left")
    return np.arange(first, last + 1)


def _narrowed(column: int, ends: FloatArray | None, possible: _Possible, kept: Any) -> BoolArray | tuple[float, float]:
    """Return what is possible of a column in some of the cells of an axis."""
    state = possible.get(column, (-np.inf, np.inf))
    if ends is None:
        levels = np.zeros(len(state), dtype=np.bool_)
        levels[kept] = True
        return levels
    low = max(float(state[0]), float(ends[kept[0] - 1]) if kept[0] > 0 else -np.inf)
    high = min(float(state[1]), float(ends[kept[-1]]) if kept[-1] < len(ends) else np.inf)
    return low, high


def _division(split: Split, goes_right: BoolArray) -> tuple[int, BoolArray]:
    """Choose an axis of a table that is not constant, and the cells of it that go left.

    The axis is that with the fewest different slices. Half of them go left; of numbers, those up to a change.
    """
    best, chosen, groups = np.inf, -1, np.empty(0, dtype=np.int64)
    for axis, ends in enumerate(split.ends):
        slices = np.moveaxis(goes_right, axis, 0).reshape(goes_right.shape[axis], -1)
        if ends is None:
            _, found = np.unique(slices, axis=0, return_inverse=True)
        else:
            found = np.append(0, np.cumsum((slices[1:] != slices[:-1]).any(axis=1)))
        found = found.ravel()
        if 1 <= found.max(initial=0) < best:
            best, chosen, groups = found.max(), axis, found
    return chosen, np.asarray(groups <= (best - 1) // 2)
