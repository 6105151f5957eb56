"""Numbers that decide what a report checks and shows."""

# Relative; distances and densities are sums of many terms, and may have gone through a file: how far two computations
# of the same one may be apart.
ROUNDING = 1e-9

# Characters of a text of the user's own, of a rule, of a reason, of a title on the page and in the window, of a
# transformer's name, and of a level or label.
LONGEST_TEXT, LONGEST_RULE, LONGEST_REASON = 4000, 600, 1000
LONGEST_TITLE, LONGEST_WINDOW_TITLE, LONGEST_STEP, LONGEST_LEVEL = 400, 200, 200, 48

# Rules from the training rows that are listed: the most surprising come first.
MOST_FOUND_RULES = 40
MOST_CHANGING_COLUMNS, MOST_OBSTACLES, MOST_MOVES, MOST_FAILED = 25, 12, 12, 20
