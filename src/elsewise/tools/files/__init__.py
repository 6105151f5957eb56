"""What people keep and hand over: explainers, models, tables, rules and answers, in files and as plain values."""

from . import answers, explainers, formulas, models, questions, settings, tables, values

__all__ = ["answers", "explainers", "formulas", "models", "questions", "settings", "tables", "values"]
