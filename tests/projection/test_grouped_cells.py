"""Categories, two polyhedra, bounds and tilts in the kernel, against a general solver that knows no groups."""

from __future__ import annotations

import numpy as np
import pytest

from elsewise.projection.cells import CUTOFF, INFEASIBLE, OPTIMAL
from grouped_cells import GroupedCell, random_cell

SHAPES = {
    "one category": {"n_numeric": 0, "levels": (4,), "n_first": 2},
    "categories": {"n_numeric": 0, "levels": (3, 5, 2), "n_first": 3, "n_second": 1},
    "numbers": {"n_numeric": 6, "n_first": 3, "n_second": 2, "bounded": 0.7},
    "a row and a cone": {"n_numeric": 4, "levels": (3, 3), "n_first": 1, "q": 3, "bounded": 0.5},
    "a tilted cone": {"n_numeric": 4, "levels": (3, 3), "n_first": 1, "q": 3, "tilted": True},
    "no polyhedron": {"n_numeric": 5, "levels": (4, 4), "q": 4, "tilted": True, "bounded": 0.5},
    "rules alone": {"n_numeric": 5, "levels": (4, 4), "n_second": 3, "barred": 0.3},
    "levels ruled out": {"n_numeric": 3, "levels": (5, 6, 4), "n_first": 4, "q": 3, "barred": 0.5},
    "like a table": {"n_numeric": 7, "levels": (4, 5, 10, 5, 3), "n_first": 1, "n_second": 2, "q": 8, "tilted": True},
    "a deep leaf": {"n_numeric": 9, "levels": (3, 4), "n_first": 60, "n_second": 2, "bounded": 0.4},
    "single levels": {"n_numeric": 2, "levels": (1, 1, 3), "n_first": 2, "q": 2},
    "ties": {"n_numeric": 4, "levels": (3, 4, 2), "n_first": 5, "n_second": 2, "whole": True, "bounded": 0.5},
    "ties and a cone": {"n_numeric": 3, "levels": (4, 2), "n_first": 3, "q": 3, "whole": True, "tilted": True},
}
CELLS = pytest.mark.parametrize("shape", SHAPES)


def cells(shape: str, count: int = 12) -> list[GroupedCell]:
    made = [random_cell([60, seed], **SHAPES[shape]) for seed in range(count)]
    for cell, inside in made:
        assert cell.violation(inside) < 1e-9
    return [cell for cell, _ in made]


def proves(cell: GroupedCell, batch) -> None:
    """The multipliers are dual feasible and prove the bound; so do the slopes, for every point of the cell."""
    rho, beta = cell.dual(batch)
    bound = batch.bound[0]
    assert np.abs(rho).max(initial=0.0) <= 1 + 1e-9
    assert beta >= bound - 1e-9 * (1 + bound)


def check_slopes(cell: GroupedCell, batch) -> None:
    # |v| >= bound + |v| + slopes·v for every v of the cell: bound + the largest slopes·v is at most 0.
    slopes = batch.slopes[0]
    assert np.abs(slopes).max(initial=0.0) <= 1 + 1e-9
    most = cell.most(slopes)
    assert np.isnan(most) or batch.bound[0] + most <= 1e-7 * (1 + batch.bound[0])


@CELLS
def test_optimum_is_that_of_the_general_solver(shape):
    n_away = 0
    for cell in cells(shape):
        batch, (status, value) = cell.project(), cell.reference()
        assert batch.status[0] == OPTIMAL
        assert status in ("optimal", "AlmostSolved")
        point = cell.point(batch.v[0])
        assert not batch.v[0][cell.is_base].any()
        assert cell.violation(point) <= 1e-8 * (1 + np.abs(point).max())
        np.testing.assert_allclose(batch.value[0], cell.distance(point), rtol=1e-9, atol=1e-12)
        if status == "optimal":
            np.testing.assert_allclose(batch.value[0], value, rtol=1e-6, atol=1e-8)
            assert batch.bound[0] <= value * (1 + 1e-8) + 1e-9
        assert batch.value[0] - batch.bound[0] <= 1e-7 * batch.value[0] + 1e-12
        proves(cell, batch)
        check_slopes(cell, batch)
        n_away += batch.value[0] > 0
    assert n_away > 2


