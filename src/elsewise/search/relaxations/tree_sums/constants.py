"""Numbers that decide something in this package; those of the kernel stand where its files begin."""

import numpy as np

# ---- reading ----

# ---- rounding ----

# Rounding of a scaled number, relative to its terms: subtraction, division, and what is left of the exact map.
MAP_ROUNDING = 32 * np.finfo(np.float64).eps

# ---- searches ----

# Boxes whose bound is within this relative distance of the incumbent cannot improve it noticeably; projections are less
# accurate.
TOLERANCE, TOLERANCE_INSIDE = 1e-9, 1e-7
# Boxes of one search: counted work ends it earlier, unless a proof is wanted at any price.
MOST_BOXES = 2**62

# ---- first answers ----

# ---- points of a cone ----

# ---- diagonal splits ----
