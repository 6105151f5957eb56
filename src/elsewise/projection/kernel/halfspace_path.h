/* The cone with half-spaces, norm 1, from the solution of the cone alone: dual active sets along exact paths.
 *
 * One violated half-space a·v <= b at a time gets a multiplier lambda that grows from zero until it holds. For
 * moving features S with signs e and active half-spaces R (A v = b_R),
 *
 *     v(lambda) = X0 - eta u(lambda),   u = p + lambda w,   eta(lambda)^2 = C / (e'p + 2 lambda e'w + lambda^2 a'w),
 *
 * where X0 minimises ||F v - g|| on the active half-spaces, p and w solve the equality-constrained systems for e and
 * a, and C = h^2 - ||F X0 - g||^2. Whatever can happen next, a feature coming to rest or starting to move, an active
 * half-space letting go, the violated one at last holding, is an equation  k = eta(lambda) (s + lambda t),  a
 * quadratic in lambda. The next event decides; the active set changes; on it goes. The multipliers are lambda and
 * y = (||rho||, rho) / eta, where rho = g - F v.
 *
 * On a piece the distance is e'X0 - eta (e'p + lambda e'w), beside that of pinned features: where it reaches a given
 * one is an event of the same kind.
 *
 * Bounds are half-spaces of one feature. One that holds is not among the active half-spaces: its feature is pinned, a
 * constant, which leaves systems as small as the number of features that are free to move; or it has come to rest, where
 * the bound is zero, and is barred from moving that way again. A pinned feature is let go where its multiplier is zero. */
#ifndef ELSEWISE_HALFSPACE_PATH_H
#define ELSEWISE_HALFSPACE_PATH_H

#include <stddef.h>
#include <stdint.h>

#include "low_rank.h"

typedef struct {
    ptrdiff_t n, q, n_halfspaces, room; /* half-spaces so far and room for them */
    const double *Ft, *gram, *g;
    double h;
    const low_rank *low;      /* structure of the Gram matrix, NULL for none */
    const double *A;          /* all half-spaces, (n_halfspaces, n) */
    double *b;                /* (n_halfspaces,) */
    double reach;             /* the first half-space is moved to where the distance is this; 0: it stays */
    ptrdiff_t n_general;      /* those from here on are bounds, one feature each */
    const int64_t *bound_feature;
    const double *lower, *upper; /* (n,) all bounds, or NULL */
    int64_t *pinned;          /* (n,): 1 + number of the bound that a feature is pinned by, else 0 */
    double cutoff;            /* stop as soon as the optimum is this far */
    const int64_t *barred;    /* directions, see homotopy.h */
    ptrdiff_t n_moving;       /* in and out */
    int64_t *moving;          /* in and out, room for n */
    int64_t *sign;            /* (n,): 1 or -1 for features that move, else 0 */
    ptrdiff_t n_active;
    int64_t *active;          /* numbers of the active half-spaces */
    double *v;                /* in and out (n,) */
    double *z;                /* out (n_halfspaces,) */
    double *y;                /* out (q + 1,) */
    int steps;                /* out */
    int is_factored;          /* the work memory holds the system of the present active set */
} halfspace_path;

/* What a call came to: the path could not be followed; all half-spaces hold already; one more holds, with all that held
 * before; the multipliers reached prove the cutoff. */
typedef enum { PATH_LOST, PATH_DONE, PATH_GOES_ON, PATH_CUTOFF } path_state;

/* Memory in doubles. */
ptrdiff_t halfspace_path_size(ptrdiff_t n, ptrdiff_t q, ptrdiff_t n_halfspaces);

/* Start from v and its moving features, none of the half-spaces being active. */
void halfspace_path_start(halfspace_path *P);

/* Start from moving features with their signs, pinned ones with their v, and active half-spaces; gives v, z and y. 0 if no optimum of these is
 * there, as bounds have moved since. */
int halfspace_path_resume(halfspace_path *P, double *work);

/* Make the most violated half-space hold. Call while it goes on; half-spaces may be added to the list between the
 * calls. */
path_state halfspace_path_next(halfspace_path *P, double *work);

/* Curvature of the distance along each moving feature, (n,), the others following: for v_i held d off its place the
 * optimum is farther by about d^2 stiffness_i / 2. Zero for features at rest. */
void halfspace_path_stiffness(halfspace_path *P, double *work, double *stiffness);

#endif
