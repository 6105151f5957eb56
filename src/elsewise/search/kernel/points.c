/* Points: whether they are in region, density and rules, as they are. */
#include "search.h"

#include "dense.h"

/* Distance of a point from the row. */
static inline double distance_of(const whole_search *s, const ew_whole_row *row, const double *point) {
    double sum = 0;
    for (ptrdiff_t i = 0; i < s->n; i++) sum += fabs(point[i] - row->own[i]) * s->half_prices[i];
    return sum;
}

static inline int is_within_limits(const whole_search *s, const ew_whole_row *row, const double *point) {
    for (ptrdiff_t i = 0; i < s->n; i++) {
        double slack = s->shared.is.limit_rounding * (1 + fabs(point[i]));
        if (point[i] < row->lower[i] - slack || point[i] > row->upper[i] + slack) return 0;
    }
    return 1;
}

/* How deep a point lies in a part, as a share of the numbers compared there; minus infinity if whole numbers are ruled
 * out. */
static double depth_in(const whole_search *s, int64_t polyhedron, const double *point) {
    const ew_whole *w = &s->shared;
    ptrdiff_t n = s->n;
    double depth = HUGE_VAL;
    for (int64_t r = w->cells.spans[2 * polyhedron]; r < w->cells.spans[2 * polyhedron + 1]; r++) {
        double size = w->size_offsets[r];
        for (ptrdiff_t i = 0; i < n; i++) size += w->sizes[r * n + i] * fabs(point[i]);
        double room = w->exact_offsets[r] - dot(n, w->cells.normals + r * n, s->plain);
        depth = fmin(depth, room / fmax(size, TINY));
        if (!(depth > w->wanted_depth)) return -HUGE_VAL;
    }
    for (ptrdiff_t i = 0; i < n; i++)
        if (point[i] < w->least[polyhedron * n + i] || point[i] > w->most[polyhedron * n + i]) return -HUGE_VAL;
    return depth;
}

/* How far inside of a cone of the table the plain point lies, as a share of its radius. */
static double slack_in(whole_search *s, const ew_whole_row *row, int64_t cone) {
    const ew_cells *cells = &s->shared.cells;
    ptrdiff_t n = s->n, q = s->q;
    const double *Ft = cells->factors + cells->shape[cone] * n * q;
    for (ptrdiff_t j = 0; j < q; j++) s->image[j] = -row->centres[cone * q + j];
    for (ptrdiff_t i = 0; i < n; i++)
        if (s->plain[i] != 0) axpy(q, s->plain[i], Ft + i * q, s->image);
    double right = row->radii[cone] + (cells->tilts ? dot(n, cells->tilts + cone * n, s->plain) : 0);
    return (right - sqrt(dot(q, s->image, s->image))) / row->radii[cone];
}

/* Whether linear rules hold, as they are written; those that are far from it are not asked. */
static int keeps_linear_rules(const whole_search *s, const double *point) {
    const ew_whole *w = &s->shared;
    if (w->rules_at < 0) return 1;
    for (int64_t r = w->cells.spans[2 * w->rules_at]; r < w->cells.spans[2 * w->rules_at + 1]; r++) {
        double excess = -w->cells.offsets[r], size = fabs(w->cells.offsets[r]);
        for (ptrdiff_t i = 0; i < s->n; i++) {
            double term = w->cells.normals[r * s->n + i] * s->plain[i];
            excess += term;
            size += fabs(term);
        }
        if (excess > w->is.far_from_rule * size) return 0;
    }
    return w->keeps_rules(w->rules, point);
}

static inline void see_plain(whole_search *s, const double *point) {
    for (ptrdiff_t i = 0; i < s->n; i++) s->plain[i] = (point[i] - s->shared.origin[i]) * s->shared.prices[i];
}

int is_dense(whole_search *s, const ew_whole_row *row, const double *point, int64_t cone) {
    if (row->first_cone < 0) return 1;
    see_plain(s, point);
    return slack_in(s, row, row->first_cone + cone) >= s->shared.wanted_slack;
}

int is_member(whole_search *s, const ew_whole_row *row, const double *point, int64_t *part, int64_t *cone) {
    const ew_whole *w = &s->shared;
    if (!is_within_limits(s, row, point)) return 0;
    if (!moves_far_enough(s, row, point) || !changes_few_enough(s, row, point)) return 0;
    see_plain(s, point);
    double deepest = -HUGE_VAL, best = -HUGE_VAL;
    *part = 0;
    *cone = 0;
    for (int64_t k = 0; k < row->n_parts && row->use_region; k++) {
        if (!isfinite(row->part_bounds[k])) continue;
        double depth = depth_in(s, row->first_polyhedron + k, point);
        if (depth > deepest) { deepest = depth; *part = k; }
    }
    if (row->use_region && !(deepest > w->wanted_depth)) return 0;
    if (!keeps_clauses(s, row, point)) return 0; /* there may be hundreds */
    if (row->first_cone < 0) return keeps_linear_rules(s, point);
    for (int64_t j = 0; j < row->n_cones; j++) {
        if (!isfinite(row->cone_bounds[j])) continue;
        double slack = slack_in(s, row, row->first_cone + j);
        if (slack > best) { best = slack; *cone = j; }
    }
    return best >= w->wanted_slack && keeps_linear_rules(s, point);
}

int offer(whole_search *s, ew_whole_row *row, const double *point) {
    double value = distance_of(s, row, point);
    int64_t part, cone;
    if (!is_worth(s, row, value) || !is_member(s, row, point, &part, &cone)) return 0;
    row->limit = row->value = value;
    row->part = part;
    row->cone = cone;
    memcpy(row->point, point, (size_t)s->n * sizeof *point);
    return 1;
}
