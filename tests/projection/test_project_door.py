"""The public function: same bits in any batch, inputs untouched, errors that help."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from elsewise.distances import Mahalanobis, Manhattan
from elsewise.errors import InvalidInputError
from elsewise.projection import Projection, project
from strategies import instances, random_instance

BOTH = pytest.mark.parametrize("mahalanobis", [False, True], ids=["manhattan", "mahalanobis"])
FIELDS = list(Projection.__dataclass_fields__)


@BOTH
@pytest.mark.parametrize("shape", [(1, 0, 1), (4, 3, 4), (13, 30, 5), (30, 5, 12), (64, 2, 0)], ids=str)
def test_same_bits_alone_and_in_any_batch(shape, mahalanobis):
    made = random_instance([60, *shape], *shape, mahalanobis=mahalanobis, bounded=0.2, tilted=shape[0] == 13)
    rng = np.random.default_rng(61)
    X = made.inside + 3.0 * rng.normal(size=(9, shape[0])) * rng.choice([0.0, 1.0, 5.0], size=(9, 1))
    options = {"distance": made.distance, **made.constraints}
    whole = project(X, **options)
    order = rng.permutation(9)
    shuffled = project(X[order], **options)
    some = project(np.vstack([X[5], 1e3 + X[2], X[5]]), **options)
    for name in FIELDS:
        together = getattr(whole, name)
        np.testing.assert_array_equal(getattr(shuffled, name), together[order], err_msg=name)
        np.testing.assert_array_equal(getattr(some, name)[[0, 2]], together[[5, 5]], err_msg=name)
        for row in range(9):
            np.testing.assert_array_equal(
                getattr(project(X[row : row + 1], **options), name)[0], together[row], err_msg=name
            )


@BOTH
def test_inputs_are_not_modified_and_not_shared(mahalanobis):
    made = random_instance([62], 6, 4, 3, mahalanobis=mahalanobis, tilted=True, bounded=0.5)
    X = np.vstack([made.x0, made.inside])
    options = {**made.constraints, "X": X}
    before = {name: np.array(value, copy=True) for name, value in options.items()}
    answer = project(X, distance=made.distance, **made.constraints)
    for name, value in options.items():
        np.testing.assert_array_equal(value, before[name], err_msg=name)
    assert not np.shares_memory(answer.x, X)


def test_accepts_lists_and_read_only_or_strided_arrays():
    made = random_instance([63], 4, 3, 3)
    c = made.constraints
    plain = made.project()
    wide = np.asfortranarray(np.repeat(c["A"], 2, axis=0))[::2]
    wide.flags.writeable = False
    for options in (
        {key: value.tolist() if isinstance(value, np.ndarray) else value for key, value in c.items()},
        {**c, "A": wide},
    ):
        np.testing.assert_array_equal(project([made.x0.tolist()], distance=made.distance, **options).x, plain.x)


def test_shapes_of_the_answer():
    answer = project(
        np.zeros((3, 4)), A=np.ones((2, 4)), b=np.array([1.0, -1.0]), F=np.ones((5, 4)), g=np.ones(5), h0=9.0
    )
    assert answer.x.shape == answer.bound_multipliers.shape == (3, 4)
    assert answer.row_multipliers.shape == (3, 2)
    assert answer.cone_multipliers.shape == (3, 6)
    for name in ("distance", "lower_bound", "status", "iterations", "gap"):
        assert getattr(answer, name).shape == (3,)


@settings(max_examples=150, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(instances())
def test_degenerate_instances_are_certified(instance):
    answer = instance.project()
    instance.certify(answer)
    nearest = float(instance.distance.resolve(instance.x0[None])(instance.inside, instance.x0)[0])
    assert answer.lower_bound[0] <= nearest * (1 + 1e-9)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(instances())
def test_margins_never_give_nan(instance):
    answer = instance.project(margin=1e-8)
    assert answer.status[0] in ("optimal", "stalled")
    if answer.status[0] == "optimal":
        assert np.isfinite(answer.x).all()
        assert np.isfinite(answer.distance).all()


GOOD = {"A": np.ones((1, 2)), "b": np.ones(1), "F": np.eye(2), "g": np.zeros(2), "h0": 1.0}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"A": np.ones((1, 3))}, r"A: expected an array with shape \(n, 2\), received shape \(1, 3\)"),
        ({"A": [[np.nan, 1.0]]}, r"A must be finite, received nan at \(0, 0\)"),
        ({"A": None}, "A and b go together"),
        ({"b": None}, "A and b go together"),
        ({"b": np.ones(2)}, r"b: expected 1 numbers without NaN, received shape \(2,\)"),
        ({"b": [np.inf]}, "b must be finite: leave a row out"),
        ({"lower": np.zeros(3)}, r"lower: expected 2 numbers without NaN, received shape \(3,\)"),
        ({"upper": [np.nan, 0.0]}, "upper: expected 2 numbers without NaN"),
        (
            {"lower": [0.0, 2.0], "upper": [1.0, 1.0]},
            r"bounds of feature 1 contradict each other: lower 2.0 > upper 1.0",
        ),
        ({"lower": [np.inf, 0.0]}, "lower bound of inf or an upper bound of -inf leaves no value"),
        ({"F": np.ones((2, 3))}, r"F: expected an array with shape \(n, 2\), received shape \(2, 3\)"),
        ({"g": np.zeros(3)}, r"g: expected 2 numbers without NaN, received shape \(3,\)"),
        ({"g": [np.inf, 0.0]}, "g must be finite, received inf at index 0"),
        ({"h0": np.nan}, "h0 must be finite, received nan"),
        ({"h1": np.zeros(1)}, r"h1: expected 2 numbers without NaN, received shape \(1,\)"),
        ({"h1": [0.0, np.inf]}, "h1 must be finite, received inf at index 1"),
        ({"margin": -1.0}, "margin must be finite and not negative, received -1.0"),
        ({"margin": np.inf}, "margin must be finite and not negative, received inf"),
        ({"cutoff": np.nan}, "cutoff must be a number or None"),
        ({"distance": Mahalanobis()}, "project needs Mahalanobis"),
        ({"distance": Manhattan([1.0])}, "expected one for each of the 2 features"),
        ({"distance": Mahalanobis(-np.eye(2))}, "must be positive definite"),
    ],
)
def test_errors_say_what_was_wrong(changes, message):
    with pytest.raises(InvalidInputError, match=message):
        project(np.zeros((1, 2)), **{**GOOD, **changes})


def test_points_must_be_finite():
    with pytest.raises(InvalidInputError, match=r"X must be finite, received inf at \(0, 1\)"):
        project([[0.0, np.inf]])
