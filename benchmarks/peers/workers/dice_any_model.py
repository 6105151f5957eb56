"""DiCE's model-agnostic methods for a pickled model: ``dice_any_model.py METHOD given.joblib made.npz``."""

from __future__ import annotations

import random
import sys
import time

import dice_ml
import joblib
import numpy as np
import pandas as pd


def main(method: str, given: str, made: str) -> None:
    """Explain the rows that were given."""
    asked = joblib.load(given)
    names = ["x" + str(i) for i in range(asked["X"].shape[1])]
    frame = pd.DataFrame(asked["X"], columns=names)
    frame["label"] = asked["y"]
    data = dice_ml.Data(dataframe=frame, continuous_features=names, outcome_name="label")
    # the model has seen arrays, and DiCE hands over frames
    model = OnArrays(asked["model"])
    explainer = dice_ml.Dice(data, dice_ml.Model(model=model, backend="sklearn"), method=method)
    seed = {"random_seed": 0} if method == "random" else {}
    random.seed(0)
    np.random.seed(0)  # noqa: NPY002 (DiCE draws from both global generators)
    points, seconds = np.full(asked["rows"].shape, np.nan), np.zeros(len(asked["rows"]))
    for k, (row, target) in enumerate(zip(asked["rows"], asked["targets"])):
        started = time.perf_counter()
        query = pd.DataFrame(row[None], columns=names)
        try:
            found = explainer.generate_counterfactuals(query, total_CFs=1, desired_class=int(target), **seed)
            best = found.cf_examples_list[0].final_cfs_df_sparse  # what DiCE itself shows
        except Exception as error:  # it raises where it finds nothing
            print(type(error).__name__, error, file=sys.stderr)
            best = None
        seconds[k] = time.perf_counter() - started
        if best is not None and len(best):
            points[k] = best[names].to_numpy(dtype=float)[0]
    np.savez(made, points=points, seconds=seconds)


class OnArrays:
    """A classifier of which DiCE sees ``predict`` and ``predict_proba``; labels alone become 0 and 1."""

    def __init__(self, model: object) -> None:
        self.model, self.classes_ = model, model.classes_

    def predict(self, rows: pd.DataFrame) -> np.ndarray:
        """Ask for labels."""
        return self.model.predict(np.asarray(rows, dtype=float))

    def predict_proba(self, rows: pd.DataFrame) -> np.ndarray:
        """Ask for probabilities."""
        rows = np.asarray(rows, dtype=float)
        if hasattr(self.model, "predict_proba"):
            return self.model.predict_proba(rows)
        return (self.model.predict(rows)[:, None] == self.classes_).astype(float)


if __name__ == "__main__":
    main(*sys.argv[1:])
