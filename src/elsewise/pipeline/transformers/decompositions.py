"""Decompositions: features combined into fewer."""

from __future__ import annotations

import numpy as np
from sklearn.decomposition import PCA, IncrementalPCA, TruncatedSVD

from ..affine import AffineMap, in_double
from ..registry import register_affine


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
