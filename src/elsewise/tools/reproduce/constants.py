"""Numbers that decide something in this package."""

# Kernel width of the support vector machine that reads digits, for pixels from 0 to 16: the value in scikit-learn's own
# example for these data.
READER_GAMMA = 0.001

# ---- images of the user's file ----

# Inverse of the penalty of the softmax regression on pixels, for pixels from 0 to 1 and one pixel; and the same of the
# reader's kernel width. For digits of 64 pixels from 0 to 16 they are 0.01, and the 0.001 above.
IMAGE_PENALTY, READER_RANGE = 0.01 * 16.0**2 * 64, READER_GAMMA * 16.0**2 * 64

# ---- the authors' program ----
