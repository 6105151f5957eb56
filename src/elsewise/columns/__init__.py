"""Real tables: columns with names and types, and the one exact affine map from their features to model space."""

from .column import Column, OneHot, Ordinal
from .compile import CompiledModel, compile_model
from .infer import read_table
from .table import Table

__all__ = ["Column", "CompiledModel", "OneHot", "Ordinal", "Table", "compile_model", "read_table"]
