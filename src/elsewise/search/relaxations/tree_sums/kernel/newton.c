/* Good multipliers for fixed messages: Newton's method on a soft minimum. */
#include "least.h"

#include <math.h>
#include <string.h>

#include "extremes.h"
#include "matrices.h"

void ew_newton_open(ew_newton *w, const ew_compact *c, const ew_cone *cone, ew_arena *arena)
{
    const size_t n = (size_t)cone->n + 1;
    w->worth = EW_TAKE(arena, double, c->n_cells);
    w->moved = EW_TAKE(arena, double, c->n_cells);
    w->beside = EW_TAKE(arena, double, c->n_cells);
    w->value = EW_TAKE(arena, double, c->n_cells);
    w->mean = EW_TAKE(arena, double, c->n_vars);
    w->mean_value = EW_TAKE(arena, double, c->n_vars);
    w->spread = EW_TAKE(arena, double, c->n_vars);
    w->variance = EW_TAKE(arena, double, c->n_vars);
    w->gradient = EW_TAKE(arena, double, n);
    w->step = EW_TAKE(arena, double, n);
    w->Kq = EW_TAKE(arena, double, n);
    w->trial = EW_TAKE(arena, double, n);
    w->hessian = EW_TAKE(arena, double, n * n);
}

/* Weighted moments of what depends on a cell: the move y, and e, which kappa is multiplied with. */
typedef struct {
    double w, u, y, e, yy, ye, ee;
    double inner, inner_y, inner_yy; /* of how places between the ends of cells follow q and kappa */
} moments;

static inline void add(moments *s, double w, double u, double y, double e)
{
    s->w += w;
    s->u += w * u;
    s->y += w * y;
    s->e += w * e;
    s->yy += w * y * y;
    s->ye += w * y * e;
    s->ee += w * e * e;
}

/* Weights below exp(-20) count for nothing. */
static const double FAR = 20.0;

/* The best place of every cell of a variable and its value; returns the least value. */
static double place_cells(ew_newton *w, const ew_compact *c, const ew_cone *cone, const uint8_t *alive, int32_t i,
                          double kappa, double q, const double *D)
{
    double least = INFINITY;
    const double m = i < cone->n ? cone->centre[i] : 0.0, kd = i < cone->n ? kappa * D[i] : 0.0;
    const double free_at = i < cone->n ? ew_least_at(kd, -q, m) : 0.0;
    for (int32_t k = c->first_cell[i]; k < c->first_cell[i + 1]; k++) {
        if (!alive[k])
            continue;
        if (i < cone->n) {
            double beside;
            const double v = ew_least_within(free_at, kd, -q, m, cone->step[i], c->low[k], c->high[k], &beside), y = v - m;
            w->moved[k] = y;
            w->beside[k] = beside - m;
            w->value[k] = fabs(v) + kd * y * y - q * y - w->worth[k];
        } else
            w->value[k] = c->cost[k] + kappa * c->penalty[k] - w->worth[k];
        least = ew_min(least, w->value[k]);
    }
    return least;
}

/* The spread of a variable over its cells, the better the more. Numbers of a cell are stood for by their best place, the one
 * beside it, and both ends. */
static moments spread_of(const ew_newton *w, const ew_compact *c, const ew_cone *cone, const uint8_t *alive, const double *D_of,
                         int32_t i, double q, double kappa, double width, double least)
{
    const int is_number = i < cone->n;
    const double far = least + FAR * width, m = is_number ? cone->centre[i] : 0.0;
    const double D = is_number ? D_of[i] : 0.0, kd = kappa * D;
    const int is_whole = is_number && cone->step[i] > 0.0;
    moments s = {0};
    for (int32_t k = c->first_cell[i]; k < c->first_cell[i + 1]; k++) {
        if (!alive[k] || w->value[k] >= far)
            continue;
        const double y = w->moved[k], weight = exp((least - w->value[k]) / width);
        if (!is_number) {
            add(&s, weight, w->value[k], 0.0, c->penalty[k]);
            continue;
        }
        add(&s, weight, w->value[k], y, D * y * y);
        const int is_between = y + m > c->low[k] && y + m < c->high[k];
        if (kd > 1e-14 && !is_whole && is_between && y + m != 0.0) {
            s.inner += weight / (2.0 * kd);
            s.inner_y += weight * y / kappa;
            s.inner_yy += weight * 2.0 * D * y * y / kappa;
        }
        const double places[] = {c->low[k] - m, c->high[k] - m, w->beside[k]};
        for (int z = 0; z < (is_whole ? 3 : 2); z++) {
            const double there = places[z], v = there + m;
            if (there == y || (z == 2 && (v <= c->low[k] || v >= c->high[k])))
                continue;
            const double u = fabs(v) + kd * there * there - q * there - w->worth[k];
            if (u < far)
                add(&s, exp((least - u) / width), u, there, D * there * there);
        }
    }
    return s;
}

