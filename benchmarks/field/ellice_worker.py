"""ElliCE on rows of a table, run by the interpreter of its own environment: ``python ellice_worker.py folder``.

The folder has ``question.npz`` (X, y, rows, target, coef, intercept); ``answers.json`` is written. The tolerance is a
tenth of the training loss, as ElliCE's documentation recommends. Nothing of elsewise is imported here.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from importlib.metadata import version
from pathlib import Path

import ellice
import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss


def main(folder: Path) -> None:
    """Explain all rows."""
    warnings.simplefilter("ignore")
    arrays = np.load(folder / "question.npz")
    names = [f"x{k}" for k in range(arrays["X"].shape[1])]
    frame = pd.DataFrame(arrays["X"], columns=names)
    model = LogisticRegression(max_iter=1000).fit(frame, arrays["y"])
    model.coef_, model.intercept_ = arrays["coef"], arrays["intercept"]
    tolerance = 0.1 * float(log_loss(arrays["y"], model.predict_proba(frame)))
    data = ellice.Data(dataframe=frame.assign(target=arrays["y"]), target_column="target")
    explainer = ellice.Explainer(model=model, data=data, backend="sklearn", device="cpu")
    points, started = [], time.process_time()
    for row in pd.DataFrame(arrays["rows"], columns=names).iloc:
        found = explainer.generate_counterfactuals(
            row,
            method="continuous",
            target_class=int(arrays["target"]),
            robustness_epsilon=tolerance,
            progress_bar=False,
        )
        points.append([np.nan] * len(names) if found.empty else found[names].iloc[0].tolist())
    spent = 1000.0 * (time.process_time() - started) / len(points)
    (folder / "answers.json").write_text(json.dumps({"points": points, "cpu_ms": spent, "version": version("ellice")}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
