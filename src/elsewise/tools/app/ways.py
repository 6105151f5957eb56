"""Ways through dense data, in JSON's terms."""

from __future__ import annotations

from typing import Any

from ...answers import Path
from ...explainer import Explainer
from ...text.steps import instruction_in_words
from ..files.values import to_json


def has_ways(explainer: Explainer) -> bool:
    """Whether ways can be asked for at all: they lead through numbers, and where data are dense."""
    is_of_numbers = all(column.kind == "number" for column in explainer.table_.columns)
    return bool(explainer.densities_) and is_of_numbers and not getattr(explainer.distance_, "per_change", 0.0)


def written_way(path: Path) -> dict[str, Any]:
    """Write a way; see :class:`~.schemas.PathBody`."""
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
        "probabilities": None
        if profile is None or profile.probabilities is None
        else [to_json(each) for each in profile.probabilities.tolist()],
    }