@pytest.mark.parametrize(
    ("shape", "seed"),
    [
        ("a tilted cone", 140),
        ("a tilted cone", 305),
        ("no polyhedron", 244),
        ("like a table", 68),
        ("like a table", 240),
    ],
)
def test_ill_conditioned_cells_are_solved(shape, seed):
    """Cells in which progress ends before the tolerance unless the linear systems are refined more than once."""
    cell, _ = random_cell([61, seed], **SHAPES[shape])
    batch, (_, value) = cell.project(), cell.reference()
    assert batch.status[0] == OPTIMAL
    np.testing.assert_allclose(batch.value[0], value, rtol=1e-6)
    assert cell.violation(cell.point(batch.v[0])) <= 1e-8


@CELLS
@pytest.mark.parametrize("share", [0.2, 0.95])
def test_cutoff_is_proven(shape, share):
    n_away = 0
    for cell in cells(shape, 6):
        _, value = cell.reference()
        if not value > 1e-3:
            continue
        n_away += 1
        batch = cell.project(cutoff=share * value)
        # The interior point method may be done before it looks at the cutoff; either way the bound is beyond it.
        assert batch.status[0] in (CUTOFF, OPTIMAL)
        assert share * value <= batch.bound[0] <= value * (1 + 1e-8)
        proves(cell, batch)
    assert n_away


@CELLS
@pytest.mark.parametrize("margin", [1e-9, 1e-6])
def test_margin_keeps_rows_and_cone_strictly(shape, margin):
    n_optimal = 0
    for cell in cells(shape, 6):
        plain, batch = cell.project(), cell.project(margin=margin)
        if batch.status[0] != OPTIMAL or plain.value[0] == 0:
            continue
        n_optimal += 1
        point = cell.point(batch.v[0])
        rows = cell.A @ point - cell.b
        assert (rows[: cell.n_first] < 0).all()
        rules = rows[cell.n_first :] / (1 + np.abs(cell.b[cell.n_first :]))
        assert (rules < 1e-8).all()  # they may hold with equality
        if cell.has_cone:
            assert np.linalg.norm(cell.F @ point - cell.g) < cell.h0 + cell.h1 @ point
        numeric = cell.group < 0
        assert (cell.lower[numeric] - 1e-12 <= point[numeric]).all()
        assert (point[numeric] <= cell.upper[numeric] + 1e-12).all()
        assert batch.bound[0] <= plain.value[0] * (1 + 1e-8)  # bounds do not count margins
        np.testing.assert_allclose(batch.value, plain.value, rtol=1e-3 if margin == 1e-6 else 1e-5, atol=1e-7)
    assert n_optimal


def contradicted(cell: GroupedCell, inside, seed: int) -> GroupedCell:
    """The same cell with two rows, one in each polyhedron, that exclude each other by 0.2."""
    normal = np.random.default_rng([61, seed]).normal(size=len(inside))
    for c in range(cell.n_groups):
        normal[cell.group == c] -= normal[cell.group == c].mean()
    if not normal.any():
        normal[:] = 1.0
    normal /= np.abs(normal).max()
    at = float(normal @ inside)
    A = np.vstack([normal, cell.A, -normal])
    b = np.concatenate([[at - 0.1], cell.b, [-at - 0.1]])
    return cell.with_changes(A=A, b=b, n_first=cell.n_first + 1)


@CELLS
def test_empty_cells_are_proven_empty(shape):
    for seed in range(6):
        cell = contradicted(*random_cell([60, seed], **SHAPES[shape]), seed)
        assert cell.reference()[0] == "infeasible"
        batch = cell.project()
        assert batch.status[0] == INFEASIBLE
        assert not np.isfinite(batch.value[0])
        assert not batch.v.any()
        # A Farkas ray: rho vanishes beside beta, so that nothing is within beta / |rho|.
        rho, beta = cell.dual(batch)
        assert beta > 0
        assert np.abs(rho).max(initial=0.0) < 1e-6 * beta


def test_a_category_that_must_move_but_cannot():
    # The row asks for more than any of the open levels gives.
    cell = GroupedCell(
        x0=np.array([1.0, 0.0, 0.0]), prices=np.ones(3), group=np.zeros(3, dtype=np.int64),
        A=np.array([[0.0, -1.0, -4.0]]), b=np.array([-2.0]), n_first=1, F=np.empty((0, 3)), g=np.empty(0), h0=0.0,
        h1=np.zeros(3), lower=np.zeros(3), upper=np.array([1.0, 1.0, 0.0]),
    )  # fmt: skip
    assert cell.project().status[0] == INFEASIBLE
    # With the third level, half of it is enough; of the second it takes more than there is.
    batch = cell.with_changes(upper=np.ones(3)).project()
    np.testing.assert_allclose(batch.v[0], [0.0, 0.0, 0.5], atol=1e-9)
    np.testing.assert_allclose(batch.value, 0.5)


