/* The linear pieces of a half-space path: for an active set, the systems that give point and multipliers as functions of
 * lambda, the multiplier of the violated half-space. Only for halfspace_path.c. */
#ifndef ELSEWISE_PATH_PIECES_H
#define ELSEWISE_PATH_PIECES_H

#include <math.h>
#include <string.h>

#include "constants.h"
#include "dense.h"
#include "halfspace_path.h"
#include "homotopy.h"

/* The linear pieces for the present active set of k features and m half-spaces, and the violated half-space. */
typedef struct {
    ptrdiff_t k, m, max_moving, max_active;
    ptrdiff_t violated, resting;     /* ... and the feature that it brings to rest, -1 if it does not */
    const double *a;                 /* its normal */
    double *K, *AR, *Y, *T;          /* (k, k), (m, k), (m, k), (m, m) */
    double *e, *X0, *p, *w, *x, *d;  /* (k,); x is the present point, d a direction in which it may slide */
    double *m0, *m1, *m2;            /* (m,): eta lambda_R = m0 - eta (m1 + lambda m2) */
    double *k0, *k1, *k2;            /* (n,): eta-free, eta and eta lambda parts of the correlations */
    double *rho, *g;                 /* (q,); g less what pinned features contribute */
    double *zero;                    /* (n,) */
    double *pull, squared;           /* with a structure: (n,) F'g and ||g||^2 for this g */
    const low_rank *low;
    const int64_t *moving;
    double b, pinned_distance;       /* right-hand side of the violated half-space, less the same; their distance */
    double C, alpha, beta, gamma;    /* eta^2 = C / (alpha + 2 lambda beta + lambda^2 gamma) */
} pieces;

/* At most so many features move at once. */
static inline ptrdiff_t max_moving(ptrdiff_t n, ptrdiff_t q, ptrdiff_t room) { return n < q + room ? n : q + room; }

static inline void bind(const halfspace_path *P, double *work, pieces *c) {
    ptrdiff_t n = P->n, most = max_moving(n, P->q, P->room), active = P->room < most ? P->room : most;
    double **vectors[] = {&c->K, &c->AR, &c->Y, &c->T, &c->e, &c->X0, &c->p, &c->w, &c->x, &c->d, &c->m0, &c->m1, &c->m2,
                          &c->k0, &c->k1, &c->k2, &c->zero, &c->pull, &c->rho, &c->g};
    ptrdiff_t sizes[] = {most * most, most * active, most * active, active * active, most, most, most, most, most, most,
                         active, active, active, n, n, n, n, n, P->q, P->q};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) { *vectors[i] = work; work += sizes[i]; }
    c->max_moving = most;
    c->max_active = active;
    c->low = P->low;
    c->moving = P->moving;
    c->k = P->n_moving;
    c->m = P->n_active;
}

/* x <- K^-1 x */
static inline void solve_free(const pieces *c, double *x) {
    if (c->low) low_rank_solve(c->low, c->k, c->moving, x);
    else cholesky_solve(c->k, c->K, x);
}

/* Take the part along the active half-spaces off x = K^-1 f: the solution of the equality-constrained system for f.
 * `multiplier` gets T^-1 (A K^-1 f - offset). */
static inline void constrain(pieces *c, double *x, double *multiplier, const double *offset) {
    for (ptrdiff_t r = 0; r < c->m; r++) multiplier[r] = dot(c->k, c->AR + r * c->k, x) - (offset ? offset[r] : 0);
    if (c->m) cholesky_solve(c->m, c->T, multiplier);
    for (ptrdiff_t r = 0; r < c->m; r++) axpy(c->k, -multiplier[r], c->Y + r * c->k, x);
}

/* Whether a feature has one value left. */
static inline int is_fixed(const halfspace_path *P, ptrdiff_t i) {
    return P->lower && P->upper && P->lower[i] == P->upper[i];
}

/* F'g and ||g||^2, less what pinned features contribute. */
static inline void shift_pull(const halfspace_path *P, pieces *c) {
    const low_rank *L = c->low;
    ptrdiff_t n = P->n, r = L->r;
    memset(L->t, 0, (size_t)r * sizeof *L->t);
    for (ptrdiff_t i = 0; i < n; i++)
        if (P->pinned[i]) axpy(r, P->v[i], L->U + i * r, L->t);
    c->squared = dot(P->q, P->g, P->g);
    for (ptrdiff_t i = 0; i < n; i++) {
        double v = P->pinned[i] ? P->v[i] : 0;
        c->pull[i] = L->pull[i] - L->D[i] * v + dot(r, L->U + i * r, L->t);
        c->squared -= v * (L->pull[i] + c->pull[i]);
    }
}

/* Take what pinned features contribute off the right-hand sides; those of the active half-spaces go to `offsets`. */
static inline void shift(const halfspace_path *P, pieces *c, double *offsets) {
    ptrdiff_t n = P->n;
    memcpy(c->g, P->g, (size_t)P->q * sizeof *c->g);
    if (c->low) shift_pull(P, c);
    for (ptrdiff_t r = 0; r < c->m; r++) offsets[r] = P->b[P->active[r]];
    c->b = c->violated < 0 ? 0 : P->b[c->violated];
    c->pinned_distance = 0;
    for (ptrdiff_t i = 0; i < n; i++) {
        if (!P->pinned[i]) continue;
        double v = P->v[i];
        if (!c->low) axpy(P->q, -v, P->Ft + i * P->q, c->g);
        for (ptrdiff_t r = 0; r < c->m; r++) offsets[r] -= P->A[P->active[r] * n + i] * v;
        c->b -= c->a[i] * v;
        c->pinned_distance += fabs(v);
    }
}

