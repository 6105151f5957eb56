"""Numbers that decide how answers are worded."""

# Significant digits in running text and in tables.
FEW, MANY = 4, 6

# Characters of a level or label in running text; of the whole one, where that is shown. Names of columns are never cut.
LONGEST_LEVEL, LONGEST_WHOLE = 48, 1000

# Changes that a line names in a table of many answers before it counts the others. Sentences name all.
MOST_IN_LINE = 3
# Lines of tables in plain text and in HTML before the others are counted.
MOST_ROWS_OF_TEXT, MOST_COLUMNS_OF_TEXT = 5, 8
MOST_CHANGES_OF_HTML, MOST_ROWS_OF_HTML, MOST_COLUMNS_OF_HTML = 50, 10, 12
# Quantiles of a frontier that are shown, evenly picked.
MOST_QUANTILES = 21
