"""The projector: one point onto one convex cell, many at once, with certificates."""

from .solve import Projection, project

__all__ = ["Projection", "project"]
