"""Saved explainers: they answer as before, and files that do not fit are refused before anything is unpickled."""

import json
import pickle

import joblib
import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import elsewise as ew
from elsewise.tools.files import bodies
from elsewise.tools.files import explainers as saving


@pytest.fixture
def saved(loans, tmp_path):
    path = tmp_path / "explainer.ew"
    loans.explainer.save(path)
    return path


def _with_header(path, **changes):
    """Write other things into the header, in whatever way a stranger might."""
    first, header, body = path.read_bytes().split(b"\n", 2)
    told = json.loads(header)
    told["versions"].update(changes.pop("versions", {}))
    told.update(changes)
    path.write_bytes(b"\n".join([first, json.dumps(told).encode(), body]))


def test_a_saved_explainer_answers_bit_for_bit_as_before(loans, saved):
    rules = ew.Constraints(immutable=["years"])
    before = loans.explainer.explain(loans.frame.head(20), "yes", constraints=rules)
    after = ew.load(saved).explain(loans.frame.head(20), "yes", constraints=rules)
    assert before.to_frame().equals(after.to_frame())
    np.testing.assert_array_equal(before.lower_bounds, after.lower_bounds)


def test_the_header_is_read_without_unpickling(loans, saved, monkeypatch):
    monkeypatch.setattr(bodies.joblib, "load", lambda file: pytest.fail("nothing is to be unpickled"))
    header = saving.read_header(saved)
    assert header.format == saving.EXPLAINER_FORMAT
    assert header.versions["elsewise"] == ew.__version__
    assert header.versions["numpy"] == np.__version__
    assert [column["name"] for column in header.columns] == list(loans.frame.columns)
    assert [column["kind"] for column in header.columns] == ["integer", "number", "category", "category"]
    assert header.classes == ["no", "yes"]
    assert header.model == "ColumnTransformer + LogisticRegression"
    assert saved.read_text(encoding="latin-1").startswith(f"elsewise explainer {saving.EXPLAINER_FORMAT}\n{{")


@pytest.mark.parametrize(
    ("versions", "message"),
    [
        ({"scikit-learn": "2.0.1"}, "saved with scikit-learn 2.0.1, here is 1"),
        ({"numpy": "3.1"}, "saved with numpy 3.1, here is 2"),
        ({"python": "4.0.0"}, "saved with python 4.0.0"),
        ({"elsewise": "0.999.0"}, "saved with elsewise 0.999.0"),
    ],
)
def test_other_major_versions_are_refused_before_unpickling(saved, monkeypatch, versions, message):
    monkeypatch.setattr(bodies.joblib, "load", lambda file: pytest.fail("nothing is to be unpickled"))
    _with_header(saved, versions=versions)
    with pytest.raises(ew.SavedExplainerError, match=message):
        ew.load(saved)


def test_another_minor_version_is_read(saved):
    _with_header(saved, versions={"numpy": "2.0.0"})
    assert ew.load(saved).classes_.tolist() == ["no", "yes"]


def test_another_format_is_refused(saved):
    saved.write_bytes(
        saved.read_bytes().replace(b"elsewise explainer %d" % saving.EXPLAINER_FORMAT, b"elsewise explainer 1", 1)
    )
    with pytest.raises(
        ew.SavedExplainerError, match=f"written in format '1'; this elsewise reads format {saving.EXPLAINER_FORMAT}"
    ):
        ew.load(saved)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda data: data[:-10], "is damaged: expected .* bytes after its header, there are less"),
        (lambda data: data + b"more", "is damaged: .* there are more"),
        (lambda data: data[:-10] + b"0123456789", "checksum"),
        (lambda data: data[:40], "its header cannot be read"),
        (lambda data: data[:20], "written in format|its header cannot be read"),
        (lambda data: b"", r"holds no saved explainer\. Expected a file by .*, received an empty file"),
        (lambda data: b"row,a,b\n1,2,3\n", r"holds no saved explainer.*text that begins with 'row,a,b': rows, perhaps"),
        (lambda data: "größe,".encode() * 9, "text that begins with 'größe,größe"),
        (lambda data: b"PAR1\x15\x04\x15", "something else, which begins with the bytes 50 41 52 31 15 04 15"),
        (lambda data: pickle.dumps({"a": 1}), "looks like a pickle"),
    ],
)
def test_damaged_and_other_files_are_refused_before_unpickling(saved, monkeypatch, damage, message):
    monkeypatch.setattr(bodies.joblib, "load", lambda file: pytest.fail("nothing is to be unpickled"))
    saved.write_bytes(damage(saved.read_bytes()))
    with pytest.raises(ew.SavedExplainerError, match=message):
        ew.load(saved)


