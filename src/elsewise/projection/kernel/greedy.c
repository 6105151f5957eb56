/* The cone left out: one half-space and bounds, norm 1, in closed form.
 *
 * Where bounds force features to move, the cone often holds by itself. What is left, minimise sum |v| subject to
 * a·v <= b and l <= v <= u, is a fractional knapsack: from the point of the box nearest to zero every further unit costs
 * the same, so the features with the largest |a_i| move first. With lambda = 1 / |a_i| of the last one,
 *
 *     distance >= -lambda b + sum_i min over l_i <= v <= u_i of |v| + lambda a_i v,
 *
 * which is evaluated as it stands, whatever the point. */
#include "instance.h"

#include "multiversion.h"

/* Move what moves a·v most until it is down to b; lambda of the last move, 0 without one, -1 if b is out of reach. */
static inline double fill(ptrdiff_t n, const double *a, double b, const double *l, const double *u, double *v) {
    double over = -b, lambda = 0;
    for (ptrdiff_t i = 0; i < n; i++) {
        v[i] = l[i] > 0 ? l[i] : u[i] < 0 ? u[i] : 0;
        over += a[i] * v[i];
    }
    while (over > 0) {
        ptrdiff_t best = -1;
        for (ptrdiff_t i = 0; i < n; i++) {
            int has_room = a[i] > 0 ? v[i] > l[i] : v[i] < u[i];
            if (a[i] != 0 && has_room && (best < 0 || fabs(a[i]) > fabs(a[best]))) best = i;
        }
        if (best < 0) return -1;
        double size = fabs(a[best]), step = over / size, room = a[best] > 0 ? v[best] - l[best] : u[best] - v[best];
        lambda = 1 / size;
        over = step <= room ? 0 : over - size * room;
        if (step <= room) v[best] -= a[best] > 0 ? step : -step;
        else v[best] = a[best] > 0 ? l[best] : u[best];
    }
    return lambda;
}

/* The bound that lambda proves; -1 for nothing. */
static inline double proven_by(ptrdiff_t n, const double *a, double b, const double *l, const double *u, double lambda) {
    double sum = -lambda * b, size = fabs(lambda * b);
    for (ptrdiff_t i = 0; i < n; i++) {
        double r = lambda * a[i], v = l[i] > 0 ? l[i] : u[i] < 0 ? u[i] : 0;
        if (r > 1) v = l[i];
        if (r < -1) v = u[i];
        if (!isfinite(v)) return -1;
        sum += fabs(v) + r * v;
        size += fabs(v) + fabs(r * v);
    }
    return sum - FEATURE_ROUNDING * (double)(n + FEATURES_EXTRA) * size;
}

/* Whether v is inside of the cone. */
static inline int is_in_cone(const ew_cells *cells, const ew_instance *e, ew_workspace *w) {
    if (e->cone < 0) return 1;
    for (ptrdiff_t j = 0; j < cells->q; j++) w->hv[j] = -w->g[j];
    for (ptrdiff_t i = 0; i < cells->n; i++)
        if (e->v[i] != 0) axpy(cells->q, e->v[i], w->Ft + i * cells->q, w->hv);
    double right = w->h0 - w->cone_margin + (w->has_tilt ? dot(cells->n, w->h1, e->v) : 0);
    double beyond = sqrt(dot(cells->q, w->hv, w->hv)) - right;
    return beyond <= fmax(MARGIN_SHARE * w->cone_margin, PATH_EXCESS * w->h0);
}

/* Multipliers of half-space and bounds; slopes where the bound is theirs. */
static inline void write_out(const ew_cells *cells, ew_instance *e, const ew_workspace *w, double lambda, int is_own) {
    for (ptrdiff_t i = 0; i < cells->n; i++) {
        double r = lambda * w->normal[i], slope = fmin(fmax(unabsorbed(e, i, r), -1), 1);
        if (e->lower[i] > 0) slope = -1;
        if (e->upper[i] < 0) slope = 1;
        if (e->z_bounds) e->z_bounds[i] = slope - r;
        if (e->slope) e->slope[i] = is_own ? slope : NAN;
    }
    if (e->z_halfspaces && w->n_halfspaces) e->z_halfspaces[0] = lambda;
}

/* Whether the half-space is out of reach within the bounds, v being as near to it as they allow. */
static inline int is_out_of_reach(const ew_cells *cells, ew_instance *e, ew_workspace *w) {
    double lowest = 0, size = fabs(w->b[0]);
    for (ptrdiff_t i = 0; i < cells->n; i++) {
        lowest += w->normal[i] * e->v[i];
        size += fabs(w->normal[i] * e->v[i]);
    }
    if (!(lowest - w->b[0] > w->noise[0] + FEATURE_ROUNDING * (double)(cells->n + FEATURES_EXTRA) * size)) return 0;
    for (ptrdiff_t i = 0; i < cells->n && e->z_bounds; i++) e->z_bounds[i] = -w->normal[i];
    if (e->z_halfspaces) e->z_halfspaces[0] = 1;
    e->status = EW_INFEASIBLE;
    e->bound = e->value = HUGE_VAL;
    return 1;
}

static inline int without_point(const ew_cells *cells, ew_instance *e, int is_settled) {
    memset(e->v, 0, (size_t)cells->n * sizeof *e->v);
    return is_settled;
}

MULTIVERSION
int project_without_cone(const ew_cells *cells, ew_instance *e, ew_workspace *w) {
    ptrdiff_t n = cells->n;
    if (cells->norm != 1 || cells->n_groups || w->n_halfspaces > 1 || !e->lower || !e->upper) return 0;
    double b = HUGE_VAL, margin = 0, *a = w->normal;
    memset(a, 0, (size_t)n * sizeof *a);
    if (w->n_halfspaces) {
        normal_of(cells, e, w, 0, a);
        b = w->b[0];
        margin = halfspace_margin(e, w, 0);
    }
    double lambda = w->n_halfspaces ? fill(n, a, b - margin, e->lower, e->upper, e->v) : fill(n, a, 0, e->lower, e->upper, e->v);
    if (lambda < 0) return without_point(cells, e, is_out_of_reach(cells, e, w));
    lambda *= 1 - FEATURE_ROUNDING; /* |lambda a_i| <= 1 for the last feature */
    double bound = proven_by(n, a, w->n_halfspaces ? b : 0, e->lower, e->upper, lambda), value = 0;
    for (ptrdiff_t i = 0; i < n; i++) value += fabs(e->v[i]);
    e->bound = fmax(e->bound, bound);
    int is_closed = value - bound - lambda * margin <= PATH_TOLERANCE * value;
    int is_optimal = e->bound < e->cutoff && is_closed && is_in_cone(cells, e, w);
    if (e->bound < e->cutoff && !is_optimal) return without_point(cells, e, 0);
    e->status = is_optimal ? EW_OPTIMAL : EW_CUTOFF;
    e->value = is_optimal ? value : HUGE_VAL;
    e->first_is_active = is_optimal && w->n_first && lambda > 0;
    write_out(cells, e, w, lambda, bound >= e->bound * (1 - OWN_BOUND_SHARE));
    return is_optimal ? 1 : without_point(cells, e, 1);
}
