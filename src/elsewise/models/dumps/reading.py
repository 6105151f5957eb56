"""Files of XGBoost (JSON, UBJSON), LightGBM (text) and CatBoost (JSON), read without these libraries."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ...arrays import AnyArray, JsonObject
from ...errors import InvalidInputError, UnsupportedModelError
from ..trees.of_catboost import CatBoostLoss, require_plain_scale, written_catboost_trees
from ..trees.of_lightgbm import LightGBMText, lightgbm_trees
from ..trees.of_xgboost import written_xgboost_trees
from .model import DumpedClassifier, DumpedRegressor
from .scoring import CatBoostScoring, LightGBMScoring, Scoring, XGBoostScoring
from .sources import CatBoostTables, LightGBMCategories, PlainTrees, XGBoostCategories
from .ubjson import read_ubjson

Dumped = DumpedClassifier | DumpedRegressor
# A path, or the content of a file.
Source = str | Path | bytes | bytearray


def read_xgboost(
    source: Source, *, classes: Any = None, n_rounds: int | None = None, missing: float = np.nan
) -> Dumped:
    """Read a model that XGBoost has saved, without XGBoost.

    Sums and labels are XGBoost's, to the bit; probabilities and other functions of sums may differ from its own by one
    unit in the last place of 32 bits.

    Parameters
    ----------
    source : str, path or bytes
        A file of ``save_model``, as JSON or UBJSON, or its content.
    classes : sequence of labels, optional
        Labels of a classifier: 0, 1, ... without.
    n_rounds : int, optional
        Rounds of training that count. Without, those up to the best iteration if early stopping has left one, as
        XGBoost's estimators predict, else all. ``Booster.predict`` takes all.
    missing : float
        ``missing`` of the estimator, which files do not hold.

    Returns
    -------
    DumpedClassifier or DumpedRegressor
        A model that :class:`~elsewise.Explainer` takes, with or without XGBoost.
    """
    content = _content(source)
    is_binary = content[:1] == b"{" and content[1:2] in b"LiUIl$#"
    written = read_ubjson(content) if is_binary else _json(content, "xgboost", "booster.save_model('model.json')")
    learner = written.get("learner")
    if learner is None:
        raise InvalidInputError(
            "This is no model of XGBoost: expected what booster.save_model writes; dump_model leaves out what a "
            "prediction starts from."
        )
    best = learner.get("attributes", {}).get("best_iteration")
    rounds = n_rounds if n_rounds is not None or best is None else int(best) + 1
    types, names = learner.get("feature_types") or (), learner.get("feature_names") or None
    boosted = learner["gradient_booster"]
    kept = boosted.get("gbtree", boosted).get("model", {}).get("cats", {}).get("enc", [])
    categories = XGBoostCategories(tuple(types), kept) if "c" in types else None
    trees = written_xgboost_trees(written, rounds, missing)
    n_classes = max(int(learner["learner_model_param"]["num_class"]), 2)
    scoring = XGBoostScoring(str(learner["objective"]["name"]))
    return _model(PlainTrees(trees, categories), scoring, trees.n_features, names, _labels(classes, n_classes))


def read_lightgbm(source: Source, *, classes: Any = None) -> Dumped:
    """Read a model that LightGBM has saved, without LightGBM.

    Sums, labels and probabilities are LightGBM's, to the bit.

    Parameters
    ----------
    source : str, path or bytes
        A text file of ``booster.save_model``, or its content. It holds the trees up to the best iteration, if early
        stopping has left one.
    classes : sequence of labels, optional
        Labels of a classifier: 0, 1, ... without.

    Returns
    -------
    DumpedClassifier or DumpedRegressor
        A model that :class:`~elsewise.Explainer` takes, with or without LightGBM.
    """
    written = LightGBMText.parse(_content(source).decode("utf-8", "replace"))
    trees, names = lightgbm_trees(written), written.feature_names
    without_trees = replace(written, trees=())
    categories = LightGBMCategories(without_trees) if written.category_places or written.pandas_categorical else None
    unnamed = names == [f"Column_{place}" for place in range(len(names))]
    n_classes = max(written.n_trees_a_round, 2)
    return _model(
        PlainTrees(trees, categories),
        LightGBMScoring(written.objective),
        trees.n_features,
        None if unnamed else names,
        _labels(classes, n_classes),
    )


def read_catboost(source: Source) -> Dumped:
    """Read a model that CatBoost has saved as JSON, without CatBoost.

    Sums and labels are CatBoost's, to the bit, those of category columns too.

    Parameters
    ----------
    source : str, path or bytes
        A file of ``save_model(path, format="json")``, or its content.

    Returns
    -------
    DumpedClassifier or DumpedRegressor
        A model that :class:`~elsewise.Explainer` takes, with or without CatBoost.
    """
    written = _json(_content(source), "catboost", "model.save_model('model.json', format='json')")
    if "features_info" not in written or "scale_and_bias" not in written:
        raise InvalidInputError("This is no model of CatBoost: expected what save_model writes with format='json'.")
    require_plain_scale(written)
    info, facts = written["features_info"], written["model_info"]
    others = [kind for kind in ("text_features", "embedding_features") if info.get(kind)]
    if others:
        raise UnsupportedModelError(f"This CatBoost model has {others[0].replace('_', ' ')}, which are not supported.")
    features = {
        one["flat_feature_index"]: one["feature_id"]
        for kind in ("float_features", "categorical_features")
        for one in info.get(kind, [])
    }
    n_features = max(features) + 1
    names = [str(features.get(place, "")) for place in range(n_features)]
    threshold = facts.get("binclass_probability_threshold")
    loss = CatBoostLoss(str(facts["params"]["loss_function"]["type"]), None if threshold is None else float(threshold))
    tables = bool(info.get("categorical_features"))
    trees = CatBoostTables(written, n_features) if tables else PlainTrees(written_catboost_trees(written, n_features))
    classes = np.array(facts["class_params"]["class_names"]) if loss.is_of_classes else None
    return _model(trees, CatBoostScoring(loss), n_features, None if "" in names else names, classes)


def _content(source: Source) -> bytes:
    return bytes(source) if isinstance(source, (bytes, bytearray)) else Path(source).read_bytes()


def _json(content: bytes, library: str, how: str) -> JsonObject:
    try:
        written = json.loads(content)
    except ValueError as error:
        raise InvalidInputError(
            f"This is no JSON that {library} writes: {error}. Save the model with {how}."
        ) from error
    if not isinstance(written, dict):
        raise InvalidInputError(f"This is no model of {library}: expected what {how} writes.")
    return written


def _labels(classes: Any, n_classes: int) -> AnyArray:
    if classes is None:
        return np.arange(n_classes)
    if len(classes) != n_classes:
        raise InvalidInputError(f"classes: expected {n_classes} labels, received {len(classes)}.")
    return np.asarray(classes)


def _model(
    source: PlainTrees | CatBoostTables, scoring: Scoring, n_features: int, names: Any, classes: AnyArray | None
) -> Dumped:
    if scoring.is_of_classes:
        return DumpedClassifier(source, scoring, n_features, names, classes)
    return DumpedRegressor(source, scoring, n_features, names)
