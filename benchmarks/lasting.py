"""Answers after the model is trained again: how many stay valid, with ``robust_radius`` and ``other_models``.

A model is trained, rows are explained, and the model is trained again on bootstraps of its training rows. An answer
survives a bootstrap if the model trained on it still gives the target. ``other_models`` asks for agreement with a few
bootstraps that are not among those it is judged by. Distances are in units of the columns' standard deviations.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

import elsewise as ew

from .measure import RESULTS, write

TABLES: dict[str, Callable[..., Any]] = {"breast cancer": load_breast_cancer, "wine": load_wine}
MODELS: dict[str, Callable[[], Any]] = {
    "logistic regression": lambda: LogisticRegression(max_iter=1000),
    "tree": lambda: DecisionTreeClassifier(max_depth=5, random_state=0),
    "forest": lambda: RandomForestClassifier(30, max_depth=4, random_state=0),
    "boosting": lambda: GradientBoostingClassifier(n_estimators=30, max_depth=2, random_state=0),
}
ROBUST = (0.1, 0.3)
"""Distances within which answers stay valid."""
VERSIONS = 5
"""Bootstraps that answers with ``other_models`` agree with."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=40, help="rows to explain")
    parser.add_argument("--bootstraps", type=int, default=30, help="models that answers are judged by")
    parser.add_argument("--time-limit", type=float, default=2.0, help="seconds a row")
    parser.add_argument("--density", action="store_true", help="ask for plausible answers")
    parser.add_argument("--table", type=Path, help="a CSV file of numbers and a label, beside the two tables")
    parser.add_argument("--label", help="its column")
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    if options.table is not None:
        TABLES[options.table.stem] = lambda return_X_y: read(options.table, options.label)
    with threadpool_limits(1):
        found = [
            row for table in TABLES for model in MODELS for row in measured(table, model, options)
        ]  # one after the other, for they share the machine
    write("lasting", "Answers after the model is trained again", {"Survival": found}, [], options.out)


def read(path: Path, label: str) -> tuple[NDArray[Any], NDArray[Any]]:
    """Read a table of numbers, and its labels as numbers."""
    frame = pd.read_csv(path).dropna()
    y = pd.factorize(frame.pop(label))[0]
    return frame.select_dtypes("number").to_numpy(dtype=np.float64), y


def measured(table: str, name: str, options: argparse.Namespace) -> list[dict[str, Any]]:
    """Explain rows in several ways, and judge the answers by models of bootstraps."""
    X, y = TABLES[table](return_X_y=True)
    X = StandardScaler().fit_transform(X)
    rng = np.random.default_rng(0)
    order = rng.permutation(len(X))
    train, test = order[: len(X) * 2 // 3], order[len(X) * 2 // 3 :][: options.rows]
    model = MODELS[name]().fit(X[train], y[train])
    versions = [bootstrap(name, X[train], y[train], rng) for _ in range(VERSIONS)]
    judges = [bootstrap(name, X[train], y[train], rng) for _ in range(options.bootstraps)]
    explainer = ew.Explainer(model, density="auto" if options.density else None, distance="manhattan").fit(
        X[train], y[train]
    )
    target = int(np.bincount(y).argmax())
    rows = X[test][model.predict(X[test]) != target]
    ways: dict[str, dict[str, Any]] = {"plain": {}}
    ways.update({f"robust_radius={eps}": {"robust_radius": eps} for eps in ROBUST})
    ways[f"other_models, {VERSIONS} bootstraps"] = {"other_models": [(version, target) for version in versions]}
    answers = {
        way: explainer.explain(rows, target, time_limit=options.time_limit, **asked) for way, asked in ways.items()
    }
    everywhere = np.logical_and.reduce([each.found for each in answers.values()])
    plain = answers["plain"].distances[everywhere]
    return [
        {
            "table": table,
            "model": name,
            "answers": way,
            "rows": len(rows),
            "found": int(each.found.sum()),
            "survive, %": 100 * survival(judges, each.counterfactuals[everywhere], target),
            "distance, to plain": float(np.median(each.distances[everywhere] / plain)) if everywhere.any() else np.nan,
        }
        for way, each in answers.items()
    ]


def bootstrap(name: str, X: NDArray[Any], y: NDArray[Any], rng: np.random.Generator) -> Any:
    """Train a model on rows drawn with replacement."""
    chosen = rng.integers(0, len(X), len(X))
    return MODELS[name]().fit(X[chosen], y[chosen])


def survival(judges: list[Any], points: NDArray[Any], target: int) -> float:
    """Share of points and models that still give the target."""
    return float(np.mean([judge.predict(points) == target for judge in judges])) if len(points) else np.nan


if __name__ == "__main__":
    main()
