/* Working sets.
 *
 * At an optimum of the Manhattan distance hardly more than p + q features change. So the interior point method runs
 * on a few features; the others' dual feasibility |r_i| <= 1 is then checked, violators join, and it runs again (as
 * celer and skglm do for the lasso). Long polyhedra are treated the same way on the primal side: a few half-spaces,
 * then the violated ones. Both are exact: the reported bound is evaluated on all features, the reported point
 * satisfies all half-spaces. */
#include "instance.h"

#include "multiversion.h"

/* Move the `count` largest scores among the unchosen to the chosen; negative scores never join. */
static ptrdiff_t choose(ptrdiff_t n, const double *score, int64_t *flag, int64_t *list, ptrdiff_t have,
                        ptrdiff_t count) {
    while (count-- > 0) {
        ptrdiff_t best = -1;
        for (ptrdiff_t i = 0; i < n; i++)
            if (!flag[i] && score[i] > 0 && (best < 0 || score[i] > score[best])) best = i;
        if (best < 0) break;
        flag[best] = 1;
        list[have++] = best;
    }
    return have;
}

/* The chosen half-spaces on the chosen features, in units of sigma, margins taken off. */
static inline void gather_halfspaces(const ew_cells *cells, const ew_instance *e, ew_workspace *w) {
    subproblem *P = &w->sub;
    for (ptrdiff_t j = 0; j < P->p; j++) {
        int64_t from = w->halfspaces[j];
        double scale = w->scale[from];
        normal_of(cells, e, w, from, w->normal);
        for (ptrdiff_t i = 0; i < P->n; i++) P->A[j * P->n + i] = w->normal[w->features[i]] / scale;
        P->slack[j] = halfspace_margin(e, w, from) / (scale * w->sigma);
        P->h[j] = w->b[from] / (scale * w->sigma) - P->slack[j];
    }
}

/* The finite bounds of the chosen features. */
static inline void gather_bounds(const ew_instance *e, ew_workspace *w) {
    subproblem *P = &w->sub;
    P->n_bounds = 0;
    for (ptrdiff_t i = 0; i < P->n; i++)
        for (int side = 0; side < 2; side++) {
            const double *limits = side ? e->upper : e->lower;
            if (!limits || !isfinite(limits[w->features[i]])) continue;
            double sign = side ? 1 : -1;
            P->bound_feature[P->n_bounds] = i;
            P->bound_sign[P->n_bounds] = sign;
            P->slack[P->p + P->n_bounds] = 0; /* clipping makes bounds exact */
            P->h[P->p + P->n_bounds] = sign * limits[w->features[i]] / w->sigma;
            P->n_bounds++;
        }
}

/* The cone on the chosen features, in its own unit. */
static inline void gather_cone(const ew_cells *cells, ew_workspace *w) {
    subproblem *P = &w->sub;
    ptrdiff_t n = P->n, q = P->q;
    double unit = w->sigma / w->cone_unit;
    for (ptrdiff_t i = 0; i < n; i++) {
        const double *from = w->Ft + w->features[i] * q, *gram_from = w->gram + w->features[i] * cells->n;
        for (ptrdiff_t j = 0; j < q; j++) P->Ft[i * q + j] = unit * from[j];
        for (ptrdiff_t j = i; j < n; j++) P->gram[i * n + j] = unit * unit * gram_from[w->features[j]];
        if (P->has_tilt) P->h1[i] = unit * w->h1[w->features[i]];
    }
    P->cone_slack = w->cone_margin / w->cone_unit;
    P->k[0] = w->h0 / w->cone_unit - P->cone_slack;
    for (ptrdiff_t j = 0; j < q; j++) P->k[j + 1] = -w->g[j] / w->cone_unit;
}

