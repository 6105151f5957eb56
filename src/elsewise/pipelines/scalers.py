"""Scalers: each feature by itself, moved and stretched."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler

from ..errors import UnsupportedSettingError
from .affine import AffineMap, in_double
from .registry import register_affine


@register_affine(StandardScaler)
def _standard(scaler: StandardScaler, n_features: int) -> AffineMap:
    centre = scaler.mean_ if scaler.with_mean else None
    return _centred_and_scaled(centre, scaler.scale_ if scaler.with_std else None, n_features)


@register_affine(MinMaxScaler)
def _min_max(scaler: MinMaxScaler, n_features: int) -> AffineMap:
    _refuse_clip(scaler)
    return AffineMap(np.diag(in_double(scaler.scale_)), in_double(scaler.min_))


@register_affine(MaxAbsScaler)
def _max_abs(scaler: MaxAbsScaler, n_features: int) -> AffineMap:
    _refuse_clip(scaler)
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


def _refuse_clip(scaler: MinMaxScaler | MaxAbsScaler) -> None:
    # older versions of scikit-learn have no clip in MaxAbsScaler
    if getattr(scaler, "clip", False):
        raise UnsupportedSettingError(
            "has clip=True and is not affine: it maps all values beyond the training range to its ends. Expected "
            "clip=False; fit the pipeline with it."
        )
