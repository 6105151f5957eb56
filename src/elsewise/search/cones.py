r"""Cones: convex sets in which a density reaches its threshold, and how the kernel takes them.

Closed-form lower bounds of the distance from a row to a cone.

A cone alone is at least ``(||F x0 - g|| - h0) / ||F'e||_*`` away, in the dual norm of the distance, with ``e`` the unit
vector along ``F x0 - g``.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..arrays import FloatArray, IntArray
from ..projection.cells import Cells, PackedCones
from ..projection.distance import row_product
from .constants import BOUND_ROUNDING

# Radius, in standard deviations, below which a cone with categories is written with the radius 1: without numbers, a
# cone may have none, and nothing can be divided by it.
SMALLEST_RADIUS = 1e-3


@dataclass(frozen=True, slots=True)
class Cones:
    """The sets ``E_j = { (z, e) : ||factors[shape[j]] (z - centres[j])||^2 <= radii[j]^2 - penalties[j] . e }``.

    Here ``z`` are the numbers and ``e`` the one-hot indicators of the categories. Without categories there are none of
    these, and the set is the ellipsoid ``||factors[shape[j]] (z - centres[j])|| <= radii[j]``.

    Attributes
    ----------
    factors : array of shape (n_shapes, n_numbers, n_numbers)
        The matrices ``L'``; components of equal covariance share one.
    shape : int array of shape (m,)
    centres : array of shape (m, n_numbers)
    radii : array of shape (m,)
        With the likeliest level of every category.
    component : int array of shape (m,)
        Which component of the mixture each cone belongs to.
    penalties : array of shape (m, n_indicators)
        What each level takes off the squared radius, >= 0, and 0 for the likeliest level of each category. Categories
        in order, levels in order; no columns without categories.
    structure : pair of arrays of shapes (n_shapes, n_numbers) and (n_shapes, n_numbers, rank), or None
        ``D`` and ``U`` with ``factors' factors = diag(D) - U U'``, where there are such.
    """

    factors: FloatArray
    shape: IntArray
    centres: FloatArray
    radii: FloatArray
    component: IntArray
    penalties: FloatArray = field(default_factory=lambda: np.empty((0, 0)))
    structure: tuple[FloatArray, FloatArray] | None = None


def cones_in_model_space(cones: Cones | None, W: FloatArray, w: FloatArray) -> PackedCones:
    """Write cones of model space ``z = W x + w`` as cones of features ``x``."""
    q, d = W.shape
    if cones is None:
        return PackedCones.none(q, d)
    return PackedCones(
        factors=(cones.factors @ W).reshape(-1, q, d),
        shape=cones.shape,
        centres=np.einsum("jab,jb->ja", cones.factors[cones.shape], cones.centres - w).reshape(-1, q),
        radii=cones.radii,
        structure=_structure_of_features(cones.structure, W),
    )


def _structure_of_features(
    structure: tuple[FloatArray, FloatArray] | None, W: FloatArray
) -> tuple[FloatArray, FloatArray] | None:
    """Structure of Gram matrices of features ``x``, where each feature of model space is one of them, scaled."""
    if structure is None or W.shape[0] != W.shape[1] or np.count_nonzero(W) != np.count_nonzero(np.diagonal(W)):
        return None
    scale = np.diagonal(W)
    return (structure[0] * scale**2, structure[1] * scale[:, None]) if scale.all() else None


def cones_with_categories(cones: Cones | None, group: IntArray) -> PackedCones:
    r"""Write cones of a density with categories as second-order cones of the features.

    With ``y = L'(e_numeric - mu)`` and any ``k > 0``, the set ``||y||^2 <= s``, for ``s = r^2 - p·e``, is

        ||(y, (s - k^2) / 2k)|| <= (s + k^2) / 2k;        k = r leaves out the constant.
    """
    numeric, indicators = np.flatnonzero(group < 0), np.flatnonzero(group >= 0)
    q, n = len(numeric) + 1, len(group)
    if cones is None:
        return PackedCones.none(q, n)
    m, squared = len(cones.radii), cones.radii**2
    k = np.where(cones.radii > SMALLEST_RADIUS, cones.radii, 1.0)
    tilts = np.zeros((m, n))
    tilts[:, indicators] = -cones.penalties / (2.0 * k[:, None])
    factors, centres = np.zeros((m, q, n)), np.zeros((m, q))
    for j in range(m):
        L = cones.factors[cones.shape[j]]
        factors[j][: q - 1, numeric] = L
        factors[j][q - 1] = tilts[j]
        centres[j, : q - 1] = L @ cones.centres[j]
    centres[:, q - 1] = (k**2 - squared) / (2.0 * k)
    radii = (squared + k**2) / (2.0 * k)
    return PackedCones(factors, np.arange(m), centres, radii, tilts)


@dataclass(frozen=True, slots=True)
class ConeBounds:
    """Bounds for every cone along its own axis."""

    cells: Cells

    def __call__(self, X0: FloatArray, widening: FloatArray | None = None) -> FloatArray:
        """Lower bounds of the distances of the rows of ``X0``, array of shape (n_samples, n_cones).

        ``widening``, of shape (n_samples,), is what each row adds to the squared radii.
        """
        cells = self.cells
        bounds = np.zeros((len(X0), cells.n_cones))
        if cells.n_cones < 2 or len(cells.tilts):  # a single cone is projected onto anyway
            return bounds
        images = [row_product(X0, factor) for factor in cells.factors]
        for j, (shape, centre, radius) in enumerate(zip(cells.shape, cells.centres, cells.radii)):
            if widening is not None:
                radius = np.sqrt(np.maximum(radius**2 + widening, 0.0))
            apart = images[shape] - centre
            length = np.sqrt((apart**2).sum(axis=1))
            pull = row_product(apart, cells.factors[shape].T)
            reach = np.abs(pull).max(axis=1) if cells.norm == 1 else np.sqrt((pull**2).sum(axis=1))
            excess = np.maximum(length - radius, 0.0) * length
            bounds[:, j] = np.divide(excess, reach, out=np.zeros(len(X0)), where=reach > 0)
        bounds *= 1 - BOUND_ROUNDING
        return bounds if cells.norm == 1 else bounds**2
