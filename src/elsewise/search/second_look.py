"""A second look at cells that the kernel calls empty, or in which it found no point it could stand by.

The kernel measures in the distance's own units. It calls a cell empty when nothing lies within a large multiple of the
largest distance to a single constraint; where units are decades apart, or a row all but satisfies everything, the cell
may simply lie farther off. And a row just outside of a cone can be too near for an iteration that sees the whole cone.
None of three remedies proves anything that is not so:

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

from ..arrays import BoolArray, FloatArray, IntArray
from ..projection.cells import CUTOFF, INFEASIBLE, STALLED, Batch, Cells
from .constants import EQUILIBRATIONS, EVEN_UNITS, REACH_SLACK, SUM_ROUNDING, TOO_NEAR


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
    """

    def __init__(self, cells: Cells, *, sees_cones_alone: bool) -> None:
        self.cells, self.sees_cones_alone = cells, sees_cones_alone
        self._even: Cells | None = None
        self._inverses: dict[int, tuple[FloatArray, bool]] = {}

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
        lower: FloatArray | None = None,
        upper: FloatArray | None = None,
    ) -> tuple[Batch, BoolArray]:
        """Look again where there is doubt.

        Parameters
        ----------
        X0, polyhedra, cone, margin, lower, upper
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
        at = np.flatnonzero(said_empty | ((batch.status == STALLED) & ~np.isfinite(batch.value)))
        if len(at) == 0:
            return batch, rescued
        extents = self._extents(X0, cone, at, lower, upper)
        at = at[~(said_empty[at] & self._is_beyond(batch.bound[at], extents, self.cells.norm, self.is_even))]
        if len(at) == 0:
            return batch, rescued
        status, value, v = batch.status.copy(), batch.value.copy(), batch.v.copy()
        status[at] = CUTOFF
        if not self.is_even:
            again = self._in_even_units(X0[at], polyhedra[at], cone[at], margin, _some(lower, at), _some(upper, at))
            extents = self._extents(X0, cone, at, lower, upper) * self.units
            empty = (again.status == INFEASIBLE) & self._is_beyond(again.bound, extents, 1, True)
            status[at[empty]] = INFEASIBLE
            good = (again.status != INFEASIBLE) & (again.status != CUTOFF) & np.isfinite(again.value)
            here = at[good]
            v[here] = again.v[good] / self.units
            if lower is not None and upper is not None:
                v[here] = np.clip(v[here], lower[here], upper[here])
            value[here] = np.abs(v[here]).sum(axis=1) if self.cells.norm == 1 else (v[here] ** 2).sum(axis=1)
            status[here], rescued[here] = STALLED, True
        return replace(batch, status=status, value=value, v=v), rescued

    def _is_beyond(self, bound: FloatArray, extents: FloatArray, norm: int, is_even: bool) -> BoolArray:
        """Whether bounds are beyond all points of the cells; without a reach the kernel has the word in even units."""
        known = np.isfinite(extents).all(axis=1)
        reach = extents.sum(axis=1) if norm == 1 else (extents**2).sum(axis=1)
        return np.where(known, bound > REACH_SLACK * reach, is_even)

    def _in_even_units(
        self,
        X0: FloatArray,
        polyhedra: IntArray,
        cone: IntArray,
        margin: float,
        lower: FloatArray | None,
        upper: FloatArray | None,
    ) -> Batch:
        cells, units, n = self.cells, self.units, len(X0)
        if self._even is None:
            self._even = replace(
                cells,
                norm=1,
                normals=cells.normals / units,
                shifts=cells.shifts / units,
                factors=cells.factors / units[:, None],
                grams=cells.grams / units / units[:, None],
                tilts=cells.tilts / units,
            )
        return self._even.project(
            X0 * units,
            np.arange(n),
            polyhedra,
            cone,
            cutoff=np.full(n, np.inf),
            margin=np.full(n, margin),
            lower=None if lower is None else lower * units,
            upper=None if upper is None else upper * units,
        )

    def _at_tangents(self, X0: FloatArray, polyhedra: IntArray, cone: IntArray, batch: Batch, margin: float) -> Batch:
        """Project onto the tangents of the cones, where the kernel's points are nearer than its bounds."""
        cells = self.cells
        too_near = (batch.status == STALLED) & (batch.value < batch.bound * (1 - TOO_NEAR))
        at = np.flatnonzero(too_near & (cone >= 0) & (polyhedra[:, 1] < 0))
        if len(at) == 0 or len(cells.tilts):
            return batch
        n, j = len(at), cone[at]
        factors = cells.factors[cells.shape[j]]  # F', (n, n_features, q)
        apart = np.matmul(X0[at, None, :], factors)[:, 0, :] - cells.centres[j]
        length = np.sqrt((apart**2).sum(axis=1))
        normals = np.matmul(factors, (apart / length[:, None])[:, :, None])[:, :, 0]
        terms = np.abs(normals * X0[at]).sum(axis=1) + length + cells.radii[j]
        # Inside by the margin, by the rounding of the terms, and by as much again for the bend.
        inside = margin * (length - cells.radii[j]) + 2.0 * max(SUM_ROUNDING, 1e-4 * margin) * terms
        tangents = replace(
            cells,
            normals=np.concatenate([cells.normals, normals]),
            offsets=np.concatenate([cells.offsets, (normals * X0[at]).sum(axis=1) - length + cells.radii[j] - inside]),
            spans=np.concatenate([cells.spans, len(cells.normals) + np.arange(n)[:, None] + [0, 1]]),
            shifts=np.concatenate([cells.shifts, np.zeros_like(normals)]),
            shift_offsets=np.concatenate([cells.shift_offsets, np.zeros(n)]),
        )
        again = tangents.project(
            X0[at],
            np.arange(n),
            np.column_stack([polyhedra[at, 0], cells.n_polyhedra + np.arange(n)]),
            np.full(n, -1),
            cutoff=np.full(n, np.inf),
            margin=np.full(n, margin),
        )
        moved = apart + np.matmul(again.v[:, None, :], factors)[:, 0, :]
        good = np.sqrt((moved**2).sum(axis=1)) <= cells.radii[j]
        good &= (again.status != INFEASIBLE) & (again.status != CUTOFF) & np.isfinite(again.value)
        value, v = batch.value.copy(), batch.v.copy()
        value[at], v[at] = np.where(good, again.value, np.inf), np.where(good[:, None], again.v, 0.0)
        return replace(batch, value=value, v=v)

    def _extents(
        self, X0: FloatArray, cone: IntArray, at: IntArray, lower: FloatArray | None, upper: FloatArray | None
    ) -> FloatArray:
        """How far points of the cells may be from each row, feature by feature; infinite where that is not known.

        With ``G`` the pseudo-inverse of ``F``, the point ``x0 + G (F x - F x0)`` is as good as ``x`` if nothing but
        ``F x`` counts, and equal to it if ``F`` has full rank; ``F x`` is ``g`` up to a vector no longer than ``h0``.
        """
        cells = self.cells
        extents = np.full((len(at), X0.shape[1]), np.inf)
        numeric = cells.group < 0 if len(cells.group) else np.ones(X0.shape[1], dtype=np.bool_)
        q = cells.factors.shape[2] - (len(cells.tilts) > 0)  # the last component of a tilted cone is about categories
        for j in np.unique(cone[at][cone[at] >= 0]).tolist():
            here, shape = np.flatnonzero(cone[at] == j), int(cells.shape[j])
            if shape not in self._inverses:
                self._inverses[shape] = _inverse(cells.factors[shape][numeric, :q])
            inverse, has_full_rank = self._inverses[shape]
            if has_full_rank or self.sees_cones_alone:
                apart = cells.centres[j, :q] - X0[at[here]][:, numeric] @ cells.factors[shape][numeric, :q]
                sizes = np.sqrt((inverse**2).sum(axis=0))
                extents[np.ix_(here, np.flatnonzero(numeric))] = np.abs(apart @ inverse) + cells.radii[j] * sizes
        extents[:, ~numeric] = np.abs(X0[at][:, ~numeric]).max(axis=1, initial=0.0)[:, None]  # at most the own level
        if lower is not None and upper is not None:
            extents = np.minimum(extents, np.maximum(np.abs(lower[at]), np.abs(upper[at])))
        return extents


