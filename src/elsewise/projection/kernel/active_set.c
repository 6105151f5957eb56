#include "active_set.h"

#include <math.h>
#include <string.h>

#include "constants.h"
#include "multiversion.h"
#include "soc.h"

/* An active set and the solution that belongs to it; symbols as in active_set.h. */
typedef struct {
    ptrdiff_t n_moving, n_active, max_active;
    int64_t *S, *active;
    int cone_is_active;
    double *K, *A, *Y, *T; /* system on S; active constraints on S, (n_active, n_moving); K^-1 A' likewise; A K^-1 A' */
    double *e, *V0, *V1;   /* (n_moving,) */
    double *m0, *m1;       /* (n_active,) */
    double *R0, *R1;       /* (q + 1,): H v + k = R0 - eta R1 */
    double eta;
    double *v, *z, *y, *r; /* the solution and its gradient r = G'z - H'y */
    double objective;
} solution;

ptrdiff_t polish_size(ptrdiff_t n, ptrdiff_t linear, ptrdiff_t q) {
    ptrdiff_t active = linear < n + 1 ? linear : n + 1;
    return n * n + 2 * n * active + active * active + 5 * n + 3 * linear + 3 * (q + 1);
}

static inline void bind(const subproblem *P, const iterate *it, solution *c) {
    ptrdiff_t n = P->n, q = P->q, linear = n_linear(P), most = linear < n + 1 ? linear : n + 1;
    double *memory = it->polish_work;
    double **pieces[] = {&c->K, &c->A, &c->Y, &c->T, &c->e, &c->V0, &c->V1, &c->r, &c->v, &c->m0, &c->m1, &c->z, &c->R0,
                         &c->R1, &c->y};
    ptrdiff_t sizes[] = {n * n, n * most, n * most, most * most, n, n, n, n, n, linear, linear, linear, q + 1, q + 1,
                         q + 1};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) { *pieces[i] = memory; memory += sizes[i]; }
    c->S = it->polish_index;
    c->active = c->S + n;
    c->max_active = most;
}

/* The active set by strict complementarity: of each pair the larger decides. Returns 0 if it does not determine a
 * point. */
static inline int guess(const subproblem *P, const iterate *it, solution *c) {
    ptrdiff_t n = P->n, q = P->q;
    double total = 0;
    c->n_moving = c->n_active = 0;
    for (ptrdiff_t i = 0; i < n; i++) total += it->p[i] + it->m[i];
    for (ptrdiff_t i = 0; i < n; i++) {
        double moved = fabs(it->p[i] - it->m[i]) * it->tau, rest = fmin(it->zp[i], it->zm[i]) * total;
        if (moved <= rest) continue;
        c->e[c->n_moving] = it->p[i] > it->m[i] ? 1 : -1;
        c->S[c->n_moving++] = i;
    }
    for (ptrdiff_t i = 0; i < n_linear(P); i++) {
        if (it->z[i] <= it->s[i]) continue;
        if (c->n_active == c->max_active) return 0;
        c->active[c->n_active++] = i;
    }
    c->cone_is_active = P->has_cone && it->y[0] > it->sc[0] - sqrt(dot(q, it->sc + 1, it->sc + 1));
    if (c->n_moving == 0) return 0;
    return c->cone_is_active ? c->n_moving <= q + c->n_active : c->n_moving == c->n_active;
}

/* The active constraints on S: half-spaces, then bounds. */
static inline void gather_active(const subproblem *P, solution *c) {
    ptrdiff_t k = c->n_moving;
    for (ptrdiff_t a = 0; a < c->n_active; a++) {
        double *row = c->A + a * k;
        ptrdiff_t bound = c->active[a] - P->p;
        if (bound < 0)
            for (ptrdiff_t i = 0; i < k; i++) row[i] = P->A[c->active[a] * P->n + c->S[i]];
        else
            for (ptrdiff_t i = 0; i < k; i++) row[i] = c->S[i] == P->bound_feature[bound] ? P->bound_sign[bound] : 0;
    }
}

/* K = F'F - h1 h1' + A'A on S (adding A'A changes nothing where A v = b, and makes K definite), and the right-hand
 * sides of V0 and V1. */
