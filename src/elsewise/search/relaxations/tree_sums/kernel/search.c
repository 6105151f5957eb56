#include "search.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "clock.h"
#include "state.h"

/* Seconds between two looks at whether someone wants the search to end. */
static const double LISTEN_EVERY = 0.05;

int ew_is_late(const ew_state *w)
{
    if (w->row->gave_up)
        return 1;
    if (w->row->n_nodes >= w->row->most_nodes)
        return 1;
    if (w->row->work >= (w->best.has_point ? w->row->most_work : w->row->work_for_point))
        return 1;
    const double time = ew_now();
    if (w->row->is_interrupted && time - w->row->listened > LISTEN_EVERY) {
        w->row->listened = time;
        if (w->row->is_interrupted(w->row->listener)) {
            w->row->gave_up = 1;
            return 1;
        }
    }
    return time - w->started > w->row->seconds + (w->best.has_point ? 0.0 : w->row->grace);
}

/* How far the farthest cells are. Returns 0 if some variable has no cell at all. */
static int find_scale(ew_state *w)
{
    const ew_forest *f = w->f;
    const ew_row *row = w->row;
    double farthest = 0.0;
    int is_possible = 1;
    for (int32_t i = 0; i < f->n_vars; i++) {
        double most = 0.0;
        for (int32_t k = f->first_cell[i]; k < f->first_cell[i + 1]; k++) {
            if (isfinite(row->cost[k]))
                most = fmax(most, row->cost[k]);
            if (row->cone && i < row->cone->n && isfinite(row->bound[k])) /* the cone ends cells */
                most = fmax(most, fmax(fabs(row->cone->low[k]), fabs(row->cone->high[k])));
        }
        farthest += most;
        is_possible &= isfinite(row->cost[f->first_cell[i] + w->own[i]]) != 0;
    }
    w->scale = 2.0 * farthest + DBL_MIN * 1e20;
    return is_possible;
}

/* Room for points and boxes of original cells. */
static void take_room(ew_state *w)
{
    const ew_forest *f = w->f;
    ew_incumbent_open(&w->best, &w->once);
    w->point = EW_TAKE(&w->once, int32_t, f->n_vars);
    w->moves = EW_TAKE(&w->once, double, f->n_vars);
    w->order = EW_TAKE(&w->once, int32_t, f->n_vars);
    w->low = EW_TAKE(&w->once, int32_t, f->n_vars);
    w->high = EW_TAKE(&w->once, int32_t, f->n_vars);
    w->levels = EW_TAKE(&w->once, uint8_t, f->first_cell[f->n_vars]);
}

/* Points to start with. */
static void find_first_points(ew_state *w)
{
    if (w->row->inside) {
        ew_first_points(w);
        return;
    }
    ew_offer(&w->best, w->own);
    ew_single_changes(&w->best);
    ew_greedy_changes(&w->best);
}

/* The largest distance there can be: cells know nothing of prices of changes that columns share, nor of those within the
 * row's own cell. */
static double largest_distance(const ew_state *w)
{
    const ew_row *row = w->row;
    if (!row->inside)
        return w->scale;
    return row->cone ? w->scale + row->most_for_changes : DBL_MAX / 4.0;
}

/* What the boxes that are left, and steps of distances, prove; everything there is is within `all`. */
static void tell_bound(ew_state *w, double all)
{
    ew_row *row = w->row;
    row->lower_bound = fmin(w->settled, ew_limit(w));
    row->lower_bound = fmax(row->lower_bound, fmin(ew_step_from(&w->steps, row->lower_bound),
                                                   w->best.value * (1.0 - row->tolerance) - w->steps.error));
    if (!w->best.has_point && row->cutoff > all)
        row->lower_bound = w->settled;
}

/* Make ready what does not depend on the incumbent, and find first points. Returns 0 if there is nothing to search. */
static int begin(ew_state *w)
{
    const ew_forest *f = w->f;
    ew_row *row = w->row;
    w->settled = INFINITY;
    w->own = EW_TAKE(&w->once, int32_t, f->n_vars);
    ew_find_own(f, row, w->own);
    if (!find_scale(w)) {
        row->lower_bound = INFINITY;
        return 0;
    }
    w->all = largest_distance(w);
    w->best = (ew_incumbent){.forest = f, .cost = row->cost, .bound = row->bound, .own = w->own,
                             .margin = row->margin, .best = row->cells, .value = fmin(row->cutoff, w->all)};
    take_room(w);
    if (row->cone)
        ew_open_cone(w);
    w->at.kappa = row->cone ? 0.1 * fmin(w->best.value, w->scale) / row->cone->squared_radius : 0.0;
    w->next_pause = row->inside ? row->inside->pause_after : -1;
    if (!row->inside)
        ew_steps_find(&w->steps, f, row->cost, row->bound, &w->once);
    find_first_points(w);
    return 1;
}

