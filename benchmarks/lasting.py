"""Answers after the model is trained again: how many stay valid, plain, with ``robust_to`` and others, and ElliCE's.

A model is trained, rows are explained, and the model is trained again on bootstraps of its training rows. An answer
survives a bootstrap if the model trained on it still gives the target. No bootstrap that answers are made with is among
those they are judged by. Numbers are in units of the columns' standard deviations, and so are distances.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

import elsewise as ew

from .measure import RESULTS, write

WORKER = Path(__file__).parent / "field" / "ellice_worker.py"
VERSIONS = 5
"""Bootstraps that answers with ``other_models`` agree with."""
RADIUS = 0.1
"""Distance within which answers stay valid."""


def boosting() -> Any:
    from xgboost import XGBClassifier

    return XGBClassifier(n_estimators=100, max_depth=3, learning_rate=0.1, n_jobs=1, random_state=0)


MODELS: dict[str, Callable[[], Any]] = {
    "logistic regression": lambda: LogisticRegression(max_iter=1000),
    "XGBoost 100 x 3": boosting,
    "network of 50": lambda: MLPClassifier((50,), alpha=0.1, max_iter=200, early_stopping=True, random_state=0),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=20, help="rows to explain")
    parser.add_argument("--bootstraps", type=int, default=20, help="models that answers are judged by")
    parser.add_argument("--time-limit", type=float, default=5.0, help="seconds a row")
    parser.add_argument("--models", nargs="*", default=list(MODELS), choices=list(MODELS))
    parser.add_argument("--heloc", type=Path, help="FICO's table")
    parser.add_argument("--german", type=Path, help="German credit")
    parser.add_argument("--ellice", type=Path, help="the interpreter of an environment with ellice")
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    tables: dict[str, Callable[[], Any]] = {"breast cancer": lambda: load_breast_cancer(return_X_y=True)}
    if options.heloc is not None:
        tables["HELOC"] = lambda: read(options.heloc, "RiskPerformance")
    if options.german is not None:
        tables["German credit"] = lambda: read(options.german, None)
    asked = f"--rows {options.rows} --bootstraps {options.bootstraps} --time-limit {options.time_limit:g}"
    asked += "" if options.models == list(MODELS) else " --models " + " ".join(f'"{model}"' for model in options.models)
    notes = [f"python -m benchmarks.lasting {asked} --heloc FILE --german FILE --ellice PYTHON"]
    with threadpool_limits(1):
        found: list[dict[str, Any]] = []
        for table, load in tables.items():
            for model in options.models:  # one after the other, for they share the machine
                found += measured(table, load, model, options)
    write("lasting", "Answers after the model is trained again", {"Survival": found}, notes, options.out)


def read(path: Path, label: str | None) -> tuple[NDArray[Any], NDArray[Any]]:
    """Read a table: numbers, categories as indicators, and its labels (the last column) as numbers."""
    frame = pd.read_csv(path).dropna()
    y = pd.factorize(frame.pop(label or frame.columns[-1]), sort=True)[0]
    return pd.get_dummies(frame, drop_first=True).to_numpy(dtype=np.float64), y


def measured(table: str, load: Callable[[], Any], name: str, options: argparse.Namespace) -> list[dict[str, Any]]:
    """Explain rows in several ways, and judge the answers by models of bootstraps."""
    X, y = load()
    X = StandardScaler().fit_transform(X)
    rng = np.random.default_rng(0)
    order = rng.permutation(len(X))
    train, test = order[: len(X) * 2 // 3], order[len(X) * 2 // 3 :]
    model = MODELS[name]().fit(X[train], y[train])
    versions = [bootstrap(name, X[train], y[train], rng) for _ in range(VERSIONS)]
    judges = [bootstrap(name, X[train], y[train], rng) for _ in range(options.bootstraps)]
    target = int(np.bincount(y).argmax())
    rows = X[test][model.predict(X[test]) != target][: options.rows]
    explainer = ew.Explainer(model, density=None, distance="manhattan", rules=None).fit(X[train], y[train])
    ways: dict[str, dict[str, Any]] = {
        "plain": {},
        f"robust_radius={RADIUS}": {"robust_radius": RADIUS},
        f"other_models, {VERSIONS} bootstraps": {"other_models": [(version, target) for version in versions]},
        'robust_to="retraining"': {},
    }
    answers = {}
    for way, asked in ways.items():
        if "robust_radius" in asked and name.startswith("network"):
            continue  # refused: how far a network's score may fall near an answer is not known
        if way.startswith("robust_to"):
            lasting = ew.Explainer(model, density=None, distance="manhattan", rules=None, robust_to="retraining")
            explainer = lasting.fit(X[train], y[train])  # the refits are made here
        started = time.process_time()
        answer = explainer.explain(rows, target, time_limit=options.time_limit, **asked)
        spent = 1000.0 * (time.process_time() - started) / len(rows)
        n_proven = int((answer.statuses == "optimal").sum())
        answers[way] = (answer.counterfactuals, answer.found, n_proven, spent)
        print(f"{table}, {name}, {way}: {spent:.0f} ms a row", flush=True)
    if options.ellice is not None and name == "logistic regression":
        version, found = ellice(options.ellice, model, (X[train], y[train]), rows, target)
        answers[f"ElliCE {version}"] = found
    everywhere = np.logical_and.reduce([found for _, found, _, _ in answers.values()])
    lengths = {way: np.abs(points - rows).sum(axis=1)[everywhere] for way, (points, _, _, _) in answers.items()}
    return [
        {
            "table": table,
            "model": name,
            "answers": way,
            "rows": len(rows),
            "found": int(found.sum()),
            "survive, %": 100 * survival(judges, points[found], target) if found.any() else None,
            "proven": proven,
            "distance, to plain": float(np.median(lengths[way] / lengths["plain"])) if everywhere.any() else None,
            "sum of distances, to plain": float(lengths[way].sum() / lengths["plain"].sum())
            if everywhere.any()
            else None,
            "ms a row, CPU": spent,
        }
        for way, (points, found, proven, spent) in answers.items()
    ]


def ellice(python: Path, model: Any, data: tuple[Any, Any], rows: Any, target: int) -> tuple[str, Any]:
    """Return ElliCE's version and answers: points, whether there is one, and milliseconds of CPU a row."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        about = {"coef": model.coef_, "intercept": model.intercept_}
        np.savez(folder / "question.npz", X=data[0], y=data[1], rows=rows, target=target, **about)
        subprocess.run([str(python), str(WORKER), name], check=True, capture_output=True)
        written = json.loads((folder / "answers.json").read_text())
    points = np.array(written["points"], dtype=np.float64)
    return written["version"], (points, np.isfinite(points).all(axis=1), None, float(written["cpu_ms"]))


def bootstrap(name: str, X: NDArray[Any], y: NDArray[Any], rng: np.random.Generator) -> Any:
    """Train a model on rows drawn with replacement."""
    chosen = rng.integers(0, len(X), len(X))
    return MODELS[name]().fit(X[chosen], y[chosen])


def survival(judges: list[Any], points: NDArray[Any], target: int) -> float:
    """Share of points and models that still give the target."""
    return float(np.mean([judge.predict(points) == target for judge in judges]))


if __name__ == "__main__":
    main()
