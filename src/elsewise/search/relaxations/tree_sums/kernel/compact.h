/* What is left of a search within a distance: cells, leaves and trees that can still matter.
 *
 * Cells and leaves that cost the limit or more are gone, neighbouring cells that no leaf tells apart are one, trees whose
 * leaves all give the same are constants, and variables with one cell left are no variables. A slot is a tree with a
 * variable it asks for; its segments are the sets of cells that the tree does not tell apart. */
#ifndef EW_COMPACT_H
#define EW_COMPACT_H

#include "arena.h"
#include "forest.h"

typedef struct {
    const ew_forest *forest;
    int32_t n_vars, n_cells, n_trees, n_leaves, n_slots, n_segments, n_rows;
    double fixed_cost;    /* of variables that are none any more */
    double *constant;     /* n_rows: what constant trees add to the conditions */
    int has_exact_constants; /* so do their scores */
    int32_t *var;         /* original variables */
    uint8_t *is_ordered;  /* n_vars */
    int32_t *first_cell;  /* n_vars + 1 */
    int32_t *compact_of;  /* of each original cell, -1 if it is gone or its variable is */
    int32_t *original;    /* n_cells: the cheapest original cell, counted within its variable */
    double *cost;         /* n_cells: nothing in the cell is nearer */
    int32_t *first_original, *last_original; /* n_cells: the original cells from and to, within the variable */
    double *low, *high;   /* n_cells, with a cone: what a number may move by */
    double *penalty;      /* n_cells, with a cone: of levels */
    int32_t *tree;        /* n_trees: original trees, rules after them */
    int32_t *first_leaf;  /* n_trees + 1 */
    int32_t *leaf;        /* n_leaves: original leaves */
    double *gain;         /* n_leaves x n_rows */
    int32_t *slot_tree, *slot_var;
    int32_t *first_slot;  /* n_trees + 1 */
    int32_t *first_of_var, *slot_of_var; /* slots of each variable */
    int32_t *first_segment;              /* n_slots + 1 */
    size_t *segments_at;                 /* n_slots: where the segments of its variable's cells are listed */
    uint16_t *segment_of;                /* of each cell, counted within the slot */
    int32_t *first_condition;            /* n_slots + 1 */
    int32_t *condition_leaf;             /* leaves that are not free in the slot */
    int32_t *condition_set;              /* n_conditions: which set of segments such a leaf allows */
    int32_t *first_set;                  /* n_slots + 1: the different sets of each slot */
    size_t *first_allowed;               /* n_sets + 1 */
    uint16_t *allowed;                   /* segments of a set, ascending */
    uint8_t *has_ranges;                 /* n_slots: what leaves allow has no gaps */
} ew_compact;

/* A cone's cells, and the steps of its numbers, which are the first variables; see cone.h. */
typedef struct {
    const double *low, *high, *penalty, *step;
} ew_cells;

/* Says when to stop: NULL for never. */
typedef struct {
    int (*is_late)(const void *context);
    const void *context;
} ew_clock;

enum { EW_NOTHING_SO_NEAR, EW_BUILT, EW_LATE };

/* Build it for points nearer than `limit`; says if there are none, or if time was over before. `own` are the cheapest
 * cells; `is_gone` are leaves that are in no point that matters, NULL for none. With the cells of a cone, all variables stay, for the cone tells places within a cell apart, and so do levels. */
int ew_compact_build(const ew_forest *f, const double *cost, const int32_t *own, const uint8_t *is_gone, double limit,
                     const ew_cells *cells, const ew_clock *clock, ew_arena *arena, ew_compact *c);

#endif
