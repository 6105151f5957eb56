"""The plane shows what the model and the density say of rows that differ from the answer in two columns."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression

import elsewise as ew
from elsewise.tools.plot.pictures import PlanePicture

pytest.importorskip("matplotlib")


def _check_against_model(picture, explainer, rows, label):
    """Ask the model and the public log density, row by row."""
    said = explainer.model.predict(rows)
    classes = [str(each) for each in explainer.classes_]
    assert [picture.outcomes[k] for k in picture.regions.ravel()] == [str(each) for each in said]
    assert picture.outcomes == tuple(classes)
    np.testing.assert_allclose(picture.log_density.ravel(), explainer.log_density(rows, label))


def test_regions_and_density_of_numbers(iris, iris_explainer):
    X, _ = iris
    answer = iris_explainer.explain_one(X[0], "virginica")
    picture = PlanePicture.compute(iris_explainer, answer, ("x2", "x0"), resolution=17)
    across, up = picture.grid
    rows = np.repeat(answer.counterfactual[None], 17 * 17, axis=0)
    rows[:, 2], rows[:, 0] = np.tile(across, 17), np.repeat(up, 17)
    _check_against_model(picture, iris_explainer, rows, "virginica")
    np.testing.assert_allclose(picture.log_components.max(axis=0), picture.log_density)
    assert picture.outcomes[picture.wanted] == "virginica"
    np.testing.assert_array_equal(picture.row, X[0, [2, 0]])
    np.testing.assert_array_equal(picture.counterfactual, answer.counterfactual[[2, 0]])
    assert picture.n_other_changes == sum(change.feature in ("x1", "x3") for change in answer.changes)
    for ticks, points in zip(picture.grid, np.stack([picture.row, picture.counterfactual], axis=1)):
        assert ticks[0] < points.min() <= points.max() < ticks[-1]


def test_whole_columns_of_a_table(loans):
    answer = loans.explainer.explain_one(loans.frame[loans.label == "no"].iloc[3], "yes")
    picture = PlanePicture.compute(loans.explainer, answer, ("years", "income"), resolution=12)
    across, up = picture.grid
    np.testing.assert_array_equal(across, np.round(across))
    pandas = pytest.importorskip("pandas")
    rows = pandas.DataFrame([answer.counterfactual] * (len(across) * len(up))).reset_index(drop=True)
    rows = rows.astype(loans.frame.dtypes.to_dict())
    rows["years"], rows["income"] = np.tile(across, len(up)).astype(int), np.repeat(up, len(across))
    _check_against_model(picture, loans.explainer, rows, "yes")


def test_default_columns_are_the_most_costly_numbers(loans):
    answers = loans.explainer.explain(loans.frame[loans.label == "no"], "yes")
    for answer in list(answers)[:10]:
        picture = PlanePicture.compute(loans.explainer, answer, resolution=3)
        numbers = [change.feature for change in answer.changes if change.feature in ("years", "income")]
        expected = [*numbers, *(name for name in ("years", "income") if name not in numbers)]
        assert list(picture.columns) == expected


def test_regions_of_a_regressor():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 2))
    model = LinearRegression().fit(X, X @ [1.0, 2.0])
    explainer = ew.Explainer(model, density=ew.GaussianMixtureDensity(n_components=1)).fit(X)
    answer = explainer.explain_one([0.0, 0.0], (1.0, 2.0))
    picture = PlanePicture.compute(explainer, answer, ("x0", "x1"), resolution=20)
    across, up = np.meshgrid(*picture.grid)
    value = model.predict(np.column_stack([across.ravel(), up.ravel()])).reshape(across.shape)
    np.testing.assert_array_equal(picture.regions, np.where(value < 1.0, 0, np.where(value > 2.0, 2, 1)))
    assert picture.outcomes == ("below 1", "between 1 and 2", "above 2")
    names = {text.get_text() for text in picture.draw().texts}
    assert {"below 1", "now", "then"} <= names


def test_without_a_density_and_in_one_region(iris, iris_explainer):
    X, y = iris
    explainer = ew.Explainer(iris_explainer.model, density=None).fit(X, y)
    answer = explainer.explain_one(X[0], "versicolor")
    picture = PlanePicture.compute(explainer, answer, resolution=10)
    assert picture.log_density is None
    assert picture.draw().figure is not None
    flat = np.full((50, 2), 3.0)
    flat[:, 1] = np.linspace(0.0, 1.0, 50)
    model = LogisticRegression().fit(flat, flat[:, 1] > 0.5)
    constant = ew.Explainer(model, density=None).fit(flat, flat[:, 1] > 0.5)
    ax = ew.plot.plane(constant, constant.explain_one(flat[0], True), ("x0", "x1"), resolution=8)
    ax.figure.canvas.draw()


def test_wrong_arguments(iris, iris_explainer, loans):
    X, y = iris
    answer = iris_explainer.explain_one(X[0], "virginica")
    with pytest.raises(ew.InvalidInputError, match=r"features: there is no column 'x9'"):
        ew.plot.plane(iris_explainer, answer, ("x0", "x9"))
    with pytest.raises(ew.InvalidInputError, match=r"expected two column names, received 3"):
        ew.plot.plane(iris_explainer, answer, ("x0", "x1", "x2"))
    with pytest.raises(ew.InvalidInputError, match="at least 2 points a side, received 1"):
        ew.plot.plane(iris_explainer, answer, resolution=1)
    mixed = loans.explainer.explain_one(loans.frame.iloc[0], "yes")
    with pytest.raises(
        ew.InvalidInputError, match=r"column 'housing' is a category. Choose two of \['years', 'income'"
    ):
        ew.plot.plane(loans.explainer, mixed, ("years", "housing"))
    one = ew.Explainer(LogisticRegression().fit(X[:, :1], y), density=None).fit(X[:, :1], y)
    with pytest.raises(ew.InvalidInputError, match="needs two numeric columns, this table has 1"):
        ew.plot.plane(one, one.explain_one(X[0, :1], "virginica"))
    with pytest.raises(ew.InvalidInputError, match="what explain_one returns, received Explainer"):
        ew.plot.plane(answer, iris_explainer)
