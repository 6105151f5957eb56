"""Regions: where a model decides for a wanted outcome; one file a family of models, one folder a kind of region."""

from ..search import Halfspaces, Reach, Region
from . import (  # noqa: F401 - they register their model families
    ensembles,
    linear,
    pairs,
    prototypes,
    regression,
    tree,
    wrappers,
)
from .outcomes import DecisionValue, Interval, Label, Outcome, Probability, Response
from .polyhedra import PolyhedronUnion, polyhedron, union
from .registry import builder_of, families, region_of, register, register_response, response_region_of

__all__ = [
    "DecisionValue",
    "Halfspaces",
    "Interval",
    "Label",
    "Outcome",
    "PolyhedronUnion",
    "Probability",
    "Reach",
    "Region",
    "Response",
    "builder_of",
    "families",
    "polyhedron",
    "region_of",
    "register",
    "register_response",
    "response_region_of",
    "union",
]
