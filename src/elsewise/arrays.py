"""Names of arrays, and the checks of arrays that several packages share."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
# Labels, cells of a user's table: what the array holds is the user's business.
AnyArray = NDArray[Any]
