"""From a fitted explainer, a row and rules to the mixed-integer problem they stand for, written out independently.

Shared with the library are the columns of its table (names, kinds, levels), the polyhedra of linear models, which have
contract tests of their own, and what was fitted: mixtures, thresholds, weights. Written out here once more are the
affine map (measured by transforming rows of the table), leaf boxes, cones and rules.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from sklearn.pipeline import Pipeline
from sklearn.tree import DecisionTreeClassifier

from elsewise.models import Label, region_of
from mixed_problem import BoolArray, Cone, FloatArray, MixedProblem, Polyhedron


class TableReference:
    """The mixed-integer problems of a fitted explainer.

    Parameters
    ----------
    explainer : elsewise.Explainer
        Fitted on a data frame, with a model that is a pipeline.
    frame : pandas.DataFrame
        Rows like those of the fit, to measure the transformers with.
    """

    def __init__(self, explainer: Any, frame: pd.DataFrame) -> None:
        self.explainer = explainer
        self.columns = tuple(explainer.table_.columns)
        self.n = self.columns[-1].stop
        self.is_category = np.zeros(self.n, dtype=np.bool_)
        self.group, self.column = np.full(self.n, -1), np.zeros(self.n, dtype=np.int64)
        for number, column in enumerate(self.columns):
            self.column[column.start : column.stop] = number
            if column.kind == "category":
                self.group[column.start : column.stop] = number
        self.numeric = np.flatnonzero(self.group < 0)
        model = explainer.model
        self.estimator = model.steps[-1][1] if isinstance(model, Pipeline) else model
        self.matrix, self.offset = self._measured(frame)

    def features(self, row: pd.Series) -> FloatArray:
        """Features of a row of the frame."""
        e = np.zeros(self.n)
        for column in self.columns:
            value = row[column.name]
            if column.kind == "category":
                known = list(column.levels)
                e[column.start + (known.index(value) if value in known else len(known))] = 1.0
            else:
                e[column.start] = column.levels.index(value) if column.kind == "ordinal" else float(value)
        return e

    def problem(self, row: pd.Series, target: Any, rules: Mapping[str, Any] | None = None) -> MixedProblem:
        """Make the problem of a row.

        Parameters
        ----------
        row : pandas.Series
        target : label
        rules : mapping
            Parameters of ``elsewise.Constraints``; linear rules as triples.
        """
        x0 = self.features(row)
        index = int(np.flatnonzero(self.explainer.classes_ == target)[0])
        limits = _Limits(self, x0, dict(rules or {}))
        return MixedProblem(
            x0=x0,
            weights=self._weights(),
            group=self.group,
            column=self.column,
            polyhedra=self._polyhedra(index, limits.integer),
            cones=self._cones(target),
            numeric=self.numeric,
            integer=limits.integer,
            lower=limits.lower,
            upper=limits.upper,
            reachable=limits.reachable,
            normals=np.array([a for a, _ in limits.rows]).reshape(-1, self.n),
            offsets=np.array([b for _, b in limits.rows]),
            max_changes=limits.max_changes,
        )

    def _weights(self) -> FloatArray:
        # An indicator has half of its column's price: two of them change.
        return np.where(self.group < 0, 1.0, 2.0) * self.explainer.distance_.weights

    def _measured(self, frame: pd.DataFrame) -> tuple[FloatArray, FloatArray]:
        """Matrix and offset of the transformers: one feature or level changed at a time.

        Only sums over a category's indicators count, which are 1: the columns of a level that a base row has are zero.
        """
        if not isinstance(self.explainer.model, Pipeline):
            return np.eye(self.n), np.zeros(self.n)
        step = np.zeros(self.n)
        base = {c.name: (0.0 if c.kind in ("number", "integer") else c.levels[0]) for c in self.columns}
        rows = [base]
        for column in self.columns:
            if column.kind in ("number", "integer"):
                size = float(np.abs(frame[column.name]).max())
                step[column.start] = 2.0 ** np.ceil(np.log2(size)) if size > 0 else 1.0
                rows.append(base | {column.name: step[column.start]})
            elif column.kind == "category":
                nobody_has: Any = "nobody has this" if isinstance(column.levels[0], str) else 987_654
                levels = [*column.levels, *([nobody_has] if column.open else [])]
                rows += [base | {column.name: level} for level in levels]
                step[column.start : column.stop] = 1.0
            else:
                rows.append(base | {column.name: column.levels[-1]})
                step[column.start] = len(column.levels) - 1.0
        table = pd.DataFrame(rows, columns=frame.columns)
        image = self.explainer.model[:-1].transform(table)
        image = np.asarray(image.todense() if hasattr(image, "todense") else image, dtype=np.float64)
        return (image[1:] - image[0]).T / step, image[0]

    def _polyhedra(self, index: int, integer: BoolArray) -> list[Polyhedron]:
        if isinstance(self.estimator, DecisionTreeClassifier):
            return self._leaves(index, integer)
        region = region_of(self.estimator, Label(index))
        found = [region.polyhedron(i) for i in range(region.n_polyhedra)]
        return [(A @ self.matrix, b - A @ self.offset) for A, b in found]

    def _leaves(self, index: int, integer: BoolArray) -> list[Polyhedron]:
        """Leaves that decide for a class, as rows ``a·e <= b``."""
        t = self.estimator.tree_
        found: list[Polyhedron] = []
        open_nodes: list[tuple[int, list[tuple[FloatArray, float]]]] = [(0, [])]
        while open_nodes:
            node, rows = open_nodes.pop()
            if t.children_left[node] == t.children_right[node]:
                if t.value[node, 0].argmax() == index:
                    A = np.array([a for a, _ in rows]).reshape(len(rows), self.n)
                    found.append((A, np.array([b for _, b in rows])))
                continue
            below, above = self._split(int(t.feature[node]), float(t.threshold[node]), integer)
            open_nodes += [(int(t.children_left[node]), [*rows, below]), (int(t.children_right[node]), [*rows, above])]
        return found

    def _split(self, k: int, threshold: float, integer: BoolArray) -> tuple[tuple[FloatArray, float], ...]:
        """Both sides of ``z_k <= threshold``, both closed, as the tree itself compares: ``z_k`` is cast to 32 bits."""
        a, c = self.matrix[k], self.offset[k]
        seen = np.flatnonzero(a)
        if len(seen) == 1 and integer[seen[0]]:
            # Which whole numbers go left is found by trying those next to the threshold.
            f, slope = int(seen[0]), float(a[seen[0]])
            near = np.round((threshold - c) / slope) + np.arange(-2.0, 3.0)
            left = near[(slope * near + c).astype(np.float32).astype(np.float64) <= threshold]
            unit = np.zeros(self.n)
            unit[f] = 1.0 if slope > 0 else -1.0
            last = float(left.max() if slope > 0 else -left.min())
            return (unit, last), (-unit, -(last + 1.0))
        # Numbers go left up to the middle between the last 32-bit number that does and the next one.
        last = np.float32(threshold)
        last = last if float(last) <= threshold else np.nextafter(last, np.float32(-np.inf))
        threshold = 0.5 * (float(last) + float(np.nextafter(last, np.float32(np.inf))))
        return (a, threshold - c), (-a, c - threshold)

    def _cones(self, target: Any) -> list[Cone] | None:
        """Sets where one component of the target's mixture alone reaches the threshold, from its covariances."""
        if not self.explainer.densities_:
            return None
        density = self.explainer.densities_[target]
        mixture = density.mixture_
        tables = getattr(mixture, "log_probabilities_", None)
        p = mixture.means_.shape[1]
        cones = []
        for j, (weight, mean, covariance) in enumerate(zip(mixture.weights_, mixture.means_, mixture.covariances_)):
            full = covariance if mixture.covariance_type == "full" else np.diag(covariance)
            factor, centre, penalties = np.linalg.cholesky(np.linalg.inv(full)).T, mean, np.zeros(self.n)
            if tables is None:  # no categories: the density is the model space's
                M = self.matrix[:, self.numeric]
                centre = np.linalg.lstsq(M, mean - self.offset, rcond=None)[0]
                factor = factor @ M
            for c, table in zip((column for column in self.columns if column.kind == "category"), tables or ()):
                penalties[c.start : c.start + table.shape[1]] = -2.0 * table[j]
            squared = 2.0 * (np.log(weight) - density.log_threshold_) - p * np.log(2.0 * np.pi)
            cones.append(Cone(factor, centre, float(squared - np.linalg.slogdet(full)[1]), penalties))
        return cones


