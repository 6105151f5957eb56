"""Distances and their validation against the training rows."""

import numpy as np
import pytest
from scipy.spatial.distance import cityblock, mahalanobis

from elsewise.distances import Mahalanobis, Manhattan, ResolvedMahalanobis, Scaled, resolve_distance
from elsewise.errors import InvalidInputError
from elsewise.table.infer import read_table


@pytest.fixture(name="X")
def training_rows():
    rng = np.random.default_rng(0)
    return rng.normal(size=(60, 4)) @ rng.normal(size=(4, 4)) + 5.0


def test_manhattan_is_the_weighted_sum(X):
    weights = np.array([1.0, 0.5, 2.0, 10.0])
    value = Manhattan(weights).resolve(X)(X[:20], X[20:40])
    np.testing.assert_allclose(value, [cityblock(a, b, weights) for a, b in zip(X[:20], X[20:40])])
    plain = resolve_distance("manhattan", X)
    np.testing.assert_array_equal(plain.weights, np.ones(4))
    np.testing.assert_allclose(plain(X[0], X), [cityblock(X[0], b) for b in X])


def test_mahalanobis_is_the_quadratic_form(X):
    root = np.random.default_rng(1).normal(size=(4, 4))
    omega = root @ root.T
    value = resolve_distance(Mahalanobis(omega), X)(X[:20], X[20:40])
    np.testing.assert_allclose(value, [mahalanobis(a, b, omega) ** 2 for a, b in zip(X[:20], X[20:40])])
    assert Mahalanobis(np.eye(4)).resolve(X)(X[0], X[1])[0] == pytest.approx(np.sum((X[0] - X[1]) ** 2))


def test_default_omega_is_the_inverse_covariance(X):
    distance = resolve_distance("mahalanobis", X)
    inverse = np.linalg.inv(np.cov(X.T, bias=True))
    expected = [mahalanobis(a, b, inverse) ** 2 for a, b in zip(X[:20], X[20:40])]
    np.testing.assert_allclose(distance(X[:20], X[20:40]), expected, rtol=1e-3)
    np.testing.assert_array_equal(distance.omega, distance.omega.T)


def test_default_omega_does_not_depend_on_units(X):
    units = np.array([1e-5, 1.0, 1e5, 3.0])
    here = Mahalanobis().resolve(X)(X[:10], X[10:20])
    there = Mahalanobis().resolve(X * units)(X[:10] * units, X[10:20] * units)
    np.testing.assert_allclose(there, here, rtol=1e-6)


@pytest.mark.parametrize("extra", ["constant", "zero", "collinear"])
def test_default_omega_exists_for_degenerate_features(X, extra):
    column = {"constant": np.full(60, 3.0), "zero": np.zeros(60), "collinear": X[:, 0] - 2.0 * X[:, 1]}[extra]
    degenerate = np.column_stack([X, column])
    omega = Mahalanobis().resolve(degenerate).omega
    assert np.linalg.eigvalsh(omega)[0] > 0.0
    # What it computes is still accepted when given explicitly, and leaving the data's subspace is dear.
    Mahalanobis(omega).resolve(degenerate)
    within = Mahalanobis().resolve(degenerate)(degenerate[:20], degenerate[20:40])
    np.testing.assert_allclose(within, Mahalanobis().resolve(X)(X[:20], X[20:40]), rtol=1e-3)
    step = np.array([0.0, 0.0, 0.0, 0.0, 1.0])
    assert Mahalanobis().resolve(degenerate)(degenerate[0], degenerate[0] + step)[0] > 1e3


def test_a_pair_has_the_same_bits_alone_and_in_a_batch(X):
    for distance in (resolve_distance("manhattan", X), resolve_distance("mahalanobis", X)):
        batch = distance(X[:30], X[30:])
        for i in range(30):
            assert distance(X[i], X[30 + i])[0] == batch[i]


def test_resolved_distances_own_their_arrays(X):
    weights = np.ones(4)
    resolved = Manhattan(weights).resolve(X)
    weights[0] = 99.0
    assert resolved.weights[0] == 1.0


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0, 2.0], r"each of the 4 features, shape \(4,\), received shape \(2,\)"),
        (np.ones((4, 1)), r"received shape \(4, 1\)"),
        ([1.0, 0.0, 1.0, 1.0], "received 0.0 at index 1"),
        ([1.0, 1.0, -3.0, -1.0], r"received -3.0 at index 2 \(2 wrong in all\)"),
        ([1.0, 1.0, 1.0, np.nan], "received nan at index 3"),
        ([np.inf, 1.0, 1.0, 1.0], "received inf at index 0"),
        (["a", "b", "c", "d"], "must be an array of numbers"),
    ],
)
def test_wrong_weights_are_refused(X, weights, message):
    with pytest.raises(InvalidInputError, match=message):
        Manhattan(weights).resolve(X)


