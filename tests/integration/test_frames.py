"""Data frames of numbers: names are kept and checked, frames come back."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import elsewise as ew
from fitted_models import assert_certified, random_data


@pytest.fixture(scope="module")
def framed():
    X, y = random_data(3)
    frame = pd.DataFrame(X, columns=["age", "income", "debt", "years"])
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
    some = frame[:5].set_axis(list("pqrst"))
    many, plain = explainer.explain(some), explainer.explain(some.to_numpy())
    pd.testing.assert_frame_equal(many.x, some, check_exact=True)
    expected = pd.DataFrame(plain.counterfactuals, index=some.index, columns=frame.columns)
    pd.testing.assert_frame_equal(many.counterfactuals, expected, check_exact=True)
    pd.testing.assert_series_equal(many[2].counterfactual, expected.loc["r"], check_exact=True)
    assert many.to_frame().index.tolist() == list("pqrst")
    assert isinstance(plain[2].counterfactual, np.ndarray)
    for change in many[2].changes:
        assert (change.before, change.after) == (some.loc["r", change.feature], expected.loc["r", change.feature])
    some.iloc[:] = 0.0
    pd.testing.assert_frame_equal(many.x, frame[:5].set_axis(list("pqrst")))


def test_answers_are_owned_by_no_frame(framed):
    explainer, frame, _ = framed
    some = frame[:3].copy()
    many = explainer.explain(some)
    kept = many.counterfactuals.copy()
    some.iloc[:, :] = 7.0
    np.testing.assert_array_equal(many.counterfactuals, kept)


def test_wrong_columns_are_refused(framed):
    explainer, frame, y = framed
    renamed = frame.rename(columns={"income": "wage"})
    message = r"missing \['income'\] in X, which has \['wage'\] instead. Expected age, "
    with pytest.raises(ew.InvalidInputError, match=message):
        explainer.explain(renamed[:2])
    with pytest.raises(ew.InvalidInputError, match=message):
        ew.Explainer(explainer.model).fit(renamed, y)
    with pytest.raises(ew.InvalidInputError, match=r"missing \['income'\] in x"):
        explainer.explain_one(renamed.iloc[0])
    with pytest.raises(ew.InvalidInputError, match=r"X has 2 columns of the name 'income'\. Rename them"):
        explainer.explain(frame[["income", "age", "debt", "years", "income"]])


def test_columns_are_found_by_name_and_others_are_left_out(framed):
    explainer, frame, y = framed
    names = list(frame.columns)
    other = frame[names[::-1]].assign(note="of no use", number=7)
    label = explainer.classes_[1]
    expected = explainer.explain(frame[:5], label)
    answers = explainer.explain(other[:5], label)
    assert list(answers.counterfactuals.columns) == list(answers.x.columns) == names  # those of the fit
    pd.testing.assert_frame_equal(answers.to_frame(), expected.to_frame())
    pd.testing.assert_frame_equal(answers.x, expected.x)
    one = explainer.explain_one(other.iloc[0], label)
    assert list(one.counterfactual.index) == names
    np.testing.assert_array_equal(one.counterfactual.to_numpy(), expected.counterfactuals.iloc[0])
    other_one = explainer.explain_one(other[:1], label)
    np.testing.assert_array_equal(other_one.counterfactual, expected.counterfactuals.iloc[0])
    np.testing.assert_array_equal(explainer.to_model_space(other), explainer.to_model_space(frame))
    np.testing.assert_array_equal(explainer.log_density(other, label), explainer.log_density(frame, label))
    again = ew.Explainer(explainer.model, density=explainer.density).fit(other, y)
    assert again.feature_names_in_.tolist() == names
    np.testing.assert_array_equal(again.explain(frame[:5], label).counterfactuals, expected.counterfactuals)


def test_columns_of_a_mixed_table_are_found_by_name():
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(
        {"a": rng.normal(size=80), "b": rng.integers(0, 9, 80), "c": rng.choice(["u", "v", "w"], 80), "d": "x"}
    )
    y = (frame.a + frame.b / 4 + (frame.c == "u") > 1.4).astype(int)
    coding = ColumnTransformer([("numbers", StandardScaler(), ["b", "a"]), ("codes", OneHotEncoder(), ["c"])])
    model = make_pipeline(coding, LogisticRegression()).fit(frame, y)
    explainer = ew.Explainer(model).fit(frame, y)
    wanted = 1 - model.predict(frame[:6])
    expected = explainer.explain(frame[:6], wanted)
    answers = explainer.explain(frame[["c", "d", "b", "a"]][:6].assign(more=1), wanted)
    pd.testing.assert_frame_equal(answers.counterfactuals, expected.counterfactuals)
    one = explainer.explain_one(frame[["c", "d", "b", "a"]].iloc[0], wanted[0])
    assert one.distance == expected.distances[0]


def test_names_that_are_not_all_text_are_refused_and_others_are_positions(framed):
    _, frame, y = framed
    X = frame.to_numpy()
    model = LogisticRegression().fit(X, y)
    mixed = frame.set_axis(["a", 1, "c", "d"], axis=1)
    with pytest.raises(ew.InvalidInputError, match=r"X: expected names .* text, received 'a' and 1 \(int\)\. Rename"):
        ew.Explainer(model).fit(mixed, y)
    with pytest.raises(ew.InvalidInputError, match=r"received 'a' and 1 \(int\)"):
        ew.Explainer(LogisticRegression().fit(frame, y), density=None).fit(frame, y).explain(mixed)
    expected = ew.Explainer(model, density=None).fit(X, y).explain(X[:3])
    pairs = pd.MultiIndex.from_tuples([("p", "a"), ("p", "b"), ("q", "a"), ("q", "b")])
    for names in (range(4), pairs):
        positional = frame.set_axis(names, axis=1)
        fitted = ew.Explainer(model, density=None).fit(positional, y)
        np.testing.assert_array_equal(fitted.explain(positional[:3]).counterfactuals, expected.counterfactuals)
        name = positional.columns[1]
        message = r"Names are text; .* are called x0, x1, .* Rename them with X.columns = X.columns.map\(str\)"
        with pytest.raises(ew.InvalidInputError, match=message):
            ew.Explainer(model, columns={name: "integer"}).fit(positional, y)
        with pytest.raises(ew.InvalidInputError, match=message):
            fitted.explain(positional[:3], constraints=ew.Constraints(immutable=[name]))
        with pytest.raises(ew.InvalidInputError, match=message):
            ew.Explainer(model, distance=ew.Manhattan({name: 2.0})).fit(positional, y)


def test_columns_of_the_same_name_are_refused_before_transformers():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 2)), np.arange(40) % 2
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)
    with pytest.raises(ew.InvalidInputError, match="X has 2 columns of the name 'a', which transformers cannot tell"):
        ew.Explainer(model).fit(pd.DataFrame(X, columns=["a", "a"]), y)


def test_whole_numbers_stay_whole_beside_rows_without_an_answer():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        {"n": rng.integers(0, 20, 100), "small": rng.integers(0, 9, 100).astype(np.uint8), "yes": rng.random(100) < 0.5}
    ).assign(x=rng.normal(size=100))
    y = (frame.n + frame.small + 5 * frame.yes > 16).astype(int)
    model = LogisticRegression(max_iter=1000).fit(frame, y)
    explainer = ew.Explainer(model, density=None).fit(frame, y)
    rows = frame[model.predict(frame) == 0].iloc[:12]
    bounds = {"n": (None, int(rows.n.max())), "small": (0, int(rows.small.max()))}
    rules = ew.Constraints(immutable=["yes", "x"], monotone={"n": "decrease"}, bounds=bounds)
    answers = explainer.explain(rows, 1, constraints=rules)
    found = answers.found
    assert found.any()
    assert not found.all()
    table = answers.to_frame()
    assert table["n"].dtype == "Int64"
    assert table["small"].dtype == "UInt8"
    assert table["yes"].dtype == "boolean"
    assert table["n"].isna().tolist() == (~found).tolist()
    assert all(isinstance(value, (int, np.integer)) for value in table["n"][found])
    assert (model.predict(answers.counterfactuals[found]) == 1).all()
    for one, is_found in zip(answers, found):  # single rows are as they were
        assert one.counterfactual.isna().all() == (not is_found)
        assert not any(value is pd.NA for value in one.counterfactual.tolist())
        assert not is_found or one.counterfactual.dtype == one.x.dtype
    assert explainer.explain(rows[found], 1, constraints=rules).to_frame()["n"].dtype == np.int64


def test_names_like_the_default_ones_are_names_too():
    X, y = random_data(2, n_features=2)
    frame = pd.DataFrame(X, columns=["x0", "x1"])
    explainer = ew.Explainer(LogisticRegression().fit(frame, y), density=None).fit(frame, y)
    swapped = explainer.explain(frame[["x1", "x0"]])
    np.testing.assert_array_equal(swapped.counterfactuals, explainer.explain(frame).counterfactuals)


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
    assert answers.found.all()  # rounding to 32 bits may leave a gap
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
    assert answers.found.all()  # rounding to 32 bits may leave a gap
    assert (answers.gaps < 1e-4).all()
    assert (answers.counterfactuals.dtypes == frame.dtypes).all()
    assert_certified(explainer, frame[::3], answers)
