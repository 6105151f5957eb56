"""Regions: where a model decides for a wanted outcome; one file a family of models, one folder a kind of region."""

from ..search import Halfspaces, Reach, Region
from . import (  # noqa: F401 - they register their model families
    ensembles,
    linear,
    pairs,
    prototypes,
    regression,
    sums,
    tree,
    wrappers,
)
from .behind_steps import check_behind_steps, is_linear_model, region_behind_steps
from .black_box import BlackBox, BlackBoxRegion
from .missing import region_where_missing, takes_missing
from .outcomes import DecisionValue, Interval, Label, Outcome, Probability, Response
from .polyhedra import PolyhedronUnion, polyhedron, union
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
    "region_behind_steps",
    "region_of",
    "region_where_missing",
    "register",
    "register_response",
    "response_region_of",
    "takes_missing",
    "union",
]
