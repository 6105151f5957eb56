#include "row_path.h"

#include <math.h>
#include <string.h>

#include "dense.h"
#include "homotopy.h"
#include "multiversion.h"

/* The linear pieces for the present active set. */
typedef struct {
    ptrdiff_t k, m, most, most_rows; /* moving features, active rows, room for them */
    double *K, *AR, *Y, *T;          /* (k, k), (m, k), (m, k), (m, m) */
    double *e, *X0, *p, *w, *x, *d;  /* (k,) */
    double *m0, *m1, *m2;            /* (m,): eta lambda_R = m0 - eta (m1 + lambda m2) */
    double *k0, *k1, *k2;            /* (n,): eta-free, eta and eta lambda parts of the correlations */
    double *rho;                     /* (q,) */
    double *active, *is_moving;      /* row numbers; flag and sign of each feature */
    double *state;                   /* [0] = m */
    double C, alpha, beta, gamma;
} pieces;

ptrdiff_t row_path_size(ptrdiff_t n, ptrdiff_t q, ptrdiff_t n_rows) {
    ptrdiff_t most = n < q + n_rows ? n : q + n_rows, rows = n_rows < most ? n_rows : most;
    return most * most + 2 * most * rows + rows * rows + 6 * most + 4 * rows + 4 * n + q + 8;
}

static void bind(const row_path_problem *P, double *work, pieces *c) {
    ptrdiff_t n = P->n, most = n < P->q + P->room ? n : P->q + P->room, rows = P->room < most ? P->room : most;
    double **vectors[] = {&c->K, &c->AR, &c->Y, &c->T, &c->e, &c->X0, &c->p, &c->w, &c->x, &c->d, &c->m0, &c->m1, &c->m2,
                          &c->active, &c->k0, &c->k1, &c->k2, &c->is_moving, &c->rho, &c->state};
    ptrdiff_t sizes[] = {most * most, most * rows, most * rows, rows * rows, most, most, most, most, most, most, rows, rows, rows,
                         rows, n, n, n, n, P->q, 1};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) { *vectors[i] = work; work += sizes[i]; }
    c->most = most;
    c->most_rows = rows;
}

/* x <- solution of the equality-constrained system for right-hand side x: K^-1 x less its part along the active rows.
 * `multiplier` gets T^-1 (A K^-1 x - offset). */
static inline void constrained_solve(pieces *c, double *x, double *multiplier, const double *offset) {
    cholesky_solve(c->k, c->K, x);
    for (ptrdiff_t r = 0; r < c->m; r++) multiplier[r] = dot(c->k, c->AR + r * c->k, x) - (offset ? offset[r] : 0);
    if (c->m) cholesky_solve(c->m, c->T, multiplier);
    for (ptrdiff_t r = 0; r < c->m; r++) axpy(c->k, -multiplier[r], c->Y + r * c->k, x);
}

