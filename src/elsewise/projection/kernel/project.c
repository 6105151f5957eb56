/* From an instance to subproblems and back: scaling, working sets, certificate.
 *
 * At an optimum of the Manhattan distance hardly more than p + q features change. So the interior point method runs on a
 * few features; the others' dual feasibility |r_i| <= 1 is then checked, violators join, and it runs again (as celer and
 * skglm do for the lasso). Long polyhedra are treated the same way on the primal side: a few rows, then the violated ones.
 * Both are exact: the reported bound is evaluated on all features, the reported point satisfies all rows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "active_set.h"
#include "homotopy.h"
#include "interior_point.h"
#include "ipm.h"
#include "multiversion.h"
#include "row_path.h"
#include "soc.h"

enum { ALL_FEATURES = 12, ALL_ROWS = 24, ROWS_ADDED = 12, MAX_ROUNDS = 60 };
static const double TOLERANCE = 1e-9, FAR = 1e10, REMOTE = 1e5;

struct ew_workspace {
    ptrdiff_t n, q, max_rows;
    double *memory, *iterate_memory;
    int64_t *indices;
    /* full instance, x0 moved to the origin */
    double *b, *row_scale, *noise, *g, *h1, *r, *score, *hv, *path, *path_b, *path_y, *path_z, *pull;
    int64_t *features, *rows, *chosen_feature, *chosen_row, *fixed, *path_moving;
    /* subproblem */
    subproblem sub;
    iterate it;
};

ew_workspace *ew_workspace_new(const ew_cells *cells, int64_t max_rows) {
    ew_workspace *w = calloc(1, sizeof *w);
    if (!w) return NULL;
    ptrdiff_t n = cells->n, q = cells->q, rows = max_rows + 2 * n;
    w->n = n, w->q = q, w->max_rows = max_rows;
    ptrdiff_t sizes[] = {max_rows, max_rows, max_rows, q + 1, n, n, n + max_rows, q + 1,
                         homotopy_size(n, q) + row_path_size(n, q, max_rows < ALL_ROWS ? max_rows : ALL_ROWS), max_rows, q + 1,
                         max_rows, n,
                         max_rows * n, rows, rows, rows, n * q, n * n, n, q + 1};
    double **targets[] = {&w->b, &w->row_scale, &w->noise, &w->g, &w->h1, &w->r, &w->score, &w->hv, &w->path,
                          &w->path_b, &w->path_y, &w->path_z, &w->pull,
                          &w->sub.A, &w->sub.h, &w->sub.slack, &w->sub.bound_sign, &w->sub.Ft, &w->sub.gram,
                          &w->sub.h1, &w->sub.k};
    ptrdiff_t total = 0, count = sizeof sizes / sizeof *sizes;
    for (ptrdiff_t i = 0; i < count; i++) total += sizes[i];
    w->memory = calloc((size_t)total + 1, sizeof(double));
    w->iterate_memory = calloc((size_t)iterate_size(n, rows, q), sizeof(double));
    w->it.polish_work = calloc((size_t)polish_size(n, rows, q), sizeof(double));
    w->indices = calloc((size_t)(5 * n + 2 * max_rows + 2 * rows) + 1, sizeof(int64_t));
    if (!w->memory || !w->iterate_memory || !w->it.polish_work || !w->indices) { ew_workspace_free(w); return NULL; }
    double *next = w->memory;
    for (ptrdiff_t i = 0; i < count; i++) { *targets[i] = next; next += sizes[i]; }
    w->features = w->indices;
    w->chosen_feature = w->features + n;
    w->rows = w->chosen_feature + n;
    w->chosen_row = w->rows + max_rows;
    w->sub.bound_feature = w->chosen_row + max_rows;
    w->it.polish_index = w->sub.bound_feature + rows;
    w->fixed = w->it.polish_index + n + rows;
    w->path_moving = w->fixed + n;
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

/* Row j of the instance: normal N_r - S_k written to `out`. */
static inline void normal_of(const ew_cells *cells, const ew_instance *e, int64_t j, double *out) {
    int64_t which = e->polyhedra[0] >= 0 ? e->polyhedra[0] : e->polyhedra[1];
    int64_t first = cells->spans[2 * which], count = cells->spans[2 * which + 1] - first;
    if (j >= count) { which = e->polyhedra[1]; first = cells->spans[2 * which]; j -= count; }
    const double *N = cells->normals + (first + j) * cells->n, *S = cells->shifts + which * cells->n;
    for (ptrdiff_t i = 0; i < cells->n; i++) out[i] = N[i] - S[i];
}

/* Relative rounding that a margin allows for: a wider margin is asked for when the model's own rounding was underrated. */
static inline double rounding(const ew_instance *e) { return e->margin > 0 ? 1e-13 * fmax(1, e->margin / 1e-9) : 0; }

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
            double offset = cells->offsets[row] - cells->shift_offsets[which];
            w->b[count] = offset - product;
            w->row_scale[count] = cells->norm == 1 ? largest : sqrt(length);
            if (!(largest > 0)) { /* 0·x <= b holds everywhere or nowhere */
                w->row_scale[count] = 1;
                w->b[count] = w->b[count] < 0 ? -HUGE_VAL : 1;
            }
            w->noise[count] = rounding(e) * (size + fabs(offset));
        }
    }
    return count;
}