class _Limits:
    """Rules of a row, read from the parameters of ``elsewise.Constraints``."""

    def __init__(self, table: TableReference, x0: FloatArray, rules: dict[str, Any]) -> None:
        self.columns = {column.name: column for column in table.columns}
        self.x0 = x0
        numeric = table.group < 0
        self.lower, self.upper = np.where(numeric, -np.inf, 0.0), np.where(numeric, np.inf, 1.0)
        self.reachable = np.ones(len(x0), dtype=np.bool_)
        self.integer = np.zeros(len(x0), dtype=np.bool_)
        self.rows: list[tuple[FloatArray, float]] = []
        self.max_changes: int | None = rules.pop("max_changes", None)
        named = rules.pop("integer", None)
        for name, column in self.columns.items():
            whole = column.kind == "integer" if named is None else name in named
            if column.kind == "ordinal":
                self.lower[column.start], self.upper[column.start] = 0.0, len(column.levels) - 1.0
            self.integer[column.start] = column.kind == "ordinal" or (column.kind != "category" and whole)
            if column.open and x0[column.stop - 1] == 0.0:
                self.reachable[column.stop - 1] = False
        for kind, rule in rules.items():
            getattr(self, f"_{kind}")(rule)

    def _immutable(self, names: list[str]) -> None:
        for name in names:
            column = self.columns[name]
            mine = slice(column.start, column.stop)
            if column.kind == "category":
                self.reachable[mine] = self.x0[mine] == 1.0
            else:
                self.lower[mine] = self.upper[mine] = self.x0[mine]

    def _monotone(self, directions: dict[str, str]) -> None:
        for name, direction in directions.items():
            f = self.columns[name].start
            limit = self.lower if direction == "increase" else self.upper
            limit[f] = self.x0[f]

    def _bounds(self, bounds: dict[str, tuple[float | None, float | None]]) -> None:
        for name, (low, high) in bounds.items():
            f = self.columns[name].start
            if low is not None:
                self.lower[f] = max(self.lower[f], low)
            if high is not None:
                self.upper[f] = min(self.upper[f], high)

    def _allowed(self, transitions: dict[str, Any]) -> None:
        for name, targets in transitions.items():
            column = self.columns[name]
            own = int(self.x0[column.start : column.stop].argmax())
            if isinstance(targets, dict):
                if own >= len(column.levels) or column.levels[own] not in targets:
                    continue
                targets = targets[column.levels[own]]
            for position, level in enumerate(column.levels):
                if level not in targets and position != own:
                    self.reachable[column.start + position] = False

    def _linear(self, triples: list[tuple[dict[str, float], str, float]]) -> None:
        for factors, sign, bound in triples:
            a = np.zeros(len(self.x0))
            for name, factor in factors.items():
                a[self.columns[name].start] = factor
            if sign in ("<=", "=="):
                self.rows.append((a, bound))
            if sign in (">=", "=="):
                self.rows.append((-a, -bound))