static inline void assemble(const subproblem *P, solution *c) {
    ptrdiff_t n = P->n, q = P->q, k = c->n_moving;
    int has_cone = c->cone_is_active, has_tilt = has_cone && P->has_tilt;
    for (ptrdiff_t i = 0; i < k; i++) {
        double *row = c->K + i * k;
        for (ptrdiff_t j = i; j < k; j++) {
            row[j] = has_cone ? P->gram[c->S[i] * n + c->S[j]] : 0;
            if (has_tilt) row[j] -= P->h1[c->S[i]] * P->h1[c->S[j]];
        }
        for (ptrdiff_t a = 0; a < c->n_active; a++) axpy(k - i, c->A[a * k + i], c->A + a * k + i, row + i);
        c->V0[i] = 0;
        if (has_cone) c->V0[i] = -dot(q, P->Ft + c->S[i] * q, P->k + 1) + (has_tilt ? P->k[0] * P->h1[c->S[i]] : 0);
        for (ptrdiff_t a = 0; a < c->n_active; a++) c->V0[i] += c->A[a * k + i] * P->h[c->active[a]];
        c->V1[i] = c->e[i];
    }
}

/* V0, V1, m0, m1 by the Schur complement of the active constraints; 0 if they are dependent. */
static inline int solve(const subproblem *P, solution *c) {
    ptrdiff_t k = c->n_moving, m = c->n_active;
    if (cholesky(k, c->K, ACTIVE_SET_PIVOT, c->v)) return 0;
    cholesky_solve(k, c->K, c->V0);
    cholesky_solve(k, c->K, c->V1);
    if (!m) return 1;
    memcpy(c->Y, c->A, (size_t)(m * k) * sizeof *c->Y);
    for (ptrdiff_t a = 0; a < m; a++) cholesky_solve(k, c->K, c->Y + a * k);
    for (ptrdiff_t a = 0; a < m; a++) {
        for (ptrdiff_t b = a; b < m; b++) c->T[a * m + b] = dot(k, c->A + a * k, c->Y + b * k);
        c->m0[a] = dot(k, c->A + a * k, c->V0) - P->h[c->active[a]];
        c->m1[a] = dot(k, c->A + a * k, c->V1);
    }
    if (cholesky(m, c->T, ACTIVE_SET_PIVOT, c->z)) return 0;
    cholesky_solve(m, c->T, c->m0);
    cholesky_solve(m, c->T, c->m1);
    for (ptrdiff_t a = 0; a < m; a++) {
        axpy(k, -c->m0[a], c->Y + a * k, c->V0);
        axpy(k, -c->m1[a], c->Y + a * k, c->V1);
    }
    return 1;
}

/* The root of a x^2 + 2 b x + c at which it rises through zero, without cancellation; -1 if there is none. */
static inline double crossing(double a, double b, double c) {
    double root = b * b - a * c;
    if (!(root >= 0)) return -1;
    root = sqrt(root);
    return b > 0 ? -c / (b + root) : (a != 0 ? (root - b) / a : -1);
}

/* eta from ||R0 - eta R1||^2 = (R0[0] - eta R1[0])^2, where the cone is active; 0 if there is none. */
static inline int meet_cone(const subproblem *P, solution *c) {
    ptrdiff_t q = P->q;
    double *R0 = c->R0, *R1 = c->R1;
    memcpy(R0, P->k, (size_t)(q + 1) * sizeof *R0);
    memset(R1, 0, (size_t)(q + 1) * sizeof *R1);
    for (ptrdiff_t i = 0; i < c->n_moving; i++) {
        axpy(q, c->V0[i], P->Ft + c->S[i] * q, R0 + 1);
        axpy(q, c->V1[i], P->Ft + c->S[i] * q, R1 + 1);
        if (P->has_tilt) {
            R0[0] += c->V0[i] * P->h1[c->S[i]];
            R1[0] += c->V1[i] * P->h1[c->S[i]];
        }
    }
    c->eta = crossing(dot(q, R1 + 1, R1 + 1) - R1[0] * R1[0], R0[0] * R1[0] - dot(q, R0 + 1, R1 + 1),
                      dot(q, R0 + 1, R0 + 1) - R0[0] * R0[0]);
    return c->eta > 0 && isfinite(c->eta);
}

