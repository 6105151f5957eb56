#include "propose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "lines.h"

/* Changes that make a known row accepted, and rounds of moving one back. */
enum { MOST_REPAIRS = 8, MOST_ROUNDS = 12 };
/* A known row's own distance counts by this share beside what its cheapest useful columns cost. */
static const double WHOLE_SHARE = 0.15;
/* A moved row that is farther than the best answer by this factor is not improved by exchanges. */
static const double PROMISING = 1.3;
/* Known rows in a row that make the best answer no nearer, by this share, after which no more are tried. */
enum { PATIENCE = 8 };
static const double WORTH_IT = 1e-3;

static void keep_if_best(ew_lines *w, const ew_point *at)
{
    ew_proposal *p = w->p;
    if (!(at->total < (p->has_point ? p->value : p->cutoff)))
        return;
    memcpy(p->values, at->values, sizeof(double) * (size_t)p->n);
    memcpy(p->cells, at->cells, sizeof(int32_t) * (size_t)p->f->n_vars);
    p->value = at->total;
    p->has_point = 1;
}

/* Move variables of an answer nearer, in the order given at first, then the costliest first, until none can be. */
static void move_back(ew_lines *w, ew_point *at, int ordered)
{
    const int32_t n = w->p->f->n_vars;
    for (int round = 0; round < MOST_ROUNDS; round++) {
        int has_moved = 0;
        if (round > 0 || !ordered)
            for (int32_t z = 0; z < n; z++) { /* by what they cost */
                int32_t place = z;
                for (; place > 0 && at->cost[w->order[place - 1]] < at->cost[z]; place--)
                    w->order[place] = w->order[place - 1];
                w->order[place] = z;
            }
        for (int32_t z = 0; z < n && !ew_line_is_over(w); z++) {
            const int32_t i = w->order[z];
            double value;
            int32_t cell;
            if (at->cost[i] > 0.0 && ew_line_look_along(w, at, i, at->cost[i] * (1.0 - 1e-9), &value, &cell)) {
                ew_line_set(w, at, i, value, cell);
                has_moved = 1;
            }
        }
        if (!has_moved)
            break;
    }
    ew_line_measure(w, at);
    keep_if_best(w, at);
}

/* Take one change back altogether and make up for it by the cheapest other one, as long as that helps. */
static void exchange(ew_lines *w, ew_point *at)
{
    const ew_proposal *p = w->p;
    const int32_t n = p->f->n_vars;
    for (int has_gained = 1; has_gained;) {
        has_gained = 0;
        for (int32_t i = 0; i < n && !has_gained && !ew_line_is_over(w); i++) {
            if (at->cost[i] <= 0.0)
                continue;
            ew_line_copy_point(w, &w->saved, at);
            ew_line_set(w, at, i, i < p->n ? p->row[i] : 0.0, p->own[i]);
            double room = w->saved.total * (1.0 - 1e-9) - at->total, value = 0.0;
            int32_t var = -1, cell = -1;
            for (int32_t k = 0; k < n && !ew_line_is_over(w); k++) {
                double then;
                int32_t there;
                if (k == i || !ew_line_look_along(w, at, k, at->cost[k] + room, &then, &there))
                    continue;
                room = ew_line_cost_of(p, k, then, there) - at->cost[k];
                var = k, value = then, cell = there;
            }
            if (var >= 0) {
                ew_line_set(w, at, var, value, cell);
                move_back(w, at, 0);
                has_gained = 1;
            } else
                ew_line_copy_point(w, at, &w->saved);
        }
    }
}

/* ---- known rows ---- */

/* What single changes of the row gain, n_cells: how much less is missing. */
static void find_gains(ew_lines *w, double *gain)
{
    const ew_forest *f = w->p->f;
    for (int32_t i = 0; i < f->n_vars; i++) {
        ew_along(f, w->p->own, i, w->along);
        const double now = ew_line_missing(f, w->along + (size_t)w->p->own[i] * (size_t)f->n_rows);
        for (int32_t k = f->first_cell[i]; k < f->first_cell[i + 1]; k++)
            gain[k] = now - ew_line_missing(f, w->along + (size_t)(k - f->first_cell[i]) * (size_t)f->n_rows);
    }
}

