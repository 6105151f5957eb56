"""Boxes around an answer in which every row is an answer: what the model, the density and the rules say of a box.

The model: "a row of this box that the model refuses" is a question for the search, with the other classes, or the other
side of the range, as outcomes, and the box as the domain. If it is infeasible, the model refuses none. Where one of
several classes has at least a probability under a softmax is convex: the corners of the box tell.

The density: a component of the mixture is at least the threshold on an ellipsoid. A box is within it if its corners
are: of a convex function, the largest value over a box is at a corner. Up to 2^16 corners are looked at; beyond, the
norm of a sum is at most the sum of norms. Levels of categories each take off something, whatever the numbers are.

Rules: limits are those of the row's domain, a linear rule is largest at a corner, and of each clause one alternative
has to hold in all of the box.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...arrays import BoolArray, FloatArray
from ...density import ClassDensity
from ...density.base import category_drops, log_peaks
from ...distances import Manhattan, ResolvedManhattan
from ...fitted import FittedModel
from ...models import Interval, Label, Outcome
from ...search import Domain, SearchRequest, search_tree
from ...search.constants import MARGINS
from ...search.relaxations.polyhedra import PolyhedronUnion
from ...search.relaxations.softmax import SoftmaxRegion
from ...search.relaxations.tree_sums.region import EnsembleRegion
from ...table.frames import has_short_floats, rows_of
from ..options import Options
from ..solving.answers import FIRST_MARGIN_OF_SHORT_FLOATS, Answers
from ..solving.deadline import Deadline, TimeIsOverError
from ..solving.question import Question, pose

# Corners of a box at which an ellipsoid is looked at: those of 16 numbers.
MOST_CORNERS = 2**16
# Share of the numbers compared by which a box keeps away from the ends of rules and densities: rounding of sums.
BOX_ROUNDING = 1e-11


class BoxProof:
    """Judges boxes around one answer.

    Parameters
    ----------
    answers : Answers
    place : int
        The answer.
    start : array of shape (n_features,)
        The answer, or a point next to it, which all boxes hold.
    deadline : Deadline
        Of all that is asked; what is not proven by then is not.
    """

    def __init__(self, answers: Answers, place: int, start: FloatArray, deadline: Deadline) -> None:
        self.question, self.deadline = answers.question, deadline
        self.point, self.row = start[None], answers.rows[[place]]
        if answers.domain is not None:
            domain: Domain | None = answers.domain.of_rows(np.array([place]))
        else:
            domain = replace(self.question, branches=True).domain(self.row)
        assert domain is not None  # for the question branches
        self.domain = domain
        self.given = answers.given if len(answers.rows) == 1 else rows_of(answers.given, np.array([place]))
        goal = int(answers.goal[place])
        self.outcome = outcome = self.question.outcomes[goal]
        self.rivals = [self._rivals(one, wanted) for one, wanted in self.question.fitted.everyone(outcome)]
        density = self.question.densities[goal]
        log_threshold = float(answers.log_thresholds[place, goal])
        component = int(answers.component[place])
        self.ellipsoid = (
            None
            if density is None or component < 0 or not np.isfinite(log_threshold)
            else _Ellipsoid(self.question.fitted, density, component, log_threshold, answers.points[[place]])
        )

    @property
    def is_possible(self) -> bool:
        """Whether anything can be proven: what the model refuses is a question that its kind can answer."""
        return all(rivals.is_possible for rivals in self.rivals)

    def _rivals(self, fitted: FittedModel, outcome: Outcome) -> _Rivals | _Corners | _HalfSpaces:
        if fitted.training is None and fitted.steps is None and fitted.missing is None and not fitted.robust_radius:
            region = fitted.region(outcome)
            if isinstance(region, PolyhedronUnion) and region.n_polyhedra == 1:
                return _HalfSpaces(fitted, region)
        if rival_outcomes(fitted, outcome) is None and fitted.training is None and not fitted.robust_radius:
            region = fitted.region(outcome)
            if isinstance(region, SoftmaxRegion):
                return _Corners(fitted, region)
        return _Rivals(fitted, outcome, self)

    def holds(self, lower: FloatArray, upper: FloatArray) -> bool:
        """Whether it is proven that every row of a box, with ends of shape (n_features,), is an answer."""
        if not self.keeps_rules(lower, upper):
            return False
        if self.ellipsoid is not None and not self.ellipsoid.contains(lower, upper):
            return False
        try:
            return all(rivals.refuse_nothing(lower, upper) for rivals in self.rivals)
        except TimeIsOverError:
            return False

    def cuts(self, feature: int) -> FloatArray | None:
        """Return the only values at which a box may have to end, ascending: the largest ones on one side of a cut.

        None where it may have to end elsewhere, too.
        """
        fitted = self.question.fitted
        if fitted.further or self.ellipsoid is not None or fitted.training is not None:
            return None
        region, matrix = fitted.region(self.outcome), fitted.to_model.matrix
        seen = np.flatnonzero(matrix[:, feature])
        if not isinstance(region, EnsembleRegion) or len(seen) != 1:
            return None
        place = int(seen[0])
        is_as_it_is = matrix[place, feature] == 1 and np.count_nonzero(matrix[place]) == 1
        return region.cuts[place] if is_as_it_is and fitted.to_model.offset[place] == 0 else None

    def keeps_rules(self, lower: FloatArray, upper: FloatArray) -> bool:
        """Whether it is certain that every row of a box keeps the rules."""
        domain = self.domain
        layout = domain.layout
        is_number = layout.group < 0
        if (lower < domain.lower[0])[is_number].any() or (upper > domain.upper[0]).any():
            return False
        if domain.clauses is not None and not domain.clauses.are_sure(lower[None], upper[None], layout):
            return False
        if domain.least_moves is not None:
            moves = domain.least_moves
            far = (upper <= moves.below[0]) | (lower >= moves.above[0]) | (lower == upper)
            if not far[is_number].all():
                return False
        for normal, offset in zip(domain.normals, domain.offsets, strict=True):
            most = np.where(normal > 0, normal * upper, normal * lower)
            terms = most[is_number].sum()
            for group in np.unique(layout.group[~is_number]).tolist():
                terms += (normal[layout.group == group])[upper[layout.group == group] == 1].max()
            size = np.abs(offset) + np.abs(most[is_number]).sum()
            if terms > max(offset - BOX_ROUNDING * size, float(normal @ self.point[0])):
                return False
        return True


class _Corners:
    """What a model whose region is convex says of a box: it gives the outcome everywhere if it does at the corners.

    Parameters
    ----------
    fitted : FittedModel
    region : SoftmaxRegion
    """

    is_possible = True

    def __init__(self, fitted: FittedModel, region: SoftmaxRegion) -> None:
        self.fitted = fitted
        self.region = replace(region, least=region.least + BOX_ROUNDING * (1.0 - region.least))

    def refuse_nothing(self, lower: FloatArray, upper: FloatArray) -> bool:
        """Whether it is proven that no row of a box has another outcome."""
        table = self.fitted.table
        choices = []
        for column in table.columns:
            if column.kind == "category":
                choices.append(np.eye(column.width)[upper[column.features] == 1])
            else:
                choices.append(np.unique([lower[column.start], upper[column.start]])[:, None])
        if np.prod([float(len(each)) for each in choices]) > MOST_CORNERS:
            return False
        corners = np.zeros((1, 0))
        for each in choices:
            n = len(corners)
            corners = np.hstack([np.repeat(corners, len(each), axis=0), np.tile(each, (n, 1))])
        return bool(self.region.accepts(self.fitted.in_model_space(corners)).all())


class _HalfSpaces:
    """What a model whose region is one polyhedron says of a box: a half-space holds it if it does at its worst corner.

    A side takes microseconds instead of a search: ranges of a logistic model are found three times as fast.

    Parameters
    ----------
    fitted : FittedModel
    region : PolyhedronUnion
    """

    is_possible = True

    def __init__(self, fitted: FittedModel, region: PolyhedronUnion) -> None:
        normals, offsets = region.polyhedron(0)
        self.group, to_model = fitted.table.group, fitted.to_model
        self.normals = normals @ to_model.matrix
        self.offsets = offsets - normals @ to_model.offset
        # of the numbers that are added up: they may cancel
        self.size = np.abs(offsets) + np.abs(normals) @ np.abs(to_model.offset)

    def refuse_nothing(self, lower: FloatArray, upper: FloatArray) -> bool:
        """Whether it is proven that no row of a box has another outcome."""
        is_number = self.group < 0
        most = np.where(self.normals > 0, self.normals * upper, self.normals * lower)[:, is_number]
        size = self.size + np.abs(most).sum(axis=1)
        largest = most.sum(axis=1)
        for group in range(int(self.group.max(initial=-1)) + 1):
            chosen = self.normals[:, (self.group == group) & (upper == 1)]
            largest += chosen.max(axis=1)
            size += np.abs(chosen).max(axis=1)
        return bool((largest <= self.offsets - BOX_ROUNDING * size).all())


class _Rivals:
    """What a model says of a box: whether it gives any other outcome there.

    Parameters
    ----------
    fitted : FittedModel
    outcome : Outcome
    proof : BoxProof
    """

    def __init__(self, fitted: FittedModel, outcome: Outcome, proof: BoxProof) -> None:
        outcomes = rival_outcomes(fitted, outcome)
        self.question: Question | None = None
        self.proof = proof
        if outcomes is None or fitted.training is not None or fitted.robust_radius:
            return
        rules = replace(proof.question.rules, single=())
        plain = without_demands(fitted)
        question = pose(plain, outcomes, rules, options=Options(), branches=True)
        self.question, n = question, len(outcomes)
        self.margin = MARGINS[FIRST_MARGIN_OF_SHORT_FLOATS if has_short_floats(proof.given) else 0]
        self.rows = proof.point[np.zeros(n, dtype=np.int64)]
        self.domain = question.domain(self.rows)

    @property
    def is_possible(self) -> bool:
        """Whether what the model refuses is a question that its kind can answer."""
        return self.question is not None

    def refuse_nothing(self, lower: FloatArray, upper: FloatArray) -> bool:
        """Whether it is proven that no row of a box has another outcome."""
        question = self.question
        assert question is not None
        n = len(question.outcomes)
        if n == 0:
            return True
        assert self.domain is not None
        box = replace(self.domain, lower=np.tile(lower, (n, 1)), upper=np.tile(upper, (n, 1)), max_changes=None)
        left = self.proof.deadline.left()
        request = replace(
            SearchRequest.plain(question.searched, self.rows, np.arange(n), box),
            margin=self.margin,
            seconds=np.full(n, np.inf if left is None else left),
            is_eager=True,
            any_point=True,
            work=question.options.work,
        )
        found = search_tree(request if question.lattice is None else request.in_steps(question.lattice))
        return bool((np.isinf(found.value) & np.isinf(found.lower_bound)).all())


def rival_outcomes(fitted: FittedModel, outcome: Outcome) -> list[Outcome] | None:
    """List outcomes that together are everything but one; None where the model's kind has no such outcomes."""
    if isinstance(outcome, Interval):
        rivals = [
            Interval(-np.inf, np.nextafter(outcome.low, -np.inf)),
            Interval(np.nextafter(outcome.high, np.inf), np.inf),
        ]
        return [rival for rival in rivals if np.isfinite(rival.low) or np.isfinite(rival.high)]
    assert fitted.classes is not None
    others = [index for index in range(len(fitted.classes)) if index != outcome.index]
    if outcome.min_probability is None:
        return [Label(index) for index in others]
    return [Label(others[0], 1.0 - outcome.min_probability)] if len(others) == 1 else None


