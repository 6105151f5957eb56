/* A search under way: its memory, shared by the files that make it up. */
#ifndef ELSEWISE_WHOLE_SEARCH_H
#define ELSEWISE_WHOLE_SEARCH_H

#include <math.h>
#include <string.h>

#include "nodes.h"
#include "whole.h"

/* How the projector starts from a node: in plain differences, decided levels taken out. */
typedef struct {
    double *low, *high;         /* (n,) */
    double *moved, *x0;         /* (n,): the row with decided levels, in features and in plain coordinates */
    double constant;            /* what these cost */
    int has_moving_category;
} view;

struct whole_search {
    ew_whole shared;
    ptrdiff_t n, q, n_groups;
    int all_discrete;
    double largest_level_price;
    ew_workspace *work;
    node_heap open;
    double settled;             /* smallest bound of the nodes that are closed */
    int out_of_memory;
    node at;                    /* the node in hand, a child of it, and a try of it with all that is discrete fixed */
    node child, trial;
    view seen;
    double *memory;
    double *half_prices;        /* (n,): a change of category moves two indicators */
    int32_t *trails;
    uint8_t *counts;
    int64_t *columns;           /* (n,): scratch */
    /* the relaxation of the node in hand, in plain differences; the same as a point in features */
    double *v, *slope, *relaxed, *stiffness;
    int32_t *trail;
    double proven;              /* nothing in the node is nearer: proven + |v_i| + slope_i v_i for a move of i by v_i */
    int has_point, has_slopes;
    /* candidates, in features and in plain coordinates; the best neighbour so far; image in a cone; a try, solved */
    double *candidate, *other, *plain, *best, *image, *trial_v;
};

/* Whether nodes with this bound may still hold something better. */
static inline int is_worth(const whole_search *s, const ew_whole_row *row, double bound) {
    return bound < row->limit * (1 - s->shared.is.tolerance);
}

/* The levels of category c: the first of its features, and one past the last. */
static inline ptrdiff_t first_level(const whole_search *s, ptrdiff_t c) { return (ptrdiff_t)s->shared.levels[2 * c]; }
static inline ptrdiff_t end_of_levels(const whole_search *s, ptrdiff_t c) { return (ptrdiff_t)s->shared.levels[2 * c + 1]; }

/* How many levels of a category a box leaves. */
static inline ptrdiff_t levels_left(const whole_search *s, const node *box, ptrdiff_t c) {
    ptrdiff_t left = 0;
    for (ptrdiff_t i = first_level(s, c); i < end_of_levels(s, c); i++) left += box->upper[i] == 1;
    return left;
}

static inline int is_number(const whole_search *s, ptrdiff_t i) { return s->shared.kind[i] != EW_INDICATOR; }
static inline int is_whole_number(const whole_search *s, ptrdiff_t i) { return s->shared.kind[i] == EW_WHOLE_NUMBER; }

/* relax.c: project onto the node in hand. */
void relax(whole_search *s, ew_whole_row *row);

/* What the projector proves of a node at first sight, before anything is solved: the nearest cones come first. */
double first_look_at(whole_search *s, const ew_whole_row *row, const node *box);

/* Solve for the numbers of the try, away from the rules by one of several amounts, and if it widens, from all other
 * boundaries, too; the point goes to s->candidate. 0 if there is none. */
int solve_trial(whole_search *s, ew_whole_row *row, int64_t inside, int widens);

/* What it costs to make a number of the relaxed point whole, 0 if it is or need not be. */
double fraction(const whole_search *s, const ew_whole_row *row, ptrdiff_t i);

/* What it costs to move category c of the relaxed point to its largest level, 0 if it is there. */
double category_fraction(const whole_search *s, ptrdiff_t c);

/* Whether nothing discrete of the relaxed point is left to make whole. */
int is_relaxed_whole(const whole_search *s, const ew_whole_row *row);

