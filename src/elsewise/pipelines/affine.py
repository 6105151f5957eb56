"""Pipelines: the transformers before the final estimator as one exact affine map.

A pipeline sees data ``x`` and hands ``z = M x + c`` to its final estimator, as long as every transformer is affine::

    step k:  z_k = M_k z_{k-1} + c_k        all steps:  M = M_K ··· M_1,   c = M_K (··· (M_2 c_1 + c_2) ···) + c_K

Cells are stated in model space, the space of ``z``; this map pulls them back to the space of the data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.decomposition import PCA, IncrementalPCA, TruncatedSVD
from sklearn.feature_selection import SelectorMixin
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer, MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler

from ..arrays import FloatArray
from ..errors import InvalidInputError, UnsupportedModelError, UnsupportedSettingError

Step = tuple[str, Any]


@dataclass(frozen=True, slots=True)
class AffineMap:
    """The map ``z = matrix x + offset``.

    Attributes
    ----------
    matrix : array of shape (n_out, n_in)
    offset : array of shape (n_out,)
    """

    matrix: FloatArray
    offset: FloatArray

    @classmethod
    def identity(cls, n: int) -> AffineMap:
        """Make the map of ``n`` features that changes nothing."""
        return cls(np.eye(n), np.zeros(n))

    def __call__(self, X: FloatArray) -> FloatArray:
        """Map rows, from shape (n_samples, n_in) to (n_samples, n_out)."""
        return X @ self.matrix.T + self.offset

    def then(self, other: AffineMap) -> AffineMap:
        """Make the map that applies this one first and ``other`` to its result."""
        return AffineMap(other.matrix @ self.matrix, other.matrix @ self.offset + other.offset)


AffineBuilder = Callable[[Any, int], AffineMap]
_builders: dict[type, AffineBuilder] = {}


def register_affine(*types: type) -> Callable[[AffineBuilder], AffineBuilder]:
    """Register a function ``build(transformer, n_features) -> AffineMap`` for the given types and their subclasses."""

    def add(build: AffineBuilder) -> AffineBuilder:
        for kind in types:
            _builders[kind] = build
        return build

    return add


def unwrap(model: Any) -> tuple[list[Step], Any]:
    """Split a model into its transformers and its final estimator.

    Parameters
    ----------
    model : estimator or Pipeline
        Pipelines inside of pipelines are flattened, their steps named ``outer__inner``; steps that pass data through
        are left out.

    Returns
    -------
    steps : list of (name, transformer)
        Empty for a model that is no pipeline.
    estimator : estimator
    """
    if not isinstance(model, Pipeline):
        return [], model
    *steps, (name, estimator) = model.steps
    if passes_through(estimator):
        raise UnsupportedModelError(
            f"The pipeline ends in step {name!r}, which is {estimator!r}; expected a classifier or a regressor there."
        )
    inner, estimator = unwrap(estimator)
    return [*_flat(steps), *((f"{name}__{inner_name}", step) for inner_name, step in inner)], estimator


def affine_map(steps: Sequence[Step], n_features: int) -> AffineMap:
    """Compose the affine maps of fitted transformers.

    Parameters
    ----------
    steps : sequence of (name, transformer)
        In the order data pass through them.
    n_features : int
        Number of features of the data, ``n_features_in_`` of the pipeline.

    Raises
    ------
    UnsupportedModelError
        If a transformer is of a type that is not known to be affine.
    UnsupportedSettingError
        If a known transformer has a setting that makes it not affine.
    """
    total = AffineMap.identity(n_features)
    for name, transformer in _flat(steps):
        total = total.then(affine_step(name, transformer, len(total.offset)))
    return total


def affine_step(name: str, transformer: Any, n_features: int) -> AffineMap:
    """Make the affine map of one fitted transformer, the step ``name``, that ``n_features`` features reach."""
    where = f"step {name!r} ({type(transformer).__name__})"
    build = _builder_of(transformer, where)
    try:
        step = build(transformer, n_features)
    except UnsupportedSettingError as error:
        raise UnsupportedSettingError(f"{where} {error}") from error
    if step.matrix.shape[1] != n_features:
        raise InvalidInputError(
            f"{where} was fitted on {step.matrix.shape[1]} features, but {n_features} reach it. Pass the steps of one "
            "fitted pipeline, and its n_features_in_ as n_features."
        )
    return step


def passes_through(step: Any) -> bool:
    """Whether a step leaves data as they are."""
    return step is None or (isinstance(step, str) and step == "passthrough")


def _flat(steps: Sequence[Step], prefix: str = "") -> Iterator[Step]:
    for name, step in steps:
        if isinstance(step, Pipeline):
            yield from _flat(step.steps, f"{prefix}{name}__")
        elif not passes_through(step):
            yield f"{prefix}{name}", step


def _builder_of(transformer: Any, where: str) -> AffineBuilder:
    for kind in type(transformer).__mro__:
        if kind in _builders:
            return _builders[kind]
    names = sorted("feature selectors" if kind is SelectorMixin else kind.__name__ for kind in _builders)
    raise UnsupportedModelError(
        f"{where} is not affine, or not known to be. Supported transformers are: {', '.join(names)}; or a Pipeline of "
        "them. Transform the data before the pipeline, or register the transformer with "
        "elsewise.pipelines.affine.register_affine if it is affine."
    )


def _double(fitted: Any) -> FloatArray:
    # Attributes are 32-bit floats after a fit on such data, but rows of 64 bits are transformed in 64 bits.
    return np.asarray(fitted, dtype=np.float64)


def _centre_and_scale(centre: Any, scale: Any, n_features: int) -> AffineMap:
    # (x - centre) / scale; None leaves the half out. Constant features have scale 1 in scikit-learn.
    n_in = next((len(half) for half in (centre, scale) if half is not None), n_features)
    factor = np.ones(n_in) if scale is None else 1 / _double(scale)
    return AffineMap(np.diag(factor), np.zeros(n_in) if centre is None else -_double(centre) * factor)


def _refuse_clip(scaler: Any) -> None:
    # older versions of scikit-learn have no clip in MaxAbsScaler
    if getattr(scaler, "clip", False):
        raise UnsupportedSettingError(
            "has clip=True and is not affine: it maps all values beyond the training range to its ends. Expected "
            "clip=False; fit the pipeline with it."
        )


@register_affine(StandardScaler)
def _standard(scaler: Any, n_features: int) -> AffineMap:
    centre = scaler.mean_ if scaler.with_mean else None
    return _centre_and_scale(centre, scaler.scale_ if scaler.with_std else None, n_features)


@register_affine(MinMaxScaler)
def _min_max(scaler: Any, n_features: int) -> AffineMap:
    _refuse_clip(scaler)
    return AffineMap(np.diag(_double(scaler.scale_)), _double(scaler.min_))


@register_affine(MaxAbsScaler)
def _max_abs(scaler: Any, n_features: int) -> AffineMap:
    _refuse_clip(scaler)
    return _centre_and_scale(None, scaler.scale_, n_features)


@register_affine(RobustScaler)
def _robust(scaler: Any, n_features: int) -> AffineMap:
    centre = scaler.center_ if scaler.with_centering else None
    return _centre_and_scale(centre, scaler.scale_ if scaler.with_scaling else None, n_features)


@register_affine(PCA, IncrementalPCA)
def _pca(pca: Any, n_features: int) -> AffineMap:
    # z = (C x - C mean) / sqrt(explained variance), the division only with whiten. As in transform, C mean and the
    # floor for the variances of rank-deficient data have the precision of the fit.
    matrix, offset = _double(pca.components_), -_double(pca.mean_ @ pca.components_.T)
    if pca.whiten:
        deviation = np.sqrt(pca.explained_variance_)
        deviation = _double(np.maximum(deviation, np.finfo(deviation.dtype).eps))
        return AffineMap(matrix / deviation[:, None], offset / deviation)
    return AffineMap(matrix, offset)


@register_affine(TruncatedSVD)
def _truncated_svd(svd: Any, n_features: int) -> AffineMap:
    matrix = _double(svd.components_)
    return AffineMap(matrix, np.zeros(len(matrix)))


@register_affine(SelectorMixin)
def _selector(selector: Any, n_features: int) -> AffineMap:
    support = selector.get_support()
    return AffineMap(np.eye(len(support))[support], np.zeros(support.sum()))


@register_affine(FunctionTransformer)
def _function(transformer: Any, n_features: int) -> AffineMap:
    if transformer.func is not None:
        name = getattr(transformer.func, "__name__", repr(transformer.func))
        raise UnsupportedSettingError(
            f"applies the function {name}, which cannot be known to be affine; expected func=None. Apply it to the "
            "data before the pipeline."
        )
    return AffineMap.identity(n_features)
