/* Homogeneous self-dual interior-point method for one scaled subproblem
 *
 *     minimise  sum |v|  or  v'v    subject to   G v + s = h,  s >= 0,     s_c = H v + k  in the second-order cone,
 *
 * G = [A; bounds], H = [h1'; F]. The embedding carries (tau, kappa): a solution is v / tau, and where tau -> 0 the
 * multipliers are Farkas multipliers of an empty set. For norm 1, v = p - m with p, m >= 0 and dual slacks
 * zp = tau + r, zm = tau - r, where r = G'z - H'y is the gradient of the Lagrangian's constraint part.
 *
 * A rigorous lower bound comes with every iterate, whatever its residuals: with beta = -(h'z + k'y) > 0, scaling the
 * multipliers until they are dual feasible gives  beta / max|r|  (norm 1)  or  beta^2 / r'r  (norm 2). With h and k
 * less their margins it closes the gap; with the true right-hand sides it is what is reported. */
#ifndef ELSEWISE_INTERIOR_POINT_H
#define ELSEWISE_INTERIOR_POINT_H

#include <stdint.h>
#include <stddef.h>

typedef struct {
    ptrdiff_t n, p, n_bounds, q; /* features, half-spaces, finite bounds, cone dimensions */
    int norm, has_cone, has_tilt;
    double *A;          /* (p, n) */
    double *h;          /* (p + n_bounds,), margins already taken off */
    double *slack;      /* (p + n_bounds,): the margins, so that h + slack is the true right-hand side */
    int64_t *bound_feature; /* (n_bounds,) */
    double *bound_sign; /* (n_bounds,): v_i <= h has sign 1, -v_i <= h has sign -1 */
    double *Ft;         /* (n, q) */
    double *gram;       /* (n, n) F'F, upper triangle */
    double *h1;         /* (n,) */
    double *k;          /* (q + 1,): (h0 - margin, -g) */
    double cone_slack;
    double cutoff;      /* in the subproblem's units */
    double far;         /* no feasible point nearer than this means infeasible */
    double remote;      /* the same where the embedding itself says so and rounding ends its progress */
} subproblem;

typedef struct {
    double *p, *m, *zp, *zm; /* norm 1 */
    double *v;               /* current point times tau */
    double *r;               /* G'z - H'y */
    double *s, *z;           /* (p + n_bounds,) */
    double *sc, *y;          /* (q + 1,) */
    double tau, kappa;
    double *best, best_tau, best_kappa, best_merit; /* copy of the best iterate so far */
    int is_ray;              /* the copy is a Farkas ray */
    double bound;            /* rigorous, for the true right-hand side, over the subproblem's features */
    int status, iterations;
    double *work;            /* scratch */
    double *polish_work;
    int64_t *polish_index;
} iterate;

/* Number of linear constraints, the rows of G. */
static inline ptrdiff_t n_linear(const subproblem *P) { return P->p + P->n_bounds; }

/* Memory of an iterate and all scratch, in doubles, for `linear` linear constraints; and its division. */
ptrdiff_t iterate_size(ptrdiff_t n, ptrdiff_t linear, ptrdiff_t q);
void iterate_bind(iterate *it, double *memory, ptrdiff_t n, ptrdiff_t linear, ptrdiff_t q);

/* Solve to the relative gap `tolerance`; the status is that of projection.h. */
void interior_point(const subproblem *P, iterate *it, double tolerance);

#endif
