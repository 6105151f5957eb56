/* Exact paths of one instance: the cone alone, then half-space by half-space, bounds being further half-spaces. */
#include "instance.h"

#include "halfspace_path.h"
#include "homotopy.h"
#include "multiversion.h"

/* Lower bound from path multipliers (z of half-spaces scaled by `unit`, y of the cone), evaluated on all features
 * for the true right-hand sides; `tight` is the same for the right-hand sides with margins. Multipliers are scaled
 * to be dual feasible, the gradient r with them. */
static inline double path_bound(const ew_cells *cells, const ew_instance *e, ew_workspace *w, const halfspace_path *path,
                                double unit, double *tight) {
    ptrdiff_t n = cells->n, q = cells->q;
    double *z = path->z, *y = path->y;
    double beta = -y[0] * (1 + LENGTH_ROUNDING) * w->h0, sum = y[0] * w->h0, margins = y[0] * w->cone_margin;
    for (ptrdiff_t i = 0; i < n; i++) w->r[i] = -dot(q, path->Ft + i * q, y + 1);
    for (ptrdiff_t j = 0; j < q; j++) {
        beta += w->g[j] * y[j + 1];
        sum += fabs(w->g[j] * y[j + 1]);
    }
    for (ptrdiff_t j = 0; j < path->n_halfspaces; j++) {
        if (z[j] == 0) continue;
        double scaled = z[j] * unit / w->scale[j];
        axpy(n, z[j], w->sub.A + j * n, w->r);
        beta -= scaled * w->b[j];
        sum += fabs(scaled * w->b[j]);
        margins += scaled * halfspace_margin(e, w, j);
    }
    beta -= sum_rounding(q + 1 + path->n_halfspaces) * sum;
    double largest = 0, length_y = sqrt(dot(q, y + 1, y + 1)), sum_z = 0;
    for (ptrdiff_t j = 0; j < path->n_halfspaces; j++) sum_z += fabs(z[j]) * unit;
    for (ptrdiff_t i = 0; i < n; i++) {
        if (!is_free(e, i)) continue;
        double size = fabs(unabsorbed(e, i, w->r[i])) + gradient_rounding(cells, e, w, i, length_y, sum_z);
        largest = fmax(largest, size);
    }
    for (ptrdiff_t j = 0; j < path->n_halfspaces; j++) z[j] /= largest;
    for (ptrdiff_t j = 0; j <= q; j++) y[j] /= largest;
    for (ptrdiff_t i = 0; i < n; i++) w->r[i] /= largest;
    double bound = beta / largest * (1 - FEATURE_ROUNDING * (double)(n + FEATURES_EXTRA));
    *tight = bound + margins / largest;
    return bound;
}

/* Whether the end of the path satisfies all constraints and closes the gap; its distance is the value. */
static inline int path_holds(ew_instance *e, ew_workspace *w, const halfspace_path *path, double unit, double tight) {
    ptrdiff_t n = path->n, q = path->q;
    double value = 0;
    for (ptrdiff_t j = 0; j < q; j++) w->hv[j] = -w->g[j];
    for (ptrdiff_t i = 0; i < n; i++) {
        if (e->lower) e->v[i] = fmax(e->v[i], e->lower[i]);
        if (e->upper) e->v[i] = fmin(e->v[i], e->upper[i]);
        value += fabs(e->v[i]);
        if (e->v[i] != 0) axpy(q, e->v[i], path->Ft + i * q, w->hv);
    }
    double beyond = sqrt(dot(q, w->hv, w->hv)) - path->h;
    if (!(beyond <= fmax(MARGIN_SHARE * w->cone_margin, PATH_EXCESS * w->h0))) return 0;
    for (ptrdiff_t j = 0; j < w->n_halfspaces; j++) {
        double over = dot(n, path->A + j * n, e->v) - path->b[j];
        if (!(over <= fmax(MARGIN_SHARE * halfspace_margin(e, w, j), PATH_EXCESS * w->sigma) * unit)) return 0;
    }
    e->value = value;
    if (value >= tight) {
        w->path_value = value;
        memcpy(w->path_v, e->v, (size_t)n * sizeof *e->v);
    }
    return fabs(value - tight) <= PATH_TOLERANCE * value;
}

