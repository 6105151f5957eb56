r"""Rows in which some numbers are missing, as a Gaussian component sees them.

A component's density of the numbers that are there, :math:`x_o`, is its marginal,
:math:`N(x_o \mid \mu_o, \Sigma_{oo})`. Given these, a missing number has the mean
:math:`\mu_u + B (x_o - \mu_o)` with :math:`B = \Sigma_{uo} \Sigma_{oo}^{-1}` and the covariance
:math:`\Sigma_{uu} - B \Sigma_{ou}`. Expectation maximisation puts these moments in the place of what is missing: no row
is dropped and none is filled by a guess. Like every likelihood of this kind it takes values to be missing at random:
whether a number is missing may depend on the numbers that are there, but not on the missing number itself.

With zeros in the place of missing numbers, :math:`P_{oo} = \Sigma_{oo}^{-1}` fills a matrix of all numbers for every
pattern of missing ones, and :math:`A = \Sigma P = [I; B]`: all patterns are one stack of matrices.

Numbers that are there are known up to a noise of variances :math:`R` (:mod:`.expectation_maximisation`), which goes on
to the missing ones through :math:`B`: every row adds :math:`A R_{oo} A^\top`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import BoolArray, FloatArray, IntArray, distinct_lines
from ..units import CHUNK_ENTRIES

# Scale of a number that no row has, which then says nothing about rows: far beyond any other, in standard deviations.
UNKNOWN_SCALE = 1e6


@dataclass(frozen=True, slots=True)
class Patterns:
    """Rows by the numbers that are there.

    Attributes
    ----------
    kind : int array of shape (n,)
        Pattern of each row.
    seen : array of shape (n_patterns, p)
        1 where a number is there, 0 where it is missing.
    """

    kind: IntArray
    seen: FloatArray

    @classmethod
    def of(cls, missing: BoolArray) -> Patterns | None:
        """Find those of rows with missing numbers, of shape (n, p); None where nothing is missing."""
        if not missing.any():
            return None
        there = np.ascontiguousarray(~missing, dtype=np.float64)
        first, kind = distinct_lines(there)
        return cls(kind, there[first])

    def chunks(self) -> list[tuple[IntArray, IntArray]]:
        """Patterns, and the rows that have them, few enough that matrices of all numbers for each can be held."""
        n_patterns, p = self.seen.shape
        size = max(1, CHUNK_ENTRIES // max(1, p * p))
        order = np.argsort(self.kind, kind="stable")
        parts, done = [], 0
        counts = np.bincount(self.kind, minlength=n_patterns)
        for start in range(0, n_patterns, size):
            chosen = np.arange(start, min(start + size, n_patterns))
            n_rows = int(counts[chosen].sum())
            parts.append((chosen, order[done : done + n_rows]))
            done += n_rows
        return parts


def evenly_filled(numbers: FloatArray) -> FloatArray:
    """Return numbers whose gaps are filled with the others of the column in turn: scales are those of what is there."""
    filled = numbers.copy()
    for column in filled.T:
        missing = np.isnan(column)
        there = column[~missing]
        column[missing] = np.resize(there, int(missing.sum())) if len(there) else 0.0
    return filled


def norms_of_seen(
    W: FloatArray, patterns: Patterns, means: FloatArray, covariances: FloatArray, noise: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Compute squared Mahalanobis norms of the numbers that are there, and logs of the peaks less half the noise.

    Parameters
    ----------
    W : array of shape (n, p)
    patterns : Patterns
    means : array of shape (m, p)
    covariances : array of shape (m, p, p), or (m, p) where diagonal
    noise : array of shape (p,)

    Returns
    -------
    norms, peaks : arrays of shape (n, m)
    """
    norms, peaks = np.empty((len(W), len(means))), np.empty((len(W), len(means)))
    n_seen, there = patterns.seen.sum(axis=1), patterns.seen[patterns.kind] > 0
    for j, mean in enumerate(means):
        difference = np.where(there, W - mean, 0.0)
        if covariances.ndim == 2:
            norms[:, j] = (np.square(difference) / covariances[j]).sum(axis=1)
            heights = -0.5 * patterns.seen @ (np.log(2.0 * np.pi * covariances[j]) + noise / covariances[j])
            peaks[:, j] = heights[patterns.kind]
            continue
        for chosen, rows in patterns.chunks():
            roots, log_det = _inverse_roots(covariances[j], patterns.seen[chosen])
            scaled = np.matmul(roots[patterns.kind[rows] - chosen[0]], difference[rows, :, None])[:, :, 0]
            norms[rows, j] = np.square(scaled).sum(axis=1)
            heights = log_det - 0.5 * (n_seen[chosen] * np.log(2.0 * np.pi) + np.square(roots).sum(axis=1) @ noise)
            peaks[rows, j] = heights[patterns.kind[rows] - chosen[0]]
    return norms, peaks


