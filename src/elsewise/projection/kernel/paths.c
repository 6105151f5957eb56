#include "instance.h"

#include "homotopy.h"
#include "multiversion.h"
#include "row_path.h"

/* Relative gap at the end of a path: its point is exact, but features in very different units cost the bound digits. */
static const double PATH_TOLERANCE = 1e-8;

/* Lower bound from path multipliers (z of rows scaled by `unit`, y of the cone), evaluated on all features for the true
 * right-hand sides; `tight` is the same for the right-hand sides with margins. Multipliers are scaled to be dual feasible,
 * the gradient r with them. */
static double path_bound(const ew_cells *cells, const ew_instance *e, ew_workspace *w, const row_path_problem *path,
                         double unit, double *tight) {
    ptrdiff_t n = cells->n, q = cells->q;
    double *z = path->z, *y = path->y;
    double beta = -y[0] * (1 + 4e-16) * w->h0, sum = y[0] * w->h0, margins = y[0] * w->cone_margin;
    for (ptrdiff_t i = 0; i < n; i++) w->r[i] = -dot(q, path->Ft + i * q, y + 1);
    for (ptrdiff_t j = 0; j < q; j++) {
        beta += w->g[j] * y[j + 1];
        sum += fabs(w->g[j] * y[j + 1]);
    }
    for (ptrdiff_t j = 0; j < path->n_rows; j++) {
        if (z[j] == 0) continue;
        double scaled = z[j] * unit / w->row_scale[j];
        axpy(n, z[j], w->sub.A + j * n, w->r);
        beta -= scaled * w->b[j];
        sum += fabs(scaled * w->b[j]);
        margins += scaled * row_margin(e, w, j);
    }
    beta -= 1e-15 * sum;
    double largest = 0, weight = sqrt(dot(q, y + 1, y + 1)), pressure = 0;
    for (ptrdiff_t j = 0; j < path->n_rows; j++) pressure += z[j] * unit;
    for (ptrdiff_t i = 0; i < n; i++)
        if (is_free(e, i))
            largest = fmax(largest, fabs(unabsorbed(e, i, w->r[i])) + gradient_rounding(cells, e, w, i, weight, pressure));
    for (ptrdiff_t j = 0; j < path->n_rows; j++) z[j] /= largest;
    for (ptrdiff_t j = 0; j <= q; j++) y[j] /= largest;
    for (ptrdiff_t i = 0; i < n; i++) w->r[i] /= largest;
    double bound = beta / largest * (1 - 1e-15 * (double)(n + 8));
    *tight = bound + margins / largest;
    return bound;
}

/* Whether the end of the path satisfies all constraints and closes the gap; its distance is the value. */
static int path_holds(ew_instance *e, ew_workspace *w, const row_path_problem *path, double unit, double tight) {
    ptrdiff_t n = path->n, q = path->q;
    double value = 0;
    for (ptrdiff_t j = 0; j < q; j++) w->hv[j] = -w->g[j];
    for (ptrdiff_t i = 0; i < n; i++) {
        if (e->lower) e->v[i] = fmax(e->v[i], e->lower[i]);
        if (e->upper) e->v[i] = fmin(e->v[i], e->upper[i]);
        value += fabs(e->v[i]);
        if (e->v[i] != 0) axpy(q, e->v[i], path->Ft + i * q, w->hv);
    }
    double beyond = sqrt(dot(q, w->hv, w->hv)) - path->h;
    if (!(beyond <= fmax(0.05 * w->cone_margin, 1e-11 * w->h0))) return 0;
    for (ptrdiff_t j = 0; j < w->n_rows; j++) {
        double over = dot(n, path->A + j * n, e->v) - path->b[j];
        if (!(over <= fmax(0.05 * row_margin(e, w, j), 1e-11 * w->sigma) * unit)) return 0;
    }
    e->value = value;
    if (value >= tight) {
        w->path_value = value;
        memcpy(w->path_v, e->v, (size_t)n * sizeof *e->v);
    }
    return fabs(value - tight) <= PATH_TOLERANCE * value;
}

/* Append the bound that v violates most as a further row. Returns 1 if there was one, 0 if all hold, -1 without room. */
static int add_bound_row(const ew_instance *e, ew_workspace *w, row_path_problem *path, double unit) {
    ptrdiff_t n = path->n, worst = -1, j = path->n_rows;
    double excess = 1e-12 * w->sigma, sign = 0;
    for (ptrdiff_t i = 0; i < n; i++) {
        double above = e->upper ? e->v[i] - e->upper[i] : 0, below = e->lower ? e->lower[i] - e->v[i] : 0;
        if (!(fmax(above, below) > excess)) continue;
        excess = fmax(above, below);
        sign = above > below ? 1 : -1;
        worst = i;
    }
    if (worst < 0) return 0;
    if (j == path->room) return -1;
    w->path_bound[j - w->n_rows] = sign > 0 ? worst : -1 - worst;
    w->b[j] = sign * (sign > 0 ? e->upper : e->lower)[worst];
    w->row_scale[j] = 1;
    w->path_b[j] = w->b[j] * unit;
    path->z[j] = 0;
    memset(w->sub.A + j * n, 0, (size_t)n * sizeof(double));
    w->sub.A[j * n + worst] = sign * unit;
    path->n_rows++;
    return 1;
}

