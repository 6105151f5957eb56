"""DiCE's model-agnostic methods (random, genetic, kdtree) with their defaults, one counterfactual a row."""

from __future__ import annotations

import random
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import dice_ml
import numpy as np
import pandas as pd
import protocol


def prepare(asked: SimpleNamespace) -> Callable[[Any, Any], Any]:
    arrays = asked.arrays
    asked.model = protocol.rebuild_model(arrays)
    names = ["x" + str(i) for i in range(arrays["X_train"].shape[1])]
    frame = pd.DataFrame(arrays["X_train"], columns=names)
    frame["label"] = arrays["y_train"]
    data = dice_ml.Data(dataframe=frame, continuous_features=names, outcome_name="label")
    explainer = dice_ml.Dice(data, dice_ml.Model(model=asked.model, backend="sklearn"), method=asked.method)
    seed = {"random_seed": 0} if asked.method == "random" else {}
    random.seed(0)
    np.random.seed(0)  # noqa: NPY002 (DiCE draws from both global generators)

    def explain(x: Any, target: Any) -> Any:
        query = pd.DataFrame(x[None], columns=names)
        found = explainer.generate_counterfactuals(query, total_CFs=1, desired_class=int(target), **seed)
        best = found.cf_examples_list[0].final_cfs_df_sparse  # what DiCE itself shows
        return None if best is None or len(best) == 0 else best[names].to_numpy(dtype=float)[0]

    return explain


if __name__ == "__main__":
    protocol.serve(prepare)
