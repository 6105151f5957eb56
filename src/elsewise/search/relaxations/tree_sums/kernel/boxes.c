#include "state.h"

#include <string.h>

/* Bytes of messages kept with open boxes; beyond, boxes start from those of the first. */
static const size_t MOST_KEPT = (size_t)1 << 26;

void ew_push(ew_state *w, ew_box *b)
{
    if (w->p.n_open == w->p.room) {
        int64_t room = w->p.room ? 2 * w->p.room : 1024;
        ew_box **heap = EW_TAKE(&w->p.arena, ew_box *, room);
        if (w->p.n_open)
            memcpy(heap, w->p.heap, sizeof(ew_box *) * (size_t)w->p.n_open);
        w->p.heap = heap;
        w->p.room = room;
    }
    int64_t i = w->p.n_open++;
    for (; i && w->p.heap[(i - 1) / 2]->bound > b->bound; i = (i - 1) / 2)
        w->p.heap[i] = w->p.heap[(i - 1) / 2];
    w->p.heap[i] = b;
}

ew_box *ew_pop(ew_state *w)
{
    ew_box *top = w->p.heap[0], *last = w->p.heap[--w->p.n_open];
    int64_t i = 0;
    for (;;) {
        int64_t j = 2 * i + 1;
        if (j >= w->p.n_open)
            break;
        if (j + 1 < w->p.n_open && w->p.heap[j + 1]->bound < w->p.heap[j]->bound)
            j++;
        if (w->p.heap[j]->bound >= last->bound)
            break;
        w->p.heap[i] = w->p.heap[j];
        i = j;
    }
    w->p.heap[i] = last;
    return top;
}

ew_box *ew_new_box(ew_state *w)
{
    ew_box *b = w->p.free_boxes;
    if (b)
        w->p.free_boxes = b->next;
    else {
        b = EW_TAKE(&w->p.arena, ew_box, 1);
        b->alive = EW_TAKE(&w->p.arena, uint8_t, w->p.c.n_cells);
        b->relaxed = EW_TAKE(&w->p.arena, int32_t, w->p.c.n_vars);
    }
    b->relaxed[0] = -1;
    b->dual = NULL;
    b->within = NULL;
    return b;
}

ew_snapshot *ew_keep_dual(ew_state *w)
{
    ew_snapshot *s = w->p.free_snapshots;
    if (s)
        w->p.free_snapshots = s->next;
    else {
        const size_t size = sizeof(float) * (size_t)w->p.c.n_segments + (size_t)w->p.c.n_leaves;
        if (w->p.kept + size > MOST_KEPT && w->p.first)
            return NULL;
        w->p.kept += size;
        s = EW_TAKE(&w->p.arena, ew_snapshot, 1);
        s->pi = EW_TAKE(&w->p.arena, float, w->p.c.n_rows);
        s->theta = EW_TAKE(&w->p.arena, float, w->p.c.n_segments);
        s->is_dead = EW_TAKE(&w->p.arena, uint8_t, w->p.c.n_leaves);
        s->q = EW_TAKE(&w->p.arena, float, w->row->cone ? w->row->cone->n : 0);
        s->weight = EW_TAKE(&w->p.arena, float, w->row->cone ? w->row->cone->n : 0);
        s->D = EW_TAKE(&w->p.arena, double, w->row->cone ? w->row->cone->n : 0);
    }
    s->n_users = 1;
    s->mu = (float)w->p.dual.mu;
    memcpy(s->is_dead, w->p.is_dead, (size_t)w->p.c.n_leaves);
    if (w->row->cone) {
        s->kappa = (float)w->at.kappa;
        for (int32_t i = 0; i < w->row->cone->n; i++)
            s->q[i] = (float)w->at.q[i], s->weight[i] = (float)w->at.weight[i], s->D[i] = w->at.D[i];
    }
    for (int32_t r = 0; r < w->p.c.n_rows; r++)
        s->pi[r] = (float)w->p.dual.pi[r];
    for (int32_t g = 0; g < w->p.c.n_segments; g++)
        s->theta[g] = (float)w->p.dual.theta[g];
    return s;
}

void ew_drop_dual(ew_state *w, ew_snapshot *s)
{
    if (s && --s->n_users == 0) {
        s->next = w->p.free_snapshots;
        w->p.free_snapshots = s;
    }
}

void ew_load_dual(ew_state *w, const ew_snapshot *s)
{
    w->p.dual.mu = s->mu;
    memcpy(w->p.is_dead, s->is_dead, (size_t)w->p.c.n_leaves);
    if (w->row->cone) {
        w->at.kappa = s->kappa;
        for (int32_t i = 0; i < w->row->cone->n; i++)
            w->at.q[i] = s->q[i], w->at.weight[i] = s->weight[i], w->at.D[i] = s->D[i];
        ew_diagonal_check(&w->diagonal, w->row->cone, w->at.D, w->at.K);
        ew_prices_set(&w->p.prices, &w->p.c, w->row->cone, &w->at);
        ew_dual_take_prices(&w->p.dual, &w->p.c, &w->p.prices);
    }
    for (int32_t r = 0; r < w->p.c.n_rows; r++)
        w->p.dual.pi[r] = s->pi[r];
    for (int32_t g = 0; g < w->p.c.n_segments; g++)
        w->p.dual.theta[g] = s->theta[g];
    if (w->p.c.n_rows > 1)
        ew_dual_weigh(&w->p.dual, &w->p.c);
}

void ew_drop_box(ew_state *w, ew_box *b)
{
    if (b->within) {
        w->bytes_left -= b->within->arena.taken;
        ew_drop_within(w, b->within);
        free(b->within);
        b->within = NULL;
    }
    ew_drop_dual(w, b->dual);
    b->dual = NULL;
    b->next = w->p.free_boxes;
    w->p.free_boxes = b;
}

ew_box *ew_divide(ew_state *w, ew_box *b, ew_split at)
{
    const ew_compact *c = &w->p.c;
    ew_box *other = ew_new_box(w);
    memcpy(other->alive, b->alive, (size_t)c->n_cells);
    ew_box *first = at.second_first ? other : b, *second = at.second_first ? b : other;
    for (int32_t k = c->first_cell[at.var]; k < c->first_cell[at.var + 1]; k++) {
        if (ew_is_first(c, at, k))
            second->alive[k] = 0;
        else
            first->alive[k] = 0;
    }
    b->number = w->n_boxes++;
    other->number = w->n_boxes++;
    memcpy(other->relaxed, b->relaxed, sizeof(int32_t) * (size_t)c->n_vars);
    other->bound = b->bound;
    other->dual = ew_keep_dual(w);
    ew_push(w, other);
    return b;
}

void ew_only_point(ew_state *w, const ew_box *b)
{
    const ew_compact *c = &w->p.c;
    memcpy(w->point, w->p.own, sizeof(int32_t) * (size_t)w->f->n_vars);
    for (int32_t i = 0; i < c->n_vars; i++)
        for (int32_t k = c->first_cell[i]; k < c->first_cell[i + 1]; k++)
            if (b->alive[k])
                w->point[c->var[i]] = c->original[k];
}
