"""Numbers that decide something in this package."""

# An answer whose relative gap is at most this is called optimal.
OPTIMAL_GAP = 1e-6
# Distances of two answers that are no farther apart than this, relatively, are the same: proofs are no finer.
SAME_DISTANCE = 1e-6
# Places of a segment at which a path's profile is evaluated: enough for a smooth curve.
PLACES_A_SEGMENT = 24
# Share of a path's length below which a column's move in a step is rounding of the solver, and not told.
SMALLEST_SHARE = 1e-6
