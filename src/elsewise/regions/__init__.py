"""Regions: where a model decides for a wanted outcome; one file a family of models, one folder a kind of region."""

from ..search import Halfspaces, Reach, Region
from . import ensembles, linear, prototypes, regression, tree  # noqa: F401 - they register their model families
from .missing import region_where_missing, takes_missing
from .outcomes import Interval, Label, Outcome
from .polyhedra import PolyhedronUnion, polyhedron, union
from .registry import as_estimator, builder_of, classes_of, families, region_of, register

__all__ = [
    "Halfspaces",
    "Interval",
    "Label",
    "Outcome",
    "PolyhedronUnion",
    "Reach",
    "Region",
    "as_estimator",
    "builder_of",
    "classes_of",
    "families",
    "polyhedron",
    "region_of",
    "region_where_missing",
    "register",
    "takes_missing",
    "union",
]
