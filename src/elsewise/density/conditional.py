r"""Densities given what cannot change: thresholds of rows with columns that stay as they are.
"""

from __future__ import annotations

import numpy as np

from .base import ClassDensity, log_peaks
from .constants import ROOM_BELOW_PEAKS


def below_all_peaks(density: ClassDensity | None) -> ClassDensity | None:
    """Give the same density at a threshold that every component reaches: all of them have a cone there."""
    if density is None:
        return None
    peaks = log_peaks(density.mixture_)
    lowest = float(peaks[np.isfinite(peaks)].min())
    return density.with_threshold(min(density.log_threshold_, lowest - ROOM_BELOW_PEAKS))
