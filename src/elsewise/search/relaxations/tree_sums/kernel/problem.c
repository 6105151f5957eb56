/* One compact problem: built for points nearer than the incumbent, and searched box by box. */
#include "state.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* With a cone, a row that the trees accept already may have to move all the same: scores needed for a first price. */
static const double LEAST_NEED = 0.05;
/* Times the bound beyond which a point is far. */
static const double FAR = 2.0;
/* Work of building a problem, for each of its conditions. */
static const double BUILD_WORK = 4.0;
/* Boxes between two pauses grow by this factor. */
enum { PAUSE_FACTOR = 4 };

void ew_open_problem(ew_state *w)
{
    ew_compact *c = &w->p.c;
    w->p.heap = NULL;
    w->p.n_open = w->p.room = 0;
    w->p.free_boxes = NULL;
    w->p.free_snapshots = NULL;
    w->p.first = NULL;
    w->p.kept = 0;
    ew_dual_open(&w->p.dual, c, &w->p.arena);
    ew_dual_open(&w->p.saved, c, &w->p.arena);
    ew_proof_open(&w->p.proof, c, &w->p.arena);
    w->p.dual.work = &w->row->work;
    w->p.is_dead = EW_TAKE(&w->p.arena, uint8_t, c->n_leaves);
    ew_prices_open(&w->p.prices, c, w->row->cone, &w->p.arena);
    if (w->row->cone) {
        ew_newton_open(&w->p.newton, c, w->row->cone, &w->p.arena);
        ew_prices_set(&w->p.prices, c, w->row->cone, &w->at);
        ew_dual_take_prices(&w->p.dual, c, &w->p.prices);
    }
    w->p.left = EW_TAKE(&w->p.arena, double, c->n_cells);
    w->p.right = EW_TAKE(&w->p.arena, double, c->n_cells);
    w->p.plain = EW_TAKE(&w->p.arena, double, c->n_cells);
    w->p.row_best = EW_TAKE(&w->p.arena, double, c->n_rows);
    w->p.needed = EW_TAKE(&w->p.arena, double, c->n_rows);
    memcpy(w->p.needed, w->f->least, sizeof(double) * (size_t)c->n_rows);
    w->p.step = 0.5;
    w->p.direction = 1;
}

void ew_first_dual(ew_state *w)
{
    const ew_forest *f = w->f;
    double *score = EW_TAKE(&w->p.arena, double, (size_t)f->n_rows * 2), sum = 0.0, need = 0.0;
    double *along = EW_TAKE(&w->p.arena, double, (size_t)(f->first_cell[1] - f->first_cell[0] + 1) * (size_t)f->n_rows);
    ew_along(f, w->best.own, 0, along);
    memcpy(score, along + (size_t)w->best.own[0] * (size_t)f->n_rows, sizeof(double) * (size_t)f->n_rows);
    for (int32_t r = 0; r < f->n_rows; r++)
        sum += fmax(0.0, f->least[r] - score[r]);
    for (int32_t r = 0; r < f->n_rows; r++) {
        const double share = sum > 0.0 ? fmax(0.0, f->least[r] - score[r]) / sum : 1.0 / f->n_rows;
        w->p.dual.pi[r] = 0.98 * share + 0.02 / f->n_rows;
        need += w->p.dual.pi[r] * (f->least[r] - score[r]);
    }
    w->p.dual.mu = 2.0 * fmax(need, w->row->cone ? LEAST_NEED : 1e-6) / fmax(fmin(w->best.value, w->scale), DBL_MIN * 1e10);
    ew_dual_weigh(&w->p.dual, &w->p.c);
}

void ew_find_own(const ew_forest *f, const ew_row *row, int32_t *own)
{
    for (int32_t i = 0; i < f->n_vars; i++) {
        own[i] = 0;
        for (int32_t k = 1; k < f->first_cell[i + 1] - f->first_cell[i]; k++)
            if (row->cost[f->first_cell[i] + k] < row->cost[f->first_cell[i] + own[i]])
                own[i] = k;
    }
}

/* Let others look for better answers. Returns 1 if the problem is to be built anew. */
static int pause(ew_state *w, const ew_box *b, double built_for)
{
    const ew_inside *inside = w->row->inside;
    const double bound = fmin(ew_lowest(w), b->bound);
    int is_narrower = 0;
    const double value = inside->pause(inside->context, bound, &is_narrower);
    if (isnan(value))
        w->row->gave_up = 1;
    const int is_better = ew_take_value(w, value);
    if (is_narrower)
        ew_find_own(w->f, w->row, w->own);
    return is_narrower || (is_better && value < built_for * (1.0 - EW_REBUILD));
}

static int is_late_row(const void *state)
{
    return ew_is_late(state);
}

