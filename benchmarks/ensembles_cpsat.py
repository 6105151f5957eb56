"""The nearest answer of a sum of trees as a problem for CP-SAT, Google's solver of constraint programs.

One literal a cut, ``z_j <= cut``, each of which implies the next; one literal a leaf, exactly one a tree, which implies
the literals on its way; the sum of the chosen leaves reaches what is asked; the objective adds up what each cut between
the row and the point costs. Numbers are rounded to whole ones: leaves and costs to about 2^-45 of their sum.

Run it by itself to compare: ``python -m benchmarks.ensembles_cpsat --trees 20 --depth 4``.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from elsewise.arrays import FloatArray
from elsewise.models import Label, region_of
from elsewise.models.trees import EnsembleRegion

# Whole numbers stand for leaves and costs: their sums stay far below 2^63.
PRECISION = 2.0**45


@dataclass(frozen=True, slots=True)
class Nearest:
    """What CP-SAT says of a row.

    Attributes
    ----------
    distance, bound : float
        Of its best point, infinite without one; nothing is nearer than the bound.
    point : array of shape (n_features,), or None
    is_proven : bool
        It is the nearest, or there is none.
    seconds : float
    """

    distance: float
    bound: float
    point: FloatArray | None
    is_proven: bool
    seconds: float


def nearest_by_cpsat(
    region: EnsembleRegion, row: FloatArray, weights: FloatArray, *, seconds: float = 60.0, workers: int = 1
) -> Nearest:
    """Find the nearest point that a sum of trees accepts, for a weighted Manhattan distance.

    Parameters
    ----------
    region : EnsembleRegion
        Over numbers, without splits by category.
    row, weights : arrays of shape (n_features,)
    seconds : float
    workers : int
    """
    from ortools.sat.python import cp_model

    trees = region.trees
    if trees.is_by_table.any():
        raise ValueError("expected splits by numbers alone")
    started = time.perf_counter()
    model = cp_model.CpModel()
    cuts = trees.cuts()
    at_most = [[model.new_bool_var("") for _ in of_feature] for of_feature in cuts]
    for literals in at_most:
        for lower, higher in pairwise(literals):
            model.add_implication(lower, higher)
    chosen: dict[int, Any] = {}
    for root in trees.roots.tolist():
        leaves, waiting = [], [(root, [])]
        while waiting:
            node, way = waiting.pop()
            j = int(trees.feature[node])
            if j < 0:
                chosen[node] = model.new_bool_var("")
                leaves.append(chosen[node])
                for literal in way:
                    model.add_implication(chosen[node], literal)
            elif np.isfinite(trees.limit[node]):
                literal = at_most[j][int(np.searchsorted(cuts[j], trees.limit[node]))]
                waiting += [
                    (int(trees.left[node]), [*way, literal]),
                    (int(trees.right[node]), [*way, literal.negated()]),
                ]
            else:
                waiting.append((int(trees.left[node] if trees.limit[node] > 0 else trees.right[node]), way))
        model.add_exactly_one(leaves)
    _add_conditions(model, region, chosen)
    costs, steps, constant = [], [], 0.0
    for j, (of_feature, literals) in enumerate(zip(cuts, at_most)):
        low, high = _ends(of_feature)
        price = weights[j] * np.abs(np.clip(row[j], low, high) - row[j])
        own = int(np.searchsorted(of_feature, row[j]))
        for k, literal in enumerate(literals):  # a cut above is passed if z is not at most it, one below if it is
            costs.append(abs(price[k + 1] - price[k]))
            steps.append(literal.negated() if k >= own else literal)
        constant += float(price[own])
    scale = PRECISION / max(float(np.sum(costs)), 1e-300)
    whole = [round(cost * scale) for cost in costs]
    model.minimize(sum(cost * step for cost, step in zip(whole, steps)))
    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds, solver.parameters.num_workers = seconds, workers
    status = solver.solve(model)
    taken = time.perf_counter() - started
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return Nearest(
            np.inf, np.inf if status == cp_model.INFEASIBLE else 0.0, None, status == cp_model.INFEASIBLE, taken
        )
    point = row.astype(np.float64)
    for j, (of_feature, literals) in enumerate(zip(cuts, at_most)):
        cell = sum(not solver.boolean_value(literal) for literal in literals)
        low, high = _ends(of_feature)
        point[j] = np.clip(row[j], low[cell], high[cell])
    distance = float(np.abs(point - row) @ weights)
    bound = solver.best_objective_bound / scale + constant
    return Nearest(distance, bound, point, status == cp_model.OPTIMAL, taken)


def _ends(cuts: FloatArray) -> tuple[FloatArray, FloatArray]:
    """First and last number of each cell between cuts."""
    return np.concatenate([[-np.inf], np.nextafter(cuts, np.inf)]), np.concatenate([cuts, [np.inf]])


def _add_conditions(model: Any, region: EnsembleRegion, chosen: dict[int, Any]) -> None:
    trees = region.trees
    rows, least = region.decision.rows(trees.n_scores)
    index = getattr(region.decision, "index", None)
    for number, (weights, needed) in enumerate(zip(rows, least)):
        gain = trees.value @ weights
        size = float(np.abs(gain).max() * trees.n_trees) or 1.0
        whole = np.round(gain * (PRECISION / size)).astype(np.int64)
        needed = round((needed * trees.divisor - float(weights @ trees.base)) * (PRECISION / size))
        is_strict = index is not None and number < index  # classes before it win where they are equal
        model.add(sum(int(whole[node]) * leaf for node, leaf in chosen.items()) >= needed + is_strict)


def main() -> None:
    """Compare with the library on one forest."""
    from sklearn.datasets import load_breast_cancer
    from sklearn.ensemble import RandomForestClassifier

    import elsewise as ew

    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--trees", type=int, default=20)
    parser.add_argument("--depth", type=int, default=4)
    parser.add_argument("--rows", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=60.0)
    options = parser.parse_args()
    X, y = load_breast_cancer(return_X_y=True)
    model = RandomForestClassifier(options.trees, max_depth=options.depth, random_state=0).fit(X[::2], y[::2])
    explainer = ew.Explainer(model, density=None, distance="scaled").fit(X[::2], y[::2])
    region, rows = region_of(model, Label(1)), X[1::2][model.predict(X[1::2]) == 0][: options.rows]
    print("distance     CP-SAT       seconds   CP-SAT")
    for row in rows:
        started = time.process_time()
        (answer,) = explainer.explain(row[None], 1)
        taken = time.process_time() - started
        other = nearest_by_cpsat(region, row, explainer.distance_.weights, seconds=options.seconds)
        shown = f"{other.distance:<12.6g}" + ("" if other.is_proven else "?")
        print(f"{answer.distance:<12.6g} {shown} {taken:<9.4f} {other.seconds:.4f}")


if __name__ == "__main__":
    main()
