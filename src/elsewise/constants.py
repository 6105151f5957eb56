"""Numbers that decide something for the whole library."""

# Deviation, relative to a feature's own size or to the largest deviation, within which it counts as constant: some
# thousand roundings of a double.
CONSTANT_ROUNDING = 1e-12
# Statuses of rows without an answer: proven that there is none; none found, and nothing proven.
WITHOUT_ANSWER = ("infeasible", "unknown")
