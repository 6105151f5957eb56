#include "moves.h"

#include <math.h>
#include <string.h>

/* Rounding of conditions that are summed along a variable, relative to scores of about one. */
static const double ALONG_ROUNDING = 1e-9;
/* Rounds of greedy changes and of taking back. */
enum { MOST_CHANGES = 60, MOST_TAKEN_BACK = 200, MOST_EXCHANGES = 20 };

static int32_t n_cells(const ew_forest *f, int32_t var)
{
    return f->first_cell[var + 1] - f->first_cell[var];
}

void ew_incumbent_open(ew_incumbent *e, ew_arena *arena)
{
    const ew_forest *f = e->forest;
    int32_t longest = 0;
    for (int32_t i = 0; i < f->n_vars; i++)
        longest = n_cells(f, i) > longest ? n_cells(f, i) : longest;
    e->cells = EW_TAKE(arena, int32_t, f->n_vars);
    e->other = EW_TAKE(arena, int32_t, f->n_vars);
    e->along = EW_TAKE(arena, double, (size_t)(longest + 1) * (size_t)f->n_rows);
    e->sums = EW_TAKE(arena, double, f->n_scores);
}

double ew_cost_of(const ew_incumbent *e, const int32_t *cells)
{
    double total = 0.0;
    for (int32_t i = 0; i < e->forest->n_vars; i++)
        total += e->cost[e->forest->first_cell[i] + cells[i]];
    return total;
}

/* How far a place along a variable is from meeting all conditions. */
static double missing(const ew_forest *f, const double *conditions)
{
    double total = 0.0;
    for (int32_t r = 0; r < f->n_rows; r++)
        total += fmax(0.0, f->least[r] - conditions[r]);
    return total;
}

/* The cheapest cell of a variable below `limit` that makes a point accepted, or -1. */
static int32_t cheapest_accepted(ew_incumbent *e, int32_t *cells, int32_t var, double limit)
{
    const ew_forest *f = e->forest;
    const double *cost = e->cost + f->first_cell[var];
    const int32_t before = cells[var];
    int32_t found = -1;
    ew_along(f, cells, var, e->along);
    for (int32_t k = 0; k < n_cells(f, var); k++) {
        if (!(cost[k] < limit) || missing(f, e->along + (size_t)k * (size_t)f->n_rows) > ALONG_ROUNDING)
            continue;
        cells[var] = k;
        if (ew_accepts(f, cells, e->margin, e->sums)) {
            limit = cost[k];
            found = k;
        }
    }
    cells[var] = before;
    return found;
}

/* Move an accepted point nearer, one variable at a time, the largest saving first. */
static void take_back(ew_incumbent *e, int32_t *cells)
{
    const ew_forest *f = e->forest;
    for (int round = 0; round < MOST_TAKEN_BACK; round++) {
        double saving = 0.0;
        int32_t var = -1, cell = -1;
        for (int32_t i = 0; i < f->n_vars; i++) {
            const double *cost = e->cost + f->first_cell[i];
            const double now = cost[cells[i]];
            if (now - cost[e->own[i]] <= saving)
                continue;
            int32_t k = cheapest_accepted(e, cells, i, now - saving);
            if (k >= 0) {
                saving = now - cost[k];
                var = i;
                cell = k;
            }
        }
        if (var < 0)
            return;
        cells[var] = cell;
    }
}

static int take(ew_incumbent *e, int32_t *cells)
{
    take_back(e, cells);
    double value = ew_cost_of(e, cells);
    if (!(value < e->value))
        return 0;
    memcpy(e->best, cells, sizeof(int32_t) * (size_t)e->forest->n_vars);
    e->value = value;
    e->has_point = 1;
    return 1;
}

int ew_offer(ew_incumbent *e, const int32_t *cells)
{
    if (!isfinite(ew_cost_of(e, cells)) || !ew_accepts(e->forest, cells, e->margin, e->sums))
        return 0;
    memcpy(e->other, cells, sizeof(int32_t) * (size_t)e->forest->n_vars);
    return take(e, e->other);
}

void ew_single_changes(ew_incumbent *e)
{
    const ew_forest *f = e->forest;
    memcpy(e->cells, e->own, sizeof(int32_t) * (size_t)f->n_vars);
    const double rest = ew_cost_of(e, e->cells);
    for (int32_t i = 0; i < f->n_vars; i++) {
        int32_t k = cheapest_accepted(e, e->cells, i, e->value - (rest - e->cost[f->first_cell[i] + e->own[i]]));
        if (k < 0)
            continue;
        e->cells[i] = k;
        take(e, e->cells);
        e->cells[i] = e->own[i];
    }
}

void ew_greedy_changes(ew_incumbent *e)
{
    const ew_forest *f = e->forest;
    memcpy(e->cells, e->own, sizeof(int32_t) * (size_t)f->n_vars);
    for (int round = 0; round < MOST_CHANGES; round++) {
        double best = 0.0, left = INFINITY;
        int32_t var = -1, cell = -1;
        for (int32_t i = 0; i < f->n_vars; i++) {
            const double *cost = e->cost + f->first_cell[i];
            ew_along(f, e->cells, i, e->along);
            double now = missing(f, e->along + (size_t)e->cells[i] * (size_t)f->n_rows);
            for (int32_t k = 0; k < n_cells(f, i); k++) {
                if (!isfinite(cost[k]))
                    continue;
                double then = missing(f, e->along + (size_t)k * (size_t)f->n_rows);
                double price = fmax(cost[k] - cost[e->cells[i]], 1e-12);
                double worth = (now - then) / price;
                if (now - then > ALONG_ROUNDING && worth > best) {
                    best = worth;
                    left = then;
                    var = i;
                    cell = k;
                }
            }
        }
        if (var < 0)
            return;
        e->cells[var] = cell;
        if (left <= ALONG_ROUNDING && ew_accepts(f, e->cells, e->margin, e->sums)) {
            take(e, e->cells);
            return;
        }
    }
}

void ew_exchange(ew_incumbent *e)
{
    const ew_forest *f = e->forest;
    const size_t bytes = sizeof(int32_t) * (size_t)f->n_vars;
    for (int round = 0; round < MOST_EXCHANGES; round++) {
        int better = 0;
        for (int32_t i = 0; i < f->n_vars && !better; i++) {
            if (e->best[i] == e->own[i])
                continue;
            memcpy(e->cells, e->best, bytes);
            e->cells[i] = e->own[i];
            double room = e->value * (1.0 - 1e-9) - ew_cost_of(e, e->cells);
            int32_t var = -1, cell = -1;
            for (int32_t j = 0; j < f->n_vars; j++) {
                if (j == i)
                    continue;
                double now = e->cost[f->first_cell[j] + e->cells[j]];
                int32_t k = cheapest_accepted(e, e->cells, j, now + room);
                if (k >= 0) {
                    room = e->cost[f->first_cell[j] + k] - now;
                    var = j;
                    cell = k;
                }
            }
            if (var >= 0) {
                e->cells[var] = cell;
                better = take(e, e->cells);
            }
        }
        if (!better)
            return;
    }
}
