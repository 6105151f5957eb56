/* One instance in memory, and what is known of it before anything is solved. */
#ifndef ELSEWISE_INSTANCE_H
#define ELSEWISE_INSTANCE_H

#include <math.h>
#include <string.h>

#include "constants.h"
#include "interior_point.h"
#include "low_rank.h"
#include "projection.h"
#include "soc.h"

struct ew_workspace {
    ptrdiff_t n, q, max_halfspaces;
    double *memory, *iterate_memory;
    int64_t *indices;
    /* the instance, x0 moved to the origin: its half-spaces (of the first polyhedron, of both, then one for each
     * group in which something can move), factor and Gram matrix of the cone relative to the bases, its right-hand
     * side h0 */
    ptrdiff_t n_first, n_tabled, n_halfspaces;
    const double *Ft, *gram;
    double h0;
    int has_tilt;
    int64_t *base, *moving_group; /* (n_groups,): base feature of a group; the groups that have a half-space */
    double *own_Ft, *own_gram;
    /* units: of length, of the cone; what the margin takes off the cone */
    double sigma, cone_unit, cone_margin;
    int is_in_cone;               /* x0 is: no path starts from the cone */
    double *b, *scale, *noise;    /* of each half-space: right-hand side, dual norm of the normal, rounding of b */
    double *g, *h1;
    double *r;                    /* (n,): gradient G'z - H'y of the multipliers */
    double *pull;                 /* (n,): how strongly each feature moves towards what is violated */
    double *feature_score, *halfspace_score, *normal, *hv, *ray; /* scratch */
    /* paths: scratch, right-hand sides, multipliers; the end of a path that satisfies all constraints and its distance,
     * infinite without one */
    double *path, *path_b, *path_y, *path_z, *path_v, path_value;
    double *low_rank_memory;
    low_rank low;                 /* structure of the present cone */
    int64_t *barred, *path_moving, *path_sign, *path_active, *path_pinned, *path_bound_feature, *path_bound_sign;
    /* working sets: which features and half-spaces are in, as lists and as flags */
    int64_t *features, *halfspaces, *chosen_feature, *chosen_halfspace;
    subproblem sub;
    iterate it;
};

/* How many bounds may hold a path back. */
static inline ptrdiff_t n_path_bounds(const ew_cells *cells) {
    return cells->diagonals && cells->n > PATH_BOUNDS ? cells->n : PATH_BOUNDS;
}

/* Substitute the bases: coefficients become relative to the base of their group. */
static inline void relative_to_bases(const ew_cells *cells, const ew_workspace *w, double *coefficients) {
    for (ptrdiff_t i = 0; i < cells->n; i++)
        if (cells->group[i] >= 0 && w->base[cells->group[i]] != i)
            coefficients[i] -= coefficients[w->base[cells->group[i]]];
    for (ptrdiff_t c = 0; c < cells->n_groups; c++) coefficients[w->base[c]] = 0;
}

/* Normal of half-space j of the instance, N_r - S_k or that of a group, written to `out`. */
static inline void normal_of(const ew_cells *cells, const ew_instance *e, const ew_workspace *w, int64_t j,
                             double *out) {
    if (j >= w->n_tabled) {
        int64_t group = w->moving_group[j - w->n_tabled];
        for (ptrdiff_t i = 0; i < cells->n; i++) out[i] = cells->group[i] == group && i != w->base[group];
        return;
    }
    int64_t which = e->polyhedra[0] >= 0 ? e->polyhedra[0] : e->polyhedra[1];
    int64_t first = cells->spans[2 * which], count = cells->spans[2 * which + 1] - first;
    if (j >= count) { which = e->polyhedra[1]; first = cells->spans[2 * which]; j -= count; }
    const double *N = cells->normals + (first + j) * cells->n, *S = cells->shifts + which * cells->n;
    for (ptrdiff_t i = 0; i < cells->n; i++) out[i] = N[i] - S[i];
    if (cells->n_groups) relative_to_bases(cells, w, out);
}