/* g = gc - F x0, moved to the origin; returns the right-hand side h0 + h1·x0. */
static double read_cone(const ew_cells *cells, const ew_instance *e, ew_workspace *w) {
    ptrdiff_t n = cells->n, q = cells->q;
    const double *Ft = cells->factors + cells->shape[e->cone] * n * q;
    memcpy(w->g, cells->centres + e->cone * q, (size_t)q * sizeof *w->g);
    for (ptrdiff_t i = 0; i < n; i++) axpy(q, -e->x0[i], Ft + i * q, w->g);
    double h0 = cells->radii[e->cone];
    if (cells->tilts) {
        memcpy(w->h1, cells->tilts + e->cone * n, (size_t)n * sizeof *w->h1);
        h0 += dot(n, w->h1, e->x0);
    }
    return h0;
}

/* What the margin takes off the right-hand side of row j. */
static inline double row_margin(const ew_instance *e, const ew_workspace *w, ptrdiff_t j, double sigma) {
    return e->margin * sigma * w->row_scale[j] + w->noise[j];
}

static inline int is_free(const ew_instance *e, ptrdiff_t i) {
    return !(e->lower && e->upper && e->lower[i] >= 0 && e->upper[i] <= 0);
}

/* Move the `count` largest scores among the unchosen to the chosen; negative scores never join. */
static ptrdiff_t choose(ptrdiff_t n, const double *score, int64_t *flag, int64_t *list, ptrdiff_t have, ptrdiff_t count) {
    while (count-- > 0) {
        ptrdiff_t best = -1;
        for (ptrdiff_t i = 0; i < n; i++)
            if (!flag[i] && score[i] > 0 && (best < 0 || score[i] > score[best])) best = i;
        if (best < 0) break;
        flag[best] = 1;
        list[have++] = best;
    }
    return have;
}

/* Fill the subproblem for the chosen rows and features, in units of sigma: v = sigma w. */
static void gather(const ew_cells *cells, const ew_instance *e, ew_workspace *w, ptrdiff_t n_features, ptrdiff_t n_rows,
                   double sigma, double h0, double cone_unit, double cone_margin) {
    subproblem *P = &w->sub;
    ptrdiff_t n = cells->n, q = cells->q, nf = n_features;
    P->n = nf, P->p = n_rows, P->norm = cells->norm, P->has_cone = e->cone >= 0, P->q = P->has_cone ? q : 0;
    P->has_tilt = P->has_cone && cells->tilts != NULL;
    for (ptrdiff_t j = 0; j < n_rows; j++) {
        int64_t row = w->rows[j];
        double scale = w->row_scale[row];
        normal_of(cells, e, row, w->score);
        for (ptrdiff_t i = 0; i < nf; i++) P->A[j * nf + i] = w->score[w->features[i]] / scale;
        P->slack[j] = row_margin(e, w, row, sigma) / (scale * sigma);
        P->h[j] = w->b[row] / (scale * sigma) - P->slack[j];
    }
    P->n_bounds = 0;
    for (ptrdiff_t i = 0; i < nf; i++)
        for (int side = 0; side < 2; side++) {
            const double *limits = side ? e->upper : e->lower;
            if (!limits || !isfinite(limits[w->features[i]])) continue;
            ptrdiff_t at = n_rows + P->n_bounds;
            P->bound_feature[P->n_bounds] = i;
            P->bound_sign[P->n_bounds] = side ? 1 : -1;
            P->slack[at] = 0; /* clipping makes bounds exact */
            P->h[at] = (side ? 1 : -1) * limits[w->features[i]] / sigma;
            P->n_bounds++;
        }
    if (P->has_cone) {
        const double *Ft = cells->factors + cells->shape[e->cone] * n * q;
        const double *gram = cells->grams + cells->shape[e->cone] * n * n;
        double unit = sigma / cone_unit;
        for (ptrdiff_t i = 0; i < nf; i++) {
            const double *from = Ft + w->features[i] * q, *gram_from = gram + w->features[i] * n;
            for (ptrdiff_t j = 0; j < q; j++) P->Ft[i * q + j] = unit * from[j];
            for (ptrdiff_t j = i; j < nf; j++) P->gram[i * nf + j] = unit * unit * gram_from[w->features[j]];
            if (P->has_tilt) P->h1[i] = unit * w->h1[w->features[i]];
        }
        P->cone_slack = cone_margin / cone_unit;
        P->k[0] = h0 / cone_unit - P->cone_slack;
        for (ptrdiff_t j = 0; j < q; j++) P->k[j + 1] = -w->g[j] / cone_unit;
    }
}