/* See how much nearer another point has to be. */
static void find_step_below(ew_state *w)
{
    if (w->below_of != w->best.value) {
        w->below = ew_step_below(&w->steps, w->best.value);
        w->below_of = w->best.value;
    }
}

int ew_build(ew_state *w, const ew_clock *clock)
{
    const ew_cone *cone = w->row->cone;
    const ew_cells cells = {cone ? cone->low : NULL, cone ? cone->high : NULL, cone ? cone->penalty : NULL,
                            cone ? cone->step : NULL};
    return ew_compact_build(w->f, w->p.bound, w->p.own, w->p.is_gone, ew_limit(w), cone ? &cells : NULL, clock, &w->p.arena,
                            &w->p.c);
}

/* Build the problem of everything. Returns 0 if nothing is so near, or no time is left. */
static int build(ew_state *w)
{
    const ew_clock clock = {is_late_row, w};
    w->p.bound = w->row->bound;
    w->p.own = w->own;
    const int built = ew_build(w, &clock);
    if (built == EW_BUILT)
        w->row->work += BUILD_WORK * w->p.c.first_condition[w->p.c.n_slots];
    if (built == EW_LATE) {
        w->row->status = EW_STOPPED;
        w->settled = fmin(w->settled, w->known);
    }
    return built == EW_BUILT;
}

/* The box that holds everything. */
static ew_box *first_box(ew_state *w)
{
    ew_box *b = ew_new_box(w);
    memset(b->alive, 1, (size_t)w->p.c.n_cells);
    b->bound = w->known;
    b->number = w->n_boxes++;
    w->p.number = -1;
    return b;
}

/* Take the open box of the least bound, with its dual; NULL if it is closed at once, or a problem that was left. */
static ew_box *next_box(ew_state *w)
{
    ew_box *b = ew_pop(w);
    if (b->bound >= ew_limit(w)) {
        ew_close_box(w, b);
        return NULL;
    }
    if (b->within) {
        ew_return_to(w, b);
        return NULL;
    }
    ew_load_dual(w, b->dual ? b->dual : w->p.first);
    ew_drop_dual(w, b->dual);
    b->dual = NULL;
    return b;
}

/* Nothing that is open is nearer than this. */
static double lowest_open(const ew_state *w)
{
    double lowest = w->p.waiting ? w->p.waiting->bound : INFINITY;
    for (const ew_problem *p = &w->p; p; p = p->outer)
        lowest = p->n_open ? fmin(lowest, p->heap[0]->bound) : lowest;
    return lowest;
}

double ew_lowest(const ew_state *w)
{
    return fmin(w->settled, lowest_open(w));
}

int ew_begin_problem(ew_state *w)
{
    find_step_below(w);
    w->built_for = w->best.value;
    w->built_at = w->row->n_nodes;
    if (!build(w))
        return 0;
    ew_open_problem(w);
    ew_first_dual(w);
    w->is_root = 1;
    w->p.waiting = NULL;
    return 1;
}

/* Whether the search leaves its open boxes, of which this is the next, for later. */
static int is_pause_due(const ew_state *w, const ew_box *b)
{
    const double lowest = fmin(b->bound, lowest_open(w));
    return !w->is_root && (w->row->n_nodes == w->pause_at || lowest >= w->row->until);
}

int ew_search_problem(ew_state *w)
{
    ew_box *b = w->is_root ? first_box(w) : w->p.waiting;
    w->p.waiting = NULL;
    for (;;) {
        if (!b && !w->p.n_open && !w->p.outer)
            return EW_DONE;
        if (!b && w->p.outer && (!w->p.n_open || ew_is_left(w))) {
            if (w->p.n_open)
                ew_leave(w);
            else
                ew_end_within(w);
            continue;
        }
        if (!b && !(b = next_box(w)))
            continue;
        const double lowest = fmin(ew_lowest(w), b->bound);
        const int is_far = w->row->n_nodes == w->row->far_after && lowest > 0.0 && w->best.value > FAR * lowest;
        if (is_far || ew_is_late(w)) {
            w->row->status = EW_STOPPED;
            w->settled = lowest;
            return EW_DONE;
        }
        w->known = fmax(w->known, lowest);
        if (is_pause_due(w, b)) { /* where it is: what was begun depth-first is ended so */
            w->p.waiting = b;
            return EW_TO_BE_CONTINUED;
        }
        w->row->n_nodes++;
        if (w->row->inside && w->row->n_nodes == w->next_pause) {
            w->next_pause *= PAUSE_FACTOR;
            if (pause(w, b, w->built_for))
                return EW_BUILD_ANEW;
        }
        find_step_below(w);
        ew_box *next;
        if (ew_look_into(w, b, w->is_root, w->built_for, &next))
            return EW_BUILD_ANEW;
        b = next;
        w->is_root = 0;
    }
}
