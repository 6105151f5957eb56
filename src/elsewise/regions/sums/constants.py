"""Numbers that decide something in this package."""

# Rounds of cuts at one piece: each projects once. What is left is cut off in its children.
MOST_ROUNDS_OF_CUTS = 12
# A cut is worth a projection if it is violated by more than this, relative to the distance so far plus one.
CUT_DEPTH = 1e-7
# Half-spaces with a smaller multiplier than this do nothing for a bound: children do without them.
SMALLEST_MULTIPLIER = 1e-9
# A piece whose bound is within this relative distance of the incumbent cannot improve it noticeably: projections are no
# more accurate.
SETTLED = 1e-7
# Times that all intervals are narrowed at first; intervals narrowed in each piece, those with the largest gaps; and
# projections that each side of an interval costs.
TIMES_AT_FIRST, NARROWED_A_PIECE, ROUNDS_A_SIDE = 3, 60, 1
# Steps of a descent, and halvings of the way back to a point that is accepted.
DESCENT_STEPS, WAY_BACK = 12, 20
# A descent is over where a step gains less than this share.
DESCENT_GAIN = 1e-6
# Descents are tried in pieces that were divided so few times, then in each one where that is a multiple.
FIRST_DESCENTS, DESCENT_EVERY = 4, 4
# A unit whose line is off by less than this, relative to the size of the sum, has no gap that dividing would close.
SMALLEST_GAP = 1e-12
