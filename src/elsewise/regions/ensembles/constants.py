"""Numbers that decide something in this package; those of the kernel stand where its files begin."""

import numpy as np

# ---- reading ----

# Cells of a column are counted with 16 bits in the kernel.
MOST_CELLS = 60_000
# Nodes that may be grown in all for the worst leaves near a point: with more, searches take minutes.
MOST_WORST_NODES = 200_000
# Subtrees that are told apart at a time; beyond it those stand for their worst leaf that lose least by it.
MOST_TOGETHER = 2

# ---- rounding ----

# Share of doubt about sums of leaves: their rounding, several times over.
ROUNDING_SAFETY = 4.0
# How far apart 32-bit probabilities may be from their scores: XGBoost compares classes after a softmax.
SOFTMAX_ROUNDING = 1e-6
# Rounding of a scaled number, relative to its terms: subtraction, division, and what is left of the exact map.
MAP_ROUNDING = 32 * np.finfo(np.float64).eps
# Share by which costs that bound are lowered: rounding of one product.
COST_ROUNDING = 4 * np.finfo(np.float64).eps
# The smallest margin a search is asked with: ends of cells are exact, only maps of numbers need room for rounding.
EXACT_MARGIN = 1e-9
# Scores that are multiples of this and at most one add up exactly: 2^33 of them have no more than 53 bits.
VOTE = 2.0**-20
# Distances from here on stand for none.
NO_LIMIT = 1e300

# ---- searches ----

# Boxes whose bound is within this relative distance of the incumbent cannot improve it noticeably; projections are less
# accurate.
TOLERANCE, TOLERANCE_INSIDE = 1e-9, 1e-7
# Boxes after which the proof of a row is given up; fewer where each may need a projection.
MOST_BOXES, MOST_BOXES_INSIDE = 100_000, 20_000
# Boxes after which a search stops whose point is far from its bound: more than twice as far. It goes on within a limit
# that is as many times its bound.
FAR_AFTER, FAR = 4_000, 2.0

# ---- points of a cone ----

# Points all over a cone, steps between them and the nearest one, and how many of them a search starts from.
SAMPLES, STEPS, LEAST_STEP, STARTS = 256, 17, 1e-4, 8
# Seconds for the nearest answer of a cone but for the trees, where time is limited: it usually takes some milliseconds.
SECONDS_IN_CONE = 0.1
# As long as no answer is known: boxes whose nearest dense point is accepted that are searched for one that keeps
# everything else, too. Each costs some projections.
FIRST_TRIES = 100
# Boxes of a search around the nearest dense point, for points to start from.
BOXES_TO_START = 5
# A proof that is not done after so many boxes is interrupted, and again after four times as many: columns are narrowed,
# and from the second time on boxes around the incumbent, a share of the cone's width to either side, are searched, so
# many each time, wider by a factor where nothing is found; at the next interruption so many times more.
BOXES_AT_FIRST, BOXES_AROUND, TIMES_AROUND, MORE_AROUND = 20, 60, 3, 2
WIDTH_AROUND, WIDER = 0.06, 1.6
# At this interruption answers are looked for elsewhere, too, a while in every other cone, if the gap is poor.
PAUSES_ALONE = 2
# Gaps below which the incumbent is good enough as it is, and gains that are worth going on.
GOOD_GAP, GOOD_GAIN = 0.02, 1e-4
# Gap from which on boxes around the incumbent are searched at the first interruption already: everything else the proof
# does waits for a better one. And while they gain so much each time, they are searched more often, at most so often.
POOR_GAP, LARGE_GAIN, MOST_TIMES_AROUND = 0.2, 0.03, 12

# Times the ends of columns are halved towards the nearest dense point: each is a projection a column and end.
HALVINGS = 6
# A known answer that is nearer by this share makes it worth narrowing columns again.
NEARER = 0.1

# ---- diagonal splits ----

# Sweeps over the diagonal, and how fast the barrier falls, to its least.
SWEEPS, FALL, LEAST_BARRIER = 60, 0.8, 0.01
# Least eigenvalue, with columns scaled, below which a cone is too flat to be split.
FLAT = 1e-12
# Share of the diagonal of P by which P - D is kept away from having a negative eigenvalue, per column: some times the
# rounding of P, whose entries are off by less than n eps (|F|'|F|), which is at most n times its own diagonal.
SPLIT_ROUNDING = 16 * np.finfo(np.float64).eps
# A point made of a relaxed one, kept away from boundaries, is no farther than this share: less than what a proof tells.
SAME_PLACE = 1e-6
# Nodes that rewritten trees may have: some 100 MB.
MOST_NODES_REWRITTEN = 2_000_000
# Rows that a booster is asked about to find its base, and how it rounds weights of trees.
ROWS_ASKED = 512
