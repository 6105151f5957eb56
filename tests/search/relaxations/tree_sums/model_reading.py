"""Sums of trees read from the libraries' own files and attributes, by code that knows nothing of elsewise's reader.

A tree is a list of nodes; a node is ``("leaf", scores)`` or ``("split", column, goes_left, left, right)``, where
``goes_left`` is a function of a number, as the library compares it.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass
class Reading:
    """What a model adds up: trees of leaf scores, scores to start from, and how exact the library's own sums are."""

    trees: list[list[tuple]]
    base: list[float]
    eps: float

    def conditions(self, target: int, leaf: list[float]) -> list[float]:
        """What a leaf (or the base) adds to each condition: the target's lead over every other class."""
        if len(leaf) == 1:  # one score, positive for the second class
            return [leaf[0] if target == 1 else -leaf[0]]
        return [leaf[target] - other for place, other in enumerate(leaf) if place != target]

    def least(self, target: int) -> list[float]:
        """What the conditions must reach, lowered by what rounding can do to the library's sums."""
        size = sum(max(abs(v) for node in tree if node[0] == "leaf" for v in node[1]) for tree in self.trees)
        size += max(abs(v) for v in self.base)
        slack = 2 * (len(self.trees) + 2) * self.eps * size
        return [-slack - base for base in self.conditions(target, self.base)]


def _as_32_bits_at_most(threshold: float):
    return lambda x: float(np.float32(x)) <= threshold


def _at_most(threshold: float):
    return lambda x: x <= threshold


def _as_32_bits_below(threshold: float):
    return lambda x: np.float32(x) < np.float32(threshold)


def _is_one_of(codes: list[int], missing: bool):
    return lambda x: missing if math.isnan(x) else x in codes


def _is_none_of(codes: list[int], missing: bool):
    return lambda x: missing if math.isnan(x) else x not in codes


def _of_sklearn(tree: Any, scores) -> list[tuple]:
    nodes = []
    for k in range(tree.node_count):
        if tree.children_left[k] < 0:
            nodes.append(("leaf", scores(tree.value[k])))
        else:
            goes = _as_32_bits_at_most(float(tree.threshold[k]))
            nodes.append(("split", int(tree.feature[k]), goes, int(tree.children_left[k]), int(tree.children_right[k])))
    return nodes


def _of_xgboost(model: Any) -> Reading:
    booster = model.get_booster()
    learner = json.loads(booster.save_raw("json").decode())["learner"]
    given = learner["learner_model_param"]["base_score"].strip("[]").split(",")
    n_classes = max(1, int(learner["learner_model_param"]["num_class"]))
    if n_classes == 1:
        p = float(np.float32(float(given[0])))
        base = [math.log(p / (1 - p))]
    else:
        base = [float(v) for v in given] if len(given) == n_classes else [float(given[0])] * n_classes
    trees = []
    of_class = learner["gradient_booster"]["model"]["tree_info"]
    for tree, c in zip(learner["gradient_booster"]["model"]["trees"], of_class):
        nodes = []
        first = dict(zip(tree["categories_nodes"], tree["categories_segments"]))
        count = dict(zip(tree["categories_nodes"], tree["categories_sizes"]))
        for k in range(len(tree["left_children"])):
            if tree["left_children"][k] < 0:
                nodes.append(("leaf", [tree["split_conditions"][k] if j == c else 0.0 for j in range(n_classes)]))
            else:
                goes = _as_32_bits_below(tree["split_conditions"][k])
                if k in first:  # codes that are listed go right
                    listed = tree["categories"][first[k] : first[k] + count[k]]
                    goes = _is_none_of(listed, bool(tree["default_left"][k]))
                nodes.append(
                    ("split", tree["split_indices"][k], goes, tree["left_children"][k], tree["right_children"][k])
                )
        trees.append(nodes)
    return Reading(trees, base, float(np.finfo(np.float32).eps))


# LightGBM's constant for what is just below zero is printed one bit above what its `predict` compares with.
_BELOW_ZERO = -1.0000000180025095e-35


def _of_lightgbm(model: Any) -> Reading:
    dump = model.booster_.dump_model()
    n_scores, trees = dump["num_tree_per_iteration"], []
    for place, tree in enumerate(dump["tree_info"]):
        nodes: list[Any] = []

        def add(node, own=nodes, c=place % n_scores):
            number = len(own)
            own.append(None)
            if "leaf_value" in node:
                own[number] = ("leaf", [node["leaf_value"] if j == c else 0.0 for j in range(n_scores)])
            else:
                limit = node["threshold"]
                if node["decision_type"] == "==":
                    goes = _is_one_of([int(code) for code in limit.split("||")], False)
                else:
                    assert node["decision_type"] == "<="
                    goes = _at_most(math.nextafter(limit, -math.inf) if limit == _BELOW_ZERO else limit)
                own[number] = ("split", node["split_feature"], goes, add(node["left_child"]), add(node["right_child"]))
            return number

        add(tree["tree_structure"])
        trees.append(nodes)
    return Reading(trees, [0.0] * n_scores, float(np.finfo(np.float64).eps))


def _of_histograms(model: Any) -> Reading:
    base = [float(value) for value in np.ravel(model._baseline_prediction)]
    is_category = [False] * model.n_features_in_ if model.is_categorical_ is None else model.is_categorical_.tolist()
    column = sorted(range(model.n_features_in_), key=lambda j: not is_category[j])  # categories come first
    trees = []
    for of_iteration in model._predictors:
        for c, predictor in enumerate(of_iteration):
            nodes = []
            for node in predictor.nodes:
                if node["is_leaf"]:
                    nodes.append(("leaf", [float(node["value"]) if j == c else 0.0 for j in range(len(base))]))
                    continue
                goes = _at_most(float(node["num_threshold"]))
                if node["is_categorical"]:
                    words = predictor.raw_left_cat_bitsets[node["bitset_idx"]]
                    codes = [code for code in range(256) if int(words[code // 32]) >> (code % 32) & 1]
                    goes = _is_one_of(codes, bool(node["missing_go_to_left"]))
                nodes.append(("split", column[node["feature_idx"]], goes, int(node["left"]), int(node["right"])))
            trees.append(nodes)
    return Reading(trees, base, float(np.finfo(np.float64).eps))


def read(model: Any) -> Reading:
    """Read a classifier of numbers, and of codes of categories."""
    kind, double = type(model).__name__, float(np.finfo(np.float64).eps)
    if kind in ("RandomForestClassifier", "ExtraTreesClassifier"):
        trees = [
            _of_sklearn(one.tree_, lambda value: [float(v) for v in value[0] / value[0].sum()])
            for one in model.estimators_
        ]
        return Reading(trees, [0.0] * len(model.classes_), double)
    if kind == "GradientBoostingClassifier":
        n_scores = model.estimators_.shape[1]
        prior = np.asarray(model.init_.class_prior_)
        base = [math.log(prior[1] / prior[0])] if n_scores == 1 else [float(v) for v in np.log(prior)]
        trees = [
            _of_sklearn(
                one.tree_,
                lambda value, c=c: [
                    model.learning_rate * float(value[0, 0]) if j == c else 0.0 for j in range(n_scores)
                ],
            )
            for stage in model.estimators_
            for c, one in enumerate(stage)
        ]
        return Reading(trees, base, double)
    if kind == "HistGradientBoostingClassifier":
        return _of_histograms(model)
    if kind == "XGBClassifier":
        return _of_xgboost(model)
    return _of_lightgbm(model)
