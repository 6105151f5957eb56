/* A sum of trees over variables that take one of finitely many cells each.
 *
 * A variable is a column: the cells of a number are the intervals between the cuts of all trees, ascending; those of a
 * category are its levels. A node asks for the cell of one variable: `cell <= cut`, or a table of the cells that go left.
 * A point is one cell a variable. */
#ifndef EW_FOREST_H
#define EW_FOREST_H

#include <stdint.h>

#include "rules.h"

enum { EW_RANGE, EW_LARGEST, EW_MEAN };

/* A decision by the scores of some of the trees, as their library takes it. */
typedef struct {
    int32_t first_tree, end_tree, first_score, n_scores;
    int single, kind;
    int32_t index;
    double divisor, low, high, least_score, least_log_odds;
    double doubt; /* how far scores may be from the library's own, or from what it makes of them; zero if not at all */
    double reordering; /* share of doubt that is the order of sums, which the model's own predict has to decide */
    double unit;  /* of the margin that scores keep */
} ew_decision;

typedef struct {
    int32_t n_vars, n_trees, n_scores, n_rows, n_decisions;
    int32_t deepest; /* tree: nodes on the longest way to a leaf */
    const int32_t *first_cell; /* n_vars + 1: where the cells of each variable start */
    const uint8_t *is_ordered; /* n_vars: cells are intervals, cheaper the nearer to the row's own */
    const uint8_t *has_tables; /* n_vars: some node asks for it by a table */
    const int32_t *root;
    const int32_t *var, *cut, *left, *right; /* nodes; var < 0 is a leaf, left its number */
    const int32_t *table;                    /* where its table starts, or -1 */
    const uint8_t *tables;
    const double *leaf; /* n_leaves x n_scores, as the library sums them */
    const double *gain; /* n_leaves x n_rows: what it adds to each condition `sum of gains >= least` */
    const double *least; /* n_rows: moved out by rounding, so that they hold for all that is accepted */
    const double *base;  /* n_scores */
    const uint8_t *is_exact;  /* n_leaves: its scores, and sums of such scores, are exact in any order */
    const uint8_t *is_strict; /* n_rows: is zero, and not enough where the sum is exact; see votes.h */
    int has_strict;           /* some of them are */
    const ew_decision *decisions; /* all of them are to be taken */
    const double *links;      /* n_scores x 4, for EW_MEAN: weight, slope, offset, whether of its logistic function */
    const int32_t *first_knot; /* n_scores + 1: where the knots of each link start; with any, it is a line through them */
    const double *knots;       /* x and y of each */
    int32_t no_leaf;              /* one that adds nothing */
    const ew_rules *rules;        /* of the row at hand, NULL for none */
} ew_forest;

/* Whether the model decides so at a point that keeps all rules, by its own arithmetic; scores must exceed what is needed by
 * `margin`. With a margin of 0, points that only the order of sums decides are accepted: predict judges what is returned.
 * `sums` has room for n_scores numbers. */
int ew_accepts(const ew_forest *f, const int32_t *cells, double margin, double *sums);

/* Depth of the deepest tree. */
int32_t ew_deepest(const ew_forest *f);

/* Conditions along one variable, all others fixed: out[(cell) * n_rows + row], for rounding's sake approximate. */
void ew_along(const ew_forest *f, const int32_t *cells, int32_t var, double *out);

static inline int32_t ew_child(const ew_forest *f, int32_t node, int32_t cell)
{
    int32_t table = f->table[node];
    int goes_left = table < 0 ? cell <= f->cut[node] : f->tables[table + cell];
    return goes_left ? f->left[node] : f->right[node];
}

/* Whether the model may decide so at a point where it does not by our arithmetic. */
int ew_may_accept(const ew_forest *f, const int32_t *cells, double *sums);

#endif