def _some(limits: FloatArray | None, at: IntArray) -> FloatArray | None:
    return None if limits is None else limits[at]


def _units(cells: Cells) -> FloatArray:
    """How strongly cones, or half-spaces without any, depend on each feature; array of shape (n,)."""
    units = np.ones(cells.normals.shape[1])
    if len(cells.factors):
        units = np.sqrt((cells.factors**2).sum(axis=2)).max(axis=0)
    elif len(cells.normals):
        table = np.abs(np.concatenate([cells.normals, cells.shifts]))
        for _ in range(EQUILIBRATIONS):
            rows = (table / units).max(axis=1, keepdims=True)
            units = (table / np.where(rows > 0, rows, 1.0)).max(axis=0)
            units[units == 0] = 1.0
    positive = units > 0
    units[~positive] = np.exp(np.log(units[positive]).mean()) if positive.any() else 1.0
    for group in range(int(cells.group.max(initial=-1)) + 1):  # indicators of a category share one
        units[cells.group == group] = units[cells.group == group].max()
    return units


def _inverse(factor: FloatArray) -> tuple[FloatArray, bool]:
    """Pseudo-inverse, as array of shape (q, n), of the factor ``F'`` of shape (n, q); and whether ``F`` is injective.

    Units are evened out first. A direction too many makes a reach longer, one too few would make it too short.
    """
    size = np.sqrt((factor**2).sum(axis=1))
    size[size == 0] = 1.0
    U, singular, Vt = np.linalg.svd(factor.T / size, full_matrices=False)
    kept = singular > max(factor.shape) * np.finfo(np.float64).eps * singular.max(initial=0.0)
    inverse = (U[:, kept] / singular[kept]) @ Vt[kept] / size
    return inverse, int(kept.sum()) == len(factor)
