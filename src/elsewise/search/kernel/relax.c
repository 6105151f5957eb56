/* Relaxations of nodes: whole numbers may be fractional, categories shared among levels. */
#include "search.h"

#include <float.h>

/* How the projector sees a box: what it moves from, and how far. */
static void look_from(whole_search *s, const ew_whole_row *row, const node *box) {
    const ew_whole *w = &s->shared;
    view *seen = &s->seen;
    for (ptrdiff_t i = 0; i < s->n; i++) { /* limits so far away would blur every sum in which they occur */
        double low = box->lower[i], high = box->upper[i];
        seen->low[i] = low <= -w->is.far_away ? -HUGE_VAL : (low - row->own[i]) * w->prices[i];
        seen->high[i] = high >= w->is.far_away ? HUGE_VAL : (high - row->own[i]) * w->prices[i];
    }
    memcpy(seen->moved, row->own, (size_t)s->n * sizeof *seen->moved);
    memcpy(seen->x0, row->x0, (size_t)s->n * sizeof *seen->x0);
    seen->constant = 0;
    seen->has_moving_category = 0;
    for (ptrdiff_t c = 0; c < s->n_groups; c++) {
        int is_decided = levels_left(s, box, c) == 1;
        seen->has_moving_category |= !is_decided;
        for (ptrdiff_t i = first_level(s, c); i < end_of_levels(s, c); i++) {
            int can_move = !is_decided && box->upper[i] == 1 && row->own[i] == 0;
            seen->low[i] = 0;
            seen->high[i] = can_move ? HUGE_VAL : 0;
            if (!is_decided) continue;
            seen->moved[i] = box->upper[i];
            seen->x0[i] = (box->upper[i] - w->origin[i]) * w->prices[i];
            if (box->upper[i] == 1 && row->own[i] == 0) seen->constant += w->prices[i];
        }
    }
}

/* How far points of a box may be from where the projector starts: no farther than box and cone go. */
static double reach_of(const whole_search *s, const ew_whole_row *row, int64_t cone) {
    double reach = 0;
    for (ptrdiff_t i = 0; i < s->n; i++) {
        double extent = fmax(fabs(s->seen.low[i]), fabs(s->seen.high[i]));
        if (!is_number(s, i)) extent = fmin(extent, s->largest_level_price);
        reach += row->first_cone < 0 || !is_number(s, i) ? extent : fmin(extent, row->reach[cone * s->n + i]);
    }
    return reach;
}

static ew_instance instance_of(const whole_search *s, const ew_whole_row *row, const node *box, double *v) {
    ew_instance e = {.x0 = s->seen.x0, .lower = s->seen.low, .upper = s->seen.high, .margin = s->shared.margin, .v = v,
                     .cutoff = row->limit - s->seen.constant};
    e.polyhedra[0] = box->part < 0 || !row->use_region ? -1 : row->first_polyhedron + box->part;
    e.polyhedra[1] = s->shared.rules_at;
    e.cone = row->first_cone < 0 ? -1 : row->first_cone + box->cone;
    return e;
}

/* The point, in features and within the box, to which plain differences lead. */
static void point_at(const whole_search *s, const node *box, const double *v, double *point) {
    for (ptrdiff_t i = 0; i < s->n; i++)
        point[i] = v[i] == 0 ? s->seen.moved[i] : s->seen.moved[i] + v[i] / s->shared.prices[i];
    for (ptrdiff_t c = 0; c < s->n_groups; c++) { /* what moved to other levels left the row's own */
        double gone = 0;
        for (ptrdiff_t i = first_level(s, c); i < end_of_levels(s, c); i++) gone += v[i] / s->shared.prices[i];
        for (ptrdiff_t i = first_level(s, c); i < end_of_levels(s, c); i++)
            if (s->seen.moved[i] == 1) point[i] -= gone;
    }
    for (ptrdiff_t i = 0; i < s->n; i++) point[i] = fmin(fmax(point[i], box->lower[i]), box->upper[i]);
}

