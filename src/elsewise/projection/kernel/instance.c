#include "instance.h"

#include <stdlib.h>

#include "active_set.h"
#include "homotopy.h"
#include "multiversion.h"
#include "row_path.h"

ew_workspace *ew_workspace_new(const ew_cells *cells, int64_t max_rows) {
    ew_workspace *w = calloc(1, sizeof *w);
    if (!w) return NULL;
    max_rows += cells->n_groups;
    ptrdiff_t n = cells->n, q = cells->q, rows = max_rows + 2 * n, own = cells->n_groups > 0;
    /* paths meet bounds as further rows */
    ptrdiff_t path_rows = (max_rows < ALL_ROWS ? max_rows : ALL_ROWS) + PATH_BOUNDS, room = max_rows + PATH_BOUNDS;
    w->n = n, w->q = q, w->max_rows = max_rows;
    ptrdiff_t sizes[] = {room, room, room, q + 1, n, n, n + max_rows, q + 1,
                         homotopy_size(n, q) + row_path_size(n, q, path_rows), room, q + 1,
                         room, n, q * q + 2 * q, n,
                         room * n, rows, rows, rows, n * q, n * n, n, q + 1, own * n * q, own * n * n};
    double **targets[] = {&w->b, &w->row_scale, &w->noise, &w->g, &w->h1, &w->r, &w->score, &w->hv, &w->path,
                          &w->path_b, &w->path_y, &w->path_z, &w->pull, &w->ray, &w->path_v,
                          &w->sub.A, &w->sub.h, &w->sub.slack, &w->sub.bound_sign, &w->sub.Ft, &w->sub.gram,
                          &w->sub.h1, &w->sub.k, &w->own_Ft, &w->own_gram};
    ptrdiff_t total = 0, count = sizeof sizes / sizeof *sizes;
    for (ptrdiff_t i = 0; i < count; i++) total += sizes[i];
    w->memory = calloc((size_t)total + 1, sizeof(double));
    w->iterate_memory = calloc((size_t)iterate_size(n, rows, q), sizeof(double));
    w->it.polish_work = calloc((size_t)polish_size(n, rows, q), sizeof(double));
    w->indices = calloc((size_t)(5 * n + 2 * max_rows + 2 * rows + PATH_BOUNDS + 2 * cells->n_groups) + 1, sizeof(int64_t));
    if (!w->memory || !w->iterate_memory || !w->it.polish_work || !w->indices) { ew_workspace_free(w); return NULL; }
    double *next = w->memory;
    for (ptrdiff_t i = 0; i < count; i++) { *targets[i] = next; next += sizes[i]; }
    w->features = w->indices;
    w->chosen_feature = w->features + n;
    w->rows = w->chosen_feature + n;
    w->chosen_row = w->rows + max_rows;
    w->sub.bound_feature = w->chosen_row + max_rows;
    w->it.polish_index = w->sub.bound_feature + rows;
    w->barred = w->it.polish_index + n + rows;
    w->path_moving = w->barred + n;
    w->path_bound = w->path_moving + n;
    w->base = w->path_bound + PATH_BOUNDS;
    w->moving_group = w->base + cells->n_groups;
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

/* The base of a group is where x0 has its unit; a group has a row if something can move in it. */
static void read_groups(const ew_cells *cells, const ew_instance *e, ew_workspace *w) {
    for (ptrdiff_t c = 0; c < cells->n_groups; c++) w->base[c] = -1;
    for (ptrdiff_t i = 0; i < cells->n; i++) {
        int64_t c = cells->group[i];
        if (c >= 0 && (w->base[c] < 0 || e->x0[i] > e->x0[w->base[c]])) w->base[c] = i;
    }
}

static void add_group_rows(const ew_cells *cells, const ew_instance *e, ew_workspace *w) {
    for (ptrdiff_t c = 0; c < cells->n_groups; c++) {
        int moves = 0;
        for (ptrdiff_t i = 0; i < cells->n; i++) moves |= cells->group[i] == c && i != w->base[c] && is_free(e, i);
        if (!moves) continue;
        w->moving_group[w->n_rows - w->n_table_rows] = c;
        w->b[w->n_rows] = e->x0[w->base[c]];
        w->row_scale[w->n_rows] = 1;
        w->noise[w->n_rows++] = 0;
    }
}

/* b_r = o_r - c_k - (N_r - S_k)·x0 for every row, its dual norm, and the size of the terms it was summed from. */
static ptrdiff_t read_rows(const ew_cells *cells, const ew_instance *e, ew_workspace *w) {
    ptrdiff_t n = cells->n, count = 0;
    for (int side = 0; side < 2; side++) {
        int64_t which = e->polyhedra[side];
        if (which < 0) continue;
        const double *S = cells->shifts + which * n;
        for (int64_t row = cells->spans[2 * which]; row < cells->spans[2 * which + 1]; row++, count++) {
            const double *N = cells->normals + row * n;
            double product = 0, size = 0, largest = 0, length = 0;
            for (ptrdiff_t i = 0; i < n; i++) {
                double a = N[i] - S[i], term = a * e->x0[i];
                product += term;
                size += fabs(term);
                largest = fmax(largest, fabs(a));
                length += a * a;
            }
            if (e->lower || e->upper) { /* what cannot move does not count; norm 1 */
                normal_of(cells, e, w, count, w->score);
                largest = 0;
                for (ptrdiff_t i = 0; i < n; i++)
                    if (is_free(e, i)) largest = fmax(largest, fabs(w->score[i]));
            }
            double offset = cells->offsets[row] - cells->shift_offsets[which];
            w->noise[count] = rounding(e) * (size + fabs(offset));
            w->b[count] = offset - product;
            if (side == 1 && w->b[count] >= -w->noise[count]) w->b[count] = fmax(w->b[count], 0); /* holds up to rounding */
            w->row_scale[count] = cells->norm == 1 ? largest : sqrt(length);
            if (!(largest > 0)) { /* 0·x <= b holds everywhere or nowhere, up to rounding */
                w->row_scale[count] = 1;
                w->b[count] = w->b[count] < -w->noise[count] ? -HUGE_VAL : 1;
            }
        }
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
    w->n_first_rows = e->polyhedra[0] < 0 ? 0 : cells->spans[2 * e->polyhedra[0] + 1] - cells->spans[2 * e->polyhedra[0]];
    w->n_table_rows = PTRDIFF_MAX; /* all rows read now are of the table */
    w->n_table_rows = w->n_rows = read_rows(cells, e, w);
    if (cells->n_groups) add_group_rows(cells, e, w);
    w->has_tilt = 0;
    w->h0 = e->cone >= 0 ? read_cone(cells, e, w) : 0;
}

MULTIVERSION
first_look look_first(const ew_cells *cells, const ew_instance *e, ew_workspace *w) {
    ptrdiff_t n = cells->n, q = cells->q;
    first_look look = {0};
    memset(w->pull, 0, (size_t)n * sizeof *w->pull);
    if (e->cone >= 0) {
        double length = sqrt(dot(q, w->g, w->g)), reach = 0, column = 0;
        for (ptrdiff_t i = 0; i < n; i++) {
            if (is_free(e, i)) column = fmax(column, sqrt(w->gram[i * (n + 1)]) + (w->has_tilt ? fabs(w->h1[i]) : 0));
            double pull = length > 0 ? dot(q, w->Ft + i * q, w->g) / length : 0;
            if (w->has_tilt) pull += w->h1[i];
            w->pull[i] = is_free(e, i) ? fabs(pull) : 0;
            reach = cells->norm == 1 ? fmax(reach, w->pull[i]) : reach + w->pull[i] * w->pull[i];
        }
        if (cells->norm == 2) reach = sqrt(reach);
        look.cone_reach = reach;
        look.cone_noise = rounding(e) * (fabs(w->h0) + length);
        if (length > w->h0) look.cone_distance = reach > 0 ? (length - w->h0) / reach : HUGE_VAL;
        look.cone_is_violated = reach > 0 && length > w->h0 - look.cone_noise;
        look.distance = look.cone_distance;
        look.is_out_of_reach = look.cone_distance * column > 1e8 * (length + fabs(w->h0));
        if (look.cone_is_violated) look.sigma = (length - w->h0 + look.cone_noise) / reach;
        for (ptrdiff_t i = 0; i < n; i++) w->pull[i] = reach > 0 ? w->pull[i] / reach : 0;
    }
    for (ptrdiff_t j = 0; j < w->n_rows; j++) {
        look.distance = fmax(look.distance, -w->b[j] / w->row_scale[j]);
        double noise = j < w->n_first_rows ? w->noise[j] : 0; /* what holds at x0 up to rounding moves nothing */
        look.sigma = fmax(look.sigma, (noise - w->b[j]) / w->row_scale[j]);
    }
    double forced = 0;
    if (e->lower || e->upper)
        for (ptrdiff_t i = 0; i < n; i++) {
            double need = fmax(e->lower ? e->lower[i] : 0, e->upper ? -e->upper[i] : 0);
            if (e->lower && e->upper && e->lower[i] > e->upper[i]) need = HUGE_VAL;
            if (need > 0) forced = cells->norm == 1 ? forced + need : forced + need * need;
        }
    look.distance = fmax(look.distance, cells->norm == 1 ? forced : sqrt(forced));
    look.sigma = fmax(look.sigma, look.distance);
    return look;
}

void closed_form_multipliers(const ew_cells *cells, ew_instance *e, ew_workspace *w, const first_look *look) {
    ptrdiff_t n = cells->n, q = cells->q;
    double unit = !isfinite(look->distance) || cells->norm == 1 ? 1 : 2 * look->distance;
    if (e->cone >= 0 && look->cone_distance == look->distance) {
        double length = sqrt(dot(q, w->g, w->g)), reach = look->cone_reach > 0 ? look->cone_reach : 1;
        double weight = unit / reach;
        if (e->y) {
            e->y[0] = weight;
            for (ptrdiff_t j = 0; j < q; j++) e->y[j + 1] = length > 0 ? weight * w->g[j] / length : 0;
        }
        for (ptrdiff_t i = 0; i < n && e->z_bounds; i++) /* the bounds of fixed features take what pulls at them */
            if (!is_free(e, i)) {
                double pull = length > 0 ? dot(q, w->Ft + i * q, w->g) / length : 0;
                e->z_bounds[i] = weight * (pull + (cells->tilts ? w->h1[i] : 0));
            }
        return;
    }
    for (ptrdiff_t j = 0; j < w->n_rows; j++)
        if (-w->b[j] / w->row_scale[j] == look->distance) {
            if (e->z_rows) e->z_rows[j] = unit / w->row_scale[j];
            normal_of(cells, e, w, j, w->score);
            for (ptrdiff_t i = 0; i < n && e->z_bounds; i++)
                if (!is_free(e, i)) e->z_bounds[i] = -unit / w->row_scale[j] * w->score[i];
            return;
        }
    if (!e->z_bounds) return;
    for (ptrdiff_t i = 0; i < n; i++) {
        double up = e->lower ? e->lower[i] : 0, down = e->upper ? -e->upper[i] : 0, need = fmax(up, down);
        if (need > 0) e->z_bounds[i] = (up > down ? -1 : 1) * (cells->norm == 1 ? 1 : 2 * need);
    }
}
