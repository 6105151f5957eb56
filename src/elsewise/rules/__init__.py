"""What the user allows: bounds, directions, fixed columns, transitions, linear rules, and how many may change."""

from .constraints import Constraints, names_in
from .resolve import resolve
from .rules import Rules

__all__ = ["Constraints", "Rules", "names_in", "resolve"]