static int has_point(const ew_instance *e) {
    return (e->status == EW_OPTIMAL || e->status == EW_STALLED) && isfinite(e->value);
}

static void use_cones_of(whole_search *s, const ew_whole_row *row) {
    s->shared.cells.radii = row->radii;
    s->shared.cells.centres = row->centres;
}

void relax(whole_search *s, ew_whole_row *row) {
    const ew_whole *w = &s->shared;
    ptrdiff_t n = s->n;
    row->n_nodes++;
    look_from(s, row, &s->at);
    double beyond = w->is.reach_slack * reach_of(s, row, s->at.cone); /* a cell that is so far away is empty */
    ew_instance e = instance_of(s, row, &s->at, s->v);
    if (isfinite(beyond)) e.cutoff = fmin(e.cutoff, nextafter(beyond, HUGE_VAL));
    e.slope = s->slope;
    e.stiffness = s->stiffness;
    if (s->seen.has_moving_category) s->trail[0] = -1; /* its half-spaces come and go: numbers on a trail mean nothing */
    else { e.start = s->at.trail; e.end = s->trail; }
    use_cones_of(s, row);
    ew_project(&w->cells, &e, s->work);
    s->has_point = s->has_slopes = has_point(&e);
    for (ptrdiff_t i = 0; i < n; i++) {
        s->has_slopes &= isfinite(s->slope[i]) != 0;
        s->has_point &= fabs(row->own[i] + s->v[i] / w->prices[i]) <= w->is.far_away || w->kind[i] == EW_NUMBER;
    }
    point_at(s, &s->at, s->v, s->relaxed);
    int is_empty = isfinite(beyond) ? e.bound > beyond : e.status == EW_INFEASIBLE;
    s->proven = is_empty ? HUGE_VAL : s->seen.constant + e.bound;
    s->at.bound = fmax(s->at.bound, s->proven);
}

double first_look_at(whole_search *s, const ew_whole_row *row, const node *box) {
    if (lost_level(s, row, box) >= 0) return 0;
    look_from(s, row, box);
    ew_instance e = instance_of(s, row, box, s->v);
    e.cutoff = DBL_MIN; /* any distance is enough */
    use_cones_of(s, row);
    ew_project(&s->shared.cells, &e, s->work);
    return e.status == EW_CUTOFF ? s->seen.constant + e.bound : 0;
}

int solve_trial(whole_search *s, ew_whole_row *row, int64_t inside, int widens) {
    row->n_nodes++;
    look_from(s, row, &s->trial);
    ew_instance e = instance_of(s, row, &s->trial, s->trial_v);
    if (widens) e.margin = fmax(e.margin, s->shared.margins[inside]);
    if (s->shared.rules_at >= 0) e.polyhedra[1] = s->shared.rules_at + 1 + inside;
    use_cones_of(s, row);
    ew_project(&s->shared.cells, &e, s->work);
    if (!has_point(&e)) return 0;
    point_at(s, &s->trial, s->trial_v, s->candidate);
    return 1;
}

double fraction(const whole_search *s, const ew_whole_row *row, ptrdiff_t i) {
    double value = s->relaxed[i], apart = fabs(value - rint(value));
    if (!is_whole_number(s, i) || apart < s->shared.is.whole || value == row->own[i]) return 0;
    return apart * s->shared.prices[i];
}

double category_fraction(const whole_search *s, ptrdiff_t c) {
    double largest = 0;
    for (ptrdiff_t i = first_level(s, c); i < end_of_levels(s, c); i++) largest = fmax(largest, s->relaxed[i]);
    return largest < 1 - s->shared.is.whole ? (1 - largest) * s->shared.prices[first_level(s, c)] : 0;
}

int is_relaxed_whole(const whole_search *s, const ew_whole_row *row) {
    for (ptrdiff_t i = 0; i < s->n; i++)
        if (fraction(s, row, i) > 0) return 0;
    for (ptrdiff_t c = 0; c < s->n_groups; c++)
        if (category_fraction(s, c) > 0) return 0;
    return 1;
}
