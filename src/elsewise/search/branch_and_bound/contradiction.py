"""Which limits and rules have a part in the emptiness of cells: Farkas multipliers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import FloatArray, IntArray
from ...projection.cells import INFEASIBLE, Cells, Details
from ..domains.domain import Domain
from ..problem import SearchProblem
from .refinement import Refinement


@dataclass(frozen=True, slots=True)
class FarkasMultipliers:
    """Farkas multipliers of the cells that are empty under the limits and rules of a row.

    Attributes
    ----------
    of_limits : array of shape (n_empty, n_features)
    of_rules : array of shape (n_empty, n_rules)
    """

    of_limits: FloatArray
    of_rules: FloatArray


def contradicting(problem: SearchProblem, goal: int, row: FloatArray, domain: Domain) -> FarkasMultipliers:
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
    has_cone = np.ones(wanted.n_cones, dtype=np.bool_)
    if domain.widening is not None:
        has_cone = wanted.has_cone(domain.widening)[0]
    pairs = [(i, j) for i in range(wanted.n_parts) for j in np.flatnonzero(has_cone).tolist()]
    n, n_rules = len(pairs), len(domain.offsets)
    if n == 0:
        return FarkasMultipliers(np.empty((0, row.shape[1])), np.empty((0, n_rules)))
    prices = problem.coordinates.stretch
    low, high = (domain.lower - row) * prices, (domain.upper - row) * prices
    indicators = domain.layout.indicators
    low[:, indicators] = 0.0
    high[:, indicators] = np.where((domain.upper[:, indicators] == 1) & (row[:, indicators] == 0), np.inf, 0.0)
    cells, first_polyhedron = _with_parts(problem, goal, row, domain)
    polyhedra = np.array([first_polyhedron + i for i, _ in pairs])
    cone = np.array([wanted.first_cone + j if wanted.has_density else -1 for _, j in pairs])
    if domain.widening is not None:
        cells, cone = cells.with_own_radii(cone, np.repeat(domain.widening, n))
    batch = cells.project(
        problem.coordinates.points(row),
        np.zeros(n, dtype=np.int64),
        np.column_stack([polyhedra, np.full(n, problem.rules_at)]),
        cone,
        cutoff=np.full(n, np.inf),
        margin=np.zeros(n),
        limits=(np.repeat(low, n, axis=0), np.repeat(high, n, axis=0)),
        details=Details(multipliers=True),
    )
    assert batch.bound_multipliers is not None
    assert batch.halfspace_multipliers is not None
    empty = np.flatnonzero(batch.status == INFEASIBLE)
    n_before: IntArray = np.diff(cells.spans[polyhedra[empty]], axis=1)[:, 0]  # half-spaces of the region come first
    of_rules = [batch.halfspace_multipliers[k, start : start + n_rules] for k, start in zip(empty, n_before)]
    return FarkasMultipliers(batch.bound_multipliers[empty], np.array(of_rules).reshape(len(empty), n_rules))


def _with_parts(problem: SearchProblem, goal: int, row: FloatArray, domain: Domain) -> tuple[Cells, int]:
    """Table of cells in which the parts of a goal are polyhedra, and where they start."""
    wanted = problem.goals[goal]
    if not wanted.divides:
        return problem.cells, wanted.first_polyhedron
    refinement = Refinement(problem, row, np.array([goal]))
    reach = refinement.reach(0, np.inf, domain.lower[0], domain.upper[0])
    parts = [refinement.halfspaces(refinement.open(0, part, reach)) for part in range(wanted.n_parts)]
    return problem.with_polyhedra(parts), problem.cells.n_polyhedra
