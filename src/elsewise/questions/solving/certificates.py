"""Certificates of answers: the question about each row put into plain numbers, and its proof written."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from ...answers.records import OPTIMAL_GAP
from ...arrays import FloatArray, IntArray
from ...distances import ResolvedManhattan
from ...models import Interval
from ...proofs import (
    AffineView,
    NotCertifiedError,
    Proof,
    StatedEllipsoids,
    StatedGoal,
    StatedPolyhedra,
    StatedSums,
    StatedTrees,
    Statement,
    limits,
    prove,
)
from ...search import Cover, Domain, Layout
from ...search.relaxations.black_box import BlackBoxCover
from ...search.relaxations.polyhedra.cover import PolyhedraCover
from ...search.relaxations.softmax import SoftmaxRegion
from ...search.relaxations.tangents import TangentCover
from ...search.relaxations.tree_sums.cover import EnsembleCover
from ...search.relaxations.tree_sums.decisions import Mean
from ...search.relaxations.tree_sums.joint import members_of
from ...search.relaxations.unit_sums.region import SumCover
from ...table import Column
from .answers import Answers
from .question import Question


def proofs_of(answers: Answers, goals: IntArray) -> tuple[Proof, ...]:
    """Write a certificate for every row, or say why there is none.

    Parameters
    ----------
    answers : Answers
        The first answers of rows.
    goals : int array of shape (n_samples,)
        Goals asked for, -1 for any other class.
    """
    return tuple(_proof_of(answers, place, int(goals[place])) for place in range(len(answers.rows)))


def _proof_of(answers: Answers, place: int, goal: int) -> Proof:
    try:
        statement = _statement(answers, place, goal)
        return prove(statement, float(np.minimum(answers.lower_bound[place], answers.value[place])))
    except NotCertifiedError as reason:
        return Proof(reason=str(reason))


def _statement(answers: Answers, place: int, goal: int) -> Statement:
    """Put the question about one row, and its answer, into plain numbers."""
    question, lattice = answers.question, answers.question.lattice
    distance = question.distance
    if not isinstance(distance, ResolvedManhattan):
        raise NotCertifiedError("distances that are quadratic have no certificates yet")
    if not question.fitted.is_exactly_robust(question.outcomes):
        raise NotCertifiedError("robust answers of models of several parts have no certificates: some may be left out")
    if not np.isnan(answers.highest_quantile[place]):
        raise NotCertifiedError("answers that are less dense than asked have no certificates")
    row, domain = answers.rows[[place]], _domain_of(answers, place)
    prices = distance.weights
    point = answers.points[[place]] if np.isfinite(answers.value[place]) else None
    if lattice is not None:
        domain, prices = lattice.domain(domain, row), prices * lattice.unit
        row, point = lattice.counts(row), None if point is None else lattice.counts(point)
    places = _goals_of(answers, place, goal)
    found = None if point is None else question.distance(answers.points[[place]], answers.rows[[place]])
    gap = 0.0 if found is None else float(found[0] - answers.lower_bound[place])
    status = "unknown" if found is None else "optimal" if gap <= OPTIMAL_GAP * float(found[0]) else "feasible"
    return Statement(
        row=row[0],
        prices=prices,
        domain=domain,
        goals=tuple(_goal(answers, place, number) for number in places),
        status=status,
        point=None if point is None else point[0],
        goal=-1 if point is None else places.index(int(answers.goal[place])),
        distance=None if found is None else float(found[0]),
        earlier=tuple(one.columns for one in answers.earlier[place] if one.apart is None),
        apart=tuple(
            (one.point if lattice is None else lattice.counts(one.point[None])[0], one.apart)
            for one in answers.earlier[place]
            if one.apart is not None
        ),
        notes=_notes(question, places),
    )


def _notes(question: Question, goals: list[int]) -> dict[str, Any]:
    """Name what the numbers of a statement are about."""
    fitted, table = question.fitted, question.table
    notes: dict[str, Any] = {
        "names": list(table.names),
        "columns": [_described(question, column) for column in table.columns],
        "outcomes": [_outcome(question, number) for number in goals],
    }
    if any(_is_outer(question.searched.goals[number].cover) for number in goals):
        notes["necessary"] = True  # the conditions hold wherever the model decides so, and elsewhere, too
    if fitted.missing is not None:
        notes["missing"] = [
            name for name, is_missing in zip(question.table.feature_names, fitted.missing) if is_missing
        ]
    if fitted.robust_radius:
        notes["robust_radius"] = fitted.robust_radius
    return notes


def _described(question: Question, column: Column) -> dict[str, Any]:
    """Describe a column: what its features are in the user's rows."""
    said: dict[str, Any] = {
        "name": str(column.name),
        "kind": column.kind,
        "features": list(range(column.start, column.stop)),
    }
    lattice = question.lattice
    if lattice is not None and column.start in lattice.features:
        place = int(np.flatnonzero(lattice.features == column.start)[0])
        said["step"] = [float(lattice.numerator[place]), float(lattice.denominator[place])]
    if column.levels:
        said["levels"] = [_plain(level) for level in column.levels]
    if column.is_group:
        said["sources"] = [question.table.names[source] for source in column.sources]
    return said


