"""Files without a pickle: they answer as before, hold nothing unknown, and strangers' pickles are refused."""

import io
import zipfile

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import elsewise as ew
from elsewise.tools.files import bodies
from elsewise.tools.files import explainers as saving

pytest.importorskip("skops", reason="files without a pickle need skops")


@pytest.fixture
def never_unpickles(monkeypatch):
    def fails(*_, **__):
        pytest.fail("nothing is to be unpickled")

    monkeypatch.setattr(bodies.joblib, "load", fails)


def test_a_table_answers_bit_for_bit_as_before(loans, tmp_path, never_unpickles):
    loans.explainer.save(tmp_path / "safe.ew", safe=True)
    rules = ew.Constraints(immutable=["years"])
    before = loans.explainer.explain(loans.frame.head(20), "yes", constraints=rules)
    after = ew.load(tmp_path / "safe.ew", safe=True).explain(loans.frame.head(20), "yes", constraints=rules)
    assert before.to_frame().equals(after.to_frame())
    np.testing.assert_array_equal(before.lower_bounds, after.lower_bounds)


def test_regressors_kernels_and_distances_are_written_too(iris, tmp_path, never_unpickles):
    X, y = iris
    explainers = [
        ew.Explainer(LinearRegression().fit(X[:, :3], X[:, 3]), distance=ew.Mahalanobis()).fit(X[:, :3]),
        ew.Explainer(LogisticRegression(max_iter=1000).fit(X, y), density="kernel").fit(X, y),
        ew.Explainer(LogisticRegression(max_iter=1000).fit(X, y), density=None, distance="scaled").fit(X, y),
    ]
    for explainer, target in zip(explainers, [(1.0, 1.5), "virginica", "virginica"]):
        explainer.save(tmp_path / "safe.ew", safe=True)
        rows = X[:5, : explainer.n_features_in_]
        again = ew.load(tmp_path / "safe.ew", safe=True)
        np.testing.assert_array_equal(explainer.explain(rows, target).distances, again.explain(rows, target).distances)


def test_refits_that_answers_outlast_are_known_to_be_harmless(iris, tmp_path, never_unpickles):
    X, y = iris
    two = y != "setosa"
    model = LogisticRegression(max_iter=1000).fit(X[two], y[two])
    explainer = ew.Explainer(model, robust_to="retraining").fit(X[two], y[two])
    explainer.save(tmp_path / "safe.ew", safe=True)
    again = ew.load(tmp_path / "safe.ew", safe=True)
    rows = X[two][:5]
    np.testing.assert_array_equal(
        explainer.explain(rows, "virginica").distances, again.explain(rows, "virginica").distances
    )


def test_a_pickle_is_refused_where_a_safe_file_is_asked_for(loans, tmp_path, never_unpickles):
    loans.explainer.save(tmp_path / "pickle.ew")
    assert saving.read_header(tmp_path / "pickle.ew").body == "pickle"
    with pytest.raises(ew.SavedExplainerError, match=r"holds a pickle.*safe=True"):
        ew.load(tmp_path / "pickle.ew", safe=True)


def test_types_that_nobody_knows_are_named_and_may_be_trusted(iris, tmp_path):
    X, y = iris
    explainer = ew.Explainer(RandomForestClassifier(3, max_depth=2, random_state=0).fit(X, y), density=None).fit(X, y)
    explainer.save(tmp_path / "safe.ew", safe=True)
    with pytest.raises(ew.SavedExplainerError, match=r"not known to be harmless: .*Tree.*trusted=") as caught:
        ew.load(tmp_path / "safe.ew", safe=True)
    named = [name for name in ("sklearn.tree._tree.Tree",) if name in str(caught.value)]
    again = ew.load(tmp_path / "safe.ew", safe=True, trusted=named)
    np.testing.assert_array_equal(
        explainer.explain(X[:5], "virginica").distances, again.explain(X[:5], "virginica").distances
    )


def test_functions_of_elsewise_are_no_harmless_types(loans):
    assert bodies.untrusted_types(bodies.to_bytes({"run": saving.load}, "skops")) == [
        "elsewise.tools.files.explainers.load"
    ]


def test_what_cannot_be_written_is_told(iris, tmp_path):
    X, y = iris
    model = make_pipeline(FunctionTransformer(), LogisticRegression(max_iter=1000)).fit(X, y)
    explainer = ew.Explainer(model, density=None).fit(X, y)
    explainer.note = lambda: 1
    with pytest.raises(ew.SavedExplainerError, match="cannot be saved"):
        explainer.save(tmp_path / "safe.ew", safe=True)
    assert list(tmp_path.iterdir()) == []


def test_an_archive_is_json_and_arrays_alone(loans, tmp_path):
    loans.explainer.save(tmp_path / "safe.ew", safe=True)
    body = (tmp_path / "safe.ew").read_bytes().split(b"\n", 2)[2]
    names = zipfile.ZipFile(io.BytesIO(body)).namelist()
    assert {name.rpartition(".")[2] for name in names} <= {"json", "npy"}
