"""Images are the rows themselves, reshaped."""

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression

import elsewise as ew
from elsewise.tools.plot.pictures import ImagesPicture

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(n_class=3, return_X_y=True)
    explainer = ew.Explainer(LogisticRegression(max_iter=5000).fit(X, y), density=None).fit(X, y)
    frozen = ew.Constraints(immutable=[f"x{i}" for i in range(64)])
    return X, explainer.explain(X[:3], [1, 2, 0]), explainer.explain(X[:1], 1, constraints=frozen)


def test_images_are_the_rows(digits):
    X, answers, _ = digits
    picture = ImagesPicture.compute(answers, (8, 8))
    np.testing.assert_array_equal(picture.before.reshape(3, 64), X[:3])
    np.testing.assert_array_equal(picture.after.reshape(3, 64), answers.counterfactuals)
    np.testing.assert_array_equal(picture.difference.reshape(3, 64), answers.counterfactuals - X[:3])
    axes = picture.draw()
    assert axes.shape == (3, 3)
    np.testing.assert_array_equal(axes[1, 0].images[0].get_array(), X[1].reshape(8, 8))
    np.testing.assert_array_equal(axes[2, 1].images[0].get_array(), answers.counterfactuals[2].reshape(8, 8))
    assert [axes[0, 0].get_title(), axes[0, 1].get_title()] == ["predicted 0", "wanted 1"]
    wide = ew.plot.images(answers[0], (4, 16))
    assert wide.shape == (1, 3)
    assert wide[0, 0].images[0].get_array().shape == (4, 16)


def test_signs_mark_what_rises_and_falls(digits):
    X, answers, _ = digits
    difference = (answers.counterfactuals[0] - X[0]).reshape(8, 8)
    most = np.abs(difference).max()
    axes = ew.plot.images(answers[0], (8, 8))
    marked = np.concatenate([dots.get_offsets() for dots in axes[0, 2].collections])
    expected = np.argwhere(np.abs(difference) > 0.1 * most)
    assert {(int(x), int(y)) for x, y in marked} == {(int(x), int(y)) for y, x in expected}


def test_a_row_without_an_answer_says_why(digits):
    _, answers, none = digits
    axes = ew.plot.images([answers[0], none[0]], (8, 8))
    assert axes[1, 1].get_title() == "wanted 1: none"
    said = " ".join(axes[1, 1].texts[0].get_text().split())
    assert said.startswith("Under these rules no change makes the model predict 1 (proven).")
    axes[0, 0].figure.canvas.draw()
    alone = ew.plot.images(none, (8, 8))
    alone[0, 0].figure.canvas.draw()


def test_wrong_arguments(digits, loans):
    X, answers, _ = digits
    with pytest.raises(ew.InvalidInputError, match="shape: 8 x 9 is 72 pixels, but the rows have 64 columns"):
        ew.plot.images(answers, (8, 9))
    for shape in ((64,), 8, "88", (8.0, 8), (-8, -8)):
        with pytest.raises(ew.InvalidInputError, match=r"expected \(height, width\) in pixels"):
            ew.plot.images(answers, shape)
    with pytest.raises(ew.InvalidInputError, match="what explain or explain_one returns, received ndarray"):
        ew.plot.images(X[:2], (8, 8))
    with pytest.raises(ew.InvalidInputError, match=r"1 to 40 of them, received 41. Draw a slice"):
        ew.plot.images([answers[0]] * 41, (8, 8))
    mixed = loans.explainer.explain_one(loans.frame.iloc[0], "yes")
    with pytest.raises(ew.InvalidInputError, match="nothing but numbers that the model uses, one a pixel"):
        ew.plot.images(mixed, (2, 2))
