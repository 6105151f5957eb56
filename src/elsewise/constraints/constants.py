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

# Characters of a formula that an error shows.
LONGEST_SHOWN = 200

# Least change of a number by default, as a share of its column's scale: below what a person would call a change, far
# above what decides between two answers.
LEAST_SHARE_OF_SCALE = 0.02