/* Fill the subproblem for the chosen half-spaces and features, in units of sigma: v is sigma times the subproblem's. */
static inline void gather(const ew_cells *cells, const ew_instance *e, ew_workspace *w, ptrdiff_t n_features,
                          ptrdiff_t n_halfspaces) {
    subproblem *P = &w->sub;
    P->n = n_features, P->p = n_halfspaces, P->norm = cells->norm, P->has_cone = e->cone >= 0;
    P->q = P->has_cone ? cells->q : 0;
    P->has_tilt = P->has_cone && w->has_tilt;
    gather_halfspaces(cells, e, w);
    gather_bounds(e, w);
    if (P->has_cone) gather_cone(cells, w);
}

/* r = G'z - H'y on all features, in units where the weights are 1. */
static void full_gradient(const ew_cells *cells, const ew_instance *e, ew_workspace *w) {
    const subproblem *P = &w->sub;
    const iterate *it = &w->it;
    ptrdiff_t n = cells->n, q = cells->q;
    memset(w->r, 0, (size_t)n * sizeof *w->r);
    for (ptrdiff_t j = 0; j < P->p; j++) {
        if (it->z[j] == 0) continue;
        normal_of(cells, e, w, w->halfspaces[j], w->normal);
        axpy(n, it->z[j] / w->scale[w->halfspaces[j]], w->normal, w->r);
    }
    if (P->has_cone) {
        double unit = w->sigma / w->cone_unit;
        for (ptrdiff_t i = 0; i < n; i++) w->r[i] -= unit * dot(q, w->Ft + i * q, it->y + 1);
        if (P->has_tilt) axpy(n, -unit * it->y[0], w->h1, w->r);
    }
    for (ptrdiff_t i = 0; i < P->n_bounds; i++)
        w->r[w->features[P->bound_feature[i]]] += P->bound_sign[i] * it->z[P->p + i];
}

/* Rigorous lower bound from the current multipliers, in units of sigma (sigma^2 for norm 2), over all features. */
static double certified_bound(const ew_cells *cells, const ew_instance *e, ew_workspace *w, double *scale) {
    const subproblem *P = &w->sub;
    const iterate *it = &w->it;
    ptrdiff_t linear = n_linear(P);
    double beta = 0, sum = 0, largest = 0, length = 0;
    for (ptrdiff_t i = 0; i < linear; i++) {
        double term = (P->h[i] + P->slack[i]) * it->z[i];
        beta -= term;
        sum += fabs(term);
    }
    if (P->has_cone) {
        double radial = sqrt(dot(P->q, it->y + 1, it->y + 1)); /* y in the cone to the last bit: y0 >= ||y1|| */
        double term = (P->k[0] + P->cone_slack) * fmax(it->y[0], radial * (1 + LENGTH_ROUNDING));
        beta -= term;
        sum += fabs(term);
        for (ptrdiff_t j = 1; j <= P->q; j++) {
            beta -= P->k[j] * it->y[j];
            sum += fabs(P->k[j] * it->y[j]);
        }
    }
    beta -= sum_rounding(linear + (P->has_cone ? P->q + 1 : 0)) * sum; /* of the sums above */
    double length_y = P->has_cone ? sqrt(dot(P->q, it->y + 1, it->y + 1)) * w->sigma / w->cone_unit : 0, sum_z = 0;
    for (ptrdiff_t i = 0; i < linear; i++) sum_z += it->z[i];
    for (ptrdiff_t i = 0; i < cells->n; i++) {
        if (!is_free(e, i)) continue;
        double size = fabs(unabsorbed(e, i, w->r[i])) + gradient_rounding(cells, e, w, i, length_y, sum_z);
        largest = fmax(largest, size);
        length += size * size;
    }
    *scale = length > 0 ? beta / length : 0; /* the multiple of norm 2 multipliers that proves most, halved */
    if (!(beta > 0)) return 0;
    double bound = P->norm == 1 ? beta / largest : beta / length * beta;
    if (P->norm != cells->norm) bound *= bound / (double)cells->n; /* v'v >= (sum |v|)^2 / n */
    return bound * (1 - FEATURE_ROUNDING * (double)(cells->n + FEATURES_EXTRA));
}

