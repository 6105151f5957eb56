"""Numbers that decide something in this package."""

# Probabilities below this count as this when a black box's are turned into a score: their logarithms would drown all
# others, and models round such small ones to zero.
SMALLEST_PROBABILITY = 1e-9
