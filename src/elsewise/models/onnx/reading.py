"""Models in ONNX files: predictions by onnxruntime, and the graph as it was read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from ...arrays import AnyArray, BoolArray, Estimator, FloatArray, JsonObject, UserData
from ...errors import InvalidInputError, MissingDependencyError, UnsupportedModelError
from ..file_model import FileModel
from ..registry import register_adapter
from .encoders import GraphColumns
from .graph import Labels, Scores, TreeScores, TwoProbabilities, Value, follow, labels_of

# ONNX's element types of inputs that are taken, with NumPy's.
_TYPES = {1: np.float32, 11: np.float64, 7: np.int64, 6: np.int32, 8: np.object_}


class OnnxModel(FileModel):
    """A model in an ONNX file: ``predict`` is onnxruntime's.

    Parameters
    ----------
    content : bytes
    classes : sequence of labels, optional

    Attributes
    ----------
    decision : Labels, Scores, TreeScores or None
        What the graph computes; None where it is only asked.
    reason : str
        Why it is only asked.
    columns : GraphColumns
        Its inputs and encoders of categories.
    n_features_in_ : int
    feature_names_in_ : array of str
        Names of the inputs, if there are several of one column each.
    """

    def __init__(self, content: bytes, classes: Any = None) -> None:
        self.content, self.classes = content, classes
        self._prepare()

    def _prepare(self) -> None:
        onnx, runtime = _libraries()
        graph = onnx.load_from_string(self.content).graph
        constants = {one.name for one in graph.initializer}
        self._inputs = [(one.name, one.type.tensor_type) for one in graph.input if one.name not in constants]
        self._session = _session(runtime, self.content)
        widths = [_width(name, kind) for name, kind in self._inputs]
        self.n_features_in_ = sum(widths)
        if len(widths) > 1:
            self.feature_names_in_ = np.array([name for name, _ in self._inputs], dtype=object)
        self.decision, self.reason, self._place = None, "", 0
        self._imputes = any(node.op_type == "Imputer" for node in graph.node)
        try:
            self.decision = self._read(graph, widths)
        except UnsupportedModelError as error:
            self.reason = str(error)
        self._classes = self._labels(graph)

    def __getstate__(self) -> JsonObject:
        return {"content": self.content, "classes": self.classes}

    def __setstate__(self, state: JsonObject) -> None:
        self.__dict__.update(state)
        self._prepare()

    def _read(self, graph: Any, widths: list[int]) -> Any:
        """Follow the graph, and find the output that decides."""
        for name, kind in self._inputs:
            if kind.elem_type not in (1, 6, 7, 8):
                raise UnsupportedModelError(
                    f"The input {name!r} of this ONNX graph is neither of 32-bit floats nor of whole numbers or text; "
                    "expected these where a graph is read."
                )
        self.columns = GraphColumns(
            [(name, width, kind.elem_type == 8) for (name, kind), width in zip(self._inputs, widths)]
        )
        values = follow(graph, self.columns)
        outputs = [values[one.name] for one in graph.output]
        labels = [one for one in outputs if isinstance(one, Labels)]
        found: Value = labels[0] if labels else outputs[0]
        self._place = next(k for k, one in enumerate(outputs) if one is found)
        if isinstance(found, (Scores, TwoProbabilities)):
            found = self._as_labels(found)
        if not isinstance(found, (Labels, Scores, TreeScores)):
            raise UnsupportedModelError("The outputs of this ONNX graph are neither labels nor scores nor one number.")
        return found

    def _as_labels(self, scores: Scores | TwoProbabilities) -> Labels | Scores:
        """Scores of a network without labels: classes are 0, 1, ... unless they were given."""
        n_outputs = 2 if isinstance(scores, TwoProbabilities) else len(scores.b)
        link = scores.link if isinstance(scores, Scores) else ""
        if isinstance(scores, Scores) and n_outputs == 1 and not link and self.classes is None:
            return scores
        if link not in ("", "Sigmoid", "Softmax"):
            raise UnsupportedModelError(f"The scores of this ONNX graph end in {link}; expected Sigmoid or Softmax.")
        return Labels(np.arange(max(n_outputs, 2)) if self.classes is None else np.asarray(self.classes), scores)

    def _labels(self, graph: Any) -> AnyArray | None:
        """Labels of a classifier; None for a regressor."""
        if isinstance(self.decision, Labels):
            return self.decision.classes
        if self.decision is not None:
            return None
        if self.classes is not None:
            return np.asarray(self.classes)
        from onnx.helper import get_attribute_value

        for node in graph.node:
            found = labels_of({one.name: get_attribute_value(one) for one in node.attribute})
            if len(found):
                return found
        return None

    def run(self, X: UserData) -> list[Any]:
        """Return the outputs of the graph for rows: a frame or an array of shape (n_samples, n_columns)."""
        return self._run(self._session, X)

    def _run(self, session: Any, X: UserData) -> list[Any]:
        feeds: JsonObject = {}
        dense = X.toarray() if hasattr(X, "toarray") else X  # what encoders of categories give is often sparse
        first = 0
        for name, kind in self._inputs:
            width = 1 if len(self._inputs) > 1 else self.n_features_in_
            if hasattr(X, "columns"):
                chosen = X[[name]] if len(self._inputs) > 1 else X
                values = chosen.to_numpy()
            else:
                values = np.asarray(dense)[:, first : first + width]
            feeds[name] = _as_type(values, name, kind.elem_type)
            first += width
        return list(session.run(None, feeds))

    def tree_sums(self, X: UserData) -> FloatArray:
        """Compute the sums of the tree ensemble of the graph by onnxruntime, before any function of them.

        Returns
        -------
        array of shape (n_samples, n_scores)
            Two for two classes that one sum decides: the sum is the second.
        """
        onnx, runtime = _libraries()
        changed = onnx.load_from_string(self.content)
        node = next(one for one in changed.graph.node if one.op_type.startswith("TreeEnsemble"))
        kept = [one for one in node.attribute if one.name != "post_transform"]
        del node.attribute[:]
        node.attribute.extend(kept)
        output = onnx.helper.make_tensor_value_info(node.output[-1], 1, None)
        del changed.graph.output[:]
        changed.graph.output.append(output)
        sums = self._run(_session(runtime, changed.SerializeToString()), X)[0]
        return np.asarray(sums, dtype=np.float64).reshape(len(X), -1)

    @property
    def encoders(self) -> Any:
        """The transformer that stands for encoders of categories in the graph; None if there are none."""
        return self.columns.transformer() if self.decision is not None and self.columns.encoders else None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        of = self.decision.of if isinstance(self.decision, Labels) else self.decision
        tags.input_tags.allow_nan = isinstance(of, TreeScores) and not self._imputes
        return tags

    @property
    def takes_whole_numbers(self) -> BoolArray:
        """Columns that are whole numbers in the graph, bool array of shape (n_columns,)."""
        width = 1 if len(self._inputs) > 1 else self.n_features_in_
        return np.repeat([kind.elem_type in (6, 7) for _, kind in self._inputs], width)

    @property
    def is_classifier(self) -> bool:
        """Whether it has labels."""
        return self._classes is not None

    @property
    def network(self) -> Scores | None:
        """Scores of a network or a linear model; None for trees."""
        of = self.decision.of if isinstance(self.decision, Labels) else self.decision
        return of.of if isinstance(of, TwoProbabilities) else of if isinstance(of, Scores) else None


class OnnxClassifier(OnnxModel, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier in an ONNX file."""

    @property
    def classes_(self) -> AnyArray:
        """Labels."""
        assert self._classes is not None
        return self._classes

    def predict(self, X: UserData) -> AnyArray:
        """Predict labels by onnxruntime, array of shape (n_samples,)."""
        output = np.asarray(self.run(X)[self._place])
        if output.ndim == 1 or output.dtype.kind not in "f":
            return output.ravel()
        if output.shape[1] > 1:
            return np.asarray(self.classes_[output.argmax(axis=1)])
        network = self.network
        cut = 0.5 if network is None or network.link == "Sigmoid" else 0.0
        return np.asarray(self.classes_[(output[:, 0] > cut).astype(np.int64)])


