/* The nearest point that a sum of trees accepts: best-first and depth-first search over boxes of cells. */
#ifndef EW_SEARCH_H
#define EW_SEARCH_H

#include "cone.h"
#include "forest.h"

enum { EW_PROVEN, EW_STOPPED, EW_NO_MEMORY, EW_PAUSED };

/* What else a point must satisfy: a cone, rules, whole numbers. Boxes are given by the first and last cell of every
 * variable, and a mask of all cells, which counts for levels. */
typedef struct {
    void *context;
    /* The nearest point of a box for all but the trees: returns a bound of its distance, infinite if there is none, less
     * than zero if nothing is known, NaN to give up. Its cells are told, -1 first without it, and with a cone by how much
     * numbers move; `*value` is the distance of
     * an answer, if the point is one (or something made of it is, `is_nearest` being 0 then), infinite else. */
    double (*relax)(void *context, const int32_t *low, const int32_t *high, const uint8_t *levels, double limit,
                    int32_t *cells, double *moves, double *value, int *is_nearest);
    /* The nearest answer of a box in which the trees accept everything; returns a bound, and its distance in `*value`. */
    double (*finish)(void *context, const int32_t *low, const int32_t *high, const uint8_t *levels, double limit,
                     double *value);
    /* Called after `pause_after` boxes, and then less and less often, with the bound so far: the distance of the best
     * answer by now. It may make cells narrower in place; `*is_narrower` says so, and the problem is built anew. */
    double (*pause)(void *context, double bound, int *is_narrower);
    int64_t pause_after;
} ew_inside;

typedef struct {
    const double *cost;  /* of each cell, as its point would be returned; infinite where there is none */
    const double *bound; /* of each cell: nothing in it is nearer */
    double cutoff;       /* only points nearer than this are wanted */
    double margin;       /* that scores keep from what is needed */
    double most_for_changes; /* with `inside`: points cost at most so much beyond their cells and moves */
    double seconds;      /* infinite for no limit */
    double grace;        /* seconds more for a row without a point */
    int64_t most_nodes;
    /* Counted work, about one for each condition of a leaf that is looked at: the same on every machine. It ends the search
     * with a point, and without one; infinite for never. */
    double most_work, work_for_point;
    int64_t slice; /* boxes after which a search under way pauses, 0 for never */
    double until;  /* it pauses as soon as nothing that is open is nearer than this; infinite for never */
    /* A box is searched in a problem of its own if it leaves one of so many conditions, and there are many. */
    int32_t times_smaller, within_from;
    int64_t far_after;   /* stops after so many boxes if the best point is farther than FAR times the bound; -1 never */
    double tolerance;    /* relative: boxes so near to the incumbent cannot improve it noticeably */
    const ew_cone *cone; /* NULL for none */
    const ew_inside *inside; /* NULL where boxes are all that is asked */
    const int32_t *starts;   /* n_starts x n_vars: points to start from, with `inside` */
    int32_t n_starts;
    /* Asked between boxes, a few times a second: whether the search is to end at once. NULL if nobody can end it. */
    int (*is_interrupted)(void *context);
    void *listener; /* its context */
    double listened; /* when it was asked last */
    /* what is found */
    int32_t *cells;      /* of the best point */
    double value, lower_bound;
    int has_point, status, gave_up;
    int64_t n_nodes;
    double work; /* counted so far */
} ew_row;

void ew_search(const ew_forest *f, ew_row *row);

/* The same step by step. The row, and all it points to, has to stay where it is until the search is closed. */
typedef struct ew_state ew_state;
/* Returns NULL if there is not enough memory. */
ew_state *ew_open_search(const ew_forest *f, ew_row *row);
/* Search on for points nearer than row->cutoff, which may have fallen, with the seconds, slice and end of the row as they are
 * now. With row->status EW_PAUSED there is more to do; row->lower_bound holds in any case. */
void ew_go_on(ew_state *w);
void ew_close_search(ew_state *w);

/* The bound of everything nearer than the cutoff after some sweeps, as row->lower_bound, with the price, weights and
 * messages (n_trees x n_cells) that prove it: for checking. EW_STOPPED if there is nothing so near. */
int ew_first_bound(const ew_forest *f, ew_row *row, int n_sweeps, double *mu, double *pi, double *theta);

#endif
