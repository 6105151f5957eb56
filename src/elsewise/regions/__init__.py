"""Regions: where a model decides for a wanted outcome, as unions of polyhedra."""

from . import linear, prototypes, regression, tree  # noqa: F401 - they register their model families
from .base import Interval, Label, Outcome, Region, polyhedron, region_of, register, union
from .pipeline import AffineMap, affine_map, register_affine, unwrap

__all__ = [
    "AffineMap",
    "Interval",
    "Label",
    "Outcome",
    "Region",
    "affine_map",
    "polyhedron",
    "region_of",
    "register",
    "register_affine",
    "union",
    "unwrap",
]
