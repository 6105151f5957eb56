"""Feature selectors: some of the features, as they are."""

from __future__ import annotations

import numpy as np
from sklearn.feature_selection import SelectorMixin

from ..affine import AffineMap
from ..registry import register_affine


@register_affine(SelectorMixin)
def _selector(selector: SelectorMixin, n_features: int) -> AffineMap:
    support = selector.get_support()
    return AffineMap(np.eye(len(support))[support], np.zeros(support.sum()))