/* cells.c: open the cells of a cone, but for one. */
void divide_cone(whole_search *s, const ew_whole_row *row, int64_t but);

/* Put a box into the limits of a part. */
void limit_to_part(const whole_search *s, const ew_whole_row *row, int64_t part, node *box);

/* A part that the relaxed point of a cone is in, well inside of its half-spaces and limits: its cell has the same
 * relaxation. -1 if there is none. */
int64_t part_of_relaxed(whole_search *s, const ew_whole_row *row);

/* divide.c: open the child if it is not empty and may hold something better. */
void push_child(whole_search *s, const ew_whole_row *row);

/* Make the child a copy of the node in hand, whose path has ended. */
void copy_node(whole_search *s);

/* Divide the node in hand, which may still hold something better. */
void divide(whole_search *s, ew_whole_row *row);

/* A category of which a box leaves several levels, but not the row's own; -1 if there is none. */
ptrdiff_t lost_level(const whole_search *s, const ew_whole_row *row, const node *box);

/* Divide a node that leaves several levels of a category, but not the row's own, before it is relaxed; 0 if there is no
 * such category. */
int divide_lost_level(whole_search *s, ew_whole_row *row);

/* Close the node in hand if all that is discrete is decided and nothing else is left to divide; 0 if there is. */
int close_if_done(whole_search *s, const ew_whole_row *row);

/* boxes.c: narrow a box by least moves, clauses and the number of changes; 0 if it is empty. */
int narrow(const whole_search *s, const ew_whole_row *row, node *box);

/* Narrow a box to what the row's clauses and least moves leave, without counting changes. */
int narrow_by_rules(const whole_search *s, const ew_whole_row *row, node *box);

/* Take out of the box of the node in hand what costs more than the limit by the slopes of its relaxation. */
void leave_out_costly_moves(whole_search *s, const ew_whole_row *row);

/* Whether a point moves far enough where it moves, and changes few enough columns. */
int moves_far_enough(const whole_search *s, const ew_whole_row *row, const double *point);
int changes_few_enough(const whole_search *s, const ew_whole_row *row, const double *point);

/* clauses.c: narrow the box of a node by the clauses of its row; 0 if it is empty. */
int narrow_by_clauses(const whole_search *s, const ew_whole_row *row, node *box);

/* Number of a clause that a point breaks, the one that leaves fewest literals open in a box; -1 if it keeps all. */
int64_t broken_clause(const whole_search *s, const ew_whole_row *row, const node *box, const double *point);

/* Narrow a box to a literal; 0 if nothing of it is left. */
int keep_literal(const whole_search *s, const ew_whole_row *row, node *box, int64_t literal);

/* Whether a point keeps all clauses. */
int keeps_clauses(const whole_search *s, const ew_whole_row *row, const double *point);

/* gaps.c: the clause about one number in whose gap the relaxed value lies deepest; -1 if there is none. */
int64_t widest_gap(const whole_search *s, const ew_whole_row *row);

/* Divide the node in hand into the literals of such a clause. */
void divide_gap(whole_search *s, const ew_whole_row *row, int64_t clause);

/* points.c: whether a point, in features, is in region, density, limits and rules; its part and cone. */
int is_member(whole_search *s, const ew_whole_row *row, const double *point, int64_t *part, int64_t *cone);

/* Whether a point lies in a cone of the row, by its place among these; 1 without a density. */
int is_dense(whole_search *s, const ew_whole_row *row, const double *point, int64_t cone);

/* Take a point as the incumbent if it is nearer and a member; whether it is. */
int offer(whole_search *s, ew_whole_row *row, const double *point);

/* rounding.c: look for better incumbents around the relaxed point of the node in hand. */
void round_relaxed(whole_search *s, ew_whole_row *row);

/* Round all that is discrete of the relaxed point to the nearest. */
void round_to_nearest(const whole_search *s, const ew_whole_row *row, double *point);

#endif