/* Take a known row, moved into what the row may become. Returns 0 if it cannot be. */
static int take_known(ew_lines *w, ew_point *at, const double *values, const int32_t *cells)
{
    const ew_proposal *p = w->p;
    const ew_forest *f = p->f;
    for (int32_t i = 0; i < f->n_vars; i++) {
        const double *first = p->first + f->first_cell[i], *last = p->last + f->first_cell[i];
        const int32_t n = f->first_cell[i + 1] - f->first_cell[i];
        int32_t cell = cells[i];
        if (i >= p->n) {
            at->cells[i] = first[cell] <= last[cell] ? cell : p->own[i];
            if (first[at->cells[i]] > last[at->cells[i]])
                return 0;
            continue;
        }
        int32_t up = cell, down = cell; /* the nearest cell that is left */
        while (up < n && first[up] > last[up])
            up++;
        while (down >= 0 && first[down] > last[down])
            down--;
        if (up >= n && down < 0)
            return 0;
        cell = up >= n ? down : down < 0 ? up : up - cell <= cell - down ? up : down;
        double value = fmin(fmax(values[i], first[cell]), last[cell]);
        if (p->is_whole[i] && value != p->row[i])
            value = round(value) < first[cell] ? ceil(value) : round(value) > last[cell] ? floor(value) : round(value);
        at->values[i] = value;
        at->cells[i] = cell;
    }
    ew_line_measure(w, at);
    return 1;
}

typedef struct {
    double estimate;
    int32_t known;
} ranked;

static int by_estimate(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->estimate != y->estimate)
        return x->estimate < y->estimate ? -1 : 1;
    return (x->known > y->known) - (x->known < y->known);
}

/* Order variables of a point by what they gain for what they cost, the least useful first. */
static void order_by_use(ew_lines *w, const ew_point *at, const double *gain)
{
    const ew_forest *f = w->p->f;
    for (int32_t z = 0; z < f->n_vars; z++) {
        const double use = gain[f->first_cell[z] + at->cells[z]] / fmax(at->cost[z], 1e-12);
        int32_t place = z;
        for (; place > 0; place--) {
            const int32_t i = w->order[place - 1];
            if (gain[f->first_cell[i] + at->cells[i]] / fmax(at->cost[i], 1e-12) <= use)
                break;
            w->order[place] = i;
        }
        w->order[place] = z;
    }
}

/* What the most useful changes of a known row cost that make up, each by itself, for all that is missing. */
static double estimate(ew_lines *w, const ew_point *at, const double *gain, double needed)
{
    const ew_forest *f = w->p->f;
    order_by_use(w, at, gain);
    double cost = 0.0, whole = at->total;
    for (int32_t z = f->n_vars - 1; z >= 0 && needed > 0.0; z--) {
        const int32_t i = w->order[z];
        const double own = gain[f->first_cell[i] + at->cells[i]];
        if (own <= 0.0)
            break;
        cost += at->cost[i];
        needed -= own;
    }
    return (needed > 0.0 ? cost + whole : cost) + WHOLE_SHARE * whole;
}

/* The order in which known rows are tried: those that need the cheapest changes, and the nearest ones, in turn. */
static void rank(ew_lines *w, int32_t n_known, const double *values, const int32_t *cells, const double *gain,
                 ranked *by_use, ranked *by_distance)
{
    const ew_proposal *p = w->p;
    double needed = -INFINITY;
    ew_along(p->f, p->own, 0, w->along);
    needed = ew_line_missing(p->f, w->along + (size_t)p->own[0] * (size_t)p->f->n_rows);
    for (int32_t k = 0; k < n_known; k++) {
        by_use[k] = by_distance[k] = (ranked){INFINITY, k};
        if (!take_known(w, &w->now, values + (size_t)k * (size_t)p->n, cells + (size_t)k * (size_t)p->f->n_vars))
            continue;
        if (!ew_line_is_dense(w, &w->now, -1, 0))
            continue;
        by_distance[k].estimate = w->now.total;
        by_use[k].estimate = estimate(w, &w->now, gain, needed);
    }
    qsort(by_use, (size_t)n_known, sizeof *by_use, by_estimate);
    qsort(by_distance, (size_t)n_known, sizeof *by_distance, by_estimate);
}