/* Append a bound of a feature as a further half-space: the upper one for sign 1, the lower one for sign -1. Returns its
 * number, -1 without room. */
static inline ptrdiff_t append_bound(const ew_instance *e, ew_workspace *w, halfspace_path *path, double unit,
                                     ptrdiff_t feature, int sign) {
    ptrdiff_t n = path->n, j = path->n_halfspaces;
    if (j == path->room) return -1;
    w->path_bound_feature[j - w->n_halfspaces] = feature;
    w->path_bound_sign[j - w->n_halfspaces] = sign;
    w->b[j] = sign * (sign > 0 ? e->upper : e->lower)[feature];
    w->scale[j] = 1;
    w->path_b[j] = w->b[j] * unit;
    path->z[j] = 0;
    memset(w->sub.A + j * n, 0, (size_t)n * sizeof *w->sub.A);
    w->sub.A[j * n + feature] = sign * unit;
    path->n_halfspaces++;
    return j;
}

/* Append the bound that v violates most; PATH_DONE if all hold, PATH_LOST without room. */
static inline path_state add_bound(const ew_instance *e, ew_workspace *w, halfspace_path *path, double unit) {
    ptrdiff_t n = path->n, worst = -1;
    double excess = PATH_BOUND_EXCESS * w->sigma;
    int sign = 0;
    for (ptrdiff_t i = 0; i < n; i++) {
        double above = e->upper ? e->v[i] - e->upper[i] : 0, below = e->lower ? e->lower[i] - e->v[i] : 0;
        if (!(fmax(above, below) > excess)) continue;
        excess = fmax(above, below);
        sign = above > below ? 1 : -1;
        worst = i;
    }
    if (worst < 0) return PATH_DONE;
    return append_bound(e, w, path, unit, worst, sign) < 0 ? PATH_LOST : PATH_GOES_ON;
}

/* Half-spaces in units comparable with the columns of F, margins taken off; returns this unit. */
static inline double scale_halfspaces(const ew_cells *cells, const ew_instance *e, ew_workspace *w) {
    ptrdiff_t n = cells->n;
    double unit = 0;
    for (ptrdiff_t i = 0; i < n; i++) unit = fmax(unit, w->gram[i * (n + 1)]);
    unit = sqrt(unit);
    for (ptrdiff_t j = 0; j < w->n_halfspaces; j++) {
        normal_of(cells, e, w, j, w->sub.A + j * n);
        double scale = unit / w->scale[j];
        for (ptrdiff_t i = 0; i < n; i++) w->sub.A[j * n + i] *= scale;
        w->path_b[j] = (w->b[j] - halfspace_margin(e, w, j)) * scale;
    }
    return unit;
}

/* From where the path starts, half-space by half-space, until the instance is settled (its status says how) or the path
 * is lost. */
static inline void follow_halfspaces(const ew_cells *cells, ew_instance *e, ew_workspace *w, halfspace_path *path,
                                     double unit) {
    int is_bounded = e->lower || e->upper;
    path_state state = w->n_halfspaces <= ALL_HALFSPACES ? PATH_GOES_ON : PATH_LOST;
    for (int round = 0; round <= PATH_ROUNDS * (ALL_HALFSPACES + n_path_bounds(cells)); round++) {
        double tight;
        e->bound = fmax(e->bound, path_bound(cells, e, w, path, unit, &tight));
        if (e->bound >= e->cutoff) {
            e->status = EW_CUTOFF;
            return;
        }
        if (state != PATH_GOES_ON) return;
        state = halfspace_path_next(path, w->path);
        if (path->reach > 0) w->b[0] = path->b[0] * w->scale[0] / unit + halfspace_margin(e, w, 0);
        e->iterations += path->steps;
        path->steps = 0;
        if (state == PATH_DONE && is_bounded) state = add_bound(e, w, path, unit);
        if (state == PATH_LOST) return;
        if (state != PATH_DONE) continue;
        if (!path_holds(e, w, path, unit, tight)) return;
        e->status = EW_OPTIMAL;
        for (ptrdiff_t j = 0; j < w->n_first; j++) e->first_is_active |= path->z[j] > 0;
        return;
    }
}