/* Everything that depends on the active set and on the row that is being added. */
static inline int prepare(const row_path_problem *P, pieces *c, const double *a, double *offsets) {
    ptrdiff_t n = P->n, q = P->q, k = c->k, m = c->m;
    for (ptrdiff_t r = 0; r < m; r++) {
        ptrdiff_t row = (ptrdiff_t)c->active[r];
        for (ptrdiff_t i = 0; i < k; i++) c->AR[r * k + i] = P->A[row * n + P->moving[i]];
        offsets[r] = P->b[row];
    }
    for (ptrdiff_t i = 0; i < k; i++) {
        const double *from = P->gram + P->moving[i] * n;
        for (ptrdiff_t j = i; j < k; j++) c->K[i * k + j] = from[P->moving[j]];
        for (ptrdiff_t r = 0; r < m; r++) axpy(k - i, c->AR[r * k + i], c->AR + r * k + i, c->K + i * k + i);
        c->e[i] = c->is_moving[P->moving[i]];
        c->p[i] = c->e[i];
        c->w[i] = a[P->moving[i]];
        c->X0[i] = dot(q, P->Ft + P->moving[i] * q, P->g);
        for (ptrdiff_t r = 0; r < m; r++) c->X0[i] += c->AR[r * k + i] * offsets[r];
    }
    if (cholesky(k, c->K, 1e-13, c->k0)) return 0;
    memcpy(c->Y, c->AR, (size_t)(m * k) * sizeof *c->Y);
    for (ptrdiff_t r = 0; r < m; r++) cholesky_solve(k, c->K, c->Y + r * k);
    for (ptrdiff_t r = 0; r < m; r++)
        for (ptrdiff_t s = r; s < m; s++) c->T[r * m + s] = dot(k, c->AR + r * k, c->Y + s * k);
    if (m && cholesky(m, c->T, 1e-13, c->m0)) return 0;
    constrained_solve(c, c->X0, c->m0, offsets);
    constrained_solve(c, c->p, c->m1, NULL);
    constrained_solve(c, c->w, c->m2, NULL);

    memcpy(c->rho, P->g, (size_t)q * sizeof *c->rho);
    for (ptrdiff_t i = 0; i < k; i++) axpy(q, -c->X0[i], P->Ft + P->moving[i] * q, c->rho);
    c->C = P->h * P->h - dot(q, c->rho, c->rho);
    c->alpha = dot(k, c->e, c->p);
    c->beta = dot(k, c->e, c->w);
    c->gamma = 0;
    for (ptrdiff_t i = 0; i < k; i++) c->gamma += a[P->moving[i]] * c->w[i];

    memset(c->k1, 0, (size_t)n * sizeof *c->k1);
    for (ptrdiff_t i = 0; i < n; i++) c->k2[i] = -a[i];
    for (ptrdiff_t i = 0; i < n; i++) c->k0[i] = dot(q, P->Ft + i * q, c->rho);
    for (ptrdiff_t i = 0; i < k; i++) {
        axpy(n, c->p[i], P->gram + P->moving[i] * n, c->k1);
        axpy(n, c->w[i], P->gram + P->moving[i] * n, c->k2);
    }
    for (ptrdiff_t r = 0; r < m; r++) {
        const double *row = P->A + (ptrdiff_t)c->active[r] * n;
        axpy(n, -c->m0[r], row, c->k0);
        axpy(n, c->m1[r], row, c->k1);
        axpy(n, c->m2[r], row, c->k2);
    }
    return c->C > 0;
}

static inline double eta_at(const pieces *c, double lambda) {
    return sqrt(c->C / (c->alpha + lambda * (2 * c->beta + lambda * c->gamma)));
}

/* Smallest lambda beyond `from` with  k = eta(lambda) (s + lambda t). */
static inline double event(const pieces *c, double k, double s, double t, double from) {
    double a = k * k * c->gamma - c->C * t * t, b = k * k * c->beta - c->C * s * t, d = k * k * c->alpha - c->C * s * s;
    /* b^2 - a d, multiplied out so that it keeps its digits where k is nearly zero (a system with as many features as
     * equations leaves no residual) */
    double disc = c->C * (c->alpha * t * t - 2 * c->beta * s * t + c->gamma * s * s) -
                  k * k * (c->alpha * c->gamma - c->beta * c->beta);
    double best = HUGE_VAL;
    if (!(disc >= 0)) return best;
    double root = fabs(k) * sqrt(disc), big = b > 0 ? -b - root : -b + root;
    double roots[2] = {a != 0 ? big / a : HUGE_VAL, big != 0 ? d / big : HUGE_VAL};
    for (int i = 0; i < 2; i++)
        if (roots[i] > from && roots[i] < best && k * (s + roots[i] * t) >= 0) best = roots[i];
    return best;
}

/* Active row r lets go; the last one takes its place, with its multiplier pieces. */
static inline void release(pieces *c, ptrdiff_t r) {
    c->m--;
    c->active[r] = c->active[c->m];
    c->m0[r] = c->m0[c->m];
    c->m1[r] = c->m1[c->m];
    c->m2[r] = c->m2[c->m];
}

static void remember(row_path_problem *P, pieces *c) {
    c->state[0] = (double)c->m;
    P->n_moving = c->k;
}

