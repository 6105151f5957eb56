#include "lines.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "clock.h"

/* Conditions summed along a variable are rounded by less than this: scores are about one. */
static const double ALONG_ROUNDING = 1e-9;
/* Share of a squared radius that points keep inside of an ellipsoid. */
static const double INSIDE = 1e-9;
/* Cells that are tried along one variable, where the exact check refuses some. */
enum { MOST_TRIALS = 4 };

int ew_line_is_over(const ew_lines *w)
{
    return w->gave_up || w->p->n_lines >= w->p->most_lines || ew_now() - w->started > w->p->seconds;
}

/* ---- points ---- */

void ew_line_open_point(ew_lines *w, ew_point *at)
{
    const ew_proposal *p = w->p;
    at->values = EW_TAKE(&w->arena, double, p->n + 1);
    at->cost = EW_TAKE(&w->arena, double, p->f->n_vars);
    at->cells = EW_TAKE(&w->arena, int32_t, p->f->n_vars);
    at->image = EW_TAKE(&w->arena, double, w->n_images + 1);
    at->penalty = EW_TAKE(&w->arena, double, p->n_ellipsoids + 1);
}

void ew_line_copy_point(const ew_lines *w, ew_point *to, const ew_point *from)
{
    const ew_proposal *p = w->p;
    memcpy(to->values, from->values, sizeof(double) * (size_t)p->n);
    memcpy(to->cost, from->cost, sizeof(double) * (size_t)p->f->n_vars);
    memcpy(to->cells, from->cells, sizeof(int32_t) * (size_t)p->f->n_vars);
    memcpy(to->image, from->image, sizeof(double) * (size_t)w->n_images);
    memcpy(to->penalty, from->penalty, sizeof(double) * (size_t)p->n_ellipsoids);
    to->total = from->total;
}

double ew_line_cost_of(const ew_proposal *p, int32_t i, double value, int32_t cell)
{
    if (i >= p->n)
        return p->level_cost[p->f->first_cell[i] + cell];
    const double size = fabs(value - p->row[i]) * p->price[i];
    return size > 0.0 ? size + p->per_change : 0.0;
}

/* Images and penalties from scratch. */
void ew_line_measure(const ew_lines *w, ew_point *at)
{
    const ew_proposal *p = w->p;
    double *image = at->image;
    for (int32_t j = 0; j < p->n_ellipsoids; j++) {
        const ew_ellipsoid *e = p->ellipsoids + j;
        for (int32_t a = 0; a < e->q; a++) {
            double sum = 0.0;
            for (int32_t i = 0; i < p->n; i++)
                sum += e->factor[(size_t)a * (size_t)p->n + (size_t)i]
                       * ((at->values[i] - p->row[i]) * p->price[i] - e->centre[i]);
            *image++ = sum;
        }
        at->penalty[j] = 0.0;
        for (int32_t i = p->n; i < p->f->n_vars; i++)
            at->penalty[j] += e->penalty[p->f->first_cell[i] + at->cells[i]];
    }
    at->total = 0.0;
    for (int32_t i = 0; i < p->f->n_vars; i++) {
        at->cost[i] = ew_line_cost_of(p, i, i < p->n ? at->values[i] : 0.0, at->cells[i]);
        at->total += at->cost[i];
    }
}

/* Change one variable of a measured point. */
void ew_line_set(const ew_lines *w, ew_point *at, int32_t i, double value, int32_t cell)
{
    const ew_proposal *p = w->p;
    double *image = at->image;
    for (int32_t j = 0; j < p->n_ellipsoids; j++) {
        const ew_ellipsoid *e = p->ellipsoids + j;
        if (i < p->n) {
            const double move = (value - at->values[i]) * p->price[i];
            for (int32_t a = 0; a < e->q; a++)
                *image++ += e->factor[(size_t)a * (size_t)p->n + (size_t)i] * move;
        } else
            at->penalty[j] += e->penalty[p->f->first_cell[i] + cell] - e->penalty[p->f->first_cell[i] + at->cells[i]];
    }
    if (i < p->n)
        at->values[i] = value;
    at->cells[i] = cell;
    const double cost = ew_line_cost_of(p, i, value, cell);
    at->total += cost - at->cost[i];
    at->cost[i] = cost;
}

/* Whether an ellipsoid holds a measured point in which one variable pays `more` penalty than now. */
int ew_line_is_dense(const ew_lines *w, const ew_point *at, int32_t i, int32_t cell)
{
    const ew_proposal *p = w->p;
    const double *image = at->image;
    if (p->n_ellipsoids == 0)
        return 1;
    for (int32_t j = 0; j < p->n_ellipsoids; j++) {
        const ew_ellipsoid *e = p->ellipsoids + j;
        double sum = at->penalty[j];
        if (i >= 0)
            sum += e->penalty[p->f->first_cell[i] + cell] - e->penalty[p->f->first_cell[i] + at->cells[i]];
        for (int32_t a = 0; a < e->q; a++)
            sum += image[a] * image[a];
        image += e->q;
        if (sum <= e->squared_radius * (1.0 - INSIDE))
            return 1;
    }
    return 0;
}

