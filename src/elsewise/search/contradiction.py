"""Which limits and rules have a part in the emptiness of cells: Farkas multipliers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import FloatArray
from ..projection.cells import INFEASIBLE
from .domain import Domain
from .problem import SearchProblem


@dataclass(frozen=True, slots=True)
class Multipliers:
    """Farkas multipliers of the cells that are empty under the limits and rules of a row.

    Attributes
    ----------
    of_limits : array of shape (n_empty, n_features)
    of_rules : array of shape (n_empty, n_rules)
    """

    of_limits: FloatArray
    of_rules: FloatArray


def contradicting(problem: SearchProblem, goal: int, row: FloatArray, domain: Domain) -> Multipliers:
    """Find the multipliers of the relaxed cells of a goal that are empty for one row.

    Parameters
    ----------
    problem : SearchProblem
    goal : int
    row : array of shape (1, n_features)
    domain : Domain
        Of this row.
    """
    wanted = problem.goals[goal]
    cells = [(i, j) for i in range(wanted.n_polyhedra) for j in range(wanted.n_cones)]
    n, n_rules = len(cells), len(domain.offsets)
    if n == 0:
        return Multipliers(np.empty((0, row.shape[1])), np.empty((0, n_rules)))
    prices = problem.coordinates.stretch
    low, high = (domain.lower - row) * prices, (domain.upper - row) * prices
    indicators = domain.layout.indicators
    low[:, indicators] = 0.0
    high[:, indicators] = np.where((domain.upper[:, indicators] == 1) & (row[:, indicators] == 0), np.inf, 0.0)
    polyhedra = np.array([wanted.first_polyhedron + i for i, _ in cells])
    batch = problem.cells.project(
        problem.coordinates.points(row),
        np.zeros(n, dtype=np.int64),
        np.column_stack([polyhedra, np.full(n, domain.polyhedron)]),
        np.array([wanted.first_cone + j if wanted.has_density else -1 for _, j in cells]),
        cutoff=np.full(n, np.inf),
        margin=np.zeros(n),
        lower=np.repeat(low, n, axis=0),
        upper=np.repeat(high, n, axis=0),
        multipliers=True,
    )
    assert batch.bound_multipliers is not None
    assert batch.row_multipliers is not None
    empty = np.flatnonzero(batch.status == INFEASIBLE)
    n_before = np.diff(problem.cells.spans[polyhedra[empty]], axis=1)[:, 0]  # half-spaces of the region come first
    of_rules = [batch.row_multipliers[k, start : start + n_rules] for k, start in zip(empty, n_before)]
    return Multipliers(batch.bound_multipliers[empty], np.array(of_rules).reshape(len(empty), n_rules))
