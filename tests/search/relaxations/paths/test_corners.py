"""Paths through ellipsoids: against Clarabel, with their proofs; the search against all sequences."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from elsewise.search import Ellipsoids, Ground, PathProblem, Terminal, search_paths
from elsewise.search.relaxations.paths.corners import _Problem, path_length, shortest_path
from path_reference import reference


def made_up(rng, *, norm, n, q, t, rules=False):
    """Ellipsoids each of which meets the next, and a terminal set in the last."""
    F = rng.normal(size=(t, q, n))
    centres = np.cumsum(rng.normal(size=(t, n)), axis=0)
    g = np.einsum("jqn,jn->jq", F, centres)
    middles = (centres[1:] + centres[:-1]) / 2
    radii = np.array(
        [
            1.1 * max([0.5] + [np.linalg.norm(F[j] @ middles[k] - g[j]) for k in (j - 1, j) if 0 <= k < t - 1])
            for j in range(t)
        ]
    )
    sets = Ellipsoids(F, np.einsum("jqa,jqb->jab", F, F), g, radii)
    a = rng.normal(size=(2, n))
    last = t - 1
    terminal = Terminal(last, F[last], sets.grams[last], g[last], float(radii[last]), a, a @ centres[last] + 0.05)
    nothing = np.full(n, np.inf)
    direction = np.zeros(n)
    normals, offsets = np.empty((0, n)), np.empty(0)
    upper = nothing.copy()
    if rules:
        direction[0] = np.sign(centres[-1, 0] - centres[0, 0])
        upper[-1] = centres[:, -1].max() + 0.3
        normals = rng.normal(size=(1, n))
        offsets = (centres @ normals[0]).max(keepdims=True) + 0.1
    ground = Ground(norm, -nothing, upper, normals, offsets, direction)
    return ground, centres[0].copy(), sets, terminal


@pytest.mark.parametrize("rules", [False, True])
@pytest.mark.parametrize(("n", "q", "t"), [(2, 2, 2), (5, 3, 3), (8, 8, 2), (12, 12, 4)])
@pytest.mark.parametrize("norm", [1, 2])
def test_paths_are_those_of_a_general_solver(norm, n, q, t, rules):
    n_checked = 0
    for seed in range(3):
        rng = np.random.default_rng(seed)
        ground, start, sets, terminal = made_up(rng, norm=norm, n=n, q=q, t=t, rules=rules)
        for end in (terminal, _at_a_point(sets, terminal)):
            value = reference(ground, start, sets, list(range(t)), end)
            path = shortest_path(ground, start, sets, np.arange(t), end, 1e-9)
            if np.isnan(value):
                continue
            n_checked += 1
            if np.isinf(value):
                assert np.isinf(path.length) or path.bound > path.length
                continue
            assert path.length == pytest.approx(value, rel=1e-6, abs=1e-6)
            assert path.bound <= value * (1 + 1e-7) + 1e-7
            assert path.bound == pytest.approx(value, rel=1e-5, abs=1e-5)
            assert _excess(ground, sets, np.arange(t), end, start, path.corners) < 3e-7  # 1e-8 of all right-hand sides
    assert n_checked >= 4


def _at_a_point(sets, terminal):
    middle = np.linalg.lstsq(sets.factors[-1], sets.centres[-1], rcond=None)[0]
    return Terminal(
        terminal.component, terminal.factor, terminal.gram, terminal.centre, terminal.radius, terminal.normals,
        terminal.offsets, middle,
    )  # fmt: skip


def _excess(ground, sets, sequence, terminal, start, corners):
    """By how much a path breaks what it must keep, one by one."""
    worst = 0.0
    points = np.vstack([start, corners])
    for k, p in enumerate(corners):
        is_end = k == len(sequence) - 1
        if is_end and terminal.point is not None:
            worst = max(worst, np.abs(p - terminal.point).max())
        else:
            held = [] if is_end else [(sets.factors[j], sets.centres[j], sets.radii[j]) for j in sequence[k : k + 2]]
            if is_end:
                held = [(terminal.factor, terminal.centre, terminal.radius)]
                worst = max(worst, (terminal.normals @ p - terminal.offsets).max(initial=0.0))
            worst = max([worst] + [np.linalg.norm(F @ p - g) - r for F, g, r in held])
            worst = max(worst, (ground.normals @ p - ground.offsets).max(initial=0.0))
            worst = max(worst, (p - ground.upper).max(), (ground.lower - p).max())
        worst = max(worst, (-ground.direction * (points[k + 1] - points[k])).max())
    return worst


@pytest.mark.parametrize("norm", [1, 2])
def test_no_multipliers_prove_more_than_the_optimum(norm):
    """Whatever the solver returns, the bound made of it holds: random multipliers are as good as any."""
    n_positive = 0
    for seed in range(5):
        rng = np.random.default_rng(seed)
        ground, start, sets, terminal = made_up(rng, norm=norm, n=3, q=3, t=3, rules=seed % 2 == 1)
        start = start + 3.0 * rng.normal(size=3)
        value = reference(ground, start, sets, [0, 1, 2], terminal)
        if not np.isfinite(value):
            continue
        problem = _Problem(ground, start, sets, np.arange(3), terminal)
        z = problem.solve(0.0).z
        for scale in (1e-9, 1e-3, 0.1, 1.0, 10.0):
            for _ in range(20):
                bound = problem.bound(z + scale * rng.normal(size=len(z)) * np.abs(z).max())
                assert bound <= value * (1 + 1e-7)
                n_positive += bound > 0
    assert n_positive > 50


def test_sets_that_do_not_meet_are_proven_not_to():
    sets = Ellipsoids(
        np.stack([np.eye(2)] * 2), np.stack([np.eye(2)] * 2), np.array([[0.0, 0.0], [5.0, 0.0]]), np.ones(2)
    )
    nothing = np.full(2, np.inf)
    ground = Ground(1, -nothing, nothing, np.empty((0, 2)), np.empty(0), np.zeros(2))
    terminal = Terminal(1, np.eye(2), np.eye(2), np.array([5.0, 0.0]), 1.0, np.empty((0, 2)), np.empty(0))
    path = shortest_path(ground, np.zeros(2), sets, np.arange(2), terminal, 0.0)
    assert path.bound > 1e6


def test_the_search_finds_the_best_of_all_sequences():
    for seed in range(6):
        rng = np.random.default_rng(seed)
        m, n, norm = 5, 2, 1 + seed % 2
        centres = rng.uniform(-3, 3, size=(m, n))
        factors = rng.normal(size=(m, n, n)) + 1.2 * np.eye(n)
        g = np.einsum("jqn,jn->jq", factors, centres)
        sets = Ellipsoids(factors, np.einsum("jqa,jqb->jab", factors, factors), g, np.full(m, 2.5))
        nothing = np.full(n, np.inf)
        ground = Ground(norm, -nothing, nothing, np.empty((0, n)), np.empty(0), np.zeros(n))
        start = centres[0]
        last = m - 1
        normal = (centres[0] - centres[last])[None]
        terminal = Terminal(
            last, factors[last], sets.grams[last], g[last], 2.5, normal, normal @ centres[last] + 0.0
        )  # fmt: skip
        best = np.inf
        for t in range(1, m + 1):
            for middle in itertools.permutations([j for j in range(m) if j != last], t - 1):
                sequence = [*middle, last]
                if sets.excess(start[None])[0, sequence[0]] > 0:
                    continue
                value = reference(ground, start, sets, sequence, terminal)
                best = min(best, value) if np.isfinite(value) else best

        def judge(corners, sequence, start=start, sets=sets):
            points = np.vstack([start, corners])
            inside = sets.excess(points)
            return bool(all(inside[k, j] <= 0 and inside[k + 1, j] <= 0 for k, j in enumerate(sequence)))

        everywhere = ~np.eye(m, dtype=bool)
        nothing = np.full((1, n), np.nan)
        problem = PathProblem(ground, start, sets, everywhere, [terminal], np.zeros(1), nothing)
        found = search_paths(problem, judge)
        if np.isinf(best):
            assert found.corners is None
            continue
        assert found.length == pytest.approx(best, rel=1e-5)
        assert found.bound <= best * (1 + 1e-6)
        assert found.bound == pytest.approx(best, rel=1e-5)
        assert found.length == pytest.approx(path_length(norm, start, found.corners))


def test_a_path_that_never_passes_is_not_returned():
    ground, start, sets, terminal = made_up(np.random.default_rng(0), norm=1, n=2, q=2, t=2)
    meets, nothing = ~np.eye(2, dtype=bool), np.full((1, 2), np.nan)
    problem = PathProblem(ground, start, sets, meets, [terminal], np.zeros(1), nothing)
    found = search_paths(problem, lambda *_: False)
    assert found.corners is None
    assert np.isinf(found.length)
    assert np.isfinite(found.bound)  # and nothing is claimed: there may be one
