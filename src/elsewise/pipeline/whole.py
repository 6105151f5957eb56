"""A model as a whole: its table as the data show it, and nothing between the features and what the model takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..table.column import Declaration
from ..table.frames import as_table
from ..table.infer import read_table
from ..table.rows import check_count, column_names, select_columns
from .affine import AffineMap
from .compile import CompiledModel
from .missing import with_missing_as_seen
from .seen import columns_seen


def compile_whole(model: Any, X: Any, declared: Mapping[str, Declaration] | None = None) -> CompiledModel:
    """Take a model whose steps cannot be followed as one: model space is that of the features.

    Parameters
    ----------
    model : fitted estimator or Pipeline
    X : data frame or array of shape (n_samples, n_columns)
        Training rows, as the model takes them.
    declared : mapping of column name to declaration, optional
        See :func:`read_table`. Only these and the dtypes say what columns are: nothing else is known of the steps.
    """
    X = as_table(X)
    seen_by_model, width = columns_seen(model, X)
    if seen_by_model:
        X = select_columns(X, seen_by_model)
    if X.shape[1] != width:
        names = column_names(X) or seen_by_model or tuple(f"x{place}" for place in range(width))
        check_count(X.shape[1], names[:width])
    table = with_missing_as_seen(read_table(X, declared, names=seen_by_model or None), X)
    return CompiledModel(table, AffineMap.identity(table.n_features), model, table.encode(X))
