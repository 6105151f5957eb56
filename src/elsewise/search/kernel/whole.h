/* The nearest point of one row in region, density and rules, where columns are whole, categories or numbers under
 * rules: best-first branch and bound.
 *
 * A node is a cell (a cone, a part of the region or none yet) with a box of features. The projector solves its
 * relaxation, starting from where its parent's path ended; rounding gives candidates; a node that may still hold something
 * better is divided: a cone into its cells, a whole number at its fractional value, a category into its levels, a clause
 * into its literals. A node is closed by nothing but the lower bound that the projector certifies.
 *
 * Features are numbers, whole or not (a row's own value may stay even if it is not), and the indicators of categories:
 * one of them is 1, the others are 0. In a box the lower limit of an indicator says nothing, the upper one is 0 for a level
 * that is out. A category with one level left is decided: the row is moved to that level before anything is projected, and
 * its price is added. The plain coordinates of a point x are prices (x - origin); its distance from the row is the sum of
 * their differences, a category counting once. */
#ifndef ELSEWISE_WHOLE_H
#define ELSEWISE_WHOLE_H

#include <stddef.h>
#include <stdint.h>

#include "projection.h"

/* Numbers that decide something; see constants.py of the package for what they mean. */
typedef struct {
    double tolerance, whole, limit_rounding, room_share, room_amount, smallest_reduced_cost, far_away, reach_slack, still,
        bound_rounding, far_from_rule;
    int64_t columns_both_ways, most_improvements, most_narrowings, most_nodes, parts_tried;
} ew_whole_constants;

enum { EW_NUMBER = 0, EW_WHOLE_NUMBER = 1, EW_INDICATOR = 2 };

/* What rows share. Arrays are C-contiguous; n is that of the cells. */
typedef struct {
    ew_cells cells;            /* relaxations: half-spaces moved out by a little more than rounding */
    ew_whole_constants is;
    const double *prices, *origin; /* (n,) */
    const uint8_t *kind;           /* (n,) */
    const int64_t *levels;         /* (n_groups, 2): first indicator of a category, one past its last */
    /* membership in a part: o_r - N_r·x >= wanted_depth (sizes_r·|x| + size_offsets_r) for its half-spaces r, x in plain
     * coordinates on the left and in features on the right, and least <= x <= most */
    const double *exact_offsets;   /* o: (n_halfspaces,) */
    const double *sizes, *size_offsets; /* (n_halfspaces, n), (n_halfspaces,) */
    const double *least, *most;    /* (n_polyhedra, n), infinite for numbers that are not whole */
    double wanted_depth;
    double wanted_slack;           /* in a cone, as a share of the radius */
    double margin;
    int64_t max_halfspaces;        /* of a part and the rules */
    int64_t n_clauses, n_literals;
    const int64_t *literal_feature; /* (n_literals,) */
    const int64_t *first_literal;  /* (n_clauses + 1,) */
    int64_t max_changes;           /* -1: any number */
    int64_t n_units;               /* what changes are counted in */
    const int64_t *unit;           /* (n,) */
    int64_t rules_at;              /* polyhedron of the linear rules, -1 without; behind it one a margin, moved in */
    int64_t n_margins;
    const double *margins;         /* (n_margins,): what numbers are solved for with, one after the other */
    int (*keeps_rules)(void *rules, const double *point); /* whether a point keeps the rules as they are written */
    void *rules;
} ew_whole;

/* One row. */
typedef struct {
    const double *own, *x0;        /* (n,): in features, in plain coordinates */
    const double *lower, *upper;   /* (n,) */
    const double *below, *above;   /* (n,): what moves goes at least so far; or NULL */
    const double *literal_low, *literal_high; /* (n_literals,) */
    const uint8_t *binds;          /* (n_clauses,) */
    int64_t first_cone, n_cones;   /* first_cone -1: no density, and one pseudo-cone */
    int64_t first_polyhedron, n_parts;
    int use_region;
    const double *radii, *centres; /* of all cones of the table */
    const double *cone_bounds;     /* (n_cones,), infinite for a cone that is none */
    const double *part_bounds;     /* (n_parts,), infinite for a part not to look into */
    const uint8_t *possible;       /* (n_cones, n_parts) */
    const double *part_lower, *part_upper; /* (n_parts, n), or NULL for no limits */
    const double *reach;           /* (n_cones, n): how far points of a cone may be from x0, infinite if not known */
    double limit;                  /* only points nearer than this are wanted; out: distance of the incumbent */
    int any_point;                 /* the first point ends the search */
    double *point;                 /* out (n,) */
    double *model_free;            /* out (n_cones,): nothing in a cone is nearer, whatever the model says */
    int loses_own_level;           /* out: a cone was divided before its parts were, and model_free says nothing */
    double value;                  /* out: distance of the point, infinite without one */
    double bound;                  /* out: nothing is nearer, but perhaps the point by rounding */
    int64_t part, cone;            /* out */
    int64_t n_nodes;               /* out */
} ew_whole_row;

typedef struct whole_search whole_search;

/* NULL without memory. */
whole_search *ew_whole_new(const ew_whole *shared);
void ew_whole_free(whole_search *s);

/* Open the search of a row; 0 without memory. */
int ew_whole_open(whole_search *s, ew_whole_row *row);

enum { EW_WHOLE_DONE = 0, EW_WHOLE_OPEN = 1, EW_WHOLE_NO_MEMORY = 2 };

/* Go on with a row, for at most so many nodes. */
int ew_whole_go_on(whole_search *s, ew_whole_row *row, int64_t n_nodes);

/* Close the search of a row: its bound is the smallest of settled and open nodes. */
void ew_whole_close(whole_search *s, ew_whole_row *row);

#endif
