/* Points that are dense and accepted: boxes around points in which trees keep deciding so, and projections onto them. */
#include "dense.h"

#include <math.h>
#include <string.h>

/* Rounds of a walk. */
enum { MOST_ROUNDS = 30 };
/* Work of asking about a box: as much as that many conditions. */
static const double ASK_WORK = 1e4;
/* Boxes that are remembered to have been offered. */
enum { OFFERS_KEPT = 1 << 14 };

/* ---- boxes of original cells ---- */

void ew_whole_box(ew_state *w)
{
    const ew_forest *f = w->f;
    for (int32_t i = 0; i < f->n_vars; i++) {
        w->low[i] = 0;
        w->high[i] = f->first_cell[i + 1] - f->first_cell[i] - 1;
    }
    memset(w->levels, 1, (size_t)f->first_cell[f->n_vars]);
}

/* The box around a point in which all trees stay in their leaves. */
static void leaf_box(ew_state *w, const int32_t *cells)
{
    const ew_forest *f = w->f;
    ew_whole_box(w);
    for (int32_t t = 0; t < f->n_trees; t++)
        for (int32_t node = f->root[t]; f->var[node] >= 0; node = ew_child(f, node, cells[f->var[node]])) {
            const int32_t i = f->var[node];
            if (f->table[node] >= 0) {
                const uint8_t *table = f->tables + f->table[node];
                for (int32_t k = 0; k < f->first_cell[i + 1] - f->first_cell[i]; k++)
                    w->levels[f->first_cell[i] + k] &= table[k] == table[cells[i]];
                if (f->is_ordered[i])
                    w->low[i] = w->high[i] = cells[i];
            } else if (cells[i] <= f->cut[node])
                w->high[i] = w->high[i] < f->cut[node] ? w->high[i] : f->cut[node];
            else
                w->low[i] = w->low[i] > f->cut[node] + 1 ? w->low[i] : f->cut[node] + 1;
        }
}

/* Least gain of one condition that a subtree gives within the box. */
static double least_gain(ew_state *w, int32_t node, int32_t r)
{
    const ew_forest *f = w->f;
    while (f->var[node] >= 0) {
        const int32_t i = f->var[node];
        int left, right;
        if (f->table[node] >= 0) {
            left = right = 0;
            for (int32_t k = w->low[i]; k <= w->high[i]; k++)
                if (w->levels[f->first_cell[i] + k]) {
                    left |= f->tables[f->table[node] + k] != 0;
                    right |= f->tables[f->table[node] + k] == 0;
                }
        } else {
            left = w->low[i] <= f->cut[node];
            right = w->high[i] > f->cut[node];
        }
        if (left && right) {
            const double a = least_gain(w, f->left[node], r);
            const double b = least_gain(w, f->right[node], r);
            return a < b ? a : b;
        }
        node = left ? f->left[node] : f->right[node];
    }
    return f->gain[(size_t)f->left[node] * (size_t)f->n_rows + (size_t)r];
}

/* Whether all of the box is accepted, up to rounding: what is found in it is checked. */
static int is_all_accepted(ew_state *w)
{
    w->row->work += w->f->n_trees;
    for (int32_t r = 0; r < w->f->n_rows; r++) {
        double sum = 0.0;
        for (int32_t t = 0; t < w->f->n_trees; t++)
            sum += least_gain(w, w->f->root[t], r);
        if (sum < w->f->least[r])
            return 0;
    }
    return 1;
}

/* Move one end of the box out, cut by cut, in larger and larger steps, as long as all of it is accepted. */
static void grow_end(ew_state *w, int32_t *end, int32_t last)
{
    const int32_t direction = last < *end ? -1 : 1;
    for (int32_t step = 1; *end != last && !ew_is_late(w);) {
        const int32_t before = *end;
        *end = direction * (last - before) < step ? last : before + direction * step;
        if (is_all_accepted(w)) {
            step *= 2;
            continue;
        }
        *end = before;
        if (step == 1)
            return;
        step = 1;
    }
}

/* ---- points ---- */

int ew_take_value(ew_state *w, double value)
{
    if (!(value < w->best.value))
        return 0;
    w->best.value = value;
    w->best.has_point = 1;
    return 1;
}

double ew_ask(ew_state *w, int32_t *cells, double *value, int *is_nearest)
{
    const ew_inside *inside = w->row->inside;
    w->row->work += ASK_WORK;
    *value = INFINITY;
    *is_nearest = 0;
    cells[0] = -1;
    const double bound =
        inside->relax(inside->context, w->low, w->high, w->levels, w->best.value, cells, w->moves, value, is_nearest);
    if (isnan(bound))
        w->row->gave_up = 1;
    ew_take_value(w, *value);
    return bound;
}

enum { TOWARDS_ROW, WHERE_BLOCKED, ANY_ORDER, WAYS };

