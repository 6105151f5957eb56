"""Rows with missing values where a density is asked for: none is known of them."""

from __future__ import annotations

import numpy as np

from ..arrays import BoolArray
from ..errors import InvalidInputError
from ..table import Table


def refuse_missing(table: Table, missing: BoolArray, given: object = None) -> None:
    """Refuse rows with missing numbers, for a density is asked for.

    Parameters
    ----------
    table : Table
    missing : bool array of shape (n_samples, n_features)
    given : data frame, optional
        The rows as they came: their labels help to find a row.
    """
    if not missing.any():
        return
    row, feature = np.argwhere(missing)[0].tolist()
    n_rows = int(missing.any(axis=1).sum())
    more = f" ({n_rows} such rows in all)" if n_rows > 1 else ""
    raise InvalidInputError(
        f"X holds a missing value in row {row}, column {table.feature_names[feature]!r}{more}. The model takes it, but "
        "how dense data are there cannot be told. Ask for no density (density=None), leave such rows out, or impute "
        "them (SimpleImputer in the pipeline)."
    )
