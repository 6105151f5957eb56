/* The nearest point that a sum of trees accepts: best-first and depth-first search over boxes of cells. */
#ifndef EW_SEARCH_H
#define EW_SEARCH_H

#include "forest.h"

enum { EW_PROVEN, EW_STOPPED, EW_NO_MEMORY };

typedef struct {
    const double *cost;  /* of each cell, as its point would be returned; infinite where there is none */
    const double *bound; /* of each cell: nothing in it is nearer */
    double cutoff;       /* only points nearer than this are wanted */
    double margin;       /* that scores keep from what is needed */
    double seconds;      /* infinite for no limit; a row without a point goes on */
    int64_t most_nodes;
    /* what is found */
    int32_t *cells;      /* of the best point */
    double value, lower_bound;
    int has_point, status;
    int64_t n_nodes;
} ew_row;

void ew_search(const ew_forest *f, ew_row *row);

/* The bound of everything nearer than the cutoff after some sweeps, as row->lower_bound, with the price, weights and
 * messages (n_trees x n_cells) that prove it: for checking. EW_STOPPED if there is nothing so near. */
int ew_first_bound(const ew_forest *f, ew_row *row, int n_sweeps, double *mu, double *pi, double *theta);

#endif
