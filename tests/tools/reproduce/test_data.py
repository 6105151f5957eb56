"""Data sets of the paper, and what happens where one cannot be had."""

import urllib.error

import numpy as np
import pytest
from sklearn.datasets import load_digits

from elsewise.errors import InvalidInputError
from elsewise.tools.reproduce import data
from elsewise.tools.reproduce.data import NAMES, load

COLUMNS = ["CRIM", "ZN", "INDUS", "CHAS", "NOX", "RM", "AGE", "DIS", "RAD", "TAX", "PTRATIO", "B", "LSTAT", "MEDV"]


def _write(path, columns, rows):
    lines = [",".join(columns), *(",".join(str(value) for value in row) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_bundled_data_are_raw_and_have_the_components_of_the_paper():
    sets, skipped = load([name for name in NAMES if name != "house_prices"])
    assert skipped == ()
    assert {each.name: each.n_components for each in sets} == {
        "iris": None, "digits": 40, "wine": 8, "breast_cancer": 5,
    }  # fmt: skip
    digits = next(each for each in sets if each.name == "digits")
    np.testing.assert_array_equal(digits.X, load_digits().data)


def test_house_prices_come_from_a_file_whatever_the_order_of_its_columns(tmp_path):
    rng = np.random.default_rng(0)
    values = rng.uniform(1.0, 50.0, (7, 14)).round(3)
    values[:3, -1] = 19.99, 20.0, 20.01
    order = rng.permutation(14)
    path = _write(tmp_path / "prices.csv", [COLUMNS[i] for i in order], values[:, order])
    (prices,), skipped = load(["house_prices"], path)
    assert skipped == ()
    np.testing.assert_array_equal(prices.X, values[:, :13])
    np.testing.assert_array_equal(prices.y, values[:, 13] >= 20)
    assert prices.n_components == 10


def test_house_prices_file_must_have_all_columns_and_numbers(tmp_path):
    path = _write(tmp_path / "short.csv", COLUMNS[:-2], [range(12)])
    with pytest.raises(InvalidInputError, match=r"it has no LSTAT, MEDV"):
        load(["house_prices"], path)
    path = _write(tmp_path / "words.csv", COLUMNS, [["n/a", *range(13)]])
    with pytest.raises(InvalidInputError, match=r"column CRIM has a value that is not a number"):
        load(["house_prices"], path)
    path = _write(tmp_path / "gaps.csv", COLUMNS, [[*range(13), "nan"]])
    with pytest.raises(InvalidInputError, match=r"column MEDV has a value that is not finite"):
        load(["house_prices"], path)


@pytest.mark.parametrize(
    "error", [urllib.error.URLError("no route"), TimeoutError("timed out"), ConnectionResetError("reset")]
)
def test_house_prices_are_skipped_without_network_or_file(monkeypatch, error):
    def fails(**arguments):
        raise error

    monkeypatch.setattr(data, "fetch_openml", fails)
    sets, skipped = load(["iris", "house_prices"])
    assert [each.name for each in sets] == ["iris"]
    (missing,) = skipped
    assert missing.name == "house_prices"
    assert "--house-prices FILE" in missing.reason


def test_an_error_that_is_not_the_network_is_not_swallowed(monkeypatch):
    def fails(**arguments):
        raise RuntimeError("a bug")

    monkeypatch.setattr(data, "fetch_openml", fails)
    with pytest.raises(RuntimeError, match="a bug"):
        load(["house_prices"])


def test_openml_categories_keep_their_values(monkeypatch):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({name: [1.5, 2.5, 30.0] for name in COLUMNS})
    frame["RAD"] = pandas.Categorical(["24", "1", "24"], categories=["1", "24"])

    class Bunch:
        pass

    bunch = Bunch()
    bunch.frame = frame
    monkeypatch.setattr(data, "fetch_openml", lambda **arguments: bunch)
    (prices,), _ = load(["house_prices"])
    np.testing.assert_array_equal(prices.X[:, COLUMNS.index("RAD")], [24.0, 1.0, 24.0])
    np.testing.assert_array_equal(prices.y, [0, 0, 1])


def test_unknown_data_set_is_refused():
    with pytest.raises(InvalidInputError, match="Unknown data set 'mnist': expected some of iris"):
        load(["mnist"])
