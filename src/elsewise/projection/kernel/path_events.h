/* What ends a linear piece of a half-space path, and when. Only for halfspace_path.c. */
#ifndef ELSEWISE_PATH_EVENTS_H
#define ELSEWISE_PATH_EVENTS_H

#include "path_pieces.h"

/* What happens next on the path: nothing; the violated half-space holds; the distance is what is within reach; moving feature `which` comes to rest; feature
 * `which` starts to move, in direction `sign`; active half-space `which` lets go; pinned feature `which` does. */
typedef enum { NOTHING, HOLDS, REACHED, RESTS, MOVES, RELEASED, UNPINNED } event_kind;

typedef struct {
    event_kind kind;
    ptrdiff_t which;
    int sign;
    double lambda;
} event;

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
    if (P->reach > 0 && c->violated == 0) {
        at = meets(c, dot(c->k, c->e, c->X0) + c->pinned_distance - P->reach, c->alpha, c->beta, lambda);
        if (at < next.lambda) next = (event){REACHED, -1, 0, at};
    }
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

#endif
