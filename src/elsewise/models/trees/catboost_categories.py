"""CatBoost over category columns: what a split by categories is once a model is trained.

CatBoost knows a category by a 32-bit hash of its text. A one-hot split asks whether the hash is a given one. Any other
split compares a *statistic* of a category, or of a combination of categories, one-hot and number conditions::

    ((good + prior) / (total + weight) + shift) * scale > border        (32 bits)

``good`` and ``total`` come from a table that is part of the model, under the key ``h_k`` of the combination,
``h_i = m (h_{i-1} + m v_i) mod 2^64``; a combination that is not in the table has ``good = total = 0``. So every split
is a fixed set of combinations of levels. A :class:`Split` is its table: one axis for each column that it depends on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...arrays import BoolArray, FloatArray, IntArray, JsonObject
from ...errors import UnsupportedSettingError
from ...search.relaxations.tree_sums.trees import left_limits

# Keys of combinations.
KeyArray = NDArray[np.uint64]
# What combines the hashes of a combination (CatBoost's CalcHash).
_MULTIPLIER = np.uint64(0x4906BA494954CB65)
# The key that marks an empty place of a table.
_EMPTY_KEY = 2**64 - 1
# Combinations of levels that the table of one statistic may have: some 10 MB.
MOST_COMBINATIONS = 1_000_000

ENCODE_INSTEAD = (
    "Encode categories before the model (OneHotEncoder or OrdinalEncoder in a pipeline) and fit it without "
    "cat_features."
)


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """A split as a table over cells of the columns it depends on.

    Attributes
    ----------
    columns : tuple of int
        Positions of the columns, one an axis of the table.
    ends : tuple of arrays, or None
        For each axis, the last number of each cell but the last one; None for a category, whose cells are its codes
        and, last, a value that the model does not know.
    goes_right : bool array, one axis a column
    """

    columns: tuple[int, ...]
    ends: tuple[FloatArray | None, ...]
    goes_right: BoolArray


class SplitReader:
    """The splits of a written CatBoost model, by their numbers.

    Parameters
    ----------
    written : dict
        The model as CatBoost writes it in JSON.
    hashes : mapping of int to int array
        For each category column, by its position, the hashes (0 to 2^32 - 1) of its levels in the order of their codes.
    """

    def __init__(self, written: JsonObject, hashes: Mapping[int, IntArray]) -> None:
        self.written, self.hashes = written, hashes
        info = written["features_info"]
        self.numbers = {one["feature_index"]: one for one in info.get("float_features", [])}
        categories = info.get("categorical_features", [])
        self.columns = {one["feature_index"]: int(one["flat_feature_index"]) for one in categories}
        self.one_hot_values = {self.columns[one["feature_index"]]: one.get("values") or [] for one in categories}
        self._tables = {key: _LevelTable.of(one) for key, one in written.get("ctr_data", {}).items()}
        self._statistics: list[tuple[JsonObject, float]] = [
            (one, border) for one in info.get("ctrs", []) for border in one["borders"]
        ]
        n_borders = sum(len(one["borders"] or []) for one in info.get("float_features", []))
        self._first_statistic = n_borders + sum(len(values) for values in self.one_hot_values.values())
        self._splits: dict[int, Split] = {}
        self._values: dict[str, FloatArray] = {}

    def split(self, written: JsonObject) -> Split:
        """Read a split of a tree."""
        number = int(written["split_index"])
        if number not in self._splits:
            self._splits[number] = self._read(written)
        return self._splits[number]

    def treats_missing_as_large(self, column: int) -> bool:
        """Whether missing numbers of a column go right at every split."""
        treatments = {
            one["flat_feature_index"]: one.get("nan_value_treatment") == "AsTrue" for one in self.numbers.values()
        }
        return bool(treatments.get(column, False))

    def knows_only_levels(self) -> bool:
        """Whether all categories that the model has statistics of are among the levels."""
        for column, values in self.one_hot_values.items():
            if not np.isin(np.array(values, dtype=np.int64) % 2**32, self.hashes[column]).all():
                return False
        for statistic in {one["identifier"]: one for one, _ in self._statistics}.values():
            keys, is_known, _, _ = self._keys(statistic)
            if not np.isin(self._tables[statistic["identifier"]].keys, keys[is_known]).all():
                return False
        return True

    def _read(self, written: JsonObject) -> Split:
        kind = written["split_type"]
        if kind == "FloatFeature":
            feature = self.numbers[written["float_feature_index"]]
            ends = left_limits(np.array([written["border"]], dtype=np.float64), strict=False, single=True)
            return Split((int(feature["flat_feature_index"]),), (ends,), np.array([False, True]))
        if kind == "OneHotFeature":
            column = self.columns[written["cat_feature_index"]]
            return Split((column,), (None,), np.append(self.hashes[column] == written["value"] % 2**32, False))
        place = int(written["split_index"]) - self._first_statistic
        if kind != "OnlineCtr" or not 0 <= place < len(self._statistics):
            raise UnsupportedSettingError(
                f"This CatBoost model has a split of the type {kind}; expected FloatFeature, OneHotFeature or "
                f"OnlineCtr. {ENCODE_INSTEAD}"
            )
        statistic, border = self._statistics[place]
        _, _, columns, ends_of = self._keys(statistic)
        return Split(columns, ends_of, self._value(statistic) > np.float32(border))

    def _value(self, statistic: JsonObject) -> FloatArray:
        """Statistic of each combination, with 32 bits; one axis a column."""
        name = repr({key: one for key, one in statistic.items() if key != "borders"})
        if name not in self._values:
            keys, is_known, _, _ = self._keys(statistic)
            good, total = self._tables[statistic["identifier"]].counts(keys, is_known, statistic)
            single = np.float32
            share = (good + single(statistic["prior_numerator"])) / (total + single(statistic["prior_denomerator"]))
            self._values[name] = (share + single(statistic["shift"])) * single(statistic["scale"])
        return self._values[name]

    def _keys(
        self, statistic: JsonObject
    ) -> tuple[KeyArray, BoolArray, tuple[int, ...], tuple[FloatArray | None, ...]]:
        """Keys of all combinations, whether no value of them is unknown, the columns and their cells."""
        elements = [self._element(one) for one in statistic["elements"]]
        columns = tuple(dict.fromkeys(column for column, _, _ in elements))
        borders: dict[int, set[float]] = {}
        for column, border, _ in elements:
            if border is not None:
                borders.setdefault(column, set()).add(border)
        ends = {column: np.array(sorted(found)) for column, found in borders.items()}
        shape = [len(ends[c]) + 1 if c in ends else len(self.hashes[c]) + 1 for c in columns]
        if np.prod(shape, dtype=float) > MOST_COMBINATIONS:
            raise UnsupportedSettingError(
                f"This CatBoost model has a statistic of {' x '.join(map(str, shape))} combinations of levels; "
                f"expected at most {MOST_COMBINATIONS}. Fit it with a smaller max_ctr_complexity, or merge rare levels."
            )
        keys, is_known = np.zeros(shape, dtype=np.uint64), np.ones(shape, dtype=np.bool_)
        for column, border, equal in elements:
            along = np.ones(len(columns), dtype=np.int64)
            along[columns.index(column)] = -1
            if border is not None:
                values = np.searchsorted(ends[column], border) < np.arange(len(ends[column]) + 1)
            elif equal is not None:
                values = np.append(self.hashes[column] == equal, False)
            else:
                values = np.append(self.hashes[column], 0).astype(np.uint32).view(np.int32).astype(np.int64)
                is_known &= np.append(np.ones(len(values) - 1, dtype=np.bool_), False).reshape(along)
            keys = _MULTIPLIER * (keys + _MULTIPLIER * values.astype(np.int64).view(np.uint64).reshape(along))
        return keys, is_known, columns, tuple(ends.get(column) for column in columns)

    def _element(self, written: JsonObject) -> tuple[int, float | None, int | None]:
        """Position of an element's column, and the limit of a number or the hash that a category is compared with."""
        kind = written["combination_element"]
        if kind == "float_feature":
            feature = self.numbers[written["float_feature_index"]]
            limit = left_limits(np.array([written["border"]], dtype=np.float64), strict=False, single=True)
            return int(feature["flat_feature_index"]), float(limit[0]), None
        column = self.columns[written["cat_feature_index"]]
        return column, None, int(written["value"]) % 2**32 if kind == "cat_feature_exact_value" else None


