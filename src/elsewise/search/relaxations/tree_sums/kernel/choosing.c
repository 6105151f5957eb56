/* Where to divide a box that a cone goes through: what different rules propose is tried on both sides. */
#include "state.h"

#include <math.h>
#include <string.h>

/* Gains below this share of what is missing are worth the same. */
static const double LEAST_GAIN = 1e-3;

/* How much the bound of one side of a split gains by one sweep and new prices; all that is missing if the side is empty. */
static double gain_of_side(ew_state *w, const ew_box *b, const ew_split *at, int side, const ew_snapshot *from)
{
    const ew_compact *c = &w->p.c;
    const double missing = ew_missing(w, b);
    uint8_t *alive = w->levels; /* room for a mask: there are no more cells than original ones */
    memcpy(alive, b->alive, (size_t)c->n_cells);
    for (int32_t k = c->first_cell[at->var]; k < c->first_cell[at->var + 1]; k++)
        if (ew_is_first(c, *at, k) == side)
            alive[k] = 0;
    ew_load_dual(w, from);
    if (!ew_dual_enter(&w->p.dual, c, alive, w->p.is_dead, ew_limit(w)) || ew_is_out_of_reach(w))
        return missing;
    ew_dual_refresh(&w->p.dual, c);
    ew_dual_sweep(&w->p.dual, c, 0);
    double bound = ew_dual_estimate(&w->p.dual, c, w->p.needed);
    if (bound < b->bound + missing)
        bound = ew_improve_prices(w, bound, missing, 0);
    return fmin(fmax(bound - b->bound, 0.0), missing);
}

ew_split ew_choose_split(ew_state *w, const ew_box *b)
{
    const double least = LEAST_GAIN * ew_missing(w, b);
    const ew_split proposed[] = {ew_spread_split(w, ew_missing(w, b)), ew_best_split(w)};
    if (proposed[1].var < 0)
        return proposed[0];
    if (proposed[0].var < 0 || (proposed[0].var == proposed[1].var && proposed[0].cell == proposed[1].cell))
        return proposed[1];
    ew_snapshot *here = ew_keep_dual(w);
    if (!here) /* no memory to try: in turn */
        return proposed[w->row->n_nodes % 2];
    ew_split best = {-INFINITY, -1, -1, 0};
    for (int z = 0; z < 2; z++) {
        ew_split at = proposed[z];
        double gain[2];
        for (int side = 0; side < 2; side++) /* side 0 keeps what comes first */
            gain[side] = gain_of_side(w, b, &at, side, here);
        at.score = (fmin(gain[0], gain[1]) + least) * (fmax(gain[0], gain[1]) + least);
        at.second_first = gain[1] < gain[0];
        if (at.score > best.score)
            best = at;
    }
    ew_load_dual(w, here);
    ew_drop_dual(w, here);
    return best;
}
