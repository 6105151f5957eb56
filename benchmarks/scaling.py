"""Time per explanation against the number of features, and against the number of training rows.

Synthetic data: latent Gaussian classes, a random loading, noise; then PCA and softmax regression. The cone lives in the
PCA's space, so its dimension stays put while the number of features grows.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from threadpoolctl import threadpool_limits

from . import problems
from .alternatives import ClarabelCells
from .measure import RESULTS, seconds, write

FEATURES = (30, 100, 300, 784)
CONE_DIMENSIONS = {30: 20}
"""Forty, except where that exceeds the features."""
TRAINING_ROWS = (1_000, 10_000, 100_000)
N_CLASSES = 3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100, help="rows to explain")
    parser.add_argument("--clarabel-rows", type=int, default=10)
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    with threadpool_limits(1):
        by_features = [measure(synthetic(2_000, d, options.rows), options) for d in FEATURES]
        by_training = [measure(synthetic(n, 30, options.rows), options) for n in TRAINING_ROWS]
    same_cone = [row for row in by_features if row["cone dimension"] == 40]
    notes = [
        f"log-log slope against features, 40-dimensional cone: {slope(same_cone, 'features', 'ms per row'):.2f} "
        f"(Clarabel {slope(same_cone, 'features', 'Clarabel, ms per row'):.2f})",
        f"log-log slope against training rows: {slope(by_training, 'training rows', 'ms per row'):.2f}",
    ]
    write("scaling", "Scaling", {"Features": by_features, "Training rows": by_training}, notes, options.out)


def synthetic(n_train: int, d: int, n_test: int, *, seed: int = 0) -> problems.Problem:
    """Make a problem with ``d`` features whose model space has 40 dimensions (20 for 30 features)."""
    q = CONE_DIMENSIONS.get(d, 40)
    rng = np.random.default_rng(seed)
    loading, centres = rng.normal(size=(q, d)) / np.sqrt(q), rng.normal(size=(N_CLASSES, q))
    y = rng.integers(N_CLASSES, size=n_train + n_test)
    X = (centres[y] + rng.normal(size=(len(y), q))) @ loading + 0.1 * rng.normal(size=(len(y), d))
    model = make_pipeline(PCA(q, random_state=seed), LogisticRegression(max_iter=10_000)).fit(X[:n_train], y[:n_train])
    X_test = X[n_train:]
    targets = problems.other_classes(model, X_test, rng)
    return problems.Problem(f"synthetic, {d} features", model, X[:n_train], y[:n_train], X_test, targets)


def measure(problem: problems.Problem, options: argparse.Namespace) -> dict[str, Any]:
    """Time fit and explain, and Clarabel on a few rows."""
    import elsewise as ew

    density = ew.GaussianMixtureDensity(n_components=2)
    explainer = ew.Explainer(problem.model, distance="manhattan", learn_rules=False, density=density, n_jobs=1)
    fit_seconds = seconds(lambda: explainer.fit(problem.X_train, problem.y_train))
    X, targets = problem.X_test, problem.targets
    explainer.explain(X, target=targets)
    times = [seconds(lambda: explainer.explain(X, target=targets)) for _ in range(options.repetitions)]

    W, w0 = problems.affine_map(problem.model)
    labels = problem.model.classes_
    clarabel = {t: ClarabelCells(W, w0, problems.cells(problem, explainer.densities_[t], t)) for t in labels}
    few = [(x, t) for x, t in zip(X[: options.clarabel_rows], targets)]
    clarabel_seconds = seconds(lambda: [clarabel[t].best(x) for x, t in few])
    row = {
        "features": X.shape[1],
        "cone dimension": len(W),
        "training rows": len(problem.X_train),
        "fit, seconds": fit_seconds,
        "ms per row": 1e3 * float(np.median(times)) / len(X),
        "Clarabel, ms per row": 1e3 * clarabel_seconds / len(few),
    }
    print(row, flush=True)
    return row


def slope(rows: list[dict[str, Any]], x: str, y: str) -> float:
    """Least-squares slope of log y against log x."""
    return float(np.polyfit(np.log([row[x] for row in rows]), np.log([row[y] for row in rows]), 1)[0])


if __name__ == "__main__":
    main()
