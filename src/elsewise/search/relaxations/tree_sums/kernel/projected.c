/* Boxes of the search as projections see them: relaxed, and settled where every tree has one leaf left. */
#include "dense.h"

#include <math.h>

/* With a cone, one in so many boxes is projected onto: its own bound is the better one mostly, and cheaper. */
enum { BOXES_A_PROJECTION = 3 };
/* Work of the nearest answer of a box: as much as that many conditions. */
static const double FINISH_WORK = 4e4;

/* The hull of a box in original cells. */
static void hull(ew_state *w, const ew_box *b)
{
    const ew_compact *c = &w->p.c;
    const ew_forest *f = w->f;
    ew_whole_box(w);
    for (int32_t i = 0; i < f->n_vars; i++) { /* variables with a single cell left were taken out */
        w->low[i] = w->high[i] = w->p.own[i];
        for (int32_t k = f->first_cell[i]; k < f->first_cell[i + 1]; k++) {
            w->levels[k] &= isfinite(w->p.bound[k]) != 0;
            if (isfinite(w->p.bound[k])) {
                const int32_t cell = k - f->first_cell[i];
                w->low[i] = cell < w->low[i] ? cell : w->low[i];
                w->high[i] = cell > w->high[i] ? cell : w->high[i];
            }
        }
    }
    for (int32_t i = 0; i < c->n_vars; i++) {
        const int32_t var = c->var[i], first = f->first_cell[var];
        w->low[var] = f->first_cell[var + 1] - first;
        w->high[var] = -1;
        for (int32_t k = first; k < f->first_cell[var + 1]; k++)
            w->levels[k] = c->compact_of[k] >= 0 && b->alive[c->compact_of[k]];
        for (int32_t k = c->first_cell[i]; k < c->first_cell[i + 1]; k++)
            if (b->alive[k]) {
                w->low[var] = c->first_original[k] < w->low[var] ? c->first_original[k] : w->low[var];
                w->high[var] = c->last_original[k] > w->high[var] ? c->last_original[k] : w->high[var];
            }
    }
}

/* Whether the point that was found for a box around it lies in the box. */
static int still_holds_relaxed(const ew_state *w, const ew_box *b)
{
    if (b->relaxed[0] < 0)
        return 0;
    for (int32_t i = 0; i < w->p.c.n_vars; i++)
        if (!b->alive[b->relaxed[i]])
            return 0;
    return 1;
}

int ew_relax_box(ew_state *w, ew_box *b, int *is_new)
{
    *is_new = 0;
    if (still_holds_relaxed(w, b))
        return 1;
    b->relaxed[0] = -1;
    if (w->row->cone && w->row->n_nodes % BOXES_A_PROJECTION != 1)
        return 1;
    double value;
    int is_nearest;
    const ew_compact *c = &w->p.c;
    hull(w, b);
    const double bound = ew_ask(w, w->point, &value, &is_nearest);
    if (w->row->gave_up) {
        w->settled = fmin(w->settled, b->bound);
        return 0;
    }
    b->bound = fmax(b->bound, bound);
    if (b->bound >= ew_limit(w))
        return 0;
    if (is_nearest) {
        w->settled = fmin(w->settled, b->bound);
        return 0;
    }
    if (w->point[0] < 0)
        return 1;
    *is_new = 1;
    for (int32_t i = 0; i < c->n_vars; i++) {
        const int32_t cell = c->compact_of[w->f->first_cell[c->var[i]] + w->point[c->var[i]]];
        if (cell < 0 || !b->alive[cell]) {
            b->relaxed[0] = -1;
            return 1;
        }
        b->relaxed[i] = cell;
    }
    return 1;
}

void ew_finish_box(ew_state *w, const ew_box *b)
{
    const ew_inside *inside = w->row->inside;
    ew_only_point(w, b);
    if (!ew_accepts(w->f, w->point, w->best.margin, w->best.sums)) {
        if (w->best.margin > 0.0 || ew_may_accept(w->f, w->point, w->best.sums))
            w->settled = fmin(w->settled, b->bound);
        return;
    }
    double value = INFINITY;
    w->row->work += FINISH_WORK;
    hull(w, b);
    const double bound = inside->finish(inside->context, w->low, w->high, w->levels, w->best.value, &value);
    if (isnan(bound))
        w->row->gave_up = 1;
    ew_take_value(w, value);
    if (!(bound >= ew_limit(w)))
        w->settled = fmin(w->settled, isnan(bound) ? b->bound : fmax(b->bound, bound));
}