def test_a_header_of_odd_types_is_refused(saved):
    _with_header(saved, body_bytes="many")
    with pytest.raises(ew.SavedExplainerError, match="header cannot be read"):
        ew.load(saved)


def test_a_body_that_is_no_explainer_is_refused(saved, monkeypatch):
    monkeypatch.setattr(bodies.joblib, "load", lambda file: {"no": "explainer"})
    with pytest.raises(ew.SavedExplainerError, match="holds a dict, no explainer"):
        ew.load(saved)


def test_a_body_that_needs_what_is_not_there_is_refused(saved, monkeypatch):
    def fails(file):
        raise ModuleNotFoundError("No module named 'bank_models'")

    monkeypatch.setattr(bodies.joblib, "load", fails)
    with pytest.raises(ew.SavedExplainerError, match=r"cannot be read here .*bank_models.*not installed"):
        ew.load(saved)
    _with_header(saved, versions={"scipy": "1.0"})
    with pytest.raises(ew.SavedExplainerError, match=r"saved with scipy 1\.0 \(here 1"):
        ew.load(saved)


def test_what_cannot_be_pickled_is_told_and_leaves_the_old_file(saved, iris):
    X, y = iris
    model = make_pipeline(FunctionTransformer(), LogisticRegression(max_iter=1000)).fit(X, y)
    explainer = ew.Explainer(model, density=None).fit(X, y)
    explainer.note = lambda: 1
    before = saved.read_bytes()
    with pytest.raises(ew.SavedExplainerError, match="cannot be saved"):
        explainer.save(saved)
    assert saved.read_bytes() == before
    assert [file.name for file in saved.parent.iterdir()] == ["explainer.ew"]


def test_an_unfitted_explainer_is_not_saved(tmp_path):
    with pytest.raises(NotFittedError, match="not fitted"):
        ew.Explainer(LogisticRegression()).save(tmp_path / "explainer.ew")
    assert not list(tmp_path.iterdir())


def test_a_failed_write_leaves_nothing(loans, tmp_path, monkeypatch):
    def full(*args):
        raise OSError("No space left on device")

    monkeypatch.setattr(saving.os, "replace", full)
    with pytest.raises(OSError, match="No space"):
        loans.explainer.save(tmp_path / "explainer.ew")
    assert not list(tmp_path.iterdir())


def test_a_missing_file_is_said_to_be_missing(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"nothing\.ew"):
        ew.load(tmp_path / "nothing.ew")


def test_regressors_and_numeric_labels_are_saved_too(tmp_path, iris):
    X, _ = iris
    model = LogisticRegression().fit(X[:100], np.repeat([3, 7], 50))
    explainer = ew.Explainer(model).fit(X[:100], np.repeat([3, 7], 50))
    explainer.save(tmp_path / "a.ew")
    assert saving.read_header(tmp_path / "a.ew").classes == [3, 7]
    assert joblib.hash(ew.load(tmp_path / "a.ew").explain_one(X[0], 7).counterfactual) == joblib.hash(
        explainer.explain_one(X[0], 7).counterfactual
    )
