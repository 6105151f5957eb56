"""Expectation maximisation: one loop, whose two steps each kind of mixture brings along.

:mod:`.full_steps` has those of full covariances, :mod:`.product_steps` those of numbers times categories with full or
diagonal ones, :mod:`.low_rank_mixture` those of covariances of low rank.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np
from scipy.sparse import csr_array
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from ...arrays import FloatArray

# Added to the rows of every component, in roundings of a double (eps), so that nothing is divided by zero. As in
# scikit-learn's GaussianMixture.
COUNT_ROUNDINGS = 10.0

# Parameters of a kind of mixture.
Theta = TypeVar("Theta")


class Steps(Protocol[Theta]):
    """The steps of one kind of mixture, on rows they hold; LinAlgError where a covariance is singular."""

    def expectation(self, theta: Theta) -> tuple[float, FloatArray]:
        """Mean objective over the rows, and the responsibilities, an array over rows and components."""

    def maximisation(self, responsibilities: FloatArray, before: Theta | None = None) -> Theta:
        """Parameters that are the best for the responsibilities.

        What is missing in rows is expected as the parameters ``before`` have it; at the start there are none.
        """


@dataclass(frozen=True, slots=True)
class Settings:
    """When the iterations stop.

    Attributes
    ----------
    tol : float
        They stop when the objective grows by less.
    max_iter : int
    as_scikit_learn : bool
        Stop when it changes by less, up or down, and end with a maximisation, as ``GaussianMixture`` does.
    """

    tol: float
    max_iter: int
    as_scikit_learn: bool = False


@dataclass(frozen=True, slots=True)
class Fit(Generic[Theta]):
    """Where the iterations ended.

    Attributes
    ----------
    parameters : Theta
    objectives : list of float
        At the start of every iteration; the last one belongs to ``parameters``, as scikit-learn does it to those
        before the last maximisation.
    converged : bool
    """

    parameters: Theta
    objectives: list[float]
    converged: bool


def likeliest_fit(steps: Steps[Theta], starts: Iterable[Theta], settings: Settings) -> Fit[Theta]:
    """Iterate from every start; return the fit of the largest objective, the first in a tie."""
    return max((_climb(steps, theta, settings) for theta in starts), key=lambda fit: fit.objectives[-1])


def _climb(steps: Steps[Theta], theta: Theta, settings: Settings) -> Fit[Theta]:
    """Iterate from one start."""
    objectives: list[float] = []
    converged = False
    while True:
        objective, responsibilities = steps.expectation(theta)
        gain = objective - objectives[-1] if objectives else np.inf
        converged = bool((abs(gain) if settings.as_scikit_learn else gain) < settings.tol)
        objectives.append(objective)
        stops = converged or len(objectives) == settings.max_iter
        if not stops or settings.as_scikit_learn:
            theta = steps.maximisation(responsibilities, theta)
        if stops:
            return Fit(theta, objectives, converged)


def kmeans_start(X: FloatArray | csr_array, m: int, rng: np.random.RandomState) -> FloatArray:
    """Responsibilities of a k-means start, zeros and ones of shape (n, m)."""
    if m == 1:
        return np.ones((X.shape[0], 1))
    with warnings.catch_warnings():
        # A start need not have converged, nor have as many clusters as wanted.
        warnings.simplefilter("ignore", ConvergenceWarning)
        label = KMeans(m, n_init=1, random_state=rng).fit(X).labels_
    return np.asarray(label[:, None] == np.arange(m), dtype=np.float64)
