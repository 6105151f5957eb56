#include "rules.h"

#include <math.h>

#include "walk.h"

/* What reached cells of a variable, from and to, cost more than its cheapest one; infinite if there are none. */
static double dearer(const ew_walk *w, int32_t var, int32_t low, int32_t high)
{
    double best = INFINITY;
    for (int32_t k = low; k <= high; k++)
        best = fmin(best, ew_reached_cost(w, var, k));
    return best - w->least[var];
}

/* Where a part begins and ends, in reached cells. */
static void reached_part(const ew_walk *w, int32_t part, int32_t *low, int32_t *high)
{
    const ew_rules *rules = w->f->rules;
    const int32_t var = rules->var[part], *before = w->before + w->f->first_cell[var] + var;
    *low = before[rules->low[part]];
    *high = before[rules->high[part] + 1] - 1;
}

static void put_condition(ew_walk *w, int32_t var, int32_t low, int32_t high)
{
    if (low > 0 || high < w->n_reached[var] - 1)
        *(ew_condition *)ew_push_item(&w->conditions, sizeof(ew_condition), w->arena) = (ew_condition){var, low, high, -1};
}

/* A way to keep a rule: within the parts from `from` on, but for `part`, which has other cells. */
static void put_way(ew_walk *w, int32_t from, int32_t part, int32_t low, int32_t high)
{
    *(int32_t *)ew_push_item(&w->leaves, sizeof(int32_t), w->arena) = w->f->no_leaf;
    *(int32_t *)ew_push_item(&w->first_condition, sizeof(int32_t), w->arena) = (int32_t)w->conditions.n;
    for (int32_t p = from; p < part; p++) {
        int32_t first, last;
        reached_part(w, p, &first, &last);
        put_condition(w, w->f->rules->var[p], first, last);
    }
    put_condition(w, w->f->rules->var[part], low, high);
}

int ew_walk_rule(ew_walk *w, int32_t rule)
{
    const ew_rules *rules = w->f->rules;
    const int32_t from = rules->first[rule], to = rules->first[rule + 1];
    double broken = w->base, spent = w->base;
    int32_t low, high;
    for (int32_t p = from; p < to; p++) {
        reached_part(w, p, &low, &high);
        broken += dearer(w, rules->var[p], low, high);
    }
    if (!(broken < w->limit))
        return 0;
    for (int32_t p = from; p < to; p++) {
        const int32_t var = rules->var[p], last = w->n_reached[var] - 1;
        reached_part(w, p, &low, &high);
        if (spent + dearer(w, var, 0, low - 1) < w->limit)
            put_way(w, from, p, 0, low - 1);
        if (spent + dearer(w, var, high + 1, last) < w->limit)
            put_way(w, from, p, high + 1, last);
        spent += dearer(w, var, low, high);
    }
    return 1;
}
