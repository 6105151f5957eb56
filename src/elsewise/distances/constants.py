"""Numbers that decide how distances are resolved."""

# Ridge of the default omega, as a share of each feature's own variance: collinear features have an inverse, and the
# distance along all others changes by less than 1e-6 of itself.
RIDGE = 1e-6

# A spread so small, relative to the typical value, is rounding: the column is taken not to vary.
SPREAD_ROUNDING = 1e-12

# A matrix is symmetric if its two halves agree so closely, relative to the largest entry: inverses are not exactly so.
ASYMMETRY_TOLERANCE = 1e-8

# A matrix with unit diagonal is positive definite beyond rounding if its smallest eigenvalue is over so many d eps.
EIGENVALUE_ROUNDING = 4.0
