"""Numbers that decide something in this package."""

from ..search.constants import MARGINS

# Where to begin in MARGINS if columns hold floats of fewer bits (1e-6): what is written there is rounded, and so is the
# model's own arithmetic, differently in different batches.
FIRST_MARGIN_OF_SHORT_FLOATS = MARGINS.index(1e-6)
# Parts of a region given up for a row before the row is: each costs a search with all margins.
MOST_BANNED_PARTS = 20
# Relative difference of distances of which nothing more can be proven: neighbours on a frontier have the same answer.
SAME_DISTANCE = 1e-9
# Relative size of a Farkas multiplier below which its constraint has no part in a contradiction.
SMALLEST_MULTIPLIER = 1e-7
# Latest answers under other rules near which one is looked for before a search: for three in five sets of rules that
# leave an answer it is there; more of them cost more time than they save.
POINTS_TO_START_FROM = 2
# Rows of the fit by which a further model is taken apart; every level occurs beside them.
ROWS_OF_FURTHER_MODELS = 200
# Seconds of a time limit from which on a model that is read is not timed first: its predict takes a few milliseconds a
# call, and a call more is a fourth of what a row takes that is easy.
TIME_TO_SPARE = 1.0
# Seconds that a question may take at least where several share a limit: a time limit is positive.
SMALLEST_TIME_LIMIT = 1e-9
# Steps in which the highest quantile that works is looked for.
QUANTILE_STEPS = 1000
# Nats that a change must make a point denser by: what is less is rounding.
LEAST_CLIMB = 1e-6
# Answers above what a climb reached after which it is no longer taken for the highest.
ANSWERS_BEFORE_STRIDES = 3
# Open nodes a chunk may hold, and rows: bounds memory, and gives threads something to share. A row that is branched on
# holds more nodes than can be known beforehand.
MOST_NODES_A_CHUNK, MOST_ROWS_A_CHUNK, MOST_BRANCHING_ROWS_A_CHUNK = 400_000, 1024, 128
# The same where only found rules and least changes need branches: most rows have few nodes, and what a chunk costs
# beside them matters (23 numbers: 0.40 ms a row in chunks of 128, 0.17 in chunks of 512).
MOST_ROWS_UNDER_FOUND_RULES_A_CHUNK = 512

# What a row may get for which nothing is as dense as asked: no answer, or the nearest one that is as dense as can be.
IF_NONE = ("nothing", "densest")

# ---- ways ----

# A way with a place sparser than all but this share of the training rows is not called dense, and a row that is so
# itself has no say in how dense its way is.
SPARSEST_WAY = 0.01
# Nats that a way's level stays below the highest: exactly there, sets meet in a single point. A hundredth of a density.
ROOM_AT_SADDLES = 1e-2
# Nats within which two sets that do not meet are taken for sets that do: rounding of a saddle.
SAME_LEVEL = 1e-9
# Halvings in which the highest level under rules is looked for.
HIGHER_LEVELS = 4

# ---- plans ----

# Stages of a plan that are looked at one by one: those of fifteen moves. Beyond, a beam keeps so many at a time.
MOST_STAGES, BEAM_WIDTH = 2**15, 128
# Moves of a number from a known answer that are tried before a search, in units of the distance; of a whole number as
# they are.
MOVES_TRIED = tuple(sign * 4.0**power for sign in (-1, 1) for power in range(-2, 7))
