/* One point onto one convex cell: the door to the kernel.
 *
 * In coordinates where the distance is plain (unit weights), for a point x0 and v = x - x0,
 *
 *     minimise    sum_i |v_i|   (norm 1)    or    v'v   (norm 2)
 *     subject to  (N_r - S_k)·(x0 + v) <= o_r - c_k     half-spaces r of at most two polyhedra k
 *                 l <= v <= u                           bounds, infinite where absent
 *                 ||F (x0 + v) - gc|| <= h0 + h1·(x0 + v)    at most one second-order cone
 *
 * Features may come in groups, the indicators of a category: one unit is divided among them, x0 has all of it in
 * one, the group's base, and v_i >= 0 (a lower bound of 0) is what moves from the base to i, so that
 * v_base = -sum v_i is implied. The base's own distance does not count. The kernel substitutes v_base everywhere,
 * which makes every coefficient of the group relative to its base's, and adds the half-space sum v_i <= x0_base. In the output
 * v_base is 0.
 *
 * Multipliers: z >= 0 for half-spaces and bounds, y = (y0, y1) in the second-order cone for the cone constraint,
 * with Lagrangian f(v) + z'(G v - h) - y'(H v + k), where H = [h1'; F] and k = (h0, -g) after moving x0 to the
 * origin.
 *
 * A search projects one x0 onto one cell again and again, within bounds that get narrower. Where a path ends (which
 * features move, which way, which constraints are active) is told as a trail; another projection onto the same cell, or
 * onto the same cone with another polyhedron, starts from there. That saves time and nothing else: what is reported is
 * evaluated from point and multipliers in any case.
 *
 * How large a linear form can be within a distance is asked with the half-space that it is at least as large as it is
 * known to be, and that distance as reach: where the path gets there first, the half-space is moved to the value the form has
 * then. The multipliers are those of the half-space in its new place. */
#ifndef ELSEWISE_PROJECTION_H
#define ELSEWISE_PROJECTION_H

#include <stdint.h>

enum { EW_OPTIMAL = 0, EW_INFEASIBLE = 1, EW_CUTOFF = 2, EW_STALLED = 3 };

/* Everything the instances of a batch share. Arrays are C-contiguous. */
typedef struct {
    int64_t n;              /* features */
    int64_t q;              /* dimensions of the cones (0: no cones) */
    int norm;               /* 1 or 2 */
    const double *normals;  /* N: (n_halfspaces, n) */
    const double *offsets;  /* o: (n_halfspaces,) */
    const int64_t *spans;   /* (n_polyhedra, 2): first half-space, one past the last */
    const double *shifts;   /* S: (n_polyhedra, n) */
    const double *shift_offsets; /* c: (n_polyhedra,) */
    const double *factors;  /* F': (n_shapes, n, q), a line for each feature */
    const double *grams;    /* F'F: (n_shapes, n, n) */
    const int64_t *shape;   /* (n_cones,): which factor */
    const double *centres;  /* gc: (n_cones, q) */
    const double *radii;    /* h0: (n_cones,) */
    const double *tilts;    /* h1: (n_cones, n), or NULL for zero */
    int64_t n_groups;       /* 0: no groups */
    const int64_t *group;   /* (n,): the group of each feature, -1: none; NULL without groups */
    const double *diagonals;  /* D: (n_shapes, n), where F'F = diag(D) - U U' (see low_rank.h); NULL: no structure */
    const double *directions; /* U: (n_shapes, n, rank) */
    int64_t rank;
} ew_cells;

/* One instance. Outputs may be NULL where not wanted, except value, bound, status. */
typedef struct {
    const double *x0;       /* (n,) */
    int64_t polyhedra[2];   /* -1: none */
    int64_t cone;           /* -1: none */
    const double *lower;    /* (n,) on v, or NULL */
    const double *upper;
    double cutoff;          /* stop once the optimum is proven to be at least this */
    double margin;          /* relative distance to keep from every boundary */
    double *v;              /* out (n,) */
    double *z_halfspaces;   /* out: multipliers of both polyhedra in order, then of groups in which something can move */
    double *z_bounds;       /* out (n,): upper minus lower */
    double *y;              /* out (q + 1,) */
    double *slope;          /* out (n,): with norm 1 and a point, every v of the cell is at distance
                             * >= bound + sum |v_i| + slope_i v_i; NaN if that is not proven */
    const int32_t *start;   /* trail to start from, or NULL */
    int starts_inside;      /* whether to start from it even where x0 is in the cone: no other path leads there */
    int32_t *end;           /* out: trail of ew_trail_size(n) numbers, the first of them -1 without one; or NULL */
    double reach;           /* positive: the path on which the first half-space comes to hold ends at this distance at the
                             * latest, and the half-space is moved to where that is; 0 for none */
    double *stiffness;      /* out (n,), with a trail: moving feature i by d against its will costs about d^2 stiffness_i / 2,
                             * an estimate; 0 for features at rest; or NULL */
    double value;           /* out: distance at v */
    double bound;           /* out: rigorous lower bound of the optimum (without margin) */
    int status;             /* out */
    int iterations;         /* out */
    int first_is_active;    /* out: whether a half-space of the first polyhedron is active; if none is, the point is the
                             * projection onto the other constraints */
} ew_instance;

typedef struct ew_workspace ew_workspace;

/* A trail: how many features move and how many constraints are active; then n places for the features that move, counted
 * from 1 and negative if they move down; then n for the active constraints, a half-space j as j, the lower bound of
 * feature i as -1 - 2 i, its upper bound as -2 - 2 i. */
static inline int64_t ew_trail_size(int64_t n) { return 2 + 2 * n; }

ew_workspace *ew_workspace_new(const ew_cells *cells, int64_t max_halfspaces);
void ew_workspace_free(ew_workspace *w);
void ew_project(const ew_cells *cells, ew_instance *instance, ew_workspace *w);

#endif