def _outcome(question: Question, number: int) -> dict[str, Any]:
    outcome = question.outcomes[number]
    if isinstance(outcome, Interval):
        return {"range": limits(np.array([outcome.low, outcome.high]))}
    said = {"label": _plain(question.label(number))}
    return said if outcome.min_probability is None else {**said, "min_probability": float(outcome.min_probability)}


def _plain(value: Any) -> Any:
    """Return a value as JSON has it."""
    value = value.item() if isinstance(value, np.generic) else value
    return value if value is None or isinstance(value, (bool, int, str)) or np.isfinite(value) else None


def _is_outer(cover: Cover) -> bool:
    """Whether the conditions that are stated of trees follow from the decision, but are not all of it."""
    if not isinstance(cover, EnsembleCover):
        return False
    decisions = [decision for _, decision in members_of(cover.trees, cover.decision)]
    return any(isinstance(one, Mean) or getattr(one, "least_log_odds", -np.inf) > -np.inf for one in decisions)


def _goals_of(answers: Answers, place: int, goal: int) -> list[int]:
    """Goals that the answer of a row is the nearest of."""
    if goal >= 0:
        return [goal]
    classes = answers.question.fitted.classes
    assert classes is not None
    return [number for number, label in enumerate(classes) if label != answers.predictions[place]]


def _domain_of(answers: Answers, place: int) -> Domain:
    """Return what a row may become; where anything goes, a domain without limits."""
    if answers.domain is not None:
        return answers.domain.of_rows(np.array([place]))
    n = answers.rows.shape[1]
    nothing = np.full(n, -1)
    return Domain(
        layout=Layout(np.arange(n), n, nothing),
        lower=np.full((1, n), -np.inf),
        upper=np.full((1, n), np.inf),
        integer=np.zeros(n, dtype=np.bool_),
        max_changes=None,
        normals=np.empty((0, n)),
        offsets=np.empty(0),
    )


def _goal(answers: Answers, place: int, number: int) -> StatedGoal:
    """Region and density of a goal for one row."""
    question = answers.question
    cover = question.searched.goals[number].cover
    region = _region(cover) if question.use_model else None
    if answers.already[place] and answers.keeps_satisfied:
        return StatedGoal(region, None)  # a row that stays as it is need not be dense
    return StatedGoal(region, _density(question, number, float(answers.log_thresholds[place, number])))


# Regions as certificates state them, which all rows share.
_STATED: WeakKeyDictionary[Cover, StatedPolyhedra | StatedSums | StatedTrees | None] = WeakKeyDictionary()


def _region(cover: Cover) -> StatedPolyhedra | StatedSums | StatedTrees | None:
    if cover not in _STATED:
        _STATED[cover] = _stated(cover)
    return _STATED[cover]


def _stated(cover: Cover) -> StatedPolyhedra | StatedSums | StatedTrees | None:
    if isinstance(cover, BlackBoxCover):
        return None
    if isinstance(cover, EnsembleCover):
        return StatedTrees.of(cover)
    if isinstance(cover, SumCover):
        return StatedSums(
            cover.in_model_space, AffineView(cover.space.matrix, cover.space.offset), not cover.region.parts()
        )
    if isinstance(cover, TangentCover) and isinstance(cover.region, SoftmaxRegion):
        region, view = cover.region, AffineView(cover.space.matrix, cover.space.offset)
        return StatedSums(region.sums, view, not region.parts())
    if not isinstance(cover, PolyhedraCover):
        raise NotCertifiedError(f"regions of this kind ({type(cover).__name__}) have no certificates yet")
    return StatedPolyhedra(cover.region, AffineView(cover.space.matrix, cover.space.offset))


def _density(question: Question, number: int, log_threshold: float) -> StatedEllipsoids | None:
    """Ellipsoids of a goal at a threshold, and the numbers that they are about."""
    density, space = question.densities[number], question.searched.space
    if density is None:
        return None
    cones = density.with_threshold(log_threshold).cones()
    unit: FloatArray = np.ones(space.n_features) if space.lattice is None else space.lattice.unit
    if not question.fitted.has_categories:
        to_density = question.fitted.to_density
        return StatedEllipsoids(
            cones, AffineView(to_density.matrix * unit, to_density.offset), np.empty(0, dtype=np.int64)
        )
    numeric, indicators = np.flatnonzero(space.group < 0), np.flatnonzero(space.group >= 0)
    view = np.eye(space.n_features)[numeric] * unit
    return StatedEllipsoids(cones, AffineView(view, np.zeros(len(numeric))), indicators)
