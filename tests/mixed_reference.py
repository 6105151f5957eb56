"""Independent reference for tables: mixed-integer problems solved by SCIP, a convex one for each cell."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from mixed_problem import BoolArray, Cone, FloatArray, IntArray, MixedAnswer, MixedProblem, groups


def scip(
    problem: MixedProblem, *, tuned: bool = True, tolerance: float = 1e-8, time_limit: float = 60.0
) -> MixedAnswer:
    """Solve with SCIP: a mixed-integer problem for each cell (polyhedron, cone), nearest bound first, on one thread.

    A cell gets the best value so far as its cutoff, and is left out if its closed-form bound reaches it. On German
    credit, one model with a binary variable for each cell takes 1.7 times as long.

    Parameters
    ----------
    problem : MixedProblem
    tuned : bool
        Take SCIP's fast presolving, heuristics and separation without restarts instead of its defaults: three times as
        fast on German credit, where a cell has little for them to gain.
    tolerance : float
        Feasibility tolerance and relative gap. SCIP's default of 1e-6 gives values wrong in the fourth digit; at 1e-9
        its LP solver breaks down now and then. Where it does, the cell is solved again with ten times the tolerance.
    time_limit : float
        Seconds for all cells together.
    """
    cells = [
        (_Domain.of(problem, i, j), i, j)
        for i in range(len(problem.polyhedra))
        for j in ([-1] if problem.cones is None else range(len(problem.cones)))
    ]
    cells.sort(key=lambda cell: cell[0].bound)
    best = MixedAnswer("infeasible", np.inf, None, np.inf)
    spent, n_solved, lowest, stopped = 0.0, 0, np.inf, ""
    for domain, i, j in cells:
        if domain.bound >= best.value * (1.0 - tolerance):
            break
        status, value, point, bound, seconds = _solve_cell(
            problem, domain, (i, j), tuned, tolerance, best.value, time_limit - spent
        )
        spent, n_solved, lowest = spent + seconds, n_solved + 1, min(lowest, bound)
        if status not in ("optimal", "infeasible"):
            stopped = status
        if value < best.value:
            best = MixedAnswer("optimal", value, point, bound, (i, j))
    lowest = min(lowest, best.value)
    return MixedAnswer(stopped or best.status, best.value, best.point, lowest, best.cell, spent, n_solved)


@dataclass(frozen=True, slots=True)
class _Domain:
    """What a cell leaves of the limits, in closed form, and how far it is at least.

    Attributes
    ----------
    lower, upper : arrays of shape (n,)
    reachable : bool array of shape (n,)
    room : float
        Squared radius of the cone less the least penalties; infinite without a cone.
    bound : float
        Lower bound of the cell's distance, infinite where it is seen to be empty.
    """

    lower: FloatArray
    upper: FloatArray
    reachable: BoolArray
    room: float
    bound: float

    @classmethod
    def of(cls, problem: MixedProblem, i: int, j: int) -> _Domain:
        lower, upper, reachable, room = problem.lower.copy(), problem.upper.copy(), problem.reachable.copy(), np.inf
        nothing = cls(lower, upper, reachable, 0.0, np.inf)
        if j >= 0 and problem.cones is not None:
            cone, k = problem.cones[j], problem.numeric
            reachable &= np.isfinite(cone.penalties)
            least = {c: np.min(cone.penalties[at][reachable[at]], initial=np.inf) for c, at in groups(problem)}
            room = cone.squared_radius - sum(least.values())
            if not room > 0.0:
                return nothing
            for c, at in groups(problem):
                reachable[at] &= cone.penalties[at] - least[c] <= room * (1.0 + 1e-9)
            # Half widths of the ellipsoid: sqrt(room * diag((L L')^-1)), a hair wider so that nothing is cut off.
            half = np.full(len(k), np.inf)
            if len(k) and np.linalg.matrix_rank(cone.factor) == len(k):
                half = np.sqrt(room * np.sum(np.linalg.pinv(cone.factor) ** 2, axis=1)) * (1.0 + 1e-9)
            lower[k], upper[k] = np.maximum(lower[k], cone.centre - half), np.minimum(upper[k], cone.centre + half)
        A, b = problem.polyhedra[i]
        A, b = np.vstack([A, problem.normals]), np.concatenate([b, problem.offsets])
        whole = problem.integer & (problem.group < 0)
        lower[whole], upper[whole] = np.ceil(lower[whole] - 1e-6), np.floor(upper[whole] + 1e-6)
        if (lower > upper)[problem.group < 0].any():
            return nothing
        if any(not reachable[at].any() for _, at in groups(problem)):
            return nothing
        bound = max(
            [_box_distance(problem, lower, upper, reachable), *(_row_distance(problem, a, r) for a, r in zip(A, b))]
        )
        return cls(lower, upper, reachable, float(room), bound)


def _box_distance(problem: MixedProblem, lower: FloatArray, upper: FloatArray, reachable: BoolArray) -> float:
    numeric = problem.group < 0
    short = np.maximum(np.maximum(lower - problem.x0, problem.x0 - upper), 0.0)
    moved = sum(problem.weights[at[0]] for _, at in groups(problem) if not (reachable & (problem.x0 > 0.5))[at].any())
    return float((problem.weights * short)[numeric].sum() + moved)


def _row_distance(problem: MixedProblem, a: FloatArray, r: float) -> float:
    """Distance to ``{ e : a·e <= r }`` without whole numbers: what is missing, at the best price."""
    missing = float(a @ problem.x0 - r)
    if missing <= 0.0:
        return 0.0
    numeric = problem.group < 0
    gains = [float(np.max(np.abs(a / problem.weights)[numeric], initial=0.0))]
    for _, at in groups(problem):
        gains.append(float((a[at] @ problem.x0[at] - a[at].min()) / problem.weights[at[0]]))
    return missing / max(gains) if max(gains) > 0.0 else np.inf


_Cell = tuple[str, float, FloatArray | None, float, float]
"""Status, value, point, bound and seconds."""


def _solve_cell(
    problem: MixedProblem,
    domain: _Domain,
    cell: tuple[int, int],
    tuned: bool,
    tolerance: float,
    cutoff: float,
    time_limit: float,
) -> _Cell:
    try:
        return _ScipModel(problem, domain, cell, tuned, tolerance).solve(cutoff, time_limit)
    except Exception as error:  # the type SCIP's errors have
        if "LP solver" not in str(error):
            raise
        return _ScipModel(problem, domain, cell, tuned, 10.0 * tolerance).solve(cutoff, time_limit)


class _ScipModel:
    """One cell as a SCIP model, in differences from the row: whole numbers as they are, others in units of distance."""

    def __init__(
        self, problem: MixedProblem, domain: _Domain, cell: tuple[int, int], tuned: bool, tolerance: float
    ) -> None:
        from pyscipopt import SCIP_PARAMSETTING, Model

        self.problem, self.domain = problem, domain
        self.model = Model()
        self.model.hideOutput()
        if tuned:
            self.model.setPresolve(SCIP_PARAMSETTING.FAST)
            self.model.setHeuristics(SCIP_PARAMSETTING.FAST)
            self.model.setSeparating(SCIP_PARAMSETTING.FAST)
            self.model.setParam("presolving/maxrestarts", 0)
        self.model.setParams({
            "numerics/feastol": tolerance,
            "numerics/dualfeastol": tolerance,
            "limits/gap": tolerance,
            "lp/threads": 1,
            "parallel/maxnthreads": 1,
        })  # fmt: skip
        n = len(problem.x0)
        # The feature is x0 + unit * variable for numbers, the variable itself for indicators.
        self.unit = np.where((problem.group < 0) & ~problem.integer, 1.0 / problem.weights, 1.0)
        self.variables: list[Any] = [None] * n
        self.features: list[Any] = [None] * n
        self.objective: list[Any] = []
        self.changed: dict[int, Any] = {}
        for f in np.flatnonzero(problem.group < 0):
            self._add_number(int(f))
        for c, at in groups(problem):
            self._add_category(c, at)
        i, j = cell
        A, b = problem.polyhedra[i]
        for a, r in zip(np.vstack([A, problem.normals]), np.concatenate([b, problem.offsets])):
            self._add_row(a, float(r))
        if j >= 0 and problem.cones is not None:
            self._add_cone(problem.cones[j])
        if problem.max_changes is not None:
            self.model.addCons(self._sum(self.changed.values()) <= problem.max_changes)
        self.model.setObjective(self._sum(self.objective))

    @staticmethod
    def _sum(terms: Any) -> Any:
        from pyscipopt import quicksum

        return quicksum(terms)

    def _add_number(self, f: int) -> None:
        problem, model, unit = self.problem, self.model, self.unit[f]
        low, high = ((limit[f] - problem.x0[f]) / unit for limit in (self.domain.lower, self.domain.upper))
        low, high = (None if np.isinf(limit) else float(limit) for limit in (low, high))
        d = model.addVar(vtype="I" if problem.integer[f] else "C", lb=low, ub=high)
        size = model.addVar(lb=0.0)
        model.addCons(d <= size)
        model.addCons(-d <= size)
        self.objective.append(float(problem.weights[f] * unit) * size)
        self.variables[f], self.features[f] = d, float(problem.x0[f]) + float(unit) * d
        if problem.max_changes is None:
            return
        column = int(problem.column[f])
        if column not in self.changed:
            self.changed[column] = model.addVar(vtype="B")
        changed = self.changed[column]
        for limit, sign in ((high, 1.0), (low, -1.0)):
            if limit is None:
                model.addConsIndicator(sign * d <= 0.0, changed, activeone=False)
            else:
                model.addCons(sign * d <= max(sign * limit, 0.0) * changed)

    def _add_category(self, c: int, at: IntArray) -> None:
        problem, model = self.problem, self.model
        for f in at:
            reachable = bool(self.domain.reachable[f])
            self.variables[f] = self.features[f] = model.addVar(vtype="B", ub=1.0 if reachable else 0.0)
        model.addCons(self._sum(self.variables[f] for f in at) == 1.0)
        own = at[int(np.argmax(problem.x0[at]))]
        self.objective.append(float(problem.weights[own]) * (1.0 - self.variables[own]))
        self.changed[int(problem.column[own])] = 1.0 - self.variables[own]

    def _add_row(self, a: FloatArray, r: float) -> None:
        size = float(np.max(np.abs(a / self.problem.weights), initial=0.0))
        if size == 0.0:
            if r < 0.0:  # 0 <= r is never true
                self.model.addCons(self._sum(self.objective) <= -1.0)
            return
        self.model.addCons(self._sum(float(a[f] / size) * self.features[f] for f in np.flatnonzero(a)) <= r / size)

    def _add_cone(self, cone: Cone) -> None:
        # sum_k y_k^2 + (penalties beyond the least)·e <= 1 with y = factor (e - centre) / sqrt(room)
        model, room, numeric = self.model, self.domain.room, self.problem.numeric
        terms = []
        for row in cone.factor / np.sqrt(room):
            y = model.addVar(lb=-1.0, ub=1.0)
            image = (float(row[k]) * (self.features[numeric[k]] - float(cone.centre[k])) for k in np.flatnonzero(row))
            model.addCons(self._sum(image) == y)
            terms.append(y * y)
        for _, at in groups(self.problem):
            open_levels = at[self.domain.reachable[at]]
            beyond = (cone.penalties[open_levels] - cone.penalties[open_levels].min()) / room
            terms += [float(beyond[k]) * self.variables[f] for k, f in enumerate(open_levels)]
        model.addCons(self._sum(terms) <= 1.0)

    def solve(self, cutoff: float, time_limit: float) -> _Cell:
        """Solve; a cell without a point nearer than the cutoff is infeasible."""
        model = self.model
        if np.isfinite(cutoff):
            model.setObjlimit(cutoff)
        model.setParam("limits/time", max(time_limit, 0.0))
        with _silence():
            started = time.perf_counter()
            model.optimize()
            seconds = time.perf_counter() - started
        status = model.getStatus()
        if status in ("infeasible", "inforunbd"):
            return "infeasible", np.inf, None, cutoff, seconds
        bound = min(model.getDualbound(), cutoff)
        if model.getNSols() == 0:
            return status, np.inf, None, bound, seconds
        point = self._point(model.getBestSol())
        return ("optimal" if status == "gaplimit" else status), self.problem.distance(point), point, bound, seconds

    def _point(self, solution: Any) -> FloatArray:
        problem = self.problem
        e = problem.x0.copy()
        for f, variable in enumerate(self.variables):
            value = solution[variable]
            if problem.group[f] >= 0:
                e[f] = np.round(value)
            elif problem.integer[f]:
                e[f] += np.round(value)
            elif problem.max_changes is None or solution[self.changed[int(problem.column[f])]] > 0.5:
                e[f] += self.unit[f] * value  # a column that counts as unchanged may be off by the tolerance
        return e


@contextmanager
def _silence() -> Iterator[None]:
    """Mute the C library's own output: SCIP's LP solver writes past its message handler at tight tolerances."""
    kept = [os.dup(number) for number in (1, 2)]
    with open(os.devnull, "w") as nowhere:
        try:
            for number in (1, 2):
                os.dup2(nowhere.fileno(), number)
            yield
        finally:
            for number, copy in zip((1, 2), kept):
                os.dup2(copy, number)
                os.close(copy)
