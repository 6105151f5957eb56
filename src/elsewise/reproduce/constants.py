"""Numbers that decide something in this package."""

# Least price of a house of class 1, in thousands of dollars: "1 if the price is greater or equal to 20k$".
LEAST_HIGH_PRICE = 20.0

# Rounding differs between ways to compute a log density: this many nats, and this share of it, are no difference.
DENSITY_ROUNDING = 1e-9
# Relative margin from the boundaries of regions and cones as published: enough for predict to agree with the region,
# far too little to show in a table.
PUBLISHED_MARGIN = 1e-6
# How far the threshold lies below the lowest peak, in nats, to have the cones of all components; any distance would do.
BELOW_PEAKS = 1.0
# Counterfactuals of two models are the same up to this, relative to 1 + their largest entry: answers are proven to be
# optimal no finer than that.
SAME_POINT = 1e-6
# Shares are rounded down to a tenth of a percent; one that misses a tenth by this many tenths misses it by rounding.
SHARE_ROUNDING = 1e-9

# Rows of a fold answered one at a time, for the median time of a single call.
TIMED_ROWS = 20
# Kernel width of the support vector machine that reads digits, for pixels from 0 to 16: the value in scikit-learn's own
# example for these data.
READER_GAMMA = 0.001
# Components of a digit's mixture of low rank, and the directions of each: several handwritings, each with little of its
# own. Found by looking at digits: held-out likelihood would take one component of rank 16, whose counterfactuals keep
# more of the original.
LOW_RANK_COMPONENTS, LOW_RANK = 10, 2

# ---- images of the user's file ----

# Type of an idx file whose values are bytes.
IDX_BYTES = 0x08
# Images of a class that models and densities are fitted to, at most: some minutes' work for 28 x 28 pixels.
IMAGES_A_CLASS = 300
# Principal components of the paper's way, and numbers of components tried in its mixtures.
IMAGE_COMPONENTS, MOST_MIXTURES = 40, 5
# Directions of a class of images that have a variance of their own.
IMAGE_RANK = 8
# Inverse of the penalty of the softmax regression on pixels, for pixels from 0 to 1 and one pixel; and the same of the
# reader's kernel width. For digits of 64 pixels from 0 to 16 they are 0.01, and the 0.001 above.
IMAGE_PENALTY, READER_RANGE = 0.01 * 16.0**2 * 64, READER_GAMMA * 16.0**2 * 64
# Answers keep as far from other decisions as this share of the training images does at most: of digits of 64 pixels
# counterfactuals then read as requested as often as real ones read as labelled.
ROBUST_QUANTILE = 0.75

# ---- the authors' program ----

# Bandwidths it tries, in the units of model space: first, end (left out) and step.
PUBLISHED_BANDWIDTHS = (0.1, 10.0, 0.05)
# Numbers of components it tries: first, and end (left out).
PUBLISHED_COMPONENTS = (2, 10)
# Folds of its cross-validated likelihood.
PUBLISHED_FOLDS = 5
# Its random state: in a tree it decides between equally good splits, and that moves the figures of iris.
PUBLISHED_RANDOM_STATE = 42
# Depth of its decision tree.
PUBLISHED_TREE_DEPTH = 7
