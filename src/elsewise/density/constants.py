"""Numbers that decide something in this package."""

# Entries of an array of shape (n_samples, m), or of pairwise distances, held at once: 32 MB of float64.
CHUNK_ENTRIES = 4_000_000
# Up to so many features a mixture is fitted on one thread: many products of small matrices spend their time waiting for
# other threads, seconds on a busy machine.
ONE_THREAD_FEATURES = 128

# Added to the rows of every component, in roundings of a double (eps), so that nothing is divided by zero. As in
# scikit-learn's GaussianMixture.
COUNT_ROUNDINGS = 10.0
# The default grid of numbers of components is left once the held-out likelihood has fallen so many times in a row.
FALLS_IN_A_ROW = 2

# Values of a number that differ by no more than this, relative to its largest size, are the same value: some thousand
# times the rounding of a double.
VALUE_ROUNDING = 1e-12
# A quantile is the log density of a training row: the threshold is lowered by this share of it (and this many nats) so
# that rounding in another arithmetic does not shut that row out.
QUANTILE_ROUNDING = 1e-12
