#include "compact.h"

#include <math.h>
#include <string.h>

#include "slots.h"

/* Room for the cells that are left. */
static void take_cells(const ew_walk *w, int has_cone, ew_compact *c)
{
    const ew_forest *f = w->f;
    c->var = EW_TAKE(w->arena, int32_t, f->n_vars);
    c->is_ordered = EW_TAKE(w->arena, uint8_t, f->n_vars);
    c->first_cell = EW_TAKE(w->arena, int32_t, f->n_vars + 1);
    c->original = EW_TAKE(w->arena, int32_t, f->first_cell[f->n_vars]);
    c->cost = EW_TAKE(w->arena, double, f->first_cell[f->n_vars]);
    c->first_original = EW_TAKE(w->arena, int32_t, f->first_cell[f->n_vars]);
    c->last_original = EW_TAKE(w->arena, int32_t, f->first_cell[f->n_vars]);
    c->low = EW_TAKE(w->arena, double, has_cone ? f->first_cell[f->n_vars] : 0);
    c->high = EW_TAKE(w->arena, double, has_cone ? f->first_cell[f->n_vars] : 0);
    c->penalty = EW_TAKE(w->arena, double, has_cone ? f->first_cell[f->n_vars] : 0);
    c->compact_of = EW_TAKE(w->arena, int32_t, f->first_cell[f->n_vars]);
    memset(c->compact_of, -1, sizeof(int32_t) * (size_t)f->first_cell[f->n_vars]);
}

/* Say what the cells of a variable are, `last` being the number of its last one, from `here` on. */
static void put_cells(const ew_walk *w, int32_t i, int32_t here, int32_t last, const ew_cells *cells,
                      const int32_t *place, ew_compact *c)
{
    const int32_t first = w->f->first_cell[i];
    for (int32_t k = 0; k <= last; k++) {
        c->cost[here + k] = INFINITY;
        c->first_original[here + k] = -1;
    }
    for (int32_t k = 0; k < w->n_reached[i]; k++) {
        const int32_t cell = here + place[first + k], original = first + w->reached[first + k];
        const double cost = ew_reached_cost(w, i, k);
        c->compact_of[original] = cell;
        if (cells && c->first_original[cell] < 0) {
            c->low[cell] = cells->low[original];
            c->penalty[cell] = cells->penalty[original];
        }
        if (cells)
            c->high[cell] = cells->high[original];
        if (c->first_original[cell] < 0)
            c->first_original[cell] = w->reached[first + k];
        c->last_original[cell] = w->reached[first + k];
        if (cost < c->cost[cell]) {
            c->cost[cell] = cost;
            c->original[cell] = w->reached[first + k];
        }
    }
}

/* Number the cells that are left; `place` is where reached cells go within their variable. */
static void sort_out_cells(const ew_walk *w, const uint8_t *starts, const ew_cells *cells, int32_t *place, ew_compact *c)
{
    const ew_forest *f = w->f;
    take_cells(w, cells != NULL, c);
    for (int32_t i = 0; i < f->n_vars; i++) {
        const int32_t first = f->first_cell[i];
        int32_t last = -1;
        for (int32_t k = 0; k < w->n_reached[i]; k++) {
            last += k == 0 || starts[first + k];
            place[first + k] = last;
        }
        if (last == 0 && !cells) {
            c->fixed_cost += w->least[i];
            continue;
        }
        const int32_t here = c->first_cell[c->n_vars];
        put_cells(w, i, here, last, cells, place, c);
        c->var[c->n_vars] = i;
        c->is_ordered[c->n_vars] = f->is_ordered[i];
        c->first_cell[++c->n_vars] = here + last + 1;
    }
    c->n_cells = c->first_cell[c->n_vars];
}

/* Whether two leaves give the same: to all conditions, and, as lines above links may be flat where links are not, to the
 * scores that links are of. */
static int give_the_same(const ew_forest *f, int32_t a, int32_t b)
{
    const size_t R = (size_t)f->n_rows, n = (size_t)f->n_scores;
    if (memcmp(f->gain + (size_t)a * R, f->gain + (size_t)b * R, sizeof(double) * R) != 0)
        return 0;
    for (int32_t k = 0; k < f->n_decisions; k++)
        if (f->decisions[k].kind == EW_MEAN)
            return memcmp(f->leaf + (size_t)a * n, f->leaf + (size_t)b * n, sizeof(double) * n) == 0;
    return 1;
}

/* Find the leaves of a tree that are left, those from `from` on of all that were found. If all give the same, the tree
 * is a constant, else it is kept. Returns 0 if there are none. */