/* The best single change of a point for what is missing: dense, and the most that is gained for its price. */
static int best_repair(ew_lines *w, ew_point *at, int32_t *var, double *value, int32_t *cell)
{
    const ew_proposal *p = w->p;
    const ew_forest *f = p->f;
    double most = 0.0;
    *var = -1;
    for (int32_t i = 0; i < f->n_vars && !ew_line_is_over(w); i++) {
        if (w->is_held[i])
            continue;
        ew_along(f, at->cells, i, w->along);
        w->p->n_lines++;
        const double now = ew_line_missing(f, w->along + (size_t)at->cells[i] * (size_t)f->n_rows);
        if (i < p->n)
            ew_line_dense_intervals(w, at, i);
        for (int32_t k = 0; k < f->first_cell[i + 1] - f->first_cell[i]; k++) {
            const double gain = now - ew_line_missing(f, w->along + (size_t)k * (size_t)f->n_rows);
            if (gain <= 1e-12 || p->first[f->first_cell[i] + k] > p->last[f->first_cell[i] + k])
                continue;
            const double then = i < p->n ? ew_line_value(w, i, k, at->values[i]) : 0.0;
            if (isnan(then) || (i >= p->n && !ew_line_is_dense(w, at, i, k)))
                continue;
            const double price = fmax(ew_line_cost_of(p, i, then, k) - at->cost[i], 0.0) + 0.01 * (at->total + 1e-12);
            if (gain / price > most)
                most = gain / price, *var = i, *value = then, *cell = k;
        }
    }
    return *var >= 0;
}

/* Make a dense point an answer, if it is none. */
static int repair(ew_lines *w, ew_point *at)
{
    const ew_proposal *p = w->p;
    for (int times = 0; times <= MOST_REPAIRS && !ew_line_is_over(w); times++) {
        if (ew_accepts(p->f, at->cells, p->margin, w->sums)) {
            const int holds = p->holds ? p->holds(p->context, at->values, at->cells) : 1;
            w->gave_up |= holds < 0;
            return holds > 0;
        }
        int32_t var = -1, cell = -1;
        double value = 0.0;
        if (times == MOST_REPAIRS || !best_repair(w, at, &var, &value, &cell))
            return 0;
        ew_line_set(w, at, var, value, cell);
    }
    return 0;
}

/* ---- rebuilding ---- */

/* Whether a point changes a variable that may stay as it is. */
static int is_changed(const ew_proposal *p, const ew_point *at, int32_t i)
{
    return at->cost[i] > 0.0 && p->first[p->f->first_cell[i] + p->own[i]] <= p->last[p->f->first_cell[i] + p->own[i]];
}

/* Take changes of an answer back, hold them where the row has them, and make it an answer again by other changes. Returns
 * whether that is nearer: it is the answer then. */
static int rebuild_without(ew_lines *w, ew_point *from, const int32_t *held, int n_held)
{
    const ew_proposal *p = w->p;
    ew_point *at = &w->now;
    ew_line_copy_point(w, at, from);
    for (int z = 0; z < n_held; z++) {
        w->is_held[held[z]] = 1;
        ew_line_set(w, at, held[z], held[z] < p->n ? p->row[held[z]] : 0.0, p->own[held[z]]);
    }
    const int is_answer = repair(w, at) && ew_line_is_dense(w, at, -1, 0) && at->total < PROMISING * from->total;
    if (is_answer)
        move_back(w, at, 0);
    for (int z = 0; z < n_held; z++)
        w->is_held[held[z]] = 0;
    if (!is_answer || !(at->total < from->total * (1.0 - WORTH_IT)))
        return 0;
    ew_line_copy_point(w, from, at);
    return 1;
}

/* Rebuild an answer without each of its changes, then without each two of them, as long as that helps. */
static void rebuild(ew_lines *w, ew_point *from)
{
    const ew_proposal *p = w->p;
    const int32_t n = p->f->n_vars;
    for (int has_gained = 1; has_gained;) {
        has_gained = 0;
        for (int32_t i = 0; i < n && !has_gained && !ew_line_is_over(w); i++)
            has_gained = is_changed(p, from, i) && rebuild_without(w, from, &i, 1);
        for (int32_t i = 0; i < n && !has_gained; i++)
            for (int32_t j = i + 1; j < n && !has_gained && !ew_line_is_over(w); j++) {
                const int32_t held[] = {i, j};
                has_gained = is_changed(p, from, i) && is_changed(p, from, j) && rebuild_without(w, from, held, 2);
            }
    }
}

