"""Numbers that decide something in this package."""

# Points a row may ask about in all: a service that takes a millisecond a point answers in seconds.
MOST_POINTS = 4_500
# Cones looked into, nearest first; and ways from a row to accepted training rows tried at once, in so many batches as
# long as none of them ends at an accepted point.
MOST_CONES, STARTS, BATCHES_OF_STARTS = 6, 36, 3
# Ways that are refined: the best ones, and so many that are the best of another cone; of a smooth score fewer will do.
# Ways that end farther than so many times the best point are left alone.
WAYS, WAYS_OF_OTHER_CONES, WAYS_OF_SCORES, NOT_WORTH = 24, 2, 4, 1.6
# Points asked along each way at once, and how often: the crossing is then known to 1/169 of its length.
STEPS_ALONG, BISECTIONS = 12, 2
# Points along a way that are checked against density and rules, which costs no call.
STEPS_INSIDE = 24
# Cuts learned for a way before it is left, and the gain, as a share of the distance, below which it is.
MOST_CUTS, SMALLEST_GAIN = 12, 1e-4
# Cuts that are kept when a nearer point contradicts them.
CUTS_KEPT = 3
# Steps of finite differences, in standard deviations of a feature, and the factor by which they grow while they show
# nothing, so many times.
DIFFERENCE, WIDER, TIMES_WIDER = 0.01, 3.0, 3
# Share of the moving features whose differences must show something for a score to count as smooth.
SMOOTH_SHARE = 0.7
# How far inside a boundary is felt for by labels alone, in standard deviations; it shrinks from cut to cut. Each
# feature is moved by shares of that until the model says no.
FEEL_FROM, FEEL_SHRINKS, FEEL_STEPS = 0.3, 0.8, (0.5, 1.0, 2.0, 4.0)
# How far inside it is felt for to tell whether it is met along one feature alone, as a tree's is.
FEEL_NEAR = 0.03
# How far beyond the boundary a feature is moved to see whether another one makes up for it, in distances to it.
BEYOND = 1.5
# Points between the last accepted and the first refused of these, and on single features.
STEPS_BETWEEN, STEPS_ON_AN_AXIS = 5, 12
# Ways that half-spaces are learned for by labels alone, which is dear; and the share of the features whose moves must
# meet the boundary for that to be worth it. In few features it is cheap: many ways, with so many half-spaces each.
WAYS_CUT, OBLIQUE_SHARE, WAYS_CUT_OF_FEW, CUTS_OF_FEW = 3, 0.25, 20, 6
# Values of each feature, among those of accepted training rows, that are tried alone, and changes that are followed.
VALUES_TRIED, SINGLE_CHANGES = 12, 3
# Cells of accepted training rows: projections onto them, bisectors that each is made of at most, those added at once,
# refused rows that tell beforehand how far a cell is, and cells asked about without a nearer answer before they are
# left. Where the spreads of features differ by more than a factor, rows are compared in units of these, too.
MOST_CELL_PROJECTIONS, MOST_BISECTORS, BISECTORS_AT_ONCE, REFUSED_AT_FIRST = 150, 60, 3, 10
CELLS_WITHOUT_GAIN, EVEN_SPREADS = 6, 1.01
# Times that whole changes are given back, and rounds on single features after that.
GIVING_BACK, LAST_ROUNDS = 6, 6
# Choices of columns that may change, or have to stay, tried where a rule or an earlier answer asks for one.
MOST_CHOICES = 12
# Relative distance kept from cones and learned cuts when points are solved for: far more than rounding.
KEPT_OFF = 1e-7
# A feature that differs by less than this share of its standard deviation does not differ.
SAME = 1e-9