/* Multipliers at lambda, which the row `worst` has. */
static void write_multipliers(row_path_problem *P, pieces *c, ptrdiff_t worst, double lambda, double eta) {
    ptrdiff_t q = P->q;
    memcpy(c->rho, P->g, (size_t)q * sizeof *c->rho);
    for (ptrdiff_t i = 0; i < c->k; i++) axpy(q, -c->x[i], P->Ft + P->moving[i] * q, c->rho);
    for (ptrdiff_t j = 0; j < q; j++) P->y[j + 1] = c->rho[j] / eta;
    P->y[0] = sqrt(dot(q, P->y + 1, P->y + 1));
    memset(P->z, 0, (size_t)P->n_rows * sizeof *P->z);
    for (ptrdiff_t r = 0; r < c->m; r++)
        P->z[(ptrdiff_t)c->active[r]] = fmax(0, c->m0[r] / eta - c->m1[r] - lambda * c->m2[r]);
    P->z[worst] = lambda;
}

/* The point at lambda on the present piece; returns the Lagrangian there, a lower bound of the optimum. */
static inline double point_at(const row_path_problem *P, pieces *c, ptrdiff_t worst, double lambda, double eta) {
    const double *a = P->A + worst * P->n;
    double distance = 0, over = -P->b[worst];
    for (ptrdiff_t i = 0; i < c->k; i++) {
        c->x[i] = c->X0[i] - eta * (c->p[i] + lambda * c->w[i]);
        distance += fabs(c->x[i]);
        over += a[P->moving[i]] * c->x[i];
    }
    return distance + lambda * over;
}

int row_path_start(row_path_problem *P, double *work) {
    pieces c;
    bind(P, work, &c);
    memset(c.is_moving, 0, (size_t)P->n * sizeof *c.is_moving);
    for (ptrdiff_t i = 0; i < P->n_moving; i++) c.is_moving[P->moving[i]] = P->v[P->moving[i]] > 0 ? 1 : -1;
    c.state[0] = 0;
    P->steps = 0;
    return P->n_moving <= c.most;
}

