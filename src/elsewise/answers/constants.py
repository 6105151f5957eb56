"""Numbers that decide something in this package."""

# An answer whose relative gap is at most this is called optimal.
OPTIMAL_GAP = 1e-6
