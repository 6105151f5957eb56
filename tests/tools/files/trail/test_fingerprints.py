"""Fingerprints of models: the same for the same model from any file, another for another."""

from __future__ import annotations

import pickle

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import GradientBoostingClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from elsewise.tools.files.trail.fingerprints import fingerprint

MODELS = [
    make_pipeline(StandardScaler(), LogisticRegression()),
    RandomForestClassifier(n_estimators=3, random_state=0),
    GradientBoostingClassifier(n_estimators=3, random_state=0),
    HistGradientBoostingClassifier(max_iter=3),
    MLPClassifier(hidden_layer_sizes=(3,), max_iter=5, random_state=0),
]


@pytest.mark.filterwarnings("ignore")  # a net that has not converged will do
@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_same_model_same_fingerprint(model, iris, tmp_path):
    X, y = iris
    fitted = clone(model).fit(X, y)
    joblib.dump(fitted, tmp_path / "a.joblib", compress=3)
    (tmp_path / "b.pickle").write_bytes(pickle.dumps(joblib.load(tmp_path / "a.joblib")))
    own = fingerprint(fitted)
    assert own == fingerprint(joblib.load(tmp_path / "a.joblib"))
    assert own == fingerprint(pickle.loads((tmp_path / "b.pickle").read_bytes()))
    assert own != fingerprint(clone(model).fit(X[:-1], y[:-1]))
    assert own != fingerprint(clone(model))


def test_small_differences_are_seen():
    values = [0, 0.0, False, None, "0", b"0", (0,), [0], {0: 0}, {"0": 0}, {0}, np.zeros(1), np.zeros(1, dtype=int)]
    assert len({fingerprint(value) for value in values}) == len(values)
    assert fingerprint({"a": 1, "b": 2}) == fingerprint({"b": 2, "a": 1})
    changed = np.zeros(1000)
    changed[500] = np.nextafter(0, 1)
    assert fingerprint(changed) != fingerprint(np.zeros(1000))
