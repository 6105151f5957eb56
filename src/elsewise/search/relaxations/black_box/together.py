"""Searches of one row side by side: what they ask the model at the same time is asked in one call."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .requests import Ask, Project, Reply, Score, Steps
from .view import RowView


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
    """Tell a search a reply, and note what it asks for next; it no longer waits if it is over."""
    try:
        pending[place] = searches[place].send(reply)
    except StopIteration:
        pending.pop(place, None)
