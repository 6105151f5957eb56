/* Exact solutions for a guessed active set (norm 1).
 *
 * Where the features S move with signs e, the rows a are active (A v = b) and the cone is active with multiplier
 * nu = 1 / eta, stationarity  e + A'lambda + nu ((F'F - h1 h1') v - F'g - h0 h1) = 0  is linear in v, eta and
 * mu = eta lambda, so
 *
 *     v(eta) = V0 - eta V1,     mu(eta) = m0 - eta m1,     ||F v - g||^2 = (h0 + h1·v)^2   is a quadratic in eta.
 *
 * `polish` takes the active set from an interior iterate and keeps the answer only if its own certificate closes. */
#ifndef ELSEWISE_ACTIVE_SET_H
#define ELSEWISE_ACTIVE_SET_H

#include "interior_point.h"

ptrdiff_t polish_size(ptrdiff_t n, ptrdiff_t rows, ptrdiff_t q);
int polish(const subproblem *P, iterate *it, double tolerance);

#endif
