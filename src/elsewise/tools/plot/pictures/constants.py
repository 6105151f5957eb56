"""Numbers that decide what pictures show."""

# Characters of a name or level beside the axes, of an outcome in a title, of a level inside of axes, and of a change
# (before and after together) before it takes two lines.
LONGEST_NAME, LONGEST_OUTCOME, LONGEST_LEVEL, LONGEST_CHANGE = 32, 24, 25, 36
# Significant digits of costs and differences beside bars: their size is what counts.
DIGITS = 3
# Names listed in a message before the others are counted.
MOST_NAMES = 12

# In the comparison of several answers: points a side of the plane, and of a curve.
GRID_POINTS, CURVE_POINTS = 160, 160
