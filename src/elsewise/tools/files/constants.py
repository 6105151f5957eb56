"""Numbers and names that decide something in this package."""

# Names listed in a message before it says "...".
MOST_NAMES = 8