/* v, z and y at eta; 0 if a feature moves against its sign or a multiplier is negative. */
static inline int write_solution(const subproblem *P, solution *c) {
    ptrdiff_t q = P->q;
    double eta = c->eta, *y = c->y;
    memset(c->v, 0, (size_t)P->n * sizeof *c->v);
    memset(c->z, 0, (size_t)n_linear(P) * sizeof *c->z);
    memset(y, 0, (size_t)(q + 1) * sizeof *y);
    c->objective = 0;
    for (ptrdiff_t i = 0; i < c->n_moving; i++) {
        double v = c->V0[i] - eta * c->V1[i];
        if (v * c->e[i] < 0) return 0;
        c->v[c->S[i]] = v;
        c->objective += fabs(v);
    }
    for (ptrdiff_t a = 0; a < c->n_active; a++) {
        double lambda = c->cone_is_active ? c->m0[a] / eta - c->m1[a] : -c->m1[a];
        if (lambda < 0) return 0;
        c->z[c->active[a]] = lambda;
    }
    if (!c->cone_is_active) return 1;
    for (ptrdiff_t j = 1; j <= q; j++) y[j] = -((c->R0[j] - eta * c->R1[j]) / eta);
    y[0] = sqrt(dot(q, y + 1, y + 1));
    return 1;
}

/* All linear constraints hold; adds G'z to r and -h'z to beta. */
static inline int linear_hold(const subproblem *P, solution *c, double *beta) {
    ptrdiff_t n = P->n;
    for (ptrdiff_t i = 0; i < P->p; i++) {
        double slack = P->h[i] - dot(n, P->A + i * n, c->v);
        if (slack < -MARGIN_SHARE * fmax(P->slack[i], LEAST_MARGIN)) return 0;
        axpy(n, c->z[i], P->A + i * n, c->r);
        *beta -= c->z[i] * P->h[i];
    }
    for (ptrdiff_t i = 0; i < P->n_bounds; i++) {
        double h = P->h[P->p + i], z = c->z[P->p + i], slack = h - P->bound_sign[i] * c->v[P->bound_feature[i]];
        if (slack < -BOUND_EXCESS) return 0;
        c->r[P->bound_feature[i]] += P->bound_sign[i] * z;
        *beta -= z * h;
    }
    return 1;
}

/* The cone holds; adds -H'y to r and -k'y to beta. */
static inline int cone_holds(const subproblem *P, solution *c, double *beta) {
    ptrdiff_t n = P->n, q = P->q;
    double right = P->k[0], *left = c->R0 + 1;
    memcpy(left, P->k + 1, (size_t)q * sizeof *left);
    for (ptrdiff_t i = 0; i < c->n_moving; i++) axpy(q, c->v[c->S[i]], P->Ft + c->S[i] * q, left);
    if (P->has_tilt) right += dot(n, P->h1, c->v);
    if (sqrt(dot(q, left, left)) - right > MARGIN_SHARE * fmax(P->cone_slack, LEAST_MARGIN)) return 0;
    if (c->cone_is_active)
        for (ptrdiff_t i = 0; i < n; i++)
            c->r[i] -= dot(q, P->Ft + i * q, c->y + 1) + (P->has_tilt ? P->h1[i] * c->y[0] : 0);
    *beta -= dot(q + 1, P->k, c->y);
    return 1;
}

/* All constraints hold, and the multipliers, scaled to be dual feasible on every feature, close the gap. */
static inline int is_optimal(const subproblem *P, solution *c, double tolerance) {
    double beta = 0;
    memset(c->r, 0, (size_t)P->n * sizeof *c->r);
    if (!linear_hold(P, c, &beta) || (P->has_cone && !cone_holds(P, c, &beta))) return 0;
    return c->objective - beta / max_abs(P->n, c->r) <= tolerance * c->objective;
}

static inline void hand_over(const subproblem *P, const solution *c, iterate *it) {
    for (ptrdiff_t i = 0; i < P->n; i++) {
        it->p[i] = fmax(c->v[i], 0);
        it->m[i] = fmax(-c->v[i], 0);
        it->zp[i] = fmax(1 + c->r[i], 0);
        it->zm[i] = fmax(1 - c->r[i], 0);
    }
    memcpy(it->v, c->v, (size_t)P->n * sizeof *c->v);
    memcpy(it->z, c->z, (size_t)n_linear(P) * sizeof *c->z);
    if (P->has_cone) memcpy(it->y, c->y, (size_t)(P->q + 1) * sizeof *c->y);
    it->tau = 1;
    it->kappa = 0;
}

MULTIVERSION
int polish(const subproblem *P, iterate *it, double tolerance) {
    solution c[1];
    bind(P, it, c);
    if (!guess(P, it, c)) return 0;
    gather_active(P, c);
    assemble(P, c);
    if (!solve(P, c)) return 0;
    c->eta = 0;
    if (c->cone_is_active && !meet_cone(P, c)) return 0;
    if (!write_solution(P, c) || !is_optimal(P, c, tolerance)) return 0;
    hand_over(P, c, it);
    return 1;
}
