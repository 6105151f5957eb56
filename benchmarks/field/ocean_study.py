"""elsewise and OCEAN's constraint programming on the study of its authors (oceanpy-experiments).

Tables, models (forests and XGBoost), seeds, rows, targets and distance are the study's: the sum of changes in the units
of the columns, a category's change counting 1. Both get one thread and no density. OCEAN keeps numbers of discrete
columns at values of the table; elsewise keeps them whole and in their range.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

import elsewise as ew

STUDY_ROWS = 50
"""Rows that the study draws from each table; the first of them are measured."""
SEEDS = (2, 31, 73, 127, 179)
OURS = "elsewise"
SAME = 1e-6
"""Distances that differ by less are the same."""


def run(
    python: Path, tables: Path, sizes: list[tuple[str, int, int]], n_rows: int, seeds: int, seconds: int
) -> list[dict[str, Any]]:
    """Measure all tables that are there; one entry for each table, model and method."""
    found = []
    for kind, trees, depth in sizes:
        for path in sorted(tables.glob("*.csv")):
            parts = [_measured(python, path, (kind, trees, depth), seed, n_rows, seconds) for seed in SEEDS[:seeds]]
            found += [
                {"table": path.stem, "model": f"{kind} {trees} x {depth}", **_summary(name, parts)} for name in parts[0]
            ]
            print(found[-2:], flush=True)
    return found


def run_alone(
    python: Path, tables: Path, sizes: list[tuple[str, int, int]], seeds: int, seconds: int
) -> list[dict[str, Any]]:
    """Measure elsewise on all rows of the study; one entry for each table and model."""
    found = []
    for kind, trees, depth in sizes:
        for path in sorted(tables.glob("*.csv")):
            parts = []
            for seed in SEEDS[:seeds]:
                answers = _measured(python, path, (kind, trees, depth), seed, STUDY_ROWS, seconds, explained=0)
                parts.append(answers[OURS])
            each = pd.concat(parts, ignore_index=True)
            found.append(
                {
                    "table": path.stem,
                    "model": f"{kind} {trees} x {depth}",
                    "rows": len(each),
                    "valid": int(each["valid"].sum()),
                    "proven nearest": int(each["proven"].sum()),
                    "median ms, CPU": 1000.0 * float(each["cpu"].median()),
                    "slowest s, CPU": float(each["cpu"].max()),
                    "ms a row in one call, CPU": 1000.0 * float(each["at_once"].mean()),
                }
            )
            print(found[-1], flush=True)
    return found


def _measured(
    python: Path,
    table: Path,
    model: tuple[str, int, int],
    seed: int,
    n_rows: int,
    seconds: int,
    explained: int | None = None,
) -> dict[str, pd.DataFrame]:
    """Return one frame for each method: a line for each row. OCEAN may explain fewer of them."""
    kind, trees, depth = model
    asked = {"table": str(table.resolve()), "kind": kind, "trees": trees, "depth": depth, "seed": seed}
    asked |= {"rows": n_rows, "study_rows": STUDY_ROWS, "seconds": seconds}
    asked |= {"explained": n_rows if explained is None else explained}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "question.json").write_text(json.dumps(asked))
        subprocess.run([str(python), str(Path(__file__).with_name("ocean_worker.py")), name], check=True)
        written = json.loads((folder / "answers.json").read_text())
        arrays = dict(np.load(folder / "rows.npz"))
        fitted, predict = _model(folder, kind)
    width = arrays["rows"].shape[1]
    theirs = pd.DataFrame(
        {
            "point": [one["point"] or [np.nan] * width for one in written["answers"]],
            "cpu": [one["cpu"] for one in written["answers"]],
            "proven": [one["status"] == "OPTIMAL" for one in written["answers"]],
        }
    )
    ours = _ours(fitted, arrays, written, seconds)
    version = written["versions"]["oceanpy"]
    answers = {f"OCEAN {version}, constraint programming": theirs, OURS: ours} if len(theirs) else {OURS: ours}
    for one in answers.values():
        points = np.array(one["point"].tolist(), dtype=np.float64)
        one["distance"] = _distances(points, arrays["rows"], written["groups"])
        has = np.isfinite(one["distance"].to_numpy())
        one["valid"] = has & (predict(np.where(has[:, None], points, arrays["rows"])) == arrays["targets"])
    return answers


def _model(folder: Path, kind: str) -> tuple[Any, Any]:
    """Return the model and its own ``predict``."""
    if kind == "XGBoost":
        from xgboost import XGBClassifier

        model = XGBClassifier()
        model.load_model(folder / "model.json")
        return model, model.predict
    import joblib

    model = joblib.load(folder / "model.joblib")
    names = getattr(model, "feature_names_in_", None)
    return model, lambda rows: model.predict(rows if names is None else pd.DataFrame(rows, columns=names))


def _ours(model: Any, arrays: dict[str, Any], about: dict[str, Any], seconds: int) -> pd.DataFrame:
    """Explain the rows one by one; a fresh question each, as a caller would."""
    X, rows, targets = arrays["X"], arrays["rows"], arrays["targets"]
    names = [str(name) for name in getattr(model, "feature_names_in_", range(X.shape[1]))]
    columns: dict[str, Any] = {
        name: ew.OneHot([names[place] for place in places]) for name, places in about["groups"].items()
    }
    grouped = {place for places in about["groups"].values() for place in places}
    whole = [names[place] for place, is_whole in enumerate(about["whole"]) if is_whole and place not in grouped]
    ends = {name: (float(X[:, place].min()), float(X[:, place].max())) for place, name in enumerate(names)}
    rules = ew.Constraints(
        integer=whole,
        bounds={name: ends[name] for name in whole},
        min_change="any", step="any", special={}, range="any", unseen="allow", derive={},
    )  # fmt: skip
    explainer = ew.Explainer(
        model, columns=columns, density=None, distance="manhattan", learn_rules=False, rules=None, constraints=rules
    )
    frame = pd.DataFrame(X, columns=names)
    explainer.fit(frame, arrays["y"])
    lines = []
    with threadpool_limits(1):
        for row, target in zip(pd.DataFrame(rows, columns=names).iloc, targets):
            cpu = time.process_time()
            answer = explainer.explain(row.to_frame().T, int(target), time_limit=seconds)
            spent = time.process_time() - cpu
            point = (
                answer.counterfactuals.to_numpy(dtype=np.float64)[0] if answer.found[0] else np.full(len(row), np.nan)
            )
            lines.append({"point": point.tolist(), "cpu": spent, "proven": answer.statuses[0] == "optimal"})
        cpu = time.process_time()
        explainer.explain(pd.DataFrame(rows, columns=names), targets.tolist(), time_limit=seconds)
        at_once = (time.process_time() - cpu) / len(rows)
    return pd.DataFrame(lines).assign(at_once=at_once)


def _distances(points: NDArray[Any], rows: NDArray[Any], groups: dict[str, list[int]]) -> NDArray[Any]:
    weights = np.ones(rows.shape[1])
    for places in groups.values():
        weights[places] = 0.5
    return np.asarray(np.nan_to_num(np.abs(points - rows) @ weights, nan=np.inf))


def _summary(name: str, parts: list[dict[str, pd.DataFrame]]) -> dict[str, Any]:
    each = pd.concat([part[name] for part in parts], ignore_index=True)
    other = next(one for one in parts[0] if one != OURS)
    theirs = pd.concat([part[other] for part in parts], ignore_index=True)
    ours = pd.concat([part[OURS] for part in parts], ignore_index=True)
    nearest = np.minimum(ours["distance"], theirs["distance"])
    return {
        "method": name,
        "rows": len(each),
        "valid": int(each["valid"].sum()),
        "proven nearest": int(each["proven"].sum()),
        "median ms, CPU": 1000.0 * float(each["cpu"].median()),
        "slowest s, CPU": float(each["cpu"].max()),
        "farther than the other": int((each["distance"] > (1.0 + SAME) * nearest + SAME).sum()),
        "times less CPU": float(np.exp(np.log(theirs["cpu"] / ours["cpu"]).mean())) if name == OURS else None,
    }
