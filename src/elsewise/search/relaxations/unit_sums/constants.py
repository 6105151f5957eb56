"""Numbers that decide something in this package."""

import numpy as np

# A piece whose bound is within this relative distance of the incumbent cannot improve it noticeably: projections are no
# more accurate.
SETTLED = 1e-7
# Times that all intervals are narrowed at first; intervals narrowed in each piece, those with the largest gaps; and
# projections that each side of an interval costs.
TIMES_AT_FIRST, NARROWED_A_PIECE, ROUNDS_A_SIDE = 3, 60, 1
# Sections of a way to a point that is accepted that are told apart at once, and how often: it is then known to a
# millionth.
SECTIONS, SECTIONINGS = 32, 4
# Relative rounding of the sums of a model and of their estimates.
SUM_ROUNDING = 1e-13
# Scores of calibrated models that are as good as endless: single precision ends there.
FARTHEST_SCORE = float(np.finfo(np.float32).max)
