#include "instance.h"

#include <stdlib.h>

#include "active_set.h"
#include "halfspace_path.h"
#include "homotopy.h"
#include "multiversion.h"

/* Hand out pieces of one allocation: `sizes[i]` numbers to `targets[i]`. */
static int bind_doubles(ew_workspace *w, ptrdiff_t count, double **const *targets, const ptrdiff_t *sizes) {
    ptrdiff_t total = 1;
    for (ptrdiff_t i = 0; i < count; i++) total += sizes[i];
    double *next = w->memory = calloc((size_t)total, sizeof *w->memory);
    if (!next) return 0;
    for (ptrdiff_t i = 0; i < count; i++) { *targets[i] = next; next += sizes[i]; }
    return 1;
}

static int bind_indices(ew_workspace *w, ptrdiff_t count, int64_t **const *targets, const ptrdiff_t *sizes) {
    ptrdiff_t total = 1;
    for (ptrdiff_t i = 0; i < count; i++) total += sizes[i];
    int64_t *next = w->indices = calloc((size_t)total, sizeof *w->indices);
    if (!next) return 0;
    for (ptrdiff_t i = 0; i < count; i++) { *targets[i] = next; next += sizes[i]; }
    return 1;
}

ew_workspace *ew_workspace_new(const ew_cells *cells, int64_t max_halfspaces) {
    ew_workspace *w = calloc(1, sizeof *w);
    if (!w) return NULL;
    ptrdiff_t n = cells->n, q = cells->q, p = max_halfspaces + cells->n_groups, n_groups = cells->n_groups;
    ptrdiff_t linear = p + 2 * n, own = n_groups > 0;
    /* paths meet bounds as further half-spaces, and are not followed through long polyhedra */
    ptrdiff_t bounds = n_path_bounds(cells);
    ptrdiff_t on_path = (p < ALL_HALFSPACES ? p : ALL_HALFSPACES) + bounds, room = p + bounds;
    w->n = n, w->q = q, w->max_halfspaces = p;
    double **doubles[] = {&w->b, &w->scale, &w->noise, &w->path_b, &w->path_z, &w->g, &w->hv, &w->path_y, &w->sub.k,
                          &w->h1, &w->r, &w->pull, &w->feature_score, &w->normal, &w->path_v, &w->sub.h1,
                          &w->halfspace_score, &w->path, &w->ray,
                          &w->sub.A, &w->sub.h, &w->sub.slack, &w->sub.bound_sign, &w->sub.Ft, &w->sub.gram,
                          &w->own_Ft, &w->own_gram, &w->low_rank_memory};
    ptrdiff_t double_sizes[] = {room, room, room, room, room, q + 1, q + 1, q + 1, q + 1,
                                n, n, n, n, n, n, n, p,
                                homotopy_size(n, q) + halfspace_path_size(n, q, on_path), q * q + 2 * q,
                                room * n, linear, linear, linear, n * q, n * n,
                                own * n * q, own * n * n, cells->diagonals ? low_rank_size(n, cells->rank) : 0};
    int64_t **indices[] = {&w->features, &w->chosen_feature, &w->halfspaces, &w->chosen_halfspace, &w->sub.bound_feature,
                           &w->it.polish_index, &w->barred, &w->path_moving, &w->path_sign, &w->path_active,
                           &w->path_bound_feature, &w->path_bound_sign, &w->base, &w->moving_group, &w->path_pinned};
    ptrdiff_t index_sizes[] = {n, n, p, p, linear, n + linear, n, n, n, on_path, bounds, bounds, n_groups,
                               n_groups, n};
    int is_bound = bind_doubles(w, sizeof double_sizes / sizeof *double_sizes, doubles, double_sizes) &&
                   bind_indices(w, sizeof index_sizes / sizeof *index_sizes, indices, index_sizes);
    w->iterate_memory = calloc((size_t)iterate_size(n, linear, q), sizeof(double));
    w->it.polish_work = calloc((size_t)polish_size(n, linear, q), sizeof(double));
    if (!is_bound || !w->iterate_memory || !w->it.polish_work) { ew_workspace_free(w); return NULL; }
    return w;
}

