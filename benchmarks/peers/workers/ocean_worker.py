"""OCEAN's constraint programming backend (the one without a commercial licence), on the tree as an ensemble of one.

OCEAN explains trees on the features they split. Behind a PCA it is asked in PCA space, and its answer is carried back
by the smallest change of the row that moves it there; that is the harness's doing, not OCEAN's.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import protocol
from ocean import ConstraintProgrammingExplainer
from ocean.feature import parse_features
from sklearn.ensemble import RandomForestClassifier


def prepare(asked: SimpleNamespace) -> Callable[[Any, Any], Any]:
    arrays = asked.arrays
    if "tree_feature" not in arrays:
        raise TypeError("OCEAN explains tree ensembles only")
    asked.model = protocol.rebuild_model(arrays)
    to_model = asked.model[:-1].transform if len(asked.model.steps) > 1 else np.asarray
    frame = pd.DataFrame(to_model(arrays["X_train"]))
    frame.columns = ["x" + str(i) for i in range(frame.shape[1])]
    processed, mapper = parse_features(frame, scale=False, drop_constant=False)
    forest = RandomForestClassifier(1, max_depth=7, random_state=0).fit(processed.to_numpy(), arrays["y_train"])
    forest.estimators_ = [asked.model[-1]]
    explainer = ConstraintProgrammingExplainer(forest, mapper=mapper)
    limit = max(1, int(asked.row_seconds))

    def explain(x: Any, target: Any) -> Any:
        z = to_model(x[None])[0]
        found = explainer.explain(z, y=int(target), norm=1, max_time=limit, num_workers=1, random_seed=0)
        if found is None:
            return None
        answer = np.asarray(found.x, dtype=float)
        # Orthonormal components: the least change in the original space is their transpose times the change in z.
        return x + arrays["pca_components"].T @ (answer - z) if "pca_components" in arrays else answer

    return explain


if __name__ == "__main__":
    protocol.serve(prepare)
