/* What is left of each tree within a distance: cells that can be reached, leaves and their conditions. */
#ifndef EW_WALK_H
#define EW_WALK_H

#include <string.h>

#include "arena.h"
#include "forest.h"

/* A list that grows. */
typedef struct {
    void *items;
    size_t n, room;
} ew_list;

/* Room for one item more at the end of a list. */
static inline void *ew_push_item(ew_list *l, size_t size, ew_arena *arena)
{
    if (l->n == l->room) {
        size_t room = l->room ? 2 * l->room : 1024;
        void *items = ew_take(arena, room, size);
        if (l->n)
            memcpy(items, l->items, l->n * size);
        l->items = items;
        l->room = room;
    }
    return (char *)l->items + size * l->n++;
}

typedef struct {
    int32_t var, low, high; /* within cells that can be reached */
    int64_t mask;           /* where its mask starts, -1 for a plain range */
} ew_condition;

typedef struct ew_walk {
    const ew_forest *f;
    ew_arena *arena;
    double limit, base; /* base: the cheapest point there is */
    /* cells that can be reached: counted anew within each variable */
    int32_t *n_reached, *before, *reached; /* before[first_cell + var + k]: how many come before cell k */
    double *least;                         /* cheapest cost of each variable */
    int32_t *nearest;                      /* where it is */
    const double *cost;
    /* the box of the walk */
    int32_t *low, *high;
    uint8_t **mask;
    double *spent;
    int32_t *path;
    int32_t n_path;
    const uint8_t *is_gone; /* leaves that are passed by, NULL for none */
    int64_t n_passed_by;
    /* leaves found */
    ew_list leaves, conditions, masks, first_condition;
} ew_walk;

/* Find the cells that a point nearer than `limit` can have, `own` being the cheapest. Returns 0 if a variable has none. */
int ew_walk_open(ew_walk *w, const ew_forest *f, const double *cost, const int32_t *own, double limit, ew_arena *arena);
/* Find the leaves of a tree that such a point can have. */
void ew_walk_tree(ew_walk *w, int32_t tree);

static inline double ew_reached_cost(const ew_walk *w, int32_t var, int32_t k)
{
    const int32_t first = w->f->first_cell[var];
    return w->cost[first + w->reached[first + k]];
}

/* Where the conditions of a leaf end, counted as they were found. */
static inline int32_t ew_conditions_end(const ew_walk *w, int32_t leaf)
{
    const int32_t *first = w->first_condition.items;
    return (size_t)leaf + 1 < w->leaves.n ? first[leaf + 1] : (int32_t)w->conditions.n;
}

#endif