void ew_workspace_free(ew_workspace *w) {
    if (!w) return;
    free(w->memory);
    free(w->iterate_memory);
    free(w->it.polish_work);
    free(w->indices);
    free(w);
}

/* The base of a group is where x0 has its unit. */
static void read_groups(const ew_cells *cells, const ew_instance *e, ew_workspace *w) {
    for (ptrdiff_t c = 0; c < cells->n_groups; c++) w->base[c] = -1;
    for (ptrdiff_t i = 0; i < cells->n; i++) {
        int64_t c = cells->group[i];
        if (c >= 0 && (w->base[c] < 0 || e->x0[i] > e->x0[w->base[c]])) w->base[c] = i;
    }
}

/* A group has a half-space, sum v_i <= x0_base, if something can move in it. */
static void add_group_halfspaces(const ew_cells *cells, const ew_instance *e, ew_workspace *w) {
    for (ptrdiff_t c = 0; c < cells->n_groups; c++) {
        int moves = 0;
        for (ptrdiff_t i = 0; i < cells->n; i++) moves |= cells->group[i] == c && i != w->base[c] && is_free(e, i);
        if (!moves) continue;
        w->moving_group[w->n_halfspaces - w->n_tabled] = c;
        w->b[w->n_halfspaces] = e->x0[w->base[c]];
        w->scale[w->n_halfspaces] = 1;
        w->noise[w->n_halfspaces++] = 0;
    }
}

/* b_r = o_r - c_k - (N_r - S_k)·x0 of half-space j, number r of polyhedron k, the dual norm of its normal, and the
 * rounding of b_r by the size of the terms it was summed from. */
static inline void read_halfspace(const ew_cells *cells, const ew_instance *e, ew_workspace *w, ptrdiff_t j, int64_t k,
                                  int64_t r, int is_rule) {
    ptrdiff_t n = cells->n;
    const double *N = cells->normals + r * n, *S = cells->shifts + k * n;
    double product = 0, size = 0, largest = 0, length = 0;
    for (ptrdiff_t i = 0; i < n; i++) {
        double a = N[i] - S[i], term = a * e->x0[i];
        product += term;
        size += fabs(term);
        largest = fmax(largest, fabs(a));
        length += a * a;
    }
    if (e->lower || e->upper) { /* what cannot move does not count; norm 1 */
        normal_of(cells, e, w, j, w->normal);
        largest = 0;
        for (ptrdiff_t i = 0; i < n; i++)
            if (is_free(e, i)) largest = fmax(largest, fabs(w->normal[i]));
    }
    double offset = cells->offsets[r] - cells->shift_offsets[k];
    w->noise[j] = rounding(e) * (size + fabs(offset));
    w->b[j] = offset - product;
    if (is_rule && w->b[j] >= -w->noise[j]) w->b[j] = fmax(w->b[j], 0); /* holds up to rounding */
    w->scale[j] = cells->norm == 1 ? largest : sqrt(length);
    if (!(largest > 0)) { /* 0·x <= b holds everywhere or nowhere, up to rounding */
        w->scale[j] = 1;
        w->b[j] = w->b[j] < -w->noise[j] ? -HUGE_VAL : 1;
    }
}

/* All half-spaces of both polyhedra; returns how many there are. */
static ptrdiff_t read_halfspaces(const ew_cells *cells, const ew_instance *e, ew_workspace *w) {
    ptrdiff_t count = 0;
    for (int side = 0; side < 2; side++) {
        int64_t k = e->polyhedra[side];
        if (k < 0) continue;
        for (int64_t r = cells->spans[2 * k]; r < cells->spans[2 * k + 1]; r++, count++)
            read_halfspace(cells, e, w, count, k, r, side == 1);
    }
    return count;
}

