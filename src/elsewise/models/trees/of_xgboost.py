"""XGBoost's boosters: 32 bits throughout, and what `predict` does that a model's file does not say.

Two things are found by asking the booster itself: the last bit of the number that its sums start from, and, where trees
have weights, how leaves times weights are rounded. Dropout (``rate_drop``) leaves such weights behind: releases before
3.4 have them beside the trees of ``booster="dart"`` and round otherwise where rows are predicted in place; since then
they belong to the trees, whatever the booster is called.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ...arrays import Estimator, FloatArray, JsonObject
from ...errors import UnsupportedSettingError
from ...search.relaxations.tree_sums.trees import TreeSum, left_limits
from .reading import trees_of

# Rows that a booster is asked about to find its base, and how it rounds weights of trees.
ROWS_ASKED = 512

# Objectives whose sums start from the logit, or from the logarithm, of a mean.
_LOGISTIC = ("binary:logistic", "reg:logistic")
_EXPONENTIAL = ("count:poisson", "reg:gamma", "reg:tweedie")
# How the weights of trees are written, beside the trees or among them.
_WEIGHTS = "weight_drop"


def xgboost_trees(booster: Estimator, *, in_place: bool, missing: float = np.nan) -> TreeSum:
    """Read an XGBoost booster.

    Parameters
    ----------
    booster : xgboost.Booster
    in_place : bool
        Rows are predicted in place, as XGBoost's estimators do, not through a DMatrix: weights of trees may be rounded
        otherwise.
    missing : float
        What an estimator takes for a missing value beside NaN: NaN itself for nothing.
    """
    learner = json.loads(booster.save_config())["learner"]
    _require_trees(learner)
    written, weights = bytes(booster.save_raw("json")), None
    if _WEIGHTS.encode() in written or "c" in (booster.feature_types or ()):
        written, weights = _trees_alone(json.loads(written))
    trees = _by_treelite(written)
    bases = _bases(learner, trees)
    if weights is not None or len(bases) > 1:
        trees = _as_predicted(booster, trees, weights, bases, in_place)
    return trees if np.isnan(missing) else _with_missing_code(trees, missing)


def written_xgboost_trees(written: JsonObject, n_rounds: int | None, missing: float = np.nan) -> TreeSum:
    """Read an XGBoost model as it is written in JSON, without the library.

    Parameters
    ----------
    written : dict
    n_rounds : int, optional
        Rounds of training that count; all of them without.
    missing : float
        What is taken for a missing value beside NaN: NaN itself for nothing.
    """
    learner = written["learner"]
    _require_trees(learner)
    content, weights = _trees_alone(written)
    if weights is not None:
        raise UnsupportedSettingError(
            "This XGBoost model was trained with dropout (booster='dart'), whose weighted trees releases add up in "
            "different ways; from a file alone it is not known how. Install xgboost and pass the model itself, or "
            "fit it with booster='gbtree'."
        )
    trees = _by_treelite(content)
    trees = replace(trees, base=_bases(learner, trees)[0])
    if n_rounds is not None:
        n_parallel = int(learner["gradient_booster"]["model"]["gbtree_model_param"]["num_parallel_tree"])
        trees = trees.first_trees(n_rounds * max(n_parallel, 1) * trees.n_scores)
    return trees if np.isnan(missing) else _with_missing_code(trees, missing)


def _require_trees(learner: JsonObject) -> None:
    kind = learner["gradient_booster"]["name"]
    if kind not in ("gbtree", "dart"):
        raise UnsupportedSettingError(
            f"XGBoost is supported with booster='gbtree' or 'dart', received {kind!r}, which has no trees. Explain a "
            "linear model of scikit-learn instead."
        )


def _by_treelite(content: bytes) -> TreeSum:
    import treelite  # nothing of it, nor of the libraries it reads, is imported before a model needs it

    return trees_of(treelite.frontend.from_xgboost_json(content), compares_single=True, sums_single=True)


def _trees_alone(written: JsonObject) -> tuple[bytes, list[float] | None]:
    """Take the names of categories and the weights of trees out of a written model, and give the weights."""
    boosted = written["learner"]["gradient_booster"]
    weights = boosted.get(_WEIGHTS)
    model = boosted["model"] if "model" in boosted else boosted["gbtree"]["model"]
    weights = model.pop(_WEIGHTS, weights)
    model["cats"] = {"enc": [], "feature_segments": [], "sorted_idx": []}
    written["learner"]["gradient_booster"] = {"name": "gbtree", "model": model}
    return json.dumps(written).encode(), weights or None


def _bases(learner: JsonObject, trees: TreeSum) -> list[FloatArray]:
    """Numbers that sums may start from, the likeliest first.

    XGBoost takes the logit or the logarithm of a mean with 32 bits, whose last bit is up to the system's library.
    """
    objective = learner["objective"]["name"]
    if objective not in _LOGISTIC and objective not in _EXPONENTIAL:
        return [trees.base]
    mean, one = np.float32(learner["learner_model_param"]["base_score"].strip("[]")), np.float32(1.0)
    exact = -np.log(np.float64(one / mean - one)) if objective in _LOGISTIC else np.log(np.float64(mean))
    nearest = np.float32(exact)
    around = (nearest, np.nextafter(nearest, np.float32(-np.inf)), np.nextafter(nearest, np.float32(np.inf)))
    return [np.array([float(base)]) for base in around]


def _as_predicted(
    booster: Estimator, trees: TreeSum, weights: list[float] | None, bases: list[FloatArray], in_place: bool
) -> TreeSum:
    """Find the sums that the booster itself gives for rows all over its cuts."""
    rows = _rows_all_over(trees)
    own = np.reshape(_sums(booster, rows, in_place), (ROWS_ASKED, -1))
    first = None
    for tried in _possible(trees, weights, bases):
        first = tried if first is None else first
        if (tried.scores(rows) == own).all():
            return tried
    if weights is None:
        assert first is not None
        return first
    from xgboost import __version__

    raise UnsupportedSettingError(
        f"This XGBoost model was trained with dropout, and XGBoost {__version__} adds up its weighted trees in a way "
        "that could not be followed to the bit; expected the way of releases up to 3.4. Fit the model without "
        "rate_drop, or predict with XGBoost 3.4."
    )


def _with_missing_code(trees: TreeSum, missing: float) -> TreeSum:
    """Send a number, and all that 32 bits round to it, where missing values go."""
    if len(trees.code_sets) and missing >= 0:
        raise UnsupportedSettingError(
            f"XGBoost with categories is supported with missing=nan or a number below zero, received "
            f"missing={missing}: codes of categories are numbers from zero on. Fit the model with missing=nan."
        )
    with np.errstate(over="ignore"):
        code = np.float32(missing)
        below = np.float64(np.nextafter(code, np.float32(-np.inf)))
    first = np.nextafter(left_limits(np.array([below]), strict=False, single=True), np.inf)
    last = left_limits(np.array([np.float64(code)]), strict=False, single=True)
    is_number = (trees.feature >= 0) & (trees.codes < 0)
    return replace(trees, zero_is_missing=is_number, missing_ends=np.tile([first[0], last[0]], (len(trees.feature), 1)))


def _rows_all_over(trees: TreeSum) -> FloatArray:
    """Rows of numbers on cuts and beside them, of shape (ROWS_ASKED, n_features); codes are whole and not negative."""
    rng = np.random.default_rng(0)
    rows = np.zeros((ROWS_ASKED, trees.n_features))
    for j, cuts in enumerate(trees.cuts()):
        if len(cuts):
            rows[:, j] = rng.choice(np.concatenate([cuts, np.nextafter(cuts, np.inf)]), ROWS_ASKED)
    codes = np.unique(trees.feature[trees.codes >= 0])
    rows[:, codes] = np.maximum(np.floor(rows[:, codes]), 0.0)
    largest = float(np.finfo(np.float32).max)  # beyond is infinity, which XGBoost refuses
    return np.clip(rows, -largest, largest)


def _possible(trees: TreeSum, weights: list[float] | None, bases: list[FloatArray]) -> Iterator[TreeSum]:
    """Form sums as they may be meant: with each base, the leaves as they are or multiplied by the weights of trees.

    Releases before 3.4 predict each tree by itself where rows are predicted in place: the base is added to its leaf
    and taken away again, which rounds.
    """
    for base in bases:
        based = replace(trees, base=base)
        if weights is None:
            yield based
            continue
        leaf, start = trees.value.astype(np.float32), base.astype(np.float32)
        of_node = np.repeat(np.array(weights, dtype=np.float32), np.diff(np.append(trees.roots, len(leaf))))[:, None]
        for each in (leaf, (start + leaf) - start):
            yield replace(based, value=(each * of_node).astype(np.float64))


def _sums(booster: Estimator, rows: FloatArray, in_place: bool) -> FloatArray:
    """Return sums of leaves as the booster forms them, of shape (n_rows,) or (n_rows, n_scores)."""
    if in_place:
        return np.asarray(booster.inplace_predict(rows, predict_type="margin", validate_features=False))
    from xgboost import DMatrix  # whoever has a booster has its library

    asked = DMatrix(rows, feature_names=booster.feature_names, feature_types=booster.feature_types)
    return np.asarray(booster.predict(asked, output_margin=True))