/* Relative rounding that the margin allows for. */
static inline double rounding(const ew_instance *e) {
    return e->margin > 0 ? MARGIN_ROUNDING * fmax(1, e->margin / USUAL_MARGIN) : 0;
}

/* What the margin takes off the right-hand side of half-space j. Only those of the first polyhedron, the model's,
 * keep one: the user's rules, the second, may hold with equality, and bounds and groups are exact. */
static inline double halfspace_margin(const ew_instance *e, const ew_workspace *w, ptrdiff_t j) {
    return j < w->n_first ? e->margin * w->sigma * w->scale[j] + w->noise[j] : 0;
}

/* Relative rounding of a sum of so many products. */
static inline double sum_rounding(ptrdiff_t n_terms) {
    return TERM_ROUNDING * (double)(n_terms + TERMS_EXTRA);
}

/* Rounding of component i of the gradient G'z - H'y, given ||y1|| (with F unscaled) and sum z. */
static inline double gradient_rounding(const ew_cells *cells, const ew_instance *e, const ew_workspace *w, ptrdiff_t i,
                                       double length_y, double sum_z) {
    double size = sum_z;
    if (e->cone >= 0) size += length_y * sqrt(w->gram[i * (cells->n + 1)]);
    return sum_rounding(cells->q + w->n_halfspaces) * size;
}

/* Whether feature i can move at all. */
static inline int is_free(const ew_instance *e, ptrdiff_t i) {
    return !(e->lower && e->upper && e->lower[i] >= 0 && e->upper[i] <= 0);
}

/* What is left of the gradient component r_i when the bounds of a feature that can move one way only take their part:
 * with v_i >= 0 a multiplier of that bound absorbs r_i > 0 at no cost. */
static inline double unabsorbed(const ew_instance *e, ptrdiff_t i, double r) {
    if (e->lower && e->lower[i] == 0 && r > 0) return 0;
    if (e->upper && e->upper[i] == 0 && r < 0) return 0;
    return r;
}

/* What single constraints say before anything is solved. */
typedef struct {
    double distance;      /* largest distance to a half-space, to the cone along its axis, to the bounds; proven */
    double sigma;         /* the same with rounding taken off the right-hand sides: the unit of length */
    double cone_distance, cone_reach, cone_noise;
    int cone_is_violated; /* with rounding taken off */
    int is_out_of_reach;  /* what separates x0 from the cone is orthogonal to all that can move, up to rounding */
} first_look;

/* Read half-spaces and cone of the instance into the workspace. */
void read_instance(const ew_cells *cells, const ew_instance *e, ew_workspace *w);

/* Look at each constraint alone. Also fills pull: how strongly each feature moves towards the cone. */
first_look look_first(const ew_cells *cells, const ew_instance *e, ew_workspace *w);

/* Multipliers of the single constraint whose distance is the largest: the cone along its axis, a half-space, or the
 * bounds. */
void closed_form_multipliers(const ew_cells *cells, ew_instance *e, ew_workspace *w, const first_look *look);

/* Follow exact paths: the cone alone, then half-space by half-space. Returns -1 if that settles the instance; else
 * the number of features that moved (0 if there is no path), first in features, for the interior point method to
 * start from. The end of a path that satisfies all constraints but whose bound rounding has loosened is left in
 * path_v. */
ptrdiff_t follow_paths(const ew_cells *cells, ew_instance *e, ew_workspace *w);

/* Leave the cone out, which often holds by itself: one half-space and bounds, in closed form. Whether that settles the
 * instance; if not, its bound may still be better. */
int project_without_cone(const ew_cells *cells, ew_instance *e, ew_workspace *w);

/* Solve by the interior point method on working sets of features and half-spaces, starting with the features that
 * moved. */
void solve_on_working_sets(const ew_cells *cells, ew_instance *e, ew_workspace *w, ptrdiff_t n_moving);

#endif
