"""Numbers that decide something in this package."""

# Search problems of one fitted model that are kept compiled. A classifier needs one for all of its labels and seldom
# more; ranges of a regressor come and go.
MOST_PROBLEMS_KEPT = 8
# Kinds of rows with missing values whose models are kept.
MOST_PATTERNS_KEPT = 16
# Bins of a histogram: more cannot be told apart in a small picture.
MOST_BINS = 40
FEWEST_BINS = 10
# Values whose spread is a smaller share of their size than this get wider bins: edges must not round to each other.
NARROWEST_SPREAD = 1e-12
# Special codes that a column may have on either side: so many of its smallest and largest values are
# kept. Real tables have a handful.
MOST_CODES = 100
# Training rows of each predicted label that are kept of a model that is only asked: its answers are looked for on the
# way to the nearest of them. More are no nearer, for rows of real tables lie close together.
MOST_ANCHORS = 1_000
# Marks search problems that were compiled for rows with density thresholds of their own.
AT_ANY_THRESHOLD = "at any threshold"
# What thresholds may be about: what may change in a row given what cannot, or all of it.
DENSITY_GIVEN = ("fixed", "joint")
# Training rows of a class that are kept for quantiles given fixed columns: these are then known to half a percent.
MOST_REFERENCE_ROWS = 10_000
