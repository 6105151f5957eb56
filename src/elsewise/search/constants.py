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
# A point counts as part of cells that it misses by so little, in units of the distance or of a cone's radius.
NEARLY_INSIDE = 1e-7
# From this margin on whole points, too, are kept away from boundaries: by this share of it, relative to the numbers
# compared there. More than the rounding of any model, less than what relaxations keep.
WIDE_MARGIN, WIDE_MARGIN_SHARE = 1e-6, 1e-3
# Whole points may lie on the very boundary of a region; numbers were solved for with a margin, as accurately as the
# kernel does. Depths, as a share of the numbers compared at the boundary, from which on points are passed to the model.
DEPTH_OF_WHOLE_POINTS, DEPTH_OF_NUMBERS = -1e-12, -1e-8
# The same for densities, as a share of a cone's radius.
SLACK_OF_WHOLE_POINTS, SLACK_OF_NUMBERS = -1e-11, -1e-7
# Rounding of values compared with the limits of a box, relative to their size.
LIMIT_ROUNDING = 1e-9
# A relaxed point that is nearer to an earlier answer than asked by no more than this, relative to 1 + the distance, is
# as far away as the kernel can tell.
APART_ROUNDING = 1e-9
# Share by which bounds with a price per change are lowered: rounding of some hundred products. Largest factor on the
# kernel's multipliers: beyond it their rounding would count.
PRICE_ROUNDING, LARGEST_DUAL_FACTOR = 1e-11, 1e2
# Share and amount by which the room below the incumbent is widened before costly levels and steps are taken out.
ROOM_SHARE, ROOM_AMOUNT = 1e-9, 1e-12
# Least reduced cost of a unit that a move is counted with: a smaller one is rounding, and says nothing.
SMALLEST_REDUCED_COST = 1e-12

# How far half-spaces of a region are moved out, relative to their size: where every point is whole, by a little more
# than rounding; where they are limits of single columns beside numbers, by more than the first margins.
WHOLE_POINTS_SHIFT, COLUMN_LIMITS_SHIFT = 1e-12, 1e-9
# How far rules are moved out for relaxations: relative to their largest weight where they are about whole numbers
# alone, else relative to the size of their terms.
WHOLE_RULES_SHIFT, RULES_SHIFT = 1e-3, 2e-12
# How far they are moved in where numbers are solved for, as a share of the margin.
RULES_INSIDE_SHARE = 1e-3
# Points that violate a rule by more than this share of its terms, far more than rounding, are not asked about it again.
FAR_FROM_RULE = 1e-6

# Numbers whose products and squares neither overflow nor vanish; without cones and squares, products alone count.
RANGE_OF_SQUARES, RANGE_OF_PRODUCTS = (1e-70, 1e70), (1e-150, 1e150)
# Beyond so many cells of a goal, emptiness is left to the search, which meets only a few of them.
MOST_CELLS_CHECKED = 5_000
# Nodes a row sends at once, after so many waves: one by one while the tree is small, more when it is not.
MOST_AT_ONCE, WAVES_A_NODE = 8, 4
# The same where everything has to be looked into anyway: twice as many with every wave, up to this.
EAGER_AT_ONCE = 32
# Parts tried, nearest first, when everything discrete is fixed but it is open which one.
PARTS_TRIED = 4
# Times an incumbent is improved by taking changes back.
MOST_IMPROVEMENTS = 10
# Rounds of looking for good points in all cones before one is searched: from all over it, then around the best point.
FIRST_LOOKS = 2
# Boxes of a search in another cone while one takes long: any may have a nearer answer, which ends both.
BOXES_ELSEWHERE = 100
# A cone whose point is farther than the best one by this factor is not looked at again: it seldom catches up.
FAR_BEHIND = 1.4
# Seconds beyond its limit that a row without a point may go on: well below what anyone notices, enough for most rows.
GRACE = 0.03
# Nodes of a row after which its proof is given up.
MOST_NODES = 100_000
# The same where each node is cut, narrowed and descended from by its region, some milliseconds each: a minute or so.
MOST_REFINED_NODES = 10_000
# Nodes between two looks at the clock and at signals, where the search over discrete columns runs in the kernel: a
# millisecond at most, and a hundredth of what the nodes take.
NODES_AT_ONCE = 8
# Cells of cones that are made at once: their boxes take some megabytes.
CELLS_AT_ONCE = 4_096
# From so many boxes on, equal ones are looked for before they are narrowed by clauses.
MANY_BOXES = 64
# Linear forms that are bounded between two looks at the clock, a projection each: some milliseconds.
FORMS_AT_ONCE = 8
# The same where paths start from the nearest point, a third of a projection each.
WARM_FORMS_AT_ONCE = 32
# Times that boxes are narrowed in turn, clause after clause; more would only save nodes.
MOST_NARROWINGS = 20
# So many columns are rounded both ways, in all combinations.
COLUMNS_BOTH_WAYS = 4
# Radius, in standard deviations, below which a cone with categories is written with the radius 1: without numbers, a
# cone may have none, and nothing can be divided by it.
SMALLEST_RADIUS = 1e-3
# A half-space cuts a point off if it is violated by more than this, in units of the distance.
CUTS_OFF = 1e-9

