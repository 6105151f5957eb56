"""From what the user asks to a path or a plan: one row in, the path out."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..answers.path import Bottleneck, Path, Profile
from ..answers.records import OPTIMAL_GAP
from ..arrays import FloatArray, UserData, UserTarget, UserValue
from ..distances import ResolvedManhattan
from ..errors import InvalidInputError
from ..fitted import FittedModel
from ..models import Interval, Label, Outcome
from ..reasons import ProofUnfinished
from ..rules.relaxing import for_ways
from ..table import Table
from ..table.frames import rows_of
from .explain import for_one_row, one_question
from .options import Options
from .paths.shortest_path import DensePath, find_dense_path
from .presentation import shares_of

# Places of a segment at which a path's profile is evaluated: enough for a smooth curve.
PLACES_A_SEGMENT = 24


def find_path(
    fitted: FittedModel,
    x: ArrayLike,
    target: UserTarget,
    options: Options,
    *,
    level: UserValue = None,
) -> Path:
    """Find the path of one row; see :meth:`elsewise.Explainer.path`."""
    if isinstance(fitted.distance, ResolvedManhattan) and fitted.distance.per_change > 0:
        raise InvalidInputError(
            "A path is measured along the way, where a price per change has no meaning: it would be paid at every "
            "corner. Ask for it with a distance without per_change."
        )
    given, row, outcome = one_question(fitted, x, target, options)
    rules, missing = for_ways(fitted.rules(options.constraints, outcome)), fitted.table.missing(given)
    rules.check_rows(row, given, missing)
    fitted, rules = for_one_row(fitted, rules, row, missing)
    path = find_dense_path(fitted, outcome, given, row, rules, options, level=level)
    count = len(path.points)
    repeated = rows_of(given, np.zeros(count, dtype=np.int64))
    table = fitted.table_under(rules)
    steps = table.decode(path.points, repeated, encoded=np.repeat(row, count, axis=0))
    gap = (path.length - path.lower_bound) / path.length if path.length > 0 else 0.0
    status = "infeasible" if not path.is_found else "optimal" if gap <= OPTIMAL_GAP else "feasible"
    cause = ProofUnfinished("rounding") if status == "feasible" and path.cause is None else path.cause
    landscape = fitted.landscape()
    least = outcome.min_probability if isinstance(outcome, Label) else None
    return Path(
        steps=steps,
        target=_as_asked(fitted, outcome),
        prediction=fitted.predict(row, given)[0],
        status=status,
        length=path.length if path.is_found else np.nan,
        lower_bound=path.lower_bound,
        gap=gap if path.is_found else np.nan,
        log_level=path.level,
        level=landscape.share_no_denser(path.level),
        log_highest=path.highest,
        bottleneck=_bottleneck(fitted, path) if path.is_found and count > 1 else None,
        profile=_profile(fitted, table, path, given, outcome) if path.is_found and count > 1 else None,
        enters=bool((path.components < 0).any()),
        components=path.components,
        cause=cause if status != "optimal" or count == 1 else None,
        features=path.points,
        lengths=_lengths(fitted, path.points),
        shares=shares_of(table, fitted.distance, path.points[:-1], path.points[1:]),
        table=table,
        min_probability=np.nan if least is None else float(least),
    )


def _as_asked(fitted: FittedModel, outcome: Outcome) -> Any:
    """Return the outcome in the user's terms."""
    if isinstance(outcome, Interval):
        return (outcome.low, outcome.high)
    assert fitted.classes is not None
    return fitted.classes[outcome.index]


def _lengths(fitted: FittedModel, points: FloatArray) -> FloatArray:
    each = fitted.distance(points[1:], points[:-1]) if len(points) > 1 else np.empty(0)
    return np.asarray(each if isinstance(fitted.distance, ResolvedManhattan) else np.sqrt(each))


def _bottleneck(fitted: FittedModel, path: DensePath) -> Bottleneck:
    """Find the sparsest place, apart from the first step of a row that is itself sparser than the level."""
    landscape, lengths = fitted.landscape(), _lengths(fitted, path.points)
    images = fitted.density_rows(path.points)
    found = []
    for segment in np.flatnonzero(path.components >= 0).tolist():
        share, height = landscape.sparsest_between(images[segment], images[segment + 1])
        found.append((height, segment, share))
    height, segment, share = min(found) if found else (float(landscape.log_max(images[-1:])[0]), 0, 1.0)
    before = float(lengths[:segment].sum() + share * lengths[segment]) / max(float(lengths.sum()), np.finfo(float).tiny)
    place = path.points[segment] + share * (path.points[segment + 1] - path.points[segment])
    return Bottleneck(height, landscape.share_no_denser(height), segment, min(before, 1.0), place)


def _profile(fitted: FittedModel, table: Table, path: DensePath, given: UserData, outcome: Outcome) -> Profile:
    landscape, lengths = fitted.landscape(), _lengths(fitted, path.points)
    shares = np.linspace(0.0, 1.0, PLACES_A_SEGMENT + 1)
    parts, positions = [path.points[:1]], [np.zeros(1)]
    ends = np.append(0.0, np.cumsum(lengths))
    for segment in range(len(lengths)):
        inner = path.points[segment] + shares[1:-1, None] * (path.points[segment + 1] - path.points[segment])
        parts += [inner, path.points[segment + 1 : segment + 2]]  # corners with all their bits
        positions.append(ends[segment] + shares[1:] * lengths[segment])
    places = np.concatenate(parts)
    logs = landscape.log_max(fitted.density_rows(places))
    probabilities = None
    if isinstance(outcome, Label) and hasattr(fitted.model, "predict_proba"):
        count = np.zeros(len(places), dtype=np.int64)
        rows = np.repeat(path.points[:1], len(places), axis=0)
        probabilities = fitted.probability(places, rows_of(given, count), rows, index=outcome.index, table=table)
    return Profile(
        positions=np.concatenate(positions) / max(float(ends[-1]), np.finfo(float).tiny),
        log_densities=logs,
        shares=np.array([landscape.share_no_denser(each) for each in logs.tolist()]),
        probabilities=probabilities,
        features=places,
    )