/* Make an answer of a known row; it is rebuilt if `rebuilds`. */
static void try_known(ew_lines *w, const double *values, const int32_t *cells, const double *gain, int rebuilds)
{
    const ew_proposal *p = w->p;
    ew_point *at = &w->now;
    if (!take_known(w, at, values, cells) || !repair(w, at))
        return;
    keep_if_best(w, at);
    order_by_use(w, at, gain);
    move_back(w, at, 1);
    if (!p->has_point || !(at->total < PROMISING * p->value))
        return;
    exchange(w, at);
    ew_line_copy_point(w, &w->rebuilt, at);
    if (rebuilds)
        rebuild(w, &w->rebuilt);
}

/* Rebuild the best answer so far. */
static void rebuild_best(ew_lines *w)
{
    memcpy(w->rebuilt.values, w->p->values, sizeof(double) * (size_t)w->p->n);
    memcpy(w->rebuilt.cells, w->p->cells, sizeof(int32_t) * (size_t)w->p->f->n_vars);
    ew_line_measure(w, &w->rebuilt);
    rebuild(w, &w->rebuilt);
}

static void open_lines(ew_lines *w)
{
    const ew_proposal *p = w->p;
    int32_t longest = 0;
    for (int32_t i = 0; i < p->f->n_vars; i++) {
        const int32_t n = p->f->first_cell[i + 1] - p->f->first_cell[i];
        longest = n > longest ? n : longest;
    }
    for (int32_t j = 0; j < p->n_ellipsoids; j++)
        w->n_images += p->ellipsoids[j].q;
    w->along = EW_TAKE(&w->arena, double, (size_t)(longest + 1) * (size_t)p->f->n_rows);
    w->sums = EW_TAKE(&w->arena, double, p->f->n_scores);
    w->dense_low = EW_TAKE(&w->arena, double, p->n_ellipsoids + 1);
    w->dense_high = EW_TAKE(&w->arena, double, p->n_ellipsoids + 1);
    w->order = EW_TAKE(&w->arena, int32_t, p->f->n_vars);
    w->is_held = EW_TAKE(&w->arena, uint8_t, p->f->n_vars);
    ew_line_open_point(w, &w->now);
    ew_line_open_point(w, &w->saved);
    ew_line_open_point(w, &w->rebuilt);
}

static void propose(ew_lines *w, int32_t n_known, const double *values, const int32_t *cells)
{
    const ew_proposal *p = w->p;
    open_lines(w);
    double *gain = EW_TAKE(&w->arena, double, p->f->first_cell[p->f->n_vars]);
    ranked *by_use = EW_TAKE(&w->arena, ranked, n_known + 1), *by_distance = EW_TAKE(&w->arena, ranked, n_known + 1);
    uint8_t *is_tried = EW_TAKE(&w->arena, uint8_t, n_known + 1);
    find_gains(w, gain);
    rank(w, n_known, values, cells, gain, by_use, by_distance);
    int n_in_vain = 0, rebuilds = 0;
    for (int32_t z = 0; z < 2 * n_known && !ew_line_is_over(w); z++) {
        const ranked *next = z % 2 ? by_distance + z / 2 : by_use + z / 2;
        if (!isfinite(next->estimate) || is_tried[next->known])
            continue;
        is_tried[next->known] = 1;
        const double before = p->value;
        try_known(w, values + (size_t)next->known * (size_t)p->n, cells + (size_t)next->known * (size_t)p->f->n_vars, gain, rebuilds);
        n_in_vain = !p->has_point || p->value < before * (1.0 - WORTH_IT) ? 0 : n_in_vain + 1;
        if (n_in_vain < PATIENCE)
            continue;
        if (rebuilds)
            break;
        rebuild_best(w);
        rebuilds = 1, n_in_vain = 0;
    }
    if (!rebuilds && p->has_point)
        rebuild_best(w);
}

int ew_propose(ew_proposal *p, int32_t n_known, const double *values, const int32_t *cells)
{
    jmp_buf no_memory;
    ew_lines *w = calloc(1, sizeof *w);
    volatile int failed = 0;
    p->has_point = 0;
    p->value = INFINITY;
    p->n_lines = 0;
    if (!w)
        return 1;
    w->p = p;
    w->started = ew_now();
    w->arena.no_memory = &no_memory;
    if (setjmp(no_memory) == 0)
        propose(w, n_known, values, cells);
    else
        failed = 1;
    ew_give_back(&w->arena);
    free(w);
    return failed;
}
