"""Large tree ensembles and networks with a density: answers within milliseconds, proofs within a second.

    python -m benchmarks.production                     # a made-up table like a bank's, ten models
    python -m benchmarks.production --models forest --rows 30 --seed 1
    python -m benchmarks.production --table heloc.csv --label RiskPerformance

Every row is asked alone, with each time limit in turn, for a class that the model does not predict. Printed per model:
the share of rows with an answer at each limit, the median ratio of their distances to the best distance known of the
same row, the longest time beyond a limit, the share of rows proven at the longest limit, and the median and mean gap
there. Rows are held out from the model. Limits are of the clock: run it on an idle machine.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

import elsewise as ew

from .ensembles import encoded

# Seconds a row.
LIMITS = (0.05, 0.15, 1.0)


def bank(n: int, seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Draw a table like that of a bank's campaign: seven numbers, nine categories, and interactions between them."""
    rng = np.random.default_rng(seed)
    worth, debt = rng.normal(size=n), rng.normal(size=n)

    def level(names: str, tilt: float, by: np.ndarray = worth) -> np.ndarray:
        levels = names.split()
        score = tilt * np.outer(by, np.linspace(-1, 1, len(levels))) + rng.gumbel(size=(n, len(levels)))
        return np.array(levels, dtype=object)[score.argmax(axis=1)]

    frame = pd.DataFrame(
        {
            "age": np.clip(np.round(41 + 3 * worth + 10 * rng.normal(size=n)), 18, 90).astype(int),
            "job": level("services worker admin technician self student retired manager", 0.6),
            "marital": level("divorced married single", 0.3),
            "education": level("primary secondary tertiary", 0.7),
            "default": level("yes no", 0.6, -debt),
            "balance": np.round(np.exp(6.5 + 0.5 * worth - 0.4 * debt + 0.9 * rng.normal(size=n))).astype(int),
            "housing": level("no yes", 0.7, debt),
            "loan": level("no yes", 0.6, debt),
            "contact": level("unknown telephone cellular", 0.5),
            "day": rng.integers(1, 32, n),
            "month": level("may jun jul aug nov feb apr oct sep mar", 0.5),
            "duration": np.round(np.exp(5.2 + 0.3 * worth + 0.7 * rng.normal(size=n))).astype(int),
            "campaign": 1 + rng.poisson(np.exp(0.6 - 0.3 * worth)),
            "pdays": np.round(np.exp(4.5 + 0.6 * rng.normal(size=n))).astype(int),
            "previous": rng.poisson(np.exp(-0.3 + 0.4 * worth)),
            "poutcome": level("failure other unknown success", 0.7),
        }
    )
    long, young = np.log(frame["duration"]) - 5.2, (frame["age"] < 30).to_numpy()
    has_success, has_house = (frame["poutcome"] == "success").to_numpy(), (frame["housing"] == "yes").to_numpy()
    late = frame["month"].isin(["oct", "sep", "mar"]).to_numpy()
    score = 0.8 * worth - 0.6 * debt + 1.5 * long * np.where(has_house, 0.4, 1.2) + 1.2 * has_success * (long > 0)
    score += 0.9 * late * (frame["contact"] == "cellular") - 0.5 * young * has_house
    score += 0.4 * np.sin(frame["day"] / 5) + rng.logistic(0, 0.5, n)
    return frame, (score > np.quantile(score, 0.85)).astype(int)


