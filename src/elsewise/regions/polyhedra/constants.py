"""Numbers that decide something in this package."""

# Share by which a closed-form bound is lowered: rounding of ``a·x0 - b`` must not lift it above the truth.
BOUND_ROUNDING = 1e-12
# Relative rounding of thresholds: a limit that is whole up to it is whole, a level that misses one by it is not out.
# The first where a model compares sums with them, relative to the limit; the second where it compares single numbers,
# as trees do, relative to the terms that scaling such a number has.
LIMIT_ROUNDING, COMPARISON_ROUNDING = 1e-9, 1e-12
# Regions with more half-spaces than this have no boxes: these only make the search faster.
MOST_HALFSPACES_BOXED = 50_000
# Polyhedra that share one table have bounds of their own from so many pairs of polyhedron and half-space on.
MOST_PAIRS_LISTED = 200_000
# Rounds of dividing columns and rows of a map by their largest entries, to judge its rank; more change little.
EQUILIBRATIONS = 5
# Relative rounding of a model's sums, with room to spare: nearer to a boundary, the order of terms decides.
SUM_ROUNDING = 1e-13
# Cells whose squared radius misses what is needed by no more than this share are left to the search.
THIN_CELLS = 1e-9
# Stands for a size of zero where something is divided by it: the smallest normal double, about.
TINY = 1e-300
# Half-spaces of a shared table looked at: the farthest beyond which a row is, and those nearest to a polyhedron.
MOST_AT_ROW, MOST_AT_POLYHEDRON = 16, 8
# Half-spaces among which the one nearest to a point inside is looked for.
MOST_AT_POINT = 64
# Shifts compared with all half-spaces at once: bounds memory.
SHIFTS_AT_ONCE = 256
