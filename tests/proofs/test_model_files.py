"""Whether the model in a certificate is that of a file."""

from __future__ import annotations

import importlib.util
import json
import pickle
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.tree import DecisionTreeClassifier

import elsewise as ew
import elsewise_check
from proofs.tables import RULES, mixed, numbers, of_table

# beside the checker, wherever that is: a script, not a part of the library
_SPEC = importlib.util.spec_from_file_location(
    "elsewise_check_model", Path(elsewise_check.__file__).with_name("elsewise_check_model.py")
)
elsewise_check_model = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(elsewise_check_model)

pytestmark = pytest.mark.filterwarnings("ignore:Stochastic Optimizer")
MODELS = {
    "linear": LogisticRegression(),
    "tree": DecisionTreeClassifier(max_depth=5, random_state=0),
    "forest": RandomForestClassifier(6, max_depth=4, random_state=0),
    "boosting": GradientBoostingClassifier(n_estimators=6, random_state=0),
    "network": MLPClassifier((5,), max_iter=150, random_state=0),
}


def saved(one, path):
    one.certificate.save(path)
    return str(path)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("table", ["numbers", "mixed"])
def test_pickles(tmp_path, capsys, name, table):
    X, y = numbers(0) if table == "numbers" else mixed(0)
    model = MODELS[name] if table == "numbers" else of_table(MODELS[name])
    model = model.fit(X, y)
    half = np.random.default_rng(0).permutation(len(X))[: len(X) // 2]
    other = clone(model).fit(X[half] if table == "numbers" else X.iloc[half], y[half])
    for file, each in (("own", model), ("other", other)):
        (tmp_path / file).write_bytes(pickle.dumps(each))
    explainer = ew.Explainer(model, density=None).fit(X, y)
    rules = RULES["steps"] if table == "mixed" else None
    one = explainer.explain(X[model.predict(X) != 1][:1], 1, constraints=rules, certificate=True)[0]
    path = saved(one, tmp_path / "one.jsonl")
    assert elsewise_check.main([path, "--model", str(tmp_path / "own")]) == 0
    said = capsys.readouterr().out
    assert "decides as the file's model" in said
    if (table, name) != ("numbers", "network"):  # three classes of a network: differences of its last weights
        n_found, n_all = counts(said)
        assert n_found == n_all
    assert elsewise_check.main([path, "--model", str(tmp_path / "other")]) == 1
    assert "ANOTHER MODEL" in capsys.readouterr().out


def counts(said):
    """How many of the certificate's numbers are in the file, and how many there are."""
    words = said.split("; ")[-1].split()
    return int(words[0]), int(words[3])


def test_ranges_of_regressors(tmp_path):
    X, y = numbers(1)
    model = LinearRegression().fit(X, y + X[:, 0])
    explainer = ew.Explainer(model, density=None).fit(X, y + X[:, 0])
    path = saved(explainer.explain_one(X[0], (2.0, 2.5), certificate=True), tmp_path / "one.jsonl.gz")
    (tmp_path / "own").write_bytes(pickle.dumps(model))
    assert elsewise_check_model.main([path, "--model", str(tmp_path / "own")]) == 0


@pytest.mark.parametrize("library", ["xgboost", "lightgbm"])
def test_dumps(tmp_path, library):
    module = pytest.importorskip(library)
    X, y = numbers(2, n_classes=2)
    file = tmp_path / ("model.json" if library == "xgboost" else "model.txt")
    if library == "xgboost":
        model = module.XGBClassifier(n_estimators=6, max_depth=3).fit(X, y)
        model.save_model(file)
    else:
        model = module.LGBMClassifier(n_estimators=6, num_leaves=5, verbose=-1).fit(X, y)
        model.booster_.save_model(file)
    explainer = ew.Explainer(model, density=None).fit(X, y)
    one = explainer.explain(X[model.predict(X) != 1][:1], 1, certificate=True)[0]
    path = saved(one, tmp_path / "one.jsonl")
    assert elsewise_check_model.main([path, "--model", str(file)]) == 0
    lines = [json.loads(line) for line in one.proof.lines]
    for tree in lines[0]["goals"][0]["region"]["trees"]:
        for node in tree:
            if len(node) == 1:
                node[0] = [-value for value in node[0]]
    assert_other(lines, file)


@pytest.mark.parametrize("name", MODELS)
def test_onnx(tmp_path, capsys, name):
    skl2onnx = pytest.importorskip("skl2onnx")
    pytest.importorskip("onnxruntime")
    X, y = numbers(0)
    model, other = (clone(MODELS[name]).fit(X[part], y[part]) for part in (slice(None), slice(0, 100)))
    one = ew.Explainer(model, density=None).fit(X, y).explain(X[model.predict(X) != 1][:1], 1, certificate=True)[0]
    path = saved(one, tmp_path / "one.jsonl")
    for file, each in (("own.onnx", model), ("other.onnx", other)):
        written = skl2onnx.to_onnx(each, X[:1].astype(np.float32))
        (tmp_path / file).write_bytes(written.SerializeToString())
    assert elsewise_check.main([path, "--model", str(tmp_path / "own.onnx")]) == 0
    assert "decides as the file's model" in capsys.readouterr().out
    assert elsewise_check.main([path, "--model", str(tmp_path / "other.onnx")]) == 1
    assert "ANOTHER MODEL" in capsys.readouterr().out


def assert_other(lines, file):
    predict, known = elsewise_check_model.load(file, lines[0]["notes"]["names"])
    lines[0]["claim"] = {"status": "unknown", "distance": None, "lower_bound": 0.1}
    lines[0]["point"] = None
    with pytest.raises(elsewise_check_model.OtherModelError, match="the certificate"):
        elsewise_check_model.check([json.dumps(lines[0])], predict, known)
