#include "whole.h"

#include <stdlib.h>

#include "dense.h"
#include "search.h"

whole_search *ew_whole_new(const ew_whole *shared) {
    whole_search *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->shared = *shared;
    ptrdiff_t n = s->n = shared->cells.n, q = s->q = shared->cells.q, trail_size = ew_trail_size(n);
    double **vectors[] = {&s->at.lower, &s->at.upper, &s->child.lower, &s->child.upper, &s->low, &s->high, &s->v, &s->slope,
                          &s->relaxed, &s->stiffness, &s->candidate, &s->other, &s->plain, &s->best};
    ptrdiff_t count = sizeof vectors / sizeof *vectors;
    double *next = s->memory = calloc((size_t)(count * n + q + 1), sizeof *s->memory);
    s->trails = calloc((size_t)(2 * trail_size), sizeof *s->trails);
    s->columns = calloc((size_t)n + 1, sizeof *s->columns);
    s->work = ew_workspace_new(&s->shared.cells, shared->max_halfspaces);
    int has_heap = node_heap_init(&s->open, n, trail_size);
    if (!has_heap || !s->memory || !s->trails || !s->columns || !s->work) { ew_whole_free(s); return NULL; }
    for (ptrdiff_t i = 0; i < count; i++) { *vectors[i] = next; next += n; }
    s->image = next;
    s->at.trail = s->trails;
    s->trail = s->child.trail = s->trails + trail_size; /* children start where the node in hand ended */
    return s;
}

void ew_whole_free(whole_search *s) {
    if (!s) return;
    node_heap_free(&s->open);
    free(s->memory);
    free(s->trails);
    free(s->columns);
    ew_workspace_free(s->work);
    free(s);
}

/* Open the child if it is not empty and may hold something better. */
static void push(whole_search *s, const ew_whole_row *row, node *child) {
    for (ptrdiff_t i = 0; i < s->n; i++)
        if (child->lower[i] > child->upper[i]) return;
    if (!isfinite(child->bound) || !narrow_by_clauses(s, row, child)) return;
    if (!is_worth(s, row, child->bound)) s->settled = fmin(s->settled, child->bound);
    else if (!node_heap_push(&s->open, child)) s->out_of_memory = 1;
}

/* Make the child a copy of the node in hand, whose path has ended. */
static inline void copy_node(whole_search *s) {
    size_t size = (size_t)s->n * sizeof(double);
    s->child.bound = s->at.bound;
    s->child.cone = s->at.cone;
    s->child.part = s->at.part;
    memcpy(s->child.lower, s->at.lower, size);
    memcpy(s->child.upper, s->at.upper, size);
}

/* A child with other limits of one feature. */
static void push_limited(whole_search *s, const ew_whole_row *row, ptrdiff_t i, double low, double high) {
    copy_node(s);
    s->child.lower[i] = fmax(s->child.lower[i], low);
    s->child.upper[i] = fmin(s->child.upper[i], high);
    push(s, row, &s->child);
}

/* The cells of a cone. */
static void divide_cone(whole_search *s, const ew_whole_row *row) {
    for (int64_t k = 0; k < row->n_parts; k++) {
        if (!isfinite(row->part_bounds[k]) || !row->possible[s->at.cone * row->n_parts + k]) continue;
        copy_node(s);
        s->child.part = k;
        s->child.bound = fmax(s->child.bound, row->part_bounds[k]);
        for (ptrdiff_t i = 0; i < s->n && row->part_lower; i++) {
            s->child.lower[i] = fmax(s->child.lower[i], row->part_lower[k * s->n + i]);
            s->child.upper[i] = fmin(s->child.upper[i], row->part_upper[k * s->n + i]);
        }
        push(s, row, &s->child);
    }
}

/* Below and above a fractional number; a row's own value may stay even if it is not whole itself. */
static void divide_number(whole_search *s, const ew_whole_row *row, ptrdiff_t i) {
    double value = s->relaxed[i], own = row->own[i];
    push_limited(s, row, i, -HUGE_VAL, floor(value));
    push_limited(s, row, i, ceil(value), HUGE_VAL);
    if (own != rint(own) && s->at.lower[i] <= own && own <= s->at.upper[i]) push_limited(s, row, i, own, own);
}

/* The literals of a clause that are possible in the node. */
static void divide_clause(whole_search *s, const ew_whole_row *row, int64_t clause) {
    for (int64_t k = s->shared.first_literal[clause]; k < s->shared.first_literal[clause + 1]; k++) {
        copy_node(s);
        if (keep_literal(s, row, &s->child, k)) push(s, row, &s->child);
    }
}

