"""Numbers that decide something in this package."""

# Search problems of one fitted model that are kept compiled. A classifier needs one for all of its labels and seldom
# more; ranges of a regressor come and go.
MOST_PROBLEMS_KEPT = 8
# Bins of a histogram: more cannot be told apart in a small picture.
MOST_BINS = 40
FEWEST_BINS = 10
# Special codes that a column of plain numbers may have on either side: so many of its smallest and largest values are
# kept. Real tables have a handful.
MOST_CODES = 100
