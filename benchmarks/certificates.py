"""What certificates take: their sizes, and the time to write and to check them.

``python -m benchmarks.certificates`` prints a line for each model of a table of scikit-learn: rows that have
certificates, medians of kilobytes (as lines, and compressed), of processor seconds to explain a row without and with
its certificate, and to check it; then the medians over all rows.
"""

from __future__ import annotations

import argparse
import gzip
import time
import warnings
from collections.abc import Iterator
from statistics import median
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import elsewise as ew
import elsewise_check

TABLES = {"iris": load_iris, "wine": load_wine, "cancer": load_breast_cancer, "digits": load_digits}
MODELS: dict[str, Any] = {
    "softmax": LogisticRegression(max_iter=2000),
    "scaled softmax": make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000)),
    "tree": DecisionTreeClassifier(random_state=0),
    "forest of 20": RandomForestClassifier(20, max_depth=4, random_state=0),
    "boosting of 20": GradientBoostingClassifier(n_estimators=20, max_depth=2, random_state=0),
    "naive Bayes": GaussianNB(),
    "ReLU network": make_pipeline(StandardScaler(), MLPClassifier((8,), max_iter=300, random_state=0)),
}
# Models whose proofs on tables of many columns are given up, and those of which they are with a density.
SMALL, SMALL_WITH_DENSITY = {"naive Bayes", "ReLU network"}, {"forest of 20", "boosting of 20"}


def measured(model: Any, X: Any, y: Any, density: Any, n_rows: int) -> dict[str, Any]:
    """Explain rows one by one, with certificates and without, and check them."""
    explainer = ew.Explainer(model.fit(X, y), density=density).fit(X, y)
    predicted, target = model.predict(X), 1
    rows = X[predicted != target][:: max(1, int((predicted != target).sum()) // n_rows)][:n_rows]
    explainer.explain(rows[:1], target, certificate=True)  # regions are read once
    sizes, packed, plain, writing, checking, reasons = [], [], [], [], [], []
    for row in rows:
        took = []
        for certificate in (False, True):
            start = time.process_time()
            one = explainer.explain_one(row, target, certificate=certificate)
            took.append(time.process_time() - start)
        if one.proof.reason:
            reasons.append(one.proof.reason)
            continue
        start = time.process_time()
        elsewise_check.check_lines(one.proof.lines)
        checking.append(time.process_time() - start)
        plain.append(took[0])
        writing.append(took[1])
        sizes.append(len(one.proof.text.encode()) / 1e3)
        packed.append(len(gzip.compress(one.proof.text.encode())) / 1e3)
    return {
        "sizes": sizes,
        "packed": packed,
        "plain": plain,
        "writing": writing,
        "checking": checking,
        "without": reasons,
    }


def cases(tables: list[str]) -> Iterator[tuple[str, str, Any]]:
    """Yield tables, models and densities."""
    for table in tables:
        for name in MODELS:
            if name in SMALL and table in ("cancer", "digits"):
                continue
            for density in (None, "auto"):
                if density and name in SMALL_WITH_DENSITY and table in ("cancer", "digits"):
                    continue
                yield table, name, density


def main() -> None:
    """Print a line for each model."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=5)
    parser.add_argument("--tables", nargs="+", choices=list(TABLES), default=list(TABLES))
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    every: dict[str, list[float]] = {"kB": [], "writing": [], "checking": []}
    for table, name, density in cases(given.tables):
        X, y = TABLES[table](return_X_y=True)
        found = measured(MODELS[name], X, y, density, given.rows)
        if not found["sizes"]:
            print(f"{table:8} {name:16} {density!s:6} none: {found['without'][0]}", flush=True)
            continue
        medians = {key: median(values) for key, values in found.items() if key != "without"}
        every["kB"] += found["packed"]
        every["writing"] += list(np.array(found["writing"]) / found["plain"])
        every["checking"] += list(np.array(found["checking"]) / found["plain"])
        print(
            f"{table:8} {name:16} {density!s:6} {len(found['sizes'])} rows, {len(found['without'])} without; "
            f"{medians['sizes']:.1f} kB ({medians['packed']:.1f} compressed); explain {1e3 * medians['plain']:.1f} ms, "
            f"with certificate {1e3 * medians['writing']:.1f} ms, check {1e3 * medians['checking']:.1f} ms",
            flush=True,
        )
    print({key: round(median(values), 2) for key, values in every.items()})


if __name__ == "__main__":
    main()
