"""Peak memory above the data, and rows per second, for many rows of the size of digits."""

from __future__ import annotations

import argparse
import resource
import sys
from pathlib import Path

from threadpoolctl import threadpool_limits

from . import problems
from .measure import RESULTS, seconds, write


def main() -> None:
    import elsewise as ew

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--model", choices=problems.MODELS, default="softmax")
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    problem = problems.load("digits", options.model)
    explainer = ew.Explainer(
        problem.model, distance="manhattan", learn_rules=False, density="gaussian_mixture", n_jobs=1
    )
    explainer.fit(problem.X_train, problem.y_train)
    X, targets = problems.resampled(problem, options.rows)
    explainer.explain(X[:100], target=targets[:100])
    before = peak_megabytes()
    kept = []
    with threadpool_limits(1):
        elapsed = seconds(lambda: kept.append(explainer.explain(X, target=targets)))
    growth = peak_megabytes() - before
    answers = kept[0].counterfactuals.nbytes / 1e6
    row = {
        "problem": problem.name,
        "rows": options.rows,
        "rows per second": options.rows / elapsed,
        "data, MB": X.nbytes / 1e6,
        "peak growth, MB": growth,
        "counterfactuals alone, MB": answers,
        "growth beyond them, MB": growth - answers,
    }
    notes = ["Growth of the process's peak resident set during explain; the data are made beforehand, without copies."]
    write("memory", "Memory", {"Many rows": [row]}, notes, options.out)


def peak_megabytes() -> float:
    """Peak resident set of this process (Linux counts in kilobytes, macOS in bytes)."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3 / 1.024)


if __name__ == "__main__":
    main()
