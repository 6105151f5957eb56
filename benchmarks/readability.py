"""Digits in raw pixels: how many counterfactuals a classifier that had no part in making them reads as requested.

Of 1,797 digits of 8 x 8 pixels 500 are explained, 900 are what the model and the densities were fitted to, and the rest
is what one reader was fitted to; another one saw the rows of the model. Pixels are kept from 0 to 16.
"""

from __future__ import annotations

import argparse
import time
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
DENSITIES: dict[str, tuple[dict[str, Any] | None, tuple[Any, ...]]] = {
    "none": (None, (0.5,)),
    "full": ({}, (0.5, ew.TrainingQuantile(0.5))),
    "low rank, chosen": ({"covariance_type": "low_rank"}, (0.5, 0.9)),
    "low rank, 10 components of rank 2": (
        {"covariance_type": "low_rank", "n_components": 10, "rank": 2},
        (0.5, 0.9, ew.TrainingQuantile(0.5)),
    ),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=N_EXPLAINED)
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    X, y = load_digits(return_X_y=True)
    rng = np.random.default_rng(0)
    explained, train, rest = np.split(rng.permutation(len(X)), [N_EXPLAINED, N_EXPLAINED + N_TRAIN])
    model = LogisticRegression(C=0.01, max_iter=5000).fit(X[train], y[train])
    readers = {
        "other rows": SVC(gamma=GAMMA).fit(X[rest], y[rest]),
        "its rows": SVC(gamma=GAMMA).fit(X[train], y[train]),
    }
    rows = X[explained][: options.rows]
    targets = (model.predict(X[explained]) + rng.integers(1, 10, N_EXPLAINED))[: options.rows] % 10
    within = ew.Constraints(bounds={f"x{i}": (0, 16) for i in range(X.shape[1])})
    found = []
    with threadpool_limits(1):
        for name, (settings, thresholds) in DENSITIES.items():
            density = None if settings is None else ew.GaussianMixtureDensity(**settings)
            explainer = ew.Explainer(model, density=density).fit(X[train], y[train])
            for threshold in thresholds:
                at = explainer if density is None else explainer.with_threshold(threshold)
                start = time.process_time()
                answers = at.explain(rows, targets, constraints=within)
                spent = time.process_time() - start
                there = np.isfinite(answers.distances)
                shares = {
                    key: 100 * float(np.mean(reader.predict(answers.counterfactuals[there]) == targets[there]))
                    for key, reader in readers.items()
                }
                found.append({
                    "density": name,
                    "threshold": "" if density is None else str(threshold),
                    "rows": len(rows),
                    "found": int(there.sum()),
                    "read as requested, reader of other rows, %": shares["other rows"],
                    "read as requested, reader of the model's rows, %": shares["its rows"],
                    "median distance": float(np.median(answers.distances[there])),
                    "ms of CPU a row": 1e3 * spent / len(rows),
                })  # fmt: skip
                print(found[-1], flush=True)
    accuracies = {key: reader.score(rows, y[explained][: options.rows]) for key, reader in readers.items()}
    notes = [
        f"The reader of {key} reads {share:.1%} of the rows themselves as labelled."
        for key, share in accuracies.items()
    ]
    write("readability", "Digits read by another classifier", {"Counterfactuals": found}, notes, options.out)


if __name__ == "__main__":
    main()
