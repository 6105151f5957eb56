"""Numbers that decide what a report checks and shows."""

# Relative; distances and densities are sums of many terms, and may have gone through a file: how far two computations
# of the same one may be apart.
ROUNDING = 1e-9

# Characters of a text of the user's own, of a rule, of a reason, of a title on the page and in the window, of a
# transformer's name, and of a level or label.
LONGEST_TEXT, LONGEST_RULE, LONGEST_REASON = 4000, 600, 1000
LONGEST_TITLE, LONGEST_WINDOW_TITLE, LONGEST_STEP, LONGEST_LEVEL = 400, 200, 200, 48

# Lines of tables before the others are counted.
MOST_COLUMNS, MOST_LEVELS, MOST_CLASSES, MOST_RULES = 300, 8, 30, 300
# Rules from the training rows that are listed: the most surprising come first.
MOST_FOUND_RULES = 40
MOST_CHANGING_COLUMNS, MOST_OBSTACLES, MOST_MOVES, MOST_FAILED = 25, 12, 12, 20
# Columns up to which their table is open from the start.
MOST_OPEN = 40
# Bins of the histogram of distances.
FEWEST_BINS, MOST_BINS = 4, 24
# Significant digits of costs and of the ends of bins.
DIGITS = 3
# Decimals of the threshold, in percent, that the user asked for.
DECIMALS_OF_THRESHOLD = 4

# Changes of a row with a picture of their own, the others are listed: at most, at least, and in all rows together.
MOST_PICTURES, FEWEST_PICTURES, MOST_PICTURES_IN_ALL = 12, 4, 6_000
# Values of all rows that are written out, for the sake of the file's size.
MOST_VALUES = 60_000
# Levels of a column beyond which bars would be thinner than the gaps between them.
MOST_LEVELS_DRAWN = 30
# Length in pixels of the longer side of an image, about.
IMAGE_SIDE = 112
