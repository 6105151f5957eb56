"""What the harness and its workers agree on: a problem as plain arrays in, one line of JSON a row out.

Runs under every Python and scikit-learn a peer may pin (3.8 and 1.3 at the time of writing). The model is not trained
again: its parameters are put into the scikit-learn classes of the worker's own environment, so that every peer
explains the very same model, whatever release it needs.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np

TREE_NODES = ("left_child", "right_child", "feature", "threshold", "impurity", "n_node_samples")


class RowTimeout(BaseException):
    """A row took too long. Not an Exception, because some peers swallow every one of those."""


def model_arrays(model: Any) -> dict[str, Any]:
    """Parameters of a pipeline of at most one PCA and a softmax regression or decision tree."""
    arrays: dict[str, Any] = {}
    if len(model.steps) > 1:
        arrays.update(pca_components=model[0].components_, pca_mean=model[0].mean_)
    last = model[-1]
    if not hasattr(last, "tree_"):
        arrays.update(coef=last.coef_, intercept=last.intercept_)
        return arrays
    state = last.tree_.__getstate__()
    arrays.update({"tree_" + name: state["nodes"][name] for name in TREE_NODES})
    arrays.update(tree_values=state["values"], tree_depth=state["max_depth"])
    return arrays


def mixture_arrays(mixtures: list[Any]) -> dict[str, Any]:
    """Parameters of one Gaussian mixture a class."""
    arrays = {}
    for k, mixture in enumerate(mixtures):
        for name in ("weights_", "means_", "covariances_", "precisions_cholesky_"):
            arrays["mixture_" + str(k) + "_" + name] = getattr(mixture, name)
    return arrays


def rebuild_model(arrays: Any, **logistic: Any) -> Any:
    """Put the parameters into this environment's scikit-learn classes.

    Parameters
    ----------
    arrays : mapping of arrays, as written by the harness
    **logistic
        Constructor arguments of ``LogisticRegression`` that the peer insists on.
    """
    from sklearn.decomposition import PCA
    from sklearn.pipeline import make_pipeline

    n_features, n_classes = arrays["X_train"].shape[1], int(arrays["n_classes"])
    steps = []
    if "pca_components" in arrays:
        components = arrays["pca_components"]
        pca = PCA(len(components))
        pca.components_, pca.mean_, pca.n_components_ = components, arrays["pca_mean"], len(components)
        pca.explained_variance_ = np.ones(len(components))
        pca.n_features_in_, n_features = n_features, len(components)
        steps.append(pca)
    last = _tree(arrays, n_features, n_classes) if "tree_feature" in arrays else _softmax(arrays, logistic)
    last.classes_, last.n_features_in_ = np.arange(n_classes), n_features
    return make_pipeline(*steps, last)


def _softmax(arrays: Any, logistic: dict[str, Any]) -> Any:
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(**logistic)
    model.coef_, model.intercept_ = arrays["coef"], arrays["intercept"]
    return model


def _tree(arrays: Any, n_features: int, n_classes: int) -> Any:
    from sklearn.tree import DecisionTreeClassifier
    from sklearn.tree._tree import Tree

    # The layout of a node is this release's own: take it from a tree grown here, then fill in the fields by name.
    stump = DecisionTreeClassifier().fit([[0.0], [1.0]], [0, 1])
    nodes = np.zeros(len(arrays["tree_feature"]), dtype=stump.tree_.__getstate__()["nodes"].dtype)
    for name in TREE_NODES:
        nodes[name] = arrays["tree_" + name]
    nodes["weighted_n_node_samples"] = nodes["n_node_samples"]
    tree = Tree(n_features, np.array([n_classes], dtype=np.intp), 1)
    tree.__setstate__(
        {
            "max_depth": int(arrays["tree_depth"]),
            "node_count": len(nodes),
            "nodes": nodes,
            "values": np.ascontiguousarray(arrays["tree_values"], dtype=np.float64),
        }
    )
    model = DecisionTreeClassifier(max_depth=7, random_state=0)
    model.tree_, model.n_outputs_, model.n_classes_, model.max_features_ = tree, 1, n_classes, n_features
    return model


def rebuild_mixtures(arrays: Any) -> list[Any]:
    """Fitted mixtures, one a class, in the space the estimator sees."""
    from sklearn.mixture import GaussianMixture

    found = []
    for k in range(int(arrays["n_classes"])):
        prefix = "mixture_" + str(k) + "_"
        mixture = GaussianMixture(len(arrays[prefix + "weights_"]))
        for name in ("weights_", "means_", "covariances_", "precisions_cholesky_"):
            setattr(mixture, name, arrays[prefix + name])
        mixture.converged_, mixture.n_features_in_ = True, mixture.means_.shape[1]
        found.append(mixture)
    return found


def answers(
    explain: Callable[[Any, Any], Any], X: Any, targets: Any, *, row_seconds: float, seconds: float
) -> Iterator[dict[str, Any]]:
    """Explain row after row until the budget is used up.

    Every record has ``seconds``, ``point`` (None if there is none) and ``error`` (None if nothing went wrong). The
    first row is explained once beforehand, so that compilation on first use is not held against anybody.
    """
    _one(explain, X[0], targets[0], row_seconds)
    start = time.perf_counter()
    for x, target in zip(X, targets):
        if time.perf_counter() - start > seconds:
            return
        yield _one(explain, x, target, row_seconds)


def _one(explain: Callable[[Any, Any], Any], x: Any, target: Any, row_seconds: float) -> dict[str, Any]:
    point, error = None, None
    start = time.perf_counter()
    try:
        with _Limit(row_seconds):
            point = explain(x, target)
    except RowTimeout:
        error = "no answer within the time limit of a row"
    except Exception as problem:  # whatever a peer raises is its answer for this row, and is reported as such
        error = (traceback.format_exception_only(type(problem), problem)[-1].strip().splitlines() or ["error"])[0]
    elapsed = time.perf_counter() - start
    if point is not None:
        point = np.asarray(point, dtype=np.float64).ravel()
        if point.shape != np.shape(x) or not np.isfinite(point).all():
            point, error = None, error or "returned something that is not a finite point"
    elif error is None:
        error = "returned nothing"
    return {"seconds": elapsed, "point": None if point is None else point.tolist(), "error": error}


class _Limit:
    """Raise RowTimeout in the block after so many seconds, where the platform has interval timers."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def __enter__(self) -> None:
        if hasattr(signal, "setitimer"):
            signal.signal(signal.SIGALRM, self._raise)
            signal.setitimer(signal.ITIMER_REAL, self.seconds)

    def __exit__(self, *_: object) -> None:
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, 0.0)

    @staticmethod
    def _raise(*_: object) -> None:
        raise RowTimeout