/* Make a Farkas ray exact. Where all normals of the cell lie in the row space of F (as when both come through one
 * affine map), the rest r of the gradient does too: adding d with F'd = r to y1 cancels it. y stays in the cone by
 * its length. */
static void cancel_gradient(const ew_cells *cells, const ew_instance *e, ew_workspace *w) {
    ptrdiff_t n = cells->n, q = cells->q;
    double unit = w->sigma / w->cone_unit, *M = w->ray, *d = M + q * q, *diagonal = d + q, *y = w->it.y;
    memset(M, 0, (size_t)(q * q) * sizeof *M);
    memset(d, 0, (size_t)q * sizeof *d);
    for (ptrdiff_t i = 0; i < n; i++) {
        if (!is_free(e, i)) continue;
        const double *row = w->Ft + i * q;
        for (ptrdiff_t j = 0; j < q; j++) axpy(q - j, row[j], row + j, M + j * q + j);
        axpy(q, w->r[i] / unit, row, d);
    }
    cholesky(q, M, RAY_PIVOT, diagonal);
    cholesky_solve(q, M, d);
    for (ptrdiff_t j = 0; j < q; j++) y[j + 1] += d[j];
    y[0] = fmax(y[0], sqrt(dot(q, y + 1, y + 1)));
}

/* Write the point of the interior point method back: v on all features, zeros exactly zero, bounds exact. */
static void write_point(const ew_cells *cells, ew_instance *e, const ew_workspace *w, int snap) {
    const subproblem *P = &w->sub;
    const iterate *it = &w->it;
    memset(e->v, 0, (size_t)cells->n * sizeof *e->v);
    double total = 0;
    if (snap)
        for (ptrdiff_t i = 0; i < P->n; i++) total += fabs(it->v[i]);
    for (ptrdiff_t i = 0; i < P->n; i++) {
        double value = it->v[i] / it->tau * w->sigma;
        if (snap && P->norm == 1) {
            /* strict complementarity: a feature at rest has a dual slack far larger than its movement */
            double moved = fabs(it->v[i]) / total, at_rest = fmin(it->zp[i], it->zm[i]) / it->tau;
            if (moved < AT_REST && moved < at_rest) value = 0;
        }
        int64_t at = w->features[i];
        if (e->lower) value = fmax(value, e->lower[at]);
        if (e->upper) value = fmin(value, e->upper[at]);
        e->v[at] = value;
    }
    e->value = 0;
    for (ptrdiff_t i = 0; i < cells->n; i++) e->value += P->norm == 1 ? fabs(e->v[i]) : e->v[i] * e->v[i];
}

/* Largest violation of the true constraints at v, half-spaces in units of sigma and the cone in its own; half-spaces
 * outside of the working set get their violation as score. */
static double violation_at(const ew_cells *cells, const ew_instance *e, ew_workspace *w, double *outside) {
    ptrdiff_t n = cells->n, q = cells->q;
    double worst = 0, *score = w->halfspace_score;
    *outside = 0;
    for (ptrdiff_t j = 0; j < w->n_halfspaces; j++) {
        normal_of(cells, e, w, j, w->normal);
        double excess = (dot(n, w->normal, e->v) - w->b[j]) / (w->scale[j] * w->sigma);
        score[j] = -1;
        if (w->chosen_halfspace[j]) worst = fmax(worst, excess);
        else if (excess > 0) { *outside = fmax(*outside, excess); score[j] = excess; }
    }
    if (e->cone >= 0) {
        for (ptrdiff_t j = 0; j < q; j++) w->hv[j] = -w->g[j];
        for (ptrdiff_t i = 0; i < n; i++)
            if (e->v[i] != 0) axpy(q, e->v[i], w->Ft + i * q, w->hv);
        double right = w->h0 + (w->has_tilt ? dot(n, w->h1, e->v) : 0);
        worst = fmax(worst, (sqrt(dot(q, w->hv, w->hv)) - right) / w->cone_unit);
    }
    return worst;
}

