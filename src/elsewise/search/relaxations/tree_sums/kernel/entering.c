/* Boxes as the ascent sees them: what they leave of segments, leaves and conditions. */
#include "dual.h"

#include <math.h>
#include <string.h>

/* Work of entering a box, as a share of that of a sweep, for each condition. */
static const double ENTER_WORK = 0.25;

/* Find the slots whose segments are intervals, and the intervals. */
static void find_intervals(ew_dual *d, const ew_compact *c)
{
    for (int32_t s = 0; s < c->n_slots; s++) {
        const int32_t i = c->slot_var[s], n = c->first_cell[i + 1] - c->first_cell[i], o = c->first_segment[s];
        const uint16_t *segment = c->segment_of + c->segments_at[s];
        d->is_interval[s] = 1;
        for (int32_t k = 1; k < n; k++)
            d->is_interval[s] &= segment[k] >= segment[k - 1];
        for (int32_t k = n - 1; k >= 0 && d->is_interval[s]; k--)
            d->first_of[o + segment[k]] = k;
        for (int32_t k = 0; k < n && d->is_interval[s]; k++)
            d->end_of[o + segment[k]] = k + 1;
        for (int32_t g = o; g < c->first_segment[s + 1]; g++) {
            d->is_interval[s] &= d->end_of[g] > d->first_of[g];
            d->level_of[g] = (uint8_t)ew_ranges_level(d->end_of[g] - d->first_of[g]);
        }
    }
}

static void open_ranges(ew_dual *d, const ew_compact *c, ew_arena *arena)
{
    d->ranges.width = 1;
    for (int32_t i = 0; i < c->n_vars; i++)
        if (c->first_cell[i + 1] - c->first_cell[i] > d->ranges.width)
            d->ranges.width = c->first_cell[i + 1] - c->first_cell[i];
    d->ranges.most = EW_TAKE(arena, double, (size_t)(ew_ranges_level(d->ranges.width) + 1) * (size_t)d->ranges.width);
    d->steps = EW_TAKE(arena, double, d->ranges.width + 1);
    d->is_interval = EW_TAKE(arena, uint8_t, c->n_slots);
    d->first_of = EW_TAKE(arena, int32_t, c->n_segments);
    d->end_of = EW_TAKE(arena, int32_t, c->n_segments);
    d->level_of = EW_TAKE(arena, uint8_t, c->n_segments);
    find_intervals(d, c);
}

void ew_dual_open(ew_dual *d, const ew_compact *c, ew_arena *arena)
{
    memset(d, 0, sizeof *d);
    d->pi = EW_TAKE(arena, double, c->n_rows);
    d->theta = EW_TAKE(arena, double, c->n_segments);
    d->price = EW_TAKE(arena, double, c->n_cells);
    memcpy(d->price, c->cost, sizeof(double) * (size_t)c->n_cells);
    d->B = EW_TAKE(arena, double, c->n_cells);
    d->total = EW_TAKE(arena, double, c->n_leaves);
    d->value = EW_TAKE(arena, double, c->n_leaves);
    d->least_message = EW_TAKE(arena, double, c->n_slots);
    d->least_messages = EW_TAKE(arena, double, c->n_trees);
    d->top = EW_TAKE(arena, int32_t, c->n_trees);
    d->free = EW_TAKE(arena, int32_t, c->n_trees);
    d->is_active = EW_TAKE(arena, uint8_t, c->n_leaves);
    d->active = EW_TAKE(arena, int32_t, c->n_leaves);
    d->first_active = EW_TAKE(arena, int32_t, c->n_trees + 1);
    d->segment_alive = EW_TAKE(arena, uint8_t, c->n_segments);
    d->n_alive = EW_TAKE(arena, int32_t, c->n_slots);
    d->segment_cost = EW_TAKE(arena, double, c->n_segments);
    d->best = EW_TAKE(arena, double, 2 * c->n_cells + c->n_vars + 4);
    d->leaf_cost = EW_TAKE(arena, double, c->n_leaves);
    const int32_t n_conditions = c->first_condition[c->n_slots];
    d->first_met = EW_TAKE(arena, int32_t, c->n_slots + 1);
    d->met_leaf = EW_TAKE(arena, int32_t, n_conditions);
    d->met_set = EW_TAKE(arena, int32_t, n_conditions);
    d->set_low = EW_TAKE(arena, uint16_t, c->first_set[c->n_slots]);
    d->set_high = EW_TAKE(arena, uint16_t, c->first_set[c->n_slots]);
    d->set_least = EW_TAKE(arena, double, c->first_set[c->n_slots]);
    d->set_most = EW_TAKE(arena, double, c->first_set[c->n_slots]);
    d->stamp = EW_TAKE(arena, int32_t, c->n_leaves);
    open_ranges(d, c, arena);
}

void ew_dual_weigh(ew_dual *d, const ew_compact *c)
{
    for (int32_t l = 0; l < c->n_leaves; l++) {
        double value = 0.0;
        for (int32_t r = 0; r < c->n_rows; r++)
            value += d->pi[r] * c->gain[(size_t)l * (size_t)c->n_rows + (size_t)r];
        d->value[l] = value;
    }
}

