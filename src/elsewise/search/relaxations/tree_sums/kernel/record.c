#include "state.h"

/* Messages of each original tree to each original cell. */
void ew_spread_messages(const ew_forest *f, const ew_compact *c, const double *theta, double *out)
{
    const int32_t n_cells = f->first_cell[f->n_vars];
    for (size_t k = 0; k < (size_t)f->n_trees * (size_t)n_cells; k++)
        out[k] = 0.0;
    for (int32_t s = 0; s < c->n_slots; s++) {
        const int32_t var = c->slot_var[s], first = c->first_cell[var];
        double *of_tree = out + (size_t)c->tree[c->slot_tree[s]] * (size_t)n_cells;
        for (int32_t k = f->first_cell[c->var[var]]; k < f->first_cell[c->var[var] + 1]; k++)
            if (c->compact_of[k] >= 0)
                of_tree[k] = theta[c->first_segment[s] + c->segment_of[c->segments_at[s] + (size_t)(c->compact_of[k] - first)]];
    }
}

/* Original cells that a box leaves. Variables with a single cell left were taken out: they keep all of theirs. */
static void spread_cells(const ew_state *w, const uint8_t *alive, uint8_t *out)
{
    const ew_forest *f = w->f;
    const ew_compact *c = &w->p.c;
    for (int32_t k = 0; k < f->first_cell[f->n_vars]; k++)
        out[k] = 1;
    for (int32_t i = 0; i < c->n_vars; i++)
        for (int32_t k = f->first_cell[c->var[i]]; k < f->first_cell[c->var[i] + 1]; k++)
            out[k] = c->compact_of[k] >= 0 && alive[c->compact_of[k]];
}

void ew_tell(ew_state *w, int what, const ew_box *b, int64_t of, int why)
{
    const ew_recorder *recorder = w->row->recorder;
    if (!recorder)
        return;
    const ew_forest *f = w->f;
    const int32_t n_cells = f->first_cell[f->n_vars];
    if (!w->told_cells) {
        w->told_cells = EW_TAKE(&w->once, uint8_t, n_cells);
        w->told_leaves = EW_TAKE(&w->once, uint8_t, recorder->n_leaves);
        w->told_theta = EW_TAKE(&w->once, double, (size_t)f->n_trees * (size_t)n_cells);
    }
    ew_note note = {.what = what, .why = why, .box = b ? b->number : -1, .of = of};
    note.alive = w->told_cells;
    note.dead = w->told_leaves;
    note.theta = w->told_theta;
    note.pi = w->p.dual.pi;
    note.mu = w->p.dual.mu;
    note.kappa = w->row->cone ? w->at.kappa : 0.0;
    note.z = w->row->cone ? w->p.prices.z : NULL;
    note.D = w->row->cone ? w->at.D : NULL;
    if (b)
        spread_cells(w, b->alive, w->told_cells);
    if (what == EW_BOUNDED)
        ew_spread_messages(f, &w->p.c, w->p.dual.theta, w->told_theta);
    if (what == EW_NARROWED) {
        for (int32_t l = 0; l < recorder->n_leaves; l++)
            w->told_leaves[l] = 0;
        for (int32_t l = 0; l < w->p.c.n_leaves; l++)
            w->told_leaves[w->p.c.leaf[l]] = w->p.is_dead[l];
    }
    recorder->note(recorder->context, &note);
}
