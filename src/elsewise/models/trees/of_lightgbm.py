"""LightGBM's models as it writes them: a text of ``key=value`` lines, one block for each tree.

Numbers are written so that they are read back to the bit. 64 bits throughout. A node is described by the bits of its
``decision_type``: the first says that it is by category, the second that missing values go left, the next two what
counts as missing (nothing, zero, NaN). Where nothing does, NaN is taken for zero.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...arrays import IntArray
from ...errors import InvalidInputError, UnsupportedSettingError
from ...search.relaxations.tree_sums.trees import LIGHTGBM_ZERO, TreeSum

# Bits of decision_type, and its names of what counts as missing.
_BY_CATEGORY, _DEFAULT_LEFT = 1, 2
_NOTHING, _ZERO = 0, 1
_CATEGORIES = "pandas_categorical:"


@dataclass(frozen=True, slots=True)
class LightGBMText:
    """A LightGBM model in its own text.

    Attributes
    ----------
    header : dict of str to str
        What is said before the first tree; words without a value have "".
    trees : tuple of dicts of str to str
    pandas_categorical : list of lists
        Names of the categories of each category column of the frame it was fitted on; empty without any.
    """

    header: dict[str, str]
    trees: tuple[dict[str, str], ...]
    pandas_categorical: list[list[Any]]

    @classmethod
    def parse(cls, text: str) -> LightGBMText:
        """Take a text apart."""
        head, *blocks = text.partition("\nend of trees")[0].split("\nTree=")
        if not head.startswith("tree") or not blocks:
            raise InvalidInputError(
                f"This is no model of LightGBM: expected the text that booster.save_model writes, received "
                f"{text[:40]!r}..."
            )
        names = text.rpartition(_CATEGORIES)
        known = json.loads(names[2]) if names[1] else None
        return cls(_pairs(head), tuple(_pairs(block) for block in blocks), known or [])

    @property
    def feature_names(self) -> list[str]:
        """Names of its features."""
        return self.header["feature_names"].split(" ")

    @property
    def category_places(self) -> list[int]:
        """Positions of features that are categories: their levels are listed, with colons and no brackets."""
        infos = self.header["feature_infos"].split(" ")
        return [place for place, info in enumerate(infos) if info != "none" and not info.startswith("[")]

    @property
    def n_trees_a_round(self) -> int:
        """Number of trees of one round: one, or one for each class."""
        return int(self.header["num_tree_per_iteration"])

    @property
    def objective(self) -> tuple[str, dict[str, str]]:
        """Name of the objective and its settings as they are written."""
        name, *settings = (self.header.get("objective") or "none").split()
        return name, {word.partition(":")[0]: word.partition(":")[2] for word in settings}


def _pairs(block: str) -> dict[str, str]:
    """Read lines ``key=value``."""
    return {key: value for key, _, value in (line.partition("=") for line in block.splitlines())}


def lightgbm_trees(written: LightGBMText) -> TreeSum:
    """Read the trees of a LightGBM model."""
    if any(tree.get("is_linear") == "1" for tree in written.trees):
        raise UnsupportedSettingError(
            "This LightGBM model has linear functions in its leaves (linear_tree=True); expected constants. Fit it "
            "with linear_tree=False."
        )
    n_scores, n_features = written.n_trees_a_round, int(written.header["max_feature_idx"]) + 1
    trees = [_tree(tree, n_features, place % n_scores, n_scores) for place, tree in enumerate(written.trees)]
    n_rounds = len(trees) // n_scores
    return replace(trees[0].joined(trees[1:]), divisor=float(n_rounds) if "average_output" in written.header else 1.0)


def _tree(written: Mapping[str, str], n_features: int, score: int, n_scores: int) -> TreeSum:
    """Read a tree: its splits first, then its leaves, which children number from -1 down."""

    def listed(key: str, kind: type = int) -> Any:
        return np.array([kind(word) for word in written.get(key, "").split()], dtype=kind)

    leaves = listed("leaf_value", float)
    n_splits = len(leaves) - 1
    left, right = (
        np.where(ends >= 0, ends, n_splits + ~ends) for ends in (listed("left_child"), listed("right_child"))
    )
    kinds, thresholds = listed("decision_type")[:n_splits], listed("threshold", float)[:n_splits]
    by_category, missing = (kinds & _BY_CATEGORY) > 0, (kinds >> 2) & 3
    goes_left = np.where(missing == _NOTHING, thresholds >= 0.0, (kinds & _DEFAULT_LEFT) > 0)
    value = np.zeros((n_splits + len(leaves), n_scores))
    value[n_splits:, score] = leaves
    no_child, not_split = np.full(len(leaves), -1), np.zeros(len(leaves), dtype=np.bool_)
    return TreeSum(
        n_features=n_features,
        roots=np.zeros(1, dtype=np.int64),
        feature=np.append(listed("split_feature")[:n_splits], no_child),
        limit=np.append(np.where(by_category, 0.0, _without_zeros(thresholds)), np.zeros(len(leaves))),
        codes=np.append(np.where(by_category, np.cumsum(by_category) - 1, -1), no_child),
        code_sets=_code_sets(listed("cat_boundaries"), listed("cat_threshold"), thresholds[by_category]),
        missing_left=np.append(goes_left & ~by_category, not_split),
        zero_is_missing=np.append((missing == _ZERO) & ~by_category, not_split),
        left=np.append(left[:n_splits], no_child),
        right=np.append(right[:n_splits], no_child),
        value=value,
        base=np.zeros(n_scores),
        single=False,
        divisor=1.0,
    )


def _without_zeros(thresholds: Any) -> Any:
    """Return limits for thresholds among the numbers that LightGBM takes for zero: these go where zero goes."""
    zero_goes = np.where(thresholds >= 0, LIGHTGBM_ZERO, np.nextafter(-LIGHTGBM_ZERO, -np.inf))
    return np.where(np.abs(thresholds) <= LIGHTGBM_ZERO, zero_goes, thresholds)


def _code_sets(boundaries: IntArray, words: IntArray, places: Any) -> tuple[IntArray, ...]:
    """Codes that go left at each split by category: bits of 32-bit words, from one boundary to the next."""
    sets = []
    for place in places.astype(np.int64).tolist():
        bits = words[boundaries[place] : boundaries[place + 1]].astype("<u4").view(np.uint8)
        sets.append(np.flatnonzero(np.unpackbits(bits, bitorder="little")))
    return tuple(sets)