/* List the conditions of active leaves, and what the box leaves of the sets of segments that leaves allow. */
static void list_conditions(ew_dual *d, const ew_compact *c)
{
    int32_t n = 0;
    for (int32_t s = 0; s < c->n_slots; s++) {
        d->first_met[s] = n;
        if (d->n_alive[s] < 2)
            continue; /* a slot with one segment left says nothing */
        const uint8_t *alive = d->segment_alive + c->first_segment[s];
        int32_t low = 0, high = c->first_segment[s + 1] - c->first_segment[s] - 1;
        while (!alive[low])
            low++;
        while (!alive[high])
            high--;
        for (int32_t z = c->first_set[s]; c->has_ranges[s] && z < c->first_set[s + 1]; z++) {
            const int32_t from = c->allowed[c->first_allowed[z]], to = c->allowed[c->first_allowed[z + 1] - 1];
            d->set_low[z] = (uint16_t)(from < low ? low : from);
            d->set_high[z] = (uint16_t)(to > high ? high : to);
        }
        for (int32_t e = c->first_condition[s]; e < c->first_condition[s + 1]; e++) {
            if (!d->is_active[c->condition_leaf[e]])
                continue;
            d->met_leaf[n] = c->condition_leaf[e];
            d->met_set[n++] = c->condition_set[e];
        }
    }
    d->first_met[c->n_slots] = n;
}

/* Find what a box leaves of a slot, and add to what leaves cost; the table holds the negative costs of cells. */
static void enter_slot(ew_dual *d, const ew_compact *c, int32_t s, double cheapest, double *cost)
{
    const int32_t i = c->slot_var[s], first = c->first_cell[i], n = c->first_cell[i + 1] - first;
    const uint16_t *segment = c->segment_of + c->segments_at[s];
    double *of = d->segment_cost + c->first_segment[s];
    if (d->is_interval[s])
        for (int32_t g = c->first_segment[s]; g < c->first_segment[s + 1]; g++)
            d->segment_cost[g] = -ew_most_of(d, g);
    else
        for (int32_t k = 0; k < n; k++)
            if (d->alive[first + k] && c->cost[first + k] < of[segment[k]])
                of[segment[k]] = c->cost[first + k];
    d->n_alive[s] = 0;
    for (int32_t g = c->first_segment[s]; g < c->first_segment[s + 1]; g++) {
        d->segment_alive[g] = d->segment_cost[g] < INFINITY;
        d->n_alive[s] += d->segment_alive[g];
    }
    for (int32_t z = c->first_set[s]; z < c->first_set[s + 1]; z++) {
        d->set_least[z] = INFINITY;
        for (size_t a = c->first_allowed[z]; a < c->first_allowed[z + 1]; a++)
            if (of[c->allowed[a]] < d->set_least[z])
                d->set_least[z] = of[c->allowed[a]];
    }
    for (int32_t e = c->first_condition[s]; e < c->first_condition[s + 1]; e++)
        cost[c->condition_leaf[e]] += d->set_least[c->condition_set[e]] - cheapest;
}

int ew_dual_enter(ew_dual *d, const ew_compact *c, const uint8_t *alive, const uint8_t *is_dead, double limit)
{
    d->alive = alive;
    d->is_dead = is_dead;
    *d->work += ENTER_WORK * c->first_condition[c->n_slots];
    d->base = c->fixed_cost;
    double *cheapest = d->best; /* of each variable */
    for (int32_t i = 0; i < c->n_vars; i++) {
        cheapest[i] = INFINITY;
        for (int32_t k = c->first_cell[i]; k < c->first_cell[i + 1]; k++)
            if (alive[k] && c->cost[k] < cheapest[i])
                cheapest[i] = c->cost[k];
        d->base += cheapest[i];
    }
    if (!(d->base < limit))
        return 0;
    for (int32_t g = 0; g < c->n_segments; g++)
        d->segment_cost[g] = INFINITY;
    double *cost = d->leaf_cost;
    for (int32_t l = 0; l < c->n_leaves; l++)
        cost[l] = d->base;
    for (int32_t i = 0; i < c->n_vars; i++) {
        const int32_t first = c->first_cell[i], n = c->first_cell[i + 1] - first;
        for (int32_t k = 0; k < n; k++)
            d->ranges.most[k] = alive[first + k] ? -c->cost[first + k] : -INFINITY;
        ew_ranges_fill(&d->ranges, n);
        for (int32_t z = c->first_of_var[i]; z < c->first_of_var[i + 1]; z++)
            enter_slot(d, c, c->slot_of_var[z], cheapest[i], cost);
    }
    int32_t n = 0;
    for (int32_t t = 0; t < c->n_trees; t++) {
        d->first_active[t] = n;
        for (int32_t l = c->first_leaf[t]; l < c->first_leaf[t + 1]; l++) {
            d->is_active[l] = cost[l] < limit && !is_dead[l];
            if (d->is_active[l])
                d->active[n++] = l;
        }
        if (n == d->first_active[t])
            return 0;
    }
    d->first_active[c->n_trees] = n;
    list_conditions(d, c);
    return 1;
}
