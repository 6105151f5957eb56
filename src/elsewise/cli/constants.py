"""Numbers that decide something on the command line."""

# Seconds that rows take which are put away together: what an interrupt costs at most, and enough to share work.
SECONDS_A_CHUNK = 1.0
# Rows of the first chunk, before it is known how long a row takes, and of the largest: memory is bounded.
FIRST_CHUNK, LARGEST_CHUNK = 16, 4096
# From one chunk to the next the number of rows changes by this factor at most: one slow row says little of the others.
LARGEST_STEP = 2.0
# Names and reasons that are listed before "and more".
MOST_LISTED = 5
# Number of the layout of .partial files; those of another one are not gone on with.
PARTIAL_FORMAT = 2
# Nats by which two ways to compute a log density may differ by rounding.
SAME_LOG_DENSITY = 1e-9
# Columns of the breast cancer data that the demo uses: the means; the others are errors and extremes of the same.
DEMO_COLUMNS = 10
# Seconds for the proof of a row of the demo's forest: with a density some take minutes.
DEMO_TIME_LIMIT = 0.5
# Rows a data set, and folds, of `elsewise reproduce table1 --quick`: done in a minute.
QUICK_ROWS = 40
# Largest seed that numpy and scikit-learn both take.
LARGEST_SEED = 2**32 - 1
# Dots an inch of pictures: sharp on a page, and a file of some ten kilobytes.
PICTURE_RESOLUTION = 110
# Quantile of the training rows' densities that answers reach if nothing else is asked: the paper's median.
DEFAULT_THRESHOLD = 0.5
# Characters of the shortest token that is taken: fewer are guessed.
SHORTEST_TOKEN = 16
# Rows whose bound `elsewise verify` checks by a fresh search: seconds, and a forged bound is rarely alone.
ROWS_SEARCHED_AGAIN = 20
# Images that `elsewise reproduce images` explains: five of each digit, a few minutes for 28 x 28 pixels.
DEFAULT_IMAGES = 50
