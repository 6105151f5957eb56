/* A density as prices of cells.
 *
 * A point that moves number i by v_i, y = v - centre, is dense enough if y'Py + penalties of its levels <= r^2. With
 * D diagonal and S = P - D positive semidefinite, any kappa >= 0 and any vector z, every such point has
 *
 *     distance >= sum_i |v_i| + sum of what levels cost + kappa (y'Dy + y'Sy + penalties - r^2)
 *              >= constant + sum_i price_i(cell),      for y'Sy >= 2 z'Sy - z'Sz,
 *
 *     price_i(cell) = min over v in the cell of |v| + kappa D_i y^2 + 2 kappa (Sz)_i y     (numbers)
 *                   = cost + kappa penalty                                                 (levels)
 *     constant      = -kappa (r^2 + z'Sz)
 *
 * An entry of D may be negative: the price of a cell is then least at one of its ends, or at 0. A whole number moves by
 * multiples of a step: of a convex price the least one is next to where it would be least.
 *
 * So a cone changes what cells cost, and nothing else about a sum of trees. */
#ifndef EW_CONE_H
#define EW_CONE_H

#include "compact.h"

typedef struct {
    int32_t n;                  /* numbers: the first n variables */
    double squared_radius;      /* rounded up */
    const double *P, *size_of_P; /* n x n: F'F, and |F|'|F|, which rounding of P is relative to */
    const double *D;            /* n, to start with: P - D is positive semidefinite, whatever rounding did to P */
    const double *centre;       /* n */
    const double *step;         /* n: moves of whole numbers are multiples of it; 0 for others */
    const double *low, *high;   /* of each original cell of a number: what it may move by */
    const double *penalty;      /* of each original cell of a category */
} ew_cone;

/* kappa, D, and q = -2 kappa S z, in which the search for good prices is easier. */
typedef struct {
    double kappa, *q;
    double *D;      /* n: P - D is positive semidefinite, whatever rounding did to P */
    double *K;      /* n x n: inv(P - D) / 4, to look for good z with: nothing relies on it */
    double *weight; /* n: what D is largest for */
} ew_multipliers;

void ew_multipliers_open(ew_multipliers *at, const ew_cone *cone, ew_arena *arena);
void ew_multipliers_copy(ew_multipliers *to, const ew_multipliers *from, int32_t n);

/* Prices, and the sizes of their terms, which rounding is relative to. */
typedef struct {
    double constant, constant_size;
    double *price, *size; /* n_cells */
    double *z, *slope, *slope_size; /* n */
} ew_prices;

void ew_prices_open(ew_prices *p, const ew_compact *c, const ew_cone *cone, ew_arena *arena);
/* Set prices from scratch. */
void ew_prices_set(ew_prices *p, const ew_compact *c, const ew_cone *cone, const ew_multipliers *at);

/* Room to look for good multipliers, and what is known of the relaxed optimum there: each variable is spread over
 * cells, the better the more. */
typedef struct {
    double *worth;  /* n_cells: what messages give, in units of distance */
    double *moved;  /* n_cells: the best place of a cell, relative to the centre */
    double *beside; /* n_cells: the second best one of whole numbers, where the best one is not an end */
    double *value;  /* n_cells: price there, less what messages give */
    double *mean, *mean_value, *variance, *spread; /* n_vars: mean move and value, variance of moves, mean absolute deviation of worth */
    double *gradient, *step, *hessian, *Kq, *trial;
} ew_newton;

void ew_newton_open(ew_newton *w, const ew_compact *c, const ew_cone *cone, ew_arena *arena);
/* Improve kappa and q for fixed messages: Newton's method on the soft minimum over cells, of a width in distance. */
void ew_newton_ascend(ew_newton *w, const ew_compact *c, const ew_cone *cone, const uint8_t *alive,
                      ew_multipliers *at, double width, int n_steps, double least_kappa);
/* The relaxed optimum of each variable at the multipliers. */
void ew_newton_spread(ew_newton *w, const ew_compact *c, const ew_cone *cone, const uint8_t *alive,
                      const ew_multipliers *at, double width);
/* The dual value for fixed messages, not to be relied on. */
double ew_newton_value(ew_newton *w, const ew_compact *c, const ew_cone *cone, const uint8_t *alive,
                       const ew_multipliers *at);

#endif
