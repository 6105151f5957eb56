"""The contract of a region: what a model accepts, as the search needs to know it.

A region is where a model decides for a wanted outcome. It need not be convex, and its shape need not be known: it is
*covered* by convex parts, each described by half-spaces that hold for every accepted point in it. The search projects
onto the parts, cheapest first. Where the projection is accepted, nothing in the part is nearer. Where it is not, the
region is asked for half-spaces that cut it off, and if there are none, for smaller parts that cover the part. A part
that cannot be divided is left with the bound that is known.

A family of models makes a :class:`Region`, in *model space*, the space its estimator sees. The search itself speaks to
a :class:`Cover` of it, made once for the features and the distance of a search: :class:`DividingCover` by default,
which asks the region's own methods; a region whose parts are polyhedra known beforehand has a faster one.

Outcomes: what is wanted of a model.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray
from ..errors import InvalidInputError
from .cones import Cones
from .cover import Cover, Part, Reach
from .space import Space

# How well a kind of region is known; from the best to the worst.
Exactness = Literal["exact", "bounded", "black box"]


@dataclass(frozen=True, slots=True)
class Halfspaces:
    """The set ``{ z : normals z <= offsets }``.

    Attributes
    ----------
    normals : array of shape (n, n_features)
    offsets : array of shape (n,)
    """

    normals: FloatArray
    offsets: FloatArray


class Region(ABC):
    """Where a model decides for an outcome, in model space. Closed: ties on its boundary are left to the last check.

    Attributes
    ----------
    exactness : "exact", "bounded" or "black box"
        What answers can be expected to be: proven optimal, unless a limit ends the proof; within a stated gap, which
        often stays open; or proven optimal only where the model does not matter.
    """

    exactness: Exactness = "exact"

    @property
    def exactness_with_density(self) -> Exactness:
        """The same where counterfactuals must be in an ellipsoid, too."""
        return self.exactness

    @abstractmethod
    def parts(self) -> Sequence[Part]:
        """List convex parts that cover the region; none if the model never decides so."""

    @abstractmethod
    def halfspaces(self, part: Part, near: FloatArray, reach: Reach) -> Halfspaces:
        """Return half-spaces that hold for every accepted point of a part within reach, tight near a point.

        Parameters
        ----------
        part : part of this region
        near : array of shape (n_model_features,)
            The row itself at first, then each projection that was not accepted. What was given for a part before, and
            for those it was divided from, still counts.
        reach : Reach
        """

    @abstractmethod
    def divide(self, part: Part, near: FloatArray, reach: Reach) -> Sequence[Part]:
        """Return smaller parts that cover what is accepted of a part within reach; none if nothing more is known."""

    @abstractmethod
    def accepts(self, points: FloatArray) -> BoolArray:
        """Whether points of shape (n_samples, n_model_features) are in the region, shape (n_samples,)."""

    def candidates(self, reach: Reach) -> FloatArray:
        """Return points, in features, that may be good answers: any number of them, of shape (n, n_features)."""
        return np.empty((0, len(reach.row)))

    def cover(self, space: Space) -> Cover:
        """Cover the region for a search."""
        return DividingCover(self, space)


class Covered(Protocol):
    """What has a cover: a region, or several that meet."""

    def cover(self, space: Space) -> Cover:
        """Cover it for a search."""
        ...


class DividingCover(Cover):
    """The cover of a region that is known by its methods alone: one part, divided as the region says.

    Parameters
    ----------
    region : Region
    space : Space
    """

    cells = None

    def __init__(self, region: Region, space: Space) -> None:
        self.region, self.space = region, space
        self.n_parts = min(len(region.parts()), 1)

    def bounds(self, rows: FloatArray, integer: BoolArray | None = None) -> FloatArray:
        """Nothing is known beforehand."""
        return np.zeros((len(rows), self.n_parts))

    def depth(self, points: FloatArray | None = None, *, plain: FloatArray | None = None) -> FloatArray:
        """Inside is where the region accepts."""
        assert points is not None
        inside = self.region.accepts(self.space.in_model_space(points)) if len(points) else np.zeros(0, dtype=np.bool_)
        return np.repeat(np.where(inside, np.inf, -np.inf)[:, None], self.n_parts, axis=1)

    def limits(self, parts: IntArray, rows: FloatArray, integer: BoolArray) -> tuple[FloatArray, FloatArray]:
        """No feature is limited by itself."""
        return np.full_like(rows, -np.inf), np.full_like(rows, np.inf)

    def may_meet(self, cones: Cones) -> BoolArray:
        """All of them may."""
        return np.ones((len(cones.radii), self.n_parts), dtype=np.bool_)

    def squared_radii_needed(self, cones: Cones) -> FloatArray:
        """Nothing is known."""
        return np.zeros((self.n_parts, len(cones.radii)))

    def first_part(self, place: int) -> Part:
        """Return the only part the region starts from, or a list of all of them."""
        return _Several(self.region.parts())

    def halfspaces(self, part: Part, near: FloatArray, reach: Reach) -> tuple[FloatArray, FloatArray]:
        """Pull back what the region says; all of its parts together have nothing in common."""
        if isinstance(part, _Several):
            if len(part.parts) > 1:
                return np.empty((0, self.space.n_features)), np.empty(0)
            part = part.parts[0]
        said = self.region.halfspaces(part, self.space.in_model_space(near[None])[0], reach)
        return self.space.pulled_back(said.normals, said.offsets)

    def divide(self, part: Part, near: FloatArray, reach: Reach) -> Sequence[Part]:
        """Divide as the region says."""
        if isinstance(part, _Several):
            if len(part.parts) > 1:
                return part.parts
            part = part.parts[0]
        return self.region.divide(part, self.space.in_model_space(near[None])[0], reach)

    def candidates(self, reach: Reach) -> FloatArray:
        """Pass on what the region suggests."""
        return self.region.candidates(reach)


@dataclass(frozen=True, slots=True)
class _Several:
    """All parts a region starts from, together."""

    parts: Sequence[Part]


@dataclass(frozen=True, slots=True)
class Label:
    """A wanted class: its position in ``model.classes_``.

    With a least probability, that alone decides: the model's own ``predict_proba`` must give the class at least this,
    whether ``predict`` chooses it or not.
    """

    index: int
    min_probability: float | None = None


@dataclass(frozen=True, slots=True)
class Interval:
    """A wanted range of a regressor's prediction, ``low <= predict(x) <= high``; an open end is infinite."""

    low: float
    high: float


Outcome = Label | Interval


@dataclass(frozen=True, slots=True)
class Probability:
    """What ``predict_proba`` gives the class at a position must lie in ``[low, high]``."""

    index: int
    low: float = -np.inf
    high: float = np.inf


@dataclass(frozen=True, slots=True)
class DecisionValue:
    """What ``decision_function`` gives, one number a row, must lie in ``[low, high]``."""

    low: float = -np.inf
    high: float = np.inf


# Ranges of the numbers from which cut-offs and calibrations decide.
Response = Probability | DecisionValue


def require_label(model: object, outcome: Outcome) -> Label:
    """Return the outcome as a label, or explain that this model is a classifier."""
    if not isinstance(outcome, Label):
        raise InvalidInputError(
            f"{type(model).__name__} is a classifier: expected one of its labels as target, received the range "
            f"({outcome.low}, {outcome.high})."
        )
    return outcome


def require_interval(model: object, outcome: Outcome) -> Interval:
    """Return the outcome as an interval, or explain that this model is a regressor."""
    if not isinstance(outcome, Interval):
        raise InvalidInputError(
            f"{type(model).__name__} is a regressor: expected target=(low, high), with None for an open end."
        )
    return outcome
