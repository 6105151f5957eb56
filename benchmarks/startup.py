"""Seconds from a fresh process to the first explanation, on iris."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

import numpy as np

from .measure import RESULTS, seconds, write

FRESH = """
import json, time
start = time.perf_counter()
import elsewise as ew
imported = time.perf_counter()
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
X, y = load_iris(return_X_y=True)
model = LogisticRegression(max_iter=10_000).fit(X, y)
ready = time.perf_counter()
explainer = ew.Explainer(model, distance="manhattan", learn_rules=False, density="gaussian_mixture").fit(X, y)
fitted = time.perf_counter()
explainer.explain(X[:1], target=[2])
explained = time.perf_counter()
print(json.dumps({
    "import": imported - start,
    "fit": fitted - ready,
    "first explanation": explained - fitted,
    "import + fit + first explanation": imported - start + explained - ready,
}))
"""
IMPORTS = {"python alone": "", "import sklearn.mixture": "import sklearn.mixture", "import elsewise": "import elsewise"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=7)
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    run("import elsewise")  # the first process reads everything from disk
    phases = [json.loads(run(FRESH)) for _ in range(options.repetitions)]
    inside = [{"phase": key, "seconds": float(np.median([p[key] for p in phases]))} for key in phases[0]]
    whole = [
        {"process": name, "seconds": float(np.median([seconds(lambda c=code: run(c)) for _ in phases]))}
        for name, code in IMPORTS.items()
    ]
    notes = [f"Medians over {options.repetitions} fresh processes, warm disk cache. Training the model is not counted."]
    write("startup", "Start-up", {"Inside the process": inside, "Whole process": whole}, notes, options.out)


def run(code: str) -> str:
    """Run code in a fresh interpreter and return what it prints."""
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    main()
