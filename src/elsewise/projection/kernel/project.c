/* From an instance to its answer: one look, then exact paths where there are any, then the interior point method. */
#include "instance.h"
#include "multiversion.h"

/* Zero everything an instance gives out, and no half-space or feature chosen. */
static inline void clear(const ew_cells *cells, ew_instance *e, ew_workspace *w) {
    size_t n = (size_t)cells->n, n_halfspaces = (size_t)w->n_halfspaces;
    memset(w->chosen_halfspace, 0, n_halfspaces * sizeof *w->chosen_halfspace);
    memset(w->chosen_feature, 0, n * sizeof *w->chosen_feature);
    memset(e->v, 0, n * sizeof *e->v);
    if (e->z_halfspaces) memset(e->z_halfspaces, 0, n_halfspaces * sizeof *e->z_halfspaces);
    if (e->z_bounds) memset(e->z_bounds, 0, n * sizeof *e->z_bounds);
    if (e->y) memset(e->y, 0, (size_t)(cells->q + 1) * sizeof *e->y);
    if (e->slope) memset(e->slope, 0, n * sizeof *e->slope);
    if (e->end) e->end[0] = -1;
    if (e->stiffness) memset(e->stiffness, 0, n * sizeof *e->stiffness);
    e->iterations = 0;
    e->first_is_active = 0;
    e->value = 0;
}

MULTIVERSION
void ew_project(const ew_cells *cells, ew_instance *e, ew_workspace *w) {
    read_instance(cells, e, w);
    clear(cells, e, w);

    first_look look = look_first(cells, e, w);
    e->bound = cells->norm == 1 ? look.distance : look.distance * look.distance;
    w->sigma = look.sigma;
    if (!(w->sigma > 0)) { /* x0 itself is in the cell */
        e->status = EW_OPTIMAL;
        return;
    }
    int is_empty = !isfinite(look.distance) || look.is_out_of_reach;
    if (is_empty || e->bound >= e->cutoff) { /* one constraint alone is too far, or out of reach */
        e->status = is_empty ? EW_INFEASIBLE : EW_CUTOFF;
        e->value = HUGE_VAL;
        closed_form_multipliers(cells, e, w, &look);
        return;
    }
    w->cone_unit = 1;
    w->cone_margin = 0;
    if (e->cone >= 0) {
        w->cone_unit = fmax(fmax(w->h0, w->sigma * look.cone_reach), TINY);
        double width = fmin(w->h0 > 0 ? w->h0 : w->cone_unit, w->sigma * look.cone_reach);
        w->cone_margin = e->margin * width + look.cone_noise;
    }
    e->status = EW_STALLED;
    int has_trail = e->starts_inside && e->start && e->start[0] > 0 && e->cone >= 0;
    w->is_in_cone = !look.cone_is_violated;
    int has_path = cells->norm == 1 && (look.cone_is_violated || has_trail) && !w->has_tilt;
    w->path_value = HUGE_VAL;
    if (!has_path && project_without_cone(cells, e, w)) return;
    ptrdiff_t n_moving = has_path ? follow_paths(cells, e, w) : 0;
    if (n_moving < 0) return;
    solve_on_working_sets(cells, e, w, n_moving);
    if (isfinite(w->path_value) && e->status != EW_OPTIMAL && e->status != EW_CUTOFF) {
        memcpy(e->v, w->path_v, (size_t)cells->n * sizeof *e->v);
        e->value = w->path_value;
        e->status = EW_STALLED;
    }
}
