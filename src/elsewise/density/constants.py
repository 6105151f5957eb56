"""Numbers that decide something in this package."""

# Entries of an array of shape (n_samples, m), or of pairwise distances, held at once: 32 MB of float64.
CHUNK_ENTRIES = 4_000_000
# Up to so many entries of (n_samples, n_features) a mixture is fitted on one thread: many fits of little data spend
# their time waiting for other threads, seconds on a busy machine.
ONE_THREAD_ENTRIES = 1_000_000

# A component below this weight, as a share of all rows, has lost its rows during the iterations; nothing can be learned
# from such a mixture.
SMALLEST_WEIGHT = 1e-8
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
# The stand-in scale of a constant feature is its size, far more than it should vary. Divided by this, the default
# reg_covar gives it a deviation of a thousandth of its size: sqrt(1e-3) / 32.
CONSTANT_FEATURE_DIVISOR = 32.0
# Share of the prior of a category's levels that follows their frequency in the rows; the rest is spread evenly, so that
# a small component leans on its class and no level is impossible.
PRIOR_SHARE_OF_ROWS = 0.5

# Bandwidths tried first, least and largest, as powers of two of the deviation ``s`` of the rows: from s / 4096, for
# rows in tight clusters, to 4 s.
COARSE_POWERS = (-12, 2)
# Bandwidths tried next to the best of them, as powers of two: quarter steps that leave no gap to its neighbours.
FINE_POWERS = (-0.75, -0.5, -0.25, 0.25, 0.5, 0.75)
# Halvings of the mixing of two components: a saddle is then exact to the last bits of a double.
SADDLE_BISECTIONS = 60
# Half the places of a segment at which all components are evaluated, and components from which on only those that are
# the largest at one of these places are looked at for the sparsest place.
CURVE_POINTS, MOST_CURVES = 32, 40
# Nats below the lowest peak of a mixture at which every component has a cone, of a squared radius of twice this.
ROOM_BELOW_PEAKS = 1.0
# Rows a component stands for, on average, if densities given fixed columns are to mean something.
FEWEST_ROWS_A_COMPONENT = 2
