"""Forests and boosting: CPU time a row for a proven nearest counterfactual, without a density or with one.

    python -m benchmarks.ensembles                      # scikit-learn's data alone
    python -m benchmarks.ensembles --table heloc.csv --label RiskPerformance
    python -m benchmarks.ensembles --density            # at the median of the training rows
    python -m benchmarks.ensembles --batch 10000 --tables credit --models "any depth"   # many rows in one call

All of ``explain`` is counted: the search, the check by the model's own ``predict``, the making of answers. Rows are
held out from the model. ``proven in 1 s`` is the share of rows with a proven optimum after at most one second of CPU
time, ``proven`` within the time limit, which is of the clock. The time of one call of ``predict`` is given beside it:
an answer needs at least one. Columns of text are encoded one-hot. With ``--batch`` all rows are asked in one call, on
one thread and on two: rows a second by the clock, and the peak memory of the process.
"""

from __future__ import annotations

import argparse
import resource
import time
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_breast_cancer, load_digits, load_wine, make_classification
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from threadpoolctl import threadpool_limits

import elsewise as ew


def tables(path: str | None, label: str | None) -> dict[str, tuple[pd.DataFrame, np.ndarray]]:
    """Tables of numbers with two classes or more."""
    credit, repaid = make_classification(
        8000, n_features=23, n_informative=9, n_redundant=6, class_sep=0.7, flip_y=0.1, random_state=0
    )
    found = {
        "breast cancer": load_breast_cancer(return_X_y=True, as_frame=True),
        "wine": load_wine(return_X_y=True, as_frame=True),
        "digits": load_digits(return_X_y=True, as_frame=True),
        # whole numbers, as a table of credit records has them
        "made-up credit": (pd.DataFrame(np.round(credit * 10).astype(int)).add_prefix("x"), repaid),
    }
    if path is not None:
        frame = pd.read_csv(path)
        found[path] = (frame, frame.pop(label).to_numpy())
    # LightGBM renames columns with spaces in their names
    return {
        name: (frame.rename(columns=lambda text: text.replace(" ", "_")), np.asarray(y))
        for name, (frame, y) in found.items()
    }


def models() -> dict[str, Any]:
    """Models of 100 trees; those of other libraries where they are installed."""
    found = {
        "forest, depth 5": RandomForestClassifier(100, max_depth=5, random_state=0),
        "forest, depth 8": RandomForestClassifier(100, max_depth=8, random_state=0),
        "forest, any depth": RandomForestClassifier(100, random_state=0),
        "extra trees, depth 5": ExtraTreesClassifier(100, max_depth=5, random_state=0),
        "gradient boosting, depth 3": GradientBoostingClassifier(n_estimators=100, max_depth=3, random_state=0),
        "histogram boosting": HistGradientBoostingClassifier(max_iter=100, early_stopping=False, random_state=0),
    }
    try:
        import xgboost

        found["XGBoost, depth 3"] = xgboost.XGBClassifier(n_estimators=100, max_depth=3, n_jobs=1)
    except ImportError:
        print("XGBoost is not installed: left out")
    try:
        import lightgbm

        found["LightGBM"] = lightgbm.LGBMClassifier(n_estimators=100, n_jobs=1, verbose=-1)
    except ImportError:
        print("LightGBM is not installed: left out")
    return found


def encoded(model: Any, frame: pd.DataFrame) -> Any:
    """Put one-hot codes of columns of text in front of a model, if there are any."""
    levels = [name for name in frame if not pd.api.types.is_numeric_dtype(frame[name])]
    if not levels:
        return model
    codes = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    return make_pipeline(make_column_transformer((codes, levels), remainder="passthrough"), model)