/* K = F'F + A'A on the moving features (with a structure F'F, which is regular), and right-hand sides of X0, p and w; right-hand sides of the active
 * half-spaces are gathered in `offsets`. */
static inline void assemble(const halfspace_path *P, pieces *c, double *offsets) {
    ptrdiff_t n = P->n, q = P->q, k = c->k, m = c->m;
    shift(P, c, offsets);
    for (ptrdiff_t r = 0; r < m; r++) {
        const double *normal = P->A + P->active[r] * n;
        for (ptrdiff_t i = 0; i < k; i++) c->AR[r * k + i] = normal[P->moving[i]];
    }
    for (ptrdiff_t i = 0; i < k; i++) {
        c->e[i] = (double)P->sign[P->moving[i]];
        c->p[i] = c->e[i];
        c->w[i] = c->a[P->moving[i]];
        if (c->low) {
            c->X0[i] = c->pull[P->moving[i]];
            continue;
        }
        const double *from = P->gram + P->moving[i] * n;
        for (ptrdiff_t j = i; j < k; j++) c->K[i * k + j] = from[P->moving[j]];
        for (ptrdiff_t r = 0; r < m; r++) axpy(k - i, c->AR[r * k + i], c->AR + r * k + i, c->K + i * k + i);
        c->X0[i] = dot(q, P->Ft + P->moving[i] * q, c->g);
        for (ptrdiff_t r = 0; r < m; r++) c->X0[i] += c->AR[r * k + i] * offsets[r];
    }
}

/* X0, p and w with their multipliers; 0 if features or half-spaces are dependent. */
static inline int solve(pieces *c, const double *offsets) {
    ptrdiff_t k = c->k, m = c->m;
    int is_singular = c->low ? !low_rank_factor(c->low, k, c->moving, ACTIVE_SET_PIVOT)
                             : cholesky(k, c->K, ACTIVE_SET_PIVOT, c->k0) != 0;
    if (is_singular) return 0;
    memcpy(c->Y, c->AR, (size_t)(m * k) * sizeof *c->Y);
    for (ptrdiff_t r = 0; r < m; r++) solve_free(c, c->Y + r * k);
    for (ptrdiff_t r = 0; r < m; r++)
        for (ptrdiff_t s = r; s < m; s++) c->T[r * m + s] = dot(k, c->AR + r * k, c->Y + s * k);
    if (m && cholesky(m, c->T, ACTIVE_SET_PIVOT, c->m0)) return 0;
    if (c->low) {
        solve_free(c, c->X0);
        solve_free(c, c->p);
        solve_free(c, c->w);
    } else {
        cholesky_solve_three(k, c->K, c->X0, c->p, c->w);
    }
    constrain(c, c->X0, c->m0, offsets);
    constrain(c, c->p, c->m1, NULL);
    constrain(c, c->w, c->m2, NULL);
    return 1;
}

/* The curve eta(lambda); 0 if the cone does not reach it. */
static inline int find_curve(const halfspace_path *P, pieces *c) {
    ptrdiff_t q = P->q, k = c->k;
    double squared = c->squared;
    if (c->low) { /* k0 = F'rho, and ||rho||^2 = ||g||^2 - X0·(F'g + F'rho) */
        low_rank_times(c->low, k, P->moving, c->X0, c->k0);
        for (ptrdiff_t i = 0; i < P->n; i++) c->k0[i] = c->pull[i] - c->k0[i];
        for (ptrdiff_t i = 0; i < k; i++) squared -= c->X0[i] * (c->pull[P->moving[i]] + c->k0[P->moving[i]]);
    } else {
        memcpy(c->rho, c->g, (size_t)q * sizeof *c->rho);
        for (ptrdiff_t i = 0; i < k; i++) axpy(q, -c->X0[i], P->Ft + P->moving[i] * q, c->rho);
        squared = dot(q, c->rho, c->rho);
    }
    c->C = P->h * P->h - squared;
    c->alpha = dot(k, c->e, c->p);
    c->beta = dot(k, c->e, c->w);
    double gamma = 0;
    for (ptrdiff_t i = 0; i < k; i++) gamma += c->a[P->moving[i]] * c->w[i];
    c->gamma = gamma;
    return c->C > 0;
}

/* Correlations of all features with the residual, less what the half-spaces take: k0 + eta (k1 + lambda k2). */
static inline void correlate(const halfspace_path *P, pieces *c) {
    ptrdiff_t n = P->n, q = P->q;
    if (c->low) { /* k0 is there already */
        low_rank_times(c->low, c->k, P->moving, c->p, c->k1);
        low_rank_times(c->low, c->k, P->moving, c->w, c->k2);
        for (ptrdiff_t i = 0; i < n; i++) c->k2[i] -= c->a[i];
    } else {
        memset(c->k1, 0, (size_t)n * sizeof *c->k1);
        for (ptrdiff_t i = 0; i < n; i++) c->k2[i] = -c->a[i];
        for (ptrdiff_t i = 0; i < n; i++) c->k0[i] = dot(q, P->Ft + i * q, c->rho);
        for (ptrdiff_t i = 0; i < c->k; i++) axpy_two(n, c->p[i], c->w[i], P->gram + P->moving[i] * n, c->k1, c->k2);
    }
    for (ptrdiff_t r = 0; r < c->m; r++) {
        const double *normal = P->A + P->active[r] * n;
        axpy(n, -c->m0[r], normal, c->k0);
        axpy(n, c->m1[r], normal, c->k1);
        axpy(n, c->m2[r], normal, c->k2);
    }
}

static inline double eta_at(const pieces *c, double lambda) {
    return sqrt(c->C / (c->alpha + lambda * (2 * c->beta + lambda * c->gamma)));
}

#endif
