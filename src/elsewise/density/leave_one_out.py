r"""Log components at every training row, of the mixture as it would be without that row.

A mixture finds the rows it was fitted to denser than new ones, the more so the more parameters it has. What a quantile
is to mean for new rows is therefore read off densities at rows that had no part in the fit. Leaving out row :math:`i`
with the responsibilities :math:`r_{kj}` of all others as they are, the best parameters of component :math:`j` follow in
closed form from those with it. With :math:`N_j = \sum_k r_{kj}`, :math:`r = r_{ij}`, :math:`N' = N_j - r` and
:math:`d = x_i - \mu_j`,

.. math:: x_i - \mu'_j = \tfrac{N_j}{N'}\, d, \qquad
          \Sigma'_j = \tfrac{N_j}{N'} \bigl( \Sigma_j - \tfrac{r}{N'}\, d d^\top \bigr), \qquad
          \pi'_j = \tfrac{N'}{n - 1},

and with :math:`s = d^\top \Sigma_j^{-1} d` and :math:`t = 1 - r s / N'`

.. math:: (x_i - \mu'_j)^\top \Sigma_j'^{-1} (x_i - \mu'_j) = \tfrac{N_j}{N'} \tfrac{s}{t}, \qquad
          \log\det\Sigma'_j = \log\det\Sigma_j + p \log \tfrac{N_j}{N'} + \log t .

So all rows cost one more look at the mixture, and no fit is smaller than by a single row. Of one Gaussian this is
leaving one out, up to ``reg_covar``, which is scaled along; of several it leaves out the row's pull on the other rows'
responsibilities, which is small unless a component has only a few rows. Diagonal covariances have a :math:`t` for each
feature, spherical ones the mean of these. Tied ones lose a term :math:`d d^\top` for each component, shared by all.
Probabilities :math:`p` of levels, with a prior worth :math:`a` rows, become :math:`(p (N_j + a) - r) / (N' + a)`.
"""

from __future__ import annotations

import numpy as np
from scipy.special import logsumexp

from ..arrays import FloatArray
from .base import category_drops, chunks, log_components, log_peaks
from .mixtures.components import FittedMixture

# Least share of a component, of its variance in a direction and of a level's probability that is left without a row:
# the rounding of a double. What would vanish without the row is as good as nothing, and its logarithm stays finite.
LEAST_LEFT = 2.0**-52


def held_out_log_max(
    mixture: FittedMixture, rows: FloatArray, prior_rows: float = 0.0
) -> tuple[FloatArray, FloatArray]:
    """Component-wise maximum (Eq. gmm:approx) at the rows that a mixture was fitted to, without each row and with it.

    Parameters
    ----------
    mixture : FittedMixture
    rows : array of shape (n_samples, p) or (n_samples, p + c)
        The rows it was fitted to, at least two.
    prior_rows : float
        What the prior of a category's probabilities is worth, in rows.

    Returns
    -------
    without, with_it : arrays of shape (n_samples,)
    """
    peaks, drops = log_peaks(mixture), category_drops(mixture)
    every = [log_components(mixture, chunk, peaks, drops) for chunk in chunks(rows, mixture)]
    counts = np.sum([_responsibilities(values).sum(axis=0) for values in every], axis=0)
    counts = np.maximum(counts, np.finfo(np.float64).tiny)
    without, with_it = np.empty(len(rows)), np.empty(len(rows))
    done = 0
    for chunk, values in zip(chunks(rows, mixture), every):
        r = _responsibilities(values)
        place = slice(done, done + len(chunk))
        with_it[place] = values.max(axis=1)
        left = np.maximum(counts - r, LEAST_LEFT * counts)  # N'
        values += np.log(left / counts) + np.log(len(rows) / (len(rows) - 1.0))
        values += _gaussian_changes(mixture, chunk, r, counts, left, len(rows))
        values += _category_changes(mixture, chunk, r, counts, left, prior_rows)
        without[place] = values.max(axis=1)
        done += len(chunk)
    return without, with_it


