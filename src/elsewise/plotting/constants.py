"""Numbers that decide what pictures show."""

# Characters of a name or level beside the axes, of an outcome in a title, of a level inside of axes, and of a change
# (before and after together) before it takes two lines.
LONGEST_NAME, LONGEST_OUTCOME, LONGEST_LEVEL, LONGEST_CHANGE = 32, 24, 25, 36
# Characters of a note above axes before it takes two lines: what fits above axes of the usual width.
LONGEST_NOTE = 84
# Significant digits of costs and differences beside bars: their size is what counts.
DIGITS = 3
# Names listed in a message before the others are counted.
MOST_NAMES = 12

# Levels of a column with a bar of their own.
MOST_LEVELS = 10
# Reasons with a bar of their own, where rows have no answer.
MOST_OBSTACLES = 6

# Rows shown as images in one figure: more would be too small, or too large a figure.
MOST_IMAGES = 40
# Pixels of an image beyond which signs in them would be too small to read.
MOST_SIGNED_PIXELS = 1024
# Parts of the largest difference: from the first a pixel has a sign, from the second it is dark and its sign white.
SIGNED_DIFFERENCE, DARK_DIFFERENCE = 0.1, 0.6

# Components of a density beyond which their single outlines would cover a plane.
MOST_CONES = 8
# Shares of the target's rows whose densities are outlined in a plane.
OUTLINED_SHARES = (0.1, 0.5, 0.9)
# Percentiles of the training rows that a plane reaches from and to: single far rows would make all others small.
SHOWN_PERCENTILES = (1, 99)

# In the comparison of several answers: points a side of the plane, and of a curve.
GRID_POINTS, CURVE_POINTS = 160, 160
# Outlines hold these shares of a class's real rows.
HELD_SHARES = (0.9, 0.5)
# Condition number of the map to model space up to which densities are carried back through its inverse.
WORST_CONDITION = 1e12
# Rows from which a curve of their density is drawn.
FEWEST_FOR_CURVE = 3
