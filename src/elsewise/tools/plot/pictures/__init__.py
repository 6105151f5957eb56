"""Pictures of counterfactuals: what is drawn is computed first, drawn on any axes later.

A file for every function of :mod:`elsewise.plot`, with the picture it draws. The files of the comparison hold several
answers of one row against each other: their functions take a mapping of names to answers.
"""

from .audit import AuditPicture
from .changes import ChangesPicture
from .comparison.figure import ChangesView, changes_view, counterfactual_figure, draw_changes
from .comparison.plane import PlaneView, draw_plane, plane_view
from .distributions import ColumnDistribution, DistributionsPicture
from .frontier import ChangesFrontierPicture, FrontierPicture
from .images import ImagesPicture
from .levers import LeversPicture
from .path import PathImagesPicture, PathPicture
from .plane import PlanePicture
from .proof import ProofPicture
from .summary import Obstacle, SummaryPicture

__all__ = [
    "AuditPicture",
    "ChangesFrontierPicture",
    "ChangesPicture",
    "ChangesView",
    "ColumnDistribution",
    "DistributionsPicture",
    "FrontierPicture",
    "ImagesPicture",
    "LeversPicture",
    "Obstacle",
    "PathImagesPicture",
    "PathPicture",
    "PlanePicture",
    "PlaneView",
    "ProofPicture",
    "SummaryPicture",
    "changes_view",
    "counterfactual_figure",
    "draw_changes",
    "draw_plane",
    "plane_view",
]
