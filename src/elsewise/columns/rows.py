"""Rows of data at the public boundary: checked once, with errors that name the row and the column."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from ..arrays import FloatArray
from ..errors import InvalidInputError


def column_names(X: Any) -> tuple[str, ...] | None:
    """Names of the columns of a data frame whose columns are all strings, else None (as scikit-learn has it)."""
    columns = getattr(X, "columns", None)
    if columns is None:
        return None
    names = list(columns)
    return tuple(names) if names and all(isinstance(name, str) for name in names) else None


def as_given(X: Any, *, name: str = "X") -> NDArray[Any]:
    """Return the rows as an array in the type they came in, to be echoed bit for bit."""
    if issparse(X):
        raise InvalidInputError(
            f"{name} is sparse ({type(X).__name__}). Expected dense rows: a counterfactual may change any feature. "
            f"Pass {name}.toarray()."
        )
    try:
        values = X.to_numpy() if hasattr(X, "to_numpy") else np.asarray(X)
    except ValueError as error:  # rows of different lengths
        raise InvalidInputError(f"{name}: expected an array of shape (n_samples, n_features): {error}.") from error
    if values.ndim != 2:
        hint = " Reshape a single row with row.reshape(1, -1), or use explain_one." if values.ndim == 1 else ""
        raise InvalidInputError(
            f"{name}: expected an array of shape (n_samples, n_features), received shape {values.shape}.{hint}"
        )
    return values


def as_floats(values: NDArray[Any], names: tuple[str, ...], *, name: str = "X") -> FloatArray:
    """Return clean float64 rows, or say which row and column is wrong."""
    if values.shape[1] != len(names):
        raise InvalidInputError(
            f"{name} has {values.shape[1]} features, but the explainer and its model expect {len(names)}"
            f" ({_few(names)})."
        )
    if values.dtype.kind not in "fiub":
        try:
            # complex numbers and dates could be cast, but not without losing what they mean
            values = values.astype(np.float64, casting="safe" if values.dtype.kind in "cmM" else "unsafe")
        except (TypeError, ValueError) as error:
            raise InvalidInputError(
                f"{name}: expected numbers, as in the fit, received values of type {values.dtype} ({error})."
            ) from error
    rows = np.ascontiguousarray(values, dtype=np.float64)
    finite = np.isfinite(rows)
    if not finite.all():
        row, column = np.argwhere(~finite)[0]
        count = int((~finite).sum())
        more = f" ({count} such values in all)" if count > 1 else ""
        raise InvalidInputError(
            f"{name} must be finite: received {rows[row, column]} in row {row}, column {names[column]!r}{more}. "
            "Impute or drop missing values first, or put a SimpleImputer into the pipeline."
        )
    return rows


def check_names(X: Any, names: tuple[str, ...]) -> None:
    """Refuse a data frame whose columns are not those of the fit, in the same order."""
    received = column_names(X)
    if received is None or received == names:
        return
    unknown = [name for name in received if name not in names]
    missing = [name for name in names if name not in received]
    if unknown or missing:
        raise InvalidInputError(
            "The columns differ from those of the fit:"
            + (f" unknown {unknown[:5]}" if unknown else "")
            + (f" missing {missing[:5]}" if missing else "")
            + f". Expected {_few(names)}."
        )
    raise InvalidInputError(
        f"The columns are in another order than in the fit: received {_few(received)}, expected {_few(names)}. "
        "Reorder them with X[list(explainer.feature_names_in_)]."
    )


def _few(names: tuple[str, ...]) -> str:
    return ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")
