"""NICE on rows of a table, run by the interpreter of its own environment: ``python nice_worker.py folder``.

The folder has ``model.json`` (XGBoost), ``rows.npz`` (rows, sigma, training rows and labels) and ``question.json``;
``answers.json`` is written. Nothing of elsewise is imported here.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from importlib.metadata import version
from pathlib import Path

import numpy as np
from nice import NICE
from xgboost import Booster, DMatrix


def main(folder: Path) -> None:
    """Explain all rows with each way of going on from the nearest training row."""
    warnings.simplefilter("ignore")
    arrays = np.load(folder / "rows.npz")
    booster = Booster(model_file=str(folder / "model.json"))
    booster.set_param({"nthread": 1})

    def probabilities(rows: object) -> object:
        second = booster.predict(DMatrix(np.asarray(rows, dtype=np.float64)))
        return np.column_stack([1.0 - second, second])

    n_columns = arrays["rows"].shape[1]
    found: dict[str, list[dict[str, object]]] = {}
    for way in ("none", "sparsity", "proximity"):
        explainer = NICE(
            predict_fn=probabilities, X_train=arrays["X"], y_train=arrays["y"], cat_feat=[],
            num_feat=list(range(n_columns)), optimization=way, num_normalization="std",
        )  # fmt: skip
        found[way] = []
        for row in arrays["rows"]:
            wall, cpu = time.perf_counter(), time.process_time()
            answer = np.asarray(explainer.explain(row[None]), dtype=np.float64)
            spent = {"seconds": time.perf_counter() - wall, "cpu": time.process_time() - cpu}
            found[way].append({**spent, "point": answer[0].tolist(), "proof": "none"})
    versions = {"nice": version("NICEx"), "numpy": version("numpy")}
    (folder / "answers.json").write_text(json.dumps({"answers": found, "versions": versions}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
