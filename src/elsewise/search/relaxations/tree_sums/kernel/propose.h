/* First answers: rows that are known, moved towards the row of a search column by column.
 *
 * A point is a value of every number and a level of every category. It is an answer if the trees accept it, one of the
 * ellipsoids
 *
 *     ||F (v - centre)||^2 + penalties of levels <= squared radius,      v_i = price_i (value_i - row_i),
 *
 * holds it, and `holds`, if there is one, says so. Along one column all of this is known exactly: the conditions of the
 * trees from one walk through them, the ellipsoids as intervals. Nothing is proven here. */
#ifndef EW_PROPOSE_H
#define EW_PROPOSE_H

#include "forest.h"

typedef struct {
    int32_t q;
    const double *factor;  /* q x n_numbers */
    const double *centre;  /* n_numbers */
    const double *penalty; /* n_cells: of levels */
    double squared_radius;
} ew_ellipsoid;

typedef struct {
    const ew_forest *f;
    int32_t n;               /* numbers: the first n variables */
    const double *row;       /* n: their values now */
    const double *price;     /* n: of one unit */
    double per_change;       /* of any change of a column */
    const uint8_t *is_whole; /* n */
    const double *first, *last; /* n_cells: values that a number may get in each cell; levels: first > last is none */
    const double *level_cost;   /* n_cells: of levels */
    const int32_t *own;         /* n_vars: cells of the row itself */
    int32_t n_ellipsoids;
    const ew_ellipsoid *ellipsoids;
    double margin;  /* of scores */
    double seconds; /* from the start; infinite for none */
    int64_t most_lines;
    double cutoff; /* only points nearer are wanted */
    /* What else an answer has to keep: 0, 1, or -1 to give up; NULL for nothing. */
    int (*holds)(void *context, const double *values, const int32_t *cells);
    void *context;
    /* what is found */
    double *values; /* n, and cells: of the best point */
    int32_t *cells;
    double value;
    int has_point;
    int64_t n_lines; /* columns that were looked along */
} ew_proposal;

/* Make answers of known rows, `values` of shape n_known x n and `cells` of shape n_known x n_vars. Returns 0, or 1 if there
 * is not enough memory. */
int ew_propose(ew_proposal *p, int32_t n_known, const double *values, const int32_t *cells);

#endif
