"""Models in ONNX files: what is read decides as onnxruntime does, and answers are those of the original model."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_iris
from sklearn.ensemble import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, Normalizer, OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.svm import SVC, SVR
from sklearn.tree import DecisionTreeClassifier

import elsewise as ew

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
skl2onnx = pytest.importorskip("skl2onnx")

CLASSIFIERS = {
    "logistic": lambda: make_pipeline(StandardScaler(), LogisticRegression()),
    "tree": lambda: DecisionTreeClassifier(max_depth=4, random_state=0),
    "scaled tree": lambda: make_pipeline(StandardScaler(), DecisionTreeClassifier(max_depth=4, random_state=0)),
    "forest": lambda: RandomForestClassifier(12, max_depth=4, random_state=0),
    "boosting": lambda: GradientBoostingClassifier(n_estimators=12, random_state=0),
    "relu": lambda: make_pipeline(StandardScaler(), MLPClassifier((6,), max_iter=60, random_state=0)),
    "tanh": lambda: make_pipeline(
        StandardScaler(), MLPClassifier((3,), activation="tanh", max_iter=400, random_state=0)
    ),
}
UNCONFIRMED = pytest.mark.xfail(
    strict=True, reason="at one row no candidate of the search is confirmed with 32 bits: the answer is unknown"
)
CASES = [
    pytest.param(name, two, marks=UNCONFIRMED if (name, two) == ("tanh", True) else ())
    for name in CLASSIFIERS
    for two in (True, False)
]
REGRESSORS = {
    "linear": lambda: make_pipeline(MinMaxScaler(), LinearRegression()),
    "forest": lambda: RandomForestRegressor(8, max_depth=4, random_state=0),
    "boosting": lambda: make_pipeline(
        SimpleImputer(), MinMaxScaler(), GradientBoostingRegressor(n_estimators=10, random_state=0)
    ),
    "network": lambda: MLPRegressor(hidden_layer_sizes=(5,), max_iter=60, random_state=0),
}


def iris(two=False):
    X, y = load_iris(return_X_y=True)
    return (X.astype(np.float32).astype(float), np.array(["no", "yes"])[(y == 1).astype(int)] if two else y)


def converted(model, X):
    return skl2onnx.to_onnx(model, np.asarray(X[:1], dtype=np.float32)).SerializeToString()


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(("name", "two"), CASES)
def test_classifiers(name, two):
    X, y = iris(two)
    original = CLASSIFIERS[name]().fit(X, y)
    model = ew.read_onnx(converted(original, X))
    assert model.classes_.tolist() == original.classes_.tolist()
    explainer = ew.Explainer(model, density=None).fit(X, y)
    assert explainer.exactness_ == "exact", explainer.fitted_.training
    rng = np.random.default_rng(0)
    rows = np.vstack([X, rng.uniform(X.min(axis=0) - 1, X.max(axis=0) + 1, (400, 4)), on_cuts(explainer, rng)])
    labels = model.predict(rows)
    region = explainer.fitted_.region
    for outcome in explainer.fitted_.labels:
        accepted = region(outcome).accepts(explainer.fitted_.in_model_space(rows))
        np.testing.assert_array_equal(accepted, labels == model.classes_[outcome.index])
    target = original.classes_[1]
    asked = X[(model.predict(X) != target) & (original.predict(X) != target)][::25]
    answers = explainer.explain(asked, target)
    # linear models and networks are computed with 32 bits, and answers keep that far from the boundary
    assert (answers.gaps <= (1e-8 if has_trees(explainer) else 1e-4)).all()
    assert (model.predict(answers.counterfactuals) == target).all()
    expected = ew.Explainer(original, density=None).fit(X, y).explain(asked, target)
    np.testing.assert_allclose(answers.distances, expected.distances, rtol=1e-4, atol=1e-5)


def has_trees(explainer):
    return hasattr(explainer.fitted_.region(explainer.fitted_.labels[0]), "trees")


def on_cuts(explainer, rng):
    """Rows on the cuts of trees and beside them; none for other models."""
    trees = getattr(explainer.fitted_.region(explainer.fitted_.labels[0]), "trees", None)
    if trees is None:
        return np.empty((0, 4))
    sides = [np.concatenate([c, np.nextafter(c, np.inf)]) if len(c) else np.zeros(1) for c in trees.cuts()]
    return np.column_stack([rng.choice(side, 400) for side in sides])


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", REGRESSORS)
def test_regressors(name):
    X, y = iris()
    original = REGRESSORS[name]().fit(X, y.astype(float))
    model = ew.read_onnx(converted(original, X))
    explainer = ew.Explainer(model, density=None).fit(X)
    assert explainer.exactness_ == "exact"
    np.testing.assert_allclose(model.predict(X), original.predict(X), atol=1e-5)
    answers = explainer.explain(X[:5], (0.8, None))
    assert (answers.gaps <= 1e-4).all()
    assert (model.predict(answers.counterfactuals) >= 0.8).all()
    expected = ew.Explainer(original, density=None).fit(X).explain(X[:5], (0.8, None))
    np.testing.assert_allclose(answers.distances, expected.distances, rtol=1e-4, atol=1e-5)


def test_a_file_a_density_and_a_pickle(tmp_path):
    X, y = iris()
    original = CLASSIFIERS["logistic"]().fit(X, y)
    (tmp_path / "model.onnx").write_bytes(converted(original, X))
    model = pickle.loads(pickle.dumps(ew.read_onnx(tmp_path / "model.onnx")))
    answers = ew.Explainer(model).fit(X, y).explain(X[:5], 2)
    assert (answers.gaps <= 1e-4).all()
    # the densities differ: that of the original is fitted behind its scaler, this one in the columns themselves
    assert (original.predict(answers.counterfactuals) == 2).all()


def test_a_graph_of_named_columns_of_numbers():
    X, y = iris()
    frame = pd.DataFrame(X.astype(np.float32), columns=["a", "b", "c", "d"])
    original = make_pipeline(make_column_transformer((StandardScaler(), ["b", "a"]), ("passthrough", ["d"])))
    original = make_pipeline(*[step for _, step in original.steps], DecisionTreeClassifier(max_depth=3)).fit(frame, y)
    model = ew.read_onnx(skl2onnx.to_onnx(original, frame[:1]).SerializeToString())
    assert model.feature_names_in_.tolist() == ["a", "b", "c", "d"]
    explainer = ew.Explainer(model, density=None).fit(frame, y)
    assert explainer.exactness_ == "exact"
    answers = explainer.explain(frame[:5], 2)
    assert (model.predict(answers.counterfactuals) == 2).all()
    assert (answers.counterfactuals.c == frame.c[:5]).all()


def test_a_network_without_labels():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    W, b = rng.normal(size=(3, 4)).astype(np.float32), rng.normal(size=4).astype(np.float32)
    V = rng.normal(size=(1, 4)).astype(np.float32)
    c = np.array([-0.3], dtype=np.float32)
    make = onnx.helper
    for link, classes, found in (("Sigmoid", None, [0, 1]), ("Identity", ["no", "yes"], ["no", "yes"])):
        nodes = [
            make.make_node("Gemm", ["x", "W", "b"], ["h"]),
            make.make_node("Relu", ["h"], ["a"]),
            make.make_node("Gemm", ["a", "V", "c"], ["s"], transB=1),
            make.make_node(link, ["s"], ["p"]),
        ]
        ends = [make.make_tensor_value_info(name, 1, [None, n]) for name, n in (("x", 3), ("p", 1))]
        constants = [
            onnx.numpy_helper.from_array(value, name) for name, value in (("W", W), ("b", b), ("V", V), ("c", c))
        ]
        graph = make.make_graph(nodes, "g", ends[:1], ends[1:], constants)
        made = make.make_model(graph, opset_imports=[make.make_opsetid("", 17)], ir_version=8)
        model = ew.read_onnx(made.SerializeToString(), classes=classes)
        assert model.classes_.tolist() == found
        score = np.maximum(X @ W + b, 0) @ V[0] + c
        np.testing.assert_array_equal(model.predict(X) == found[1], score > 0)
        explainer = ew.Explainer(model, density=None).fit(X, model.predict(X))
        assert explainer.exactness_ == "exact"
        answers = explainer.explain(X[model.predict(X) == found[0]][:3], found[1])
        assert (model.predict(answers.counterfactuals) == found[1]).all()


@pytest.mark.filterwarnings("ignore:Attribute `prob:FutureWarning")
def test_what_is_not_read_is_asked():
    X, y = iris(two=True)
    model = ew.read_onnx(converted(SVC().fit(X, y), X))
    explainer = ew.Explainer(model, density=None).fit(X, y)
    assert explainer.exactness_ == "black box"
    assert "has a node SVMClassifier" in explainer.fitted_.training.reason
    assert model.classes_.tolist() == ["no", "yes"]
    assert (model.predict(explainer.explain(X[:3], "yes").counterfactuals) == "yes").all()
    model = ew.read_onnx(converted(make_pipeline(Normalizer(), LogisticRegression()).fit(X, y), X))
    assert "divides rows by their norms" in model.reason


def mixed(seed=0):
    """Numbers, text and a whole number."""
    rng = np.random.default_rng(seed)
    n = 200
    frame = pd.DataFrame({"a": rng.normal(size=n).astype(np.float32), "k": rng.choice(list("xyz"), n)})
    frame["b"], frame["m"] = rng.normal(size=n).astype(np.float32), rng.choice(["p", "q"], n)
    frame["i"] = rng.integers(0, 3, n)
    score = frame.a + (frame.k == "x") - (frame.m == "q") * frame.b + 0.5 * (frame.i == 1)
    return frame, (score > score.median()).to_numpy().astype(np.int64)


NUMBERS = (make_pipeline(SimpleImputer(), StandardScaler()), ["a", "b"])
BEHIND_ENCODERS = {
    "one-hot, linear": ((OneHotEncoder(handle_unknown="ignore"), ["k", "m", "i"]), LogisticRegression()),
    "one-hot, forest": ((OneHotEncoder(), ["k", "m"]), RandomForestClassifier(8, max_depth=4, random_state=0)),
    "one-hot, network": ((OneHotEncoder(), ["k", "m"]), MLPClassifier((5,), max_iter=80, random_state=0)),
    "codes, trees": ((OrdinalEncoder(), ["k", "m"]), GradientBoostingClassifier(n_estimators=8, random_state=0)),
}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", BEHIND_ENCODERS)
def test_graphs_with_encoders_of_categories(name):
    encoder, classifier = BEHIND_ENCODERS[name]
    frame, y = mixed()
    original = make_pipeline(make_column_transformer(encoder, NUMBERS), classifier).fit(frame, y)
    model = ew.read_onnx(skl2onnx.to_onnx(original, frame[:1]).SerializeToString())
    explainer = ew.Explainer(model, density=None, rules=None).fit(frame, y)
    assert explainer.exactness_ == "exact", model.reason
    asked = frame[(model.predict(frame) == 0) & (original.predict(frame) == 0)][:4]
    answers = explainer.explain(asked, 1)
    assert (model.predict(answers.counterfactuals) == 1).all()
    assert (answers.gaps <= 1e-3).all()
    expected = ew.Explainer(original, density=None, rules=None).fit(frame, y).explain(asked, 1)
    np.testing.assert_allclose(answers.distances, expected.distances, rtol=1e-3, atol=1e-4)


@pytest.mark.filterwarnings("ignore:Attribute `prob:FutureWarning")
def test_linear_support_vectors():
    X, y = iris(two=True)
    for machine, target in ((SVC(kernel="linear"), "yes"), (SVR(kernel="linear"), (0.4, 9.0))):
        original = make_pipeline(StandardScaler(), machine).fit(X, y if target == "yes" else y == "yes")
        model = ew.read_onnx(converted(original, X))
        explainer = ew.Explainer(model, density=None).fit(X, y)
        assert explainer.exactness_ == "exact", model.reason
        if target != "yes":  # the same function in a family that is read
            same = LinearRegression().fit(X, y == "yes")
            same.coef_, same.intercept_ = machine.coef_[0], machine.intercept_[0]
            original = make_pipeline(original[0], same)
        asked = X[original.predict(X) != target][:4] if target == "yes" else X[original.predict(X) < 0.3][:4]
        expected = ew.Explainer(original, density=None).fit(X, y).explain(asked, target)
        np.testing.assert_allclose(explainer.explain(asked, target).distances, expected.distances, rtol=1e-3)


def test_the_newer_tree_ensemble():
    X, y = iris()
    original = GradientBoostingRegressor(n_estimators=6, max_depth=2, init="zero", random_state=0)
    original.fit(X, y.astype(float))
    model = ew.read_onnx(newer(converted(original, X)))
    np.testing.assert_allclose(model.predict(X), original.predict(X), atol=1e-5)
    explainer = ew.Explainer(model, density=None).fit(X)
    assert explainer.exactness_ == "exact", model.reason
    answers = explainer.explain(X[:4], (0.8, None))
    expected = ew.Explainer(original, density=None).fit(X).explain(X[:4], (0.8, None))
    np.testing.assert_allclose(answers.distances, expected.distances, rtol=1e-4, atol=1e-5)


def newer(content):
    """The same trees as the operator that opset 5 of ai.onnx.ml has."""
    helper = onnx.helper
    old = onnx.load_from_string(content)
    node = next(one for one in old.graph.node if one.op_type == "TreeEnsembleRegressor")
    a = {one.name: helper.get_attribute_value(one) for one in node.attribute}
    keys = list(zip(a["nodes_treeids"], a["nodes_nodeids"]))
    inner = [k for k, mode in enumerate(a["nodes_modes"]) if mode != b"LEAF"]
    leaves = {key: k for k, key in enumerate(zip(a["target_treeids"], a["target_nodeids"]))}
    place = {keys[k]: k_new for k_new, k in enumerate(inner)}

    def child(k, side):
        key = (a["nodes_treeids"][k], a[f"nodes_{side}nodeids"][k])
        return (leaves[key], 1) if key in leaves else (place[key], 0)

    ends = {side: [child(k, side) for k in inner] for side in ("true", "false")}

    def tensor(name, kind, values):
        return helper.make_tensor(name, kind, [len(values)], values)

    made = helper.make_node(
        "TreeEnsemble", list(node.input), list(node.output), domain="ai.onnx.ml",
        n_targets=1, aggregate_function=1, post_transform=0,
        tree_roots=[place[key] for key in keys if key[1] == 0],
        nodes_splits=tensor("s", 1, [a["nodes_values"][k] for k in inner]),
        nodes_featureids=[a["nodes_featureids"][k] for k in inner],
        nodes_modes=tensor("m", 2, [0] * len(inner)),
        nodes_truenodeids=[one for one, _ in ends["true"]], nodes_trueleafs=[leaf for _, leaf in ends["true"]],
        nodes_falsenodeids=[one for one, _ in ends["false"]], nodes_falseleafs=[leaf for _, leaf in ends["false"]],
        leaf_targetids=[0] * len(leaves), leaf_weights=tensor("w", 1, list(a["target_weights"])),
    )  # fmt: skip
    kept = [one for one in old.graph.node if one is not node]
    graph = helper.make_graph([*kept, made], "g", old.graph.input, old.graph.output, old.graph.initializer)
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("ai.onnx.ml", 5)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10).SerializeToString()


@pytest.mark.parametrize("library", ["xgboost", "lightgbm"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_boosters_by_onnxmltools(library, n_classes):
    onnxmltools = pytest.importorskip("onnxmltools")
    from onnxmltools.convert.common.data_types import FloatTensorType

    boosting = pytest.importorskip(library)
    X, y = iris(two=False)
    y = y if n_classes == 3 else (y == 1).astype(int)
    kind = boosting.XGBClassifier if library == "xgboost" else boosting.LGBMClassifier
    quiet = {} if library == "xgboost" else {"verbose": -1, "min_child_samples": 5}
    X[np.random.default_rng(1).random(X.shape) < 0.1] = np.nan
    original = kind(n_estimators=8, max_depth=3, n_jobs=1, **quiet).fit(X, y)
    convert = getattr(onnxmltools, f"convert_{library}")
    model = ew.read_onnx(convert(original, initial_types=[("X", FloatTensorType([None, 4]))]).SerializeToString())
    explainer = ew.Explainer(model, density=None).fit(X, y)
    assert explainer.exactness_ == "exact", model.reason
    rows = np.vstack([X, on_cuts(explainer, np.random.default_rng(0))])
    region = explainer.fitted_.region(explainer.fitted_.labels[1])
    np.testing.assert_array_equal(region.accepts(rows), model.predict(rows) == 1)
    is_gone = np.isnan(X).any(axis=1)
    np.testing.assert_array_equal(model.predict(X[is_gone]), original.predict(X[is_gone]))
    is_other = (model.predict(X) != 1) & (original.predict(X) != 1)
    asked = np.vstack([X[is_other & is_gone][:3], X[is_other & ~is_gone][:3]])
    expected = ew.Explainer(original, density=None).fit(X, y).explain(asked, 1)
    np.testing.assert_allclose(explainer.explain(asked, 1).distances, expected.distances, rtol=1e-4, atol=1e-5)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_networks_exported_by_torch(tmp_path):
    torch = pytest.importorskip("torch")
    X, _ = iris()
    torch.manual_seed(0)
    network = torch.nn.Sequential(torch.nn.Linear(4, 6), torch.nn.ReLU(), torch.nn.Linear(6, 3))
    path = tmp_path / "network.onnx"
    example = torch.zeros(1, 4)
    axes = {"x": {0: "rows"}}
    torch.onnx.export(network, example, str(path), input_names=["x"], dynamic_axes=axes, dynamo=False)
    model = ew.read_onnx(path)
    with torch.no_grad():
        expected = network(torch.tensor(X, dtype=torch.float32)).argmax(dim=1).numpy()
    np.testing.assert_array_equal(model.predict(X), expected)
    explainer = ew.Explainer(model, density=None).fit(X)
    assert explainer.exactness_ == "exact", model.reason
    asked, target = X[:3], (int(expected[0]) + 1) % 3
    found, own = (ew.Explainer(one, density=None).fit(X).explain(asked, target) for one in (model, network.double()))
    np.testing.assert_allclose(found.distances, own.distances, rtol=1e-4)


@pytest.mark.parametrize("sparse", [True, False])
def test_a_network_behind_a_pipeline(sparse):
    frame, y = mixed()
    encoder = make_column_transformer((OneHotEncoder(sparse_output=sparse), ["k", "m"]), sparse_threshold=float(sparse))
    original = make_pipeline(encoder, LogisticRegression()).fit(frame, y)
    graph = skl2onnx.to_onnx(original[-1], np.zeros((1, 5), dtype=np.float32), options={"zipmap": False})
    pipeline = make_pipeline(encoder, ew.read_onnx(graph.SerializeToString()))
    np.testing.assert_array_equal(pipeline.predict(frame), original.predict(frame))
    explainer, expected = (ew.Explainer(one, density=None, rules=None).fit(frame, y) for one in (pipeline, original))
    assert explainer.exactness_ == "exact"
    asked = frame[original.predict(frame) == 0][:3]
    np.testing.assert_allclose(explainer.explain(asked, 1).distances, expected.explain(asked, 1).distances, rtol=1e-5)


def test_a_model_from_a_file_is_not_trained_again():
    X, y = iris(two=True)
    model = ew.read_onnx(converted(CLASSIFIERS["tree"]().fit(X, y), X))
    with pytest.raises(ew.UnsupportedSettingError, match="read from a file and cannot be trained"):
        ew.refits(model, X, y, "yes")


def test_a_model_as_onnx_holds_it():
    X, y = iris(two=True)
    content = converted(CLASSIFIERS["logistic"]().fit(X, y), X)
    direct, read = (
        ew.Explainer(model, density=None).fit(X, y).explain(X[:3], "yes")
        for model in (onnx.load_from_string(content), ew.read_onnx(content))
    )
    np.testing.assert_array_equal(direct.counterfactuals, read.counterfactuals)
