"""What people keep and hand over: explainers, models, tables, rules and answers, in files and as plain values."""

from . import answers, bodies, explainers, settings, tables, values

__all__ = ["answers", "bodies", "explainers", "settings", "tables", "values"]
