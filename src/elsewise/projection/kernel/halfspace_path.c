#include "halfspace_path.h"

#include <math.h>
#include <string.h>

#include "constants.h"
#include "dense.h"
#include "homotopy.h"
#include "multiversion.h"

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

/* What happens next on the path: nothing; the violated half-space holds; moving feature `which` comes to rest; feature
 * `which` starts to move, in direction `sign`; active half-space `which` lets go; pinned feature `which` does. */
typedef enum { NOTHING, HOLDS, RESTS, MOVES, RELEASED, UNPINNED } event_kind;

typedef struct {
    event_kind kind;
    ptrdiff_t which;
    int sign;
    double lambda;
} event;

/* At most so many features move at once. */
static inline ptrdiff_t max_moving(ptrdiff_t n, ptrdiff_t q, ptrdiff_t room) { return n < q + room ? n : q + room; }

ptrdiff_t halfspace_path_size(ptrdiff_t n, ptrdiff_t q, ptrdiff_t n_halfspaces) {
    ptrdiff_t most = max_moving(n, q, n_halfspaces), active = n_halfspaces < most ? n_halfspaces : most;
    return most * most + 2 * most * active + active * active + 6 * most + 3 * active + 5 * n + 2 * q;
}

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

/* Number of the most violated half-space that is not active; -1 if all hold. */
static inline ptrdiff_t most_violated(const halfspace_path *P) {
    ptrdiff_t worst = -1;
    double excess = 0;
    for (ptrdiff_t r = 0; r < P->n_halfspaces; r++) {
        const double *normal = P->A + r * P->n;
        int64_t i0 = r >= P->n_general ? P->bound_feature[r - P->n_general] : -1;
        double over = (i0 >= 0 ? normal[i0] * P->v[i0] : dot(P->n, normal, P->v)) - P->b[r];
        int is_active = i0 >= 0 && P->pinned[i0] == r + 1;
        for (ptrdiff_t i = 0; i < P->n_active; i++) is_active |= P->active[i] == r;
        if (!is_active && over > excess) { excess = over; worst = r; }
    }
    return worst;
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

/* Smallest lambda beyond `from` with  k = eta(lambda) (s + lambda t). */
static inline double meets(const pieces *c, double k, double s, double t, double from) {
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

/* The first event beyond lambda. */
static inline event next_event(const halfspace_path *P, const pieces *c, double lambda) {
    event next = {NOTHING, -1, 0, HUGE_VAL};
    double from = lambda + LAMBDA_ADVANCE * (1 + lambda), reach = -c->b, a_p = 0, at;
    for (ptrdiff_t i = 0; i < c->k; i++) {
        reach += c->a[P->moving[i]] * c->X0[i];
        a_p += c->a[P->moving[i]] * c->p[i];
    }
    at = meets(c, reach, a_p, c->gamma, lambda);
    if (at < next.lambda) next = (event){HOLDS, -1, 0, at};
    for (ptrdiff_t i = 0; i < c->k; i++) {
        if (P->moving[i] == c->resting) continue; /* that is when the half-space holds */
        at = meets(c, c->X0[i], c->p[i], c->w[i], from);
        if (at < next.lambda) next = (event){RESTS, i, 0, at};
    }
    for (ptrdiff_t r = 0; r < c->m; r++) {
        at = meets(c, c->m0[r], c->m1[r], c->m2[r], from);
        if (at < next.lambda) next = (event){RELEASED, r, 0, at};
    }
    for (ptrdiff_t j = 0; j < P->n; j++) {
        if (P->pinned[j] && !is_fixed(P, j)) {
            int sign = P->v[j] > 0 ? 1 : -1;
            at = meets(c, c->k0[j], sign - c->k1[j], -c->k2[j], from);
            if (at < next.lambda) next = (event){UNPINNED, j, sign, at};
        }
        if (P->pinned[j] || P->sign[j] != 0 || P->barred[j] == (BARRED_UP | BARRED_DOWN)) continue;
        at = P->barred[j] & BARRED_UP ? HUGE_VAL : meets(c, c->k0[j], 1 - c->k1[j], -c->k2[j], from);
        if (at < next.lambda) next = (event){MOVES, j, 1, at};
        at = P->barred[j] & BARRED_DOWN ? HUGE_VAL : meets(c, c->k0[j], -1 - c->k1[j], -c->k2[j], from);
        if (at < next.lambda) next = (event){MOVES, j, -1, at};
    }
    return next;
}

/* The point at lambda on the present piece; returns the Lagrangian there, a lower bound of the optimum. */
static inline double point_at(const halfspace_path *P, pieces *c, double lambda, double eta) {
    double distance = c->pinned_distance, over = -c->b;
    for (ptrdiff_t i = 0; i < c->k; i++) {
        c->x[i] = c->X0[i] - eta * (c->p[i] + lambda * c->w[i]);
        distance += fabs(c->x[i]);
        over += c->a[P->moving[i]] * c->x[i];
    }
    return distance + lambda * over;
}

/* Multiplier of the bound that pins feature i; negative where the feature would rather leave. */
static inline double pin_multiplier(const halfspace_path *P, const pieces *c, ptrdiff_t i, double lambda, double eta) {
    double sign = P->v[i] > 0 ? 1 : -1, pull = c->k0[i] / eta + c->k1[i] + lambda * c->k2[i];
    return (pull - sign) / P->A[(P->pinned[i] - 1) * P->n + i];
}

/* Multipliers at lambda, which the violated half-space has. */
static inline void write_multipliers(halfspace_path *P, pieces *c, double lambda, double eta) {
    ptrdiff_t q = P->q;
    memcpy(c->rho, c->g, (size_t)q * sizeof *c->rho);
    for (ptrdiff_t i = 0; c->low && i < P->n; i++)
        if (P->pinned[i]) axpy(q, -P->v[i], P->Ft + i * q, c->rho);
    for (ptrdiff_t i = 0; i < c->k; i++) axpy(q, -c->x[i], P->Ft + P->moving[i] * q, c->rho);
    for (ptrdiff_t j = 0; j < q; j++) P->y[j + 1] = c->rho[j] / eta;
    P->y[0] = sqrt(dot(q, P->y + 1, P->y + 1));
    memset(P->z, 0, (size_t)P->n_halfspaces * sizeof *P->z);
    for (ptrdiff_t r = 0; r < c->m; r++) P->z[P->active[r]] = fmax(0, c->m0[r] / eta - c->m1[r] - lambda * c->m2[r]);
    for (ptrdiff_t i = 0; i < P->n; i++) {
        if (!P->pinned[i]) continue;
        double z = pin_multiplier(P, c, i, lambda, eta);
        P->z[P->pinned[i] - 1] = is_fixed(P, i) ? z : fmax(0, z);
    }
    if (c->violated >= 0) P->z[c->violated] = lambda;
}

/* Go to lambda of the next event. Without one the half-space cannot hold and the Lagrangian grows without end: far
 * enough it proves any cutoff. */
static inline path_state advance(halfspace_path *P, pieces *c, const event *next, double *lambda, double *eta) {
    int is_endless = next->kind == NOTHING || !isfinite(next->lambda);
    if (is_endless && !isfinite(P->cutoff)) return PATH_LOST;
    *lambda = is_endless ? ENDLESS_FIRST * (1 + *lambda) : next->lambda;
    *eta = eta_at(c, *lambda);
    double reached = point_at(P, c, *lambda, *eta);
    if (is_endless && reached < P->cutoff) {
        *lambda *= ENDLESS_SECOND;
        *eta = eta_at(c, *lambda);
        reached = point_at(P, c, *lambda, *eta);
    }
    if (!(*eta > 0) || !isfinite(*eta)) return PATH_LOST;
    if (reached >= P->cutoff) {
        write_multipliers(P, c, *lambda, *eta);
        return PATH_CUTOFF;
    }
    return is_endless ? PATH_LOST : PATH_GOES_ON;
}

/* The moving feature in place i comes to rest; the last one takes its place. */
static inline void rest(halfspace_path *P, pieces *c, ptrdiff_t i) {
    P->sign[P->moving[i]] = 0;
    P->moving[i] = P->moving[--c->k];
}

/* Feature j starts to move; 0 without room. */
static inline int move(halfspace_path *P, pieces *c, ptrdiff_t j, int sign) {
    if (c->k == c->max_moving) return 0;
    P->sign[j] = sign;
    P->moving[c->k++] = j;
    return 1;
}

/* Active half-space r lets go; the last one takes its place, with its multiplier pieces. */
static inline void release(halfspace_path *P, pieces *c, ptrdiff_t r) {
    c->m--;
    P->active[r] = P->active[c->m];
    c->m0[r] = c->m0[c->m];
    c->m1[r] = c->m1[c->m];
    c->m2[r] = c->m2[c->m];
}

/* Null direction d of the system with one moving feature too many: F d = 0, A d = 0 but for a half-space that lets
 * go. */
static inline void null_direction(const halfspace_path *P, pieces *c, const event *next) {
    ptrdiff_t n = P->n, k = c->k, which = next->which;
    if (next->kind == RELEASED) {
        for (ptrdiff_t i = 0; i < k; i++) c->d[i] = -c->Y[which * k + i];
        return;
    }
    double sign = next->sign;
    for (ptrdiff_t i = 0; i < k; i++) {
        c->d[i] = -sign * P->gram[which * n + P->moving[i]];
        for (ptrdiff_t r = 0; !c->low && r < c->m; r++) c->d[i] -= sign * c->AR[r * k + i] * P->A[P->active[r] * n + which];
    }
    solve_free(c, c->d);
}

/* One moving feature too many: v slides along the null direction at the same lambda, until a feature comes to rest
 * or the half-space holds. Changes the active set accordingly; returns what has happened, NOTHING if there is no end
 * to it. */
static inline event_kind slide(halfspace_path *P, pieces *c, const event *next) {
    int is_new = next->kind == MOVES;
    null_direction(P, c, next);
    double slope = is_new ? next->sign * c->a[next->which] : 0, value = -c->b, step = HUGE_VAL;
    ptrdiff_t rests = -1;
    for (ptrdiff_t i = 0; i < c->k; i++) {
        slope += c->a[P->moving[i]] * c->d[i];
        value += c->a[P->moving[i]] * c->x[i];
        if (P->moving[i] == c->resting) continue;
        if (c->d[i] * c->e[i] < 0 && -c->x[i] / c->d[i] < step) { step = fmax(0, -c->x[i] / c->d[i]); rests = i; }
    }
    int holds = slope < 0 && -value / slope <= step;
    if (holds) step = -value / slope;
    if (!isfinite(step)) return NOTHING;
    for (ptrdiff_t i = 0; i < c->k; i++) c->x[i] += step * c->d[i];
    if (!is_new) release(P, c, next->which);
    if (!holds) {
        P->sign[P->moving[rests]] = 0;
        P->moving[rests] = is_new ? next->which : P->moving[--c->k];
        if (is_new) P->sign[next->which] = next->sign;
        return RESTS;
    }
    if (is_new) {
        if (!move(P, c, next->which, next->sign)) return NOTHING;
        c->x[c->k - 1] = step * next->sign;
        c->e[c->k - 1] = next->sign;
    }
    return HOLDS;
}

/* The violated bound holds: its feature rests or is pinned. */
static inline void pin(halfspace_path *P, pieces *c) {
    int64_t feature = P->bound_feature[c->violated - P->n_general];
    for (ptrdiff_t i = 0; i < c->k; i++)
        if (P->moving[i] == feature) { rest(P, c, i); break; }
    if (feature == c->resting) {
        P->z[c->violated] = 0; /* what keeps the feature from moving takes its part of the gradient */
        P->v[feature] = 0;
    } else {
        P->pinned[feature] = c->violated + 1;
        P->v[feature] = (c->a[feature] > 0 ? P->upper : P->lower)[feature];
    }
}

/* The half-space holds: write the point and the multipliers. */
static inline path_state finish(halfspace_path *P, pieces *c, double lambda, double eta) {
    double longest = max_abs(c->k, c->x);
    for (ptrdiff_t i = 0; i < P->n; i++)
        if (!P->pinned[i]) P->v[i] = 0;
    for (ptrdiff_t i = 0; i < c->k; i++) {
        if (!(c->x[i] * c->e[i] >= -WRONG_WAY * longest)) return PATH_LOST;
        P->v[P->moving[i]] = c->x[i] * c->e[i] > 0 ? c->x[i] : 0;
    }
    write_multipliers(P, c, lambda, eta);
    if (c->violated < P->n_general) {
        if (c->m == c->max_active) return PATH_LOST;
        P->active[c->m++] = c->violated;
    } else {
        pin(P, c);
    }
    P->n_active = c->m;
    P->n_moving = c->k;
    P->steps++;
    return PATH_GOES_ON;
}

void halfspace_path_start(halfspace_path *P) {
    memset(P->sign, 0, (size_t)P->n * sizeof *P->sign);
    memset(P->pinned, 0, (size_t)P->n * sizeof *P->pinned);
    for (ptrdiff_t i = 0; i < P->n_moving; i++) P->sign[P->moving[i]] = P->v[P->moving[i]] > 0 ? 1 : -1;
    P->n_active = 0;
    P->steps = P->is_factored = 0;
}

MULTIVERSION
int halfspace_path_resume(halfspace_path *P, double *work) {
    pieces c[1];
    bind(P, work, c);
    if (P->n_moving == 0 || P->n_moving > c->max_moving || P->n_active > c->max_active) return 0;
    c->violated = c->resting = -1;
    memset(c->zero, 0, (size_t)P->n * sizeof *c->zero);
    c->a = c->zero; /* nothing is violated yet */
    double *offsets = P->z;
    assemble(P, c, offsets);
    if (!solve(c, offsets) || !find_curve(P, c)) return 0;
    correlate(P, c);
    double eta = eta_at(c, 0);
    for (ptrdiff_t i = 0; i < c->k; i++) {
        c->x[i] = c->X0[i] - eta * c->p[i];
        if (!(c->x[i] * c->e[i] >= 0)) return 0;
        P->v[P->moving[i]] = c->x[i];
    }
    for (ptrdiff_t r = 0; r < c->m; r++)
        if (!(c->m0[r] / eta - c->m1[r] >= 0)) return 0;
    for (ptrdiff_t i = 0; i < P->n; i++)
        if (P->pinned[i] && !is_fixed(P, i) && !(pin_multiplier(P, c, i, 0, eta) >= 0)) return 0;
    write_multipliers(P, c, 0, eta);
    P->steps = 0;
    P->is_factored = 1;
    return 1;
}

/* With P the inverse of K on the active half-spaces, p = P e: within the cone, too, v_i gives way by
 * eta (P_ii - p_i^2 / e'p) to a unit force. */
MULTIVERSION
void halfspace_path_stiffness(halfspace_path *P, double *work, double *stiffness) {
    pieces c[1];
    bind(P, work, c);
    c->violated = c->resting = -1;
    memset(stiffness, 0, (size_t)P->n * sizeof *stiffness);
    memset(c->zero, 0, (size_t)P->n * sizeof *c->zero);
    c->a = c->zero;
    double *offsets = c->k1;
    assemble(P, c, offsets);
    if (!solve(c, offsets) || !find_curve(P, c)) return;
    double eta = eta_at(c, 0);
    for (ptrdiff_t i = 0; i < c->k; i++) {
        memset(c->d, 0, (size_t)c->k * sizeof *c->d);
        c->d[i] = 1;
        solve_free(c, c->d);
        constrain(c, c->d, c->m2, NULL);
        double gives_way = eta * (c->d[i] - c->p[i] * c->p[i] / c->alpha);
        stiffness[P->moving[i]] = gives_way > 0 ? 1 / gives_way : 0;
    }
}

MULTIVERSION
path_state halfspace_path_next(halfspace_path *P, double *work) {
    pieces c[1];
    bind(P, work, c);
    c->violated = most_violated(P);
    if (c->violated < 0) return PATH_DONE;
    c->a = P->A + c->violated * P->n;
    c->resting = c->violated >= P->n_general && P->b[c->violated] == 0 ? P->bound_feature[c->violated - P->n_general] : -1;
    double lambda = 0, eta = 0, *offsets = P->z; /* the multipliers are written at the end only */
    ptrdiff_t limit = HALFSPACE_STEPS * c->max_moving + HALFSPACE_STEPS_EXTRA;
    for (; limit > 0; limit--, P->steps++) {
        if (P->is_factored) {
            shift(P, c, offsets);
            for (ptrdiff_t i = 0; i < c->k; i++) c->w[i] = c->a[P->moving[i]];
            solve_free(c, c->w);
            constrain(c, c->w, c->m2, NULL);
        } else {
            assemble(P, c, offsets);
            if (!solve(c, offsets)) return PATH_LOST;
        }
        P->is_factored = 0;
        if (!find_curve(P, c)) return PATH_LOST;
        correlate(P, c);
        event next = next_event(P, c, lambda);
        path_state state = advance(P, c, &next, &lambda, &eta);
        if (state != PATH_GOES_ON) return state;
        event_kind kind = next.kind;
        if ((kind == MOVES || kind == RELEASED) && c->k == P->q + c->m) {
            kind = slide(P, c, &next);
            if (kind == NOTHING) return PATH_LOST;
            if (kind == RESTS) continue;
        }
        if (kind == UNPINNED) {
            if (c->k == P->q + c->m) return PATH_LOST;
            P->pinned[next.which] = 0;
        }
        if (kind == HOLDS) return finish(P, c, lambda, eta);
        if (kind == RELEASED) release(P, c, next.which);
        else if (kind == RESTS) rest(P, c, next.which);
        else if (!move(P, c, next.which, next.sign)) return PATH_LOST;
        if (c->k == 0) return PATH_LOST;
    }
    return PATH_LOST;
}
