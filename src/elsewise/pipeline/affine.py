"""Affine maps: what a pipeline's transformers are, as one matrix and one offset.

A pipeline sees data ``x`` and hands ``z = M x + c`` to its final estimator, as long as every transformer is affine::

    step k:  z_k = M_k z_{k-1} + c_k        all steps:  M = M_K ··· M_1,   c = M_K (··· (M_2 c_1 + c_2) ···) + c_K

Regions are stated in model space, the space of ``z``; this map pulls them back to the space of the data.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import FloatArray


@dataclass(frozen=True, slots=True)
class AffineMap:
    """The map ``z = matrix x + offset``.

    Attributes
    ----------
    matrix : array of shape (n_out, n_in)
    offset : array of shape (n_out,)
    """

    matrix: FloatArray
    offset: FloatArray

    @classmethod
    def identity(cls, n: int) -> AffineMap:
        """Make the map of ``n`` features that changes nothing."""
        return cls(np.eye(n), np.zeros(n))

    def __call__(self, X: FloatArray) -> FloatArray:
        """Map rows, from shape (n_samples, n_in) to (n_samples, n_out)."""
        return X @ self.matrix.T + self.offset

    def then(self, other: AffineMap) -> AffineMap:
        """Make the map that applies this one first and ``other`` to its result."""
        # not by BLAS, whose sums may differ in their last bits with where in memory a vector lies
        offset = (other.matrix * self.offset).sum(axis=1) + other.offset
        return AffineMap(other.matrix @ self.matrix, offset)


def in_double(fitted: ArrayLike) -> FloatArray:
    """Return a fitted attribute as float64.

    After a fit on 32-bit data attributes are 32-bit floats, but rows of 64 bits are transformed in 64 bits.
    """
    return np.asarray(fitted, dtype=np.float64)


# Largest difference between the map and the pipeline's own transform, relative to the size of the terms summed. Double
# precision leaves about 1e-13 after a dozen steps; a wrong map is off by far more than this.
MAP_TOLERANCE = 1e-9

# Largest number that may reach a step which is not affine, or leave it: trees read 32-bit floats.
LARGEST_WARPED = float(np.finfo(np.float32).max)

# Numbers at which a function of a column is checked to be monotone, or constant between its steps: so many between the
# smallest and the largest training value, and so many of all sizes a double has.
N_NUMBERS_CHECKED = 1000

# Limits of what steps take that are so many times larger than all training values are not kept in mind: no answer comes
# near them, and powers overflow somewhere.
FAR_LIMIT = 1e6
