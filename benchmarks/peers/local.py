"""Methods that run in this environment: the library, the two solvers, and the baselines.

Each is a function of a study that returns a function of a row and its target, as in the workers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from .. import problems
from ..alternatives import ClarabelCells, published
from ..baselines import DensityPaths, nearest_row, penalised
from .study import Study, mixture_log_densities

FloatArray = NDArray[np.float64]
Explain = Callable[[FloatArray, Any], FloatArray | None]


def plausible(study: Study) -> Explain:
    return lambda x, target: _point(study.plausible.explain_one(x, target))


def closest(study: Study) -> Explain:
    return lambda x, target: _point(study.closest.explain_one(x, target))


def _point(answer: Any) -> FloatArray | None:
    return None if answer.status == "infeasible" else answer.counterfactual


def _cells(study: Study) -> dict[Any, list[problems.Cell]]:
    densities = study.plausible.densities_
    return {label: problems.cells(study.problem, densities[label], label) for label in densities}


def clarabel(study: Study) -> Explain:
    W, w0 = problems.affine_map(study.problem.model)
    solvers = {label: ClarabelCells(W, w0, cells) for label, cells in _cells(study).items()}
    return lambda x, target: solvers[target].best(x).x


def scs(study: Study) -> Explain:
    W, w0 = problems.affine_map(study.problem.model)
    cells = _cells(study)
    return lambda x, target: published(x, W, w0, cells[target]).x


def loss_plus_penalty(study: Study) -> Explain:
    model, scale = study.problem.model, study.problem.X_train.std(axis=0)
    return lambda x, target: penalised(model, x, int(np.searchsorted(model.classes_, target)), scale=scale)


def training_row(study: Study) -> Explain:
    rows, agreed = study.problem.X_train, _agreed(study)
    return lambda x, target: nearest_row(x, rows, agreed[target])


def paths(study: Study) -> Explain:
    """Candidates are dense enough by the same threshold; steps avoid where the mixture of all classes is thin."""
    problem, densities = study.problem, study.plausible.densities_
    shares = {label: np.log(np.mean(problem.y_train == label)) for label in densities}

    def log_density(points: FloatArray) -> FloatArray:
        Z = study.plausible.to_model_space(points)
        return logsumexp([shares[label] + densities[label].log_mixture(Z) for label in densities], axis=0)

    graph = DensityPaths(problem.X_train, log_density)
    own = mixture_log_densities(study, problem.X_train, problem.y_train)
    needed = np.array([densities[label].log_threshold_ for label in problem.y_train.tolist()])
    agreed = _agreed(study)
    return lambda x, target: graph.end_of_path(x, agreed[target] & (own >= needed))


def _agreed(study: Study) -> dict[Any, NDArray[np.bool_]]:
    """Training rows of each class that the model predicts so."""
    problem = study.problem
    right = problem.model.predict(problem.X_train) == problem.y_train
    return {label: right & (problem.y_train == label) for label in study.plausible.densities_}


VARIANTS: dict[str, Callable[[Study], Explain]] = {
    "plausible": plausible,
    "closest": closest,
    "clarabel": clarabel,
    "scs": scs,
    "penalised": loss_plus_penalty,
    "nearest-row": training_row,
    "paths": paths,
}