@pytest.mark.parametrize(
    ("omega", "message"),
    [
        (np.eye(3), r"shape \(4, 4\) for 4 features, received shape \(3, 3\)"),
        (np.ones(4), r"received shape \(4,\)"),
        (np.triu(np.ones((4, 4))) + 3.0 * np.eye(4), "must be symmetric"),
        (np.diag([1.0, 1.0, 1.0, -2.0]), "smallest eigenvalue is -2"),
        (np.ones((4, 4)), "must be positive definite"),
        (np.zeros((4, 4)), "smallest eigenvalue is 0"),
        (np.diag([1.0, np.nan, 1.0, 1.0]), r"received nan at \(1, 1\)"),
    ],
)
def test_wrong_omegas_are_refused(X, omega, message):
    with pytest.raises(InvalidInputError, match=message):
        Mahalanobis(omega).resolve(X)


def test_omegas_of_very_different_units_are_positive_definite(X):
    diagonal = np.array([1e-12, 1.0, 1e12, 1.0])
    distance = Mahalanobis(np.diag(diagonal)).resolve(X)
    np.testing.assert_array_equal(distance(np.eye(4), np.zeros(4)), diagonal)


def test_a_covariance_needs_two_rows(X):
    with pytest.raises(InvalidInputError, match="at least 2 training rows"):
        Mahalanobis().resolve(X[:1])


@pytest.mark.parametrize("wrong", ["euclid", "Manhattan", None, 3, Manhattan])
def test_unknown_distances_are_refused(X, wrong):
    with pytest.raises(InvalidInputError, match="Unknown distance"):
        resolve_distance(wrong, X)


def test_rows_that_do_not_fit_are_refused(X):
    distance = resolve_distance("manhattan", X)
    with pytest.raises(InvalidInputError, match=r"received shapes \(60, 4\) and \(3,\)"):
        distance(X, np.ones(3))
    with pytest.raises(InvalidInputError, match=r"received shapes \(5, 4\) and \(6, 4\)"):
        distance(X[:5], X[:6])


def mad(values):
    """Median absolute deviation from the median."""
    return np.median(np.abs(values - np.median(values)))


@pytest.fixture(name="frame")
def frame_of_all_kinds():
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(2)
    return pandas.DataFrame({
        "income": rng.normal(3000.0, 500.0, size=50),
        "years": rng.poisson(4.0, size=50),
        "grade": pandas.Categorical(rng.choice(["low", "fair", "good"], 50), ["low", "fair", "good"], ordered=True),
        "colour": rng.choice(["red", "green", "blue"], 50),
        "member": rng.random(50) < 0.3,
    })  # fmt: skip


def test_scaled_divides_by_the_median_absolute_deviation(X):
    scales = [mad(X[:, j]) for j in range(4)]
    distance = Scaled().resolve(X)
    np.testing.assert_allclose(distance.weights, 1.0 / np.array(scales))
    np.testing.assert_allclose(distance(X[:5], X[5:10]), (np.abs(X[:5] - X[5:10]) / scales).sum(axis=1))


def test_scaled_does_not_depend_on_units_or_on_a_few_extreme_values(X):
    units = np.array([1e-6, 1.0, 1e6, 3.0])
    np.testing.assert_allclose(
        resolve_distance("scaled", X * units)(X[:5] * units, X[5:10] * units), Scaled().resolve(X)(X[:5], X[5:10])
    )
    extreme = X.copy()
    extreme[np.argmax(X, axis=0), np.arange(4)] = 1e9
    np.testing.assert_array_equal(Scaled().resolve(extreme).weights, Scaled().resolve(X).weights)


def test_a_rare_count_costs_as_much_as_a_change_of_category():
    rng = np.random.default_rng(0)
    rows = np.column_stack(
        [rng.normal(45.0, 13.0, 1000), np.where(rng.random(1000) < 0.02, rng.integers(1, 3, 1000), 0)]
    )
    distance = Scaled().resolve(rows)
    one_more, sixty_years = distance(np.zeros((2, 2)), np.array([[0.0, 1.0], [60.0, 0.0]]))
    assert 0.5 <= one_more <= 1.0  # the counts are 1 and 2
    assert sixty_years > 5 * one_more


def test_scaled_falls_back_to_rows_that_do_not_agree_and_to_one():
    # More than half of the rows agree; all of them agree; they agree up to rounding.
    rows = np.zeros((10, 3))
    rows[:4, 0] = [1.0, 2.0, 3.0, 14.0]
    rows[:, 1] = 7.0
    rows[:, 2] = 1e9 + 1e-7 * np.arange(10)
    np.testing.assert_allclose(Scaled().resolve(rows).weights, [1.0 / 2.5, 1.0, 1.0])


