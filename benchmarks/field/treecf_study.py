"""elsewise and treecf, or NICE, on the same XGBoost models, rows and prices of changes: sums of standard deviations.

Every answer is judged by XGBoost's own ``predict``. elsewise answers on one thread, treecf as it is installed.
"""

from __future__ import annotations

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
from threadpoolctl import threadpool_limits

import elsewise as ew

MODELS = {"100 x 3": (100, 3), "300 x 6": (300, 6)}


def credit_like(seed: int = 0, n: int = 6000) -> tuple[NDArray[Any], NDArray[Any]]:
    """Ten numbers like those of a loan book: skewed amounts, shares, counts and ages; a label that depends on them."""
    rng = np.random.default_rng(seed)
    income, debt = np.exp(rng.normal(8.5, 0.7, n)), rng.gamma(2.0, 0.2, n)
    usage, age = rng.beta(0.8, 1.5, n), rng.integers(21, 85, n)
    late, lines = rng.poisson(0.4, n), rng.poisson(8, n)
    loans, dependants = rng.poisson(1.0, n), rng.poisson(0.8, n)
    worst, years = rng.poisson(0.2, n), rng.gamma(3.0, 3.0, n)
    X = np.column_stack([income.round(), debt, usage, age, late, lines, loans, dependants, worst, years])
    score = 2.5 * usage + 1.1 * late + 1.4 * worst + 0.8 * debt - 0.5 * np.log(income) - 0.02 * age + 4.2
    return X, (score + rng.logistic(0.0, 0.6, n) < np.quantile(score, 0.6)).astype(np.int64)


def heloc(path: Path) -> tuple[NDArray[Any], NDArray[Any]]:
    """FICO's table: codes of missing values stay numbers, as the model sees them."""
    frame = pd.read_csv(path)
    label = frame.pop(next(name for name in frame if name.lower().startswith("riskperf")))
    y = (label.astype(str).str.lower().isin(["good", "0"])).astype(np.int64)
    return frame.to_numpy(dtype=np.float64), y.to_numpy()


def run(python: Path, data: Path | None, n_rows: int, seconds: float, peer: str = "treecf") -> list[dict[str, Any]]:
    """Measure all tables and models; one entry for each method."""
    tables: dict[str, Callable[[], Any]] = {"credit-like (made up)": credit_like}
    if data is not None:
        tables["HELOC"] = lambda: heloc(data / "heloc.csv")
    found = []
    for table, read in tables.items():
        X, y = read()
        for name, (n_trees, depth) in MODELS.items():
            answers = _compared((peer, python), (X, y), (n_trees, depth), n_rows, seconds)
            found += [{"table": table, "model": name, **one} for one in answers]
    return found


def _compared(
    peer: tuple[str, Path], data: tuple[Any, Any], size: tuple[int, int], n_rows: int, seconds: float
) -> list[dict[str, Any]]:
    from xgboost import XGBClassifier

    X, y = data
    train, test = X[: len(X) * 2 // 3], X[len(X) * 2 // 3 :]
    labels = y[: len(train)]
    model = XGBClassifier(n_estimators=size[0], max_depth=size[1], learning_rate=0.1, n_jobs=1, random_state=0)
    model.fit(train, labels)
    rows, sigma = test[model.predict(test) == 0][:n_rows], train.std(axis=0)
    answers = _theirs(peer, model, (train, labels), rows, sigma, seconds)
    answers |= _ours(model, (train, labels), rows, sigma, seconds)
    plain = [one["points"] for name, one in answers.items() if "density" not in name]
    nearest = np.min([_distances(points, rows, sigma) for points in plain], axis=0)
    return [_summary(name, one, model, rows, sigma, nearest) for name, one in answers.items()]


def _theirs(
    peer: tuple[str, Path], model: Any, data: tuple[Any, Any], rows: Any, sigma: Any, seconds: float
) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model.save_model(folder / "model.json")
        np.savez(folder / "rows.npz", rows=rows, sigma=sigma, X=data[0], y=data[1])
        (folder / "question.json").write_text(json.dumps({"seconds": seconds}))
        worker = Path(__file__).with_name(f"{peer[0]}_worker.py")
        subprocess.run([str(peer[1]), str(worker), name], check=True)
        written = json.loads((folder / "answers.json").read_text())
    missing = [np.nan] * rows.shape[1]
    return {
        f"{peer[0]} {written['versions'][peer[0]]}, {backend}": {
            "points": np.array([one["point"] or missing for one in found]),
            "seconds": [one["seconds"] for one in found],
            "cpu": [one["cpu"] for one in found],
            "proven": [one["proof"] == "optimal" for one in found],
        }
        for backend, found in written["answers"].items()
    }


def _ours(model: Any, data: tuple[Any, Any], rows: Any, sigma: Any, seconds: float) -> dict[str, Any]:
    found = {}
    for name, density in (("elsewise", None), ("elsewise, with density", "auto")):
        explainer = ew.Explainer(model, density=density, distance=ew.Manhattan(weights=1.0 / sigma), rules=None)
        explainer.fit(*data)
        with threadpool_limits(1):
            explainer.explain(rows[:1], 1, time_limit=seconds)  # what is made once
            each: dict[str, list[Any]] = {"points": [], "seconds": [], "cpu": [], "proven": []}
            for row in rows:
                wall, cpu = time.perf_counter(), time.process_time()
                answer = explainer.explain(row[None], 1, time_limit=seconds)
                each["seconds"].append(time.perf_counter() - wall)
                each["cpu"].append(time.process_time() - cpu)
                each["points"].append(answer.counterfactuals[0])
                each["proven"].append(answer.statuses[0] == "optimal")
        found[name] = {**each, "points": np.array(each["points"], dtype=np.float64)}
    return found


def _distances(points: Any, rows: Any, sigma: Any) -> Any:
    return np.nan_to_num((np.abs(points - rows) / sigma).sum(axis=1), nan=np.inf)


def _summary(name: str, found: dict[str, Any], model: Any, rows: Any, sigma: Any, nearest: Any) -> dict[str, Any]:
    distances = _distances(found["points"], rows, sigma)
    has = np.isfinite(distances)
    is_valid = model.predict(np.nan_to_num(found["points"])) == 1
    return {
        "method": name,
        "rows": len(rows),
        "found": int(has.sum()),
        "valid": int((has & is_valid).sum()),
        "proven nearest": int(np.sum(found["proven"])),
        "median ms, CPU": 1000.0 * float(np.median(found["cpu"])),
        "slowest s, CPU": float(np.max(found["cpu"])),
        "sum of distances": float(distances[has].sum()),
        "of the nearest known": float(nearest[has].sum()),
    }
