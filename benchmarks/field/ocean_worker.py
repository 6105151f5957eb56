"""OCEAN's study on one table, run by the interpreter of its own environment: ``python ocean_worker.py folder``.

The folder has ``question.json``; the worker trains the models as the study does, explains rows by constraint
programming, and writes ``rows.npz``, ``model.json`` or ``model.joblib``, and ``answers.json``. Nothing of elsewise is
imported here.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from importlib.metadata import version
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
from ocean import ConstraintProgrammingExplainer
from ocean.feature import parse_features
from sklearn.ensemble import RandomForestClassifier
from xgboost import XGBClassifier


def main(folder: Path) -> None:
    """Train, explain, write."""
    warnings.simplefilter("ignore")
    asked = json.loads((folder / "question.json").read_text())
    raw = pd.read_csv(asked["table"], header=[0, 1])
    kinds = dict(raw.columns.tolist())
    raw.columns = list(kinds)
    target = next(name for name, kind in kinds.items() if kind == "T")
    y = raw.pop(target).astype(int)
    chosen = {letter: tuple(n for n, kind in kinds.items() if kind == letter) for letter in "DE"}
    X, mapper = parse_features(raw, discretes=chosen["D"], encoded=chosen["E"], scale=False)
    size = {"n_estimators": asked["trees"], "max_depth": asked["depth"], "random_state": asked["seed"]}
    model = XGBClassifier(**size, n_jobs=1) if asked["kind"] == "XGBoost" else RandomForestClassifier(**size)
    model.fit(X, y)
    rows = X.sample(n=asked["study_rows"], random_state=asked["seed"]).iloc[: asked["rows"]]
    predicted = model.predict(rows.to_numpy())
    targets = [_other(int(label), int(model.n_classes_), asked["seed"]) for label in predicted]
    if asked["kind"] == "XGBoost":
        model.save_model(folder / "model.json")
    else:
        joblib.dump(model, folder / "model.joblib")
    names = [list(column) if isinstance(column, tuple) else [column, ""] for column in X.columns]
    groups: dict[str, list[int]] = {}
    for place, (name, code) in enumerate(names):
        if code != "":
            groups.setdefault(str(name), []).append(place)
    started = time.process_time()
    explainer = ConstraintProgrammingExplainer(model, mapper=mapper)
    built = time.process_time() - started
    found = []
    for row, label in zip(rows.to_numpy(dtype=float)[: asked["explained"]], targets):
        wall, cpu = time.perf_counter(), time.process_time()
        answer = explainer.explain(
            row, y=label, norm=1, max_time=asked["seconds"], random_seed=asked["seed"], num_workers=1, clean_up=True
        )
        found.append(
            {
                "seconds": time.perf_counter() - wall,
                "cpu": time.process_time() - cpu,
                "point": None if answer is None else np.asarray(answer.to_numpy(), dtype=float).tolist(),
                "status": explainer.get_solving_status(),
            }
        )
    whole = [bool(kinds[str(name)] in "DB" or code != "") for name, code in names]
    np.savez(folder / "rows.npz", X=X.to_numpy(dtype=float), y=y, rows=rows.to_numpy(dtype=float), targets=targets)
    versions = {name: version(name) for name in ("oceanpy", "ortools", "xgboost", "scikit-learn", "numpy")}
    content = {"answers": found, "built": built, "groups": groups, "whole": whole, "versions": versions}
    (folder / "answers.json").write_text(json.dumps(content))


def _other(label: int, n_classes: int, seed: int) -> int:
    """Return the other label, or one of the others at random, as the study does."""
    if n_classes == 2:
        return 1 - label
    rest = [one for one in range(n_classes) if one != label]
    return int(np.random.RandomState(seed).choice(rest))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