# ---- a second look ----

# Ratio below which units are even: what the kernel says of emptiness holds in any of them.
EVEN_UNITS = 1e3
# Factor of slack for the rounding of a reach.
REACH_SLACK = 2.0
# Relative rounding of sums of products, as the kernel allows for it.
SUM_ROUNDING = 1e-13
# How far inside of a tangent points are looked for, as a share of the margin, where that is more than rounding.
TANGENT_SHARE = 1e-4
# A point that is nearer than proven by more than this share is none of the cell.
TOO_NEAR = 1e-5
# Rounds in which features and half-spaces are divided by their largest entries.
EQUILIBRATIONS = 3
# Chains of points in ellipsoids, by an interior-point method of our own: relative residuals and gap to stop at (what is
# left of a double after solving normal equations), iterations (20 are usual), share of the way to the boundary a step
# goes, and the step below which nothing moves.
CONIC_ACCURACY, CONIC_ITERATIONS, STEP_SHARE, SHORTEST_STEP = 1e-8, 60, 0.99, 1e-10
# Length, in plain coordinates, below which a gap counts absolutely.
SMALL_OBJECTIVE = 1e-6
# Iterations without a smaller error after which rounding has won.
STEPS_WITHOUT_GAIN = 5
# Corrections of each solution of its normal equations.
REFINEMENTS = 2
# Relative spacing of doubles; a term of a bound, a product or a root of a sum of some hundred, is off by no more than
# so many of it.
EPS, ROUNDINGS_A_TERM = 2.0**-52, 256
# A chain is optimal within this share of its length, and one that is proven to be longer than so many times the way to
# the farthest ellipsoid is none at all.
CHAIN_GAP, NO_CHAIN = 5e-7, 1e6
# Shares of radii by which corners stay inside of their sets, tried in turn until the last check agrees.
CHAIN_MARGINS = (1e-8, 3e-8, 1e-7, 3e-7, 1e-6, 1e-5, 1e-4)
# Chains solved for one path before its proof is given up.
MOST_CHAINS = 100
# Coordinates that move by less than this share of a chain's length are left where they are.
SMALLEST_MOVE = 1e-6
# Dual residual at which a bound that is worth more than the incumbent is taken for one.
CUTOFF_ACCURACY = 1e-4
# Residual at which multipliers are taken for a ray that shows that there is no point.
RAY_ACCURACY = 1e-4
# Sets beyond which a route over their centres is tried before sequences are enumerated, and what an edge of it costs at
# least: an edge of no length is none to the algorithm.
FEW_SETS, SMALLEST_EDGE = 12, 1e-12
# Values that are no multiples are read back to six decimals, or two more than the step has: more than people write.
DECIMALS, MORE_DECIMALS = 1e6, 1e2
# Doubles next to each other may come from one number, multiplied and divided.
SAME_NUMBER = 8 * 2.0**-52
# Numbers of which doubles hold every multiple of the last decimal, and far more.
EVERY_DECIMAL = 2.0**46
# In columns of 32-bit floats multiples are rounded, by less than this share of a step where steps can be told apart.
SHORT_ROUNDING = 1e-3
# Counts by which a value is the row's own: far less than a step, far more than rounding.
UNCHANGED = 1e-6
# Stands for nothing where something is divided by it.
TINY = 1e-300
# Coordinates that sets hardly see, or that hardly move, have no size of their own: if it differs by more than this
# factor from the usual one, it is the usual one.
WIDEST_UNITS = 1e5
# Choices of the columns that may change that are searched one after the other, each in some milliseconds.
MOST_CHOICES = 64
