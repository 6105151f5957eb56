"""What regulators and operators ask of many answers: who bears which cost, and whether anything has changed."""

from .audit import Audit, Difference, GroupMeasure, audit
from .baseline import Baseline
from .monitor import Monitoring, Reading

__all__ = ["Audit", "Baseline", "Difference", "GroupMeasure", "Monitoring", "Reading", "audit"]