static void multipliers_out(const ew_cells *cells, ew_instance *e, const ew_workspace *w, double scale) {
    const subproblem *P = &w->sub;
    const iterate *it = &w->it;
    /* Scaled so that they prove the bound themselves: dual feasible for the distance, or a Farkas ray (tau = 0). */
    double largest = TINY;
    for (ptrdiff_t i = 0; i < cells->n; i++)
        if (is_free(e, i)) largest = fmax(largest, fabs(unabsorbed(e, i, w->r[i])));
    double unit = e->status == EW_INFEASIBLE ? 1 : P->norm == 1 ? 1 / largest : 2 * w->sigma * scale;
    if (e->slope)
        for (ptrdiff_t i = 0; i < cells->n; i++) e->slope[i] = unit * unabsorbed(e, i, w->r[i]);
    if (e->z_halfspaces) {
        memset(e->z_halfspaces, 0, (size_t)w->n_halfspaces * sizeof(double));
        for (ptrdiff_t j = 0; j < P->p; j++)
            e->z_halfspaces[w->halfspaces[j]] = unit * it->z[j] / w->scale[w->halfspaces[j]];
    }
    if (e->z_bounds) {
        memset(e->z_bounds, 0, (size_t)cells->n * sizeof(double));
        for (ptrdiff_t i = 0; i < P->n_bounds; i++)
            e->z_bounds[w->features[P->bound_feature[i]]] += unit * P->bound_sign[i] * it->z[P->p + i];
        /* bounds at zero take what they can of the gradient, those of fixed features all */
        for (ptrdiff_t i = 0; i < cells->n; i++)
            e->z_bounds[i] -= unit * (w->r[i] - (is_free(e, i) ? unabsorbed(e, i, w->r[i]) : 0));
    }
    if (e->y && P->has_cone)
        for (ptrdiff_t j = 0; j <= P->q; j++) e->y[j] = unit * w->sigma / w->cone_unit * it->y[j];
}

/* The half-spaces to begin with: all of a short list, the furthest of a long one. Returns how many. */
static inline ptrdiff_t first_halfspaces(ew_workspace *w) {
    if (w->n_halfspaces > ALL_HALFSPACES) {
        double *score = w->halfspace_score;
        for (ptrdiff_t j = 0; j < w->n_halfspaces; j++) score[j] = -w->b[j] / w->scale[j];
        return choose(w->n_halfspaces, score, w->chosen_halfspace, w->halfspaces, 0, HALFSPACES_ADDED);
    }
    for (ptrdiff_t j = 0; j < w->n_halfspaces; j++) {
        w->halfspaces[j] = j;
        w->chosen_halfspace[j] = 1;
    }
    return w->n_halfspaces;
}

/* Add what the violated half-spaces pull. */
static inline void pull_of_halfspaces(const ew_cells *cells, const ew_instance *e, ew_workspace *w, ptrdiff_t count) {
    for (ptrdiff_t j = 0; j < count; j++) {
        int64_t which = w->halfspaces[j];
        if (w->b[which] >= 0) continue;
        normal_of(cells, e, w, which, w->normal);
        double weight = -w->b[which] / (w->scale[which] * w->scale[which] * w->sigma);
        for (ptrdiff_t i = 0; i < cells->n; i++) w->pull[i] += weight * fabs(w->normal[i]);
    }
}

/* The features to begin with: those the paths moved and those that pull most. Returns how many; `n_free` can move at
 * all. */
