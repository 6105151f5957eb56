"""The cover of a region that can only be asked."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ....arrays import BoolArray, FloatArray
from ...region import DividingCover, Region
from ...space import Space


class BlackBoxCover(DividingCover):
    """Everything, in one part; what is accepted in it, only the model knows.

    Parameters
    ----------
    region : Region
        Its points are in features.
    space : Space
    anchors : array of shape (n_anchors, n_features)
        Points that the model probably accepts.
    scores : function of points of shape (n_samples, n_features)
        How far they are inside, shape (n_samples,), or None if the model says nothing of it.
    refused : array of shape (n_refused, n_features)
        Points that the model probably refuses.
    """

    def __init__(
        self,
        region: Region,
        space: Space,
        anchors: FloatArray,
        scores: Callable[[FloatArray], FloatArray | None],
        refused: FloatArray,
    ) -> None:
        super().__init__(region, space)
        self.anchors, self.scores, self.refused = anchors, scores, refused

    def accepts(self, points: FloatArray) -> BoolArray:
        """Ask the model about points of shape (n_samples, n_features)."""
        return self.region.accepts(points)

    def depth(self, points: FloatArray | None = None, *, plain: FloatArray | None = None) -> FloatArray:
        """Inside is where the model accepts."""
        assert points is not None
        return np.where(self.accepts(points), np.inf, -np.inf)[:, None]