@dataclass(frozen=True, slots=True, eq=False)
class _LevelTable:
    """What a model has counted for combinations.

    Attributes
    ----------
    keys : uint64 array of shape (n_combinations,), ascending
    counted : array of shape (n_combinations, n_counts)
    denominator : float
        The total of statistics that have one for all.
    """

    keys: KeyArray
    counted: FloatArray
    denominator: float

    @classmethod
    def of(cls, written: JsonObject) -> _LevelTable:
        """Read a table as it is written: key, counts, key, counts, ..."""
        stride, flat = int(written["hash_stride"]), written["hash_map"]
        entries = {int(flat[k]): flat[k + 1 : k + stride] for k in range(0, len(flat), stride)}
        entries.pop(_EMPTY_KEY, None)
        keys = np.array(sorted(entries), dtype=np.uint64)
        counted = np.array([entries[key] for key in sorted(entries)], dtype=np.float64).reshape(len(keys), stride - 1)
        return cls(keys, counted, float(written.get("counter_denominator", 0)))

    def counts(self, keys: KeyArray, is_known: BoolArray, statistic: JsonObject) -> tuple[FloatArray, FloatArray]:
        """Numerator and denominator of a statistic for keys, float32 arrays of the same shape."""
        place = np.minimum(np.searchsorted(self.keys, keys), max(len(self.keys) - 1, 0))
        found = is_known & (self.keys[place] == keys) if len(self.keys) else np.zeros(keys.shape, dtype=np.bool_)
        counted = np.where(found[..., None], self.counted[place], 0.0) if len(self.keys) else np.zeros((*keys.shape, 2))
        kind, target = statistic["ctr_type"], statistic.get("target_border_idx", 0)
        if kind in ("Counter", "FeatureFreq"):
            good, total = counted[..., 0], np.full(keys.shape, self.denominator)
        elif kind == "Buckets":
            good, total = counted[..., target], counted.sum(axis=-1)
        elif kind == "Borders":
            good, total = counted[..., target + 1 :].sum(axis=-1), counted.sum(axis=-1)
        elif kind in ("BinarizedTargetMeanValue", "FloatTargetMeanValue"):
            good, total = counted[..., 0], counted[..., 1]
        else:
            raise UnsupportedSettingError(
                f"This CatBoost model has statistics of the type {kind}; expected Borders, Buckets, Counter, "
                f"FeatureFreq or a mean value. {ENCODE_INSTEAD}"
            )
        return good.astype(np.float32), total.astype(np.float32)