/* Factor, Gram matrix and tilt relative to the bases; the Gram matrix where features are free, zero elsewhere. */
static void substitute_bases(const ew_cells *cells, const ew_instance *e, ew_workspace *w) {
    ptrdiff_t n = cells->n, q = cells->q, n_free = 0;
    memcpy(w->own_Ft, w->Ft, (size_t)(n * q) * sizeof *w->own_Ft);
    memset(w->own_gram, 0, (size_t)(n * n) * sizeof *w->own_gram);
    for (ptrdiff_t i = 0; i < n; i++) {
        if (cells->group[i] >= 0) axpy(q, -1, w->Ft + w->base[cells->group[i]] * q, w->own_Ft + i * q);
        if (is_free(e, i)) w->features[n_free++] = i;
    }
    for (ptrdiff_t a = 0; a < n_free; a++)
        for (ptrdiff_t b = a; b < n_free; b++) {
            int64_t i = w->features[a], j = w->features[b];
            int is_in_groups = cells->group[i] >= 0 || cells->group[j] >= 0;
            double product = is_in_groups ? dot(q, w->own_Ft + i * q, w->own_Ft + j * q) : w->gram[i * n + j];
            w->own_gram[i * n + j] = w->own_gram[j * n + i] = product;
        }
    w->Ft = w->own_Ft;
    w->gram = w->own_gram;
    if (cells->tilts) relative_to_bases(cells, w, w->h1);
}

/* g = gc - F x0, moved to the origin; returns the right-hand side h0 + h1·x0. */
static double read_cone(const ew_cells *cells, const ew_instance *e, ew_workspace *w) {
    ptrdiff_t n = cells->n, q = cells->q, shape = cells->shape[e->cone];
    w->Ft = cells->factors + shape * n * q;
    w->gram = cells->grams + shape * n * n;
    memcpy(w->g, cells->centres + e->cone * q, (size_t)q * sizeof *w->g);
    for (ptrdiff_t i = 0; i < n; i++) axpy(q, -e->x0[i], w->Ft + i * q, w->g);
    double h0 = cells->radii[e->cone];
    if (cells->tilts) {
        memcpy(w->h1, cells->tilts + e->cone * n, (size_t)n * sizeof *w->h1);
        h0 += dot(n, w->h1, e->x0);
    }
    if (cells->n_groups) substitute_bases(cells, e, w);
    w->has_tilt = 0;
    if (cells->tilts)
        for (ptrdiff_t i = 0; i < n; i++) w->has_tilt |= w->h1[i] != 0 && is_free(e, i);
    return h0;
}

MULTIVERSION
void read_instance(const ew_cells *cells, const ew_instance *e, ew_workspace *w) {
    if (cells->n_groups) read_groups(cells, e, w);
    w->n_first = e->polyhedra[0] < 0 ? 0 : cells->spans[2 * e->polyhedra[0] + 1] - cells->spans[2 * e->polyhedra[0]];
    w->n_tabled = PTRDIFF_MAX; /* all half-spaces read now are of the table */
    w->n_tabled = w->n_halfspaces = read_halfspaces(cells, e, w);
    if (cells->n_groups) add_group_halfspaces(cells, e, w);
    w->has_tilt = 0;
    w->h0 = e->cone >= 0 ? read_cone(cells, e, w) : 0;
}

/* The cone along its axis g: how far it is, and how strongly each feature pulls towards it. */
static inline void look_at_cone(const ew_cells *cells, const ew_instance *e, ew_workspace *w, first_look *look) {
    ptrdiff_t n = cells->n, q = cells->q;
    double length = sqrt(dot(q, w->g, w->g)), reach = 0, column = 0;
    for (ptrdiff_t i = 0; i < n; i++) {
        if (is_free(e, i)) column = fmax(column, sqrt(w->gram[i * (n + 1)]) + (w->has_tilt ? fabs(w->h1[i]) : 0));
        double pull = length > 0 ? dot(q, w->Ft + i * q, w->g) / length : 0;
        if (w->has_tilt) pull += w->h1[i];
        w->pull[i] = is_free(e, i) ? fabs(pull) : 0;
        reach = cells->norm == 1 ? fmax(reach, w->pull[i]) : reach + w->pull[i] * w->pull[i];
    }
    if (cells->norm == 2) reach = sqrt(reach);
    look->cone_reach = reach;
    look->cone_noise = rounding(e) * (fabs(w->h0) + length);
    if (length > w->h0) look->cone_distance = reach > 0 ? (length - w->h0) / reach : HUGE_VAL;
    look->cone_is_violated = reach > 0 && length > w->h0 - look->cone_noise;
    look->distance = look->cone_distance;
    look->is_out_of_reach = look->cone_distance * column > OUT_OF_REACH * (length + fabs(w->h0));
    if (look->cone_is_violated) look->sigma = (length - w->h0 + look->cone_noise) / reach;
    for (ptrdiff_t i = 0; i < n; i++) w->pull[i] = reach > 0 ? w->pull[i] / reach : 0;
}