/* r = G'z - H'y on all features, in units where the weights are 1; bounds' multipliers are not in it. */
static void full_gradient(const ew_cells *cells, const ew_instance *e, ew_workspace *w, double sigma, double cone_unit) {
    const subproblem *P = &w->sub;
    const iterate *it = &w->it;
    ptrdiff_t n = cells->n, q = cells->q;
    memset(w->r, 0, (size_t)n * sizeof *w->r);
    for (ptrdiff_t j = 0; j < P->p; j++) {
        if (it->z[j] == 0) continue;
        normal_of(cells, e, w->rows[j], w->score);
        axpy(n, it->z[j] / w->row_scale[w->rows[j]], w->score, w->r);
    }
    if (P->has_cone) {
        const double *Ft = cells->factors + cells->shape[e->cone] * n * q;
        double unit = sigma / cone_unit;
        for (ptrdiff_t i = 0; i < n; i++) w->r[i] -= unit * dot(q, Ft + i * q, it->y + 1);
        if (P->has_tilt) axpy(n, -unit * it->y[0], w->h1, w->r);
    }
    for (ptrdiff_t i = 0; i < P->n_bounds; i++)
        w->r[w->features[P->bound_feature[i]]] += P->bound_sign[i] * it->z[P->p + i];
}

/* Rigorous lower bound from the current multipliers, in units of sigma (sigma^2 for norm 2), over all features.
 * The excess of a feature outside the working set is first given to its bounds, where it has any. */
static double certified_bound(const ew_cells *cells, const ew_instance *e, ew_workspace *w, double *scale) {
    const subproblem *P = &w->sub;
    const iterate *it = &w->it;
    ptrdiff_t rows = P->p + P->n_bounds;
    double beta = 0, sum = 0, largest = 0, length = 0;
    for (ptrdiff_t i = 0; i < rows; i++) {
        double term = (P->h[i] + P->slack[i]) * it->z[i];
        beta -= term;
        sum += fabs(term);
    }
    if (P->has_cone) {
        double radial = sqrt(dot(P->q, it->y + 1, it->y + 1)); /* y in the cone to the last bit: y0 >= ||y1|| */
        double term = (P->k[0] + P->cone_slack) * fmax(it->y[0], radial * (1 + 4e-16));
        beta -= term;
        sum += fabs(term);
        for (ptrdiff_t j = 1; j <= P->q; j++) {
            beta -= P->k[j] * it->y[j];
            sum += fabs(P->k[j] * it->y[j]);
        }
    }
    beta -= 1e-15 * sum; /* rounding of the sums above */
    for (ptrdiff_t i = 0; i < cells->n; i++) {
        if (!is_free(e, i)) continue;
        largest = fmax(largest, fabs(w->r[i]));
        length += w->r[i] * w->r[i];
    }
    *scale = length > 0 ? beta / length : 0; /* the multiple of norm 2 multipliers that proves most, halved */
    if (!(beta > 0)) return 0;
    double bound = P->norm == 1 ? beta / largest : beta / length * beta;
    if (P->norm != cells->norm) bound *= bound / (double)cells->n; /* v'v >= (sum |v|)^2 / n */
    return bound * (1 - 1e-15 * (double)(cells->n + 8));
}

