r"""The landscape: the mixture of all training rows, whatever their class, and the ways through it.

Its components are those of all classes' densities, each lowered by the logarithm of its class's share of the rows. As
everywhere, the density of a place is that of its largest component (Eq. gmm:approx), a lower bound of the mixture.

How dense a place is, people read as a share of rows that are no denser. The rows' own densities are those their
class's density holds (left-out ones where it has them), lowered likewise: each row as one of its class.

Saddles: how dense a way can be that leads from one component of a mixture to another.

The set :math:`E_j(\delta)` where component j alone reaches :math:`\delta` is convex (see :mod:`.base`), and
:math:`E_i` and :math:`E_j` have a point in common exactly where :math:`\delta` is at most the saddle

.. math:: \max_z \min(a_i(z), a_j(z)), \qquad a_j(z) = c_j - \tfrac12 \lVert L_j^\top (z - \mu_j) \rVert^2 .

Both functions are concave, so this is :math:`\min_{0 \le \lambda \le 1} \varphi(\lambda)` with
:math:`\varphi(\lambda) = \max_z \lambda a_i(z) + (1 - \lambda) a_j(z)`, one convex problem in one number. In the
coordinates :math:`y = V^\top L_i^\top (z - \mu_i)`, where V diagonalises :math:`L_i^{-1} \Sigma_j^{-1} L_i^{-\top}` to
s and e is the image of :math:`\mu_j`,

.. math:: y_k = \frac{(1-\lambda) s_k e_k}{\lambda + (1-\lambda) s_k}, \qquad
          \varphi'(\lambda) = a_i(y) - a_j(y) .

Every :math:`\varphi(\lambda)` bounds the saddle from above, and the smaller of the two at y from below. The highest
level at which two components are connected through others is the widest way over the graph of saddles.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from scipy.linalg import solve_triangular

from ..arrays import FloatArray, IntArray, UserValue
from ..search import Cones
from .base import ClassDensity, category_drops, log_peaks
from .threshold import LogDensity, Threshold, log_threshold
from .units import QUANTILE_ROUNDING

# Halvings of the mixing of two components: a saddle is then exact to the last bits of a double.
SADDLE_BISECTIONS = 60


def saddles(cones: Cones, log_peaks: FloatArray) -> FloatArray:
    """Saddle between every two components of a mixture of Gaussians.

    Parameters
    ----------
    cones : Cones
        Shapes and centres of the m components; radii do not matter.
    log_peaks : array of shape (m,)
        The numbers ``c_j``.

    Returns
    -------
    array of shape (m, m)
        Symmetric; the peaks themselves on the diagonal. A value that is reached: no higher one is claimed.
    """
    m = len(log_peaks)
    values = np.empty((m, m))
    values[np.diag_indices(m)] = log_peaks
    first, second = np.triu_indices(m, 1)
    alike = cones.shape[first] == cones.shape[second]
    for i, j, of_pairs in ((first[alike], second[alike], _alike), (first[~alike], second[~alike], _unlike)):
        values[i, j] = values[j, i] = of_pairs(cones, log_peaks, i, j)
    return values


def widest_paths(values: FloatArray, start: FloatArray) -> tuple[FloatArray, IntArray]:
    """Highest level at which each component is connected to a place, and the component one comes from.

    Parameters
    ----------
    values : array of shape (m, m)
        Saddles.
    start : array of shape (m,)
        Level at which the place itself lies in each component's set.

    Returns
    -------
    level : array of shape (m,)
    before : int array of shape (m,)
        The component before it on the widest way, -1 at the start.
    """
    level, before = start.copy(), np.full(len(start), -1)
    done = np.zeros(len(start), dtype=np.bool_)
    queue = [(-value, j) for j, value in enumerate(start.tolist())]
    heapq.heapify(queue)
    while queue:
        _, j = heapq.heappop(queue)
        if done[j]:
            continue
        done[j] = True
        through = np.minimum(level[j], values[j])
        for k in np.flatnonzero((through > level) & ~done).tolist():
            level[k], before[k] = through[k], j
            heapq.heappush(queue, (-level[k], k))
    return level, before


def _alike(cones: Cones, peaks: FloatArray, i: IntArray, j: IntArray) -> FloatArray:
    """Saddles of components of the same shape, where ``s = 1`` and the mixing is known."""
    squared = np.empty(len(i))
    for shape in np.unique(cones.shape[i]).tolist():
        of_shape = cones.shape[i] == shape
        apart = (cones.centres[j[of_shape]] - cones.centres[i[of_shape]]) @ cones.factors[shape].T
        squared[of_shape] = np.square(apart).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        mixing = np.where(squared > 0.0, 0.5 - (peaks[i] - peaks[j]) / squared, np.where(peaks[i] < peaks[j], 1.0, 0.0))
    mixing = np.clip(mixing, 0.0, 1.0)
    return np.minimum(peaks[i] - 0.5 * (1.0 - mixing) ** 2 * squared, peaks[j] - 0.5 * mixing**2 * squared)


def _unlike(cones: Cones, peaks: FloatArray, i: IntArray, j: IntArray) -> FloatArray:
    """Saddles of components of different shapes."""
    if len(i) == 0:
        return np.empty(0)
    q = cones.centres.shape[1]
    ratio, place = np.empty((len(i), q)), np.empty((len(i), q))
    inverse = {shape: _inverse(cones.factors[shape]) for shape in np.unique(cones.shape[i]).tolist()}
    for pair, (a, b) in enumerate(zip(i.tolist(), j.tolist())):
        factor = cones.factors[cones.shape[b]] @ inverse[int(cones.shape[a])]
        # Singular values of the factor, not eigenvalues of its square: small ones keep their digits.
        _, singular, turned = np.linalg.svd(factor)
        ratio[pair] = singular**2
        place[pair] = turned @ (cones.factors[cones.shape[a]] @ (cones.centres[b] - cones.centres[a]))
    low, high = np.zeros(len(i)), np.ones(len(i))
    for _ in range(SADDLE_BISECTIONS):
        middle = 0.5 * (low + high)
        of_first, of_second = _components(middle, ratio, place, peaks[i], peaks[j])
        rising = of_first > of_second  # the slope of phi
        low, high = np.where(rising, low, middle), np.where(rising, middle, high)
    ends = [np.minimum(*_components(mixing, ratio, place, peaks[i], peaks[j])) for mixing in (low, high)]
    return np.maximum(*ends)


def _inverse(factor: FloatArray) -> FloatArray:
    """Inverse of a factor: triangular if it comes from a Cholesky decomposition, which keeps more digits."""
    if np.triu(factor, 1).any():
        return np.asarray(np.linalg.inv(factor))
    return np.asarray(solve_triangular(factor, np.eye(len(factor)), lower=True))


def _components(
    mixing: FloatArray, ratio: FloatArray, place: FloatArray, peak_first: FloatArray, peak_second: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Both components of each pair where their mixture is the largest, arrays of shape (n_pairs,)."""
    share = mixing[:, None]
    weight = share + (1.0 - share) * ratio
    from_first, from_second = (1.0 - share) * ratio * place / weight, share * place / weight
    return (
        peak_first - 0.5 * np.square(from_first).sum(axis=1),
        peak_second - 0.5 * (ratio * np.square(from_second)).sum(axis=1),
    )


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

    labels: tuple[UserValue, ...]
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
        if not any(category_drops(each.mixture_) for each in self.densities):
            every = self._everything()
            object.__setattr__(self, "everything", every)
            values = np.full((len(self.log_peaks), len(self.log_peaks)), -np.inf)
            values[np.ix_(every.component, every.component)] = saddles(every, self.log_peaks[every.component])
        object.__setattr__(self, "saddles", values)

    @property
    def first_component(self) -> dict[UserValue, int]:
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


def landscape_of(
    densities: Mapping[UserValue, ClassDensity], of_all_columns: Mapping[UserValue, ClassDensity] | None = None
) -> Landscape:
    """Join the densities of all labels, each with as many training rows as it has log densities.

    Where the densities are those of rows with missing numbers, ``of_all_columns`` have as many as there are rows.
    """
    counted = densities if of_all_columns is None else of_all_columns
    counts = np.array([len(each.log_densities_) for each in counted.values()], dtype=np.float64)
    return Landscape(tuple(densities), tuple(densities.values()), np.log(counts / counts.sum()))