/* The order in which variables are grown: those first by which most could be saved, or any, another one each time. */
static void order_variables(ew_state *w, int way)
{
    const int32_t n = w->f->n_vars;
    for (int32_t i = 0; i < n; i++)
        w->order[i] = i;
    if (way == ANY_ORDER) {
        for (int32_t i = n - 1; i > 0; i--) {
            w->chance = w->chance * 6364136223846793005u + 1442695040888963407u;
            const int32_t j = (int32_t)((w->chance >> 33) % (uint64_t)(i + 1)), other = w->order[i];
            w->order[i] = w->order[j];
            w->order[j] = other;
        }
        return;
    }
    for (int32_t i = 1; i < n; i++) { /* by how far numbers moved */
        const int32_t var = w->order[i];
        int32_t place = i;
        for (; place > 0 && fabs(w->moves[w->order[place - 1]]) < fabs(w->moves[var]); place--)
            w->order[place] = w->order[place - 1];
        w->order[place] = var;
    }
}

/* Grow the box at hand, all of which is accepted: towards the row, or to both sides where the point is at an end of it. */
static void grow(ew_state *w, const int32_t *cells, int way)
{
    const ew_forest *f = w->f;
    order_variables(w, way);
    for (int pass = 0; pass < (way == WHERE_BLOCKED ? 2 : 1); pass++)
        for (int32_t z = 0; z < f->n_vars; z++) {
            const int32_t i = w->order[z], last = f->first_cell[i + 1] - f->first_cell[i] - 1, own = w->best.own[i];
            if (!f->is_ordered[i] || f->has_tables[i])
                continue;
            if (way == TOWARDS_ROW) {
                if (own < w->low[i])
                    grow_end(w, &w->low[i], own);
                if (own > w->high[i])
                    grow_end(w, &w->high[i], own);
                continue;
            }
            const int is_blocked = cells[i] == w->low[i] || cells[i] == w->high[i];
            if (way == WHERE_BLOCKED && is_blocked == pass)
                continue;
            grow_end(w, &w->low[i], 0);
            grow_end(w, &w->high[i], last);
        }
}

/* Grow a box that is accepted around an answer and project again, as long as that brings answers nearer. */
static void walk(ew_state *w, int32_t *cells)
{
    const ew_forest *f = w->f;
    for (int round = 0; round < MOST_ROUNDS && !ew_is_late(w); round++) {
        int better = 0;
        for (int way = 0; way < WAYS && !better; way++) {
            const double before = w->best.value;
            double value;
            int is_nearest;
            int32_t *there = w->best.other;
            leaf_box(w, cells);
            grow(w, cells, way);
            ew_ask(w, there, &value, &is_nearest);
            better = there[0] >= 0 && value < before * (1.0 - 1e-7);
            if (better)
                memcpy(cells, there, sizeof(int32_t) * (size_t)f->n_vars);
        }
        if (!better)
            return;
    }
}

/* Whether the box at hand was offered before: nothing nearer is found in it the second time. */
static int was_offered(ew_state *w)
{
    const ew_forest *f = w->f;
    uint64_t hash = 1469598103934665603u;
    for (int32_t i = 0; i < f->n_vars; i++) {
        hash = (hash ^ (uint64_t)w->low[i]) * 1099511628211u;
        hash = (hash ^ (uint64_t)w->high[i]) * 1099511628211u;
        for (int32_t k = f->first_cell[i]; !f->is_ordered[i] && k < f->first_cell[i + 1]; k++)
            hash = (hash ^ w->levels[k]) * 1099511628211u;
    }
    if (!w->offered)
        w->offered = EW_TAKE(&w->once, uint64_t, OFFERS_KEPT);
    uint64_t *place = w->offered + (hash >> 32) % OFFERS_KEPT;
    if (*place == hash)
        return 1;
    *place = hash;
    return 0;
}

/* Whether prices as they are tell that the box at hand has nothing near enough. */
static int is_priced_out(const ew_state *w)
{
    const ew_compact *c = &w->p.c;
    if (!w->row->cone || !c->n_vars)
        return 0;
    double bound = c->fixed_cost + w->p.dual.price_constant;
    for (int32_t i = 0; i < c->n_vars; i++) {
        const int32_t var = c->var[i], first = w->f->first_cell[var];
        double least = INFINITY;
        for (int32_t k = c->first_cell[i]; k < c->first_cell[i + 1]; k++) {
            const int is_in = w->f->is_ordered[var] ? c->last_original[k] >= w->low[var] && c->first_original[k] <= w->high[var]
                                                    : w->levels[first + c->original[k]] != 0;
            if (is_in)
                least = fmin(least, w->p.dual.price[k]);
        }
        bound += least;
    }
    return bound >= ew_limit(w);
}

void ew_offer_around(ew_state *w, const int32_t *cells)
{
    const double before = w->best.value;
    double value;
    int is_nearest;
    int32_t *there = w->best.cells;
    leaf_box(w, cells);
    if (was_offered(w) || is_priced_out(w))
        return;
    ew_ask(w, there, &value, &is_nearest);
    if (there[0] >= 0 && value < before)
        walk(w, there);
}

void ew_first_points(ew_state *w)
{
    for (int32_t s = 0; s < w->row->n_starts && !ew_is_late(w); s++) {
        const int32_t *cells = w->row->starts + (size_t)s * (size_t)w->f->n_vars;
        if (ew_accepts(w->f, cells, w->best.margin, w->best.sums))
            ew_offer_around(w, cells);
    }
}
