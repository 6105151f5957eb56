/* Problems within problems: a box from which most conditions are gone is searched in a compact problem of its own.
 *
 * Entering a box, its messages and the proof of its bound cost as much as the problem has conditions, whatever the box
 * leaves of them. The inner problem has the cells and leaves of the box alone, so everything of the box is in it. */
#include "state.h"

#include <math.h>
#include <string.h>

/* Work of building it, for each condition that is left. */
static const double BUILD_WORK = 8.0;
/* A problem is left if what is open elsewhere is nearer by this share of the gap; and bytes of problems that are left. */
static const double FAR_BEHIND = 0.3;
static const size_t MOST_LEFT = (size_t)1 << 28;

/* Make way for a problem within the one at hand. Returns 0 if there is no memory. */
static int step_in(ew_state *w)
{
    ew_problem *outer = malloc(sizeof *outer);
    if (!outer)
        return 0;
    *outer = w->p;
    memset(&w->p, 0, sizeof w->p);
    w->p.arena.no_memory = w->once.no_memory;
    w->p.outer = outer;
    return 1;
}

static void step_out(ew_state *w)
{
    ew_problem *outer = w->p.outer;
    w->p = *outer;
    w->p.arena.no_memory = w->once.no_memory;
    free(outer);
}

/* The cells of a box, the cheapest of them, and the leaves that are in no point of it that matters. */
static void take_box(ew_state *w, const ew_box *b)
{
    const ew_forest *f = w->f;
    const ew_problem *outer = w->p.outer;
    const ew_compact *c = &outer->c;
    const int32_t n_cells = f->first_cell[f->n_vars];
    double *bound = EW_TAKE(&w->p.arena, double, n_cells);
    int32_t *own = EW_TAKE(&w->p.arena, int32_t, f->n_vars);
    uint8_t *is_gone = EW_TAKE(&w->p.arena, uint8_t, f->no_leaf + 1);
    memcpy(bound, outer->bound, sizeof(double) * (size_t)n_cells);
    for (int32_t i = 0; i < c->n_vars; i++)
        for (int32_t k = f->first_cell[c->var[i]]; k < f->first_cell[c->var[i] + 1]; k++)
            if (c->compact_of[k] < 0 || !b->alive[c->compact_of[k]])
                bound[k] = INFINITY;
    for (int32_t i = 0; i < f->n_vars; i++)
        for (int32_t k = f->first_cell[i]; k < f->first_cell[i + 1]; k++)
            if (bound[k] < bound[f->first_cell[i] + own[i]])
                own[i] = k - f->first_cell[i];
    if (outer->is_gone)
        memcpy(is_gone, outer->is_gone, (size_t)f->no_leaf);
    for (int32_t t = 0; t < c->n_trees; t++)
        for (int32_t l = c->first_leaf[t]; c->tree[t] < f->n_trees && l < c->first_leaf[t + 1]; l++)
            is_gone[c->leaf[l]] |= outer->is_dead[l];
    w->p.bound = bound;
    w->p.own = own;
    w->p.is_gone = is_gone;
}

/* The slot of an original tree and variable in a problem, -1 if there is none; `tree_at` are its trees. */
static int32_t find_slot(const ew_compact *c, const int32_t *tree_at, int32_t tree, int32_t var)
{
    const int32_t t = tree_at[tree];
    for (int32_t s = t < 0 ? 0 : c->first_slot[t]; t >= 0 && s < c->first_slot[t + 1]; s++)
        if (c->var[c->slot_var[s]] == var)
            return s;
    return -1;
}

/* Messages as they are in the problem around: where segments have become one, the least of theirs. */
static void take_messages(ew_state *w)
{
    const ew_forest *f = w->f;
    const ew_compact *c = &w->p.c, *from = &w->p.outer->c;
    const int32_t n_all = f->n_trees + (f->rules ? f->rules->n_rules : 0);
    int32_t *tree_at = EW_TAKE(&w->p.arena, int32_t, n_all);
    memset(tree_at, -1, sizeof(int32_t) * (size_t)n_all);
    for (int32_t t = 0; t < from->n_trees; t++)
        tree_at[from->tree[t]] = t;
    for (int32_t s = 0; s < c->n_slots; s++) {
        const int32_t var = c->var[c->slot_var[s]], first = c->first_cell[c->slot_var[s]];
        const int32_t there = find_slot(from, tree_at, c->tree[c->slot_tree[s]], var);
        if (there < 0)
            continue;
        const int32_t i = from->slot_var[there], first_there = from->first_cell[i];
        double *theta = w->p.dual.theta + c->first_segment[s];
        const double *theta_there = w->p.outer->dual.theta + from->first_segment[there];
        for (int32_t g = 0; g < c->first_segment[s + 1] - c->first_segment[s]; g++)
            theta[g] = INFINITY;
        for (int32_t k = first_there; k < from->first_cell[i + 1]; k++) {
            const int32_t cell = c->compact_of[f->first_cell[var] + from->original[k]];
            if (cell < 0)
                continue;
            const int32_t g = c->segment_of[c->segments_at[s] + (size_t)(cell - first)];
            theta[g] = fmin(theta[g], theta_there[from->segment_of[from->segments_at[there] + (size_t)(k - first_there)]]);
        }
        for (int32_t g = 0; g < c->first_segment[s + 1] - c->first_segment[s]; g++)
            theta[g] = isfinite(theta[g]) ? theta[g] : 0.0;
    }
}