class OnnxRegressor(OnnxModel, RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """A regressor in an ONNX file."""

    def predict(self, X: UserData) -> FloatArray:
        """Predict numbers by onnxruntime, array of shape (n_samples,)."""
        return np.asarray(self.run(X)[0], dtype=np.float64).ravel()


def read_onnx(source: Any, *, classes: Any = None) -> OnnxClassifier | OnnxRegressor:
    """Read a model from an ONNX file.

    Predictions are those of onnxruntime. The graph is read exactly where it is made of operations on single columns
    (OneHotEncoder, LabelEncoder, Scaler, Imputer of NaN, Add, Mul, Concat, Cast to 32 bits) and then a
    LinearClassifier, LinearRegressor, linear SVMClassifier or SVMRegressor, TreeEnsembleClassifier,
    TreeEnsembleRegressor, TreeEnsemble, or Gemm, MatMul and Add with Relu, Tanh and Sigmoid. Any other graph is a black
    box, and ``model.reason`` says why.

    Parameters
    ----------
    source : str, path, bytes or onnx.ModelProto
        A file, its content, or the model as onnx holds it, which :class:`~elsewise.Explainer` takes, too.
    classes : sequence of labels, optional
        Labels of a graph that has scores, but no labels: in the order of the scores, two for one score. Without,
        several scores, or one behind a Sigmoid, have the labels 0, 1, ...; one score is a number.

    Returns
    -------
    OnnxClassifier or OnnxRegressor
        A model that :class:`~elsewise.Explainer` takes.
    """
    if hasattr(source, "SerializeToString"):
        source = source.SerializeToString()
    content = bytes(source) if isinstance(source, (bytes, bytearray)) else Path(source).read_bytes()
    classifier = OnnxClassifier(content, classes)
    return classifier if classifier.is_classifier else OnnxRegressor(content, classes)


@register_adapter("onnx.onnx_ml_pb2.ModelProto")
def _of_onnx(model: Estimator) -> OnnxClassifier | OnnxRegressor:
    return read_onnx(model)


def _libraries() -> tuple[Any, Any]:
    try:
        import onnx
        import onnxruntime
    except ImportError as error:
        raise MissingDependencyError(
            "Models in ONNX files need onnx and onnxruntime. Install them with: pip install 'elsewise[onnx]'"
        ) from error
    return onnx, onnxruntime


def _session(runtime: Any, content: bytes) -> Any:
    """Return a session of one thread, which adds up trees one after the other."""
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3  # errors; files of converters may state the shapes of one row
    return runtime.InferenceSession(content, options, providers=["CPUExecutionProvider"])


def _width(name: str, kind: Any) -> int:
    sizes = [one.dim_value for one in kind.shape.dim]
    if len(sizes) != 2 or sizes[1] < 1 or kind.elem_type not in _TYPES:
        raise UnsupportedModelError(
            f"The input {name!r} of this ONNX graph has the shape {sizes}; expected rows of a known number of columns, "
            "of floats, whole numbers or text."
        )
    return int(sizes[1])


def _as_type(values: Any, name: str, elem_type: int) -> Any:
    kind = _TYPES[elem_type]
    with np.errstate(over="ignore", invalid="ignore"):
        converted = np.ascontiguousarray(values.astype(kind))
    if elem_type in (6, 7) and not (converted == values).all():
        raise InvalidInputError(f"The input {name!r} of this ONNX graph takes whole numbers; received others.")
    return converted
