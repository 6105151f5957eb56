/* Exact solutions for a guessed active set (norm 1).
 *
 * Where the features S move with signs e, the linear constraints `active` hold with equality (A v = b on S) and the
 * cone is active with multiplier nu = 1 / eta, stationarity  e + A'lambda + nu ((F'F - h1 h1') v - F'g - h0 h1) = 0
 * is linear in v, eta and mu = eta lambda, so
 *
 *     v(eta) = V0 - eta V1,     mu(eta) = m0 - eta m1,     ||F v - g||^2 = (h0 + h1·v)^2   is a quadratic in eta.
 *
 * `polish` takes the active set from an interior iterate and keeps the answer only if its own certificate closes. */
#ifndef ELSEWISE_ACTIVE_SET_H
#define ELSEWISE_ACTIVE_SET_H

#include "interior_point.h"

/* Memory of polish in doubles, for `linear` linear constraints. */
ptrdiff_t polish_size(ptrdiff_t n, ptrdiff_t linear, ptrdiff_t q);

/* Replace the iterate by the exact solution for its active set; returns 0, leaving it as it is, if that is not
 * optimal to the relative gap `tolerance`. */
int polish(const subproblem *P, iterate *it, double tolerance);

#endif
