"""Numbers that decide something in this package."""

# Polyhedra of one class, beyond which a vote is refused.
MOST_POLYHEDRA_OF_VOTES = 5_000
# Votes of all members together, beyond which they are not listed.
MOST_BALLOTS = 100_000
# Rounding of averages, so many times over.
ROUNDING_SAFETY = 4.0
# Numbers farther out than this are not told apart: products with them overflow in wrappers.
LARGEST_TOLD_APART = 1e30
# Numbers a wrapper is asked about at a time: a call costs more than they do.
NUMBERS_AT_ONCE = 256