/* Write the multipliers of the path out, and no point where the cutoff is proven. */
static inline void path_out(const ew_cells *cells, ew_instance *e, const ew_workspace *w, const halfspace_path *path,
                            double unit) {
    ptrdiff_t n = cells->n, q = cells->q;
    if (e->z_halfspaces)
        for (ptrdiff_t j = 0; j < w->n_halfspaces; j++) e->z_halfspaces[j] = path->z[j] * unit / w->scale[j];
    if (e->z_bounds) {
        for (ptrdiff_t i = 0; i < n; i++) e->z_bounds[i] = -(w->r[i] - (is_free(e, i) ? unabsorbed(e, i, w->r[i]) : 0));
        for (ptrdiff_t j = w->n_halfspaces; j < path->n_halfspaces; j++) {
            ptrdiff_t bound = j - w->n_halfspaces;
            e->z_bounds[w->path_bound_feature[bound]] += (double)w->path_bound_sign[bound] * (path->z[j] * unit);
        }
    }
    if (e->slope)
        for (ptrdiff_t i = 0; i < n; i++) e->slope[i] = unabsorbed(e, i, w->r[i]);
    if (e->y) memcpy(e->y, path->y, (size_t)(q + 1) * sizeof *e->y);
    if (e->status == EW_CUTOFF) {
        memset(e->v, 0, (size_t)n * sizeof *e->v);
        e->value = HUGE_VAL;
    }
}

/* Tell where the path ended. */
static inline void trail_out(const ew_instance *e, const ew_workspace *w, const halfspace_path *path) {
    ptrdiff_t n = path->n;
    e->end[0] = (int32_t)path->n_moving;
    e->end[1] = (int32_t)path->n_active;
    for (ptrdiff_t i = 0; i < path->n_moving; i++) {
        int64_t feature = path->moving[i];
        e->end[2 + i] = (int32_t)((feature + 1) * path->sign[feature]);
    }
    int32_t *active = e->end + 2 + n;
    for (ptrdiff_t r = 0; r < path->n_active; r++) *active++ = (int32_t)path->active[r];
    for (ptrdiff_t i = 0; i < n; i++)
        if (path->pinned[i]) {
            *active++ = (int32_t)(-1 - 2 * i - (w->path_bound_sign[path->pinned[i] - 1 - w->n_halfspaces] > 0));
            e->end[1]++;
        }
}

/* Start from a trail; 0 if it leads nowhere within the present bounds. */
static inline int start_from_trail(const ew_instance *e, ew_workspace *w, halfspace_path *path, double unit) {
    const int32_t *trail = e->start;
    ptrdiff_t n = path->n;
    if (trail[0] <= 0 || w->n_halfspaces > ALL_HALFSPACES) return 0;
    path->n_moving = trail[0];
    path->n_active = 0;
    memset(path->sign, 0, (size_t)n * sizeof *path->sign);
    memset(path->pinned, 0, (size_t)n * sizeof *path->pinned);
    memset(path->v, 0, (size_t)n * sizeof *path->v);
    for (ptrdiff_t i = 0; i < path->n_moving; i++) {
        int sign = trail[2 + i] > 0 ? 1 : -1;
        int64_t feature = w->features[i] = path->moving[i] = sign * trail[2 + i] - 1;
        path->sign[feature] = sign;
    }
    for (ptrdiff_t r = 0; r < trail[1]; r++) {
        int64_t j = trail[2 + n + r];
        if (j >= 0) { path->active[path->n_active++] = j; continue; }
        int64_t feature = (-1 - j) / 2;
        int sign = (-1 - j) % 2 ? 1 : -1;
        double limit = (sign > 0 ? e->upper : e->lower)[feature];
        ptrdiff_t bound = limit == 0 || !isfinite(limit) ? -1 : append_bound(e, w, path, unit, feature, sign);
        if (bound < 0) return 0;
        path->pinned[feature] = bound + 1;
        path->v[feature] = limit;
    }
    return halfspace_path_resume(path, w->path);
}

