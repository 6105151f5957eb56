"""Small search problems whose every point can be listed: whole numbers, categories, polyhedra, cones, rules.

Points are listed and judged here by plain comparisons; nothing of the search is used.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elsewise.distances import ResolvedManhattan
from elsewise.fitted import space_of
from elsewise.models import union
from elsewise.pipeline.affine import AffineMap
from elsewise.search import (
    Cones,
    Domain,
    History,
    Layout,
    Ledger,
    SearchProblem,
    SearchRequest,
    compile_problem,
    search_tree,
)

FloatArray = NDArray[np.float64]

LOW, HIGH = 0, 4
"""Limits of the whole numbers."""


@dataclass(frozen=True)
class SmallSearch:
    """Rows and one goal.

    Attributes
    ----------
    E : array of shape (n_rows, n_features)
        Whole numbers first, then indicators.
    prices : array of shape (n_columns,)
    levels : tuple of int
        Of each category.
    polyhedra : list of (A, b)
    cones : Cones or None
    lower, upper : arrays of shape (n_rows, n_features)
    rules : (normals, offsets)
    max_changes : int or None
    """

    E: FloatArray
    prices: FloatArray
    levels: tuple[int, ...]
    polyhedra: list[tuple[FloatArray, FloatArray]]
    cones: Cones | None
    lower: FloatArray
    upper: FloatArray
    rules: tuple[FloatArray, FloatArray]
    max_changes: int | None = None

    @property
    def n_numbers(self) -> int:
        return self.E.shape[1] - sum(self.levels)

    @property
    def column(self) -> NDArray[np.int64]:
        widths = [1] * self.n_numbers + list(self.levels)
        return np.repeat(np.arange(len(widths)), widths)

    @property
    def group(self) -> NDArray[np.int64]:
        return np.where(self.column < self.n_numbers, -1, self.column - self.n_numbers)

    def problem(self) -> SearchProblem:
        n = self.E.shape[1]
        weights = self.prices[self.column] * np.where(self.group >= 0, 0.5, 1.0)
        problem = compile_problem(
            [(union(self.polyhedra, n_features=n), self.cones)],
            space_of(
                AffineMap(np.eye(n), np.zeros(n)),
                ResolvedManhattan(weights),
                np.where(self.group >= 0, 0.0, 1.5),
                self.group,
            ),
        )
        normals, offsets = self.rules
        return problem.with_rules(normals, offsets, np.ones(n, dtype=bool)) if len(offsets) else problem

    def domain(self) -> Domain:
        normals, offsets = self.rules
        return Domain(
            layout=Layout(self.column, int(self.column[-1]) + 1, self.group),
            lower=self.lower,
            upper=self.upper,
            integer=self.group < 0,
            max_changes=self.max_changes,
            normals=normals,
            offsets=offsets,
        )

    def search(self, rows: Any = slice(None), **options: Any) -> Ledger:
        """Search rows; options of a request, or of its history."""
        E, problem, domain = self.E[rows], self.problem(), self.domain().of_rows(rows)
        past = [options.pop(name, None) for name in ("refused", "earlier")]
        request = SearchRequest.plain(problem, E, np.zeros(len(E), dtype=np.int64), domain)
        if "seconds" in options:
            options["seconds"] = np.full(len(E), options["seconds"])
        return search_tree(replace(request, history=History(problem, E, domain.layout, *past), **options))

    def distance(self, row: int, points: FloatArray) -> FloatArray:
        """Numbers by their difference, categories by whether they change."""
        apart = np.abs(points - self.E[row]) * self.prices[self.column]
        return (apart * np.where(self.group >= 0, 0.5, 1.0)).sum(axis=1)

    def changed(self, row: int, points: FloatArray) -> NDArray[np.bool_]:
        """Which columns change, array of shape (n_points, n_columns)."""
        differ = points != self.E[row]
        return np.array([differ[:, self.column == c].any(axis=1) for c in range(self.column[-1] + 1)]).T

    def points(self, row: int) -> FloatArray:
        """All points within limits and rules; a row's own broken value is one of its values."""
        ways: list[list[FloatArray]] = []
        for i in range(self.n_numbers):
            values = {float(v) for v in range(LOW - 1, HIGH + 2)} | {float(self.E[row, i])}
            values = {v for v in values if self.lower[row, i] <= v <= self.upper[row, i]}
            ways.append([np.array([v]) for v in sorted(values)])
        for c, count in enumerate(self.levels):
            open_levels = np.flatnonzero(self.upper[row, self.group == c] > 0)
            ways.append([np.eye(count)[k] for k in open_levels])
        points = np.array([np.concatenate(way) for way in itertools.product(*ways)]).reshape(-1, self.E.shape[1])
        normals, offsets = self.rules
        keep = (points @ normals.T <= offsets + 1e-12).all(axis=1)
        if self.max_changes is not None:
            keep &= self.changed(row, points).sum(axis=1) <= self.max_changes
        return points[keep]

    def holds(self, points: FloatArray) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """In which polyhedra and in which cones points lie, arrays of shape (n_points, k) and (n_points, m)."""
        inside = np.array([(points @ A.T <= b).all(axis=1) for A, b in self.polyhedra]).T
        if self.cones is None:
            return inside, np.ones((len(points), 1), dtype=bool)
        numbers, indicators = points[:, self.group < 0], points[:, self.group >= 0]
        dense = []
        for j, radius in enumerate(self.cones.radii):
            image = (numbers - self.cones.centres[j]) @ self.cones.factors[self.cones.shape[j]].T
            penalty = indicators @ self.cones.penalties[j] if indicators.shape[1] else 0.0
            dense.append((image**2).sum(axis=1) <= radius**2 - penalty)
        return inside, np.array(dense).T

    def nearest(self, row: int) -> tuple[FloatArray, FloatArray]:
        """All answers of a row, nearest first, and their distances."""
        points = self.points(row)
        inside, dense = self.holds(points)
        points = points[inside.any(axis=1) & dense.any(axis=1)]
        value = self.distance(row, points)
        order = np.argsort(value, kind="stable")
        return points[order], value[order]


