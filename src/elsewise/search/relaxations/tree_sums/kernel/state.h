/* A search under way: the compact problem, the dual point, open boxes. */
#ifndef EW_STATE_H
#define EW_STATE_H

#include <math.h>

#include "compact.h"
#include "cone.h"
#include "diagonal.h"
#include "dual.h"
#include "moves.h"
#include "search.h"
#include "steps.h"

/* What children inherit: a dual point, and the leaves that are known to be in no point that matters. */
typedef struct ew_snapshot {
    int32_t n_users;
    float mu, kappa;
    struct ew_snapshot *next; /* of those that are free */
    float *pi, *theta, *q, *weight;
    double *D;
    uint8_t *is_dead;
} ew_snapshot;

typedef struct ew_box {
    double bound;
    uint8_t *alive;    /* n_cells */
    int32_t *relaxed;  /* n_vars, with a cone: cells of the nearest dense point of a box around it; -1 first if unknown */
    ew_snapshot *dual;
    int64_t number;
    struct ew_problem *within; /* a problem of its own that the box is searched in, left for a while; NULL mostly */
    struct ew_box *next; /* of those that are free */
} ew_box;

/* A compact problem, its dual point and its open boxes. One within another is about a single box of it, from which most
 * conditions are gone. */
typedef struct ew_problem {
    ew_arena arena;
    const double *bound; /* original cells: nothing in them is nearer, infinite for those outside */
    const int32_t *own;  /* n_vars of the forest: the cheapest cells */
    const uint8_t *is_gone; /* original leaves that are in no point that matters; NULL for none */
    ew_compact c;
    ew_dual dual, saved;
    uint8_t *is_dead; /* n_leaves, of the box that is looked into */
    ew_prices prices;
    ew_newton newton;
    ew_proof proof;
    ew_box **heap, *free_boxes;
    int64_t n_open, room;
    ew_snapshot *first, *free_snapshots;
    size_t kept;
    double *left, *right, *plain, *row_best;
    double *needed; /* n_rows: what the conditions must reach in the box that is looked into */
    double step;
    int direction;
    ew_box *waiting; /* the box that comes next, its dual being at hand; NULL for none */
    int64_t number; /* of its first box, if it is within another: that is not searched within a third one at once */
    struct ew_problem *outer; /* NULL for the first */
} ew_problem;

struct ew_state {
    const ew_forest *f;
    ew_row *row;
    ew_arena once; /* for the whole search */
    ew_problem p;  /* the one that is searched now */
    ew_incumbent best;
    int32_t *own; /* n_vars of the forest: the cheapest cells */
    double started, settled, scale; /* scale: of distances, without a point */
    ew_steps steps; /* that distances go in */
    double below;   /* half way to the next distance below the incumbent's */
    double below_of; /* the incumbent's distance that it was found for */
    double known;                   /* nothing at all is nearer: the best bound of problems so far */
    ew_multipliers at, saved_at;
    ew_diagonal diagonal;
    int is_split;         /* whether diagonals other than 0 are known to be valid */
    double *first_weight; /* of the diagonal that a search starts with */
    double *moves;     /* numbers: of the last point that was asked for */
    int32_t *point;
    int32_t *low, *high; /* n_vars of the forest: a box of original cells */
    uint8_t *levels;     /* original cells: levels of categories in such a box */
    int32_t *order;      /* n_vars of the forest */
    uint64_t *offered;   /* hashes of boxes that were offered; NULL before the first */
    uint64_t chance;
    int64_t next_pause;                /* after so many boxes */
    int64_t n_boxes;                   /* numbered so far */
    double all;          /* everything there is is within this distance */
    double built_for;    /* the incumbent's distance that the problem was built for */
    int64_t built_at;    /* boxes before it was */
    int64_t pause_at;    /* boxes at which the slice ends, -1 for never */
    size_t bytes_left;   /* of problems that are left for a while */
    int has_no_points; /* nothing is looked for: see record.c */
    int is_begun, is_open, is_root; /* the search; a problem that is under way; its first box comes next */
};

typedef struct {
    double score;
    int32_t var, cell; /* ordered: cells before it and from it on; others: the cell alone and the rest */
    int second_first;
} ew_split;

/* The problem is built anew when the incumbent falls by this share. */
#define EW_REBUILD 0.1
/* Better points are worth building the problem anew while few boxes are closed. */
enum { EW_REBUILD_BEFORE = 200 };

/* search.c: whether the row is out of time, or was given up. */
int ew_is_late(const ew_state *w);

/* problem.c */
/* Room for the compact problem that was built. */
void ew_open_problem(ew_state *w);
/* First weights and price: what is missing at the row itself, over the incumbent's distance. */
void ew_first_dual(ew_state *w);
/* The cheapest cell of each variable. */
void ew_find_own(const ew_forest *f, const ew_row *row, int32_t *own);
/* What becomes of a problem. */
enum { EW_DONE, EW_BUILD_ANEW, EW_TO_BE_CONTINUED };
/* Build the compact problem of the cells and leaves at hand, for points nearer than the incumbent; see compact.h. */
int ew_build(ew_state *w, const ew_clock *clock);
/* Build a compact problem, with its first box. Returns 0 if there is nothing to search, or no time. */
int ew_begin_problem(ew_state *w);
/* Search it, until the slice ends. */
int ew_search_problem(ew_state *w);
/* Nothing that is open or settled is nearer than this. */
double ew_lowest(const ew_state *w);