def serve(prepare: Callable[[SimpleNamespace], Callable[[Any, Any], Any]]) -> None:
    """Read a problem, prepare the peer, explain the rows: the main function of every worker.

    The first line written says how long the preparation took, how far the rebuilt model agrees with the original, and
    what a reader should know.
    """
    parser = argparse.ArgumentParser()
    parser.add_argument("problem")
    parser.add_argument("out")
    parser.add_argument("--method", required=True)
    parser.add_argument("--rows", type=int, required=True)
    parser.add_argument("--row-seconds", type=float, required=True)
    parser.add_argument("--seconds", type=float, required=True)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115 (peers print progress; open until the end)
    with np.load(options.problem) as file:
        arrays = dict(file)
    with open(options.out, "w") as out:

        def write(record: dict[str, Any]) -> None:
            out.write(json.dumps(record) + "\n")
            out.flush()

        try:
            start = time.perf_counter()
            asked = SimpleNamespace(arrays=arrays, method=options.method, row_seconds=options.row_seconds, note="")
            explain = prepare(asked)
            prepared = time.perf_counter() - start
            agreement = np.mean(asked.model.predict(arrays["X_train"]) == arrays["predicted_train"])
            write({"prepared": prepared, "agreement": float(agreement), "note": asked.note})
        except Exception as problem:
            write({"failed": traceback.format_exception_only(type(problem), problem)[-1].strip()})
            return
        X, targets = arrays["X_test"][: options.rows], arrays["targets"][: options.rows]
        for record in answers(explain, X, targets, row_seconds=options.row_seconds, seconds=options.seconds):
            write(record)