static int sort_out_tree(ew_walk *w, int32_t tree, int32_t from, ew_compact *c)
{
    const ew_forest *f = w->f;
    const size_t R = (size_t)f->n_rows;
    const int64_t n_passed_by = w->n_passed_by;
    ew_walk_tree(w, tree);
    const int32_t to = (int32_t)w->leaves.n, *leaf = w->leaves.items;
    if (to == from)
        return 0;
    const double *first = f->gain + (size_t)leaf[from] * R;
    int is_constant = w->n_passed_by == n_passed_by; /* else it tells the leaves that are left from those that are gone */
    for (int32_t l = from + 1; l < to; l++)
        is_constant &= give_the_same(f, leaf[l], leaf[from]);
    if (!is_constant) {
        c->tree[c->n_trees++] = tree;
        return 1;
    }
    for (size_t r = 0; r < R; r++)
        c->constant[r] += first[r];
    for (int32_t l = from; l < to; l++)
        c->has_exact_constants &= f->is_exact[leaf[l]];
    return 1;
}

/* The same for a rule, which is kept if it may be broken. */
static int sort_out_rule(ew_walk *w, int32_t rule, int32_t from, ew_compact *c)
{
    if (!ew_walk_rule(w, rule))
        return 1;
    c->tree[c->n_trees++] = w->f->n_trees + rule;
    return (int32_t)w->leaves.n > from;
}

/* Where cells of a number start that lie beyond a gap: together they would seem to hold all that is between. */
static void start_beyond_gaps(const ew_walk *w, const ew_cells *cells, int32_t i, uint8_t *starts)
{
    const int32_t first = w->f->first_cell[i], *reached = w->reached + first;
    for (int32_t k = 1; k < w->n_reached[i]; k++) /* the next multiple of a step is not beyond one */
        starts[first + k] |= cells->low[first + reached[k]] - cells->high[first + reached[k - 1]] > 1.5 * cells->step[i];
}

/* Where cells that some tree tells apart start, for all cells that can be reached. */
static uint8_t *starts_of_cells(const ew_walk *w, const int32_t *first_found, const ew_cells *cells, const ew_compact *c)
{
    const ew_forest *f = w->f;
    uint8_t *starts = EW_TAKE(w->arena, uint8_t, f->first_cell[f->n_vars] + 1);
    for (int32_t i = 0; i < f->n_vars; i++)
        if (f->has_tables[i] || (cells && !f->is_ordered[i]))
            memset(starts + f->first_cell[i], 1, (size_t)w->n_reached[i]);
        else if (cells)
            start_beyond_gaps(w, cells, i, starts);
    const int32_t *first_condition = w->first_condition.items;
    const ew_condition *conditions = w->conditions.items;
    for (int32_t t = 0; t < c->n_trees; t++) {
        const int32_t end = ew_conditions_end(w, first_found[c->tree[t] + 1] - 1);
        for (int32_t e = first_condition[first_found[c->tree[t]]]; e < end; e++) {
            const int32_t first = f->first_cell[conditions[e].var];
            starts[first + conditions[e].low] = 1;
            if (conditions[e].high + 1 < w->n_reached[conditions[e].var])
                starts[first + conditions[e].high + 1] = 1;
        }
    }
    return starts;
}

int ew_compact_build(const ew_forest *f, const double *cost, const int32_t *own, const uint8_t *is_gone, double limit,
                     const ew_cells *cells, const ew_clock *clock, ew_arena *arena, ew_compact *c)
{
    memset(c, 0, sizeof *c);
    c->forest = f;
    c->n_rows = f->n_rows;
    c->has_exact_constants = 1;
    ew_walk w;
    if (!ew_walk_open(&w, f, cost, own, limit, arena))
        return EW_NOTHING_SO_NEAR;
    w.is_gone = is_gone;
    const int32_t n_all = f->n_trees + (f->rules ? f->rules->n_rules : 0);
    int32_t *first_found = EW_TAKE(arena, int32_t, n_all + 1);
    c->tree = EW_TAKE(arena, int32_t, n_all);
    c->constant = EW_TAKE(arena, double, f->n_rows);
    for (int32_t t = 0; t < n_all; t++) {
        if (ew_is_time_over(clock))
            return EW_LATE;
        const int is_left = t < f->n_trees ? sort_out_tree(&w, t, first_found[t], c)
                                           : sort_out_rule(&w, t - f->n_trees, first_found[t], c);
        if (!is_left)
            return EW_NOTHING_SO_NEAR;
        first_found[t + 1] = (int32_t)w.leaves.n;
    }
    int32_t *place = EW_TAKE(arena, int32_t, f->first_cell[f->n_vars]);
    sort_out_cells(&w, starts_of_cells(&w, first_found, cells, c), cells, place, c);
    return ew_put_slots(&w, first_found, place, clock, c) ? EW_BUILT : EW_LATE;
}