/* within.c */
/* Search a box, which the dual has entered, in a problem of its own if that is much smaller. Returns 1 if so; *go_on is its
 * first box, NULL if nothing is left of it. */
int ew_go_within(ew_state *w, ew_box *b, ew_box **go_on);
/* Whether a problem around this one has something much nearer open. */
int ew_is_left(const ew_state *w);
/* Leave the problem for a while: it becomes a box of the one around it. */
void ew_leave(ew_state *w);
/* Go on with it. */
void ew_return_to(ew_state *w, ew_box *b);
/* End a problem within another, all boxes of which are closed. */
void ew_end_within(ew_state *w);
/* Give back the memory of a problem that was left. */
void ew_drop_within(ew_state *w, ew_problem *p);
/* Give back the memory of all problems. */
void ew_drop_problems(ew_state *w);

/* looking.c */
/* Look into one box. Returns 1 to build the problem anew, 0 else; *go_on is the half of it to look into next. */
int ew_look_into(ew_state *w, ew_box *b, int is_root, double built_for, ew_box **go_on);
/* A box needs no more looking into; returns 0. */
int ew_close_box(ew_state *w, ew_box *b);

/* bounding.c */
/* Sweep until the bound is good enough or stalls. Returns whether the incumbent fell so much that it is worth building
 * the problem anew. */
int ew_ascend(ew_state *w, ew_box *b, int is_root, double built_for);
/* Evaluate the bound of a box from scratch, as b->bound. */
void ew_bound_box(ew_state *w, ew_box *b);
/* Take cells out of a box that the proof rules out: at the ends of ordered variables, anywhere in others. */
int32_t ew_trim(ew_state *w, ew_box *b);
/* Whether some condition cannot be met by the leaves that are left. Gains are summed anew; what is needed has room for
 * that. */
int ew_is_out_of_reach(ew_state *w);
/* What is missing of a box's bound to the incumbent, or a scale of distances without one. */
double ew_missing(const ew_state *w, const ew_box *b);

/* boxes.c */
void ew_push(ew_state *w, ew_box *b);
ew_box *ew_pop(ew_state *w);
ew_box *ew_new_box(ew_state *w);
void ew_drop_box(ew_state *w, ew_box *b);
ew_snapshot *ew_keep_dual(ew_state *w);
void ew_drop_dual(ew_state *w, ew_snapshot *s);
void ew_load_dual(ew_state *w, const ew_snapshot *s);
/* Divide a box; the half to go on with is returned, the other one is put on the heap. */
ew_box *ew_divide(ew_state *w, ew_box *b, ew_split at);
/* The only point of a box with one cell a variable, as w->point. */
void ew_only_point(ew_state *w, const ew_box *b);

/* splits.c: the split both sides of which lose most; var < 0 if the box is a single point. */
ew_split ew_best_split(ew_state *w);

/* dense.c */
/* Make room for the cone, and take the diagonal to start with. */
void ew_open_cone(ew_state *w);
/* Improve the prices that a cone makes for the messages as they are. Returns the bound, not to be relied on. */
double ew_improve_prices(ew_state *w, double bound, double missing, int is_root);
/* Change the diagonal for what is spread now, if that is better. Returns the bound, not to be relied on. */
double ew_adapt_diagonal(ew_state *w, double bound, double missing, int is_root);
/* Take the multipliers of the nearest dense point of the box, if they are better. */
void ew_try_relaxed(ew_state *w);

/* around.c */
/* Look for points that are dense and accepted: along the way from the nearest dense point to the cone's centre. */
void ew_first_points(ew_state *w);
/* Offer the box around a point in which all trees stay in their leaves, and what it grows to. */
void ew_offer_around(ew_state *w, const int32_t *cells);
/* Take an answer of this distance, if it is better; tells whether it is. */
int ew_take_value(ew_state *w, double value);

/* projected.c */
/* Ask for the nearest dense point of a box, if it is not that of the box around it: *is_new. Returns 0 if the box is settled. */
int ew_relax_box(ew_state *w, ew_box *b, int *is_new);
/* Settle a box in which every tree has one leaf left. */
void ew_finish_box(ew_state *w, const ew_box *b);

/* choosing.c: where to divide a box with a cone; var < 0 if it is a single point. The dual is left at its messages, outside
 * of the box. */
ew_split ew_choose_split(ew_state *w, const ew_box *b);

/* spread.c: the split where the relaxed optimum is spread most; var < 0 if it is not. */
ew_split ew_spread_split(ew_state *w, double missing);

/* Only boxes with something nearer than this matter. */
static inline double ew_limit(const ew_state *w)
{
    const double near = w->best.value * (1.0 - w->row->tolerance);
    return w->best.has_point && w->below_of == w->best.value ? fmin(near, w->below) : near;
}

/* Whether a cell is in the first part of a split. */
static inline int ew_is_first(const ew_compact *c, ew_split at, int32_t k)
{
    return c->is_ordered[at.var] ? k < at.cell : k == at.cell;
}

#endif
