"""Numbers that decide how rules are read and shown."""

# Known names or levels that an error lists; more would not be read.
MOST_LISTED = 12

# Characters of a formula that an error shows.
LONGEST_SHOWN = 200

# ---- what is found in the training rows ----
