"""A path's picture shows its own profile and corners; images on the way are places that were evaluated."""

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_wine
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import elsewise as ew
from elsewise.tools.plot.pictures import PathImagesPicture, PathPicture

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True, as_frame=True)
    X = X.rename(columns={"proline": "$proline$"})
    names = np.array(["_a$", "b", "c"])[y]
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)).fit(X, names)
    return ew.Explainer(model, distance="scaled").fit(X, names), X


def test_the_picture_is_the_path(wine):
    explainer, X = wine
    path = explainer.path(X.iloc[135], "_a$")
    assert len(path) > 1
    axes = ew.plot.path(path)
    assert axes.shape == (2,)
    curve = next(line for line in axes[0].lines if line.get_label() == "as typical as so many real cases")
    np.testing.assert_allclose(curve.get_xdata(), path.profile.positions)
    np.testing.assert_allclose(curve.get_ydata(), path.profile.shares)
    assert min(curve.get_ydata()) >= path.level
    probable = next(line for line in axes[0].lines if "probability" in str(line.get_label()))
    np.testing.assert_allclose(probable.get_ydata(), path.profile.probabilities)
    walk = axes[1].lines[0]
    names = list(X.columns)
    across, up = (names.index(name) for name in PathPicture.compute(path).columns)
    np.testing.assert_allclose(walk.get_xdata(), path.features[:, across])
    np.testing.assert_allclose(walk.get_ydata(), path.features[:, up])
    axes[0].figure.canvas.draw()


def test_columns_can_be_chosen_and_axes_given(wine):
    from matplotlib.figure import Figure

    explainer, X = wine
    path = explainer.path(X.iloc[135], "_a$")
    given = Figure().subplots(1, 2)
    axes = ew.plot.path(path, ("$proline$", "hue"), ax=given)
    assert axes[1] is given[1]
    assert axes[1].get_xlabel() == "$proline$"
    axes[1].figure.canvas.draw()
    with pytest.raises(ew.InvalidInputError, match="two column names, received 1"):
        ew.plot.path(path, ("hue",))
    with pytest.raises(ew.InvalidInputError, match="no column 'nothing'"):
        ew.plot.path(path, ("hue", "nothing"))


def test_the_first_step_of_a_sparse_row_is_dashed(wine):
    explainer, X = wine
    path = explainer.path(X.iloc[146], "b", level=0.5)
    assert path.enters
    ax = ew.plot.path(path)[0]
    curve = next(line for line in ax.lines if line.get_label() == "as typical as so many real cases")
    assert curve.get_xdata()[0] == pytest.approx(path.lengths[0] / path.length)
    assert min(curve.get_ydata()) >= path.level
    assert any(line.get_linestyle() == "--" and len(line.get_xdata()) > 2 for line in ax.lines)


def test_what_cannot_be_drawn(wine):
    explainer, X = wine
    with pytest.raises(ew.InvalidInputError, match="received Explanation"):
        ew.plot.path(explainer.explain_one(X.iloc[135], "_a$"))
    hopeless = explainer.path(X.iloc[135], "_a$", constraints=ew.Constraints(immutable=list(X.columns)))
    with pytest.raises(ew.InvalidInputError, match="no way to draw"):
        ew.plot.path(hopeless)


def test_images_on_the_way_are_evaluated_places():
    X, y = load_digits(return_X_y=True)
    model = make_pipeline(PCA(16, random_state=0), LogisticRegression(max_iter=3000)).fit(X, y)
    explainer = ew.Explainer(model).fit(X, y)
    path = explainer.path(X[0], 9, time_limit=2)
    picture = PathImagesPicture.compute(path, (8, 8), 7)
    assert picture.images.shape == (7, 8, 8)
    np.testing.assert_array_equal(picture.images[0].ravel(), path.steps[0])
    np.testing.assert_array_equal(picture.images[-1].ravel(), path.steps[-1])
    land = explainer.fitted_.landscape()
    heights = land.log_max(explainer.fitted_.density_rows(picture.images.reshape(7, 64)))
    assert [land.share_no_denser(each) for each in heights] == pytest.approx(picture.shares)
    assert heights[int(path.enters) :].min() >= path.log_level - 1e-9
    axes = ew.plot.path_images(path, (8, 8))
    assert axes.shape == (9,)
    assert axes[0].get_title() == "0"
    assert axes[-1].get_title() == "9"
    axes[0].figure.canvas.draw()
    with pytest.raises(ew.InvalidInputError, match="8 x 7 is 56 pixels"):
        ew.plot.path_images(path, (8, 7))
    with pytest.raises(ew.InvalidInputError, match="at least 2"):
        ew.plot.path_images(path, (8, 8), n_images=1)
