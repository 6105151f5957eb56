/* The bound by dual decomposition, and the ascent that makes it good.
 *
 * A point is nearer than D only if its conditions are met. For weights pi >= 0 of the conditions, a price mu > 0 and any
 * messages theta(slot, segment):
 *
 *     B_i(k) = -mu price_i(k) + sum over slots of i of theta(slot, segment of k)
 *     T_t    = max over leaves of [pi . gain - sum over slots of min of theta over the segments the leaf allows]
 *     rest   = pi . constant + sum_i max_k B_i(k) + sum_t T_t
 *
 *     distance >= fixed cost + constant of the prices + (pi . least - rest) / mu
 *
 * (prices are costs, or what a cone makes of them: see cone.h), for the messages that are added to B are taken from T again, whatever the leaf. */
#ifndef EW_DUAL_H
#define EW_DUAL_H

#include "compact.h"
#include "cone.h"
#include "ranges.h"
#include "votes.h"

typedef struct {
    /* the dual point */
    double mu, *pi, *theta;
    double price_constant, *price; /* of cells: their cost, or what a cone makes of it */
    /* what follows from it, kept up to date by the ascent */
    double *B;     /* n_cells */
    double *total; /* n_leaves: a leaf's value, the least messages of its tree's slots not yet taken */
    double *least_message, *least_messages; /* n_slots: least message; n_trees: their sum */
    int32_t *top;  /* n_trees: an active leaf of the largest total */
    int32_t *free; /* n_trees: the same of the leaves that are free in the slot at hand, -1 for none */
    double *value;                          /* n_leaves: pi . gain */
    /* the box */
    const uint8_t *alive;  /* n_cells */
    const uint8_t *is_dead; /* n_leaves: proven to be in no point of the box that matters */
    uint8_t *is_active;    /* n_leaves: meets the box, and is near enough */
    int32_t *active;       /* active leaves, tree by tree */
    int32_t *first_active; /* n_trees + 1 */
    uint8_t *segment_alive; /* n_segments */
    int32_t *n_alive;       /* n_slots: segments alive */
    double *segment_cost;   /* n_segments: cheapest cell alive, infinite if none */
    double base;            /* cheapest point of the box */
    /* conditions of active leaves, slot by slot */
    int32_t *first_met;        /* n_slots + 1 */
    int32_t *met_leaf, *met_set;  /* the leaf, and the set of segments that it allows */
    uint16_t *set_low, *set_high; /* sets of slots with ranges: first and last segment that is alive, low > high for none */
    double *set_least, *set_most; /* sets: least message, and the largest total of their leaves */
    /* slots whose segments are intervals of cells */
    uint8_t *is_interval;         /* n_slots */
    int32_t *first_of, *end_of;   /* n_segments: first cell, and the one after the last */
    uint8_t *level_of;            /* n_segments: of its number of cells, see ranges.h */
    /* room to work */
    ew_ranges ranges;
    double *steps; /* what changes from one cell of a variable to the next */
    double *best, *leaf_cost;
    int32_t *stamp, last_stamp;
    double *work; /* the row's account: conditions that were looked at */
} ew_dual;

/* The most that cells of a segment have, after the table was filled. */
static inline double ew_most_of(const ew_dual *d, int32_t segment)
{
    return ew_ranges_most(&d->ranges, d->first_of[segment], d->end_of[segment], d->level_of[segment]);
}

/* Add a number to all cells of a segment, in steps. */
static inline void ew_add_to(const ew_dual *d, int32_t segment, double number)
{
    d->steps[d->first_of[segment]] += number;
    d->steps[d->end_of[segment]] -= number;
}

void ew_dual_open(ew_dual *d, const ew_compact *c, ew_arena *arena);

/* Set values of leaves after a change of pi. */
void ew_dual_weigh(ew_dual *d, const ew_compact *c);
/* Find what a box leaves below a limit. Returns 0 if nothing is left of a tree, or the box itself is too costly. */
int ew_dual_enter(ew_dual *d, const ew_compact *c, const uint8_t *alive, const uint8_t *is_dead, double limit);
/* Compute B and totals from the messages. */
void ew_dual_refresh(ew_dual *d, const ew_compact *c);
/* Change the price. */
void ew_dual_reprice(ew_dual *d, const ew_compact *c, double mu);
/* Take other prices of cells. */
void ew_dual_take_prices(ew_dual *d, const ew_compact *c, const ew_prices *prices);
/* One sweep over all variables, forward or backward. */
void ew_dual_sweep(ew_dual *d, const ew_compact *c, int backward);
/* The bound as the ascent has it: not to be relied on. */
double ew_dual_estimate(const ew_dual *d, const ew_compact *c, const double *least);

/* What is proven; see bound.c. */
typedef struct {
    double distance; /* nothing in the box is nearer, up to the limit that was asked for */
    double rest, rounding, wanted, fixed;
    double unit; /* rounding of sums, relative to the size of their terms */
    double *B;        /* n_cells, computed afresh */
    double *largest;  /* n_vars */
    double *leaf, *largest_leaf; /* n_leaves, n_trees: values less messages */
    double *leaf_cost, *size, *tree_size, *segment_cost; /* room to work */
    double *set_least, *set_cost; /* room: of the sets of a slot */
    ew_votes votes;
    int leaves_votes_out;
    uint8_t *is_left; /* n_leaves */
    double *needed;   /* n_rows: what the conditions must reach */
} ew_proof;

void ew_proof_open(ew_proof *p, const ew_compact *c, ew_arena *arena);
/* Evaluate the bound of a dual point from scratch, for points of a box that are nearer than a limit. */
void ew_prove(ew_proof *p, const ew_compact *c, const uint8_t *alive, const uint8_t *is_dead, double limit,
              const ew_prices *prices, double mu, const double *pi, const double *theta);
/* Mark leaves that the same proves to be in no point of the box nearer than the limit. */
void ew_mark_dead(ew_proof *p, const ew_compact *c, const uint8_t *alive, double limit, double mu, uint8_t *is_dead);
/* Whether the same proves that no point with this cell is nearer than the limit. */
int ew_is_too_far(const ew_proof *p, const ew_compact *c, int32_t var, int32_t cell, double limit, double mu);

#endif
