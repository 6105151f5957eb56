/* Points of whole numbers: made by rounding, checked as they are, improved by taking changes back. */
#include "search.h"

#include "dense.h"

/* Distance of a point from the row. */
static inline double distance_of(const whole_search *s, const ew_whole_row *row, const double *point) {
    double sum = 0;
    for (ptrdiff_t i = 0; i < s->n; i++) sum += fabs(point[i] - row->own[i]) * s->shared.prices[i];
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
    for (ptrdiff_t j = 0; j < q; j++) s->image[j] = -cells->centres[cone * q + j];
    for (ptrdiff_t i = 0; i < n; i++) axpy(q, s->plain[i], Ft + i * q, s->image);
    return (row->radii[cone] - sqrt(dot(q, s->image, s->image))) / row->radii[cone];
}

int is_member(whole_search *s, const ew_whole_row *row, const double *point, int64_t *part, int64_t *cone) {
    const ew_whole *w = &s->shared;
    if (!is_within_limits(s, row, point) || !keeps_clauses(s, row, point)) return 0;
    for (ptrdiff_t i = 0; i < s->n; i++) s->plain[i] = (point[i] - w->origin[i]) * w->prices[i];
    double deepest = -HUGE_VAL, best = -HUGE_VAL;
    *part = 0;
    *cone = 0;
    for (int64_t k = 0; k < row->n_parts && row->use_region; k++) {
        if (!isfinite(row->part_bounds[k])) continue;
        double depth = depth_in(s, row->first_polyhedron + k, point);
        if (depth > deepest) { deepest = depth; *part = k; }
    }
    if (row->use_region && !(deepest > w->wanted_depth)) return 0;
    if (row->first_cone < 0) return 1;
    for (int64_t j = 0; j < row->n_cones; j++) {
        if (!isfinite(row->cone_bounds[j])) continue;
        double slack = slack_in(s, row, row->first_cone + j);
        if (slack > best) { best = slack; *cone = j; }
    }
    return best >= w->wanted_slack;
}

/* Take a point as the incumbent if it is nearer and a member; whether it is. */
static int offer(whole_search *s, ew_whole_row *row, const double *point) {
    double value = distance_of(s, row, point);
    int64_t part, cone;
    if (!is_worth(s, row, value) || !is_member(s, row, point, &part, &cone)) return 0;
    row->limit = row->value = value;
    row->part = part;
    row->cone = cone;
    memcpy(row->point, point, (size_t)s->n * sizeof *point);
    return 1;
}

/* Take one change of the incumbent back, wholly, by half or by one step, the best way there is; whether there is one. */
static int take_one_back(whole_search *s, ew_whole_row *row) {
    size_t size = (size_t)s->n * sizeof *s->best;
    int is_better = 0;
    memcpy(s->best, row->point, size);
    memcpy(s->other, row->point, size);
    for (ptrdiff_t i = 0; i < s->n; i++) {
        double value = s->best[i], own = row->own[i], apart = value - own;
        if (apart == 0) continue;
        double tries[3] = {own, value - trunc(apart / 2), value - (apart > 0 ? 1 : -1)};
        for (int k = 0; k < (fabs(apart) > 1 ? 3 : 1); k++) {
            s->other[i] = tries[k];
            if (offer(s, row, s->other)) { is_better = 1; break; }
        }
        s->other[i] = value;
    }
    return is_better;
}

static void offer_and_improve(whole_search *s, ew_whole_row *row) {
    if (!offer(s, row, s->candidate)) return;
    for (int64_t k = 1; k < s->shared.is.most_improvements && take_one_back(s, row); k++) continue;
}

/* The most fractional features of the relaxed point, at most so many; returns how many there are. */
static int64_t most_fractional(whole_search *s, const ew_whole_row *row, int64_t most) {
    int64_t count = 0;
    while (count < most) {
        ptrdiff_t best = -1;
        double largest = 0;
        for (ptrdiff_t i = 0; i < s->n; i++) {
            int is_taken = 0;
            for (int64_t k = 0; k < count; k++) is_taken |= s->columns[k] == i;
            double size = is_taken ? 0 : fraction(s, row, i);
            if (size > largest) { largest = size; best = i; }
        }
        if (best < 0) break;
        s->columns[count++] = best;
    }
    return count;
}

void round_relaxed(whole_search *s, ew_whole_row *row) {
    int64_t ways = most_fractional(s, row, s->shared.is.columns_both_ways);
    for (int64_t bits = 0; bits <= (int64_t)1 << ways; bits++) {
        int is_outward = bits == (int64_t)1 << ways; /* the last one: away from the row */
        for (ptrdiff_t i = 0; i < s->n; i++) {
            double value = s->relaxed[i], own = row->own[i];
            s->candidate[i] = value == own ? own : !is_outward ? rint(value) : value > own ? ceil(value) : floor(value);
        }
        for (int64_t k = 0; k < ways && !is_outward; k++) {
            double value = s->relaxed[s->columns[k]];
            if (bits >> k & 1) s->candidate[s->columns[k]] = floor(value) + ceil(value) - rint(value);
        }
        offer_and_improve(s, row);
    }
}