/* Write the point of the interior point method back: v on all features, zeros exactly zero, bounds exact. */
static void write_point(const ew_cells *cells, ew_instance *e, ew_workspace *w, double sigma, int snap) {
    const subproblem *P = &w->sub;
    const iterate *it = &w->it;
    memset(e->v, 0, (size_t)cells->n * sizeof *e->v);
    double total = 0;
    if (snap)
        for (ptrdiff_t i = 0; i < P->n; i++) total += fabs(it->v[i]);
    for (ptrdiff_t i = 0; i < P->n; i++) {
        double value = it->v[i] / it->tau * sigma;
        if (snap && P->norm == 1) {
            /* strict complementarity: a feature at rest has a dual slack far larger than its movement */
            double moved = fabs(it->v[i]) / total, at_rest = fmin(it->zp[i], it->zm[i]) / it->tau;
            if (moved < 1e-6 && moved < at_rest) value = 0;
        }
        int64_t at = w->features[i];
        if (e->lower) value = fmax(value, e->lower[at]);
        if (e->upper) value = fmin(value, e->upper[at]);
        e->v[at] = value;
    }
    e->value = 0;
    for (ptrdiff_t i = 0; i < cells->n; i++) e->value += P->norm == 1 ? fabs(e->v[i]) : e->v[i] * e->v[i];
}

/* Largest violation of the true constraints at v, rows in units of sigma and the cone in its own; rows outside of the
 * working set get their violation as score. */
static double violation_at(const ew_cells *cells, const ew_instance *e, ew_workspace *w, ptrdiff_t n_rows, double sigma,
                           double h0, double cone_unit, double *outside) {
    ptrdiff_t n = cells->n, q = cells->q;
    double worst = 0, *normal = w->score, *score = w->score + n;
    *outside = 0;
    for (ptrdiff_t j = 0; j < n_rows; j++) {
        normal_of(cells, e, j, normal);
        double excess = (dot(n, normal, e->v) - w->b[j]) / (w->row_scale[j] * sigma);
        score[j] = -1;
        if (w->chosen_row[j]) worst = fmax(worst, excess);
        else if (excess > 0) { *outside = fmax(*outside, excess); score[j] = excess; }
    }
    if (e->cone >= 0) {
        const double *Ft = cells->factors + cells->shape[e->cone] * n * q;
        for (ptrdiff_t j = 0; j < q; j++) w->hv[j] = -w->g[j];
        for (ptrdiff_t i = 0; i < n; i++)
            if (e->v[i] != 0) axpy(q, e->v[i], Ft + i * q, w->hv);
        double right = h0 + (cells->tilts ? dot(n, w->h1, e->v) : 0);
        worst = fmax(worst, (sqrt(dot(q, w->hv, w->hv)) - right) / cone_unit);
    }
    return worst;
}

MULTIVERSION
static void multipliers_out(const ew_cells *cells, ew_instance *e, ew_workspace *w, ptrdiff_t n_rows, double sigma,
                            double cone_unit, double scale) {
    const subproblem *P = &w->sub;
    const iterate *it = &w->it;
    /* Scaled so that they prove the bound themselves: dual feasible for the distance, or a Farkas ray (tau = 0). */
    double largest = 1e-300;
    for (ptrdiff_t i = 0; i < cells->n; i++)
        if (is_free(e, i)) largest = fmax(largest, fabs(w->r[i]));
    double unit = e->status == EW_INFEASIBLE ? 1 : P->norm == 1 ? 1 / largest : 2 * sigma * scale;
    if (e->z_rows) {
        memset(e->z_rows, 0, (size_t)n_rows * sizeof(double));
        for (ptrdiff_t j = 0; j < P->p; j++) e->z_rows[w->rows[j]] = unit * it->z[j] / w->row_scale[w->rows[j]];
    }
    if (e->z_bounds) {
        memset(e->z_bounds, 0, (size_t)cells->n * sizeof(double));
        for (ptrdiff_t i = 0; i < P->n_bounds; i++)
            e->z_bounds[w->features[P->bound_feature[i]]] += unit * P->bound_sign[i] * it->z[P->p + i];
        for (ptrdiff_t i = 0; i < cells->n; i++) /* a fixed feature's bounds take whatever the others pull */
            if (!is_free(e, i)) e->z_bounds[i] = -unit * w->r[i];
    }
    if (e->y && P->has_cone)
        for (ptrdiff_t j = 0; j <= P->q; j++) e->y[j] = unit * sigma / cone_unit * it->y[j];
}

/* Lower bound from path multipliers (z of rows scaled by `unit`, y of the cone), evaluated on all features for the true
 * right-hand sides; `tight` is the same for the right-hand sides with margins. Multipliers are scaled to be dual feasible. */
