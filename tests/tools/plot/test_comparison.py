"""Views hold the right numbers; drawings go to the axes given and touch no global state."""

import builtins
import sys

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import elsewise as ew
from elsewise.tools.plot import pictures as plotting


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    y = np.array(["setosa", "versicolor", "virginica"])[y]
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)
    density = ew.GaussianMixtureDensity(n_components=2)
    plausible = ew.Explainer(model, density=density).fit(X, y)
    closest = ew.Explainer(model, density=None).fit(X, y)
    answers = {
        "closest": closest.explain_one(X[0], "virginica"),
        "plausible": plausible.explain_one(X[0], "virginica"),
    }
    return plausible, answers, X, y


def test_changes_are_in_deviations_of_the_target(iris):
    _, answers, X, y = iris
    real = X[y == "virginica"]
    view = plotting.changes_view(answers, real)
    columns = [int(name[1:]) for name in view.features]
    for values, answer in zip(view.points, answers.values()):
        expected = (answer.counterfactual[columns] - real[:, columns].mean(axis=0)) / real[:, columns].std(axis=0)
        np.testing.assert_allclose(values, expected)
    changed = {change.feature for answer in answers.values() for change in answer.changes}
    assert set(view.features) == changed
    np.testing.assert_array_equal(view.row_values, X[0, columns])
    assert view.curve.max() == 1.0
    assert plotting.changes_view(answers, real, max_features=1).features == view.features[:1]


def test_plane_density_is_the_marginal(iris):
    """The marginal integrates the full mixture over the other features: check by sampling the mixture itself."""
    explainer, answers, X, y = iris
    view = plotting.plane_view(explainer, answers, X, y, features=(2, 3))
    step = [axis[1] - axis[0] for axis in view.grid]
    mixture = explainer.densities_["virginica"].mixture_
    sample, _ = mixture.sample(20_000)
    sample = explainer.model[0].inverse_transform(sample)[:, [2, 3]]
    low, high = np.array([5.0, 1.6]), np.array([6.0, 2.2])
    inside = ((sample >= low) & (sample <= high)).all(axis=1).mean()
    across, up = view.grid
    box = np.ix_((up >= low[1]) & (up <= high[1]), (across >= low[0]) & (across <= high[0]))
    assert view.target.density[box].sum() * step[0] * step[1] == pytest.approx(inside, abs=0.03)


def test_plane_density_of_every_covariance_type(iris):
    _, answers, X, y = iris
    for kind in ("full", "tied", "diag", "spherical"):
        density = ew.GaussianMixtureDensity(n_components=1, covariance_type=kind)
        explainer = ew.Explainer(LogisticRegression(max_iter=1000).fit(X, y), density=density).fit(X, y)
        view = plotting.plane_view(explainer, answers, X, y, features=(0, 1))
        mixture = explainer.densities_["virginica"].mixture_
        covariance = mixture.covariances_ if kind == "tied" else mixture.covariances_[0]
        covariance = covariance if np.ndim(covariance) == 2 else covariance * np.eye(4)
        at = np.array([view.grid[0][30], view.grid[1][90]])
        expected = multivariate_normal(mixture.means_[0, :2], covariance[:2, :2]).pdf(at)
        assert view.target.density[90, 30] == pytest.approx(expected)


def test_outlines_hold_their_share_of_rows(iris):
    explainer, answers, X, y = iris
    view = plotting.plane_view(explainer, answers, X, y)
    assert [cloud.label for cloud in view.others] == ["setosa", "versicolor"]
    assert view.target.label == "virginica"
    assert view.target.levels[0] < view.target.levels[1] < view.target.density.max()
    assert view.features[0] == f"x{np.argmax(np.abs(answers['closest'].counterfactual - X[0]) / X.std(axis=0))}"


def test_a_map_that_loses_dimensions_has_no_marginal(iris):
    _, answers, X, y = iris
    model = make_pipeline(PCA(2), LogisticRegression()).fit(X, y)
    explainer = ew.Explainer(model, density=ew.GaussianMixtureDensity(n_components=1)).fit(X, y)
    view = plotting.plane_view(explainer, answers, X, y)
    assert view.target.density is None
    assert plotting.draw_plane(view) is not None


def test_drawings_use_the_axes_given_and_no_pyplot(iris):
    explainer, answers, X, y = iris
    figure_module = pytest.importorskip("matplotlib.figure")
    changes = plotting.changes_view(answers, X[y == "virginica"])
    plane = plotting.plane_view(explainer, answers, X, y)
    figure = figure_module.Figure()
    left, right = figure.subplots(1, 2)
    assert plotting.draw_changes(changes, left) is left
    assert plotting.draw_plane(plane, right) is right
    assert [label.get_text() for label in left.get_yticklabels()] == list(changes.features)
    assert (right.get_xlabel(), right.get_ylabel()) == plane.features
    assert plotting.draw_changes(changes).figure is not figure
    pyplot = sys.modules.get("matplotlib.pyplot")
    assert pyplot is None or pyplot.get_fignums() == []


def test_figure_can_be_saved(iris, tmp_path):
    explainer, answers, X, y = iris
    figure = plotting.counterfactual_figure(explainer, answers, X, y, title="One row")
    figure.savefig(tmp_path / "row.png")
    assert (tmp_path / "row.png").read_bytes().startswith(b"\x89PNG")
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    assert names == ["now", "closest", "plausible", "real virginica rows", "real other rows"]


def test_what_cannot_be_drawn_is_refused(iris, monkeypatch):
    explainer, answers, X, y = iris
    with pytest.raises(ew.InvalidInputError, match="at least one explanation"):
        plotting.changes_view({}, X)
    high = ew.Explainer(explainer.model, threshold=ew.LogDensity(99.0)).fit(X, y).explain_one(X[0], "virginica")
    with pytest.raises(ew.InvalidInputError, match="all of them with a counterfactual"):
        plotting.plane_view(explainer, {"none": high}, X, y)
    one = ew.Explainer(LogisticRegression().fit(X[:, :1], y), density=None).fit(X[:, :1], y)
    with pytest.raises(ew.InvalidInputError, match="needs two features"):
        plotting.plane_view(one, {"one": one.explain_one(X[0, :1], "virginica")}, X[:, :1], y)

    real = builtins.__import__

    def fails(name, *args, **kwargs):
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", fails)
    with pytest.raises(ew.MissingDependencyError, match=r"elsewise\[plot\]"):
        plotting.draw_changes(plotting.changes_view(answers, X[y == "virginica"]))


def test_tables_are_drawn_if_they_are_numbers(iris, loans):
    pandas = pytest.importorskip("pandas")
    explainer, answers, X, y = iris
    frame = pandas.DataFrame(X, columns=list("abcd"))
    framed = dict(zip(answers, explainer.explain(frame[:2], "virginica")))
    view = plotting.changes_view(framed, frame[y == "virginica"])
    plain = dict(zip(answers, explainer.explain(X[:2], "virginica")))
    same = plotting.changes_view(plain, X[y == "virginica"])
    np.testing.assert_array_equal(view.point_values, same.point_values)
    mixed = {"plausible": loans.explainer.explain_one(loans.frame.iloc[0], "yes")}
    with pytest.raises(ew.InvalidInputError, match=r"column 'housing' is a category. Use explanation.changes"):
        plotting.counterfactual_figure(loans.explainer, mixed, loans.frame, loans.label)
    with pytest.raises(ew.InvalidInputError, match=r"column 'housing' is a category"):
        plotting.changes_view(mixed, loans.frame)
