"""Answers in JSON's terms: what is shown of answers everywhere, and what only the page draws.

Paths through dense data, in JSON's terms.

Maps of two columns, in JSON's terms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...answers import Explanation, Explanations, Path
from ...explainer import Explainer
from ...fitted import FittedModel
from ...reasons import for_everyone
from ...text import sentence
from ...text.steps import instruction_in_words
from ..files.trail.records import target_probabilities
from ..files.values import to_json
from ..plot.pictures.plane import PlanePicture
from ..plot.pictures.proof import ProofPicture
from .outlines import Outline
from .scales import ColumnShare

# Points a side of a map's grid; between them borders run straight.
MAP_POINTS = 64


def written(
    fitted: FittedModel, answers: Explanations, row: dict[str, Any], shares: Sequence[ColumnShare], *, are_pixels: bool
) -> list[dict[str, Any]]:
    """Write the answers of one row; see :class:`~.schemas.AnswerBody`.

    Parameters
    ----------
    fitted : FittedModel
        Is asked for probabilities.
    answers : Explanations
        Of one row, best first.
    row : {column: value}
    shares : sequence of ColumnShare
        Of the target's rows, one a column.
    """
    answers = replace(answers, causes=tuple(for_everyone(cause) for cause in answers.causes))
    before, after = target_probabilities(fitted, answers)
    stated = answers.shown()
    return [
        {
            **{name: to_json(values[place]) for name, values in stated.items()},
            "sentence": sentence(answer, are_pixels=are_pixels),
            "probability_before": to_json(before[place]),
            "probability_after": to_json(after[place]),
            **_changes(answer, row, shares),
        }
        for place, answer in enumerate(answers)
    ]


def written_changes(answer: Explanation) -> list[dict[str, Any]]:
    """Write the changes of an answer; see :class:`~.schemas.ChangeBody`."""
    return [
        {
            "column": change.feature,
            "before": to_json(change.before),
            "after": to_json(change.after),
            "difference": change.difference,
            "cost": change.cost,
        }
        for change in answer.changes
    ]


def _changes(answer: Explanation, row: dict[str, Any], shares: Sequence[ColumnShare]) -> dict[str, Any]:
    changes = written_changes(answer)
    after = {**row, **{change["column"]: change["after"] for change in changes}} if answer.found else None
    return {"changes": changes, "counterfactual": after, "positions": _positions(row, after, shares)}


def _positions(
    before: dict[str, Any], after: dict[str, Any] | None, shares: Sequence[ColumnShare]
) -> dict[str, dict[str, float | None]]:
    """Where values stand among the target's training rows; see :class:`~.schemas.PositionBody`."""
    positions = {}
    for share in shares:
        old = before[share.name]
        share_before = share(old)
        new = old if after is None else after[share.name]
        positions[share.name] = {
            "before": share_before,
            "after": None if after is None else share_before if new is old else share(new),
        }
    return positions


def has_ways(explainer: Explainer) -> bool:
    """Whether ways can be asked for at all: they lead through numbers, and where data are dense."""
    is_of_numbers = all(column.kind == "number" for column in explainer.table_.columns)
    return bool(explainer.densities_) and is_of_numbers and not getattr(explainer.distance_, "per_change", 0.0)


def written_way(path: Path, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Write a way, whose corners are rows; see :class:`~.schemas.PathBody`."""
    profile = path.profile
    return {
        "status": path.status,
        "sentence": path.sentence,
        "length": to_json(path.length),
        "level": to_json(path.level),
        "enters": path.enters,
        "steps": [instruction_in_words(changes) for changes in path.changes],
        "positions": [] if profile is None else profile.positions.tolist(),
        "shares": [] if profile is None else profile.shares.tolist(),
        "rows": [] if path.status == "infeasible" else rows,
        "probabilities": None
        if profile is None or profile.probabilities is None
        else [to_json(each) for each in profile.probabilities.tolist()],
    }


def written_map(explainer: Explainer, answer: Explanation, columns: tuple[str, str] | None) -> dict[str, Any]:
    """Write the plane of two columns through an answer; see :class:`~.schemas.MapBody`."""
    if not answer.found:
        nothing: dict[str, Any] = {name: [] for name in ("columns", "across", "up", "lines", "now", "then")}
        return nothing | dict.fromkeys(("accepted", "realistic", "smaller"), "") | {"n_other_changes": 0}
    if answer.distance > 0.0:
        proof = ProofPicture.compute(explainer, answer, columns, resolution=MAP_POINTS, around="rows")
        plane, smaller = proof.plane, proof.radius - proof.distances
    else:
        plane = PlanePicture.compute(explainer, answer, columns, resolution=MAP_POINTS)
        smaller = np.full(plane.regions.shape, -1.0)
    accepted = plane.regions == plane.wanted
    kinds = accepted + 2 * plane.realistic + 4 * (smaller >= 0)
    room = np.ones(accepted.shape) if plane.log_density is None else plane.log_density - plane.log_threshold
    decided = Outline.of_decisions(accepted, plane.grid, lambda places: plane.accepted_at(explainer, answer, places))
    across, up = plane.grid
    return {
        "columns": list(plane.columns),
        "across": [float(across[0]), float(across[-1])],
        "up": [float(up[0]), float(up[-1])],
        "lines": ["".join(map(str, line)) for line in kinds.tolist()],
        "accepted": decided.filled(),
        "realistic": Outline.of_values(room).filled(),
        "smaller": Outline.of_values(smaller).border(),
        "now": [to_json(each) for each in plane.row.tolist()],
        "then": [to_json(each) for each in plane.counterfactual.tolist()],
        "n_other_changes": plane.n_other_changes,
    }
