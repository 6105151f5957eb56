"""Pictures of counterfactuals: views are computed first, drawn on any axes later."""

from .changes import ChangesView, changes_view, draw_changes
from .figure import counterfactual_figure
from .plane import PlaneView, draw_plane, plane_view

__all__ = [
    "ChangesView",
    "PlaneView",
    "changes_view",
    "counterfactual_figure",
    "draw_changes",
    "draw_plane",
    "plane_view",
]
