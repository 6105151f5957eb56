"""Numbers that decide something in this package."""

from ..search.constants import MARGINS

# Where to begin in MARGINS if columns hold floats of fewer bits (1e-6): what is written there is rounded, and so is the
# model's own arithmetic, differently in different batches.
FIRST_MARGIN_OF_SHORT_FLOATS = MARGINS.index(1e-6)

# ---- ways ----

# ---- plans ----

# Moves of a number from a known answer that are tried before a search, in units of the distance; of a whole number as
# they are.
MOVES_TRIED = tuple(sign * 4.0**power for sign in (-1, 1) for power in range(-2, 7))
# Relative difference of distances of which nothing more can be proven: neighbours on a frontier have the same answer.
SAME_DISTANCE = 1e-9
