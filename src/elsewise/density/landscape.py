"""The landscape: the mixture of all training rows, whatever their class, and the ways through it.

Its components are those of all classes' densities, each lowered by the logarithm of its class's share of the rows. As
everywhere, the density of a place is that of its largest component (Eq. gmm:approx), a lower bound of the mixture.

How dense a place is, people are told as a share of rows that are no denser. The rows' own densities are those their
class's density holds (left-out ones where it has them), lowered likewise: each row as one of its class.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..arrays import FloatArray
from ..search import Cones
from .base import ClassDensity, log_peaks
from .constants import QUANTILE_ROUNDING
from .saddles import saddles
from .threshold import LogDensity, Threshold, log_threshold

# Half the places of a segment at which all components are evaluated, and components from which on only those that are
# the largest at one of these places are looked at for the sparsest place.
CURVE_POINTS, MOST_CURVES = 32, 40


@dataclass(frozen=True, slots=True, eq=False)
class Landscape:
    """Mixture of all training rows; components are numbered class by class.

    Attributes
    ----------
    labels : tuple of labels, (None,) for a regressor
    densities : tuple of ClassDensity, one a label
    log_shares : array of shape (n_labels,)
        Logarithm of each class's share of the training rows.
    log_densities : array of shape (n_samples,)
        Of the training rows, ascending.
    saddles : array of shape (m, m)
        Highest level at which the sets of two components meet; empty for tables with categories.
    log_peaks : array of shape (m,)
    everything : Cones
        Shapes and centres of the components; their radii do not matter. None of tables with categories.
    """

    labels: tuple[Any, ...]
    densities: tuple[ClassDensity, ...]
    log_shares: FloatArray
    log_densities: FloatArray = field(init=False)
    log_peaks: FloatArray = field(init=False)
    saddles: FloatArray = field(init=False)
    everything: Cones = field(init=False)

    def __post_init__(self) -> None:
        rows = [each.log_densities_ + share for each, share in zip(self.densities, self.log_shares)]
        peaks = [log_peaks(each.mixture_) + share for each, share in zip(self.densities, self.log_shares)]
        object.__setattr__(self, "log_densities", np.sort(np.concatenate(rows)))
        object.__setattr__(self, "log_peaks", np.concatenate(peaks))
        values = np.empty((0, 0))
        if not any(hasattr(each.mixture_, "log_probabilities_") for each in self.densities):
            every = self._everything()
            object.__setattr__(self, "everything", every)
            values = np.full((len(self.log_peaks), len(self.log_peaks)), -np.inf)
            values[np.ix_(every.component, every.component)] = saddles(every, self.log_peaks[every.component])
        object.__setattr__(self, "saddles", values)

    @property
    def first_component(self) -> dict[Any, int]:
        """Number of the first component of each label."""
        counts = [len(each.mixture_.weights_) for each in self.densities]
        return dict(zip(self.labels, np.cumsum([0, *counts[:-1]]).tolist()))

    def log_components(self, Z: FloatArray) -> FloatArray:
        """Logarithm of every component at clean points, array of shape (n_samples, m)."""
        return np.concatenate(
            [each.log_components_of(Z) + share for each, share in zip(self.densities, self.log_shares)], axis=1
        )

    def log_max(self, Z: FloatArray) -> FloatArray:
        """Log density of clean points, array of shape (n_samples,)."""
        largest = [each.log_max(Z) + share for each, share in zip(self.densities, self.log_shares)]
        return np.asarray(np.max(largest, axis=0))

    def sparsest_between(self, start: FloatArray, end: FloatArray) -> tuple[float, float]:
        """Find the sparsest place of a segment: its share of the way, and its log density.

        Along a segment every component is a concave quadratic, so their maximum is smallest at an end or where two of
        them cross.

        Parameters
        ----------
        start, end : arrays of shape (n_features,)
            In the space of the density.
        """
        shares = np.linspace(0.0, 1.0, 2 * CURVE_POINTS + 1)
        values = self.log_components(start + shares[:, None] * (end - start))
        matters = np.unique(values.argmax(axis=1)) if values.shape[1] > MOST_CURVES else np.arange(values.shape[1])
        first, middle, last = values[[0, CURVE_POINTS, -1]][:, matters]
        bend, slope = 2.0 * (first - 2.0 * middle + last), 4.0 * middle - 3.0 * first - last
        i, j = np.triu_indices(len(matters), 1)
        a, b, c = bend[i] - bend[j], slope[i] - slope[j], first[i] - first[j]
        with np.errstate(divide="ignore", invalid="ignore"):
            root = np.sqrt(b * b - 4.0 * a * c)
            halves = -0.5 * (b + np.where(b < 0.0, -root, root))
            crossings = np.concatenate([halves / a, c / halves])
        crossings = crossings[np.isfinite(crossings) & (crossings > 0.0) & (crossings < 1.0)]
        places = np.concatenate([[0.0, 1.0], crossings, shares])
        heights = self.log_max(start + places[:, None] * (end - start))
        lowest = int(np.argmin(heights))
        return float(places[lowest]), float(heights[lowest])

    def share_no_denser(self, log_density: float) -> float:
        """Share of the training rows that are no denser than a place."""
        below = np.searchsorted(self.log_densities, log_density, side="right")
        return float(below / len(self.log_densities))

    def level(self, threshold: Threshold) -> float:
        """Log density that a quantile of the training rows stands for, or a LogDensity says itself."""
        training = [each.training_log_densities_ + share for each, share in zip(self.densities, self.log_shares)]
        value = log_threshold(threshold, self.log_densities, np.concatenate(training))
        return value if isinstance(threshold, LogDensity) else value - QUANTILE_ROUNDING * (1.0 + abs(value))

    def cones(self, level: float) -> Cones:
        """Describe the sets where a component alone reaches a level; ``component`` is numbered over all classes."""
        squared = 2.0 * (self.log_peaks[self.everything.component] - level)
        there, every = np.flatnonzero(squared > 0.0), self.everything
        return Cones(
            factors=every.factors,
            shape=every.shape[there],
            centres=every.centres[there],
            radii=np.sqrt(squared[there]),
            component=every.component[there],
            penalties=every.penalties[there],
        )

    def _everything(self) -> Cones:
        """Shapes and centres of all components of a weight that is not zero."""
        low = float(self.log_peaks[np.isfinite(self.log_peaks)].min()) - 1.0
        parts = [
            each.with_threshold(low - share).cones() for each, share in zip(self.densities, self.log_shares.tolist())
        ]
        first_shape = np.cumsum([0, *(len(part.factors) for part in parts[:-1])])
        firsts = list(self.first_component.values())
        return Cones(
            factors=np.concatenate([part.factors for part in parts]),
            shape=np.concatenate([part.shape + first for part, first in zip(parts, first_shape)]),
            centres=np.concatenate([part.centres for part in parts]),
            radii=np.concatenate([part.radii for part in parts]),
            component=np.concatenate([part.component + first for part, first in zip(parts, firsts)]),
            penalties=np.concatenate([part.penalties for part in parts]),
        )


def landscape_of(densities: Mapping[Any, ClassDensity]) -> Landscape:
    """Join the densities of all labels, each with as many training rows as it has log densities."""
    counts = np.array([len(each.log_densities_) for each in densities.values()], dtype=np.float64)
    return Landscape(tuple(densities), tuple(densities.values()), np.log(counts / counts.sum()))
