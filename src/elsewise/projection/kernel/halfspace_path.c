#include "halfspace_path.h"

#include <math.h>
#include <string.h>

#include "constants.h"
#include "dense.h"
#include "multiversion.h"
#include "path_events.h"
#include "path_pieces.h"

ptrdiff_t halfspace_path_size(ptrdiff_t n, ptrdiff_t q, ptrdiff_t n_halfspaces) {
    ptrdiff_t most = max_moving(n, q, n_halfspaces), active = n_halfspaces < most ? n_halfspaces : most;
    return most * most + 2 * most * active + active * active + 6 * most + 3 * active + 5 * n + 2 * q;
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

/* By how much the present point violates the half-space. */
static inline double violation(const halfspace_path *P, const pieces *c) {
    double over = -c->b;
    for (ptrdiff_t i = 0; i < c->k; i++) over += c->a[P->moving[i]] * c->x[i];
    return over;
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
        if (kind == REACHED) P->b[c->violated] += violation(P, c);
        if (kind == HOLDS || kind == REACHED) return finish(P, c, lambda, eta);
        if (kind == RELEASED) release(P, c, next.which);
        else if (kind == RESTS) rest(P, c, next.which);
        else if (!move(P, c, next.which, next.sign)) return PATH_LOST;
        if (c->k == 0) return PATH_LOST;
    }
    return PATH_LOST;
}
