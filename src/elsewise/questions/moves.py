"""Small changes of known points: often one of them is what a search would find, and it is checked much sooner."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..arrays import FloatArray
from ..search import Domain
from ..search.branch_and_bound.rounding import Rounding
from ..search.constants import MARGINS
from .solving.answers import Answers

# Moves of a number from a known answer that are tried before a search, in units of the distance; of a whole number as
# they are.
MOVES_TRIED = tuple(sign * 4.0**power for sign in (-1, 1) for power in range(-2, 7))


def single_moves(point: FloatArray, row: FloatArray, domain: Domain, stretch: FloatArray) -> FloatArray:
    """List points that differ from a point of a row in one column, array of shape (n, n_features).

    Parameters
    ----------
    point, row : arrays of shape (1, n_features)
    domain : Domain
        Of the row.
    stretch : array of shape (n_features,)
        What a unit of each feature counts in the distance.
    """
    layout, lower, upper = domain.layout, domain.lower[0], domain.upper[0]
    moves = []
    for start, stop in zip(layout.starts, np.append(layout.starts[1:], len(lower)), strict=True):
        if layout.group[start] >= 0:
            values = np.eye(stop - start)[upper[start:stop] == 1]
        else:
            scale = 1.0 if domain.integer[start] else 1.0 / stretch[start]
            values = np.clip(point[0, start] + scale * np.array(MOVES_TRIED), lower[start], upper[start])[:, None]
            values = values[values[:, 0] == np.floor(values[:, 0])] if domain.integer[start] else values
        moved = np.repeat(point, len(values) + 1, axis=0)
        moved[:-1, start:stop] = values
        moved[-1, start:stop] = row[0, start:stop]
        moves.append(moved[(moved != point).any(axis=1)])
    return np.concatenate(moves)


def answer_nearby(answers: Answers, points: Sequence[FloatArray]) -> FloatArray | None:
    """Look for an answer one move away from points, of shape (1, n_features), that answer another question.

    What the question does not allow in a point is set back to the row's own value first.

    Parameters
    ----------
    answers : Answers
        Of one row to one goal; not changed.
    points : sequence of arrays of shape (1, n_features)

    Returns
    -------
    array of shape (1, n_features), or None
        Dense enough and within the rules, and an answer as far as the search can tell: the model is not asked.
    """
    question, row, place = answers.question, answers.rows, np.array([0])
    assert answers.domain is not None
    domain = replace(answers.domain, widening=answers.widening(place, place))
    lattice, starts = question.lattice, np.concatenate([row[:0], *points])
    if lattice is not None:  # as the search sees them
        domain, row, starts = lattice.domain(domain, row), lattice.counts(row), lattice.counts(starts)
    layout = domain.layout
    is_out = np.logical_or.reduceat((starts < domain.lower) | (starts > domain.upper), layout.starts, axis=1)
    starts = np.where(is_out[:, layout.column], row, starts)
    stretch = question.searched.coordinates.stretch
    tries = np.concatenate([starts, *(single_moves(start[None], row, domain, stretch) for start in starts)])
    checks = Rounding(question.searched, row, place, domain, MARGINS[0], question.use_model)
    tries = tries[checks.check(np.zeros(len(tries), dtype=np.int64), tries).holds]
    if lattice is not None:
        tries = lattice.points(tries, np.repeat(answers.rows, len(tries), axis=0))
    same, verification = np.zeros(len(tries), dtype=np.int64), answers.verification
    tries = verification.as_returned(tries, same, np.ones(len(tries), dtype=np.bool_))
    logs = verification.densities(tries, same, same)
    good = np.flatnonzero(logs.is_dense)
    good = good[verification.keeps_rules(tries[good], same[good])]
    if len(good) == 0:
        return None
    return np.asarray(tries[[good[logs.largest[good].argmax()] if question.densities[0] is not None else good[0]]])
