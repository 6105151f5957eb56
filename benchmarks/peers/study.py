"""One problem with everything that judges answers to it: the model, the densities, the proven optima."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import elsewise as ew
from elsewise.density import class_density

from .. import problems

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Study:
    """A problem, its explainers, and the reference answers for its test rows.

    Attributes
    ----------
    problem : Problem
    plausible, closest : fitted Explainer
        With the density constraint and without.
    kernels : dict of label to ClassDensity
        Kernel densities in model space, bandwidth by cross-validation, evaluated exactly.
    optimum, nearest : arrays of shape (n_test,)
        Proven least Manhattan distances with the density constraint and without; NaN where infeasible. Where the proof
        is not finished this is the proven lower bound, so that a bad answer of the library shows as a large ratio
        instead of vanishing from the table.
    proven_optimum, proven_nearest : bool arrays of shape (n_test,)
        Where the proof is finished.
    """

    problem: problems.Problem
    plausible: Any
    closest: Any
    kernels: dict[Any, Any]
    optimum: FloatArray
    nearest: FloatArray
    proven_optimum: NDArray[np.bool_]
    proven_nearest: NDArray[np.bool_]


def prepare(problem: problems.Problem, n_rows: int) -> Study:
    """Fit explainers and kernel densities, and solve the first ``n_rows`` test rows to proven optimality."""
    X, y = problem.X_train, problem.y_train
    asked = {"distance": "manhattan", "learn_rules": False, "n_jobs": 1}  # what the others solve, too
    plausible = ew.Explainer(problem.model, **asked).fit(X, y)
    closest = ew.Explainer(problem.model, density=None, **asked).fit(X, y)
    Z = plausible.to_model_space(X)
    kernels = {label: class_density(ew.KernelDensity(), Z[y == label]) for label in plausible.densities_}
    rows, targets = problem.X_test[:n_rows], problem.targets[:n_rows]
    least, proven = [], []
    for explainer in (plausible, closest):
        answers = explainer.explain(rows, target=targets)
        proven.append(answers.statuses == "optimal")
        bounds = np.where(answers.statuses == "infeasible", np.nan, answers.lower_bounds)
        least.append(np.where(proven[-1], answers.distances, bounds))
    return Study(problem, plausible, closest, kernels, *least, *proven)


def kernel_log_densities(study: Study, points: FloatArray, targets: NDArray[Any]) -> FloatArray:
    """Exact kernel log density of the wanted class at each point."""
    return _by_class(study, points, targets, study.kernels)


def mixture_log_densities(study: Study, points: FloatArray, targets: NDArray[Any]) -> FloatArray:
    """Log density of the wanted class's mixture itself (Eq. gmm), never below its component-wise maximum."""
    return _by_class(study, points, targets, study.plausible.densities_)


def _by_class(study: Study, points: FloatArray, targets: NDArray[Any], densities: dict[Any, Any]) -> FloatArray:
    found = np.full(len(points), np.nan)
    Z = study.plausible.to_model_space(points) if len(points) else np.empty((0, 1))
    for label, density in densities.items():
        mine = targets == label
        if mine.any():
            found[mine] = density.log_mixture(Z[mine])
    return found
