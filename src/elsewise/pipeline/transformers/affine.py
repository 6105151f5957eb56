"""Scalers: each feature by itself, moved and stretched.

Decompositions: features combined into fewer.

Feature selectors: some of the features, as they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike
from sklearn.decomposition import PCA, IncrementalPCA, TruncatedSVD
from sklearn.feature_selection import SelectorMixin
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler

from ..affine import AffineMap, in_double
from ..registry import register, register_affine
from ..steps import Step
from ..streams import Stream
from ..warping import Takes
from .functions import one_by_one

if TYPE_CHECKING:
    from ..walk import Walk


@register_affine(StandardScaler)
def _standard(scaler: StandardScaler, n_features: int) -> AffineMap:
    centre = scaler.mean_ if scaler.with_mean else None
    return _centred_and_scaled(centre, scaler.scale_ if scaler.with_std else None, n_features)


@register(MinMaxScaler, MaxAbsScaler)
def _to_a_range(walk: Walk, step: Step, streams: list[Stream]) -> list[Stream]:
    if not getattr(step.transformer, "clip", False):  # older versions of scikit-learn have no clip in MaxAbsScaler
        build = _min_max if isinstance(step.transformer, MinMaxScaler) else _max_abs
        return walk.affine(step, build, streams)
    reason = "has clip=True and is not affine: it maps all values beyond the training range to its ends"
    return one_by_one(walk, step, streams, Takes.numbers(len(streams)), reason)


def _min_max(scaler: MinMaxScaler, n_features: int) -> AffineMap:
    return AffineMap(np.diag(in_double(scaler.scale_)), in_double(scaler.min_))


def _max_abs(scaler: MaxAbsScaler, n_features: int) -> AffineMap:
    return _centred_and_scaled(None, scaler.scale_, n_features)


@register_affine(RobustScaler)
def _robust(scaler: RobustScaler, n_features: int) -> AffineMap:
    centre = scaler.center_ if scaler.with_centering else None
    return _centred_and_scaled(centre, scaler.scale_ if scaler.with_scaling else None, n_features)


def _centred_and_scaled(centre: ArrayLike | None, scale: ArrayLike | None, n_features: int) -> AffineMap:
    """Make ``(x - centre) / scale``; None leaves a half out. Constant features have scale 1 in scikit-learn."""
    n_in = next((len(in_double(half)) for half in (centre, scale) if half is not None), n_features)
    factor = np.ones(n_in) if scale is None else 1 / in_double(scale)
    return AffineMap(np.diag(factor), np.zeros(n_in) if centre is None else -in_double(centre) * factor)


@register_affine(PCA, IncrementalPCA)
def _pca(pca: PCA | IncrementalPCA, n_features: int) -> AffineMap:
    # z = (C x - C mean) / sqrt(explained variance), the division only with whiten. As in transform, C mean and the
    # floor for the variances of rank-deficient data have the precision of the fit.
    matrix, offset = in_double(pca.components_), -in_double(pca.mean_ @ pca.components_.T)
    if pca.whiten:
        deviation = np.sqrt(pca.explained_variance_)
        deviation = in_double(np.maximum(deviation, np.finfo(deviation.dtype).eps))
        return AffineMap(matrix / deviation[:, None], offset / deviation)
    return AffineMap(matrix, offset)


@register_affine(TruncatedSVD)
def _truncated_svd(svd: TruncatedSVD, n_features: int) -> AffineMap:
    matrix = in_double(svd.components_)
    return AffineMap(matrix, np.zeros(len(matrix)))


@register_affine(SelectorMixin)
def _selector(selector: SelectorMixin, n_features: int) -> AffineMap:
    support = selector.get_support()
    return AffineMap(np.eye(len(support))[support], np.zeros(support.sum()))