def expected_moments(
    W: FloatArray,
    patterns: Patterns,
    responsibilities: FloatArray,
    parameters: tuple[FloatArray, FloatArray],
    noise: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """Compute means and covariances that are the best for the responsibilities, missing numbers in expectation.

    Parameters
    ----------
    W : array of shape (n, p)
    patterns : Patterns
    responsibilities : array of shape (n, m)
    parameters : means and covariances
        Those that expectations are taken with, of shapes (m, p) and (m, p, p) or (m, p).
    noise : array of shape (p,)

    Returns
    -------
    means, covariances : arrays of shapes (m, p) and (m, p, p), or (m, p) where diagonal
    """
    (means, covariances), there = parameters, patterns.seen[patterns.kind] > 0
    new_means, new_covariances = np.empty_like(means), np.empty_like(covariances)
    for j, mean in enumerate(means):
        r = responsibilities[:, j]
        count = max(float(r.sum()), np.finfo(np.float64).tiny)
        difference = np.where(there, W - mean, 0.0)
        if covariances.ndim == 2:
            shift, share = r @ difference / count, r @ there / count
            second = r @ np.square(difference) / count + share * noise + (1.0 - share) * covariances[j]
            new_means[j], new_covariances[j] = mean + shift, second - np.square(shift)
            continue
        second = np.zeros_like(covariances[j])
        for chosen, rows in patterns.chunks():
            onto, left = _regressions(covariances[j], patterns.seen[chosen])
            own = patterns.kind[rows] - chosen[0]
            difference[rows] = np.matmul(onto[own], difference[rows, :, None])[:, :, 0]
            counts = np.bincount(own, weights=r[rows], minlength=len(chosen))
            second += np.tensordot(counts, np.matmul(onto * noise, onto.transpose(0, 2, 1)) + left, axes=1)
        shift = r @ difference / count
        second = (second + (difference * r[:, None]).T @ difference) / count - np.outer(shift, shift)
        new_means[j], new_covariances[j] = mean + shift, 0.5 * (second + second.T)
    return new_means, new_covariances


def draw_missing(
    rows: FloatArray,
    patterns: Patterns,
    component: IntArray,
    parameters: tuple[FloatArray, FloatArray],
    rng: np.random.Generator,
) -> FloatArray:
    """Draw missing numbers given the others from the component that each row belongs to.

    Parameters
    ----------
    rows : array of shape (n, p)
        NaN where a number is missing.
    patterns : Patterns
    component : int array of shape (n,)
    parameters : means and covariances, as for :func:`expected_moments`
    rng : Generator

    Returns
    -------
    array of shape (n, p)
    """
    (means, covariances), there = parameters, patterns.seen[patterns.kind] > 0
    noise, drawn = rng.standard_normal(rows.shape), np.empty_like(rows)
    for j, mean in enumerate(means):
        covariance = covariances[j] if covariances.ndim == 3 else np.diag(covariances[j])
        difference = np.where(there, rows - mean, 0.0)
        for chosen, those in patterns.chunks():
            onto, left = _regressions(covariance, patterns.seen[chosen])
            values, vectors = np.linalg.eigh(left)
            roots = vectors * np.sqrt(np.maximum(values, 0.0))[:, None, :]
            own = those[component[those] == j]
            kind = patterns.kind[own] - chosen[0]
            expected = np.matmul(onto[kind], difference[own, :, None])[:, :, 0]
            drawn[own] = mean + expected + np.matmul(roots[kind], noise[own, :, None])[:, :, 0]
    return np.where(there, rows, drawn)


def _inverse_roots(covariance: FloatArray, seen: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Inverse Cholesky factors of what is seen, zero elsewhere, (n_patterns, p, p), and minus half their log dets."""
    there = seen[:, :, None] * seen[:, None, :]
    diagonal = np.arange(len(covariance))
    padded = covariance * there
    padded[:, diagonal, diagonal] += 1.0 - seen
    inverse = np.linalg.inv(np.linalg.cholesky(padded))
    log_det = np.log(np.diagonal(inverse, axis1=1, axis2=2)).sum(axis=1)
    return inverse * there, log_det


def _regressions(covariance: FloatArray, seen: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Matrices ``A`` of all patterns, and the covariances of missing numbers that are left, both (n_patterns, p, p)."""
    roots, _ = _inverse_roots(covariance, seen)
    onto = np.matmul(np.matmul(covariance, roots.transpose(0, 2, 1)), roots)
    unseen = 1.0 - seen
    left = (covariance - np.matmul(onto, covariance)) * (unseen[:, :, None] * unseen[:, None, :])
    return onto, 0.5 * (left + left.transpose(0, 2, 1))
