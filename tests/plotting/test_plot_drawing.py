"""What holds for every picture: axes given are used and returned, nothing is left behind, any name is safe."""

import subprocess
import sys

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import elsewise as ew
from elsewise.plotting import canvas, words

pytest.importorskip("matplotlib")

from matplotlib import pyplot
from matplotlib.figure import Figure

HOSTILE = [
    "$x_1$ and $",
    r"\frac{a}{b}$\undefined$",
    "_hidden",
    "a very long name " * 12,
    "line\nbreak\ttab\x00null",
    "",
    "<script>alert(1)</script>",
    "%d {0} {",
]


@pytest.fixture(scope="module")
def hostile():
    """Columns and classes with names that plotting libraries take for something else."""
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(2)
    frame = pandas.DataFrame(rng.normal(size=(90, len(HOSTILE))), columns=HOSTILE)
    label = np.where(frame.sum(axis=1) > 0, "$good^$", "_bad$")
    model = LogisticRegression().fit(frame.to_numpy(), label)
    explainer = ew.Explainer(model, density=ew.GaussianMixtureDensity(n_components=1)).fit(frame, label)
    return explainer, frame[label == "_bad$"]


def _pictures(explainer, row, rows, target):
    """Each kind of picture, as a function of ``ax`` and the number of axes it needs."""
    answer, answers = explainer.explain_one(row, target), explainer.explain(rows, target)
    frontier = explainer.frontier(row, target, [0.2, 0.6])
    n = len(answer.feature_names)
    return {
        "changes": (lambda ax: ew.plot.changes(answer, ax=ax), ()),
        "distributions": (lambda ax: ew.plot.distributions(answer, explainer, ax=ax), (len(answer.changes),)),
        "plane": (lambda ax: ew.plot.plane(explainer, answer, resolution=12, ax=ax), ()),
        "images": (lambda ax: ew.plot.images(answers[:2], (1, n), ax=ax), (2, 3)),
        "frontier": (lambda ax: ew.plot.frontier(frontier, ax=ax), ()),
        "summary": (lambda ax: ew.plot.summary(answers, ax=ax), (2,)),
    }


KINDS = ["changes", "distributions", "plane", "images", "frontier", "summary"]


@pytest.mark.parametrize("kind", KINDS)
def test_axes_given_are_used_and_returned(iris, iris_explainer, kind):
    X, _ = iris
    draw, shape = _pictures(iris_explainer, X[0], X[:6], "virginica")[kind]
    figure = Figure(figsize=(9, 7))
    given = figure.subplots(*(shape if len(shape) != 1 else (1, *shape)), squeeze=False)
    given = given.reshape(shape) if shape else given[0, 0]
    returned = draw(given)
    assert returned is given if not shape else (returned == given).all()
    assert len(figure.axes) == int(np.prod(shape))
    figure.canvas.draw()


@pytest.mark.parametrize("kind", KINDS)
def test_new_figures_are_not_kept_by_pyplot(iris, iris_explainer, kind):
    X, _ = iris
    draw, shape = _pictures(iris_explainer, X[0], X[:6], "virginica")[kind]
    before = pyplot.get_fignums()
    axes = np.array(draw(None), dtype=object)
    assert axes.shape == shape
    assert pyplot.get_fignums() == before
    figure = axes.flat[0].figure
    assert all(ax.figure is figure for ax in axes.flat)
    assert hasattr(figure, "savefig")


@pytest.mark.parametrize("kind", KINDS)
def test_hostile_names_are_drawn_as_they_are(hostile, kind, tmp_path):
    explainer, rows = hostile
    draw, _ = _pictures(explainer, rows.iloc[0], rows[:5], "$good^$")[kind]
    figure = np.array(draw(None), dtype=object).flat[0].figure
    for suffix in ("png", "svg"):
        figure.savefig(tmp_path / f"picture.{suffix}")
    drawn = (tmp_path / "picture.svg").read_text()
    assert "<script>" not in drawn


