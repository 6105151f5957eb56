"""treecf on rows of a table, run by the interpreter of its own environment: ``python treecf_worker.py folder``.

The folder has ``model.json`` (XGBoost), ``rows.npz`` (rows, sigma) and ``question.json``; ``answers.json`` is written.
Nothing of elsewise is imported here.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from importlib.metadata import version
from pathlib import Path

import numpy as np
import treecf


def main(folder: Path) -> None:
    """Explain all rows with each backend."""
    warnings.simplefilter("ignore")
    question = json.loads((folder / "question.json").read_text())
    arrays = np.load(folder / "rows.npz")
    explainer = treecf.Explainer(str(folder / "model.json"), normalizers=arrays["sigma"])
    # the model predicts the second class where its probability is above one half
    target = treecf.Target.probability(range=(float(np.nextafter(np.float32(0.5), np.float32(1.0))), 1.0))
    found: dict[str, list[dict[str, object]]] = {}
    for backend in ("genetic", "exact"):
        found[backend] = []
        for row in arrays["rows"]:
            wall, cpu = time.perf_counter(), time.process_time()
            answer = explainer.explain(row, target, backend=backend, time_budget_s=question["seconds"], seed=0)
            spent = {"seconds": time.perf_counter() - wall, "cpu": time.process_time() - cpu}
            is_found = isinstance(answer, treecf.Counterfactual)
            point = answer.x_cf.tolist() if is_found else None
            found[backend].append({**spent, "point": point, "proof": answer.proof})
    versions = {name: version(name) for name in ("treecf", "numpy")}
    (folder / "answers.json").write_text(json.dumps({"answers": found, "versions": versions}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