/* Around the value of the number that moves most: the relaxed point is whole and yet no answer, or there is none. 0 if
 * the node is a single point. */
static int divide_around(whole_search *s, const ew_whole_row *row) {
    ptrdiff_t widest = -1;
    double most = -1, whole = 0;
    for (ptrdiff_t i = 0; i < s->n; i++) {
        if (!(s->at.lower[i] < s->at.upper[i])) continue;
        double value = s->has_point ? s->relaxed[i] : fmin(fmax(row->own[i], s->at.lower[i]), s->at.upper[i]);
        if (fabs(value - row->own[i]) > most) { most = fabs(value - row->own[i]); widest = i; whole = rint(value); }
    }
    if (widest < 0) return 0;
    push_limited(s, row, widest, -HUGE_VAL, whole - 1);
    push_limited(s, row, widest, whole, whole);
    push_limited(s, row, widest, whole + 1, HUGE_VAL);
    double own = row->own[widest];
    if (own != rint(own) && s->at.lower[widest] <= own && own <= s->at.upper[widest])
        push_limited(s, row, widest, own, own);
    return 1;
}

/* What dividing at feature i gains, by an estimate: the sum of what its two sides cost (their product, or the lesser of
 * them, takes a tenth or a fifth more nodes). */
static inline double gain(const whole_search *s, const ew_whole_row *row, ptrdiff_t i) {
    double value = s->relaxed[i], price = s->shared.prices[i], room = 2 * (row->limit - s->at.bound);
    double down = (value - floor(value)) * price, up = (ceil(value) - value) * price;
    return fmin(down * down * s->stiffness[i], room) + fmin(up * up * s->stiffness[i], room);
}

/* The feature to divide at: the one that gains most; without an estimate, the one that costs most to make whole. -1 if
 * all are. */
static ptrdiff_t chosen_feature(const whole_search *s, const ew_whole_row *row) {
    ptrdiff_t best = -1;
    double largest = 0, largest_gain = 0;
    for (ptrdiff_t i = 0; i < s->n; i++) {
        double size = fraction(s, row, i);
        if (size == 0) continue;
        double gained = gain(s, row, i);
        if (gained > largest_gain || (largest_gain == 0 && size > largest)) {
            largest_gain = gained;
            largest = size;
            best = i;
        }
    }
    return best;
}

/* How far points of the node in hand may be from the row: no farther than its box and its cone go. */
static double reach_of(const whole_search *s, const ew_whole_row *row) {
    double reach = 0;
    for (ptrdiff_t i = 0; i < s->n; i++) {
        double extent = fmax(fabs(s->low[i]), fabs(s->high[i]));
        reach += row->first_cone < 0 ? extent : fmin(extent, row->reach[s->at.cone * s->n + i]);
    }
    return reach;
}

/* Project onto the node in hand. */
static void relax(whole_search *s, const ew_whole_row *row) {
    const ew_whole *w = &s->shared;
    ptrdiff_t n = s->n;
    for (ptrdiff_t i = 0; i < n; i++) { /* limits so far away would blur every sum in which they occur */
        double low = s->at.lower[i], high = s->at.upper[i];
        s->low[i] = low <= -w->is.far_away ? -HUGE_VAL : (low - row->own[i]) * w->prices[i];
        s->high[i] = high >= w->is.far_away ? HUGE_VAL : (high - row->own[i]) * w->prices[i];
    }
    double beyond = w->is.reach_slack * reach_of(s, row); /* a cell that is so far away is empty */
    ew_instance e = {.x0 = row->x0, .lower = s->low, .upper = s->high, .margin = w->margin, .v = s->v,
                     .cutoff = fmin(row->limit, isfinite(beyond) ? nextafter(beyond, HUGE_VAL) : HUGE_VAL),
                     .slope = s->slope, .start = s->at.trail, .end = s->trail,
                     .stiffness = s->stiffness};
    e.polyhedra[0] = s->at.part < 0 ? -1 : row->first_polyhedron + s->at.part;
    e.polyhedra[1] = -1;
    e.cone = row->first_cone < 0 ? -1 : row->first_cone + s->at.cone;
    s->shared.cells.radii = row->radii;
    ew_project(&w->cells, &e, s->work);
    s->has_point = (e.status == EW_OPTIMAL || e.status == EW_STALLED) && isfinite(e.value);
    s->has_slopes = s->has_point;
    for (ptrdiff_t i = 0; i < n; i++) {
        s->has_slopes &= isfinite(s->slope[i]) != 0;
        double value = row->own[i] + s->v[i] / w->prices[i];
        s->has_point &= fabs(value) <= w->is.far_away;
        s->relaxed[i] = fmin(fmax(s->v[i] == 0 ? row->own[i] : value, s->at.lower[i]), s->at.upper[i]);
    }
    int is_empty = isfinite(beyond) ? e.bound > beyond : e.status == EW_INFEASIBLE;
    s->proven = is_empty ? HUGE_VAL : e.bound;
    s->at.bound = fmax(s->at.bound, s->proven);
}