def test_names_are_shown_in_full_if_short_and_told_apart_if_long(hostile):
    explainer, rows = hostile
    answer = explainer.explain_one(rows.iloc[0], "$good^$")
    changed = {change.feature for change in answer.changes}
    ax = ew.plot.changes(answer)
    names = [label.get_text() for label in ax.get_yticklabels()]
    for name in changed & {"$x_1$ and $", "_hidden", "%d {0} {"}:
        assert name in names
    assert ax.get_title(loc="left") == "Predicted _bad$, wanted $good^$"
    assert max(len(name) for name in names) <= 32
    long = "income of the applicant " * 4
    assert words.short(long + "2019") != words.short(long + "2020")


def test_a_figure_that_something_shows_is_known_to_pyplot(iris, iris_explainer, monkeypatch):
    """A notebook's or window's backend shows and closes what pyplot knows."""
    answer = iris_explainer.explain_one(iris[0][0], "virginica")
    monkeypatch.setattr("matplotlib.get_backend", lambda: "module://matplotlib_inline.backend_inline")
    ax = ew.plot.changes(answer)
    try:
        assert ax.figure.number in pyplot.get_fignums()
    finally:
        pyplot.close(ax.figure)


def test_axes_that_are_none_are_refused(iris, iris_explainer):
    X, _ = iris
    answer = iris_explainer.explain_one(X[0], "virginica")
    with pytest.raises(ew.InvalidInputError, match=r"ax: expected matplotlib Axes, .* received Figure"):
        ew.plot.changes(answer, ax=Figure())
    with pytest.raises(ew.InvalidInputError, match=r"expected 2 matplotlib Axes, .* received 3 objects of type Axes"):
        ew.plot.summary(iris_explainer.explain(X[:3], "virginica"), ax=Figure().subplots(1, 3))
    with pytest.raises(ew.InvalidInputError, match=r"expected 1 x 3 matplotlib Axes, .* received 1 object of type str"):
        ew.plot.images(answer, (2, 2), ax="left")
    single = Figure().subplots()
    assert ew.plot.distributions(answer, iris_explainer, ["x0"], ax=single)[0] is single


def test_matplotlib_is_imported_only_to_draw():
    code = "import sys, elsewise as ew; ew.plot.changes; assert 'matplotlib' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_without_matplotlib(iris, iris_explainer, monkeypatch):
    answer = iris_explainer.explain_one(iris[0][0], "virginica")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ew.MissingDependencyError, match=r"elsewise\[plot\]"):
        ew.plot.changes(answer)


def test_numbers_are_short_and_told_apart():
    assert [words.number(value) for value in (0.0, -0.0, 5951.0, 1234567.0, 0.123456, 98765.4321, 1e-9, -2.5)] == [
        "0", "0", "5951", "1234567", "0.1235", "98765", "1e-09", "-2.5",
    ]  # fmt: skip
    assert words.pair_texts(1.00001, 1.00002) == ("1.00001", "1.00002")
    assert words.pair_texts(0.1, np.nextafter(0.1, 1.0))[0] != words.pair_texts(0.1, np.nextafter(0.1, 1.0))[1]
    assert words.pair_texts(float("nan"), 3.0) == ("(missing)", "3")
    assert words.value_text(None) == "(missing)"
    assert words.value_text(True) == "True"
    assert words.short("\ud800 alone\n") == "alone"  # half a character, which no file can hold
    assert [words.percent(share) for share in (0.0, 0.001, 0.5, 0.999, 1.0)] == [
        "0 %",
        "< 1 %",
        "50 %",
        "> 99 %",
        "100 %",
    ]
    assert [words.outcome(range_) for range_ in ((1.0, 2.5), (None, 3.0), (4.0, np.inf))] == [
        "1 to 2.5", "at most 3", "at least 4",
    ]  # fmt: skip
    assert canvas.answer_styles(["a", "b"])["a"].marker != canvas.answer_styles(["a", "b"])["b"].marker
