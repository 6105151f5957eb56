/* The cone with rows, norm 1, from the solution of the cone alone: a dual active-set method along exact paths.
 *
 * One violated row a·v <= b at a time gets a multiplier lambda that grows from zero until the row holds. For moving
 * features S with signs e and active rows R (A v = b_R),
 *
 *     v(lambda) = X0 - eta u(lambda),   u = p + lambda w,   eta(lambda)^2 = C / (e'p + 2 lambda e'w + lambda^2 a'w),
 *
 * where X0 minimises ||F v - g|| on the active rows, p and w solve the equality-constrained systems for e and a, and
 * C = h^2 - ||F X0 - g||^2. Whatever can happen next, a feature coming to rest or starting to move, an active row letting
 * go, the row at last holding, is an equation  k = eta(lambda) (s + lambda t),  a quadratic in lambda. The next event
 * decides; the active set changes; on it goes. The multipliers are lambda for rows and y = (||rho||, rho) / eta. */
#ifndef ELSEWISE_ROW_PATH_H
#define ELSEWISE_ROW_PATH_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    ptrdiff_t n, q, n_rows, room; /* rows so far and room for them */
    const double *Ft, *gram, *g;
    double h;
    const double *A, *b;      /* all rows, (n_rows, n) and (n_rows,) */
    double cutoff;            /* stop as soon as the optimum is this far */
    const int64_t *barred;    /* directions, see homotopy.h */
    ptrdiff_t n_moving;       /* in and out */
    int64_t *moving;          /* in and out, room for n */
    double *v;                /* in and out (n,) */
    double *z;                /* out (n_rows,) */
    double *y;                /* out (q + 1,) */
    int steps;                /* out */
} row_path_problem;

ptrdiff_t row_path_size(ptrdiff_t n, ptrdiff_t q, ptrdiff_t n_rows);

/* Make the most violated row hold, with all rows made to hold before. Returns 1 if a row was added, 0 if all rows hold
 * already, 2 if the multipliers reached prove the cutoff, -1 if the path could not be followed. Call until 0; `work` keeps
 * the active set between the calls, and rows may be added to the list. */
int row_path_start(row_path_problem *P, double *work);
int row_path_next(row_path_problem *P, double *work);

#endif
