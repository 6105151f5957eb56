"""At most so many changes, by choices of the columns that may change: few of them are searched one after the other.

With one or two changes a search of everything looks into many boxes in which too much changes. Where all but a few
columns stay, nothing is left to count, and each search is short.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence

import numpy as np

from ..arrays import FloatArray
from .constants import MOST_CHOICES
from .domain import Domain
from .found import Found


def columns_that_stay(domain: Domain, row: FloatArray) -> list[frozenset[int]] | None:
    """List what stays in each choice of as many columns as may change; None if there are too many choices, or no rule.

    Parameters
    ----------
    domain : Domain
        Of one row.
    row : array of shape (n_features,)

    Returns
    -------
    list of sets of units, or None
        None of them where more columns have to change than may: what is asked breaks its own limits.
    """
    most, unit = domain.max_changes, domain.layout.unit_of_feature
    if most is None:
        return None
    must = set(unit[(row < domain.lower[0]) | (row > domain.upper[0])].tolist())
    may = sorted(set(unit[(domain.lower[0] < row) | (domain.upper[0] > row)].tolist()) - must)
    n_more = min(most - len(must), len(may))
    if n_more < 0:
        return []
    if math.comb(len(may), n_more) > MOST_CHOICES:
        return None
    every = set(unit.tolist()) - must
    return [frozenset(every - set(chosen)) for chosen in itertools.combinations(may, n_more)]


def search_choices(
    row: FloatArray, choices: Sequence[frozenset[int]], cutoff: float, search: Callable[[frozenset[int], float], Found]
) -> Found:
    """Search the nearest point of all choices.

    Parameters
    ----------
    row : array of shape (n_features,)
    choices : sequence of sets of units
        What stays.
    cutoff : float
        Only points nearer than this are wanted.
    search : function of the units that stay and a cutoff
    """
    best, bound, n_projections, timed_out = Found.nothing(row[None]), np.inf, 0, False
    for stay in choices:
        one = search(stay, min(cutoff, float(best.value[0])))
        n_projections, timed_out = n_projections + int(one.n_projections[0]), timed_out or bool(one.timed_out[0])
        bound = min(bound, float(one.lower_bound[0]))
        if one.value[0] < best.value[0]:
            best = one
    best.lower_bound[0] = min(bound, float(best.value[0]))
    best.n_projections[0], best.timed_out[0], best.model_free[0] = n_projections, timed_out, False
    return best
