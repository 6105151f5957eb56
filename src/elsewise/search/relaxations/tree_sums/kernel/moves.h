/* Good points early: single changes, greedy ones, and taking back what is not needed. */
#ifndef EW_MOVES_H
#define EW_MOVES_H

#include "arena.h"
#include "forest.h"

/* The row: what each cell costs, and the best point so far. */
typedef struct {
    const ew_forest *forest;
    const double *cost;  /* of each cell, as the point there would be returned; infinite where there is none */
    const double *bound; /* of each cell: nothing in it is nearer */
    const int32_t *own;  /* cheapest cell of each variable */
    double margin;       /* that scores keep */
    int32_t *best;       /* cells of the incumbent */
    double value;        /* its distance, or the cutoff */
    int has_point;
    /* room to work */
    int32_t *cells, *other;
    double *along, *sums;
} ew_incumbent;

void ew_incumbent_open(ew_incumbent *e, ew_arena *arena);
double ew_cost_of(const ew_incumbent *e, const int32_t *cells);
/* Take a point if it is accepted and nearer, after taking back what is not needed; tells whether it was taken. */
int ew_offer(ew_incumbent *e, const int32_t *cells);
void ew_single_changes(ew_incumbent *e);
void ew_greedy_changes(ew_incumbent *e);
/* Take one change back and repair it by the cheapest other one, as long as that helps. */
void ew_exchange(ew_incumbent *e);

#endif