/* Start from the solution of the cone alone; returns how many features move, -1 if it is not found. */
static inline ptrdiff_t start_from_cone(ew_instance *e, ew_workspace *w, halfspace_path *path) {
    path->n_halfspaces = w->n_halfspaces;
    memset(path->z, 0, (size_t)w->n_halfspaces * sizeof *path->z);
    ptrdiff_t n_moved = homotopy(path->n, path->q, path->Ft, path->gram, path->g, path->h, w->barred, path->low, w->path, w->features,
                                 path->v, path->y, &path->steps);
    e->iterations += path->steps;
    if (n_moved < 0) return -1;
    path->n_moving = n_moved;
    memcpy(path->moving, w->features, (size_t)n_moved * sizeof *path->moving); /* this path changes its own copy */
    if (w->n_halfspaces <= ALL_HALFSPACES) halfspace_path_start(path);
    return n_moved;
}

/* The structure of the instance's cone, with F'g; NULL if it has none. */
static inline const low_rank *bind_low_rank(const ew_cells *cells, const ew_instance *e, ew_workspace *w) {
    if (!cells->diagonals || cells->n_groups) return NULL;
    ptrdiff_t n = cells->n, q = cells->q, r = cells->rank, shape = cells->shape[e->cone];
    double *memory = w->low_rank_memory;
    w->low = (low_rank){.n = n, .r = r, .D = cells->diagonals + shape * n, .U = cells->directions + shape * n * r,
                        .M = memory, .t = memory + r * r, .diagonal = memory + r * r + r,
                        .pull = memory + r * r + 2 * r};
    for (ptrdiff_t i = 0; i < n; i++) w->low.pull[i] = dot(q, w->Ft + i * q, w->g);
    return &w->low;
}

MULTIVERSION
ptrdiff_t follow_paths(const ew_cells *cells, ew_instance *e, ew_workspace *w) {
    ptrdiff_t n = cells->n, q = cells->q, n_moved = 0;
    ptrdiff_t room = w->n_halfspaces + (e->lower || e->upper ? n_path_bounds(cells) : 0);
    halfspace_path path = {.n = n, .q = q, .n_halfspaces = w->n_halfspaces, .room = room,
                           .Ft = w->Ft, .gram = w->gram, .g = w->g, .h = w->h0 - w->cone_margin,
                           .reach = w->n_first ? e->reach : 0,
                           .low = bind_low_rank(cells, e, w), .A = w->sub.A,
                           .b = w->path_b, .n_general = w->n_halfspaces, .bound_feature = w->path_bound_feature,
                           .lower = e->lower, .upper = e->upper, .pinned = w->path_pinned,
                           .cutoff = e->cutoff * (1 + CUTOFF_EXCESS), .barred = w->barred,
                           .moving = w->path_moving, .sign = w->path_sign, .active = w->path_active,
                           .v = e->v, .z = w->path_z, .y = w->path_y};
    for (ptrdiff_t i = 0; i < n; i++)
        w->barred[i] = (e->upper && e->upper[i] == 0 ? BARRED_UP : 0) | (e->lower && e->lower[i] == 0 ? BARRED_DOWN : 0);
    double unit = scale_halfspaces(cells, e, w);
    if (e->start && start_from_trail(e, w, &path, unit)) follow_halfspaces(cells, e, w, &path, unit);
    if (e->status == EW_STALLED && project_without_cone(cells, e, w)) return -1;
    if (e->status == EW_STALLED) {
        if (w->is_in_cone) return 0;
        n_moved = start_from_cone(e, w, &path);
        if (n_moved < 0) return 0;
        follow_halfspaces(cells, e, w, &path, unit);
    }
    if (e->status == EW_STALLED) return n_moved;
    if (e->end && e->status == EW_OPTIMAL) trail_out(e, w, &path);
    if (e->stiffness && e->status == EW_OPTIMAL) halfspace_path_stiffness(&path, w->path, e->stiffness);
    path_out(cells, e, w, &path, unit);
    return -1;
}