/* Smoothed value; with `full`, gradient, Hessian of its negative and means too. */
static double smoothed(ew_newton *w, const ew_compact *c, const ew_cone *cone, const uint8_t *alive,
                       const ew_multipliers *at, const double *q, double kappa, double width, int full)
{
    const int32_t n = cone->n, N = n + 1;
    double qKq = 0.0;
    ew_multiply(at->K, n, q, w->Kq);
    for (int32_t i = 0; i < n; i++)
        qKq += w->Kq[i] * q[i];
    double total = -kappa * cone->squared_radius - qKq / kappa;
    double by_kappa = -cone->squared_radius + qKq / (kappa * kappa), kappa_kappa = 2.0 * qKq / (kappa * kappa * kappa);
    for (int32_t i = 0; i < c->n_vars; i++) {
        const int is_number = i < n;
        const double qi = is_number ? q[i] : 0.0, m = is_number ? cone->centre[i] : 0.0;
        const double least = place_cells(w, c, cone, alive, i, kappa, qi, at->D);
        const moments s = spread_of(w, c, cone, alive, at->D, i, qi, kappa, width, least);
        total += least - width * log(s.w);
        if (!full)
            continue;
        const double y = s.y / s.w, e = s.e / s.w;
        w->mean[i] = y + m;
        w->mean_value[i] = s.u / s.w;
        w->variance[i] = ew_max(0.0, s.yy / s.w - y * y);
        by_kappa += e;
        kappa_kappa += ew_max(0.0, s.ee / s.w - e * e) / width + s.inner_yy / s.w;
        if (!is_number)
            continue;
        double *row = w->hessian + (size_t)i * (size_t)N;
        for (int32_t j = i; j < n; j++)
            row[j] = 2.0 / kappa * at->K[(size_t)i * (size_t)n + (size_t)j];
        row[i] += ew_max(0.0, s.yy / s.w - y * y) / width + s.inner / s.w;
        row[i] *= 1.0 + 1e-9;
        w->gradient[i] = -2.0 * w->Kq[i] / kappa - y;
        row[n] = -2.0 * w->Kq[i] / (kappa * kappa) - (s.ye / s.w - y * e) / width - s.inner_y / s.w;
    }
    if (full) {
        w->gradient[n] = by_kappa;
        w->hessian[(size_t)n * (size_t)N + (size_t)n] = kappa_kappa * (1.0 + 1e-9) + 1e-300;
    }
    return total;
}

/* Pivots of the Hessian are kept above this share of its diagonal. */
static const double LEAST_PIVOT = 1e-13;

void ew_newton_ascend(ew_newton *w, const ew_compact *c, const ew_cone *cone, const uint8_t *alive,
                      ew_multipliers *at, double width, int n_steps, double least_kappa)
{
    const int32_t n = cone->n, N = n + 1;
    at->kappa = ew_max(at->kappa, least_kappa);
    for (int step = 0; step < n_steps; step++) {
        const double before = smoothed(w, c, cone, alive, at, at->q, at->kappa, width, 1);
        if (at->kappa <= least_kappa && w->gradient[n] <= 0.0) {
            for (int32_t j = 0; j < n; j++)
                w->hessian[(size_t)j * (size_t)N + (size_t)n] = 0.0;
            w->hessian[(size_t)n * (size_t)N + (size_t)n] = 1.0;
            w->gradient[n] = 0.0;
        }
        ew_factor_lifted(w->hessian, N, LEAST_PIVOT, w->trial);
        ew_solve(w->hessian, N, w->gradient, w->step);
        double promised = 0.0, length = 1.0, gain = 0.0, kappa = at->kappa;
        for (int32_t i = 0; i < N; i++)
            promised += w->step[i] * w->gradient[i];
        if (!(promised > 0.02 * width))
            return;
        int taken = 0;
        for (int trial = 0; trial < 9 && !taken; trial++, length *= 0.3) {
            for (int32_t i = 0; i < n; i++)
                w->trial[i] = at->q[i] + length * w->step[i];
            kappa = ew_within(at->kappa + length * w->step[n], 0.2 * at->kappa, 5.0 * at->kappa);
            kappa = ew_max(kappa, least_kappa);
            gain = smoothed(w, c, cone, alive, at, w->trial, kappa, width, 0) - before;
            taken = gain > 1e-3 * length * promised || gain > 0.3 * width;
        }
        if (!taken)
            return;
        memcpy(at->q, w->trial, sizeof(double) * (size_t)n);
        at->kappa = kappa;
        if (gain < 0.05 * width)
            return;
    }
}

void ew_newton_spread(ew_newton *w, const ew_compact *c, const ew_cone *cone, const uint8_t *alive,
                      const ew_multipliers *at, double width)
{
    smoothed(w, c, cone, alive, at, at->q, at->kappa, width, 1);
    for (int32_t i = cone->n; i < c->n_vars; i++) { /* levels: how much messages differ over the mixture */
        double least = INFINITY, sum = 0.0, mean = 0.0, spread = 0.0;
        for (int32_t k = c->first_cell[i]; k < c->first_cell[i + 1]; k++)
            if (alive[k])
                least = ew_min(least, w->value[k]);
        for (int pass = 0; pass < 2; pass++)
            for (int32_t k = c->first_cell[i]; k < c->first_cell[i + 1]; k++) {
                if (!alive[k] || w->value[k] >= least + FAR * width)
                    continue;
                const double weight = exp((least - w->value[k]) / width);
                if (pass == 0) {
                    sum += weight;
                    mean += weight * w->worth[k];
                } else
                    spread += weight * fabs(w->worth[k] - mean / sum);
            }
        w->spread[i] = spread / sum;
    }
}

double ew_newton_value(ew_newton *w, const ew_compact *c, const ew_cone *cone, const uint8_t *alive,
                       const ew_multipliers *at)
{
    double qKq = 0.0, total;
    for (int32_t i = 0; i < cone->n; i++)
        for (int32_t j = 0; j < cone->n; j++)
            qKq += at->q[i] * at->K[(size_t)i * (size_t)cone->n + (size_t)j] * at->q[j];
    total = -at->kappa * cone->squared_radius - qKq / at->kappa;
    for (int32_t i = 0; i < c->n_vars; i++)
        total += place_cells(w, c, cone, alive, i, at->kappa, i < cone->n ? at->q[i] : 0.0, at->D);
    return total;
}