def _responsibilities(values: FloatArray) -> FloatArray:
    return np.asarray(np.exp(values - logsumexp(values, axis=1, keepdims=True)))


def _gaussian_changes(
    mixture: FittedMixture, rows: FloatArray, r: FloatArray, counts: FloatArray, left: FloatArray, n: int
) -> FloatArray:
    """Change of every log Gaussian when the row is left out of it, array of shape (n_samples, m)."""
    p = mixture.means_.shape[1]
    L = np.asarray(mixture.precisions_cholesky_, dtype=np.float64)
    kind, Z, growth, share = mixture.covariance_type, rows[:, :p], counts / left, r / left
    if kind == "tied":
        scaled = np.stack([(Z - mean) @ L for mean in mixture.means_], axis=1)
        return _tied_changes(scaled, growth, share * counts / n, n)
    changes = np.zeros_like(r)
    for j, mean in enumerate(mixture.means_ if p else ()):
        # Squared norms s of what is estimated together, and how many features each of them is the mean of.
        size = p if kind == "spherical" else 1
        s = np.square((Z - mean) @ L[j] if kind == "full" else (Z - mean) * L[j])
        s = s if kind == "diag" else s.sum(axis=1, keepdims=True) / size
        t = np.maximum(1.0 - share[:, j : j + 1] * s, LEAST_LEFT)
        grown = growth[:, j : j + 1]
        changes[:, j] = 0.5 * size * (s - grown * s / t - np.log(t)).sum(axis=1) - 0.5 * p * np.log(grown[:, 0])
    return changes


def _tied_changes(scaled: FloatArray, growth: FloatArray, lost: FloatArray, n: int) -> FloatArray:
    """Like :func:`_gaussian_changes`, for one covariance of all components.

    Without the row it is ``n / (n - 1) * (Sigma - sum_j a_j d_j d_j')`` with ``a_j = r_j N_j / (N'_j n)``. With ``V``
    the columns ``sqrt(a_j) L' d_j``, its inverse and determinant are those of ``K = I - V'V``, of shape (m, m).

    Parameters
    ----------
    scaled : array of shape (n_samples, m, p)
        ``L' d_j``.
    growth, lost : arrays of shape (n_samples, m)
        ``N_j / N'_j`` and ``a_j``.
    """
    p = scaled.shape[2]
    products = np.einsum("ija,ika->ijk", scaled, scaled)
    root = np.sqrt(lost)
    values, vectors = np.linalg.eigh(root[:, :, None] * products * root[:, None, :])
    t = np.maximum(1.0 - values, LEAST_LEFT)
    # (u_j' V) in the eigenvectors of V'V, for every j.
    along = np.einsum("ijk,ikl->ijl", products * root[:, None, :], vectors)
    norms = np.einsum("ijj->ij", products)
    changed = (n - 1.0) / n * growth**2 * (norms + (along**2 / t[:, None, :]).sum(axis=2))
    log_det = p * np.log(n / (n - 1.0)) + np.log(t).sum(axis=1)
    return np.asarray(0.5 * (norms - changed - log_det[:, None]))


def _category_changes(
    mixture: FittedMixture, rows: FloatArray, r: FloatArray, counts: FloatArray, left: FloatArray, prior_rows: float
) -> FloatArray:
    """Change of the log probabilities of the row's levels when it is left out, array of shape (n_samples, m)."""
    changes = np.zeros_like(r)
    tables: tuple[FloatArray, ...] = getattr(mixture, "log_probabilities_", ())
    for table, codes in zip(tables, rows[:, mixture.means_.shape[1] :].T.astype(np.intp)):
        held = np.exp(table).T[codes] * (counts + prior_rows)
        changes += np.log(np.maximum(1.0 - r / held, LEAST_LEFT)) + np.log((counts + prior_rows) / (left + prior_rows))
    return changes
