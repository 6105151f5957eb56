"""Numbers that decide something in this package."""

# Entries of an array of shape (n_samples, m), or of pairwise distances, held at once: 32 MB of float64.
CHUNK_ENTRIES = 4_000_000
# Products of two features of all rows that are held at once where a mixture is fitted by them: 64 MB of float64.
# And the least share of the variance that has to be added to every covariance: differences of mean squares lose no more
# than a millionth of it to rounding, for components a thousand deviations from the mean.
MOST_PRODUCTS, LEAST_QUICK_REG_COVAR = 8_000_000, 1e-4
# Up to so many features a mixture is fitted on one thread: many products of small matrices spend their time waiting for
# other threads, seconds on a busy machine.
ONE_THREAD_FEATURES = 128

# A component below this weight, as a share of all rows, has lost its rows during the iterations; nothing can be learned
# from such a mixture.
SMALLEST_WEIGHT = 1e-8
# Added to the rows of every component, in roundings of a double (eps), so that nothing is divided by zero. As in
# scikit-learn's GaussianMixture.
COUNT_ROUNDINGS = 10.0
# Share of the largest eigenvalue below which a direction is not taken from products of rows: its digits, half as many
# as those of the eigenvalue, would not be orthonormal to some eight.
SMALLEST_EIGENVALUE = 1e-8
# The default grid of numbers of components is left once the held-out likelihood has fallen so many times in a row.
FALLS_IN_A_ROW = 2

# Rows that one fit of the choice of components sees, at most, and rows it is then judged by: enough to tell numbers of
# components apart to a few hundredths of a nat.
CHOICE_ROWS = 2_500
# Rows that all fits of one number of components see together, at least: five times 500 of 625 rows, or 2,500 of more.
ROWS_OF_ALL_FITS = 2_500

# Folds for the densities of held-out rows under a mixture of low rank, of up to so many rows and of more: fits without
# a twentieth of few rows are hardly worse than those with it; of many rows a fifth matters as little.
FOLDS_OF_FEW_ROWS, FEW_ROWS, FOLDS_OF_MANY_ROWS = 20, 5_000, 5
# Iterations, from the fit to all rows, in which a fit without a fold forgets it.
FORGETTING_ITERATIONS = 5
# From so many features on, "auto" tries mixtures of low rank: of fewer a full covariance has hardly more parameters.
LEAST_LOW_RANK_FEATURES = 10

# Values of a number that differ by no more than this, relative to its largest size, are the same value: some thousand
# times the rounding of a double.
VALUE_ROUNDING = 1e-12
# A quantile is the log density of a training row: the threshold is lowered by this share of it (and this many nats) so
# that rounding in another arithmetic does not shut that row out.
QUANTILE_ROUNDING = 1e-12
# Least share of a component, of its variance in a direction and of a level's probability that is left without a row:
# the rounding of a double. What would vanish without the row is as good as nothing, and its logarithm stays finite.
LEAST_LEFT = 2.0**-52
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
