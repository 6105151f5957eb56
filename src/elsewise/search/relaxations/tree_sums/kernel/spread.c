/* Splits where the relaxed optimum is spread over far cells. */
#include "dense.h"

#include <math.h>
#include <string.h>

/* A spread below this share of what is missing is none. */
static const double LEAST_SPREAD = 1e-6;
/* Splits that are tried on both sides, fewer where there are many leaves; steps of each trial, and how much wider its
 * soft minima are. */
enum { SPLITS_TRIED = 4, SPLITS_TRIED_OF_MANY = 3, MANY_LEAVES = 1000, TRIAL_STEPS = 2 };
static const double TRIAL_WIDTH = 3.0;

/* The cut of a number next to the mean of its spread, and how much lower the spread lies than the mean. */
static double cut_at_mean(const ew_state *w, int32_t i, int32_t *cut)
{
    const ew_compact *c = &w->p.c;
    const ew_cone *cone = w->row->cone;
    const double v = w->p.newton.mean[i], y = v - cone->centre[i];
    int32_t k = -1, before = -1, after = -1;
    for (int32_t e = c->first_cell[i]; e < c->first_cell[i + 1]; e++) {
        if (!w->p.dual.alive[e])
            continue;
        if (k < 0 || c->high[k] < v) {
            before = k;
            k = e;
        } else {
            after = e;
            break;
        }
    }
    if (before < 0 && after < 0)
        return -1.0;
    const double left = before >= 0 ? v - c->low[k] : INFINITY, right = after >= 0 ? c->high[k] - v : INFINITY;
    *cut = before >= 0 && (left <= right || after < 0) ? k : after;
    return fabs(v) + w->at.kappa * w->at.D[i] * y * y - w->at.q[i] * y - w->p.newton.worth[k] - w->p.newton.mean_value[i];
}

/* The level that is likeliest. */
static int32_t likeliest(const ew_state *w, int32_t i)
{
    int32_t best = -1;
    for (int32_t k = w->p.c.first_cell[i]; k < w->p.c.first_cell[i + 1]; k++)
        if (w->p.dual.alive[k] && (best < 0 || w->p.newton.value[k] < w->p.newton.value[best]))
            best = k;
    return best;
}

/* How much a side of a split gains after a few steps. */
static double gain_of_side(ew_state *w, const ew_split *at, int side, double before, double width)
{
    const ew_compact *c = &w->p.c;
    uint8_t *alive = w->levels; /* room for a mask: there are no more cells than original ones */
    memcpy(alive, w->p.dual.alive, (size_t)c->n_cells);
    for (int32_t k = c->first_cell[at->var]; k < c->first_cell[at->var + 1]; k++)
        if (ew_is_first(c, *at, k) == side)
            alive[k] = 0;
    ew_multipliers_copy(&w->saved_at, &w->at, w->row->cone->n);
    ew_newton_ascend(&w->p.newton, c, w->row->cone, alive, &w->saved_at, width, TRIAL_STEPS, 1e-7 * w->at.kappa);
    return ew_newton_value(&w->p.newton, c, w->row->cone, alive, &w->saved_at) - before;
}

ew_split ew_spread_split(ew_state *w, double missing)
{
    const ew_compact *c = &w->p.c;
    const ew_cone *cone = w->row->cone;
    ew_split best = {-INFINITY, -1, -1, 0}, tried[SPLITS_TRIED];
    const int most = c->n_leaves > MANY_LEAVES ? SPLITS_TRIED_OF_MANY : SPLITS_TRIED;
    int n_tried = 0;
    const double width = EW_WIDTH * missing;
    ew_worth_of_messages(w);
    ew_newton_spread(&w->p.newton, c, cone, w->p.dual.alive, &w->at, width);
    for (int32_t i = 0; i < c->n_vars; i++) {
        ew_split at = {0.0, i, -1, 0};
        int32_t n_alive = 0;
        for (int32_t k = c->first_cell[i]; k < c->first_cell[i + 1]; k++)
            n_alive += w->p.dual.alive[k];
        if (n_alive < 2)
            continue;
        if (i < cone->n) {
            at.score = cut_at_mean(w, i, &at.cell);
            at.second_first = at.cell >= 0 && w->p.newton.mean[i] >= c->low[at.cell];
        } else {
            at.score = w->p.newton.spread[i];
            at.cell = likeliest(w, i);
        }
        if (at.cell < 0 || !(at.score > LEAST_SPREAD * missing))
            continue;
        int place = n_tried < most ? n_tried++ : most; /* sorted by score, the lowest falls off the end */
        for (; place > 0 && tried[place - 1].score < at.score; place--)
            if (place < most)
                tried[place] = tried[place - 1];
        if (place < most)
            tried[place] = at;
    }
    if (n_tried == 0)
        return best;
    const double top = tried[0].score, before = ew_newton_value(&w->p.newton, c, cone, w->p.dual.alive, &w->at);
    for (int z = 0; z < n_tried && (z == 0 || tried[z].score > 0.1 * top); z++) {
        ew_split at = tried[z];
        double gain[2];
        for (int side = 0; side < 2; side++) /* side 0 keeps what comes first */
            gain[side] = fmin(fmax(gain_of_side(w, &at, side, before, TRIAL_WIDTH * width), 0.0), missing);
        at.score = (fmin(gain[0], gain[1]) + 1e-4 * missing) * (fmax(gain[0], gain[1]) + 1e-4 * missing);
        at.second_first = gain[1] < gain[0];
        if (at.score > best.score)
            best = at;
    }
    return best;
}
