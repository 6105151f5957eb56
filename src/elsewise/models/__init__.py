"""Regions: where a model decides for a wanted outcome; one file a family of models, one folder a kind of region."""

from ..search import Halfspaces, Reach, Region
from ..search.region import DecisionValue, Interval, Label, Outcome, Probability, Response
from ..search.relaxations.polyhedra import PolyhedronUnion, polyhedron, union
from . import linear, onnx, pairs, prototypes, tree, trees, unit_sums, wrappers  # noqa: F401 - they register their model families
from .behind_steps import check_behind_steps, is_linear_model, region_behind_steps
from .black_box import BlackBox, BlackBoxRegion
from .dumps import DumpedModel, read_catboost, read_lightgbm, read_xgboost
from .missing import region_where_missing, takes_missing
from .onnx import read_onnx
from .refits import refits, trained_again
from .registry import (
    as_estimator,
    builder_of,
    classes_of,
    families,
    region_of,
    register,
    register_response,
    response_region_of,
)

__all__ = [
    "BlackBox",
    "BlackBoxRegion",
    "DecisionValue",
    "DumpedModel",
    "Halfspaces",
    "Interval",
    "Label",
    "Outcome",
    "PolyhedronUnion",
    "Probability",
    "Reach",
    "Region",
    "Response",
    "as_estimator",
    "builder_of",
    "check_behind_steps",
    "classes_of",
    "families",
    "is_linear_model",
    "polyhedron",
    "read_catboost",
    "read_lightgbm",
    "read_onnx",
    "read_xgboost",
    "refits",
    "region_behind_steps",
    "region_of",
    "region_where_missing",
    "register",
    "register_response",
    "response_region_of",
    "takes_missing",
    "trained_again",
    "union",
]
