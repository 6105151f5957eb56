"""Independent references for networks of ReLU units: every pattern of activity a polyhedron, and a model for SCIP.

Nothing of the library's search, cuts or intervals is shared with either.
"""

from __future__ import annotations

import itertools
import time
from typing import Any, NamedTuple

import numpy as np

from elsewise.arrays import FloatArray
from elsewise.models import Interval, Label, Outcome
from fitted_models import measured_transform, reference_cell, reference_cones


class BySCIP(NamedTuple):
    """What SCIP says: distance of its best point, its bound, and CPU seconds inside the solver."""

    value: float
    bound: float
    seconds: float


def weights_of(network: Any) -> tuple[list[FloatArray], list[FloatArray]]:
    """Weights of shape (n_out, n_in) and intercepts of all layers of a scikit-learn network."""
    return [W.T for W in network.coefs_], list(network.intercepts_)


def conditions(network: Any, outcome: Outcome) -> tuple[FloatArray, FloatArray]:
    """Conditions ``C a + d >= 0`` on the last hidden layer that an outcome stands for."""
    weights, intercepts = weights_of(network)
    W, b = weights[-1], intercepts[-1]
    if isinstance(outcome, Interval):
        rows = [(W, b - outcome.low)] if np.isfinite(outcome.low) else []
        rows += [(-W, outcome.high - b)] if np.isfinite(outcome.high) else []
        return np.vstack([C for C, _ in rows]), np.concatenate([d for _, d in rows])
    assert isinstance(outcome, Label)
    if len(W) == 1:
        least = 0.0
        if outcome.min_probability is not None:
            least = np.log(outcome.min_probability) - np.log1p(-outcome.min_probability)
        sign = 1.0 if outcome.index == 1 else -1.0
        return sign * W, sign * b - least
    others = np.arange(len(W)) != outcome.index
    return (W[outcome.index] - W)[others], (b[outcome.index] - b)[others]


def pattern_polyhedra(network: Any, outcome: Outcome) -> list[tuple[FloatArray, FloatArray]]:
    """One polyhedron ``A z <= b`` of model space for every pattern of active and inactive units."""
    weights, intercepts = weights_of(network)
    C, d = conditions(network, outcome)
    sizes = [len(b) for b in intercepts[:-1]]
    polyhedra = []
    for signs in itertools.product((False, True), repeat=sum(sizes)):
        on, M, m, A, b = np.array(signs), np.eye(weights[0].shape[1]), np.zeros(weights[0].shape[1]), [], []
        for W, intercept, size in zip(weights[:-1], intercepts[:-1], sizes):
            active, on = on[:size], on[size:]
            M, m = W @ M, W @ m + intercept
            sign = np.where(active, 1.0, -1.0)
            A.append(-sign[:, None] * M)
            b.append(sign * m)
            M, m = M * active[:, None], m * active
        A.append(-C @ M)
        b.append(C @ m + d)
        polyhedra.append((np.vstack(A), np.concatenate(b)))
    return polyhedra


def distance_by_patterns(explainer: Any, x: FloatArray, outcome: Outcome) -> float:
    """Distance from a row to the nearest valid and dense enough point, over all patterns and cones."""
    network = explainer.model.steps[-1][1] if hasattr(explainer.model, "steps") else explainer.model
    at, n = measured_transform(explainer.model), len(x)
    offset = at(np.zeros((1, n)))[0]
    matrix = (at(np.eye(n)) - offset).T
    cones = reference_cones(explainer, outcome)
    values = [
        reference_cell(explainer.distance_, x, matrix, offset, polyhedron, cone)
        for polyhedron in pattern_polyhedra(network, outcome)
        for cone in ([None] if cones is None else cones)
    ]
    return float(min(values))


