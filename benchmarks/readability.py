"""Digits in raw pixels: how many counterfactuals a classifier that had no part in making them reads as requested.

Of 1,797 digits of 8 x 8 pixels 500 are explained, 900 are what the model and the densities were fitted to, and the rest
is what one reader was fitted to; another one saw the rows of the model. Pixels are kept from 0 to 16. With a confidence
of 0.5 the model is as sure of answers as of half of its own rows. Answers that have to be robust keep as far from the
model's other decisions as three quarters of its own rows do at most (the quantile of their distances to the nearest
other class). No reader had a part in either.
"""

from __future__ import annotations

import argparse
import time
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

import elsewise as ew

from .measure import RESULTS, write

N_EXPLAINED, N_TRAIN = 500, 900
# Kernel width of the readers: the value in scikit-learn's own example for these data.
GAMMA = 0.001
# Quantiles of the rows' own distances to another decision that robust answers keep; 0 is none.
ROBUST = (0.0, 0.5, 0.75)
PAPER = ew.TrainingQuantile(0.5)
CONFIDENCE = 0.5
DENSITIES: dict[str, tuple[dict[str, Any] | None, tuple[Any, ...], tuple[float, ...]]] = {
    "none": (None, (0.5,), (0.0, 0.75)),
    "full": ({}, (0.5, PAPER), (0.0, 0.75)),
    "low rank, chosen": ({"covariance_type": "low_rank"}, (0.5, 0.9), ROBUST),
    "low rank, 10 components of rank 2": (
        {"covariance_type": "low_rank", "n_components": 10, "rank": 2},
        (0.5, 0.9, PAPER),
        (0.0, 0.75),
    ),
}


def judged(answers: Any, targets: Any, readers: dict[str, SVC]) -> dict[str, Any]:
    """How many answers there are, how many each reader reads as requested, and how far they are."""
    there = np.isfinite(answers.distances)
    found = answers.counterfactuals[there]
    shares = {key: 100 * float(np.mean(reader.predict(found) == targets[there])) for key, reader in readers.items()}
    return {
        "found": int(there.sum()),
        "read as requested, reader of other rows, %": shares["other rows"],
        "read as requested, reader of the model's rows, %": shares["its rows"],
        "median distance": float(np.median(answers.distances[there])),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=N_EXPLAINED)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2], help="one division of the digits each")
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    found: list[dict[str, Any]] = []
    notes: list[str] = []
    for seed in options.seeds:
        division(seed, options.rows, found, notes)
    write("readability", "Digits read by another classifier", {"Counterfactuals": found}, notes, options.out)


def division(seed: int, n_rows: int, found: list[dict[str, Any]], notes: list[str]) -> None:
    """Explain the rows of one division of the digits in every way, and add what came out."""
    X, y = load_digits(return_X_y=True)
    rng = np.random.default_rng(seed)
    explained, train, rest = np.split(rng.permutation(len(X)), [N_EXPLAINED, N_EXPLAINED + N_TRAIN])
    model = LogisticRegression(C=0.01, max_iter=5000).fit(X[train], y[train])
    readers = {
        "other rows": SVC(gamma=GAMMA).fit(X[rest], y[rest]),
        "its rows": SVC(gamma=GAMMA).fit(X[train], y[train]),
    }
    rows = X[explained][:n_rows]
    targets = (model.predict(X[explained]) + rng.integers(1, 10, N_EXPLAINED))[:n_rows] % 10
    within = ew.Constraints(bounds={f"x{i}": (0, 16) for i in range(X.shape[1])})
    with threadpool_limits(1):
        apart = ew.Explainer(model, density=None).fit(X[train], y[train]).explain(X[train]).distances
        for name, (settings, thresholds, quantiles) in DENSITIES.items():
            density = None if settings is None else ew.GaussianMixtureDensity(**settings)
            explainer = ew.Explainer(model, density=density).fit(X[train], y[train])
            ways = [(quantile, None) for quantile in quantiles] + [(0.0, CONFIDENCE)]
            for threshold, (quantile, confidence) in product(thresholds, ways):
                at = explainer if density is None else explainer.with_threshold(threshold)
                robust = float(np.quantile(apart, quantile)) if quantile else 0.0
                start = time.process_time()
                answers = at.explain(rows, targets, constraints=within, robust_radius=robust, confidence=confidence)
                spent = time.process_time() - start
                found.append({
                    "seed": seed,
                    "density": name,
                    "threshold": "" if density is None else str(threshold),
                    "robust": f"{robust:.1f}" if robust else "",
                    "confidence": confidence or "",
                    "rows": len(rows),
                    **judged(answers, targets, readers),
                    "ms of CPU a row": 1e3 * spent / len(rows),
                })  # fmt: skip
                print(found[-1], flush=True)
    accuracies = {key: reader.score(rows, y[explained][:n_rows]) for key, reader in readers.items()}
    notes.extend(
        f"Seed {seed}: the reader of {key} reads {share:.1%} of the rows themselves as labelled."
        for key, share in accuracies.items()
    )


if __name__ == "__main__":
    main()