def without_demands(fitted: FittedModel) -> FittedModel:
    """Return the model alone, without densities, further models and prices per change; made once."""
    key = b"without demands"
    if key not in fitted.partial:
        distance = fitted.distance
        plain = (
            replace(distance, per_change=0.0)
            if isinstance(distance, ResolvedManhattan)
            else Manhattan().resolve(fitted.column_values, fitted.table)
        )
        fitted.partial[key] = replace(
            fitted,
            distance=plain,
            densities={},
            problems={},
            partial={},
            conditionals={},
            further=(),
            robust_radius=0.0,
        )
    return fitted.partial[key]


class _Ellipsoid:
    """Where one component of a density reaches the threshold.

    Parameters
    ----------
    fitted : FittedModel
    density : ClassDensity
    component : int
    log_threshold : float
    point : array of shape (1, n_features)
        An answer in it.
    """

    def __init__(
        self, fitted: FittedModel, density: ClassDensity, component: int, log_threshold: float, point: FloatArray
    ) -> None:
        mixture, table = density.mixture_, fitted.table
        n_numbers = mixture.means_.shape[1]
        self.numeric = table.numeric if fitted.has_categories else np.arange(table.n_features)
        factor = _factor(
            np.asarray(mixture.precisions_cholesky_, dtype=np.float64), mixture.covariance_type, component, n_numbers
        )
        start = fitted.density_rows(point)[:, :n_numbers] - mixture.means_[component]
        matrix = np.eye(n_numbers) if fitted.has_categories else fitted.to_density.matrix
        self.origin = (start @ factor)[0]
        self.directions = matrix.T @ factor  # of shape (n_numeric, n_numbers)
        self.point = point[0]
        peak = float(log_peaks(mixture)[component])
        slack = BOX_ROUNDING * (1.0 + abs(peak) + abs(log_threshold))
        self.room = peak - log_threshold - slack
        tables = category_drops(mixture)
        groups = [np.flatnonzero(table.group == group) for group in range(len(tables))]
        self.drops = [(features, drops[:, component]) for features, drops in zip(groups, tables, strict=True)]

    def contains(self, lower: FloatArray, upper: FloatArray) -> bool:
        """Whether a box is within the ellipsoid; the answer alone is, as it was checked before."""
        moves = self._is_wide(lower, upper)
        if (upper == self.point).all() and not moves.any():
            return True
        dropped = sum(float(drops[upper[features] == 1].max()) for features, drops in self.drops)
        return 0.5 * self._largest(lower, upper, moves) + dropped <= self.room

    def _is_wide(self, lower: FloatArray, upper: FloatArray) -> BoolArray:
        return np.asarray((lower < upper)[self.numeric])

    def _largest(self, lower: FloatArray, upper: FloatArray, moves: BoolArray) -> float:
        """Largest squared norm over the box, or a number above it."""
        low, high, own = (ends[self.numeric] for ends in (lower, upper, self.point))
        centre = np.where(moves, 0.5 * (low + high), low) - own
        middle = self.origin + centre @ self.directions
        reach = (0.5 * (high - low))[moves, None] * self.directions[moves]
        if 2 ** int(moves.sum()) > MOST_CORNERS:
            return float((np.linalg.norm(middle) + np.linalg.norm(reach, axis=1).sum()) ** 2)
        corners = middle[None]
        for step in reach:
            corners = np.concatenate([corners + step, corners - step])
        return float(np.square(corners).sum(axis=1).max())


def _factor(L: FloatArray, kind: str, component: int, n_numbers: int) -> FloatArray:
    """Return the matrix F with squared Mahalanobis norm |(z - mean) F|^2, shape (n_numbers, n_numbers)."""
    if kind == "full":
        return np.asarray(L[component])
    if kind == "tied":
        return L
    return np.asarray(np.diag(L[component]) if kind == "diag" else np.eye(n_numbers) * L[component])
