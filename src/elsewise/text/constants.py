"""Numbers that decide how answers are worded."""

# Significant digits in running text and in tables.
FEW, MANY = 4, 6
# Significant digits of a relative gap in a certificate: its size is what counts.
DIGITS_OF_GAP = 2
# Significant digits after which every pair of different doubles differs.
ALL_DIGITS = 17
# Two numbers have digits enough if their difference, as read, is within this share of the true one.
DIFFERENCE_ACCURACY = 0.1
# The first whole number with commas; years have none.
FIRST_WITH_COMMAS = 10_000
# Sizes from which, and under which, a number is written with a power of ten.
LARGEST_WRITTEN_OUT, SMALLEST_WRITTEN_OUT = 1e15, 1e-4
# Relative; what binary fractions lack to decimal ones, a thousand times over: it is not rounded away from.
NOISE = 1e-12
# A relative gap under this is "below 0.1 %".
SMALLEST_GAP = 1e-3
# Decimals of a log density and of a threshold quantile that a reader is told to use.
DECIMALS_OF_LOG_DENSITY, DECIMALS_OF_QUANTILE = 3, 4

# Characters of a name or level in running text; of the whole one, where that is shown; of a reason with names in it.
LONGEST_NAME, LONGEST_WHOLE, LONGEST_REASON = 48, 1000, 1000
# Characters of a line of text: what a terminal shows.
LONGEST_LINE = 120

# Changes that a sentence names before it counts the others, and that a line of a table names.
MOST_IN_SENTENCE, MOST_IN_LINE = 6, 3
# Lines of tables in plain text and in HTML before the others are counted.
MOST_ROWS_OF_TEXT, MOST_COLUMNS_OF_TEXT = 5, 8
MOST_CHANGES_OF_HTML, MOST_ROWS_OF_HTML, MOST_COLUMNS_OF_HTML = 50, 10, 12
# Quantiles of a frontier that are shown, evenly picked.
MOST_QUANTILES = 21
# Columns that a step of a path names before it counts the others.
MOST_CHANGES_OF_STEP = 5
# Width and height, in pixels, of the curve of a path's density in notebooks.
PROFILE_SIZE = (360, 60)

# Relative gap up to which a proof is finished, and nothing is said of it.
NO_GAP = 1e-6
