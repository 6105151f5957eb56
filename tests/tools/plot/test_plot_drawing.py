"""What holds for every picture: axes given are used and returned, pyplot's figure else, and any name is safe."""

import os
import subprocess
import sys

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import elsewise as ew
from elsewise.tools.plot.pictures import arguments, canvas

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
def test_the_current_figure_of_pyplot_is_the_picture(iris, iris_explainer, kind, tmp_path):
    X, _ = iris
    draw, shape = _pictures(iris_explainer, X[0], X[:6], "virginica")[kind]
    axes = np.array(draw(None), dtype=object)
    assert axes.shape == shape
    assert all(ax.figure is pyplot.gcf() for ax in axes.flat)
    assert len(pyplot.gcf().axes) == axes.size
    again = np.array(draw(None), dtype=object)  # nothing is drawn over what is there
    assert again.flat[0].figure is pyplot.gcf() is not axes.flat[0].figure
    size = axes.flat[0].figure.get_size_inches()
    for chosen in (None, (12, 8)):
        empty = pyplot.figure(figsize=chosen)
        drawn = np.array(draw(None), dtype=object)
        assert all(ax.figure is empty for ax in drawn.flat)
        pyplot.savefig(tmp_path / "picture.png", dpi=20)
        pixels = pyplot.imread(tmp_path / "picture.png")
        width, height = size if chosen is None else chosen
        assert np.abs(pixels.shape[:2] - 20 * np.array([height, width])).max() <= 1
        assert np.ptp(pixels) > 0.2


@pytest.mark.parametrize("kind", ["changes", "plane", "frontier"])
def test_empty_axes_of_a_grid_are_drawn_on_in_turn(iris, iris_explainer, kind):
    X, _ = iris
    draw, _ = _pictures(iris_explainer, X[0], X[:6], "virginica")[kind]
    figure = pyplot.figure()
    left = pyplot.subplot(1, 2, 1)
    assert draw(None) is left
    right = pyplot.subplot(1, 2, 2)
    assert draw(None) is right
    assert figure.axes == [left, right]


def test_axes_that_are_given_leave_the_current_figure_alone(iris, iris_explainer):
    answer = iris_explainer.explain_one(iris[0][0], "virginica")
    current = pyplot.figure()
    ew.plot.changes(answer, ax=Figure().subplots())
    assert pyplot.gcf() is current
    assert current.axes == []


def test_a_program_without_pyplot_stays_without_it():
    """No figure is kept for ever, and no window opens."""
    code = """
import sys
import numpy as np
from sklearn.linear_model import LogisticRegression
import elsewise as ew
X = np.linspace(0.0, 1.0, 20)[:, None]
explainer = ew.Explainer(LogisticRegression().fit(X, X[:, 0] > 0.5), density=None).fit(X, X[:, 0] > 0.5)
answers = explainer.explain(X[:2], True)
for drawn in (ew.plot.changes(answers[0]), ew.plot.summary(answers)[0]):
    assert drawn.figure.axes
assert "matplotlib.pyplot" not in sys.modules
"""
    kept = {name: value for name, value in os.environ.items() if name != "MPLBACKEND"}
    subprocess.run([sys.executable, "-c", code], check=True, env=kept)


def test_a_notebook_shows_pictures_of_those_who_did_not_import_pyplot():
    """Its kernel names the backend before anything else happens."""
    code = """
import sys
import numpy as np
from sklearn.linear_model import LogisticRegression
import elsewise as ew
X = np.linspace(0.0, 1.0, 20)[:, None]
explainer = ew.Explainer(LogisticRegression().fit(X, X[:, 0] > 0.5), density=None).fit(X, X[:, 0] > 0.5)
import matplotlib
matplotlib.use("agg", force=False)
drawn = ew.plot.changes(explainer.explain_one(X[0], True))
assert sys.modules["matplotlib.pyplot"].gcf() is drawn.figure
"""
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "MPLBACKEND": "nbagg"})


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
    assert ax.get_title(loc="left") == "_bad$ → $good^$"
    assert max(len(name) for name in names) <= 32
    long = "income of the applicant " * 4
    assert arguments.short(long + "2019") != arguments.short(long + "2020")


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


def test_values_are_worded_as_in_sentences_and_told_apart():
    def pair(before, after, is_level=False):
        return arguments.pair_texts(before, after, is_level=is_level)

    assert pair(1.00001, 1.00002) == ("1.00001", "1.00002")
    assert pair(0.1, np.nextafter(0.1, 1.0))[0] != pair(0.1, np.nextafter(0.1, 1.0))[1]
    assert pair(float("nan"), 3.0) == ("not given", "3")
    assert pair(5951, 1234567) == ("5,951", "1,234,567")
    assert arguments.level_text("a", None, 48) == "not given"
    assert arguments.level_text("a", True, 48) == "yes"
    assert arguments.level_text("a", 10115, 48) == "10115"  # a code is no amount
    assert arguments.level_text("a", "", 48) == "(empty)"
    assert arguments.short("\ud800 alone\n") == "\\ud800 alone"  # half a character, which no file can hold
    assert [arguments.outcome(range_) for range_ in ((1.0, 2.5), (-np.inf, 3.0), (4.0, np.inf))] == [
        "between 1 and 2.5", "at most 3", "at least 4",
    ]  # fmt: skip
    assert arguments.outcome(True) == "True"
    assert arguments.rows_of_target((1.0, 2.5)) == "real cases"
    assert arguments.rows_of_target("good") == "real good cases"
    assert canvas.answer_styles(["a", "b"])["a"].marker != canvas.answer_styles(["a", "b"])["b"].marker
