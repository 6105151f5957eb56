"""Names of types: rows, columns and dtypes as users have them. pandas is known to the type checker alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ..arrays import AnyArray

if TYPE_CHECKING:
    import pandas as pd
    from pandas.api.extensions import ExtensionDtype


# Rows at the door have become one of these.
UserRows: TypeAlias = "pd.DataFrame | AnyArray"
# One column of them, of shape (n_samples,).
UserColumn: TypeAlias = "pd.Series[Any] | AnyArray"
UserDtype: TypeAlias = "np.dtype[Any] | ExtensionDtype"


# Largest magnitude of a number: its square, and the sum of a million of them, must not overflow, for distances and
# covariances are made of squares.
LARGEST_NUMBER = 1e151