static double path_bound(const ew_cells *cells, const ew_instance *e, ew_workspace *w, ptrdiff_t n_rows, double h0,
                         double cone_margin, double sigma, double unit, double *z, double *y, double *tight) {
    ptrdiff_t n = cells->n, q = cells->q;
    const double *Ft = cells->factors + cells->shape[e->cone] * n * q;
    double beta = -y[0] * (1 + 4e-16) * h0, sum = y[0] * h0, margins = y[0] * cone_margin;
    for (ptrdiff_t i = 0; i < n; i++) w->r[i] = -dot(q, Ft + i * q, y + 1);
    for (ptrdiff_t j = 0; j < q; j++) {
        beta += w->g[j] * y[j + 1];
        sum += fabs(w->g[j] * y[j + 1]);
    }
    for (ptrdiff_t j = 0; j < n_rows; j++) {
        if (z[j] == 0) continue;
        double scaled = z[j] * unit / w->row_scale[j];
        axpy(n, z[j], w->sub.A + j * n, w->r);
        beta -= scaled * w->b[j];
        sum += fabs(scaled * w->b[j]);
        margins += scaled * row_margin(e, w, j, sigma);
    }
    beta -= 1e-15 * sum;
    double largest = 0;
    for (ptrdiff_t i = 0; i < n; i++)
        if (is_free(e, i)) largest = fmax(largest, fabs(w->r[i]));
    for (ptrdiff_t j = 0; j < n_rows; j++) z[j] /= largest;
    for (ptrdiff_t j = 0; j <= q; j++) y[j] /= largest;
    double bound = beta / largest * (1 - 1e-15 * (double)(n + 8));
    *tight = bound + margins / largest;
    return bound;
}

/* Follow exact paths: the cone alone, then row by row. Returns -1 if that settles the instance; else the number of
 * features that moved (0 if there is no path), flagged in chosen_feature and first in features, for the interior point
 * method to start from. */
static ptrdiff_t follow_paths(const ew_cells *cells, ew_instance *e, ew_workspace *w, ptrdiff_t n_rows, double sigma,
                              double h0, double cone_margin) {
    ptrdiff_t n = cells->n, q = cells->q, shape = cells->shape[e->cone];
    double *y = w->path_y, *z = w->path_z, tight, value;
    row_path_problem path = {.n = n, .q = q, .n_rows = n_rows, .Ft = cells->factors + shape * n * q,
                             .gram = cells->grams + shape * n * n, .g = w->g, .h = h0 - cone_margin, .A = w->sub.A,
                             .b = w->path_b, .excluded = w->fixed, .moving = w->path_moving, .v = e->v, .z = z, .y = y};
    memset(z, 0, (size_t)n_rows * sizeof *z);
    path.n_moving = homotopy(n, q, path.Ft, path.gram, w->g, path.h, w->fixed, w->path, w->features, e->v, y, &path.steps);
    e->iterations = path.steps;
    ptrdiff_t moved = path.n_moving;
    if (moved < 0) return 0;
    memcpy(w->path_moving, w->features, (size_t)moved * sizeof(int64_t)); /* the rows' path changes its own copy */

    /* rows in units comparable with the columns of F, margins taken off */
    double unit = 0;
    for (ptrdiff_t i = 0; i < n; i++) unit = fmax(unit, path.gram[i * (n + 1)]);
    unit = sqrt(unit);
    for (ptrdiff_t j = 0; j < n_rows; j++) {
        normal_of(cells, e, j, w->sub.A + j * n);
        double scale = unit / w->row_scale[j];
        for (ptrdiff_t i = 0; i < n; i++) w->sub.A[j * n + i] *= scale;
        w->path_b[j] = (w->b[j] - row_margin(e, w, j, sigma)) * scale;
    }
    int more = n_rows <= ALL_ROWS ? row_path_start(&path, w->path) : -1;
    for (int round = 0; round <= 4 * ALL_ROWS; round++) {
        e->bound = fmax(e->bound, path_bound(cells, e, w, n_rows, h0, cone_margin, sigma, unit, z, y, &tight));
        if (e->bound >= e->cutoff) {
            e->status = EW_CUTOFF;
            break;
        }
        if (more < 0) return moved;
        more = row_path_next(&path, w->path);
        e->iterations += path.steps;
        path.steps = 0;
        if (more == 0) {
            value = 0;
            for (ptrdiff_t j = 0; j < q; j++) w->hv[j] = -w->g[j];
            for (ptrdiff_t i = 0; i < n; i++) {
                value += fabs(e->v[i]);
                if (e->v[i] != 0) axpy(q, e->v[i], path.Ft + i * q, w->hv);
            }
            double beyond = sqrt(dot(q, w->hv, w->hv)) - path.h;
            for (ptrdiff_t j = 0; j < n_rows; j++)
                if (!(dot(n, path.A + j * n, e->v) - path.b[j] <= fmax(0.05 * row_margin(e, w, j, sigma), 1e-11 * sigma) * unit))
                    return moved;
            if (!(fabs(value - tight) <= TOLERANCE * value) || !(beyond <= fmax(0.05 * cone_margin, 1e-11 * h0)))
                return moved;
            e->status = EW_OPTIMAL;
            e->value = value;
            for (ptrdiff_t j = 0; j < n_rows; j++) e->presses |= z[j] > 0;
            break;
        }
        if (more < 0) return moved;
    }
    if (e->status == EW_STALLED) return moved;
    if (e->z_rows)
        for (ptrdiff_t j = 0; j < n_rows; j++) e->z_rows[j] = z[j] * unit / w->row_scale[j];
    if (e->y) memcpy(e->y, y, (size_t)(q + 1) * sizeof *y);
    if (e->status == EW_CUTOFF) {
        memset(e->v, 0, (size_t)n * sizeof *e->v);
        e->value = HUGE_VAL;
    }
    return -1;
}

