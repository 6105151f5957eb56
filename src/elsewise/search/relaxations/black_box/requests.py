"""What a row's search asks for. Searches are generators: many run together, and what they ask for is asked at once.

Searches of one row side by side: what they ask the model at the same time is asked in one call.

The cover of a region that can only be asked.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from ....arrays import BoolArray, FloatArray, IntArray
from ...region import DividingCover, Region
from ...space import Space
from .view import RowView

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Ask:
    """Which points are answers: accepted by the model, dense enough, within all rules, new.

    Attributes
    ----------
    points : array of shape (n, n_features)
        Whole where they must be. The reply is a bool array of shape (n,).
    """

    points: FloatArray


@dataclass(frozen=True, slots=True)
class Score:
    """How far inside points are, by the model's own score; they need not be answers. The reply has shape (n,).

    Attributes
    ----------
    points : array of shape (n, n_features)
    labels : bool
        By its labels instead: 1 inside, 0 outside.
    """

    points: FloatArray
    labels: bool = False


@dataclass(frozen=True, slots=True)
class Project:
    """The nearest points of cones within boxes and half-spaces, whole numbers relaxed.

    Attributes
    ----------
    cones : int array of shape (n,)
    lower, upper : arrays of shape (n, n_features)
        In which every category is decided.
    normals, offsets : arrays of shape (n_cuts, n_features), (n_cuts,)
        Half-spaces ``normals x <= offsets``, the same for all.
    limit : float
        Nothing farther is of interest. The reply is an array of shape (n, n_features), NaN where there is none.
    """

    cones: IntArray
    lower: FloatArray
    upper: FloatArray
    normals: FloatArray
    offsets: FloatArray
    limit: float


# A search under way: it yields what it asks for, is sent the reply, and returns its result.
Steps = Generator[Ask | Score | Project, Any, Result]
Reply = BoolArray | FloatArray


def together(view: RowView, searches: Sequence[Steps[None]]) -> Steps[None]:
    """Run searches of a row, the first ones first where the points that are left do not do for all.

    Parameters
    ----------
    view : RowView
    searches : sequence of searches
        Each as it would run alone: it sees what the others have found so far.
    """
    pending: dict[int, Ask | Score | Project] = {}
    for place in range(len(searches)):
        _advance(searches, pending, place, None)
    while pending:
        projecting = [place for place, what in pending.items() if isinstance(what, Project)]
        for place in projecting:  # costs no call
            _advance(searches, pending, place, (yield pending[place]))
        if projecting:
            continue
        chosen, asked = _alike(view, pending)
        points = np.concatenate([what.points for what in asked])
        reply = yield Ask(points) if isinstance(asked[0], Ask) else Score(points, asked[0].labels)
        ends = np.cumsum([len(what.points) for what in asked])[:-1]
        for place, own in zip(chosen, np.split(reply, ends)):
            _advance(searches, pending, place, own)


def _alike(view: RowView, pending: dict[int, Ask | Score | Project]) -> tuple[list[int], list[Ask | Score]]:
    """Choose what can be asked with the first that waits: of its kind, and as long as there are points left."""
    kinds = {place: _kind(what) for place, what in pending.items()}
    first = min(pending)
    chosen: list[int] = []
    asked: list[Ask | Score] = []
    left = view.points_left
    for place in sorted(pending):
        what = pending[place]
        assert not isinstance(what, Project)
        if kinds[place] == kinds[first] and (place == first or len(what.points) <= left):
            chosen.append(place)
            asked.append(what)
            left -= len(what.points)
    return chosen, asked


def _kind(what: Ask | Score | Project) -> tuple[bool, bool]:
    return isinstance(what, Ask), isinstance(what, Score) and what.labels


def _advance(
    searches: Sequence[Steps[None]], pending: dict[int, Ask | Score | Project], place: int, reply: Reply | None
) -> None:
    """Send a search a reply, and note what it asks for next; it no longer waits if it is over."""
    try:
        pending[place] = searches[place].send(reply)
    except StopIteration:
        pending.pop(place, None)


class BlackBoxCover(DividingCover):
    """Everything, in one part; what is accepted in it, only the model knows.

    Parameters
    ----------
    region : Region
        Its points are in features.
    space : Space
    anchors : array of shape (n_anchors, n_features)
        Points that the model probably accepts.
    scores : function of points of shape (n_samples, n_features)
        How far they are inside, shape (n_samples,), or None if the model says nothing of it.
    refused : array of shape (n_refused, n_features)
        Points that the model probably refuses.
    """

    def __init__(
        self,
        region: Region,
        space: Space,
        anchors: FloatArray,
        scores: Callable[[FloatArray], FloatArray | None],
        refused: FloatArray,
    ) -> None:
        super().__init__(region, space)
        self.anchors, self.scores, self.refused = anchors, scores, refused

    def accepts(self, points: FloatArray) -> BoolArray:
        """Ask the model about points of shape (n_samples, n_features)."""
        return self.region.accepts(points)

    def depth(self, points: FloatArray | None = None, *, plain: FloatArray | None = None) -> FloatArray:
        """Inside is where the model accepts."""
        assert points is not None
        return np.where(self.accepts(points), np.inf, -np.inf)[:, None]
