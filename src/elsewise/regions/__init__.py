"""Regions: where a model decides for a wanted outcome, as unions of polyhedra."""

from . import linear, prototypes, regression, tree  # noqa: F401 - they register their model families
from .base import Interval, Label, Outcome, Region, builder_of, polyhedron, region_of, register, union

__all__ = [
    "Interval",
    "Label",
    "Outcome",
    "Region",
    "builder_of",
    "polyhedron",
    "region_of",
    "register",
    "union",
]