/* What single constraints say before anything is solved. */
typedef struct {
    double distance;      /* largest distance to one row, to the cone along its axis, or to the bounds: a proven bound */
    double sigma;         /* the same with rounding taken off the right-hand sides: the unit of length */
    double cone_distance, cone_reach, cone_noise;
    int cone_is_violated; /* with rounding taken off */
} first_look;

/* Also fills pull: how strongly each feature moves towards the cone. */
static first_look look_first(const ew_cells *cells, const ew_instance *e, ew_workspace *w, ptrdiff_t n_rows, double h0) {
    ptrdiff_t n = cells->n, q = cells->q;
    first_look look = {0};
    memset(w->pull, 0, (size_t)n * sizeof *w->pull);
    if (e->cone >= 0) {
        const double *Ft = cells->factors + cells->shape[e->cone] * n * q;
        double length = sqrt(dot(q, w->g, w->g)), reach = 0;
        for (ptrdiff_t i = 0; i < n; i++) {
            double pull = length > 0 ? dot(q, Ft + i * q, w->g) / length : 0;
            if (cells->tilts) pull += w->h1[i];
            w->pull[i] = is_free(e, i) ? fabs(pull) : 0;
            reach = cells->norm == 1 ? fmax(reach, w->pull[i]) : reach + w->pull[i] * w->pull[i];
        }
        if (cells->norm == 2) reach = sqrt(reach);
        look.cone_reach = reach;
        look.cone_noise = rounding(e) * (fabs(h0) + length);
        if (length > h0) look.cone_distance = reach > 0 ? (length - h0) / reach : HUGE_VAL;
        look.cone_is_violated = reach > 0 && length > h0 - look.cone_noise;
        look.distance = look.cone_distance;
        if (look.cone_is_violated) look.sigma = (length - h0 + look.cone_noise) / reach;
        for (ptrdiff_t i = 0; i < n; i++) w->pull[i] = reach > 0 ? w->pull[i] / reach : 0;
    }
    for (ptrdiff_t j = 0; j < n_rows; j++) {
        look.distance = fmax(look.distance, -w->b[j] / w->row_scale[j]);
        look.sigma = fmax(look.sigma, (w->noise[j] - w->b[j]) / w->row_scale[j]);
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

/* Multipliers of the single constraint whose distance is the largest: the cone along its axis, a row, or the bounds. */
static void closed_form_multipliers(const ew_cells *cells, ew_instance *e, const ew_workspace *w, ptrdiff_t n_rows,
                                    const first_look *look) {
    ptrdiff_t n = cells->n, q = cells->q;
    double unit = !isfinite(look->distance) || cells->norm == 1 ? 1 : 2 * look->distance;
    if (e->cone >= 0 && look->cone_distance == look->distance) {
        double length = sqrt(dot(q, w->g, w->g)), reach = look->cone_reach > 0 ? look->cone_reach : 1;
        if (!e->y) return;
        e->y[0] = unit / reach;
        for (ptrdiff_t j = 0; j < q; j++) e->y[j + 1] = length > 0 ? unit / reach * w->g[j] / length : 0;
        return;
    }
    for (ptrdiff_t j = 0; j < n_rows; j++)
        if (-w->b[j] / w->row_scale[j] == look->distance) {
            if (e->z_rows) e->z_rows[j] = unit / w->row_scale[j];
            return;
        }
    if (!e->z_bounds) return;
    for (ptrdiff_t i = 0; i < n; i++) {
        double up = e->lower ? e->lower[i] : 0, down = e->upper ? -e->upper[i] : 0, need = fmax(up, down);
        if (need > 0) e->z_bounds[i] = (up > down ? -1 : 1) * (cells->norm == 1 ? 1 : 2 * need);
    }
}

MULTIVERSION
void ew_project(const ew_cells *cells, ew_instance *e, ew_workspace *w) {
    ptrdiff_t n = cells->n, q = cells->q;
    ptrdiff_t n_rows = read_rows(cells, e, w);
    double h0 = e->cone >= 0 ? read_cone(cells, e, w) : 0;
    e->iterations = 0;
    e->presses = 0;

    memset(w->chosen_row, 0, (size_t)n_rows * sizeof(int64_t));
    memset(w->chosen_feature, 0, (size_t)n * sizeof(int64_t));
    memset(e->v, 0, (size_t)n * sizeof *e->v);
    if (e->z_rows) memset(e->z_rows, 0, (size_t)n_rows * sizeof(double));
    if (e->z_bounds) memset(e->z_bounds, 0, (size_t)n * sizeof(double));
    if (e->y) memset(e->y, 0, (size_t)(q + 1) * sizeof(double));
    first_look look = look_first(cells, e, w, n_rows, h0);
    double sigma = look.sigma, cone_unit = 1, cone_margin = 0, *pull = w->pull;
    e->value = 0;
    e->bound = cells->norm == 1 ? look.distance : look.distance * look.distance;
    if (!(sigma > 0)) { /* x0 itself is in the cell */
        e->status = EW_OPTIMAL;
        return;
    }
    if (!isfinite(look.distance) || e->bound >= e->cutoff) { /* one constraint alone is too far, or out of reach */
        e->status = isfinite(look.distance) ? EW_CUTOFF : EW_INFEASIBLE;
        e->value = HUGE_VAL;
        closed_form_multipliers(cells, e, w, n_rows, &look);
        return;
    }
    if (e->cone >= 0) {
        cone_unit = fmax(fmax(h0, sigma * look.cone_reach), 1e-300);
        cone_margin = e->margin * fmin(h0 > 0 ? h0 : cone_unit, sigma * look.cone_reach) + look.cone_noise;
    }

    /* The cone alone first: it may be all there is to do, and its moving features are a good first guess. */
    ptrdiff_t n_moving = 0;
    if (cells->norm == 1 && look.cone_is_violated && !cells->tilts && !e->lower && !e->upper) {
        for (ptrdiff_t i = 0; i < n; i++) w->fixed[i] = !is_free(e, i);
        e->status = EW_STALLED;
        n_moving = follow_paths(cells, e, w, n_rows, sigma, h0, cone_margin);
        if (n_moving < 0) return;
        for (ptrdiff_t i = 0; i < n_moving; i++) w->chosen_feature[w->features[i]] = 1;
    }

    /* first working sets */
    ptrdiff_t n_chosen_rows = 0, n_features = 0, n_free = 0;
    if (n_rows <= ALL_ROWS) {
        for (; n_chosen_rows < n_rows; n_chosen_rows++) {
            w->rows[n_chosen_rows] = n_chosen_rows;
            w->chosen_row[n_chosen_rows] = 1;
        }
    } else {
        double *score = w->score + n;
        for (ptrdiff_t j = 0; j < n_rows; j++) score[j] = -w->b[j] / w->row_scale[j];
        n_chosen_rows = choose(n_rows, score, w->chosen_row, w->rows, 0, ROWS_ADDED);
    }
    for (ptrdiff_t j = 0; j < n_chosen_rows; j++) {
        if (w->b[w->rows[j]] >= 0) continue;
        normal_of(cells, e, w->rows[j], w->score);
        double weight = -w->b[w->rows[j]] / w->row_scale[w->rows[j]] / sigma / w->row_scale[w->rows[j]];
        for (ptrdiff_t i = 0; i < n; i++) pull[i] += weight * fabs(w->score[i]);
    }
    for (ptrdiff_t i = 0; i < n; i++) {
        n_free += is_free(e, i) != 0;
        int must_move = (e->lower && e->lower[i] > 0) || (e->upper && e->upper[i] < 0);
        pull[i] = !is_free(e, i) ? -1 : must_move ? HUGE_VAL : pull[i] + 1e-300;
    }
    ptrdiff_t wanted = n_free;
    if (cells->norm == 1 && n_free > ALL_FEATURES) {
        ptrdiff_t rows_count = n_chosen_rows < 8 ? n_chosen_rows : 8;
        wanted = n_moving ? n_moving + rows_count + 2 : (e->cone >= 0 ? q : 0) + rows_count + 4;
        if (wanted > n_free) wanted = n_free;
        for (ptrdiff_t i = 0; i < n; i++)
            if (isinf(pull[i])) wanted++;
    }
    n_features = choose(n, pull, w->chosen_feature, w->features, n_moving, wanted - n_moving);

    subproblem *P = &w->sub;
    P->far = cells->norm == 1 ? FAR : FAR * FAR; /* bounds of norm 2 are squared lengths */
    double cutoff = isfinite(e->cutoff) ? e->cutoff / (cells->norm == 1 ? sigma : sigma * sigma) : HUGE_VAL;
    double unit = cells->norm == 1 ? sigma : sigma * sigma, worst = HUGE_VAL, scale = 0;
    e->status = EW_STALLED;
    for (int round = 0; round < MAX_ROUNDS; round++) {
        gather(cells, e, w, n_features, n_chosen_rows, sigma, h0, cone_unit, cone_margin);
        P->cutoff = cutoff;
        P->remote = cells->norm == 1 ? REMOTE : REMOTE * REMOTE;
        iterate_bind(&w->it, w->iterate_memory, P->n, P->p + P->n_bounds, P->q);
        interior_point(P, &w->it, TOLERANCE);
        e->iterations += w->it.iterations;
        if (P->norm == 2 && (w->it.status == EW_STALLED || w->it.status == EW_INFEASIBLE) && w->it.bound < P->far) {
            /* Emptiness does not depend on the distance, and shows more sharply without a quadratic term. */
            P->norm = 1;
            P->cutoff = HUGE_VAL;
            P->remote = REMOTE;
            interior_point(P, &w->it, TOLERANCE);
            e->iterations += w->it.iterations;
            if (w->it.status != EW_INFEASIBLE) {
                P->norm = 2;
                P->cutoff = cutoff;
                P->remote = REMOTE * REMOTE;
                interior_point(P, &w->it, TOLERANCE);
            }
        }
        full_gradient(cells, e, w, sigma, cone_unit);
        double bound = certified_bound(cells, e, w, &scale);
        e->bound = fmax(e->bound, bound * unit);
        e->status = w->it.status;

        /* features whose dual constraint |r_i| <= 1 is violated join */
        ptrdiff_t before = n_features, rows_before = n_chosen_rows;
        if (n_features < n_free && (bound < P->far || e->status != EW_INFEASIBLE) &&
            (e->bound < e->cutoff || e->status != EW_CUTOFF)) {
            double limit = e->status == EW_OPTIMAL || e->status == EW_STALLED ? w->it.tau * (1 + 1e-9) : 0;
            if (limit == 0)
                for (ptrdiff_t i = 0; i < n_features; i++) limit = fmax(limit, fabs(w->r[w->features[i]]));
            for (ptrdiff_t i = 0; i < n; i++) w->score[i] = is_free(e, i) ? fabs(w->r[i]) - limit : -1;
            n_features = choose(n, w->score, w->chosen_feature, w->features, n_features,
                                n_features > 8 ? n_features : 8);
        }
        if (n_features == before && (e->status == EW_OPTIMAL || e->status == EW_STALLED)) {
            double outside;
            write_point(cells, e, w, sigma, 1);
            worst = violation_at(cells, e, w, n_rows, sigma, h0, cone_unit, &outside);
            if (worst > 0) {
                write_point(cells, e, w, sigma, 0);
                worst = violation_at(cells, e, w, n_rows, sigma, h0, cone_unit, &outside);
            }
            worst = fmax(worst, outside);
            if (outside > 0)
                n_chosen_rows = choose(n_rows, w->score + n, w->chosen_row, w->rows, n_chosen_rows, ROWS_ADDED);
        }
        if (n_features == before && n_chosen_rows == rows_before) break;
    }
    /* Progress can end before the tolerance is reached, or rows may be left over: what counts is the certificate. */
    int closed = e->value - e->bound <= 1e-8 * e->value && worst <= 1e-9;
    if (e->status == EW_STALLED && closed) e->status = EW_OPTIMAL;
    if (e->status == EW_OPTIMAL && !(worst <= 1e-8)) e->status = EW_STALLED;
    multipliers_out(cells, e, w, n_rows, sigma, cone_unit, scale);
    for (ptrdiff_t j = 0; j < P->p; j++) e->presses |= w->it.z[j] > w->it.s[j] * 1e-3; /* strict complementarity */
    if (e->status == EW_STALLED && !(worst <= 1e-6)) e->value = HUGE_VAL; /* no point at all */
    if (e->status == EW_INFEASIBLE || e->status == EW_CUTOFF || isinf(e->value)) {
        memset(e->v, 0, (size_t)n * sizeof *e->v);
        e->value = HUGE_VAL;
    }
}
