"""Forests and boosting against OCEAN's constraint programming, row by row in one process.

    python -m benchmarks.ensembles_ocean --table heloc.csv --label RiskPerformance

OCEAN (``oceanpy``, Python 3.12 or later) and elsewise have to be installed side by side. OCEAN scales the table; the
models are fitted on its scaled columns, and both look for the nearest point in the sum of absolute changes of these, on
one thread, without a density: nothing else is asked of elsewise either (no rules of the table, no steps, any change
however small). All of ``explain`` is counted on both sides, in CPU seconds; a row that OCEAN does not finish within the
limit counts with the time it was given. Rows are held out.

Elsewise is measured twice. OCEAN answers one row a call, and so does the first figure; but tables come as tables, and
the second is one call for ``--batch`` rows, the compared ones among them, divided by their number: a call has costs of
its own, data frames above all, that many rows share.
"""

from __future__ import annotations

import argparse
import time
import warnings
from typing import Any

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from threadpoolctl import threadpool_limits

import elsewise as ew


def models() -> dict[str, Any]:
    """Give the models that are compared."""
    from xgboost import XGBClassifier

    return {
        "forest, 10 trees, depth 4": RandomForestClassifier(10, max_depth=4, random_state=0),
        "forest, 20 trees, depth 5": RandomForestClassifier(20, max_depth=5, random_state=0),
        "XGBoost, 100 trees, depth 3": XGBClassifier(n_estimators=100, max_depth=3, n_jobs=1),
    }


def tables(path: str | None, label: str | None) -> dict[str, tuple[pd.DataFrame, np.ndarray]]:
    """Give tables of numbers with two classes."""
    found = {"breast cancer": load_breast_cancer(return_X_y=True, as_frame=True)}
    if path is not None:
        frame = pd.read_csv(path)
        y = frame.pop(label)
        found[path] = (frame, pd.Series(np.unique(y, return_inverse=True)[1]))
    return {name: (frame, np.asarray(y)) for name, (frame, y) in found.items()}


def compare(
    model: Any, frame: pd.DataFrame, y: np.ndarray, n_rows: int, n_batch: int, limit: float
) -> list[dict[str, float]]:
    """Measure both on held-out rows, each to the other class."""
    import ocean
    from ocean.feature import parse_features

    parsed = parse_features(frame)
    data, mapper = (parsed.data, parsed.mapper) if hasattr(parsed, "data") else parsed[:2]
    order = np.random.default_rng(1).permutation(len(frame))
    train, held_out = order[: int(0.75 * len(order))], order[int(0.75 * len(order)) :]
    rest = held_out[:n_rows]
    model.fit(data.iloc[train], y[train])
    X = np.asarray(data, dtype=float)
    theirs = ocean.ConstraintProgrammingExplainer(model, mapper=mapper)
    ours = ew.Explainer(
        model,
        density=None,
        distance=ew.Manhattan(np.ones(X.shape[1])),
        learn_rules=False,
        constraints=ew.Constraints(min_change="any", step="any"),
    ).fit(data.iloc[train], y[train])
    found = []
    together = data.iloc[np.resize(held_out, n_batch)]
    ours.explain(together[:1])  # what is made once for a model
    started = time.process_time()
    ours.explain(together, time_limit=limit)
    each = (time.process_time() - started) / n_batch
    for place in rest:
        row = data.iloc[[place]]
        target = 1 - int(model.predict(row)[0])
        started = time.process_time()
        answer = ours.explain(row, target, time_limit=limit)
        middle = time.process_time()
        theirs.explain(X[place], y=target, norm=1, max_time=int(limit), num_workers=1)
        ended = time.process_time()
        status = theirs.get_solving_status()
        distance = float(theirs.get_distance()) if status in ("OPTIMAL", "FEASIBLE") else np.inf
        found.append(
            {
                "ours": middle - started,
                "ours of many": each,
                "theirs": ended - middle,
                "our distance": float(answer.distances[0]),
                "their distance": distance,
                "we proved": answer.statuses[0] == "optimal",
                "they proved": status == "OPTIMAL",
            }
        )
        theirs.cleanup() if hasattr(theirs, "cleanup") else None
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10)
    parser.add_argument("--batch", type=int, default=1000, help="rows of the call for many")
    parser.add_argument("--limit", type=float, default=30.0)
    parser.add_argument("--table", help="a CSV file of numbers")
    parser.add_argument("--label", help="its column of labels")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    for name, (frame, y) in tables(options.table, options.label).items():
        for kind, model in models().items():
            with threadpool_limits(1):
                rows = compare(model, frame, y, options.rows, options.batch, options.limit)
            ratio, of_many = (
                np.exp(np.mean([np.log(row["theirs"] / row[side]) for row in rows]))
                for side in ("ours", "ours of many")
            )
            worse = max((row["our distance"] / max(row["their distance"], 1e-12) - 1 for row in rows), default=0.0)
            each = rows[0]["ours of many"]
            ours, theirs = (np.median([row[side] for row in rows]) for side in ("ours", "theirs"))
            proven = [np.mean([row[side] for row in rows]) for side in ("we proved", "they proved")]
            print(
                f"{name:16} {kind:28} {len(rows)} rows: {ratio:.0f} times less CPU (geometric mean) one row a call, "
                f"{of_many:.0f} times in one call; median {1e3 * ours:.1f} ms, {1e3 * each:.2f} ms in "
                f"one call, against {1e3 * theirs:.0f} ms; proven {proven[0]:.0%} against {proven[1]:.0%}; "
                f"our distance above theirs by {worse:.1e} at most",
                flush=True,
            )


if __name__ == "__main__":
    main()
