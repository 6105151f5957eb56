"""Numbers that decide how pipelines are followed and checked."""

import numpy as np

# Training rows, at least, on which the compiled map is compared with the pipeline's own transform: enough to show every
# way in which a transformer could differ, few enough not to be felt in a fit.
N_ROWS_CHECKED = 200

# Of those, rows at least that are taken from all over the data, however many levels the other rows must show.
N_ROWS_SPREAD = 20

# Largest difference between the map and the pipeline's own transform, relative to the size of the terms summed. Double
# precision leaves about 1e-13 after a dozen steps; a wrong map is off by far more than this.
MAP_TOLERANCE = 1e-9
# Columns are affine functions of others up to this share of what is added up: rounding of a least-squares solution.
AFFINE_ROUNDING = 1e-13

# Sums that cancel to nothing leave up to this share of the largest number in their row: some hundred roundings of a
# double. A rotation does so in directions in which data do not vary.
CANCELLATION = 1e-13

# Two imputers put the same number for a missing value if they agree so closely, relative to the number: one may have
# learned it from scaled data.
FILL_TOLERANCE = 1e-9

# Encoded ranks lie on a line if they are so close to it, relative to the largest: evenly spaced decimals round.
LINE_TOLERANCE = 1e-14

# Largest number that may reach a step which is not affine, or leave it: trees read 32-bit floats.
LARGEST_WARPED = float(np.finfo(np.float32).max)

# Numbers at which a function of a column is checked to be monotone, or constant between its steps: so many between the
# smallest and the largest training value, and so many of all sizes a double has.
N_NUMBERS_CHECKED = 1000

# How far beyond the outermost knots splines that go on there are followed, in distances between these knots: cubes of
# it are far from overflow.
FARTHEST_SPLINE = 1e8

# A function that falls by less than this, relative to its largest value, rises up to rounding.
MONOTONE_TOLERANCE = 1e-12

# Limits of what steps take that are so many times larger than all training values are not kept in mind: no answer comes
# near them, and powers overflow somewhere.
FAR_LIMIT = 1e6

# How far limits of a column keep from the end of what a step takes, relative to the terms they are computed from.
LIMIT_TOLERANCE = 1e-14
# How near to its ends QuantileTransformer takes a number for the end itself, before normal scores.
EDGE_OF_NORMAL_SCORES = 1e-7
# Decimal digits of a power that is far from overflow.
DIGITS_OF_POWERS = 290.0
