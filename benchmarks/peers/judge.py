"""Judge answers: always by the one model's own ``predict``, and by the densities fitted here."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from .run import Answers
from .study import Study, kernel_log_densities, mixture_log_densities

CHANGED = 1e-4
"""A feature counts as changed when it moves by more than this share of its standard deviation."""

NEARLY = 1e-6
"""A point this much short of the threshold, in nats, counts as nearly dense: solvers stop at the boundary."""


def judge(study: Study, answers: Answers, reference: np.ndarray | None) -> dict[str, Any]:
    """Figures of one method on one problem.

    Parameters
    ----------
    reference : array of shape (n_test,), optional
        Kernel log densities of the library's own plausible counterfactuals, for the paired difference.

    Returns
    -------
    dict
        ``kde`` (array of shape (n_rows,), NaN where unanswered) is for the harness; the rest is reported.
    """
    n = len(answers.records)
    rows, targets = study.problem.X_test[:n], study.problem.targets[:n]
    points = np.array([[np.nan] * rows.shape[1] if r["point"] is None else r["point"] for r in answers.records])
    points = points.reshape(n, rows.shape[1])
    answered = np.isfinite(points).all(axis=1)
    valid, dense, nearly = (np.zeros(n, dtype=bool) for _ in range(3))
    kde, changed = np.full(n, np.nan), np.full(n, np.nan)
    if answered.any():
        mine, wanted = points[answered], targets[answered]
        valid[answered] = study.problem.model.predict(mine) == wanted
        needed = np.array([study.plausible.densities_[label].log_threshold_ for label in wanted.tolist()])
        # Rounding alone must not decide: the slack is a few units in the last place of the log density.
        slack = 1e-12 * (1.0 + np.abs(needed))
        density = mixture_log_densities(study, mine, wanted)
        dense[answered], nearly[answered] = density >= needed - slack, density >= needed - NEARLY
        kde[answered] = kernel_log_densities(study, mine, wanted)
        spread = study.problem.X_train.std(axis=0)
        moved = np.abs(mine - rows[answered]) > CHANGED * np.where(spread > 0, spread, 1.0)
        changed[answered] = moved.sum(axis=1)
    distance = np.abs(points - rows).sum(axis=1)
    ms = 1e3 * np.array([r["seconds"] for r in answers.records])
    to_nearest = _where(distance / study.nearest[:n], valid)
    errors = Counter(r["error"] for r in answers.records if r["point"] is None)
    return {
        "rows": n,
        "answered": float(answered.mean()) if n else 0.0,
        "valid": _share(valid, answered),
        "dense": _share(dense, answered),
        "nearly_dense": _share(nearly, answered),
        "both": float((valid & dense).mean()) if n else 0.0,
        "kde_median": _median(kde),
        "kde_difference": _median(kde - reference[:n]) if reference is not None else None,
        "to_nearest": _median(to_nearest),
        "least_to_nearest": float(np.nanmin(to_nearest)) if np.isfinite(to_nearest).any() else None,
        "to_optimum": _median(_where(distance / study.optimum[:n], valid & nearly)),
        "changed": _median(changed),
        "ms_median": _median(ms),
        "ms_p99": float(np.percentile(ms, 99)) if n else None,
        "prepared": answers.prepared,
        "agreement": answers.agreement,
        "problem": answers.problem,
        "errors": dict(errors.most_common(3)),
        "kde": kde,
    }


def _where(values: np.ndarray, mask: np.ndarray) -> np.ndarray:
    return np.where(mask & np.isfinite(values), values, np.nan)


def _share(good: np.ndarray, among: np.ndarray) -> float | None:
    return float(good[among].mean()) if among.any() else None


def _median(values: np.ndarray) -> float | None:
    finite = values[np.isfinite(values)]
    return float(np.median(finite)) if len(finite) else None
