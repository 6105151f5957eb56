/* One compact problem: built for points nearer than the incumbent, and searched box by box. */
#include "state.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* With a cone, a row that the trees accept already may have to move all the same: scores needed for a first price. */
static const double LEAST_NEED = 0.05;
/* Times the bound beyond which a point is far. */
static const double FAR = 2.0;
/* Boxes between two pauses grow by this factor. */
enum { PAUSE_FACTOR = 4 };

void ew_open_problem(ew_state *w)
{
    ew_compact *c = &w->c;
    w->heap = NULL;
    w->n_open = w->room = 0;
    w->free_boxes = NULL;
    w->free_snapshots = NULL;
    w->first = NULL;
    w->kept = 0;
    ew_dual_open(&w->dual, c, &w->arena);
    ew_dual_open(&w->saved, c, &w->arena);
    ew_proof_open(&w->proof, c, &w->arena);
    w->is_dead = EW_TAKE(&w->arena, uint8_t, c->n_leaves);
    ew_prices_open(&w->prices, c, w->row->cone, &w->arena);
    if (w->row->cone) {
        ew_newton_open(&w->newton, c, w->row->cone, &w->arena);
        ew_prices_set(&w->prices, c, w->row->cone, &w->at);
        ew_dual_take_prices(&w->dual, c, &w->prices);
    }
    w->left = EW_TAKE(&w->arena, double, c->n_cells);
    w->right = EW_TAKE(&w->arena, double, c->n_cells);
    w->plain = EW_TAKE(&w->arena, double, c->n_cells);
    w->row_best = EW_TAKE(&w->arena, double, c->n_rows);
    w->needed = EW_TAKE(&w->arena, double, c->n_rows);
    memcpy(w->needed, w->f->least, sizeof(double) * (size_t)c->n_rows);
    w->step = 0.5;
    w->direction = 1;
}

void ew_first_dual(ew_state *w)
{
    const ew_forest *f = w->f;
    double *score = EW_TAKE(&w->arena, double, (size_t)f->n_rows * 2), sum = 0.0, need = 0.0;
    double *along = EW_TAKE(&w->arena, double, (size_t)(f->first_cell[1] - f->first_cell[0] + 1) * (size_t)f->n_rows);
    ew_along(f, w->best.own, 0, along);
    memcpy(score, along + (size_t)w->best.own[0] * (size_t)f->n_rows, sizeof(double) * (size_t)f->n_rows);
    for (int32_t r = 0; r < f->n_rows; r++)
        sum += fmax(0.0, f->least[r] - score[r]);
    for (int32_t r = 0; r < f->n_rows; r++) {
        const double share = sum > 0.0 ? fmax(0.0, f->least[r] - score[r]) / sum : 1.0 / f->n_rows;
        w->dual.pi[r] = 0.98 * share + 0.02 / f->n_rows;
        need += w->dual.pi[r] * (f->least[r] - score[r]);
    }
    w->dual.mu = 2.0 * fmax(need, w->row->cone ? LEAST_NEED : 1e-6) / fmax(fmin(w->best.value, w->scale), DBL_MIN * 1e10);
    ew_dual_weigh(&w->dual, &w->c);
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
    const double bound = fmin(fmin(w->settled, b->bound), w->n_open ? w->heap[0]->bound : INFINITY);
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

/* Build the compact problem for points nearer than the incumbent. Returns 0 if there are none, or no time is left. */
static int build(ew_state *w)
{
    const ew_cone *cone = w->row->cone;
    const ew_cells cells = {cone ? cone->low : NULL, cone ? cone->high : NULL, cone ? cone->penalty : NULL,
                            cone ? cone->step : NULL};
    const ew_clock clock = {is_late_row, w};
    ew_tell(w, EW_BEGUN, NULL, -1, 0);
    const int built =
        ew_compact_build(w->f, w->row->bound, w->best.own, ew_limit(w), cone ? &cells : NULL, &clock, &w->arena, &w->c);
    if (built == EW_LATE) {
        w->row->status = EW_STOPPED;
        w->settled = w->row->recorder ? 0.0 : fmin(w->settled, w->known);
    }
    return built == EW_BUILT;
}

/* The box that holds everything. */
static ew_box *first_box(ew_state *w)
{
    ew_box *b = ew_new_box(w);
    memset(b->alive, 1, (size_t)w->c.n_cells);
    b->bound = w->row->recorder ? 0.0 : w->known; /* a certificate has the boxes of the last problem alone */
    b->number = w->n_boxes++;
    ew_tell(w, EW_OPENED, b, -1, 0);
    return b;
}

/* Take the open box of the least bound, with its dual; NULL if it is closed at once. */
static ew_box *next_box(ew_state *w)
{
    ew_box *b = ew_pop(w);
    if (b->bound >= ew_limit(w)) {
        ew_close_box(w, b, EW_BY_BOUND);
        return NULL;
    }
    ew_load_dual(w, b->dual ? b->dual : w->first);
    ew_drop_dual(w, b->dual);
    b->dual = NULL;
    return b;
}

double ew_lowest(const ew_state *w)
{
    const double waiting = w->waiting ? w->waiting->bound : INFINITY;
    return fmin(fmin(w->settled, waiting), w->n_open ? w->heap[0]->bound : INFINITY);
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
    w->waiting = NULL;
    return 1;
}

/* Whether the search leaves its open boxes, of which this is the next, for later. */
static int is_pause_due(const ew_state *w, const ew_box *b)
{
    const double lowest = fmin(b->bound, w->n_open ? w->heap[0]->bound : INFINITY);
    return !w->is_root && (w->row->n_nodes == w->pause_at || lowest >= w->row->until);
}

int ew_search_problem(ew_state *w)
{
    ew_box *b = w->is_root ? first_box(w) : w->waiting;
    w->waiting = NULL;
    while (b || w->n_open) {
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
            w->waiting = b;
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
    return EW_DONE;
}
