#include "homotopy.h"

#include <math.h>
#include <string.h>

#include "constants.h"
#include "dense.h"
#include "multiversion.h"

/* Data of the problem and the present piece of the path; k features move. */
typedef struct {
    ptrdiff_t n, q, k, max_moving;
    const double *Ft, *gram, *g;
    double h;
    const int64_t *barred;
    const low_rank *low; /* NULL: none */
    int64_t *moving;
    double *U;           /* (max_moving, max_moving): factor of the Gram matrix of the moving features, K = U'U */
    double *c, *a;       /* (n,): correlations F'(g - F v), and what they fall by a unit of eta */
    double *e, *x, *d;   /* (k,): signs, values and directions of the moving features */
    double *z;           /* (k,): U'z = e, which a feature that joins makes longer by one entry */
    double *column, *rho;
    double eta, squared; /* squared: ||g - F v||^2 */
} path;

/* The next breakpoint: how far eta falls until then, and the feature that joins or the place of the one that leaves;
 * neither where the residual has shrunk to h. */
typedef struct {
    double t;
    ptrdiff_t joins, leaves;
} breakpoint;

static inline ptrdiff_t max_moving(ptrdiff_t n, ptrdiff_t q) { return n < q ? n : q; }

ptrdiff_t homotopy_size(ptrdiff_t n, ptrdiff_t q) {
    ptrdiff_t most = max_moving(n, q);
    return most * most + 2 * n + 5 * most + q;
}

static inline void bind(path *p, double *work) {
    ptrdiff_t most = p->max_moving = max_moving(p->n, p->q);
    p->U = work;
    p->c = p->U + most * most;
    p->a = p->c + p->n;
    p->e = p->a + p->n;
    p->x = p->e + most;
    p->d = p->x + most;
    p->z = p->d + most;
    p->column = p->z + most;
    p->rho = p->column + most;
}

/* Grow the factor of the first k moving features, and z, by feature j of direction e; 0 if it depends on them. */
static inline int append(path *p, ptrdiff_t k, ptrdiff_t j, double e) {
    ptrdiff_t ld = p->max_moving;
    double *U = p->U, *column = p->column;
    const double *gram = p->gram + j * p->n;
    for (ptrdiff_t i = 0; i < k; i++) column[i] = gram[p->moving[i]];
    for (ptrdiff_t i = 0; i < k; i++) {
        column[i] /= U[i * ld + i];
        axpy(k - i - 1, -column[i], U + i * ld + i + 1, column + i + 1);
    }
    double pivot = gram[j] - dot(k, column, column);
    if (!(pivot > HOMOTOPY_PIVOT * gram[j])) return 0;
    for (ptrdiff_t i = 0; i < k; i++) U[i * ld + k] = column[i];
    U[k * ld + k] = sqrt(pivot);
    for (ptrdiff_t i = 0; i < k; i++) e -= p->z[i] * column[i];
    p->z[k] = e / U[k * ld + k];
    return 1;
}

/* x <- U^-1 x */
static inline void solve_back(const path *p, double *x) {
    ptrdiff_t k = p->k, ld = p->max_moving;
    for (ptrdiff_t i = k - 1; i >= 0; i--)
        x[i] = (x[i] - dot(k - i - 1, p->U + i * ld + i + 1, x + i + 1)) / p->U[i * ld + i];
}

/* x <- K^-1 x */
static inline void solve(const path *p, double *x) {
    if (p->low) { low_rank_solve(p->low, p->k, p->moving, x); return; }
    ptrdiff_t k = p->k, ld = p->max_moving;
    const double *U = p->U;
    for (ptrdiff_t i = 0; i < k; i++) {
        x[i] /= U[i * ld + i];
        axpy(k - i - 1, -x[i], U + i * ld + i + 1, x + i + 1);
    }
    solve_back(p, x);
}

/* Correlations at v = 0, and eta their largest; returns the feature that has it, -1 if none can move. */
static inline ptrdiff_t start(path *p) {
    ptrdiff_t first = -1;
    p->k = 0;
    p->eta = 0;
    p->squared = dot(p->q, p->g, p->g);
    for (ptrdiff_t i = 0; i < p->n; i++) {
        double c = p->c[i] = dot(p->q, p->Ft + i * p->q, p->g);
        if (fabs(c) > p->eta && !(p->barred[i] & (c > 0 ? BARRED_UP : BARRED_DOWN))) { p->eta = fabs(c); first = i; }
    }
    return first;
}

static inline int join(path *p, ptrdiff_t j) {
    double e = p->c[j] > 0 ? 1 : -1;
    if (p->k == p->max_moving || (!p->low && !append(p, p->k, j, e))) return 0;
    p->moving[p->k] = j;
    p->e[p->k] = e;
    p->x[p->k++] = 0;
    return 1;
}

/* The moving feature in place i comes to rest; the factor of those behind it is made afresh. */
static inline int leave(path *p, ptrdiff_t i) {
    for (ptrdiff_t j = i; j + 1 < p->k; j++) {
        p->moving[j] = p->moving[j + 1];
        p->e[j] = p->e[j + 1];
        p->x[j] = p->x[j + 1];
    }
    p->k--;
    if (p->low) return 1;
    for (ptrdiff_t j = i; j < p->k; j++)
        if (!append(p, j, p->moving[j], p->e[j])) return 0;
    return 1;
}

/* Direction d = K^-1 e of the moving features and fall a = F'F d of all correlations, infinite for the moving ones
 * as a mark; returns the curvature d'e, -1 without a direction. */
