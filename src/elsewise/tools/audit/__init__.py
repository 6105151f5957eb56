"""What regulators and operators ask of many answers: who bears which cost, and whether anything has changed."""

from .audit import Audit, Difference, GroupMeasure, audit
from .comparison import ComparedLine, Comparison, compare
from .monitor import Baseline, Monitoring, Reading
from .reason_counts import ReasonCount

__all__ = [
    "Audit",
    "Baseline",
    "ComparedLine",
    "Comparison",
    "Difference",
    "GroupMeasure",
    "Monitoring",
    "Reading",
    "ReasonCount",
    "audit",
    "compare",
]