def distance_by_scip(
    explainer: Any,
    x: FloatArray,
    outcome: Outcome,
    *,
    reach: float,
    integer: FloatArray | None = None,
    lower: FloatArray | None = None,
    upper: FloatArray | None = None,
    max_changes: int | None = None,
    rule: tuple[FloatArray, float] | None = None,
    seconds: float = 60.0,
) -> BySCIP:
    """Value and bound of SCIP for a ReLU network, within ``reach`` (a distance at which there is an answer).

    Parameters
    ----------
    explainer : fitted explainer with a Manhattan distance
    x : array of shape (n_features,)
    outcome : Outcome
    reach : float
    integer : bool array of shape (n_features,), optional
    lower, upper : arrays of shape (n_features,), optional
    max_changes : int, optional
    rule : pair of an array of shape (n_features,) and a number, optional
        ``weights x <= number``.
    seconds : float
    """
    from pyscipopt import Model, quicksum

    network = explainer.model.steps[-1][1] if hasattr(explainer.model, "steps") else explainer.model
    at, n, prices = measured_transform(explainer.model), len(x), explainer.distance_.weights
    offset = at(np.zeros((1, n)))[0]
    matrix = (at(np.eye(n)) - offset).T
    weights, intercepts = weights_of(network)
    C, d = conditions(network, outcome)
    best, bound, spent = np.inf, np.inf, 0.0
    for cone in reference_cones(explainer, outcome) or [None]:
        scip = Model()
        scip.hideOutput()
        for name, value in {"limits/time": seconds, "limits/gap": 1e-7, "timing/clocktype": 1}.items():
            scip.setParam(name, value)
        room = reach / prices * (1 + 1e-6)
        low = np.maximum(x - room, -np.inf if lower is None else lower)
        high = np.minimum(x + room, np.inf if upper is None else upper)
        kinds = ["I" if integer is not None and integer[i] else "C" for i in range(n)]
        if integer is not None:
            low, high = np.where(integer, np.ceil(low), low), np.where(integer, np.floor(high), high)
        v = [scip.addVar(lb=float(low[i]), ub=float(high[i]), vtype=kinds[i]) for i in range(n)]
        cost = [scip.addVar(lb=0.0) for _ in range(n)]
        for i in range(n):
            scip.addCons(cost[i] >= float(prices[i]) * (v[i] - float(x[i])))
            scip.addCons(cost[i] >= float(prices[i]) * (float(x[i]) - v[i]))
        if max_changes is not None:
            changed = [scip.addVar(vtype="B") for _ in range(n)]
            for i in range(n):
                scip.addCons(cost[i] <= reach * (1 + 1e-6) * changed[i])
            scip.addCons(quicksum(changed) <= max_changes)
        if rule is not None:
            scip.addCons(quicksum(float(rule[0][i]) * v[i] for i in range(n)) <= rule[1])
        z = [quicksum(float(row[i]) * v[i] for i in range(n)) + float(o) for row, o in zip(matrix, offset)]
        if cone is not None:
            factor, centre, radius = cone
            y = [scip.addVar(lb=None) for _ in range(len(factor))]
            for row, entry in zip(factor, y):
                scip.addCons(entry == quicksum(float(row[k]) * (z[k] - float(centre[k])) for k in range(len(z))))
            scip.addCons(quicksum(entry * entry for entry in y) <= radius**2)
        ends = np.where(matrix > 0, matrix * low, matrix * high).sum(axis=1) + offset
        ends_up = np.where(matrix > 0, matrix * high, matrix * low).sum(axis=1) + offset
        a, a_low, a_high = z, ends, ends_up
        for W, intercept in zip(weights[:-1], intercepts[:-1]):
            t_low = np.maximum(W, 0) @ a_low + np.minimum(W, 0) @ a_high + intercept
            t_high = np.maximum(W, 0) @ a_high + np.minimum(W, 0) @ a_low + intercept
            units = []
            for row, o, least, most in zip(W, intercept, t_low, t_high):
                t = quicksum(float(row[k]) * a[k] for k in range(len(a))) + float(o)
                unit, on = scip.addVar(lb=0.0, ub=max(float(most), 0.0)), scip.addVar(vtype="B")
                scip.addCons(unit >= t)
                scip.addCons(unit <= t - min(float(least), 0.0) * (1 - on))
                scip.addCons(unit <= max(float(most), 0.0) * on)
                units.append(unit)
            a, a_low, a_high = units, np.maximum(t_low, 0), np.maximum(t_high, 0)
        for row, o in zip(C, d):
            scip.addCons(quicksum(float(row[k]) * a[k] for k in range(len(a))) + float(o) >= 0)
        scip.setObjective(quicksum(cost), "minimize")
        started = time.process_time()
        scip.optimize()
        spent += time.process_time() - started
        if scip.getStatus() != "infeasible":
            bound = min(bound, scip.getDualbound())
        if scip.getNSols():
            best = min(best, scip.getObjVal())
    return BySCIP(best, min(bound, best), spent)
