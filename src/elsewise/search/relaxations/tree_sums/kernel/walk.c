#include "walk.h"

#include <math.h>
#include <string.h>

/* Cheapest cell of a variable within the box of the walk; infinite if none is left. */
static double cheapest(const ew_walk *w, int32_t var)
{
    if (w->low[var] > w->high[var])
        return INFINITY;
    if (!w->mask[var] && w->f->is_ordered[var]) {
        int32_t k = w->nearest[var];
        k = k < w->low[var] ? w->low[var] : k > w->high[var] ? w->high[var] : k;
        return ew_reached_cost(w, var, k);
    }
    double best = INFINITY;
    for (int32_t k = w->low[var]; k <= w->high[var]; k++)
        if (!w->mask[var] || w->mask[var][k])
            best = fmin(best, ew_reached_cost(w, var, k));
    return best;
}

/* Whether the box of the walk has all cells of a variable that can be reached. */
static int is_free(const ew_walk *w, int32_t var)
{
    if (w->low[var] != 0 || w->high[var] != w->n_reached[var] - 1)
        return 0;
    for (int32_t k = 0; w->mask[var] && k < w->n_reached[var]; k++)
        if (!w->mask[var][k])
            return 0;
    return 1;
}

static void found_leaf(ew_walk *w, int32_t leaf)
{
    if (w->is_gone && w->is_gone[leaf]) {
        w->n_passed_by++;
        return;
    }
    *(int32_t *)ew_push_item(&w->leaves, sizeof(int32_t), w->arena) = leaf;
    *(int32_t *)ew_push_item(&w->first_condition, sizeof(int32_t), w->arena) = (int32_t)w->conditions.n;
    for (int32_t p = 0; p < w->n_path; p++) {
        const int32_t var = w->path[p];
        int is_first = 1;
        for (int32_t q = 0; q < p; q++)
            is_first &= w->path[q] != var;
        if (!is_first || is_free(w, var))
            continue;
        ew_condition *e = ew_push_item(&w->conditions, sizeof(ew_condition), w->arena);
        e->var = var;
        e->low = w->low[var];
        e->high = w->high[var];
        e->mask = -1;
        if (w->mask[var]) {
            e->mask = (int64_t)w->masks.n;
            for (int32_t k = 0; k < w->n_reached[var]; k++)
                *(uint8_t *)ew_push_item(&w->masks, 1, w->arena) =
                    w->mask[var][k] && k >= w->low[var] && k <= w->high[var];
        }
    }
}

/* Walk into what the box leaves of a subtree, `spent` being the least cost of the box. */
static void enter(ew_walk *w, int32_t node, double spent)
{
    const ew_forest *f = w->f;
    if (f->var[node] < 0) {
        found_leaf(w, f->left[node]);
        return;
    }
    const int32_t var = f->var[node], first = f->first_cell[var];
    const int32_t low = w->low[var], high = w->high[var];
    uint8_t *mask = w->mask[var];
    const double own = w->spent[var];
    w->path[w->n_path++] = var;
    for (int side = 0; side < 2; side++) {
        if (f->table[node] < 0) {
            int32_t split = w->before[first + var + f->cut[node] + 1]; /* cells up to the cut, counted */
            if (side == 0)
                w->high[var] = high < split - 1 ? high : split - 1;
            else
                w->low[var] = low > split ? low : split;
        } else {
            uint8_t *part = EW_TAKE(w->arena, uint8_t, w->n_reached[var]);
            for (int32_t k = low; k <= high; k++)
                part[k] = (!mask || mask[k]) && (f->tables[f->table[node] + w->reached[first + k]] != 0) == !side;
            w->mask[var] = part;
        }
        w->spent[var] = cheapest(w, var);
        const double total = spent - own + w->spent[var];
        if (total < w->limit)
            enter(w, side == 0 ? f->left[node] : f->right[node], total);
        w->low[var] = low;
        w->high[var] = high;
        w->mask[var] = mask;
        w->spent[var] = own;
    }
    w->n_path--;
}

/* Cells that a point nearer than the limit can have. Returns 0 if a variable has none. */
static int reach(ew_walk *w, const int32_t *own)
{
    const ew_forest *f = w->f;
    w->base = 0.0;
    for (int32_t i = 0; i < f->n_vars; i++) {
        w->least[i] = w->cost[f->first_cell[i] + own[i]];
        w->base += w->least[i];
    }
    for (int32_t i = 0; i < f->n_vars; i++) {
        const int32_t first = f->first_cell[i], n = f->first_cell[i + 1] - first;
        int32_t count = 0;
        for (int32_t k = 0; k < n; k++) {
            w->before[first + i + k] = count;
            if (w->base - w->least[i] + w->cost[first + k] < w->limit) {
                if (k == own[i])
                    w->nearest[i] = count;
                w->reached[first + count++] = k;
            }
        }
        w->before[first + i + n] = count;
        w->n_reached[i] = count;
        w->high[i] = count - 1;
        w->spent[i] = w->least[i];
        if (count == 0)
            return 0;
    }
    return 1;
}

int ew_walk_open(ew_walk *w, const ew_forest *f, const double *cost, const int32_t *own, double limit, ew_arena *arena)
{
    const int32_t n_cells = f->first_cell[f->n_vars];
    *w = (ew_walk){.f = f, .arena = arena, .limit = limit, .cost = cost};
    w->n_reached = EW_TAKE(arena, int32_t, f->n_vars);
    w->before = EW_TAKE(arena, int32_t, n_cells + f->n_vars);
    w->reached = EW_TAKE(arena, int32_t, n_cells);
    w->least = EW_TAKE(arena, double, f->n_vars);
    w->nearest = EW_TAKE(arena, int32_t, f->n_vars);
    w->low = EW_TAKE(arena, int32_t, f->n_vars);
    w->high = EW_TAKE(arena, int32_t, f->n_vars);
    w->mask = EW_TAKE(arena, uint8_t *, f->n_vars);
    w->spent = EW_TAKE(arena, double, f->n_vars);
    w->path = EW_TAKE(arena, int32_t, f->deepest);
    return reach(w, own);
}

void ew_walk_tree(ew_walk *w, int32_t tree)
{
    enter(w, w->f->root[tree], w->base);
}
