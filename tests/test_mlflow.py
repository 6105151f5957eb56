"""Explainers in MLflow: logged, loaded and asked as a pyfunc model."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import elsewise as ew

mlflow = pytest.importorskip("mlflow")


@pytest.mark.filterwarnings("ignore")
def test_log_load_and_ask(tmp_path, monkeypatch):
    import elsewise.mlflow

    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(120, 3)), columns=["a", "b", "c"])
    y = (X.sum(axis=1) > 0).astype(int).to_numpy()
    explainer = ew.Explainer(LogisticRegression().fit(X, y), rules=None).fit(X, y)
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    monkeypatch.chdir(tmp_path)
    mlflow.set_tracking_uri(f"file://{tmp_path}/runs")
    with mlflow.start_run():
        info = elsewise.mlflow.log_explainer(explainer)
    asked = X[y == 0][:3]
    expected = explainer.explain(asked, 1)
    loaded = elsewise.mlflow.load_explainer(info.model_uri)
    np.testing.assert_array_equal(loaded.explain(asked, 1).distances, expected.distances)
    answers = mlflow.pyfunc.load_model(info.model_uri).predict(asked, params={"target": "1"})
    np.testing.assert_array_equal(answers["distance"], expected.distances)
    assert (answers["status"] == "optimal").all()
    with pytest.raises(ew.InvalidInputError, match="expected target to be one of 0, 1"):
        mlflow.pyfunc.load_model(info.model_uri).predict(asked)
