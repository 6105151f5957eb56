"""What an ONNX graph computes, followed node by node with symbols in the place of numbers.

A graph that is read is a chain: input columns, operations on single columns, and then either layers of a network, a
linear model, or a tree ensemble, whose scores become labels, probabilities or numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeGuard

import numpy as np

from ...arrays import AnyArray, FloatArray, JsonObject, ReadObject, UserValue
from ...errors import UnsupportedModelError
from ...search.relaxations.tree_sums.trees import TreeSum
from .columns import ColumnChain
from .encoders import GraphColumns, TextColumn
from .tree_ensembles import read_trees, with_leaves_as_nodes

Columns = tuple[ColumnChain, ...]
Texts = tuple[TextColumn, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """Scores ``W a + b`` behind hidden layers of a network; without any, ``a`` are the columns.

    Attributes
    ----------
    columns : tuple of ColumnChain
    layers : tuple of (W, b, str)
        Weights, intercepts and the name of the activation of each hidden layer.
    W, b : arrays of shape (n_scores, n_units), (n_scores,)
    link : str
        The function that the scores have gone through; "" for none.
    """

    columns: Columns
    layers: tuple[tuple[FloatArray, FloatArray, str], ...]
    W: FloatArray
    b: FloatArray
    link: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class TreeScores:
    """Sums of trees; ``cut`` is what the only sum of two classes must be above for the second one."""

    trees: TreeSum
    link: str
    cut: float = np.nan


@dataclass(frozen=True, slots=True, eq=False)
class Complement:
    """One minus a probability."""

    of: Scores


@dataclass(frozen=True, slots=True, eq=False)
class TwoProbabilities:
    """A probability of the second class, and what it leaves to the first."""

    of: Scores


@dataclass(frozen=True, slots=True, eq=False)
class ArgMax:
    """The position of the largest score."""

    of: Scores | TwoProbabilities


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """Labels that scores decide; two of them by one score where it is a probability of the second."""

    classes: AnyArray
    of: Scores | TwoProbabilities | TreeScores


@dataclass(frozen=True, slots=True, eq=False)
class Probabilities:
    """Probabilities of classes."""


Value = (
    Columns
    | Texts
    | Scores
    | TreeScores
    | Complement
    | TwoProbabilities
    | ArgMax
    | Labels
    | Probabilities
    | AnyArray
    | None
)


def follow(graph: Any, columns: GraphColumns) -> dict[str, Value]:
    """Follow a graph to the end; values by name.

    Parameters
    ----------
    graph : onnx.GraphProto
    columns : GraphColumns
        The inputs by their names; encoders that are met are put down there.

    Raises
    ------
    UnsupportedModelError
        A node is not one that is read, or not there.
    """
    from onnx import numpy_helper
    from onnx.helper import get_attribute_value

    values: dict[str, Value] = {"": None, **columns.of_inputs}
    values.update({one.name: numpy_helper.to_array(one) for one in graph.initializer})
    for node in graph.node:
        attributes = {one.name: get_attribute_value(one) for one in node.attribute}
        outputs = _node(node.op_type, [values[name] for name in node.input], attributes, columns)
        values.update(zip(node.output, outputs))
    return values


def _node(kind: str, inputs: list[Value], attributes: JsonObject, columns: GraphColumns) -> tuple[Value, ...]:
    """Return the outputs of a node."""
    first = inputs[0] if inputs else None
    if kind in ("TreeEnsembleClassifier", "TreeEnsembleRegressor", "TreeEnsemble") and is_of_numbers(first):
        return _tree_ensemble(kind, first, attributes, columns.n_columns)
    if kind == "OneHotEncoder" and isinstance(first, tuple) and len(first) == 1:
        return (columns.one_hot(first[0], attributes),)
    if kind == "LabelEncoder" and isinstance(first, tuple) and len(first) == 1:
        return (columns.codes(first[0], attributes),)
    if kind == "Normalizer" and isinstance(first, tuple):
        raise UnsupportedModelError(
            "This ONNX graph has a Normalizer, which divides rows by their norms: no function of single columns. "
            "Normalise before the graph, or scale columns (StandardScaler, MinMaxScaler) instead."
        )
    follower = _FOLLOWERS.get(kind)
    found = None if follower is None else follower(kind, inputs, attributes)
    if found is None:
        what = ", ".join(type(one).__name__ for one in inputs if one is not None)
        raise UnsupportedModelError(
            f"This ONNX graph has a node {kind} of {what} that is not read: expected operations on single columns, "
            "then one linear model, tree ensemble or network of Gemm or MatMul and Add with Relu, Tanh or Sigmoid."
        )
    return found if isinstance(found, list) else (found,)  # type: ignore[return-value]


def is_of_numbers(value: Value) -> TypeGuard[Columns]:
    """Whether a value is columns of numbers."""
    return isinstance(value, tuple) and all(isinstance(one, ColumnChain) for one in value)


def _constants(value: UserValue, n: int) -> FloatArray | None:
    """Return a constant that is broadcast over n columns, array of shape (n,); None if it is none."""
    if not isinstance(value, np.ndarray) or value.dtype.kind != "f" or value.size not in (1, n):
        return None
    if value.size > 1 and value.shape[-1] != n:
        return None
    return np.broadcast_to(value.ravel().astype(np.float64), (n,))


def _arithmetic(kind: str, inputs: list[Value], attributes: JsonObject) -> Value:
    """Add, Sub, Mul, Div of columns or scores and a constant; one minus a probability."""
    first, second = inputs
    if isinstance(first, np.ndarray) and isinstance(second, Scores) and kind == "Sub":
        is_complement = second.link == "Sigmoid" and len(second.b) == 1 and first.size == 1 and first.ravel()[0] == 1
        return Complement(second) if is_complement else None
    if isinstance(first, np.ndarray) and kind in ("Add", "Mul"):
        first, second = second, first
    if is_of_numbers(first):
        constants = _constants(second, len(first))
        return None if constants is None else tuple(one.then(kind, c) for one, c in zip(first, constants))
    if isinstance(first, Scores) and not first.link and kind in ("Add", "Sub"):
        constants = _constants(second, len(first.b))
        if constants is not None:
            return replace(first, b=first.b + (constants if kind == "Add" else -constants))
    return None


def _linear(kind: str, inputs: list[Value], attributes: JsonObject) -> Value:
    """MatMul and Gemm by constant weights."""
    first, weights, *more = inputs
    if not isinstance(weights, np.ndarray) or weights.ndim != 2 or attributes.get("transA", 0):
        return None
    W = weights.astype(np.float64) if attributes.get("transB", 0) else weights.T.astype(np.float64)
    W = W * attributes.get("alpha", 1.0)
    b = np.zeros(len(W))
    if more and more[0] is not None:
        constants = _constants(more[0], len(W))
        if constants is None:
            return None
        b = constants * attributes.get("beta", 1.0)
    return _layer(first, W, b)


def _layer(value: Value, W: FloatArray, b: FloatArray) -> Scores | None:
    """Put scores behind columns or behind other scores."""
    if is_of_numbers(value):
        return Scores(value, (), W, b)
    if isinstance(value, Scores) and value.link in ("", "Relu", "Tanh", "Sigmoid"):
        return Scores(value.columns, (*value.layers, (value.W, value.b, value.link)), W, b)
    return None


def _activation(kind: str, inputs: list[Value], attributes: JsonObject) -> Value:
    value = inputs[0]
    if not isinstance(value, Scores) or value.link:
        return None
    if kind == "Softmax" and (attributes.get("axis", -1) not in (1, -1) or len(value.b) < 2):
        return None
    return replace(value, link=kind)


def _same(kind: str, inputs: list[Value], attributes: JsonObject) -> Value:
    """Identity, casts to 32 bits or of labels, reshaping, and what is done to probabilities."""
    value = inputs[0]
    if isinstance(value, Probabilities) or kind == "ZipMap":
        return Probabilities()
    if kind == "Identity" or (kind == "Cast" and isinstance(value, (Labels, ArgMax))):
        return value
    if kind == "Cast":
        # to 32 bits; whole numbers and text as they are
        to = attributes["to"]
        is_kept = (to in (1, 7, 8) and isinstance(value, tuple)) or (to == 1 and isinstance(value, Scores))
        return value if is_kept else None
    return value if kind == "Reshape" and isinstance(value, (Labels, Scores, tuple)) else None


def _imputer(kind: str, inputs: list[Value], attributes: JsonObject) -> Value:
    """Let numbers pass that are there; missing ones are not taken."""
    is_of_nan = np.isnan(attributes.get("replaced_value_float", 0.0))
    return inputs[0] if is_of_nan and is_of_numbers(inputs[0]) else None


def _scaler(kind: str, inputs: list[Value], attributes: JsonObject) -> Value:
    if not is_of_numbers(inputs[0]):
        return None
    n = len(inputs[0])
    offsets, scales = (np.broadcast_to(np.array(attributes[name]), (n,)) for name in ("offset", "scale"))
    return tuple(one.then("Sub", o).then("Mul", s) for one, o, s in zip(inputs[0], offsets, scales))


def _concatenation(kind: str, inputs: list[Value], attributes: JsonObject) -> Value:
    if attributes["axis"] not in (1, -1):
        return None
    if all(isinstance(value, tuple) for value in inputs):
        return tuple(one for value in inputs if isinstance(value, tuple) for one in value)  # type: ignore[return-value]
    first, *others = inputs
    return TwoProbabilities(first.of) if isinstance(first, Complement) and others == [first.of] else None


def _constant(kind: str, inputs: list[Value], attributes: JsonObject) -> Value:
    from onnx import numpy_helper

    return numpy_helper.to_array(attributes["value"]) if "value" in attributes else None


def _largest(kind: str, inputs: list[Value], attributes: JsonObject) -> Value:
    value = inputs[0]
    is_last = attributes.get("axis", 0) in (1, -1) and not attributes.get("select_last_index", 0)
    several = isinstance(value, Scores) and len(value.b) > 1 and value.link in ("", "Softmax", "Sigmoid")
    if is_last and (isinstance(value, TwoProbabilities) or several):
        return ArgMax(value)  # type: ignore[arg-type]
    return None


def _extraction(kind: str, inputs: list[Value], attributes: JsonObject) -> Value:
    """Columns by their positions, or labels by the position of the largest score."""
    first, second = inputs
    if isinstance(first, tuple) and isinstance(second, np.ndarray):
        return tuple(first[int(place)] for place in second.ravel())  # type: ignore[return-value]
    if isinstance(first, Probabilities):
        return Probabilities()
    return Labels(first.ravel(), second.of) if isinstance(first, np.ndarray) and isinstance(second, ArgMax) else None


def _label_encoder(kind: str, inputs: list[Value], attributes: JsonObject) -> Value:
    """Other names of labels."""
    value = inputs[0]
    keys, names = (
        next((attributes[f"{what}_{of}"] for of in ("int64s", "strings") if f"{what}_{of}" in attributes), None)
        for what in ("keys", "values")
    )
    if not isinstance(value, Labels) or keys is None or names is None:
        return None
    known = dict(zip(map(_plain, keys), map(_plain, names)))
    if not set(value.classes.tolist()) <= set(known):
        return None
    return replace(value, classes=np.array([known[label] for label in value.classes.tolist()]))


def _linear_model(kind: str, inputs: list[Value], attributes: JsonObject) -> Any:
    """LinearClassifier with a score for each class, LinearRegressor with one number."""
    intercepts = np.array(attributes.get("intercepts", [0.0]), dtype=np.float64)
    W = np.array(attributes["coefficients"], dtype=np.float64).reshape(len(intercepts), -1)
    scores = _layer(inputs[0], W, intercepts)
    if scores is None or not is_of_numbers(inputs[0]):
        return None
    if kind == "LinearRegressor":
        return scores if len(W) == 1 and attributes.get("post_transform", b"NONE") == b"NONE" else None
    classes = labels_of(attributes)
    return [Labels(classes, scores), Probabilities()] if len(W) == len(classes) else None


def _support_vectors(kind: str, inputs: list[Value], attributes: JsonObject) -> Any:
    """SVMClassifier of two classes and SVMRegressor with a linear kernel: one linear score."""
    rho = attributes.get("rho", [])
    is_plain = attributes.get("post_transform", b"NONE") == b"NONE" and not attributes.get("prob_a")
    if attributes.get("kernel_type", b"LINEAR") != b"LINEAR" or len(rho) != 1 or not is_plain:
        return None
    coefficients = np.array(attributes["coefficients"], dtype=np.float64)
    W = coefficients @ np.array(attributes["support_vectors"], dtype=np.float64).reshape(len(coefficients), -1)
    if kind == "SVMRegressor":
        return None if attributes.get("one_class", 0) else _layer(inputs[0], W[None], np.array(rho))
    scores = _layer(inputs[0], -W[None], -np.array(rho))  # a score above zero is for the first class
    return None if scores is None else [Labels(labels_of(attributes), scores), Probabilities()]


def _tree_ensemble(kind: str, columns: Columns, attributes: JsonObject, n_inputs: int) -> tuple[Value, ...]:
    link = attributes.get("post_transform", b"NONE")
    link = link.decode() if isinstance(link, bytes) else ("NONE" if link == 0 else str(link))
    if kind != "TreeEnsembleClassifier":
        n_targets, sums = attributes.get("n_targets", 1), (b"SUM", 1)
        if n_targets != 1 or link != "NONE" or attributes.get("aggregate_function", b"SUM") not in sums:
            raise UnsupportedModelError(
                f"A {kind} is read if it has one target, that is a sum without a function behind it."
            )
        attributes = with_leaves_as_nodes(attributes) if kind == "TreeEnsemble" else attributes
        return (TreeScores(read_trees(attributes, columns, n_inputs, 1, "target"), link),)
    classes = labels_of(attributes)
    is_single = len(classes) == 2 and len(set(attributes["class_ids"])) == 1
    trees = read_trees(attributes, columns, n_inputs, 1 if is_single else len(classes), "class")
    # onnxruntime takes sums without negative terms for probabilities
    cut = (0.5 if min(attributes["class_weights"]) >= 0 else 0.0) if is_single else np.nan
    return Labels(classes, TreeScores(trees, link, cut)), Probabilities()


def labels_of(attributes: ReadObject) -> AnyArray:
    """Labels of a classifier's attributes."""
    names = ("classlabels_ints", "classlabels_int64s", "classlabels_strings")
    return np.array([_plain(one) for name in names for one in attributes.get(name, ())])


def _plain(value: UserValue) -> Any:
    return value.decode() if isinstance(value, bytes) else value


_FOLLOWERS: dict[str, Callable[[str, list[Value], JsonObject], Any]] = {
    **dict.fromkeys(["Add", "Sub", "Mul", "Div"], _arithmetic),
    **dict.fromkeys(["MatMul", "Gemm"], _linear),
    **dict.fromkeys(["Relu", "Tanh", "Sigmoid", "Softmax"], _activation),
    **dict.fromkeys(["Identity", "Cast", "Reshape", "Normalizer", "ZipMap"], _same),
    **dict.fromkeys(["LinearClassifier", "LinearRegressor"], _linear_model),
    "ArgMax": _largest,
    "Constant": _constant,
    "ArrayFeatureExtractor": _extraction,
    "Concat": _concatenation,
    "Imputer": _imputer,
    "LabelEncoder": _label_encoder,
    "Scaler": _scaler,
    **dict.fromkeys(["SVMClassifier", "SVMRegressor"], _support_vectors),
}
