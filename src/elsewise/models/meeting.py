"""Where several models decide as wanted, each by itself: the intersection of their regions.

The models see the same features through maps of their own, so the intersection lives in the space of all that they see,
one after the other. Unions of polyhedra meet in polyhedra, sums of trees in one sum of trees with several decisions,
networks and other sums of units, with linear models, in one sum of units with all their margins; any
other regions meet through what every region can say of its parts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from typing import Any

import numpy as np

from ..arrays import BoolArray, FloatArray
from ..search import BlackBoxCover, Cover, DividingCover, Halfspaces, Reach, Region, Space
from ..search.relaxations.polyhedra import PolyhedronUnion, union
from ..search.relaxations.tangents import TangentRegion
from ..search.relaxations.tree_sums.joint import joined
from ..search.relaxations.unit_sums.joint import can_be_joined, linear_sums
from ..search.relaxations.unit_sums.joint import joined as joined_sums
from ..search.relaxations.unit_sums.region import SumRegion
from ..search.relaxations.unit_sums.units import Sums
from .black_box import BlackBoxRegion
from .trees import EnsembleRegion

# Half-spaces of all polyhedra in which unions meet: beyond it they are met as the search goes on.
MOST_HALFSPACES_OF_MEETINGS = 50_000


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """A region, and how its model sees features: ``z = matrix x + offset``."""

    region: Region
    matrix: FloatArray
    offset: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Meeting:
    """The intersection of regions.

    Attributes
    ----------
    first : Region
        Of the model whose space a search speaks of.
    others : tuple of Seen
    """

    first: Region
    others: tuple[Seen, ...]

    def cover(self, space: Space) -> Cover:
        """Cover it for a search."""
        others = tuple(replace(one, matrix=space.in_steps(one.matrix)) for one in self.others)
        if isinstance(self.first, BlackBoxRegion):
            return _asked_cover(self.first.cover(space), others, space)
        every = [Seen(self.first, space.matrix, space.offset), *others]
        wide = replace(
            space,
            matrix=np.vstack([one.matrix for one in every]),
            offset=np.concatenate([one.offset for one in every]),
            n_seen_by_cones=len(space.matrix),
        )
        regions = [one.region for one in every]
        unions = [region for region in regions if isinstance(region, PolyhedronUnion)]
        if len(unions) == len(regions) and _n_halfspaces(unions) <= MOST_HALFSPACES_OF_MEETINGS:
            return products(unions).cover(wide)
        sums = [(region.trees, region.decision) for region in regions if isinstance(region, EnsembleRegion)]
        if len(sums) == len(regions):
            return EnsembleRegion(*joined(sums)).cover(wide)
        tangent = [region for region in regions if isinstance(region, TangentRegion)]
        if len(tangent) == 1 and len(unions) == len(regions) - 1 and all(one.n_polyhedra == 1 for one in unions):
            return ConvexMeeting(regions, wide).cover(wide)
        margins = [_as_sums(region) for region in regions]
        if all(one is not None for one in margins):
            is_empty = any(len(region.parts()) == 0 for region in regions)
            return SumRegion(joined_sums([one for one in margins if one is not None]), is_empty).cover(wide)
        spaces = [replace(space, matrix=one.matrix, offset=one.offset) for one in every]
        return DividingCover(Intersection(regions, spaces), wide)


class AskedMeeting(Region):
    """Where a model that is only asked and further models decide as wanted; points are in features.

    Nothing is known of the first one's shape, so the intersection is one part that is never divided: relaxed points
    between levels of a category, which no row can be, are never asked about.

    Parameters
    ----------
    first : Region
        Of the model that is only asked.
    others : sequence of Seen
    """

    exactness = "black box"

    def __init__(self, first: Region, others: Sequence[Seen]) -> None:
        self.first, self.others = first, tuple(others)

    def parts(self) -> Sequence[Any]:
        """Everything."""
        return [None]

    def halfspaces(self, part: Any, near: FloatArray, reach: Reach) -> Halfspaces:
        """None hold for sure."""
        return Halfspaces(np.empty((0, len(near))), np.empty(0))

    def divide(self, part: Any, near: FloatArray, reach: Reach) -> Sequence[Any]:
        """Nothing more is known."""
        return []

    def accepts(self, points: FloatArray) -> BoolArray:
        """Whether all models accept points of shape (n_samples, n_features)."""
        accepted = np.ones(len(points), dtype=np.bool_)
        for one in self.others:  # these cost less than the first
            accepted[accepted] = one.region.accepts(points[accepted] @ one.matrix.T + one.offset)
        accepted[accepted] = self.first.accepts(points[accepted])
        return accepted

    def scores(self, points: FloatArray) -> None:
        """Return None: the models together have no score."""


def _asked_cover(cover: BlackBoxCover, others: Sequence[Seen], space: Space) -> BlackBoxCover:
    """Cover where a model that is only asked and others accept; training rows that all accept are the anchors."""
    region = AskedMeeting(cover.region, others)
    accepted = region.accepts(cover.anchors)
    refused = np.concatenate([cover.refused, cover.anchors[~accepted]])
    return BlackBoxCover(region, space, cover.anchors[accepted], region.scores, refused)


def _n_halfspaces(unions: Sequence[PolyhedronUnion]) -> float:
    """Count half-spaces of all products."""
    counts = [float(one.n_polyhedra) for one in unions]
    each = [float((one.spans[:, 1] - one.spans[:, 0]).sum()) for one in unions]
    return sum(
        own * prod(count for other, count in enumerate(counts) if other != place) for place, own in enumerate(each)
    )


def products(unions: Sequence[PolyhedronUnion]) -> PolyhedronUnion:
    """Intersect unions: one polyhedron for each choice of one from every union, in the space of all of them."""
    ends = np.cumsum([0, *(one.normals.shape[1] for one in unions)])
    polyhedra = []
    for chosen in product(*(range(one.n_polyhedra) for one in unions)):
        rows, offsets = [], []
        for one, place, start, end in zip(unions, chosen, ends, ends[1:]):
            A, b = one.polyhedron(place)
            wide = np.zeros((len(A), int(ends[-1])))
            wide[:, start:end] = A
            rows.append(wide)
            offsets.append(b)
        polyhedra.append((np.vstack(rows), np.concatenate(offsets)))
    return union(polyhedra, n_features=int(ends[-1]))


def _as_sums(region: Region) -> Sums | None:
    """Return the sums whose margins decide, if a region is one of sums of units or a single polyhedron."""
    if isinstance(region, PolyhedronUnion) and region.n_polyhedra == 1:
        return linear_sums(*region.polyhedron(0))
    return region.sums if isinstance(region, SumRegion) and can_be_joined(region) else None


class ConvexMeeting(TangentRegion):
    """A convex region that tangents approach, and polyhedra, side by side.

    Parameters
    ----------
    regions : sequence of Region
        One :class:`TangentRegion`; the others are single polyhedra.
    space : Space
        How all of them see features, one after the other.
    """

    def __init__(self, regions: Sequence[Region], space: Space) -> None:
        self.space = space
        ends = np.cumsum([0, *(_width(region) for region in regions)])
        self.n_features = int(ends[-1])
        normals, offsets = [np.empty((0, self.n_features))], [np.empty(0)]
        for region, start, end in zip(regions, ends, ends[1:]):
            if isinstance(region, TangentRegion):
                self.convex, self.own = region, slice(int(start), int(end))
                A, b = region.known_halfspaces()
            else:
                assert isinstance(region, PolyhedronUnion)
                A, b = region.polyhedron(0)
            wide = np.zeros((len(A), self.n_features))
            wide[:, start:end] = A
            normals.append(wide)
            offsets.append(b)
        self.normals, self.offsets = np.vstack(normals), np.concatenate(offsets)
        self.limit = self.convex.limit
        self.regions = [(region, slice(int(start), int(end))) for region, start, end in zip(regions, ends, ends[1:])]

    def parts(self) -> Sequence[int]:
        """One part: the intersection is convex."""
        return (0,) if all(len(region.parts()) for region, _ in self.regions) else ()

    def halfspaces(self, part: int, near: FloatArray, reach: Reach) -> Halfspaces:
        """Return what always holds, and tangents near a point."""
        return super().halfspaces(part, near, replace(reach, space=self.space))

    def values(self, points: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Values and gradients of the one that is no polyhedron."""
        values, own = self.convex.values(points[:, self.own])
        gradients = np.zeros((len(points), self.n_features))
        gradients[:, self.own] = own
        return values, gradients

    def known_halfspaces(self) -> tuple[FloatArray, FloatArray]:
        """Return those of all regions."""
        return self.normals, self.offsets

    def sizes(self, magnitudes: FloatArray) -> FloatArray:
        """Sizes of the terms of the one that is no polyhedron."""
        return self.convex.sizes(magnitudes[:, self.own])

    def accepts(self, points: FloatArray) -> BoolArray:
        """Whether all regions accept."""
        return np.asarray(np.logical_and.reduce([region.accepts(points[:, own]) for region, own in self.regions]))


