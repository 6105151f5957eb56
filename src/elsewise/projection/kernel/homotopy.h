/* The cone alone, norm 1:  minimise sum |v|  subject to  ||F v - g|| <= h.
 *
 * The solutions of  min ||F v - g||^2 / 2 + eta sum |v|  are piecewise linear in eta (LARS). From eta = max |F'g|,
 * where v = 0, the path is followed down: features join when their correlation |F'(g - F v)|_i reaches eta, leave
 * when they return to zero, until the residual has shrunk to h. As many steps as features move, each a triangular
 * solve with the Gram matrix: far less than an interior point method, and exact. The multiplier is
 * y = (||rho||, rho) / eta with rho = g - F v. */
#ifndef ELSEWISE_HOMOTOPY_H
#define ELSEWISE_HOMOTOPY_H

#include <stddef.h>
#include <stdint.h>

#include "low_rank.h"

/* Directions a feature may not move in; both keep it at rest. */
enum { BARRED_UP = 1, BARRED_DOWN = 2 };

/* Memory of homotopy in doubles. */
ptrdiff_t homotopy_size(ptrdiff_t n, ptrdiff_t q);

/* Returns the number of features that move (their list in `moving`), with v, and y of length q + 1, filled; or -1 if
 * the path could not be followed to the end. `barred[i]` says where feature i may not go (see BARRED_UP). `low` is the
 * structure of the Gram matrix, NULL for none. */
ptrdiff_t homotopy(ptrdiff_t n, ptrdiff_t q, const double *Ft, const double *gram, const double *g, double h,
                   const int64_t *barred, const low_rank *low, double *work, int64_t *moving, double *v, double *y, int *steps);

#endif
