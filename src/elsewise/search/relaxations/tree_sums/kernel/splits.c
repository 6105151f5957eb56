#include "state.h"

#include <math.h>
#include <string.h>

#include "extremes.h"

/* Losses of a split beyond this, in scores that add up to about one, count no more. */
static const double MOST_LOSS = 1.0;

/* How much the larger loss counts: next to nothing, but equal smaller ones are many. */
static const double LARGER = 1e-4;

static void consider(ew_split *best, double first, double second, int32_t var, int32_t cell)
{
    const double score = ew_min(first, second) + LARGER * ew_max(first, second);
    if (score > best->score) {
        best->score = score;
        best->var = var;
        best->cell = cell;
        best->second_first = second < first;
    }
}

/* A split is judged by what leaves give and cells cost, messages left out: at a good dual point every part of the relaxed
 * optimum is worth the same, and messages say nothing of where to divide it. */

/* Add up what each tree loses at least if a variable is limited: left[k] to the cells up to k (others: to k alone),
 * right[k] to those from k on (to all but k). */
static void add_losses(ew_state *w, int32_t s)
{
    const ew_compact *c = &w->p.c;
    ew_dual *d = &w->p.dual;
    const int32_t t = c->slot_tree[s], i = c->slot_var[s], first = c->first_cell[i], end = c->first_cell[i + 1];
    const uint16_t *segment = c->segment_of + c->segments_at[s];
    double *best = d->best, all = -INFINITY, free_leaves = -INFINITY;
    const int32_t stamp = ++d->last_stamp;
    for (int32_t g = 0; g < c->first_segment[s + 1] - c->first_segment[s]; g++)
        best[g] = -INFINITY;
    for (int32_t z = c->first_set[s]; z < c->first_set[s + 1]; z++)
        d->set_most[z] = -INFINITY;
    for (int32_t m = d->first_met[s]; m < d->first_met[s + 1]; m++) {
        const int32_t l = d->met_leaf[m], z = d->met_set[m];
        d->stamp[l] = stamp;
        d->set_most[z] = ew_max(d->set_most[z], d->value[l]);
    }
    for (int32_t z = c->first_set[s]; z < c->first_set[s + 1]; z++)
        for (size_t a = c->first_allowed[z]; a < c->first_allowed[z + 1]; a++)
            best[c->allowed[a]] = ew_max(best[c->allowed[a]], d->set_most[z]);
    for (int32_t z = d->first_active[t]; z < d->first_active[t + 1]; z++) {
        const int32_t l = d->active[z];
        all = ew_max(all, d->value[l]);
        if (d->stamp[l] != stamp)
            free_leaves = ew_max(free_leaves, d->value[l]);
    }
    if (free_leaves >= all)
        return;
    if (c->is_ordered[i]) {
        double most = free_leaves;
        for (int32_t k = first; k < end; k++) {
            most = d->alive[k] ? ew_max(most, best[segment[k - first]]) : most;
            w->p.left[k] += ew_min(MOST_LOSS, all - most);
        }
        most = free_leaves;
        for (int32_t k = end - 1; k >= first; k--) {
            most = d->alive[k] ? ew_max(most, best[segment[k - first]]) : most;
            w->p.right[k] += ew_min(MOST_LOSS, all - most);
        }
        return;
    }
    double largest = free_leaves, second = free_leaves;
    int32_t where = -1;
    for (int32_t k = first; k < end; k++) {
        const double value = d->alive[k] ? ew_max(free_leaves, best[segment[k - first]]) : free_leaves;
        if (value > largest) {
            second = largest;
            largest = value;
            where = k;
        } else
            second = ew_max(second, value);
        w->p.left[k] += ew_min(MOST_LOSS, all - value);
    }
    for (int32_t k = first; k < end; k++)
        w->p.right[k] += ew_min(MOST_LOSS, all - (k == where ? second : largest));
}

ew_split ew_best_split(ew_state *w)
{
    const ew_compact *c = &w->p.c;
    double *B = w->p.plain; /* what cells cost, in scores */
    for (int32_t k = 0; k < c->n_cells; k++)
        B[k] = -w->p.dual.mu * c->cost[k];
    ew_split best = {-INFINITY, -1, -1, 0};
    memset(w->p.left, 0, sizeof(double) * (size_t)c->n_cells);
    memset(w->p.right, 0, sizeof(double) * (size_t)c->n_cells);
    for (int32_t s = 0; s < c->n_slots; s++)
        if (w->p.dual.n_alive[s] >= 2)
            add_losses(w, s);
    for (int32_t i = 0; i < c->n_vars; i++) {
        const int32_t first = c->first_cell[i], end = c->first_cell[i + 1];
        double all = -INFINITY, second = -INFINITY, most = -INFINITY;
        int32_t where = -1;
        for (int32_t k = first; k < end; k++) {
            if (!w->p.dual.alive[k])
                continue;
            if (B[k] > all) {
                second = all;
                all = B[k];
                where = k;
            } else
                second = ew_max(second, B[k]);
        }
        if (isinf(second))
            continue; /* one cell left */
        if (!c->is_ordered[i]) {
            for (int32_t k = first; k < end; k++)
                if (w->p.dual.alive[k])
                    consider(&best, w->p.left[k] + all - B[k], w->p.right[k] + all - (k == where ? second : all), i, k);
            continue;
        }
        double *after = w->p.dual.best; /* most from k on */
        for (int32_t k = end - 1; k >= first; k--) {
            most = w->p.dual.alive[k] ? ew_max(most, B[k]) : most;
            after[k - first] = most;
        }
        int32_t before = -1; /* the cell that is left below k */
        most = -INFINITY;
        for (int32_t k = first; k < end; k++) {
            if (!w->p.dual.alive[k])
                continue;
            if (before >= 0)
                consider(&best, w->p.left[before] + all - most, w->p.right[k] + all - after[k - first], i, k);
            most = ew_max(most, B[k]);
            before = k;
        }
    }
    return best;
}
