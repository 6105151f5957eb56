"""Numbers that decide something in this package."""

import numpy as np

# Rounds of cuts before intervals are narrowed, after which cuts are deeper: each projects once. What is left is cut off
# in its children.
MOST_ROUNDS_OF_CUTS = 3
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
# Intervals of a piece are narrowed again while that lifts its bound by this share of what is missing to the incumbent,
# and so many times at most: dividing lifts it as well, for twice the work.
WORTH_NARROWING, MOST_TIMES_NARROWED = 0.2, 6
# Steps of a descent.
DESCENT_STEPS = 12
# Margins that a step missed are asked for so many times over in the next one, until a point is accepted; of that so
# much is left in every further one.
SURPLUS, SURPLUS_LEFT = 2.0, 0.1
# Short steps over the boundary, each so many times as far as a linear margin says.
PUSHES, PUSHED = 6, 1.5
# A descent is over where a step gains less than this share.
DESCENT_GAIN = 1e-6
# Descents are tried in pieces that were divided so few times, then in each one where that is a multiple.
FIRST_DESCENTS, DESCENT_EVERY = 4, 4
# A unit whose line is off by less than this, relative to the size of the sum, has no gap that dividing would close.
SMALLEST_GAP = 1e-12
# Knots of a curve from a width of the data below the smallest training value to one above the largest: lines between
# them miss the curve by its bend times 1e-4 of the width squared.
KNOTS_OF_DATA = 97
# Exchanges of knots on the way to the best line: any line is valid, few are enough.
MOST_STEPS_TO_A_LINE = 20
# Rounding of values of curves and of lines, and kinks that are taken for none, relative to the numbers in them.
LINE_ROUNDING = 4e-13
# Slopes on both sides of a knot that differ by less than this share are the same.
KINK = 1e-13
# Moves of single features that are looked at first, in units of the distance, and halvings of what a margin is worth.
SIZES_OF_MOVES = np.geomspace(1e-3, 1e3, 25)
WORTH_HALVINGS = 30
# Sections of a way to a point that is accepted that are told apart at once, and how often: it is then known to a
# millionth.
SECTIONS, SECTIONINGS = 32, 4
# Intervals without an end are divided within so many widths of the data.
WIDTHS_TO_DIVIDE = 8.0
# Knots next to the ends of what a step takes, where a logarithm or a root is infinitely steep, in widths of the data.
SHARES_TO_ENDS = np.geomspace(1e-15, 1e-2, 14)
# Halvings of an interval in which a tangent is looked for: until doubles are next to each other, all but.
HALVINGS = 60
# Where to divide an interval, at least this share of it from either end.
SHARE_OF_INTERVAL = 0.15
# Relative rounding of the sums of a model and of their estimates.
SUM_ROUNDING = 1e-13
# Values above this are as good as none: lines are not looked for there.
HIGHEST = 1e300
# Scores of calibrated models that are as good as endless: single precision ends there.
FARTHEST_SCORE = float(np.finfo(np.float32).max)
