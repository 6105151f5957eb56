"""Stopping early with a proof, and keeping away from the boundary."""

import numpy as np
import pytest

from elsewise.distances import Mahalanobis
from elsewise.projection.certificate import dual_value
from strategies import random_instance

BOTH = pytest.mark.parametrize("mahalanobis", [False, True], ids=["manhattan", "mahalanobis"])
SHAPES = pytest.mark.parametrize("shape", [(2, 1, 2), (5, 8, 4), (13, 20, 6), (30, 5, 10), (30, 40, 0)], ids=str)


@BOTH
@SHAPES
@pytest.mark.parametrize("share", [0.01, 0.5, 0.9, 0.999])
def test_cutoff_below_the_optimum(shape, mahalanobis, share):
    instance = random_instance([50, *shape], *shape, mahalanobis=mahalanobis, bounded=0.3)
    optimum = instance.project().distance[0]
    answer = instance.project(cutoff=share * optimum)
    assert answer.status[0] == "cutoff"
    assert share * optimum <= answer.lower_bound[0] <= optimum * (1 + 1e-9)
    assert np.isnan(answer.x).all()
    assert answer.distance[0] == np.inf


@BOTH
@SHAPES
def test_multipliers_prove_the_cutoff(shape, mahalanobis):
    instance = random_instance([50, *shape], *shape, mahalanobis=mahalanobis, bounded=0.3)
    optimum = instance.project().distance[0]
    for share in (0.01, 0.9):
        answer = instance.project(cutoff=share * optimum)
        proven = dual_value(instance.x0, instance.multipliers(answer), instance.target(), instance.distance)
        # Opposite bounds of a feature are netted in the answer, which can only prove more.
        assert answer.lower_bound[0] * (1 - 1e-9) <= proven <= optimum * (1 + 1e-9)


@BOTH
@SHAPES
def test_cutoff_above_the_optimum_still_finds_it(shape, mahalanobis):
    instance = random_instance([50, *shape], *shape, mahalanobis=mahalanobis, bounded=0.3)
    plain = instance.project()
    answer = instance.project(cutoff=1.001 * plain.distance[0])
    instance.certify(answer)
    np.testing.assert_allclose(answer.distance, plain.distance, rtol=1e-8)


def test_cutoff_inside_the_set():
    instance = random_instance([51], 3, 2, 2)
    inside = type(instance)(instance.inside, instance.distance, instance.constraints)
    assert inside.project(cutoff=1.0).status[0] == "optimal"


@BOTH
@SHAPES
@pytest.mark.parametrize("margin", [1e-8, 1e-6, 1e-4])
def test_margin_keeps_strictly_inside(shape, mahalanobis, margin):
    instance = random_instance([52, *shape], *shape, mahalanobis=mahalanobis)
    plain, answer = instance.project(), instance.project(margin=margin)
    assert answer.status[0] == "optimal"
    x, c = answer.x[0], instance.constraints
    if shape[1]:
        assert (c["A"] @ x < c["b"]).all()
    if shape[2]:
        assert np.linalg.norm(c["F"] @ x - c["g"]) < c["h0"]
    # The point costs a little more; the bound is that of the problem without margin.
    assert answer.lower_bound[0] <= plain.distance[0] * (1 + 1e-9)
    assert plain.lower_bound[0] <= answer.distance[0] * (1 + 1e-9)
    assert answer.gap[0] <= 1e3 * margin
    assert dual_value(
        instance.x0, instance.multipliers(answer), instance.target(), instance.distance
    ) <= plain.distance[0] * (1 + 1e-9)


@BOTH
@SHAPES
def test_wider_margins_go_deeper(shape, mahalanobis):
    instance = random_instance([53, *shape], *shape, mahalanobis=mahalanobis)
    c = instance.constraints
    slacks = []
    for margin in (1e-8, 1e-6, 1e-4):
        x = instance.project(margin=margin).x[0]
        slacks.append(
            min([*(c["b"] - c["A"] @ x)] + ([c["h0"] - np.linalg.norm(c["F"] @ x - c["g"])] if shape[2] else []))
        )
    assert 0 < slacks[0] < slacks[1] < slacks[2]


def test_bounds_are_met_to_the_bit_with_and_without_margin():
    for mahalanobis in (False, True):
        instance = random_instance([54], 8, 3, 4, mahalanobis=mahalanobis, bounded=0.8)
        assert isinstance(instance.distance, Mahalanobis) == mahalanobis
        for margin in (0.0, 1e-6):
            x = instance.project(margin=margin).x[0]
            assert (x >= instance.constraints["lower"]).all()
            assert (x <= instance.constraints["upper"]).all()
