#include "state.h"

#include <string.h>

/* Bytes of messages kept with open boxes; beyond, boxes start from those of the first. */
static const size_t MOST_KEPT = (size_t)1 << 26;

void ew_push(ew_state *w, ew_box *b)
{
    if (w->n_open == w->room) {
        int64_t room = w->room ? 2 * w->room : 1024;
        ew_box **heap = EW_TAKE(&w->arena, ew_box *, room);
        if (w->n_open)
            memcpy(heap, w->heap, sizeof(ew_box *) * (size_t)w->n_open);
        w->heap = heap;
        w->room = room;
    }
    int64_t i = w->n_open++;
    for (; i && w->heap[(i - 1) / 2]->bound > b->bound; i = (i - 1) / 2)
        w->heap[i] = w->heap[(i - 1) / 2];
    w->heap[i] = b;
}

ew_box *ew_pop(ew_state *w)
{
    ew_box *top = w->heap[0], *last = w->heap[--w->n_open];
    int64_t i = 0;
    for (;;) {
        int64_t j = 2 * i + 1;
        if (j >= w->n_open)
            break;
        if (j + 1 < w->n_open && w->heap[j + 1]->bound < w->heap[j]->bound)
            j++;
        if (w->heap[j]->bound >= last->bound)
            break;
        w->heap[i] = w->heap[j];
        i = j;
    }
    w->heap[i] = last;
    return top;
}

ew_box *ew_new_box(ew_state *w)
{
    ew_box *b = w->free_boxes;
    if (b)
        w->free_boxes = b->next;
    else {
        b = EW_TAKE(&w->arena, ew_box, 1);
        b->alive = EW_TAKE(&w->arena, uint8_t, w->c.n_cells);
        b->relaxed = EW_TAKE(&w->arena, int32_t, w->c.n_vars);
    }
    b->relaxed[0] = -1;
    b->dual = NULL;
    return b;
}

ew_snapshot *ew_keep_dual(ew_state *w)
{
    ew_snapshot *s = w->free_snapshots;
    if (s)
        w->free_snapshots = s->next;
    else {
        const size_t size = sizeof(float) * (size_t)w->c.n_segments + (size_t)w->c.n_leaves;
        if (w->kept + size > MOST_KEPT && w->first)
            return NULL;
        w->kept += size;
        s = EW_TAKE(&w->arena, ew_snapshot, 1);
        s->pi = EW_TAKE(&w->arena, float, w->c.n_rows);
        s->theta = EW_TAKE(&w->arena, float, w->c.n_segments);
        s->is_dead = EW_TAKE(&w->arena, uint8_t, w->c.n_leaves);
        s->q = EW_TAKE(&w->arena, float, w->row->cone ? w->row->cone->n : 0);
        s->weight = EW_TAKE(&w->arena, float, w->row->cone ? w->row->cone->n : 0);
        s->D = EW_TAKE(&w->arena, double, w->row->cone ? w->row->cone->n : 0);
    }
    s->n_users = 1;
    s->mu = (float)w->dual.mu;
    memcpy(s->is_dead, w->is_dead, (size_t)w->c.n_leaves);
    if (w->row->cone) {
        s->kappa = (float)w->at.kappa;
        for (int32_t i = 0; i < w->row->cone->n; i++)
            s->q[i] = (float)w->at.q[i], s->weight[i] = (float)w->at.weight[i], s->D[i] = w->at.D[i];
    }
    for (int32_t r = 0; r < w->c.n_rows; r++)
        s->pi[r] = (float)w->dual.pi[r];
    for (int32_t g = 0; g < w->c.n_segments; g++)
        s->theta[g] = (float)w->dual.theta[g];
    return s;
}

void ew_drop_dual(ew_state *w, ew_snapshot *s)
{
    if (s && --s->n_users == 0) {
        s->next = w->free_snapshots;
        w->free_snapshots = s;
    }
}

void ew_load_dual(ew_state *w, const ew_snapshot *s)
{
    w->dual.mu = s->mu;
    memcpy(w->is_dead, s->is_dead, (size_t)w->c.n_leaves);
    if (w->row->cone) {
        w->at.kappa = s->kappa;
        for (int32_t i = 0; i < w->row->cone->n; i++)
            w->at.q[i] = s->q[i], w->at.weight[i] = s->weight[i], w->at.D[i] = s->D[i];
        ew_diagonal_check(&w->diagonal, w->row->cone, w->at.D, w->at.K);
        ew_prices_set(&w->prices, &w->c, w->row->cone, &w->at);
        ew_dual_take_prices(&w->dual, &w->c, &w->prices);
    }
    for (int32_t r = 0; r < w->c.n_rows; r++)
        w->dual.pi[r] = s->pi[r];
    for (int32_t g = 0; g < w->c.n_segments; g++)
        w->dual.theta[g] = s->theta[g];
    if (w->c.n_rows > 1)
        ew_dual_weigh(&w->dual, &w->c);
}

void ew_drop_box(ew_state *w, ew_box *b)
{
    ew_drop_dual(w, b->dual);
    b->dual = NULL;
    b->next = w->free_boxes;
    w->free_boxes = b;
}

ew_box *ew_divide(ew_state *w, ew_box *b, ew_split at)
{
    const ew_compact *c = &w->c;
    ew_box *other = ew_new_box(w);
    memcpy(other->alive, b->alive, (size_t)c->n_cells);
    ew_box *first = at.second_first ? other : b, *second = at.second_first ? b : other;
    for (int32_t k = c->first_cell[at.var]; k < c->first_cell[at.var + 1]; k++) {
        if (ew_is_first(c, at, k))
            second->alive[k] = 0;
        else
            first->alive[k] = 0;
    }
    const int64_t whole = b->number;
    b->number = w->n_boxes++;
    other->number = w->n_boxes++;
    ew_tell(w, EW_OPENED, b, whole, 0);
    ew_tell(w, EW_OPENED, other, whole, 0);
    memcpy(other->relaxed, b->relaxed, sizeof(int32_t) * (size_t)c->n_vars);
    other->bound = b->bound;
    other->dual = ew_keep_dual(w);
    ew_push(w, other);
    return b;
}

void ew_only_point(ew_state *w, const ew_box *b)
{
    const ew_compact *c = &w->c;
    memcpy(w->point, w->best.own, sizeof(int32_t) * (size_t)w->f->n_vars);
    for (int32_t i = 0; i < c->n_vars; i++)
        for (int32_t k = c->first_cell[i]; k < c->first_cell[i + 1]; k++)
            if (b->alive[k])
                w->point[c->var[i]] = c->original[k];
}