MULTIVERSION
int row_path_next(row_path_problem *P, double *work) {
    ptrdiff_t n = P->n, q = P->q;
    pieces c[1];
    bind(P, work, c);
    c->m = (ptrdiff_t)c->state[0];
    c->k = P->n_moving;

    ptrdiff_t worst = -1;
    double excess = 0;
    for (ptrdiff_t r = 0; r < P->n_rows; r++) {
        double over = dot(n, P->A + r * n, P->v) - P->b[r];
        int is_active = 0;
        for (ptrdiff_t i = 0; i < c->m; i++) is_active |= (ptrdiff_t)c->active[i] == r;
        if (!is_active && over > excess) { excess = over; worst = r; }
    }
    if (worst < 0) return 0;
    const double *a = P->A + worst * n;
    double lambda = 0, *offsets = P->z;
    for (int limit = (int)(6 * c->most + 30); limit > 0; limit--, P->steps++) {
        if (!prepare(P, c, a, offsets)) return -1;
        double from = lambda + 1e-11 * (1 + lambda), next = HUGE_VAL, at = 0;
        enum { NOTHING, HOLDS, RESTS, MOVES, RELEASED } what = NOTHING;
        ptrdiff_t which = -1;
        double reach = -P->b[worst], ap = 0;
        for (ptrdiff_t i = 0; i < c->k; i++) {
            reach += a[P->moving[i]] * c->X0[i];
            ap += a[P->moving[i]] * c->p[i];
        }
        at = event(c, reach, ap, c->gamma, lambda);
        if (at < next) { next = at; what = HOLDS; }
        for (ptrdiff_t i = 0; i < c->k; i++) {
            at = event(c, c->X0[i], c->p[i], c->w[i], from);
            if (at < next) { next = at; what = RESTS; which = i; }
        }
        for (ptrdiff_t r = 0; r < c->m; r++) {
            at = event(c, c->m0[r], c->m1[r], c->m2[r], from);
            if (at < next) { next = at; what = RELEASED; which = r; }
        }
        double sign = 0;
        for (ptrdiff_t j = 0; j < n; j++) {
            if (c->is_moving[j] != 0 || P->barred[j] == (BARRED_UP | BARRED_DOWN)) continue;
            at = P->barred[j] & BARRED_UP ? HUGE_VAL : event(c, c->k0[j], 1 - c->k1[j], -c->k2[j], from);
            if (at < next) { next = at; what = MOVES; which = j; sign = 1; }
            at = P->barred[j] & BARRED_DOWN ? HUGE_VAL : event(c, c->k0[j], -1 - c->k1[j], -c->k2[j], from);
            if (at < next) { next = at; what = MOVES; which = j; sign = -1; }
        }
        /* Nothing happens any more: the row cannot hold, and the Lagrangian grows without end. */
        int endless = what == NOTHING || !isfinite(next);
        if (endless && !isfinite(P->cutoff)) return -1;
        lambda = endless ? 1e3 * (1 + lambda) : next;
        double eta = eta_at(c, lambda), reached = point_at(P, c, worst, lambda, eta);
        if (endless && reached < P->cutoff) {
            lambda *= 1e4;
            eta = eta_at(c, lambda);
            reached = point_at(P, c, worst, lambda, eta);
        }
        if (!(eta > 0) || !isfinite(eta)) return -1;
        if (reached >= P->cutoff) {
            write_multipliers(P, c, worst, lambda, eta);
            return 2;
        }
        if (endless) return -1;
        if ((what == MOVES || what == RELEASED) && c->k == q + c->m) {
            /* One moving feature too many for the system: v slides along its null direction d (F d = 0, A d = 0 but for
             * a released row) at the same lambda, until a feature comes to rest or the row holds. */
            double dj = what == MOVES ? sign : 0;
            for (ptrdiff_t i = 0; i < c->k; i++) {
                c->d[i] = what == RELEASED ? -c->Y[which * c->k + i] : -sign * P->gram[which * n + P->moving[i]];
                if (what == MOVES)
                    for (ptrdiff_t r = 0; r < c->m; r++)
                        c->d[i] -= sign * c->AR[r * c->k + i] * P->A[(ptrdiff_t)c->active[r] * n + which];
            }
            if (what == MOVES) cholesky_solve(c->k, c->K, c->d);
            double slope = dj != 0 ? dj * a[which] : 0, value = -P->b[worst], step = HUGE_VAL;
            ptrdiff_t rests = -1;
            for (ptrdiff_t i = 0; i < c->k; i++) {
                slope += a[P->moving[i]] * c->d[i];
                value += a[P->moving[i]] * c->x[i];
                if (c->d[i] * c->e[i] < 0 && -c->x[i] / c->d[i] < step) { step = fmax(0, -c->x[i] / c->d[i]); rests = i; }
            }
            int holds = slope < 0 && -value / slope <= step;
            if (holds) step = -value / slope;
            if (!isfinite(step)) return -1;
            for (ptrdiff_t i = 0; i < c->k; i++) c->x[i] += step * c->d[i];
            if (what == RELEASED) release(c, which);
            if (!holds) {
                c->is_moving[P->moving[rests]] = 0;
                if (what == MOVES) P->moving[rests] = which;
                else P->moving[rests] = P->moving[--c->k];
                if (what == MOVES) c->is_moving[which] = sign;
                continue;
            }
            if (what == MOVES) {
                if (c->k == c->most) return -1;
                c->is_moving[which] = sign;
                c->x[c->k] = step * sign;
                c->e[c->k] = sign;
                P->moving[c->k++] = which;
            }
            what = HOLDS;
        }
        if (what == RESTS) {
            c->is_moving[P->moving[which]] = 0;
            P->moving[which] = P->moving[--c->k];
            if (c->k == 0) return -1;
        } else if (what == RELEASED) {
            release(c, which);
        } else if (what == MOVES) {
            if (c->k == c->most) return -1;
            c->is_moving[which] = sign;
            P->moving[c->k++] = which;
        } else { /* the row holds: write the point and the multipliers */
            memset(P->v, 0, (size_t)n * sizeof *P->v);
            double longest = 0;
            for (ptrdiff_t i = 0; i < c->k; i++) longest = fmax(longest, fabs(c->x[i]));
            for (ptrdiff_t i = 0; i < c->k; i++) {
                if (!(c->x[i] * c->e[i] >= -1e-13 * longest)) return -1;
                P->v[P->moving[i]] = c->x[i] * c->e[i] > 0 ? c->x[i] : 0;
            }
            write_multipliers(P, c, worst, lambda, eta);
            if (c->m == c->most_rows) return -1;
            c->active[c->m++] = (double)worst;
            remember(P, c);
            P->steps++;
            return 1;
        }
    }
    return -1;
}
