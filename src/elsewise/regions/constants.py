"""Numbers that decide something in this package."""

# Probabilities below this count as this when a black box's are turned into a score: their logarithms would drown all
# others, and models round such small ones to zero.
SMALLEST_PROBABILITY = 1e-9
# Half-spaces of all polyhedra in which unions meet: beyond it they are met as the search goes on.
MOST_HALFSPACES_OF_MEETINGS = 50_000
# Half-spaces of regions that keep away from boundaries, so many may be written out.
MOST_HALFSPACES_WRITTEN_OUT = 200_000
# Share by which changes of rows that are near are taken for larger than they are: rounding of products and sums.
CHANGE_ROUNDING = 1e-9
# Polyhedra of one class, beyond which a vote of pairs is refused.
MOST_POLYHEDRA_OF_PAIRS = 5_000
# Tangents that cut off less than this, in units of the distance, cut off nothing: some hundred roundings of a double.
FINEST_TANGENT = 1e-14
# Steps towards the boundary before a tangent is taken, which is tightest there, and when they are over.
NEWTON_STEPS, ON_BOUNDARY = 30, 1e-12
# Tangents of points farther out than this have no digits left.
FARTHEST_TANGENT = 1e100
