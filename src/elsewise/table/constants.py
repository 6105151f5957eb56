"""Numbers that decide which values of a table can be worked with."""

# Largest magnitude of a number: its square, and the sum of a million of them, must not overflow, for distances and
# covariances are made of squares.
LARGEST_NUMBER = 1e151
