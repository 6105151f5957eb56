"""A second look at cells that the kernel calls empty, or in which it found no point it could stand by.

The kernel measures in the distance's own units. It calls a cell empty when nothing lies within a large multiple of the
largest distance to a single constraint; where units are decades apart, or a row all but satisfies everything, the cell
may simply lie farther off. And a row just outside of a cone can be too near for an iteration that sees the whole cone.
Three remedies, none of which claims what is not proven:

- *Reach.* A cone is an ellipsoid: its points lie no farther from a row than its farthest ones. A cell is empty if the
  proven bound exceeds that reach.
- *Even units.* The same cell is projected onto with every feature in units of the cones, or of the half-spaces if there
  are none. This gives a point of the cell, not the nearest one, or shows that it is empty.
- *Tangent.* Where the kernel's point is nearer than its own bound, it is none of the cell. So near to a cone, the
  half-space that touches it there stands for it: the cone lies in it, and bends away by less than rounding.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np

from ...arrays import BoolArray, FloatArray, IntArray
from ...projection.cells import CUTOFF, INFEASIBLE, STALLED, Batch, Cells, Limits
from ..constants import REACH_SLACK, SUM_ROUNDING

# Ratio below which units are even: what the kernel says of emptiness holds in any of them.
EVEN_UNITS = 1e3
# How far inside of a tangent points are looked for, as a share of the margin, where that is more than rounding.
TANGENT_SHARE = 1e-4
# A point that is nearer than proven by more than this share is none of the cell.
TOO_NEAR = 1e-5
# Rounds in which features and half-spaces are divided by their largest entries.
EQUILIBRATIONS = 3


def is_doubtful(batch: Batch) -> BoolArray:
    """Instances that are worth a second look."""
    return np.asarray((batch.status == INFEASIBLE) | (batch.status == STALLED))


class SecondLook:
    """Judges what the kernel says of instances.

    Parameters
    ----------
    cells : Cells
        The table the instances are about.
    sees_cones_alone : bool
        What cones measure decides everything: the half-spaces are functions of it, and there are no bounds or rules.
    inverses : dict, optional
        What is known of the factors: their pseudo-inverses, and whether they are injective.
    """

    def __init__(
        self,
        cells: Cells,
        *,
        sees_cones_alone: bool,
        inverses: dict[int, tuple[FloatArray, bool]] | None = None,
    ) -> None:
        self.cells, self.sees_cones_alone = cells, sees_cones_alone
        self._even: Cells | None = None
        self._inverses = {} if inverses is None else inverses

    def with_cells(self, cells: Cells) -> SecondLook:
        """Look at other cells, and share what is known of their factors where these are the same."""
        inverses = self._inverses if cells.factors is self.cells.factors else None
        return SecondLook(cells, sees_cones_alone=self.sees_cones_alone, inverses=inverses)

    @cached_property
    def units(self) -> FloatArray:
        """Size of each feature's part in the cells, array of shape (n,); seldom needed."""
        return _units(self.cells)

    @property
    def is_even(self) -> bool:
        """Whether the cells depend on all features about as strongly."""
        return bool(self.units.max(initial=1.0) <= EVEN_UNITS * self.units.min(initial=1.0))

    def __call__(
        self,
        X0: FloatArray,
        polyhedra: IntArray,
        cone: IntArray,
        batch: Batch,
        *,
        margin: float,
        limits: Limits | None = None,
    ) -> tuple[Batch, BoolArray]:
        """Look again where there is doubt.

        Parameters
        ----------
        X0, polyhedra, cone, margin, limits
            As given to the kernel; one row of ``X0`` an instance.
        batch : Batch
            What the kernel said.

        Returns
        -------
        batch : Batch
            INFEASIBLE is proven. CUTOFF, too, is an instance of which no more is known than its bound.
        rescued : bool array of shape (n,)
            Instances with a point of the second look; it need not be the nearest.
        """
        rescued = np.zeros(len(cone), dtype=np.bool_)
        if self.sees_cones_alone:
            batch = self._at_tangents(X0, polyhedra, cone, batch, margin)
        said_empty = batch.status == INFEASIBLE
        doubtful = np.flatnonzero(said_empty | ((batch.status == STALLED) & ~np.isfinite(batch.value)))
        if len(doubtful) == 0:
            return batch, rescued
        extents = self.extents(X0, cone, doubtful, limits)
        is_beyond = self._is_beyond(batch.bound[doubtful], extents, self.cells.norm, self.is_even)
        doubtful = doubtful[~(said_empty[doubtful] & is_beyond)]
        if len(doubtful) == 0:
            return batch, rescued
        status, value, v = batch.status.copy(), batch.value.copy(), batch.v.copy()
        status[doubtful] = CUTOFF
        if not self.is_even:
            again = self._in_even_units(X0, polyhedra, cone, doubtful, margin, limits)
            extents = self.extents(X0, cone, doubtful, limits) * self.units
            empty = (again.status == INFEASIBLE) & self._is_beyond(again.bound, extents, 1, True)
            status[doubtful[empty]] = INFEASIBLE
            has_point = _has_point(again)
            found = doubtful[has_point]
            v[found] = again.v[has_point] / self.units
            if limits is not None:
                v[found] = np.clip(v[found], limits[0][found], limits[1][found])
            value[found] = np.abs(v[found]).sum(axis=1) if self.cells.norm == 1 else (v[found] ** 2).sum(axis=1)
            status[found], rescued[found] = STALLED, True
        return replace(batch, status=status, value=value, v=v), rescued

    def _is_beyond(self, bound: FloatArray, extents: FloatArray, norm: int, is_even: bool) -> BoolArray:
        """Whether bounds exceed the distance of all points of the cells; where no reach is known, even units decide."""
        known = np.isfinite(extents).all(axis=1)
        reach = extents.sum(axis=1) if norm == 1 else (extents**2).sum(axis=1)
        return np.where(known, bound > REACH_SLACK * reach, is_even)

    def _in_even_units(
        self,
        X0: FloatArray,
        polyhedra: IntArray,
        cone: IntArray,
        chosen: IntArray,
        margin: float,
        limits: Limits | None,
    ) -> Batch:
        """Project the chosen instances onto their cells, every feature in units of the cells."""
        cells, units, n = self.cells, self.units, len(chosen)
        if self._even is None:
            self._even = replace(
                cells,
                norm=1,
                normals=cells.normals / units,
                shifts=cells.shifts / units,
                factors=cells.factors / units[:, None],
                grams=cells.grams / units / units[:, None],
                tilts=cells.tilts / units,
                diagonals=cells.diagonals / units**2,
                directions=cells.directions / units[:, None],
            )
        return self._even.project(
            X0[chosen] * units,
            np.arange(n),
            polyhedra[chosen],
            cone[chosen],
            cutoff=np.full(n, np.inf),
            margin=np.full(n, margin),
            limits=None if limits is None else (limits[0][chosen] * units, limits[1][chosen] * units),
        )

    def _at_tangents(self, X0: FloatArray, polyhedra: IntArray, cone: IntArray, batch: Batch, margin: float) -> Batch:
        """Project onto the tangents of the cones, where the kernel's points are nearer than its bounds."""
        cells = self.cells
        too_near = (batch.status == STALLED) & (batch.value < batch.bound * (1 - TOO_NEAR))
        near = np.flatnonzero(too_near & (cone >= 0) & (polyhedra[:, 1] < 0))
        if len(near) == 0 or len(cells.tilts):
            return batch
        n, j = len(near), cone[near]
        factors = cells.factors[cells.shape[j]]  # F', (n, n_features, q)
        apart = np.matmul(X0[near, None, :], factors)[:, 0, :] - cells.centres[j]
        length = np.sqrt((apart**2).sum(axis=1))
        normals = np.matmul(factors, (apart / length[:, None])[:, :, None])[:, :, 0]
        terms = np.abs(normals * X0[near]).sum(axis=1) + length + cells.radii[j]
        # Inside by the margin, by the rounding of the terms, and by as much again for the bend.
        inside = margin * (length - cells.radii[j]) + 2.0 * max(SUM_ROUNDING, TANGENT_SHARE * margin) * terms
        tangents = replace(
            cells,
            normals=np.concatenate([cells.normals, normals]),
            offsets=np.concatenate(
                [cells.offsets, (normals * X0[near]).sum(axis=1) - length + cells.radii[j] - inside]
            ),
            spans=np.concatenate([cells.spans, len(cells.normals) + np.arange(n)[:, None] + [0, 1]]),
            shifts=np.concatenate([cells.shifts, np.zeros_like(normals)]),
            shift_offsets=np.concatenate([cells.shift_offsets, np.zeros(n)]),
        )
        again = tangents.project(
            X0[near],
            np.arange(n),
            np.column_stack([polyhedra[near, 0], cells.n_polyhedra + np.arange(n)]),
            np.full(n, -1),
            cutoff=np.full(n, np.inf),
            margin=np.full(n, margin),
        )
        moved = apart + np.matmul(again.v[:, None, :], factors)[:, 0, :]
        in_cone = _has_point(again) & (np.sqrt((moved**2).sum(axis=1)) <= cells.radii[j])
        value, v = batch.value.copy(), batch.v.copy()
        value[near], v[near] = np.where(in_cone, again.value, np.inf), np.where(in_cone[:, None], again.v, 0.0)
        return replace(batch, value=value, v=v)

    def extents(self, X0: FloatArray, cone: IntArray, chosen: IntArray, limits: Limits | None = None) -> FloatArray:
        """How far points of the cells may be from each chosen row, feature by feature; infinite where it is not known.

        With ``G`` the pseudo-inverse of ``F``, the point ``x0 + G (F x - F x0)`` is as good as ``x`` if nothing but
        ``F x`` counts, and equal to it if ``F`` has full rank; ``F x`` is ``g`` up to a vector no longer than ``h0``.
        """
        cells = self.cells
        extents = np.full((len(chosen), X0.shape[1]), np.inf)
        numeric = cells.group < 0 if len(cells.group) else np.ones(X0.shape[1], dtype=np.bool_)
        q = cells.factors.shape[2] - (len(cells.tilts) > 0)  # the last component of a tilted cone is about categories
        of_shape = np.where(cone[chosen] >= 0, cells.shape[cone[chosen]], -1) if cells.n_cones else cone[chosen]
        for shape in np.unique(of_shape[of_shape >= 0]).tolist():
            in_cone = np.flatnonzero(of_shape == shape)
            j = cone[chosen[in_cone]]
            if shape not in self._inverses:
                self._inverses[shape] = _inverse(cells.factors[shape][numeric, :q])
            inverse, has_full_rank = self._inverses[shape]
            if has_full_rank or self.sees_cones_alone:
                apart = cells.centres[j, :q] - X0[chosen[in_cone]][:, numeric] @ cells.factors[shape][numeric, :q]
                sizes = np.sqrt((inverse**2).sum(axis=0))
                reach = np.abs(apart @ inverse) + cells.radii[j, None] * sizes
                extents[np.ix_(in_cone, np.flatnonzero(numeric))] = reach
        # an indicator moves no farther than the one of the row's own level
        extents[:, ~numeric] = np.abs(X0[chosen][:, ~numeric]).max(axis=1, initial=0.0)[:, None]
        if limits is not None:
            extents = np.minimum(extents, np.maximum(*(np.abs(ends[chosen]) for ends in limits)))
        return extents