def test_the_unit_of_a_category_is_not_spent_twice():
    # e1 + 2 e2 >= 1.5 needs e1 = e2 = 0.5 if e2 is dear to the cone, never 1.5 of e1.
    cell = GroupedCell(
        x0=np.array([1.0, 0.0, 0.0]), prices=np.full(3, 2.0), group=np.zeros(3, dtype=np.int64),
        A=np.array([[0.0, -1.0, -2.0], [0.0, 0.0, 1.0]]), b=np.array([-1.5, 0.5]), n_first=1, F=np.empty((0, 3)),
        g=np.empty(0), h0=0.0, h1=np.zeros(3), lower=np.zeros(3), upper=np.ones(3),
    )  # fmt: skip
    batch = cell.project()
    np.testing.assert_allclose(cell.point(batch.v[0]), [0.0, 0.5, 0.5], atol=1e-8)
    np.testing.assert_allclose(batch.value, 2.0)
    assert cell.with_changes(b=np.array([-1.6, 0.5])).project().status[0] == INFEASIBLE


def test_base_is_what_the_row_has_wherever_it_stands():
    for seed in range(5):
        cell, _ = random_cell([62, seed], n_numeric=2, levels=(4, 3), n_first=2, q=3, tilted=True)
        rng = np.random.default_rng([63, seed])
        order = np.concatenate([rng.permutation(2), 2 + rng.permutation(4), 6 + rng.permutation(3)])
        changes = {name: getattr(cell, name)[order] for name in ("x0", "prices", "h1", "lower", "upper")}
        other = cell.with_changes(A=cell.A[:, order], F=cell.F[:, order], **changes)
        here, there = cell.project(), other.project()
        np.testing.assert_allclose(there.value, here.value, rtol=1e-7)
        np.testing.assert_allclose(there.v[0], here.v[0][order], atol=1e-6)


def test_both_polyhedra_count_and_only_the_first_is_said_to_be_active():
    # x0 = 0; the first polyhedron asks for e0 >= 1, the second for e0 >= 2 or for nothing.
    cell = GroupedCell(
        x0=np.zeros(1), prices=np.ones(1), group=np.full(1, -1), A=np.array([[-1.0], [-1.0]]), b=np.array([-1.0, -2.0]),
        n_first=1, F=np.eye(1), g=np.zeros(1), h0=9.0, h1=np.zeros(1), lower=np.full(1, -np.inf),
        upper=np.full(1, np.inf),
    )  # fmt: skip
    both, first = cell.project(), cell.with_changes(b=np.array([-1.0, 5.0])).project()
    np.testing.assert_allclose([both.value[0], first.value[0]], [2.0, 1.0])
    assert (both.first_is_active[0], first.first_is_active[0]) == (0, 1)


@pytest.mark.parametrize("offset", [0.0, 1e-15, 1e-12, 1e-9, 1e-6, 1e-3])
def test_a_fixed_feature_out_of_reach_empties_the_cone(offset):
    # The free feature is all but at the centre: how far it would have to move tells nothing.
    cell = GroupedCell(
        x0=np.array([1.0, offset]), prices=np.ones(2), group=np.full(2, -1), A=np.empty((0, 2)), b=np.empty(0),
        n_first=0, F=np.eye(2), g=np.zeros(2), h0=0.5, h1=np.zeros(2), lower=np.array([1.0, -np.inf]),
        upper=np.array([1.0, np.inf]),
    )  # fmt: skip
    assert cell.project().status[0] == INFEASIBLE
    assert cell.with_changes(h0=1.5).project().status[0] == OPTIMAL


def test_margins_are_measured_by_what_can_move():
    # A category that is decided has a coefficient 10,000 times that of the only free number.
    cell = GroupedCell(
        x0=np.array([0.0, 1.0, 0.0]), prices=np.ones(3), group=np.array([-1, 0, 0]), A=np.array([[-1e-4, 0.5, 1.0]]),
        b=np.array([0.3]), n_first=1, F=np.empty((0, 3)), g=np.empty(0), h0=0.0, h1=np.zeros(3),
        lower=np.array([-np.inf, 0.0, 0.0]), upper=np.array([np.inf, 1.0, 0.0]),
    )  # fmt: skip
    for margin in (1e-9, 1e-7):
        batch = cell.project(margin=margin)
        assert batch.status[0] == OPTIMAL
        np.testing.assert_allclose(batch.bound, 2000.0, rtol=1e-9)
        assert 2000.0 < batch.value[0] <= 2000.0 * (1 + 2 * margin + 1e-12)
