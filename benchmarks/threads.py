"""Rows per second with one thread and with two, and whether the answers are the same bits."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from . import problems
from .measure import RESULTS, seconds, write


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=2_000)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    with threadpool_limits(1):
        found = [measure(*names, options) for names in (("digits", "softmax"), ("breast cancer", "tree"))]
    notes = [f"{options.rows} rows, resampled with jitter; the two settings alternate, medians."]
    write("threads", "Threads", {"Rows per second": found}, notes, options.out)


def measure(data: str, model: str, options: argparse.Namespace) -> dict[str, Any]:
    """Time the same rows with one and two threads in turn."""
    import elsewise as ew

    problem = problems.load(data, model)
    X, targets = problems.resampled(problem, options.rows)
    explainers = [
        ew.Explainer(
            problem.model, distance="manhattan", learn_rules=False, density="gaussian_mixture", n_jobs=n_jobs
        ).fit(problem.X_train, problem.y_train)
        for n_jobs in (1, 2)
    ]
    answers = [explainer.explain(X, target=targets).counterfactuals for explainer in explainers]
    times = np.median(
        [[seconds(lambda e=e: e.explain(X, target=targets)) for e in explainers] for _ in range(options.repetitions)],
        axis=0,
    )
    row = {
        "problem": problem.name,
        "n_jobs=1": len(X) / times[0],
        "n_jobs=2": len(X) / times[1],
        "speed-up": times[0] / times[1],
        "same bits": np.array_equal(*answers, equal_nan=True),
    }
    print(row, flush=True)
    return row


if __name__ == "__main__":
    main()