def small_search(
    seed: int,
    *,
    n_rows: int = 4,
    n_numbers: int | None = None,
    n_categories: int | None = None,
    density: bool = True,
    n_polyhedra: int | None = None,
    ruled: bool = True,
    broken: bool = False,
) -> SmallSearch:
    """Draw a problem; ``broken`` gives some rows values that are not whole."""
    rng = np.random.default_rng(seed)
    numbers = int(rng.integers(0, 4)) if n_numbers is None else n_numbers
    n_categories = int(rng.integers(0, 3)) if n_categories is None else n_categories
    n_categories = max(n_categories, int(numbers == 0))
    levels = tuple(int(k) for k in rng.integers(2, 5, size=n_categories))
    n = numbers + sum(levels)
    group = np.concatenate([np.full(numbers, -1), np.repeat(np.arange(n_categories), levels)]).astype(int)
    E = np.zeros((n_rows, n))
    E[:, :numbers] = rng.integers(LOW, HIGH + 1, size=(n_rows, numbers))
    if broken:
        E[:, :numbers] += np.where(rng.random((n_rows, numbers)) < 0.5, rng.uniform(0.1, 0.9, (n_rows, numbers)), 0.0)
    lower, upper = (
        np.where(group >= 0, 0.0, np.full((n_rows, n), LOW)),
        np.where(group >= 0, 1.0, np.full((n_rows, n), HIGH)),
    )
    upper = np.maximum(upper, np.ceil(E))
    for row in range(n_rows):
        for c in range(n_categories):
            mine = np.flatnonzero(group == c)
            own = int(rng.choice(mine))
            E[row, own] = 1.0
            if ruled and rng.random() < 0.4:
                upper[row, mine[(rng.random(len(mine)) < 0.4) & (mine != own)]] = 0.0
        for i in range(numbers if ruled else 0):
            if rng.random() < 0.2:  # one way only
                lower[row, i] = E[row, i]
    polyhedra = []
    for _ in range(int(rng.integers(1, 4)) if n_polyhedra is None else n_polyhedra):
        p = int(rng.integers(1, 4))
        A = rng.normal(size=(p, n)) * (rng.random((p, n)) < 0.6)
        for r in range(p):  # some rows are about one column, as those of leaves
            if rng.random() < 0.5:
                A[r, group != group[rng.integers(n)]] = 0.0
        centre = np.where(group >= 0, rng.random(n), rng.uniform(LOW, HIGH, size=n))
        polyhedra.append((A, A @ centre - 0.2 * rng.random(p)))
    cones = None
    if density:
        m = int(rng.integers(1, 4))
        penalties = np.zeros((m, sum(levels)))
        for c in range(n_categories):
            mine = group[numbers:] == c
            drawn = 4.0 * rng.random((m, mine.sum()))
            penalties[:, mine] = drawn - drawn.min(axis=1, keepdims=True)
        cones = Cones(
            factors=rng.normal(size=(m, numbers, numbers)) * 0.4 + 0.7 * np.eye(numbers),
            shape=np.arange(m),
            centres=rng.uniform(LOW, HIGH, size=(m, numbers)),
            radii=rng.uniform(1.2, 2.5, size=m),
            component=np.arange(m),
            penalties=penalties,
        )
    rules = (np.empty((0, n)), np.empty(0))
    if ruled and numbers > 1 and rng.random() < 0.5:
        normal = np.where(group < 0, rng.integers(-2, 3, size=n), 0).astype(float)
        rules = (normal[None], np.array([float(normal @ E[0])])) if normal.any() else rules
    most = int(rng.integers(0, numbers + n_categories + 1)) if ruled and rng.random() < 0.4 else None
    prices = (
        rng.choice([0.5, 1.0, 2.0], size=numbers + n_categories)
        if rng.random() < 0.5
        else rng.uniform(0.3, 3.0, size=numbers + n_categories)
    )
    return SmallSearch(E, prices, levels, polyhedra, cones, lower, upper, rules, most)