MULTIVERSION
ptrdiff_t follow_paths(const ew_cells *cells, ew_instance *e, ew_workspace *w) {
    ptrdiff_t n = cells->n, q = cells->q;
    double *y = w->path_y, *z = w->path_z, tight;
    int bounded = e->lower || e->upper;
    row_path_problem path = {.n = n, .q = q, .n_rows = w->n_rows, .room = w->n_rows + (bounded ? PATH_BOUNDS : 0),
                             .Ft = w->Ft, .gram = w->gram, .g = w->g, .h = w->h0 - w->cone_margin, .A = w->sub.A,
                             .b = w->path_b, .cutoff = e->cutoff * (1 + 1e-6), .barred = w->barred,
                             .moving = w->path_moving, .v = e->v, .z = z, .y = y};
    memset(z, 0, (size_t)w->n_rows * sizeof *z);
    for (ptrdiff_t i = 0; i < n; i++)
        w->barred[i] = (e->upper && e->upper[i] == 0 ? BARRED_UP : 0) | (e->lower && e->lower[i] == 0 ? BARRED_DOWN : 0);
    path.n_moving = homotopy(n, q, path.Ft, path.gram, w->g, path.h, w->barred, w->path, w->features, e->v, y,
                             &path.steps);
    e->iterations = path.steps;
    ptrdiff_t moved = path.n_moving;
    if (moved < 0) return 0;
    memcpy(w->path_moving, w->features, (size_t)moved * sizeof(int64_t)); /* the rows' path changes its own copy */

    /* rows in units comparable with the columns of F, margins taken off */
    double unit = 0;
    for (ptrdiff_t i = 0; i < n; i++) unit = fmax(unit, path.gram[i * (n + 1)]);
    unit = sqrt(unit);
    for (ptrdiff_t j = 0; j < w->n_rows; j++) {
        normal_of(cells, e, w, j, w->sub.A + j * n);
        double scale = unit / w->row_scale[j];
        for (ptrdiff_t i = 0; i < n; i++) w->sub.A[j * n + i] *= scale;
        w->path_b[j] = (w->b[j] - row_margin(e, w, j)) * scale;
    }
    int more = w->n_rows <= ALL_ROWS ? row_path_start(&path, w->path) : -1;
    for (int round = 0; round <= 4 * (ALL_ROWS + PATH_BOUNDS); round++) {
        e->bound = fmax(e->bound, path_bound(cells, e, w, &path, unit, &tight));
        if (e->bound >= e->cutoff) {
            e->status = EW_CUTOFF;
            break;
        }
        if (more < 0 || more == 2) return moved;
        more = row_path_next(&path, w->path);
        e->iterations += path.steps;
        path.steps = 0;
        if (more == 0 && bounded) {
            int added = add_bound_row(e, w, &path, unit);
            if (added < 0) return moved;
            if (added) { more = 1; continue; }
        }
        if (more == 0) {
            if (!path_holds(e, w, &path, unit, tight)) return moved;
            e->status = EW_OPTIMAL;
            for (ptrdiff_t j = 0; j < w->n_first_rows; j++) e->presses |= z[j] > 0;
            break;
        }
        if (more < 0) return moved;
    }
    if (e->status == EW_STALLED) return moved;
    if (e->z_rows)
        for (ptrdiff_t j = 0; j < w->n_rows; j++) e->z_rows[j] = z[j] * unit / w->row_scale[j];
    if (e->z_bounds) {
        for (ptrdiff_t i = 0; i < n; i++) e->z_bounds[i] = -(w->r[i] - (is_free(e, i) ? unabsorbed(e, i, w->r[i]) : 0));
        for (ptrdiff_t j = w->n_rows; j < path.n_rows; j++) {
            int64_t which = w->path_bound[j - w->n_rows];
            if (which >= 0) e->z_bounds[which] += z[j] * unit;
            else e->z_bounds[-1 - which] -= z[j] * unit;
        }
    }
    if (e->slope)
        for (ptrdiff_t i = 0; i < n; i++) e->slope[i] = unabsorbed(e, i, w->r[i]);
    if (e->y) memcpy(e->y, y, (size_t)(q + 1) * sizeof *y);
    if (e->status == EW_CUTOFF) {
        memset(e->v, 0, (size_t)n * sizeof *e->v);
        e->value = HUGE_VAL;
    }
    return -1;
}
