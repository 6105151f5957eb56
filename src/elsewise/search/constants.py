"""Numbers that decide something in this package."""

# Relative margins to keep from boundaries, of regions, densities and linear rules, widened step by step until model,
# density and rules agree with the search. The smallest is a few thousand roundings of a double, the largest is still
# far below what a person would call a change.
MARGINS = (1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4)
# Nodes whose bound is within this relative distance of the incumbent cannot improve it noticeably: twice the first
# margin, for incumbents keep that and bounds do not.
TOLERANCE = 2 * MARGINS[0]
# Share by which a closed-form bound is lowered: rounding of the products it is computed from must not lift it above the
# truth. Some thousand times the rounding of a double.
BOUND_ROUNDING = 1e-12
# A node's bound in a cone without the model is the answer's own distance up to this, relatively: it is model-free.
MODEL_FREE_TOLERANCE = 1e-8

# Whole numbers are looked for up to this size: beyond it a double no longer tells a number from the next, and a column
# that matters only there (a coefficient of 1e-16, the rounding of an exact fit) does not matter.
FAR_AWAY = 2.0**53
# A whole number or an indicator nearer to whole than this counts as whole.
WHOLE = 1e-6
# Numbers that move by less than this, in units of the distance, stay where they are, if they may.
STILL = 1e-8
# Rounding of values compared with the limits of a box, relative to their size.
LIMIT_ROUNDING = 1e-9
# Share and amount by which the room below the incumbent is widened before costly levels and steps are taken out.
ROOM_SHARE, ROOM_AMOUNT = 1e-9, 1e-12
# Least reduced cost of a unit that a move is counted with: a smaller one is rounding, and says nothing.
SMALLEST_REDUCED_COST = 1e-12

# How far rules are moved out for relaxations: relative to their largest weight where they are about whole numbers
# alone, else relative to the size of their terms.
WHOLE_RULES_SHIFT, RULES_SHIFT = 1e-3, 2e-12
# How far they are moved in where numbers are solved for, as a share of the margin.
RULES_INSIDE_SHARE = 1e-3

# Parts tried, nearest first, when everything discrete is fixed but it is open which one.
PARTS_TRIED = 4
# Times an incumbent is improved by taking changes back.
MOST_IMPROVEMENTS = 10
# A point made of a relaxed one, kept away from boundaries, is no farther than this share: less than what a proof tells.
SAME_PLACE = 1e-6
# Seconds beyond its limit that a row without a point may go on: well below what anyone notices, enough for most rows.
GRACE = 0.03
# Times that boxes are narrowed in turn, clause after clause; more would only save nodes.
MOST_NARROWINGS = 20
# So many columns are rounded both ways, in all combinations.
COLUMNS_BOTH_WAYS = 4

# ---- a second look ----

# Factor of slack for the rounding of a reach.
REACH_SLACK = 2.0
# Relative rounding of sums of up to 900 products, EPS / 2 a term.
SUM_ROUNDING = 1e-13
# In columns of 32-bit floats multiples are rounded, by less than this share of a step where steps can be distinguished.
SHORT_ROUNDING = 1e-3