/* Close a node with nothing left to divide: a single point, an answer or none. */
static void close_single(whole_search *s, const ew_whole_row *row) {
    int64_t part, cone;
    if (is_member(s, row, s->at.lower, &part, &cone)) s->settled = fmin(s->settled, s->at.bound);
}

static int is_single(const whole_search *s) {
    for (ptrdiff_t i = 0; i < s->n; i++)
        if (s->at.lower[i] != s->at.upper[i]) return 0;
    return 1;
}

/* Divide the node in hand, which may still hold something better. */
static void divide(whole_search *s, const ew_whole_row *row) {
    int is_alone = s->at.part < 0 && row->use_region;
    leave_out_costly_moves(s, row);
    if (is_alone) {
        divide_cone(s, row);
        return;
    }
    ptrdiff_t feature = s->has_point ? chosen_feature(s, row) : -1;
    if (feature >= 0) {
        divide_number(s, row, feature);
        return;
    }
    int64_t clause = -1;
    if (s->has_point) {
        for (ptrdiff_t i = 0; i < s->n; i++) s->candidate[i] = s->relaxed[i] == row->own[i] ? row->own[i] : rint(s->relaxed[i]);
        clause = broken_clause(s, row, &s->at, s->candidate);
    }
    if (clause >= 0) divide_clause(s, row, clause);
    else if (!divide_around(s, row)) close_single(s, row);
}

/* Take the cheapest node. */
static void step(whole_search *s, ew_whole_row *row) {
    node_heap_pop(&s->open, &s->at);
    row->n_nodes++;
    relax(s, row);
    int is_alone = s->at.part < 0 && row->use_region;
    if (is_alone) row->model_free[s->at.cone] = fmax(row->model_free[s->at.cone], s->proven);
    if (!isfinite(s->at.bound)) return;
    if (s->has_point) round_relaxed(s, row);
    if (!is_worth(s, row, s->at.bound)) s->settled = fmin(s->settled, s->at.bound);
    else if (!is_alone && is_single(s)) close_single(s, row);
    else divide(s, row);
}

int ew_whole_open(whole_search *s, ew_whole_row *row) {
    node_heap_clear(&s->open);
    s->settled = HUGE_VAL;
    s->out_of_memory = 0;
    row->value = row->bound = HUGE_VAL;
    row->part = row->cone = -1;
    row->n_nodes = 0;
    double nearest = 0;
    if (row->use_region) {
        nearest = HUGE_VAL;
        for (int64_t k = 0; k < row->n_parts; k++) nearest = fmin(nearest, row->part_bounds[k]);
    }
    memcpy(s->at.lower, row->lower, (size_t)s->n * sizeof *row->lower);
    memcpy(s->at.upper, row->upper, (size_t)s->n * sizeof *row->upper);
    s->at.part = s->at.cone = 0;
    s->trail[0] = -1;
    for (int64_t j = 0; j < row->n_cones; j++) {
        row->model_free[j] = row->first_cone < 0 ? HUGE_VAL : row->cone_bounds[j];
        s->at.cone = j;
        s->at.part = -1;
        s->at.bound = fmax(nearest, row->cone_bounds[j]);
        copy_node(s);
        if (row->first_cone < 0 && row->use_region) divide_cone(s, row); /* without a density, its parts */
        else push(s, row, &s->child);
    }
    return !s->out_of_memory;
}

int ew_whole_go_on(whole_search *s, ew_whole_row *row, int64_t n_nodes) {
    while (is_worth(s, row, node_heap_cheapest(&s->open))) {
        if (row->n_nodes >= s->shared.is.most_nodes || n_nodes-- <= 0) return EW_WHOLE_OPEN;
        step(s, row);
        if (s->out_of_memory) return EW_WHOLE_NO_MEMORY;
        if (row->any_point && isfinite(row->value)) break;
    }
    return EW_WHOLE_DONE;
}

void ew_whole_close(whole_search *s, ew_whole_row *row) {
    row->bound = fmin(fmin(s->settled, node_heap_cheapest(&s->open)), row->value);
}
