"""Distributions are those of the target's training rows; before and after stand where they are."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import elsewise as ew
from elsewise.tools.plot.pictures import DistributionsPicture

pytest.importorskip("matplotlib")


def test_numbers_against_numpy(iris, iris_explainer):
    X, y = iris
    answer = iris_explainer.explain_one(X[0], "virginica")
    picture = DistributionsPicture.compute(answer, iris_explainer)
    assert [column.name for column in picture.columns] == [change.feature for change in answer.changes]
    real = X[y == "virginica"]
    for column in picture.columns:
        place = int(column.name[1:])
        counts = np.histogram(real[:, place], bins=column.edges)[0]
        np.testing.assert_allclose(column.shares, counts / len(real))
        assert (column.before, column.after) == (X[0, place], answer.counterfactual[place])
        for value, share in zip((column.before, column.after), column.positions):
            # interpolated between rows, so within the ties and one row of either side
            low, high = np.mean(real[:, place] < value), np.mean(real[:, place] <= value)
            assert low - 1.01 / len(real) <= share <= high + 1.01 / len(real)


def test_levels_against_counting(loans):
    answer = loans.explainer.explain_one(loans.frame[loans.label == "no"].iloc[0], "yes")
    picture = DistributionsPicture.compute(answer, loans.explainer, columns=["housing", "guarantor", "years"])
    housing, guarantor, years = picture.columns
    real = loans.frame[loans.label == "yes"]
    assert dict(zip(housing.levels, housing.shares)) == pytest.approx(
        real["housing"].value_counts(normalize=True).to_dict()
    )
    assert dict(zip(guarantor.levels, guarantor.shares)) == pytest.approx(
        real["guarantor"].value_counts(normalize=True).to_dict()
    )
    assert housing.positions[1] == pytest.approx(np.mean(real["housing"] == answer.counterfactual["housing"]))
    assert (years.kind, years.before) == ("integer", answer.x["years"])
    axes = picture.draw()
    assert [ax.get_title(loc="left") for ax in axes] == ["housing", "guarantor", "years"]
    texts = [text.get_text() for text in axes[0].texts]
    assert {"own", "rent", "free"} <= set(texts)
    assert sum("● now" in text for text in texts) == 1
    assert sum("◆ then" in text for text in texts) == 1


def test_a_level_never_seen_has_no_rows():
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(3)
    frame = pandas.DataFrame({"town": rng.choice(list("abc"), 120)})
    label = np.where(frame["town"] == "a", "yes", "no")
    label[:6] = "yes"
    model = make_pipeline(OneHotEncoder(handle_unknown="ignore"), LogisticRegression()).fit(frame, label)
    explainer = ew.Explainer(model, density=None).fit(frame, label)
    answer = explainer.explain_one(pandas.Series({"town": "$elsewhere$"}), "yes")
    (town,) = DistributionsPicture.compute(answer, explainer).columns
    assert town.levels[-1] == "$elsewhere$"
    assert town.positions[0] == town.shares[-1] == 0.0
    (ax,) = ew.plot.distributions(answer, explainer)
    assert "$elsewhere$" in [text.get_text() for text in ax.texts]
    ax.figure.canvas.draw()


def test_many_levels_keep_the_two_that_matter():
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(5)
    names = [f"town {i:02}" for i in range(30)]
    frame = pandas.DataFrame({"town": rng.choice(names, 3000, p=np.arange(1, 31) / 465)})
    label = np.where(frame["town"].isin(names[15:]), "yes", "no")
    model = make_pipeline(OneHotEncoder(), LogisticRegression()).fit(frame, label)
    explainer = ew.Explainer(model, density=None).fit(frame, label)
    answer = explainer.explain_one(pandas.Series({"town": names[0]}), "yes")
    (ax,) = ew.plot.distributions(answer, explainer)
    texts = [text.get_text() for text in ax.texts]
    assert names[0] in texts
    assert answer.counterfactual["town"] in texts
    assert "20 others" in texts


def test_a_regressor_is_held_against_all_rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    explainer = ew.Explainer(LinearRegression().fit(X, X @ [1.0, 2.0, -1.0]), density=None).fit(X)
    answer = explainer.explain_one(X[0], (8.0, None))
    picture = DistributionsPicture.compute(answer, explainer)
    assert picture.rows == "real cases"
    place = int(picture.columns[0].name[1:])
    np.testing.assert_allclose(picture.columns[0].shares * 80, np.histogram(X[:, place], picture.columns[0].edges)[0])
    ax = ew.plot.changes(answer)
    assert ax.get_title(loc="left").endswith("→ at least 8")


def test_wrong_arguments(iris, iris_explainer, loans):
    X, y = iris
    answer = iris_explainer.explain_one(X[0], "virginica")
    with pytest.raises(ew.InvalidInputError, match=r"there is no column 'petal'. There are 'x0', 'x1'"):
        ew.plot.distributions(answer, iris_explainer, ["petal"])
    with pytest.raises(ew.InvalidInputError, match="expected a list of column names, received 'x0'"):
        ew.plot.distributions(answer, iris_explainer, "x0")
    with pytest.raises(ew.InvalidInputError, match="each column once"):
        ew.plot.distributions(answer, iris_explainer, ["x0", "x0"])
    with pytest.raises(ew.InvalidInputError, match="at least one column name"):
        ew.plot.distributions(answer, iris_explainer, [])
    with pytest.raises(ew.InvalidInputError, match="other columns than the explainer: 'x0'"):
        ew.plot.distributions(answer, loans.explainer)
    with pytest.raises(ew.InvalidInputError, match="a fitted Explainer, received LogisticRegression"):
        ew.plot.distributions(answer, iris_explainer.model)
    answers = iris_explainer.explain(X, y)
    same = answers[int(np.flatnonzero(answers.distances == 0.0)[0])]
    with pytest.raises(ew.InvalidInputError, match="Nothing has to change in this row"):
        ew.plot.distributions(same, iris_explainer)
    assert len(ew.plot.distributions(same, iris_explainer, ["x0"])) == 1
    assert len(ew.plot.distributions(answer, iris_explainer, max_columns=2)) == 2


def test_ranges_are_shaded(iris, iris_explainer):
    X, _ = iris
    answer = iris_explainer.explain_one(X[0], "virginica", ranges=True)
    axes = ew.plot.distributions(answer, iris_explainer)
    for ax, one in zip(axes, answer.ranges, strict=True):
        spans = [patch for patch in ax.patches if patch.get_alpha() == 0.18]
        assert len(spans) == 1
        box = spans[0].get_bbox()
        assert (box.x0, box.x1) == pytest.approx((one.low, one.high))
