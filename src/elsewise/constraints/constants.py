"""Numbers that decide how rules are read and shown."""

# Two half-spaces are opposite if their normals, scaled to a largest entry of 1, are within this of each other, relative
# and absolute: decimals written in two ways round differently.
OPPOSITE_RELATIVE = 1e-9
OPPOSITE_ABSOLUTE = 1e-12

# Room between two opposite half-spaces, relative to where they lie, within which rounding cannot find a number: some
# thousand times what keeping away from each of them takes.
LEAST_ROOM = 1e-9

# Whole numbers beyond this are written with an exponent: they need not have all their digits.
LARGEST_WRITTEN_WHOLE = 1e15

# Known names or levels that an error lists; more would not be read.
MOST_LISTED = 12

# Clauses that an implication may become; more would be a mistake, and slow.
MOST_CLAUSES = 64

# Characters of a formula that an error shows.
LONGEST_SHOWN = 200

# ---- what is found in the training rows ----

# Special values: rows and share of the rows that hold them at least; fewer may be slips.
FEWEST_CODED, LEAST_CODED_SHARE = 5, 0.005
# A zero may be a small number; one that stands for none is common.
LEAST_ZERO_SHARE = 0.1
# Distinct negative values of a column of codes at most; real tables have up to four (-6 to -9).
MOST_NEGATIVE_CODES = 5
# How far codes are from regular values: in finest steps of the column, and for nines as a share of the regular range.
STEPS_APART, NINES_APART = 5, 0.1
# How many times as frequent as the nearest regular value a negative code is where it is not apart; how many times as
# frequent as any other value a zero is; and values the rest takes at least, to be called continuous.
SPIKE_OVER_NEIGHBOUR, ZERO_OVER_REGULAR, FEWEST_REGULAR = 2, 5, 20

# Steps: share of a column's values that are multiples of it, different ones at least, and the probability at most that
# so many different values are multiples by chance: 15 of two, 5 of ten.
SHARE_OF_MULTIPLES, FEWEST_MULTIPLES, CHANCE_OF_MULTIPLES = 0.99, 5, 1 / 30_000
# Smallest step of a number that was found, as a share of the column's scale: below it every number will do for a
# person, and the search would be for nothing. The same share as that of the least change.
LEAST_STEP_SHARE = 0.02
# Decimals that people write at most; and samples, of so many values each, whose common divisors are tried.
MOST_DECIMALS, STEP_SAMPLES, STEP_SAMPLE = 6, 12, 20

# Combinations that never occur: expected count at least (the usual one of tests on counts), and the probability, over
# all pairs of a table together, of calling one so that chance alone kept apart.
LEAST_EXPECTED, CHANCE_OF_ERROR = 5.0, 0.01
# Least change of a number by default, as a share of its column's scale: below what a person would call a change, far
# above what decides between two answers.
LEAST_SHARE_OF_SCALE = 0.02
# Whole numbers up to here are exact as doubles, and their products as 64-bit integers are not asked for.
EXACT = 2.0**53
