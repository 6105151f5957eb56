"""Data frames of numbers: names are kept and checked, frames come back."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import elsewise as ew
from models import assert_certified, random_data


@pytest.fixture(scope="module")
def framed():
    pandas = pytest.importorskip("pandas")
    X, y = random_data(3)
    frame = pandas.DataFrame(X, columns=["age", "income", "debt", "years"])
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(frame, y)
    explainer = ew.Explainer(model, density=ew.GaussianMixtureDensity(n_components=2)).fit(frame, y)
    return explainer, frame, y


def test_names_of_columns_are_kept(framed):
    explainer, frame, _ = framed
    assert explainer.feature_names_in_.tolist() == list(frame.columns)
    one = explainer.explain_one(frame.iloc[0])
    assert {change.feature for change in one.changes} <= set(frame.columns)
    many = explainer.explain(frame[:5])
    assert many.feature_names == tuple(frame.columns)
    for same in (explainer.explain_one(frame[:1]), explainer.explain_one(frame.to_numpy()[0]), many[0]):
        np.testing.assert_array_equal(same.counterfactual, one.counterfactual)
    assert (explainer.model.predict(many.counterfactuals) == np.asarray(many.targets)).all()


def test_frames_in_frames_out(framed):
    explainer, frame, _ = framed
    pandas = pytest.importorskip("pandas")
    some = frame[:5].set_axis(list("pqrst"))
    many, plain = explainer.explain(some), explainer.explain(some.to_numpy())
    pandas.testing.assert_frame_equal(many.x, some, check_exact=True)
    expected = pandas.DataFrame(plain.counterfactuals, index=some.index, columns=frame.columns)
    pandas.testing.assert_frame_equal(many.counterfactuals, expected, check_exact=True)
    pandas.testing.assert_series_equal(many[2].counterfactual, expected.loc["r"], check_exact=True)
    assert many.to_frame().index.tolist() == list("pqrst")
    assert isinstance(plain[2].counterfactual, np.ndarray)
    for change in many[2].changes:
        assert (change.before, change.after) == (some.loc["r", change.feature], expected.loc["r", change.feature])
    some.iloc[:] = 0.0
    pandas.testing.assert_frame_equal(many.x, frame[:5].set_axis(list("pqrst")))


def test_answers_are_owned_by_no_frame(framed):
    explainer, frame, _ = framed
    some = frame[:3].copy()
    many = explainer.explain(some)
    kept = many.counterfactuals.copy()
    some.iloc[:, :] = 7.0
    np.testing.assert_array_equal(many.counterfactuals, kept)


def test_wrong_columns_are_refused(framed):
    explainer, frame, y = framed
    with pytest.raises(ew.InvalidInputError, match=r"unknown \['wage'\] missing \['income'\]"):
        explainer.explain(frame[:2].rename(columns={"income": "wage"}))
    swapped = frame[["income", "age", "debt", "years"]]
    with pytest.raises(ew.InvalidInputError, match="in another order than in the fit: received income, age"):
        explainer.explain(swapped[:2])
    with pytest.raises(ew.InvalidInputError, match="in another order"):
        explainer.explain_one(swapped.iloc[0])
    with pytest.raises(ew.InvalidInputError, match="in another order"):
        explainer.explain_one(swapped[:1])
    with pytest.raises(ew.InvalidInputError, match="in another order"):
        explainer.to_model_space(swapped)
    with pytest.raises(ew.InvalidInputError, match="in another order"):
        ew.Explainer(explainer.model).fit(swapped, y)


def test_names_like_the_default_ones_are_checked_too():
    pandas = pytest.importorskip("pandas")
    X, y = random_data(2, n_features=2)
    frame = pandas.DataFrame(X, columns=["x0", "x1"])
    explainer = ew.Explainer(LogisticRegression().fit(frame, y), density=None).fit(frame, y)
    with pytest.raises(ew.InvalidInputError, match="in another order"):
        explainer.explain(frame[["x1", "x0"]])


def test_frames_for_a_model_fitted_on_arrays_and_the_reverse(framed):
    _, frame, y = framed
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(frame.to_numpy(), y)
    density = ew.GaussianMixtureDensity(n_components=2)
    named = ew.Explainer(model, density=density).fit(frame, y)
    assert named.explain(frame[:3]).feature_names == tuple(frame.columns)
    assert named.to_model_space(frame).shape == frame.shape
    plain = ew.Explainer(model, density=density).fit(frame.to_numpy(), y)
    assert not hasattr(plain, "feature_names_in_")
    np.testing.assert_array_equal(
        plain.explain(frame[:3]).counterfactuals, named.explain(frame[:3].to_numpy()).counterfactuals
    )
    assert list(plain.explain(frame[:3]).counterfactuals.columns) == list(frame.columns)


def test_frames_of_mixed_numeric_types(framed):
    explainer, frame, _ = framed
    mixed = frame[:4].round().astype({"age": "int64", "debt": "float32"})
    answers = explainer.explain(mixed)
    assert answers.x.equals(mixed)
    assert (answers.statuses != "infeasible").all()  # rounding to 32 bits may leave a gap
    assert (answers.gaps < 1e-4).all()
    assert_certified(explainer, mixed, answers)


@pytest.mark.parametrize("density", [None, "auto"])
@pytest.mark.parametrize("dtype", ["float32", "Float32"])
@pytest.mark.parametrize("whole", [False, True], ids=["numbers", "and integers"])
def test_short_floats_are_valid_as_returned(framed, dtype, density, whole):
    _, frame, y = framed
    frame = frame.astype(dtype)
    if whole:
        frame["age"] = frame["age"].astype("float64").round().astype("int64")
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(frame, y)
    explainer = ew.Explainer(model, density=density).fit(frame, y)
    answers = explainer.explain(frame[::3])
    assert (answers.statuses != "infeasible").all()  # rounding to 32 bits may leave a gap
    assert (answers.gaps < 1e-4).all()
    assert (answers.counterfactuals.dtypes == frame.dtypes).all()
    assert_certified(explainer, frame[::3], answers)