/* Search until the proof is done, time is over or the slice ends. */
static void search_on(ew_state *w)
{
    ew_row *row = w->row;
    w->started = row->listened = ew_now();
    row->status = EW_PROVEN;
    if (!w->is_begun) {
        w->is_begun = 1;
        if (!begin(w))
            return;
    } else if (row->cutoff < w->best.value) {
        w->best.value = row->cutoff;
        w->best.has_point = row->inside != NULL; /* answers of boxes are kept elsewhere */
    }
    w->pause_at = row->slice > 0 ? row->n_nodes + row->slice : -1;
    for (;;) {
        const int is_young = row->n_nodes - w->built_at < EW_REBUILD_BEFORE;
        if (w->is_open && is_young && w->best.value < w->built_for * (1.0 - EW_REBUILD))
            w->is_open = 0;
        if (!w->is_open) {
            ew_drop_problems(w);
            if (!ew_begin_problem(w))
                break;
        }
        const int end = ew_search_problem(w);
        w->is_open = end == EW_TO_BE_CONTINUED;
        if (w->is_open) {
            row->status = EW_PAUSED;
            row->lower_bound = fmin(ew_lowest(w), ew_limit(w));
            return;
        }
        if (end == EW_DONE)
            break;
    }
    tell_bound(w, w->all);
}

ew_state *ew_open_search(const ew_forest *f, ew_row *row)
{
    ew_state *w = calloc(1, sizeof *w);
    row->has_point = 0;
    row->lower_bound = 0.0;
    row->value = INFINITY;
    row->n_nodes = 0;
    row->work = 0.0;
    row->gave_up = 0;
    row->status = w ? EW_PAUSED : EW_NO_MEMORY;
    if (w) {
        w->f = f;
        w->row = row;
    }
    return w;
}

void ew_go_on(ew_state *w)
{
    jmp_buf no_memory;
    ew_row *row = w->row;
    w->once.no_memory = w->p.arena.no_memory = &no_memory;
    if (setjmp(no_memory) == 0)
        search_on(w);
    else {
        row->lower_bound = 0.0;
        row->status = EW_NO_MEMORY;
    }
    row->has_point = w->best.has_point;
    row->value = w->best.has_point ? w->best.value : INFINITY;
}

void ew_close_search(ew_state *w)
{
    if (!w)
        return;
    ew_drop_problems(w);
    ew_give_back(&w->once);
    free(w);
}

void ew_search(const ew_forest *f, ew_row *row)
{
    row->slice = 0;
    row->until = INFINITY;
    ew_state *w = ew_open_search(f, row);
    if (w)
        ew_go_on(w);
    ew_close_search(w);
}

/* Messages of each original tree to each original cell: n_trees x n_cells. */
static void spread_messages(const ew_forest *f, const ew_compact *c, const double *theta, double *out)
{
    const int32_t n_cells = f->first_cell[f->n_vars];
    for (size_t k = 0; k < (size_t)f->n_trees * (size_t)n_cells; k++)
        out[k] = 0.0;
    for (int32_t s = 0; s < c->n_slots; s++) {
        const int32_t var = c->slot_var[s], first = c->first_cell[var];
        double *of_tree = out + (size_t)c->tree[c->slot_tree[s]] * (size_t)n_cells;
        for (int32_t k = f->first_cell[c->var[var]]; k < f->first_cell[c->var[var] + 1]; k++)
            if (c->compact_of[k] >= 0)
                of_tree[k] = theta[c->first_segment[s] + c->segment_of[c->segments_at[s] + (size_t)(c->compact_of[k] - first)]];
    }
}

int ew_first_bound(const ew_forest *f, ew_row *row, int n_sweeps, double *mu, double *pi, double *theta)
{
    jmp_buf no_memory;
    ew_state *w = calloc(1, sizeof *w);
    volatile int status = EW_NO_MEMORY; /* keeps its value where memory runs out */
    if (!w)
        return status;
    w->once.no_memory = w->p.arena.no_memory = &no_memory;
    if (setjmp(no_memory) == 0) {
        w->f = f;
        w->row = row;
        int32_t *own = EW_TAKE(&w->once, int32_t, f->n_vars);
        ew_find_own(f, row, own);
        w->best = (ew_incumbent){.forest = f, .cost = row->cost, .bound = row->bound, .own = own, .value = row->cutoff};
        w->scale = row->cutoff;
        status = EW_STOPPED;
        row->lower_bound = row->cutoff;
        if (ew_compact_build(f, row->bound, own, NULL, row->cutoff, NULL, NULL, &w->p.arena, &w->p.c) == EW_BUILT) {
            const ew_compact *c = &w->p.c;
            ew_open_problem(w);
            ew_first_dual(w);
            uint8_t *alive = EW_TAKE(&w->p.arena, uint8_t, c->n_cells);
            memset(alive, 1, (size_t)c->n_cells);
            if (ew_dual_enter(&w->p.dual, c, alive, w->p.is_dead, row->cutoff)) {
                ew_dual_refresh(&w->p.dual, c);
                w->p.proof.leaves_votes_out = 1;
                for (int sweep = 0; sweep < n_sweeps; sweep++)
                    ew_dual_sweep(&w->p.dual, c, sweep & 1);
                ew_prove(&w->p.proof, c, alive, w->p.is_dead, row->cutoff, &w->p.prices, w->p.dual.mu, w->p.dual.pi,
                         w->p.dual.theta);
                row->lower_bound = w->p.proof.distance;
                status = EW_PROVEN;
                *mu = w->p.dual.mu;
                memcpy(pi, w->p.dual.pi, sizeof(double) * (size_t)f->n_rows);
                spread_messages(f, c, w->p.dual.theta, theta);
            }
        }
    }
    ew_give_back(&w->p.arena);
    ew_give_back(&w->once);
    free(w);
    return status;
}