def measure_batch(model: Any, frame: pd.DataFrame, y: np.ndarray, n_rows: int, time_limit: float) -> dict[str, float]:
    """Rows a second in one call, on one thread and on two, and the peak memory of the process."""
    order = np.random.default_rng(0).permutation(len(frame))
    train, rest = order[: int(0.75 * len(order))], np.resize(order[int(0.75 * len(order)) :], n_rows)
    model.fit(frame.iloc[train], y[train])
    explainer = ew.Explainer(model, density=None).fit(frame.iloc[train], y[train])
    rows, found = frame.iloc[rest].reset_index(drop=True), {}
    for n_jobs in (1, 2):
        started = time.perf_counter()
        explainer.set_params(n_jobs=n_jobs).explain(rows, time_limit=time_limit)
        found[f"rows a second, {n_jobs} threads"] = n_rows / (time.perf_counter() - started)
    found["peak GiB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return found


def measure(
    model: Any, frame: pd.DataFrame, y: np.ndarray, n_rows: int, time_limit: float, density: str | None, seed: int = 0
) -> dict[str, float]:
    """CPU seconds a row, and what is proven, for held-out rows with the next class as target."""
    order = np.random.default_rng(seed).permutation(len(frame))
    train, rest = order[: int(0.75 * len(order))], order[int(0.75 * len(order)) :][:n_rows]
    model.fit(frame.iloc[train], y[train])
    explainer = ew.Explainer(model, density=density, threshold=ew.TrainingQuantile(0.5)).fit(
        frame.iloc[train], y[train]
    )
    classes = list(model.classes_)
    seconds, statuses, gaps = [], [], []
    for place in rest:
        row = frame.iloc[[place]]
        target = classes[(classes.index(model.predict(row)[0]) + 1) % len(classes)]
        started = time.process_time()
        answer = explainer.explain(row, target, time_limit=time_limit)
        seconds.append(time.process_time() - started)
        statuses.append(answer.statuses[0])
        gaps.append(1 - answer.lower_bounds[0] / answer.distances[0] if answer.distances[0] > 0 else 0.0)
    started = time.process_time()
    for place in rest[:5]:
        model.predict(frame.iloc[[place]])
    return {
        "median ms": 1e3 * float(np.median(seconds)),
        "p90 ms": 1e3 * float(np.quantile(seconds, 0.9)),
        **{
            f"proven in {limit} s": float(np.mean([s == "optimal" and t <= limit for s, t in zip(statuses, seconds)]))
            for limit in (1, 2, 5)
        },
        "proven": float(np.mean([status == "optimal" for status in statuses])),
        "median gap of others": float(np.median([gap for gap, s in zip(gaps, statuses) if s != "optimal"] or [0.0])),
        "predict ms": 1e3 * (time.process_time() - started) / 5,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=40)
    parser.add_argument("--time-limit", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=0, help="of the split into training and held-out rows")
    parser.add_argument("--table", help="a CSV file of numbers")
    parser.add_argument("--label", help="its column of labels")
    parser.add_argument("--density", action="store_true", help="answers as dense as the median training row")
    parser.add_argument("--batch", type=int, default=0, help="ask so many rows in one call instead")
    parser.add_argument("--tables", default="", help="only tables whose name contains this")
    parser.add_argument("--models", default="", help="only models whose name contains this")
    options = parser.parse_args()
    for name, (frame, y) in tables(options.table, options.label).items():
        for kind, model in models().items():
            if options.models not in kind or options.tables not in name:
                continue
            if "XGBoost" in kind:
                y = np.unique(y, return_inverse=True)[1]
            model = encoded(model, frame)
            with threadpool_limits(1):  # threads that wait for each other would be counted as CPU time
                density = "auto" if options.density else None
                if options.batch:
                    result = measure_batch(model, frame, y, options.batch, options.time_limit)
                else:
                    result = measure(model, frame, y, options.rows, options.time_limit, density, options.seed)
            numbers = ", ".join(f"{what} {value:.3g}" for what, value in result.items())
            print(f"{name:16} {kind:28} {numbers}", flush=True)


if __name__ == "__main__":
    main()
