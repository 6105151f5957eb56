/* A search under way: its memory, shared by the files that make it up. */
#ifndef ELSEWISE_WHOLE_SEARCH_H
#define ELSEWISE_WHOLE_SEARCH_H

#include <math.h>
#include <string.h>

#include "nodes.h"
#include "whole.h"

struct whole_search {
    ew_whole shared;
    ptrdiff_t n, q;
    ew_workspace *work;
    node_heap open;
    double settled;             /* smallest bound of the nodes that are closed */
    int out_of_memory;
    node at;                    /* the node in hand, and a child of it */
    node child;
    double *memory;
    int32_t *trails;
    int64_t *columns;           /* (n,): scratch */
    /* the relaxation of the node in hand, in plain differences; the same as a point in features */
    double *low, *high, *v, *slope, *relaxed, *stiffness;
    int32_t *trail;
    double proven;              /* nothing in the node is nearer: proven + |v_i| + slope_i v_i for a move of i by v_i */
    int has_point, has_slopes;
    /* candidates, in features and in plain coordinates; the best neighbour so far; image in a cone */
    double *candidate, *other, *plain, *best, *image;
};

/* Whether nodes with this bound may still hold something better. */
static inline int is_worth(const whole_search *s, const ew_whole_row *row, double bound) {
    return bound < row->limit * (1 - s->shared.is.tolerance);
}

/* boxes.c: narrow the box of a node by the clauses of its row; 0 if it is empty. */
int narrow_by_clauses(const whole_search *s, const ew_whole_row *row, node *box);

/* Number of a clause that a point breaks, the one that leaves fewest literals open in a box; -1 if it keeps all. */
int64_t broken_clause(const whole_search *s, const ew_whole_row *row, const node *box, const double *point);

/* Narrow a box to a literal; 0 if nothing of it is left. */
int keep_literal(const whole_search *s, const ew_whole_row *row, node *box, int64_t literal);

/* Whether a point keeps all clauses. */
int keeps_clauses(const whole_search *s, const ew_whole_row *row, const double *point);

/* Take out of the box of the node in hand what costs more than the limit by the slopes of its relaxation. */
void leave_out_costly_moves(whole_search *s, const ew_whole_row *row);

/* points.c: look for better incumbents around the relaxed point of the node in hand. */
void round_relaxed(whole_search *s, ew_whole_row *row);

/* Whether a point, in features, is in region, density, limits and clauses; its part and cone. */
int is_member(whole_search *s, const ew_whole_row *row, const double *point, int64_t *part, int64_t *cone);

/* What it costs to make feature i of the relaxed point whole, 0 if it is. */
static inline double fraction(const whole_search *s, const ew_whole_row *row, ptrdiff_t i) {
    double value = s->relaxed[i], apart = fabs(value - rint(value));
    return apart < s->shared.is.whole || value == row->own[i] ? 0 : apart * s->shared.prices[i];
}

#endif