def _width(region: Region) -> int:
    """Count the columns of a polyhedron or a region that tangents approach."""
    normals = region.known_halfspaces()[0] if isinstance(region, TangentRegion) else region.normals  # type: ignore[attr-defined]
    return int(normals.shape[1])


# A part of an intersection: a part of each region, or None for all of it.
Parts = tuple[Any, ...]


class Intersection(Region):
    """Regions of any kind, side by side.

    Parameters
    ----------
    regions : sequence of Region
    spaces : sequence of Space
        How each of them sees features.
    """

    def __init__(self, regions: Sequence[Region], spaces: Sequence[Space]) -> None:
        self.regions, self.spaces = tuple(regions), tuple(spaces)
        self.ends = np.cumsum([0, *(len(space.matrix) for space in spaces)])

    def parts(self) -> Sequence[Parts]:
        """Everything at once, unless some region is empty; regions of one part start with it."""
        first = [region.parts() for region in self.regions]
        if not all(len(parts) for parts in first):
            return ()
        return (tuple(parts[0] if len(parts) == 1 else None for parts in first),)

    def halfspaces(self, part: Parts, near: FloatArray, reach: Reach) -> Halfspaces:
        """Return what each region says of its part."""
        normals, offsets = [np.empty((0, int(self.ends[-1])))], [np.empty(0)]
        for place, (region, own) in enumerate(zip(self.regions, part)):
            if own is not None:
                said = region.halfspaces(own, self._own(near, place), self._reach(reach, place))
                wide = np.zeros((len(said.offsets), int(self.ends[-1])))
                wide[:, self.ends[place] : self.ends[place + 1]] = said.normals
                normals.append(wide)
                offsets.append(said.offsets)
        return Halfspaces(np.vstack(normals), np.concatenate(offsets))

    def divide(self, part: Parts, near: FloatArray, reach: Reach) -> Sequence[Parts]:
        """Divide the part of a region that does not accept the point; of another one if nothing more is known of it."""
        accepted = [bool(self.regions[place].accepts(self._own(near, place)[None])[0]) for place in range(len(part))]
        for place in sorted(range(len(part)), key=lambda place: accepted[place]):
            region, own = self.regions[place], part[place]
            if own is None:
                smaller = region.parts()
            else:
                smaller = region.divide(own, self._own(near, place), self._reach(reach, place))
            if len(smaller):
                return [(*part[:place], one, *part[place + 1 :]) for one in smaller]
        return ()

    def accepts(self, points: FloatArray) -> BoolArray:
        """Whether all regions accept."""
        each = [region.accepts(self._own(points, place)) for place, region in enumerate(self.regions)]
        return np.asarray(np.logical_and.reduce(each))

    def candidates(self, reach: Reach) -> FloatArray:
        """Return what any of the regions suggests."""
        each = [region.candidates(self._reach(reach, place)) for place, region in enumerate(self.regions)]
        return np.concatenate(each)

    def _own(self, points: FloatArray, place: int) -> FloatArray:
        return points[..., self.ends[place] : self.ends[place + 1]]

    def _reach(self, reach: Reach, place: int) -> Reach:
        return replace(reach, space=self.spaces[place])