/* Distance to the box of the bounds; infinite if two of them contradict each other. */
static inline double distance_to_bounds(const ew_cells *cells, const ew_instance *e) {
    double forced = 0;
    if (e->lower || e->upper)
        for (ptrdiff_t i = 0; i < cells->n; i++) {
            double need = fmax(e->lower ? e->lower[i] : 0, e->upper ? -e->upper[i] : 0);
            if (e->lower && e->upper && e->lower[i] > e->upper[i]) need = HUGE_VAL;
            if (need > 0) forced = cells->norm == 1 ? forced + need : forced + need * need;
        }
    return cells->norm == 1 ? forced : sqrt(forced);
}

/* The larger, a for equal ones: of 0 and -0 fmax may return either, and a compiler may change its mind. */
static inline double larger(double a, double b) { return b > a ? b : a; }

MULTIVERSION
first_look look_first(const ew_cells *cells, const ew_instance *e, ew_workspace *w) {
    first_look look = {0};
    memset(w->pull, 0, (size_t)cells->n * sizeof *w->pull);
    if (e->cone >= 0) look_at_cone(cells, e, w, &look);
    for (ptrdiff_t j = 0; j < w->n_halfspaces; j++) {
        look.distance = larger(look.distance, -w->b[j] / w->scale[j]);
        double noise = j < w->n_first ? w->noise[j] : 0; /* what holds at x0 up to rounding moves nothing */
        look.sigma = larger(look.sigma, (noise - w->b[j]) / w->scale[j]);
    }
    look.distance = larger(look.distance, distance_to_bounds(cells, e));
    look.sigma = larger(look.sigma, look.distance);
    return look;
}

/* Multipliers (1, g / ||g||) / reach of the cone: it moves along its axis. */
static void cone_multipliers(const ew_cells *cells, ew_instance *e, const ew_workspace *w, double reach, double unit) {
    ptrdiff_t n = cells->n, q = cells->q;
    double length = sqrt(dot(q, w->g, w->g)), weight = unit / (reach > 0 ? reach : 1);
    if (e->y) {
        e->y[0] = weight;
        for (ptrdiff_t j = 0; j < q; j++) e->y[j + 1] = length > 0 ? weight * w->g[j] / length : 0;
    }
    for (ptrdiff_t i = 0; i < n && e->z_bounds; i++) /* the bounds of fixed features take what pulls at them */
        if (!is_free(e, i)) {
            double pull = length > 0 ? dot(q, w->Ft + i * q, w->g) / length : 0;
            e->z_bounds[i] = weight * (pull + (cells->tilts ? w->h1[i] : 0));
        }
}

void closed_form_multipliers(const ew_cells *cells, ew_instance *e, ew_workspace *w, const first_look *look) {
    ptrdiff_t n = cells->n;
    double unit = !isfinite(look->distance) || cells->norm == 1 ? 1 : 2 * look->distance;
    if (e->cone >= 0 && look->cone_distance == look->distance) {
        cone_multipliers(cells, e, w, look->cone_reach, unit);
        return;
    }
    for (ptrdiff_t j = 0; j < w->n_halfspaces; j++)
        if (-w->b[j] / w->scale[j] == look->distance) {
            if (e->z_halfspaces) e->z_halfspaces[j] = unit / w->scale[j];
            normal_of(cells, e, w, j, w->normal);
            for (ptrdiff_t i = 0; i < n && e->z_bounds; i++)
                if (!is_free(e, i)) e->z_bounds[i] = -unit / w->scale[j] * w->normal[i];
            return;
        }
    if (!e->z_bounds) return;
    for (ptrdiff_t i = 0; i < n; i++) {
        double up = e->lower ? e->lower[i] : 0, down = e->upper ? -e->upper[i] : 0, need = fmax(up, down);
        if (need > 0) e->z_bounds[i] = (up > down ? -1 : 1) * (cells->norm == 1 ? 1 : 2 * need);
    }
}