static inline double find_direction(path *p) {
    ptrdiff_t n = p->n, k = p->k;
    memcpy(p->d, p->low ? p->e : p->z, (size_t)k * sizeof *p->d);
    if (p->low) {
        if (!low_rank_factor(p->low, k, p->moving, HOMOTOPY_PIVOT)) return -1;
        solve(p, p->d);
        low_rank_times(p->low, k, p->moving, p->d, p->a);
    } else {
        solve_back(p, p->d);
        memset(p->a, 0, (size_t)n * sizeof *p->a);
        for (ptrdiff_t i = 0; i < k; i++) axpy(n, p->d[i], p->gram + p->moving[i] * n, p->a);
    }
    for (ptrdiff_t i = 0; i < k; i++) p->a[p->moving[i]] = HUGE_VAL;
    return dot(k, p->d, p->e);
}

static inline breakpoint next_breakpoint(const path *p, double curvature) {
    double eta = p->eta, h = p->h;
    /* ||rho||^2 falls by 2 t eta d'e - t^2 d'e */
    double radicand = eta * eta - (p->squared - h * h) / curvature;
    breakpoint next = {radicand >= 0 ? eta - sqrt(radicand) : HUGE_VAL, -1, -1};
    for (ptrdiff_t i = 0; i < p->k; i++) {
        double zero = -p->x[i] / p->d[i];
        if (p->x[i] != 0 && zero > 0 && zero < next.t) { next.t = zero; next.leaves = i; }
    }
    for (ptrdiff_t j = 0; j < p->n; j++) {
        double a = p->a[j], c = p->c[j];
        if (a == HUGE_VAL) continue;
        /* divisions are dear and few breakpoints come next: products tell those from the rest, but for rounding */
        double reach = next.t * BREAKPOINT_SLACK;
        if (!(eta - c < reach * (1 - a) || eta + c < reach * (1 + a))) continue;
        double up = (eta - c) / (1 - a), down = (eta + c) / (1 + a);
        if (p->barred[j]) { up = p->barred[j] & BARRED_UP ? 0 : up; down = p->barred[j] & BARRED_DOWN ? 0 : down; }
        if (a < 1 && up > 0 && up < next.t) { next.t = up; next.joins = j; next.leaves = -1; }
        if (a > -1 && down > 0 && down < next.t) { next.t = down; next.joins = j; next.leaves = -1; }
    }
    return next;
}

/* Go down to the breakpoint. */
static inline void advance(path *p, const breakpoint *next, double curvature) {
    double t = next->t;
    p->squared -= t * curvature * (2 * p->eta - t);
    p->eta -= t;
    double eta = p->eta;
    for (ptrdiff_t i = 0; i < p->k; i++) {
        p->x[i] += t * p->d[i];
        p->a[p->moving[i]] = 0;
        p->c[p->moving[i]] = eta * p->e[i];
    }
    for (ptrdiff_t j = 0; j < p->n; j++)
        if (p->a[j] != 0) p->c[j] -= t * p->a[j];
    if (next->joins >= 0) p->c[next->joins] = p->c[next->joins] > 0 ? eta : -eta;
}

/* The last piece afresh: v = K^-1 F'g - eta K^-1 e, with eta from ||rho||^2 = h^2; 0 if a sign is wrong. */
static inline int finish(path *p, double *v, double *y) {
    ptrdiff_t q = p->q, k = p->k;
    double *x = p->x, *rho = p->rho;
    for (ptrdiff_t i = 0; i < k; i++) x[i] = dot(q, p->Ft + p->moving[i] * q, p->g);
    solve(p, x);
    memcpy(rho, p->g, (size_t)q * sizeof *rho);
    for (ptrdiff_t i = 0; i < k; i++) axpy(q, -x[i], p->Ft + p->moving[i] * q, rho);
    double rest = p->h * p->h - dot(q, rho, rho);
    if (!(rest > 0)) return 0;
    double eta = sqrt(rest / dot(k, p->d, p->e)); /* rho is orthogonal to the moving columns */
    memcpy(rho, p->g, (size_t)q * sizeof *rho);
    for (ptrdiff_t i = 0; i < k; i++) {
        double value = x[i] - eta * p->d[i];
        if (!(value * p->e[i] >= 0)) return 0;
        v[p->moving[i]] = value;
        axpy(q, -value, p->Ft + p->moving[i] * q, rho);
    }
    for (ptrdiff_t j = 0; j < q; j++) y[j + 1] = rho[j] / eta;
    y[0] = sqrt(dot(q, y + 1, y + 1));
    return 1;
}

MULTIVERSION
ptrdiff_t homotopy(ptrdiff_t n, ptrdiff_t q, const double *Ft, const double *gram, const double *g, double h,
                   const int64_t *barred, const low_rank *low, double *work, int64_t *moving, double *v, double *y, int *steps) {
    path p[1] = {{.n = n, .q = q, .Ft = Ft, .gram = gram, .g = g, .h = h, .barred = barred, .low = low,
                 .moving = moving}};
    bind(p, work);
    memset(v, 0, (size_t)n * sizeof *v);
    breakpoint next = {0, start(p), -1};
    if (!(h > 0) || next.joins < 0) return -1;
    ptrdiff_t limit = HOMOTOPY_STEPS * p->max_moving + HOMOTOPY_STEPS_EXTRA;
    for (*steps = 0; *steps < limit; (*steps)++) {
        if (next.joins >= 0 && !join(p, next.joins)) return -1;
        double curvature = find_direction(p);
        if (!(curvature > 0)) return -1;
        next = next_breakpoint(p, curvature);
        if (!(next.t < p->eta)) return -1;
        if (next.joins < 0 && next.leaves < 0) return finish(p, v, y) ? p->k : -1;
        advance(p, &next, curvature);
        if (next.leaves >= 0 && !leave(p, next.leaves)) return -1;
    }
    return -1;
}
