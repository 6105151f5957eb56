/* One instance in memory, and what is known of it before anything is solved. */
#ifndef ELSEWISE_INSTANCE_H
#define ELSEWISE_INSTANCE_H

#include <math.h>
#include <string.h>

#include "interior_point.h"
#include "projection.h"
#include "soc.h"

/* Polyhedra of up to so many rows are taken whole; so many bounds may hold a path back; relative gap that is asked for. */
enum { ALL_ROWS = 24, PATH_BOUNDS = 16 };
static const double TOLERANCE = 1e-9;

struct ew_workspace {
    ptrdiff_t n, q, max_rows;
    double *memory, *iterate_memory;
    int64_t *indices;
    /* the instance, x0 moved to the origin: n_rows rows (of the first polyhedron, of both, then one for each group in
     * which something can move), factor and Gram matrix of the cone relative to the bases, its right-hand side h0 */
    ptrdiff_t n_first_rows, n_table_rows, n_rows;
    const double *Ft, *gram;
    double h0;
    int has_tilt;
    int64_t *base, *moving_group; /* (n_groups,): base feature of a group; the groups that have a row */
    double *own_Ft, *own_gram;
    /* units: of length, of the cone; what the margin takes off the cone */
    double sigma, cone_unit, cone_margin;
    double *b, *row_scale, *noise, *g, *h1, *r, *score, *hv, *path, *path_b, *path_y, *path_z, *pull, *ray, *path_v;
    double path_value; /* distance of path_v, the end of a path that satisfies all constraints; infinite without one */
    int64_t *features, *rows, *chosen_feature, *chosen_row, *barred, *path_moving, *path_bound;
    /* subproblem */
    subproblem sub;
    iterate it;
};

/* Substitute the bases: coefficients become relative to the base of their group. */
static inline void relative_to_bases(const ew_cells *cells, const ew_workspace *w, double *coefficients) {
    for (ptrdiff_t i = 0; i < cells->n; i++)
        if (cells->group[i] >= 0 && w->base[cells->group[i]] != i) coefficients[i] -= coefficients[w->base[cells->group[i]]];
    for (ptrdiff_t c = 0; c < cells->n_groups; c++) coefficients[w->base[c]] = 0;
}

/* Row j of the instance: normal N_r - S_k, or that of a group's row, written to `out`. */
static inline void normal_of(const ew_cells *cells, const ew_instance *e, const ew_workspace *w, int64_t j, double *out) {
    if (j >= w->n_table_rows) {
        int64_t group = w->moving_group[j - w->n_table_rows];
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

/* Relative rounding that a margin allows for: a wider margin is asked for when the model's own rounding was underrated. */
static inline double rounding(const ew_instance *e) { return e->margin > 0 ? 1e-13 * fmax(1, e->margin / 1e-9) : 0; }

/* What the margin takes off the right-hand side of row j. Only rows of the first polyhedron, the model's, keep one: the
 * user's rules, the second, may hold with equality, and bounds and groups are exact. */
static inline double row_margin(const ew_instance *e, const ew_workspace *w, ptrdiff_t j) {
    return j < w->n_first_rows ? e->margin * w->sigma * w->row_scale[j] + w->noise[j] : 0;
}

/* Rounding of component i of the gradient G'z - H'y, for |y1| = weight (with F unscaled) and sum z = pressure. */
static inline double gradient_rounding(const ew_cells *cells, const ew_instance *e, const ew_workspace *w, ptrdiff_t i,
                                       double weight, double pressure) {
    double size = pressure;
    if (e->cone >= 0) size += weight * sqrt(w->gram[i * (cells->n + 1)]);
    return 1e-15 * size;
}

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
    double distance;      /* largest distance to one row, to the cone along its axis, or to the bounds: a proven bound */
    double sigma;         /* the same with rounding taken off the right-hand sides: the unit of length */
    double cone_distance, cone_reach, cone_noise;
    int cone_is_violated; /* with rounding taken off */
    int is_out_of_reach;  /* what separates x0 from the cone is orthogonal to all that can move, up to rounding */
} first_look;

/* Read rows and cone of the instance into the workspace. */
void read_instance(const ew_cells *cells, const ew_instance *e, ew_workspace *w);

/* Look at each constraint alone. Also fills pull: how strongly each feature moves towards the cone. */
first_look look_first(const ew_cells *cells, const ew_instance *e, ew_workspace *w);

/* Multipliers of the single constraint whose distance is the largest: the cone along its axis, a row, or the bounds. */
void closed_form_multipliers(const ew_cells *cells, ew_instance *e, ew_workspace *w, const first_look *look);

/* Follow exact paths: the cone alone, then row by row. Returns -1 if that settles the instance; else the number of
 * features that moved (0 if there is no path), first in features, for the interior point method to start from. The end
 * of a path that satisfies all constraints but whose bound rounding has loosened is left in path_v. */
ptrdiff_t follow_paths(const ew_cells *cells, ew_instance *e, ew_workspace *w);

/* Solve by the interior point method on working sets of features and rows, starting with the features that moved. */
void solve_on_working_sets(const ew_cells *cells, ew_instance *e, ew_workspace *w, ptrdiff_t n_moving);

#endif
