r"""Regions of classifiers that choose the class of the nearest prototype.

A point belongs to class ``c`` when some prototype ``i`` of that class is at least as near as every prototype ``k`` of
the other classes, so each prototype of the class has one polyhedron, with a half-space for each prototype of another
class. With the distance :math:`d_k(z) = (z - w_k)^\top \Lambda (z - w_k) + h_k` the quadratic terms cancel:

.. math:: d_i(z) - d_k(z) = (N_k - N_i) \cdot z - (o_k - o_i) \le 0, \qquad
          N_k = 2 \Lambda w_k, \quad o_k = w_k^\top \Lambda w_k + h_k .

So all polyhedra of a :class:`~elsewise.models.PolyhedronUnion` share one table of half-spaces, the other classes'
``(N_k, o_k)``, and the class's own ``(N_i, o_i)`` are the shifts. ``Lambda`` is the relevance matrix of LVQ, the
identity for one nearest neighbour, and the inverse within-class variances for nearest centroids with unequal priors,
the only family with handicaps, :math:`h_k = -2 \log \pi_k`.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import issparse
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid

from ..arrays import AnyArray, FloatArray, IntArray
from ..errors import UnsupportedSettingError
from ..lvq import GeneralizedLVQ, GeneralizedMatrixLVQ
from ..search.region import Outcome, Probability, Response, require_label
from ..search.relaxations.polyhedra import PolyhedronUnion
from .registry import register, register_response


@register(GeneralizedLVQ, GeneralizedMatrixLVQ)
def lvq_region(model: GeneralizedLVQ | GeneralizedMatrixLVQ, outcome: Outcome) -> PolyhedronUnion:
    """Region of a class of generalized (matrix) learning vector quantization."""
    index = require_label(model, outcome).index
    return _nearest_prototype_region(model.prototypes_, model.prototype_labels_, index, relevance=model.relevance_)


@register(NearestCentroid)
def nearest_centroid_region(model: NearestCentroid, outcome: Outcome) -> PolyhedronUnion:
    """Region of a class of ``NearestCentroid(metric="euclidean")``, for any shrinkage and priors.

    With equal priors the model compares plain Euclidean distances. With unequal ones it compares
    ``||(z - w_k) / s||^2 - 2 log pi_k``, where ``s`` is the within-class standard deviation, 1 in place of 0.
    """
    index = require_label(model, outcome).index
    if model.metric != "euclidean":
        raise _unsupported(model, "metric", model.metric, '"euclidean"', "its boundaries are not linear")
    centroids, priors = model.centroids_, model.class_prior_
    labels = np.arange(len(centroids))
    if np.isclose(priors, 1 / len(priors)).all():  # the model's own test for equal priors
        return _nearest_prototype_region(centroids, labels, index)
    possible = priors > 0  # a class of prior 0 is never predicted
    deviations = np.where(model.within_class_std_dev_ == 0, 1.0, model.within_class_std_dev_)
    return _nearest_prototype_region(
        centroids[possible],
        labels[possible],
        index,
        relevance=np.diag(deviations**-2.0),
        handicaps=-2 * np.log(priors[possible]),
    )


@register(KNeighborsClassifier)
def nearest_neighbour_region(model: KNeighborsClassifier, outcome: Outcome) -> PolyhedronUnion:
    """Region of a class of ``KNeighborsClassifier(n_neighbors=1)`` with the Euclidean distance.

    Every training row is a prototype. The weights do not matter: a single neighbour decides alone.
    """
    index = require_label(model, outcome).index
    if model.n_neighbors != 1:
        reason = "a vote of several neighbours has too many cells"
        raise _unsupported(model, "n_neighbors", model.n_neighbors, "1", reason)
    curved = "its boundaries are not linear"
    if model.metric not in ("minkowski", "euclidean", "l2", "sqeuclidean"):
        raise _unsupported(model, "metric", model.metric, '"minkowski" with p=2, or "euclidean"', curved)
    if model.metric == "minkowski" and model.p != 2:
        raise _unsupported(model, "p", model.p, "2", curved)
    if model.metric_params:
        raise _unsupported(model, "metric_params", model.metric_params, "None", "they change the distance")
    if model.outputs_2d_:
        shape = f"shape {model._y.shape}"
        raise _unsupported(model, "y", shape, "one label per row", "several outputs have no single class")
    if issparse(model._fit_X):
        raise _unsupported(model, "X", "a sparse matrix", "a dense array", "its rows become prototypes")
    if not isinstance(model._fit_X, np.ndarray) or not hasattr(model, "n_features_in_"):
        reason = "a search tree or another estimator brings a distance of its own"
        raise _unsupported(model, "X", "a fitted search structure", "a dense array", reason)
    return _nearest_prototype_region(model._fit_X, model._y, index)


@register_response(GeneralizedLVQ, GeneralizedMatrixLVQ, NearestCentroid, KNeighborsClassifier)
def prototype_response_region(model: object, response: Response) -> PolyhedronUnion:
    """Explain that these families give no probability."""
    received = f", received {response.low!r}" if isinstance(response, Probability) else ""
    raise UnsupportedSettingError(
        f"{type(model).__name__} chooses the class of the nearest prototype, without a probability: expected "
        f"min_probability=None{received}. Leave min_probability out, or use a model that has probabilities of linear "
        "form, such as LogisticRegression."
    )


def _unsupported(model: object, setting: str, received: object, expected: str, reason: str) -> UnsupportedSettingError:
    """Make the error that names a setting without an exact description."""
    return UnsupportedSettingError(
        f"{setting} of {type(model).__name__}: expected {expected}, received {received!r}; {reason}, so there is no "
        f"exact description as a union of polyhedra. Fit the model again with {setting} as expected."
    )


def _nearest_prototype_region(
    prototypes: AnyArray,
    labels: IntArray,
    index: int,
    *,
    relevance: FloatArray | None = None,
    handicaps: FloatArray | None = None,
) -> PolyhedronUnion:
    """Region where some prototype of class ``index`` is at least as near as all prototypes of the other classes.

    Parameters
    ----------
    prototypes : array of shape (n_prototypes, n_features)
    labels : int array of shape (n_prototypes,)
    index : int
    relevance : array of shape (n_features, n_features), optional
        The matrix ``Lambda``; the identity if not given.
    handicaps : array of shape (n_prototypes,), optional
        The numbers ``h_k``, equal for equal prototypes of a class; zero if not given.

    Notes
    -----
    Equal prototypes of different classes are all kept: their cells touch in a tie that the model alone can decide.
    """
    W = np.asarray(prototypes, dtype=np.float64)
    h = np.zeros(len(W)) if handicaps is None else handicaps
    first = _first_of_equals(W, labels)
    W, labels, h = W[first], labels[first], h[first]

    # With w_k = m + u_k, every N_k changes by the same 2 Lambda m and every o_k by the same m' Lambda m when they are
    # written in u_k. Common terms cancel in every polyhedron, so leave them out: far from the origin they would drown
    # the differences that matter.
    m = W.mean(axis=0)
    u = W - m
    N = 2 * (u if relevance is None else u @ relevance)
    o = 0.5 * (N * u).sum(axis=1) + N @ m + h  # u'Lambda u + 2 m'Lambda u + h

    of_class = labels == index
    n_others, n_polyhedra = int((~of_class).sum()), int(of_class.sum())
    return PolyhedronUnion(
        normals=N[~of_class],
        offsets=o[~of_class],
        spans=np.tile(np.array([0, n_others], dtype=np.int64), (n_polyhedra, 1)),
        shifts=N[of_class],
        shift_offsets=o[of_class],
    )


def _first_of_equals(W: FloatArray, labels: IntArray) -> IntArray:
    """Positions of the prototypes that repeat no earlier one of the same class, ascending."""
    _, first = np.unique(np.column_stack([W, labels]), axis=0, return_index=True)
    return np.sort(first).astype(np.int64)
