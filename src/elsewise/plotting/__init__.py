"""Pictures of counterfactuals: what is drawn is computed first, drawn on any axes later.

The functions of :mod:`elsewise.plot` are the door to the pictures of one explainer. Those that take a mapping of names
to answers compare several of them.
"""

from .changes import ChangesView, changes_view, draw_changes
from .distributions import ColumnDistribution, DistributionsPicture
from .figure import counterfactual_figure
from .frontier import FrontierPicture
from .images import ImagesPicture
from .plane import PlaneView, draw_plane, plane_view
from .slice import SlicePicture
from .summary import Obstacle, SummaryPicture
from .waterfall import WaterfallPicture

__all__ = [
    "ChangesView",
    "ColumnDistribution",
    "DistributionsPicture",
    "FrontierPicture",
    "ImagesPicture",
    "Obstacle",
    "PlaneView",
    "SlicePicture",
    "SummaryPicture",
    "WaterfallPicture",
    "changes_view",
    "counterfactual_figure",
    "draw_changes",
    "draw_plane",
    "plane_view",
]
