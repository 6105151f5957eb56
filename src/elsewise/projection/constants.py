"""Numbers of the projector that decide something: tolerances and limits of rounding, each with its reason."""

# Relative spacing of doubles; sums of n terms are off by no more than n and a few of it.
EPS, EXTRA_TERMS = 2.0**-52, 4
# Share of the largest multiplier by which one may have the wrong sign: rounding of the conversion between coordinates.
WRONG_SIGN = 1e-12
# Relative rounding of the sums of a bound, as the kernel allows for it.
SUM_ROUNDING = 1e-13
# Multipliers smaller than this, for a form whose largest weight is 1, say nothing.
SMALLEST_MULTIPLIER = 1e-9
# Multipliers of an empty cell are scaled until what they leave of a feature is 1, but no farther than this.
SMALLEST_RHO = 1e-6
# Accuracy that an inverse of a cone's factor must have, relatively, to bound features by it.
INVERSE_ACCURACY = 1e-8
# Features that are seen within this factor of each other keep enough digits in a common basis.
EVEN = 1e6
# Features seen by less than this share are not seen at all: rounding of a map that leaves them out.
UNSEEN = 1e-18
# Where the first guess lies between the value at a known point and the bound, and a gain that is worth another round.
FIRST_GUESS, WORTH_A_ROUND = 0.6, 1e-6
# Half-spaces that a path of the kernel is followed through (its ALL_HALFSPACES), all but one that is about a form.
MOST_ON_PATH = 23
# A form cannot be so large if that is so many radii away: what is proven of it then is off by one in so many.
FAR_BEYOND = 1e3
# Half-spaces with a smaller share of the largest multiplier than this do not hold an optimum in its place.
ACTIVE_SHARE = 1e-7
# Features from which on the structure of a Gram matrix is used, a diagonal less a few directions, and how many there
# must be for each direction. The ratio decides: of 32 to 96 features, with 8 for a direction it takes 0.8 to 0.9 of
# the time of the matrix itself, with 5 or 6 the same, with 3 a quarter more; of 128 features with 25 for each, half.
# Of fewer than 32 features there is little to gain.
FEWEST_STRUCTURED, FEATURES_A_RANK = 32, 6
