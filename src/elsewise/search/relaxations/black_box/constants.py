"""Numbers that decide something in this package."""

# Cones looked into, nearest first; and ways from a row to accepted training rows tried at once, in so many batches as
# long as none of them ends at an accepted point.
MOST_CONES, STARTS, BATCHES_OF_STARTS = 6, 36, 3
# Ways that are refined: the best ones, and so many that are the best of another cone; of a smooth score fewer will do.
# Ways that end farther than so many times the best point are left alone.
WAYS, WAYS_OF_OTHER_CONES, WAYS_OF_SCORES, NOT_WORTH = 24, 2, 4, 1.6
# Cuts learned for a way before it is left, and the gain, as a share of the distance, below which it is.
MOST_CUTS, SMALLEST_GAIN = 12, 1e-4
# Steps of finite differences, in standard deviations of a feature, and the factor by which they grow while they show
# nothing, so many times.
DIFFERENCE, WIDER, TIMES_WIDER = 0.01, 3.0, 3
# How far inside a boundary is felt for by labels alone, in standard deviations; it shrinks from cut to cut. Each
# feature is moved by shares of that until the model says no.
FEEL_FROM, FEEL_SHRINKS, FEEL_STEPS = 0.3, 0.8, (0.5, 1.0, 2.0, 4.0)
# How far inside it is felt for to tell whether it is met along one feature alone, as a tree's is.
FEEL_NEAR = 0.03
# Points between the last accepted and the first refused of these, and on single features.
STEPS_BETWEEN, STEPS_ON_AN_AXIS = 5, 12
# A feature that differs by less than this share of its standard deviation does not differ.
SAME = 1e-9