static inline ptrdiff_t first_features(const ew_cells *cells, const ew_instance *e, ew_workspace *w, ptrdiff_t n_moving,
                                       ptrdiff_t n_halfspaces, ptrdiff_t *n_free) {
    ptrdiff_t n = cells->n, n_forced = 0;
    double *pull = w->pull;
    pull_of_halfspaces(cells, e, w, n_halfspaces);
    *n_free = 0;
    for (ptrdiff_t i = 0; i < n; i++) {
        int must_move = (e->lower && e->lower[i] > 0) || (e->upper && e->upper[i] < 0);
        *n_free += is_free(e, i) != 0;
        n_forced += must_move;
        pull[i] = !is_free(e, i) ? -1 : must_move ? HUGE_VAL : pull[i] + TINY;
    }
    ptrdiff_t wanted = *n_free;
    if (cells->norm == 1 && *n_free > ALL_FEATURES) {
        wanted = n_moving ? n_moving + FEATURES_BESIDE_PATH : (e->cone >= 0 ? cells->q : 0) + FEATURES_BESIDE_CONE;
        wanted += (n_halfspaces < FEATURES_FOR_HALFSPACES ? n_halfspaces : FEATURES_FOR_HALFSPACES) + n_forced;
        if (wanted > *n_free) wanted = *n_free;
    }
    for (ptrdiff_t i = 0; i < n_moving; i++) w->chosen_feature[w->features[i]] = 1;
    return choose(n, pull, w->chosen_feature, w->features, n_moving, wanted - n_moving);
}

/* Run the interior point method on the subproblem. */
static void solve_subproblem(ew_workspace *w, double cutoff, int *iterations) {
    subproblem *P = &w->sub;
    int norm = P->norm;
    P->far = norm == 1 ? FAR : FAR * FAR; /* bounds of norm 2 are squared lengths */
    P->remote = norm == 1 ? REMOTE : REMOTE * REMOTE;
    P->cutoff = cutoff;
    iterate_bind(&w->it, w->iterate_memory, P->n, P->p + P->n_bounds, P->q);
    interior_point(P, &w->it, TOLERANCE);
    *iterations += w->it.iterations;
    if (norm == 1 || (w->it.status != EW_STALLED && w->it.status != EW_INFEASIBLE) || w->it.bound >= P->far) return;

    /* Emptiness does not depend on the distance, and shows more sharply without a quadratic term. */
    double remote = P->remote;
    P->norm = 1;
    P->remote = REMOTE;
    P->cutoff = HUGE_VAL;
    interior_point(P, &w->it, TOLERANCE);
    *iterations += w->it.iterations;
    if (w->it.status == EW_INFEASIBLE) return;
    P->norm = norm;
    P->remote = remote;
    P->cutoff = cutoff;
    interior_point(P, &w->it, TOLERANCE);
}

/* Features whose dual constraint |r_i| <= 1 is violated join; returns how many there are then. */
static inline ptrdiff_t features_join(const ew_cells *cells, const ew_instance *e, ew_workspace *w,
                                      ptrdiff_t n_features) {
    int is_solved = e->status == EW_OPTIMAL || e->status == EW_STALLED;
    double limit = is_solved ? w->it.tau * (1 + DUAL_EXCESS) : 0, *score = w->feature_score;
    if (!is_solved) /* a proof on the working set holds for all if no other feature exceeds its own */
        for (ptrdiff_t i = 0; i < n_features; i++)
            limit = fmax(limit, fabs(unabsorbed(e, w->features[i], w->r[w->features[i]])));
    for (ptrdiff_t i = 0; i < cells->n; i++) score[i] = is_free(e, i) ? fabs(unabsorbed(e, i, w->r[i])) - limit : -1;
    return choose(cells->n, score, w->chosen_feature, w->features, n_features,
                  n_features > FEATURES_ADDED ? n_features : FEATURES_ADDED);
}

/* Gradient and rigorous bound of the multipliers, kept in the instance in units of `unit`; `scale` as in
 * certified_bound. */
static inline double note_bound(const ew_cells *cells, ew_instance *e, ew_workspace *w, double unit, double *scale) {
    full_gradient(cells, e, w);
    double bound = certified_bound(cells, e, w, scale);
    e->bound = fmax(e->bound, bound * unit);
    return bound;
}

/* Write the point with features at rest at rest, or as it is if that violates something; violated half-spaces
 * outside of the working set join. Returns the largest violation. */
