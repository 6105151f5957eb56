"""Time per explanation on the paper's data sets, against Clarabel and against the published cvxpy + SCS formulation.

All solvers answer the same rows with the same targets, densities and cells, on one thread; objectives are compared and
the library's points are checked with the model and the density.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from . import problems
from .alternatives import Answer, ClarabelCells, published
from .measure import RESULTS, seconds, text, write


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=200, help="rows of each problem for the library and Clarabel")
    parser.add_argument("--cvxpy-rows", type=int, default=20, help="rows of each problem for cvxpy + SCS")
    parser.add_argument("--repetitions", type=int, default=15)
    parser.add_argument("--only", help="problems whose name contains this, e.g. 'digits' or 'tree'")
    parser.add_argument("--skip-cvxpy", action="store_true")
    parser.add_argument("--alternatives-only", action="store_true", help="measure without the library")
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()

    names = [pair for pair in problems.names() if options.only is None or options.only in ", ".join(pair)]
    speed, checks = [], []
    with threadpool_limits(1):
        for data, model in names:
            row, check = measure(problems.load(data, model), options)
            print("; ".join(f"{key} {text(value)}" for key, value in row.items() if value is not None), flush=True)
            speed.append(row)
            checks.append(check)
    tables = {"Milliseconds per row": speed, "Agreement and checks": checks}
    write("engine", "Engine", tables, summary(speed), options.out)


def measure(problem: problems.Problem, options: argparse.Namespace) -> tuple[dict[str, Any], dict[str, Any]]:
    """Time all solvers on one problem, interleaved so that a slow phase of the machine hits all of them."""
    X, targets = problem.X_test[: options.rows], problem.targets[: options.rows]
    explainer = None if options.alternatives_only else fit(problem)
    densities = problems.plain_densities(problem) if explainer is None else explainer.densities_
    W, w0 = problems.affine_map(problem.model)
    cells = {label: problems.cells(problem, densities[label], label) for label in np.unique(targets)}
    clarabel = {label: ClarabelCells(W, w0, cells[label]) for label in cells}

    def explain() -> Any:
        return explainer.explain(X, target=targets)

    def solve() -> list[Answer]:
        return [clarabel[label].best(x) for x, label in zip(X, targets)]

    ours, answers = None if explainer is None else explain(), solve()
    own_times, clarabel_times = [], []
    for _ in range(options.repetitions):
        if explainer is not None:
            own_times.append(seconds(explain))
        clarabel_times.append(seconds(solve))
    own_ms = 1e3 * float(np.median(own_times)) / len(X) if own_times else None
    clarabel_ms = 1e3 * float(np.median(clarabel_times)) / len(X)
    empty_share = sum(a.seconds_empty for a in answers) / sum(a.seconds for a in answers)

    few = 0 if options.skip_cvxpy else min(options.cvxpy_rows, len(X))
    if few:
        published(X[0], W, w0, cells[targets[0]])  # warm-up
    scs = [published(x, W, w0, cells[label]) for x, label in zip(X[:few], targets)]
    scs_ms = 1e3 * sum(a.seconds for a in scs) / few if few else None
    row = {
        "problem": problem.name,
        "rows": len(X),
        "cells per row": round(float(np.mean([len(cells[label]) for label in targets])), 2),
        "elsewise": own_ms,
        "Clarabel": clarabel_ms,
        "Clarabel, no empty cells": clarabel_ms * (1 - empty_share),
        "cvxpy + SCS": scs_ms,
        "cvxpy rows": few,
        "Clarabel / elsewise": _ratio(clarabel_ms, own_ms),
        "no empty cells / elsewise": _ratio(clarabel_ms * (1 - empty_share), own_ms),
        "cvxpy / elsewise": _ratio(scs_ms, own_ms),
    }
    return row, check(problem, densities, X, targets, ours, answers, scs)


def fit(problem: problems.Problem) -> Any:
    """Fit the library as a user would: Manhattan distance, Gaussian mixtures, one thread."""
    import elsewise as ew

    explainer = ew.Explainer(
        problem.model, distance="manhattan", learn_rules=False, density="gaussian_mixture", n_jobs=1
    )
    return explainer.fit(problem.X_train, problem.y_train)


def check(
    problem: problems.Problem, densities: Any, X: Any, targets: Any, ours: Any, answers: list[Answer], scs: list[Answer]
) -> dict[str, Any]:
    """Compare objectives with Clarabel's, and ask the model and the mixture about the library's points."""
    best = np.array([a.distance for a in answers])
    found = {
        "problem": problem.name,
        "components": " ".join(str(densities[label].mixture_.n_components) for label in problem.model.classes_),
        "SCS - Clarabel, relative": _worst(np.array([a.distance for a in scs]), best[: len(scs)]),
        "valid, Clarabel": _valid(problem, targets, answers),
        "valid, SCS": _valid(problem, targets, scs),
        "Clarabel statuses": _statuses(answers),
        "SCS statuses": _statuses(scs),
    }
    if ours is not None:
        solved = np.isfinite(ours.counterfactuals).all(axis=1)
        points, wanted = ours.counterfactuals[solved], targets[solved]
        W, w0 = problems.affine_map(problem.model)
        needed = np.array([densities[label].log_threshold_ for label in wanted])
        # The mixture's own density is never below its component-wise maximum; the slack is for rounding alone.
        true = np.array([densities[t].mixture_.score_samples((W @ x + w0)[None])[0] for x, t in zip(points, wanted)])
        found |= {
            "answered": f"{solved.sum()}/{len(X)}",
            "answered by one solver only": int(np.sum(solved != np.isfinite(best))),
            "elsewise - Clarabel, relative": _worst(ours.distances, best),
            "gap to own lower bound": _worst(ours.distances, ours.lower_bounds),
            "valid": float(np.mean(problem.model.predict(points) == wanted)),
            "dense, as reported": float(np.mean(ours.log_densities[solved] >= needed)),
            "dense, by the mixture": float(np.mean(true >= needed - 1e-9 * np.abs(needed))),
        }
    return found


def _ratio(theirs: float | None, own: float | None) -> float | None:
    return None if theirs is None or own is None else theirs / own


def _worst(values: Any, reference: Any) -> float | None:
    """Signed relative difference that is largest in size, over the rows that both answer."""
    both = np.isfinite(values) & np.isfinite(reference)
    if not both.any():
        return None
    relative = (values[both] - reference[both]) / np.maximum(np.abs(reference[both]), 1e-9)
    return float(relative[np.argmax(np.abs(relative))])


def _valid(problem: problems.Problem, targets: Any, answers: list[Answer]) -> float | None:
    """Share of a solver's points, as they come, that the model itself puts in the wanted class."""
    found = [(a.x, t) for a, t in zip(answers, targets) if a.x is not None]
    if not found:
        return None
    points, wanted = zip(*found)
    return float(np.mean(problem.model.predict(np.array(points)) == np.array(wanted)))


def _statuses(answers: list[Answer]) -> str:
    total = sum((a.statuses for a in answers), start=Answer().statuses)
    return ", ".join(f"{status} {count}" for status, count in total.most_common())


def summary(speed: list[dict[str, Any]]) -> list[str]:
    """Geometric mean and minimum of every ratio."""
    notes = ["Median over repetitions of the time for all rows together, divided by the rows; one thread."]
    for key in ("Clarabel / elsewise", "no empty cells / elsewise", "cvxpy / elsewise"):
        ratios = np.array([row[key] for row in speed if row[key] is not None])
        if len(ratios):
            notes.append(f"{key}: geometric mean {np.exp(np.log(ratios).mean()):.1f}, minimum {ratios.min():.1f}")
    return notes


if __name__ == "__main__":
    main()
