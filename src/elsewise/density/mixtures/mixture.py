"""What a fitted mixture is to the rest of the package, whoever fitted it."""

from __future__ import annotations

from typing import Protocol

from numpy.typing import ArrayLike

from ...arrays import FloatArray


class FittedMixture(Protocol):
    """A fitted mixture of ``m`` components on ``p`` numbers, in scikit-learn's words.

    That is a ``sklearn.mixture.GaussianMixture``, or a :class:`~elsewise.density.MixedMixture`, which also has
    ``log_probabilities_``, the logarithms of the probabilities of each category's levels.

    Attributes
    ----------
    covariance_type : {"full", "tied", "diag", "spherical"}
    n_components : int
    weights_ : array of shape (m,)
    means_ : array of shape (m, p)
    covariances_, precisions_cholesky_ : arrays of shape (m, p, p), (p, p), (m, p) or (m,), by covariance type
    """

    covariance_type: str
    n_components: int
    weights_: FloatArray
    means_: FloatArray
    covariances_: FloatArray
    precisions_cholesky_: FloatArray

    def score_samples(self, X: ArrayLike) -> FloatArray:
        """Log density at every row, array of shape (n_samples,)."""
