"""Judge answers: always by the one model's own ``predict``, and by the densities fitted here."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from .run import Answers
from .study import Study, kernel_log_densities, mixture_log_densities

CHANGED = 1e-4
"""A feature counts as changed when it moves by more than this share of its standard deviation."""

NEARLY = 1e-6
"""A point this much short of the threshold, in nats, counts as nearly dense: solvers stop at the boundary."""


HAIR = 1e-3
"""A rejected answer this near to the library's verified one, relative to the distance, misses by a hair."""


@dataclass(frozen=True, slots=True)
class PerRow:
    """What pairs a method with the library row by row; NaN where unanswered.

    Attributes
    ----------
    points : array of shape (n_rows, n_features)
    kde, changed, ms : arrays of shape (n_rows,)
    """

    points: np.ndarray
    kde: np.ndarray
    changed: np.ndarray
    ms: np.ndarray


def judge(study: Study, answers: Answers, reference: PerRow | None) -> tuple[dict[str, Any], PerRow]:
    """Figures of one method on one problem.

    Parameters
    ----------
    reference : PerRow, optional
        The library's own plausible counterfactuals of at least these rows; None for themselves.

    Returns
    -------
    figures : dict
        What is reported; no counterfactual is in it.
    rows : PerRow
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
    rows_found = PerRow(points, kde, changed, ms)
    own = rows_found if reference is None else reference
    beside = np.abs(points - own.points[:n]).sum(axis=1) <= HAIR * study.optimum[:n]
    to_nearest = _where(distance / study.nearest[:n], valid)
    errors = Counter(r["error"] for r in answers.records if r["point"] is None)
    figures = {
        "rows": n,
        "answered": float(answered.mean()) if n else 0.0,
        "valid": _share(valid, answered),
        "dense": _share(dense, answered),
        "nearly_dense": _share(nearly, answered),
        "both": float((valid & dense).mean()) if n else 0.0,
        "kde_median": _median(kde),
        "rejected": int((answered & ~valid).sum()),
        "rejected_by_a_hair": int((answered & ~valid & beside).sum()),
        "kde_difference": _median(kde - own.kde[:n]),
        "changed_difference": _median(changed - own.changed[:n]),
        "ms_ratio": _median(ms / own.ms[:n]),
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
    }
    return figures, rows_found


def _where(values: np.ndarray, mask: np.ndarray) -> np.ndarray:
    return np.where(mask & np.isfinite(values), values, np.nan)


def _share(good: np.ndarray, among: np.ndarray) -> float | None:
    return float(good[among].mean()) if among.any() else None


def _median(values: np.ndarray) -> float | None:
    finite = values[np.isfinite(values)]
    return float(np.median(finite)) if len(finite) else None
