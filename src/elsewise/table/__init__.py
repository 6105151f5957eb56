"""Columns: the user's table and the features it becomes."""

from .column import Column, OneHot, Ordinal
from .infer import read_table
from .table import Table

__all__ = ["Column", "OneHot", "Ordinal", "Table", "read_table"]