def test_columns_of_a_table_have_their_prices(frame):
    table = read_table(frame)
    rows = table.encode(frame)
    income, years = frame["income"].to_numpy(), frame["years"].to_numpy()
    ranks = frame["grade"].cat.codes.to_numpy()
    before, after = frame.iloc[[0]].copy(), frame.iloc[[0]].copy()
    steps = {"income": 100.0, "years": 2, "grade": None, "colour": None, "member": None}
    prices = {
        "income": 100.0 / mad(income),
        "years": 2.0 / mad(years),
        "grade": abs(2 - ranks[0]) / mad(ranks),
        "colour": 1.0,
        "member": 1.0,
    }
    other = {"grade": "good", "colour": {"red": "green"}.get(frame["colour"][0], "red"), "member": ~frame["member"][0]}
    distance, total = Scaled().resolve(rows, table), 0.0
    for name, step in steps.items():
        one = before.copy()
        one[name] = before[name] + step if step is not None else other[name]
        if name == "grade":
            one[name] = one[name].astype(frame["grade"].dtype)
        after[name] = one[name]
        total += prices[name]
        np.testing.assert_allclose(distance(table.encode(one), table.encode(before)), prices[name], err_msg=name)
    np.testing.assert_allclose(distance(table.encode(after), table.encode(before)), total)


@pytest.mark.parametrize("kind", [Manhattan, Scaled])
def test_weights_by_column(frame, kind):
    table = read_table(frame)
    rows = table.encode(frame)
    plain = kind().resolve(rows, table).weights
    named = kind({"colour": 5.0, "years": 0.25}).resolve(rows, table).weights
    factor = np.ones(table.n_features)
    for column in table.columns:
        factor[column.features] = {"colour": 5.0, "years": 0.25}.get(column.name, 1.0)
    np.testing.assert_allclose(named, plain * factor)
    listed = kind([1.0, 0.25, 1.0, 5.0, 1.0]).resolve(rows, table).weights
    np.testing.assert_array_equal(listed, named)


def test_a_change_of_category_costs_its_price_once(frame):
    table = read_table(frame)
    rows = table.encode(frame)
    distance = Manhattan({"colour": 3.0, "member": 0.5}).resolve(rows, table)
    apart = distance(rows[:25], rows[25:])
    first, second = frame.iloc[:25].reset_index(drop=True), frame.iloc[25:].reset_index(drop=True)
    expected = (first["income"] - second["income"]).abs() + (first["years"] - second["years"]).abs()
    expected += (first["grade"].cat.codes - second["grade"].cat.codes).abs()
    expected += 3.0 * (first["colour"] != second["colour"]) + 0.5 * (first["member"] != second["member"])
    np.testing.assert_allclose(apart, expected)


def test_auto_is_plain_for_numbers_and_scaled_for_tables(X, frame):
    np.testing.assert_array_equal(resolve_distance("auto", X).weights, np.ones(4))
    for columns in (["income"], ["income", "years"], ["income", "grade"], ["income", "member"]):
        part = frame[columns]
        table = read_table(part)
        rows = table.encode(part)
        expected = (Manhattan() if columns == ["income"] else Scaled()).resolve(rows, table)
        np.testing.assert_array_equal(resolve_distance("auto", rows, table).weights, expected.weights)


@pytest.mark.parametrize("kind", [Manhattan, Scaled])
@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({"color": 2.0}, "weights: there is no column 'color'. The columns are 'income', 'years', 'grade', 'colour'"),
        ({"colour=red": 2.0}, "there is no column 'colour=red'"),
        ({"years": 0.0}, "finite and positive, received 0.0 at index 1"),
        ({"years": "dear"}, "must be an array of numbers"),
        ([1.0] * 8, r"received shape \(8,\)"),
        ([1.0, 1.0, 1.0, 1.0, np.inf], "received inf at index 4"),
    ],
)
def test_wrong_weights_of_columns_are_refused(frame, kind, weights, message):
    table = read_table(frame)
    with pytest.raises(InvalidInputError, match=message):
        kind(weights).resolve(table.encode(frame), table)


def test_mahalanobis_is_about_numbers(frame):
    table = read_table(frame)
    with pytest.raises(InvalidInputError, match="'colour', 'member' are categories"):
        resolve_distance("mahalanobis", table.encode(frame), table)
    numbers = frame[["income", "years", "grade"]]
    table = read_table(numbers)
    assert isinstance(resolve_distance("mahalanobis", table.encode(numbers), table), ResolvedMahalanobis)


def test_scaled_owns_its_arrays(X):
    weights = np.ones(4)
    resolved = Scaled(weights).resolve(X)
    before = resolved.weights.copy()
    weights[0] = 99.0
    np.testing.assert_array_equal(resolved.weights, before)