/* Intervals of a number in which each ellipsoid holds the point; empty ones are low > high. */
void ew_line_dense_intervals(ew_lines *w, const ew_point *at, int32_t i)
{
    const ew_proposal *p = w->p;
    const double *image = at->image;
    const double now = (at->values[i] - p->row[i]) * p->price[i];
    for (int32_t j = 0; j < p->n_ellipsoids; j++) {
        const ew_ellipsoid *e = p->ellipsoids + j;
        double A = 0.0, B = 0.0, C = at->penalty[j] - e->squared_radius * (1.0 - INSIDE);
        for (int32_t a = 0; a < e->q; a++) {
            const double b = e->factor[(size_t)a * (size_t)p->n + (size_t)i];
            A += b * b;
            B += b * image[a];
            C += image[a] * image[a];
        }
        image += e->q;
        const double root = B * B - A * C;
        w->dense_low[j] = INFINITY;
        w->dense_high[j] = -INFINITY;
        if (A <= DBL_MIN) {
            if (C <= 0.0)
                w->dense_low[j] = -INFINITY, w->dense_high[j] = INFINITY;
        } else if (root >= 0.0) {
            w->dense_low[j] = p->row[i] + (now + (-B - sqrt(root)) / A) / p->price[i];
            w->dense_high[j] = p->row[i] + (now + (-B + sqrt(root)) / A) / p->price[i];
        }
    }
}

/* ---- along one variable ---- */

double ew_line_missing(const ew_forest *f, const double *conditions)
{
    double total = 0.0;
    for (int32_t r = 0; r < f->n_rows; r++)
        total += fmax(0.0, f->least[r] - conditions[r]);
    return total;
}

/* The value in [low, high] nearest to `to`, whole where it has to be; NaN if there is none. */
static double nearest_within(const ew_proposal *p, int32_t i, double low, double high, double to)
{
    if (low > high)
        return NAN;
    if (to >= low && to <= high && (!p->is_whole[i] || to == p->row[i] || to == floor(to)))
        return to;
    if (!p->is_whole[i])
        return to < low ? low : high;
    if (p->row[i] >= low && p->row[i] <= high && to == p->row[i])
        return to;
    const double a = ceil(low), b = floor(high);
    return a > b ? NAN : to < a ? a : to > b ? b : round(to);
}

/* The best value of a cell: the densest constraint that leaves one, nearest to `to`; NaN if none does. */
double ew_line_value(const ew_lines *w, int32_t i, int32_t cell, double to)
{
    const ew_proposal *p = w->p;
    const double first = p->first[p->f->first_cell[i] + cell], last = p->last[p->f->first_cell[i] + cell];
    if (p->n_ellipsoids == 0)
        return nearest_within(p, i, first, last, to);
    double best = NAN;
    for (int32_t j = 0; j < p->n_ellipsoids; j++) {
        const double value = nearest_within(p, i, fmax(first, w->dense_low[j]), fmin(last, w->dense_high[j]), to);
        if (!isnan(value) && (isnan(best) || fabs(value - to) < fabs(best - to)))
            best = value;
    }
    return best;
}

/* Whether the point with one variable changed is an answer, exactly. */
static int is_answer(ew_lines *w, const ew_point *at, int32_t i, double value, int32_t cell)
{
    ew_proposal *p = w->p;
    const int32_t cell_before = at->cells[i];
    const double before = i < p->n ? at->values[i] : 0.0;
    at->cells[i] = cell;
    if (i < p->n)
        at->values[i] = value;
    int holds = ew_accepts(p->f, at->cells, p->margin, w->sums);
    if (holds && p->holds) {
        holds = p->holds(p->context, at->values, at->cells);
        w->gave_up |= holds < 0;
    }
    at->cells[i] = cell_before;
    if (i < p->n)
        at->values[i] = before;
    return holds > 0;
}

/* The cheapest cell and value of a variable below `limit` that make the point an answer. Returns 0 if there is none. */
int ew_line_look_along(ew_lines *w, ew_point *at, int32_t i, double limit, double *found, int32_t *found_cell)
{
    const ew_proposal *p = w->p;
    const ew_forest *f = p->f;
    const int32_t n = f->first_cell[i + 1] - f->first_cell[i];
    ew_along(f, at->cells, i, w->along);
    w->p->n_lines++;
    if (i < p->n)
        ew_line_dense_intervals(w, at, i);
    double above = -1.0; /* cheaper cells than this were refused */
    for (int trial = 0; trial < MOST_TRIALS; trial++) {
        double best = limit, value = 0.0;
        int32_t cell = -1;
        for (int32_t k = 0; k < n; k++) {
            double then = 0.0, cost;
            if (i < p->n) {
                const double a = p->first[f->first_cell[i] + k], b = p->last[f->first_cell[i] + k];
                const double away = p->row[i] < a ? a - p->row[i] : p->row[i] > b ? p->row[i] - b : 0.0;
                if (!(a <= b) || !(away * p->price[i] < best))
                    continue;
                if (ew_line_missing(f, w->along + (size_t)k * (size_t)f->n_rows) > ALONG_ROUNDING)
                    continue;
                then = ew_line_value(w, i, k, p->row[i]);
                if (isnan(then))
                    continue;
            } else if (p->first[f->first_cell[i] + k] > p->last[f->first_cell[i] + k]
                       || ew_line_missing(f, w->along + (size_t)k * (size_t)f->n_rows) > ALONG_ROUNDING || !ew_line_is_dense(w, at, i, k))
                continue;
            cost = ew_line_cost_of(p, i, then, k);
            if (cost < best && cost > above)
                best = cost, cell = k, value = then;
        }
        if (cell < 0)
            return 0;
        if (is_answer(w, at, i, value, cell)) {
            *found = value;
            *found_cell = cell;
            return 1;
        }
        above = best;
    }
    return 0;
}