def _has_point(batch: Batch) -> BoolArray:
    """Instances in which the kernel found a point, if not the nearest one."""
    return np.asarray((batch.status != INFEASIBLE) & (batch.status != CUTOFF) & np.isfinite(batch.value))


def _units(cells: Cells) -> FloatArray:
    """How strongly cones, or half-spaces without any, depend on each feature; array of shape (n,)."""
    units = np.ones(cells.normals.shape[1])
    if len(cells.factors):
        units = np.sqrt((cells.factors**2).sum(axis=2)).max(axis=0)
    elif len(cells.normals):
        table = np.abs(np.concatenate([cells.normals, cells.shifts]))
        for _ in range(EQUILIBRATIONS):
            largest = (table / units).max(axis=1, keepdims=True)  # of each half-space
            units = (table / np.where(largest > 0, largest, 1.0)).max(axis=0)
            units[units == 0] = 1.0
    positive = units > 0
    units[~positive] = np.exp(np.log(units[positive]).mean()) if positive.any() else 1.0
    for group in range(int(cells.group.max(initial=-1)) + 1):  # indicators of a category share one
        units[cells.group == group] = units[cells.group == group].max()
    return units


def _inverse(factor: FloatArray) -> tuple[FloatArray, bool]:
    """Pseudo-inverse, as array of shape (q, n), of the factor ``F'`` of shape (n, q); and whether ``F`` is injective.

    Units are evened out first. A direction kept in doubt makes a reach longer, one left out would make it too short.
    """
    size = np.sqrt((factor**2).sum(axis=1))
    size[size == 0] = 1.0
    U, singular, Vt = np.linalg.svd(factor.T / size, full_matrices=False)
    kept = singular > max(factor.shape) * np.finfo(np.float64).eps * singular.max(initial=0.0)
    inverse = (U[:, kept] / singular[kept]) @ Vt[kept] / size
    return inverse, int(kept.sum()) == len(factor)