def models() -> dict[str, Any]:
    """Models as they are used in production; those of other libraries where they are installed."""
    found: dict[str, Any] = {}
    try:
        import xgboost

        found["XGBoost 300x6"] = xgboost.XGBClassifier(n_estimators=300, max_depth=6, learning_rate=0.1, n_jobs=1)
    except ImportError:
        print("XGBoost is not installed: left out")
    try:
        import lightgbm

        found["LightGBM 500x6"] = lightgbm.LGBMClassifier(
            n_estimators=500, max_depth=6, learning_rate=0.05, n_jobs=1, verbose=-1
        )
    except ImportError:
        print("LightGBM is not installed: left out")
    found["histogram boosting 500x6"] = HistGradientBoostingClassifier(
        max_iter=500, max_depth=6, learning_rate=0.05, early_stopping=False, random_state=0
    )
    try:
        import catboost

        found["CatBoost 500x6"] = catboost.CatBoostClassifier(
            500, depth=6, learning_rate=0.05, verbose=0, thread_count=1, allow_writing_files=False
        )
    except ImportError:
        print("CatBoost is not installed: left out")
    found["forest 300, leaf 20"] = RandomForestClassifier(300, min_samples_leaf=20, random_state=0)
    found["forest 500, any depth"] = RandomForestClassifier(500, random_state=0)
    for hidden in ((20,), (50,), (100,), (50, 50)):
        network = MLPClassifier(hidden, early_stopping=True, max_iter=60, random_state=0)
        found[f"network {hidden}"] = make_pipeline(StandardScaler(), network)
    return found


def ask(explainer: ew.Explainer, rows: pd.DataFrame, targets: np.ndarray) -> pd.DataFrame:
    """Ask every row at every limit: distance, lower bound, status and seconds, a line each."""
    lines = []
    for k, target in enumerate(targets.tolist()):
        row = rows.iloc[[k]]
        for limit in LIMITS:
            started = time.perf_counter()
            answer = explainer.explain(row, target, time_limit=limit)
            seconds = time.perf_counter() - started
            lines.append((k, limit, answer.distances[0], answer.lower_bounds[0], answer.statuses[0], seconds))
    return pd.DataFrame(lines, columns=["row", "limit", "distance", "lower_bound", "status", "seconds"])


def summary(asked: pd.DataFrame) -> dict[str, float]:
    """Shares, ratios and gaps of one model."""
    asked = asked.assign(distance=asked["distance"].fillna(np.inf))
    best = asked.groupby("row")["distance"].transform("min")
    asked = asked[np.isfinite(best)].assign(ratio=asked["distance"] / best.where(best > 0, 1.0))
    found: dict[str, float] = {}
    for limit, some in asked.groupby("limit"):
        name = f"{1e3 * limit:.0f} ms"
        found[f"answered in {name}"] = float(np.isfinite(some["distance"]).mean())
        found[f"ratio at {name}"] = float(some["ratio"].median())
        found[f"beyond {name}"] = 1e3 * float((some["seconds"] - limit).max())
    last = asked[asked["limit"] == LIMITS[-1]]
    gap = (1 - last["lower_bound"] / last["distance"].where(last["distance"] > 0, 1.0)).clip(lower=0.0)
    found["proven"] = float((last["status"] == "optimal").mean())
    found["median gap"], found["mean gap"] = float(gap.median()), float(gap.mean())
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=20)
    parser.add_argument("--samples", type=int, default=8000, help="rows of the made-up table (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of the table, and of the held-out rows")
    parser.add_argument("--table", help="a CSV file instead of the made-up table")
    parser.add_argument("--label", help="its column of labels, of two classes")
    parser.add_argument("--models", default="", help="only models whose name contains this")
    parser.add_argument("--out", help="a CSV file for every row at every limit")
    given = parser.parse_args()
    if given.table is None:
        frame, y = bank(given.samples, given.seed)
    else:
        frame = pd.read_csv(given.table)
        y = np.unique(frame.pop(given.label), return_inverse=True)[1]
    order = np.random.default_rng(given.seed).permutation(len(frame))
    train, rest = order[: int(0.75 * len(order))], order[int(0.75 * len(order)) :][: given.rows]
    lines = []
    for name, model in models().items():
        if given.models not in name:
            continue
        with threadpool_limits(1):
            model = encoded(model, frame).fit(frame.iloc[train], y[train])
            explainer = ew.Explainer(model).fit(frame.iloc[train], y[train])
            rows = frame.iloc[rest]
            asked = ask(explainer, rows, 1 - np.asarray(model.predict(rows)).astype(int))
        lines.append(asked.assign(model=name))
        print(name, ", ".join(f"{what} {value:.3g}" for what, value in summary(asked).items()), flush=True)
    if given.out:
        pd.concat(lines).to_csv(given.out, index=False)


if __name__ == "__main__":
    main()