static inline double point_out(const ew_cells *cells, ew_instance *e, ew_workspace *w, ptrdiff_t *n_halfspaces) {
    double outside;
    write_point(cells, e, w, 1);
    double worst = violation_at(cells, e, w, &outside);
    if (worst > 0) {
        write_point(cells, e, w, 0);
        worst = violation_at(cells, e, w, &outside);
    }
    if (outside > 0)
        *n_halfspaces = choose(w->n_halfspaces, w->halfspace_score, w->chosen_halfspace, w->halfspaces, *n_halfspaces,
                               HALFSPACES_ADDED);
    return fmax(worst, outside);
}

/* The answer: what counts is the certificate. Progress can end before the tolerance is reached, or violated
 * half-spaces may be left over. */
static inline void conclude(const ew_cells *cells, ew_instance *e, ew_workspace *w, double violation, double scale,
                            double own_bound) {
    int is_closed = e->value - e->bound <= CLOSED_GAP * e->value && violation <= CLOSED_VIOLATION;
    int is_outside = !(violation <= OUTSIDE_VIOLATION) || e->value < e->bound * (1 - NEARER_THAN_POSSIBLE);
    if (e->status == EW_STALLED && is_closed) e->status = EW_OPTIMAL;
    if (e->status == EW_OPTIMAL && is_outside) e->status = EW_STALLED;
    multipliers_out(cells, e, w, scale);
    if (e->slope && !(own_bound >= e->bound * (1 - OWN_BOUND_SHARE))) /* the bound is that of the first look */
        for (ptrdiff_t i = 0; i < cells->n; i++) e->slope[i] = NAN;
    for (ptrdiff_t j = 0; j < w->sub.p; j++) /* strict complementarity */
        if (w->halfspaces[j] < w->n_first) e->first_is_active |= w->it.z[j] > w->it.s[j] * ACTIVE_SHARE;
    if (e->status == EW_OPTIMAL || (e->status == EW_STALLED && violation <= USABLE_VIOLATION)) return;
    memset(e->v, 0, (size_t)cells->n * sizeof *e->v);
    e->value = HUGE_VAL;
}

MULTIVERSION
void solve_on_working_sets(const ew_cells *cells, ew_instance *e, ew_workspace *w, ptrdiff_t n_moving) {
    ptrdiff_t n_free, n_halfspaces = first_halfspaces(w);
    ptrdiff_t n_features = first_features(cells, e, w, n_moving, n_halfspaces, &n_free);
    double unit = cells->norm == 1 ? w->sigma : w->sigma * w->sigma, proof = cells->norm == 1 ? PROOF : SQUARED_PROOF;
    double cutoff = isfinite(e->cutoff) ? e->cutoff / unit : HUGE_VAL, violation = HUGE_VAL, scale = 0;
    double bound = 0;
    for (int round = 0; round < MAX_ROUNDS; round++) {
        ptrdiff_t features_before = n_features, halfspaces_before = n_halfspaces;
        gather(cells, e, w, n_features, n_halfspaces);
        solve_subproblem(w, cutoff, &e->iterations);
        bound = note_bound(cells, e, w, unit, &scale);
        e->status = w->it.status;
        if (e->status == EW_INFEASIBLE && bound < proof && n_features < n_free) { /* empty on these: add others */
            n_features = features_join(cells, e, w, n_features);
            if (n_features > features_before) continue;
        }
        if (e->status == EW_INFEASIBLE && bound < proof) { /* a ray, but not yet a proof */
            if (w->sub.has_cone) {
                cancel_gradient(cells, e, w);
                bound = note_bound(cells, e, w, unit, &scale);
            }
            if (bound < proof) e->status = EW_STALLED;
        }
        int is_proven = (e->status == EW_INFEASIBLE && bound >= proof) ||
                        (e->status == EW_CUTOFF && e->bound >= e->cutoff);
        if (n_features < n_free && !is_proven) n_features = features_join(cells, e, w, n_features);
        if (n_features == features_before && (e->status == EW_OPTIMAL || e->status == EW_STALLED))
            violation = point_out(cells, e, w, &n_halfspaces);
        if (n_features == features_before && n_halfspaces == halfspaces_before) break;
    }
    conclude(cells, e, w, violation, scale, bound * unit);
}