/* The first box of the inner problem, with the dual point of the box that it is. */
static ew_box *first_box_within(ew_state *w, double bound)
{
    w->p.dual.mu = w->p.outer->dual.mu;
    memcpy(w->p.dual.pi, w->p.outer->dual.pi, sizeof(double) * (size_t)w->p.c.n_rows);
    ew_dual_weigh(&w->p.dual, &w->p.c);
    take_messages(w);
    w->p.first = ew_keep_dual(w);
    ew_box *b = ew_new_box(w);
    memset(b->alive, 1, (size_t)w->p.c.n_cells);
    b->bound = bound;
    b->number = w->p.number = w->n_boxes++;
    return b;
}

int ew_go_within(ew_state *w, ew_box *b, ew_box **go_on)
{
    const int32_t n = w->p.c.first_condition[w->p.c.n_slots], n_left = w->p.dual.first_met[w->p.c.n_slots];
    *go_on = NULL;
    if (b->number == w->p.number || n < w->row->within_from || n_left > n / w->row->times_smaller)
        return 0;
    if (!step_in(w))
        return 0;
    take_box(w, b);
    const double bound = b->bound;
    w->row->work += BUILD_WORK * n_left;
    const int is_left = ew_build(w, NULL) == EW_BUILT;
    if (is_left) {
        ew_open_problem(w);
        *go_on = first_box_within(w, bound);
    }
    b->next = w->p.outer->free_boxes; /* its dual is at hand: none is kept with it */
    w->p.outer->free_boxes = b;
    if (!is_left)
        ew_end_within(w);
    return 1;
}

int ew_is_left(const ew_state *w)
{
    double lowest = INFINITY;
    for (const ew_problem *p = w->p.outer; p; p = p->outer)
        lowest = p->n_open ? fmin(lowest, p->heap[0]->bound) : lowest;
    return w->p.n_open && w->bytes_left < MOST_LEFT &&
           w->p.heap[0]->bound > lowest + FAR_BEHIND * (w->best.value - lowest);
}

void ew_leave(ew_state *w)
{
    ew_problem *inner = malloc(sizeof *inner);
    if (!inner)
        longjmp(*w->once.no_memory, 1);
    *inner = w->p;
    step_out(w);
    inner->outer = NULL;
    w->bytes_left += inner->arena.taken;
    ew_box *b = ew_new_box(w);
    b->within = inner;
    b->bound = inner->heap[0]->bound;
    ew_push(w, b);
}

void ew_return_to(ew_state *w, ew_box *b)
{
    ew_problem *inner = b->within;
    if (!step_in(w))
        longjmp(*w->once.no_memory, 1);
    w->bytes_left -= inner->arena.taken;
    ew_problem *outer = w->p.outer;
    w->p = *inner;
    free(inner);
    w->p.outer = outer;
    w->p.arena.no_memory = w->once.no_memory;
    b->within = NULL;
    b->next = outer->free_boxes;
    outer->free_boxes = b;
}

void ew_end_within(ew_state *w)
{
    ew_give_back(&w->p.arena);
    step_out(w);
}

void ew_drop_within(ew_state *w, ew_problem *p)
{
    for (int64_t k = 0; k < p->n_open; k++)
        if (p->heap[k]->within) {
            w->bytes_left -= p->heap[k]->within->arena.taken;
            ew_drop_within(w, p->heap[k]->within);
            free(p->heap[k]->within);
        }
    p->n_open = 0;
    ew_give_back(&p->arena);
}

void ew_drop_problems(ew_state *w)
{
    for (; w->p.outer; step_out(w))
        ew_drop_within(w, &w->p);
    ew_drop_within(w, &w->p);
}
