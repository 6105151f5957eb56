"""Numbers that decide something on the command line."""

# Names and reasons that are listed before "and more".
MOST_LISTED = 5
# Largest seed that numpy and scikit-learn both take.
LARGEST_SEED = 2**32 - 1
# Dots an inch of pictures: sharp on a page, and a file of some ten kilobytes.
PICTURE_RESOLUTION = 110
