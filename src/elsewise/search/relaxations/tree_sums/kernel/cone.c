#include "least.h"

#include <float.h>
#include <math.h>
#include <string.h>

void ew_prices_open(ew_prices *p, const ew_compact *c, const ew_cone *cone, ew_arena *arena)
{
    p->constant = p->constant_size = 0.0;
    p->price = EW_TAKE(arena, double, c->n_cells);
    p->size = EW_TAKE(arena, double, c->n_cells);
    const int32_t n = cone ? cone->n : 0;
    p->z = EW_TAKE(arena, double, n);
    p->slope = EW_TAKE(arena, double, n);
    p->slope_size = EW_TAKE(arena, double, n);
    memcpy(p->price, c->cost, sizeof(double) * (size_t)c->n_cells);
    memcpy(p->size, c->cost, sizeof(double) * (size_t)c->n_cells);
}

void ew_multipliers_open(ew_multipliers *at, const ew_cone *cone, ew_arena *arena)
{
    const size_t n = cone ? (size_t)cone->n : 0;
    at->q = EW_TAKE(arena, double, n);
    at->D = EW_TAKE(arena, double, n);
    at->K = EW_TAKE(arena, double, n * n);
    at->weight = EW_TAKE(arena, double, n);
}

void ew_multipliers_copy(ew_multipliers *to, const ew_multipliers *from, int32_t n)
{
    to->kappa = from->kappa;
    memcpy(to->q, from->q, sizeof(double) * (size_t)n);
    memcpy(to->D, from->D, sizeof(double) * (size_t)n);
    memcpy(to->K, from->K, sizeof(double) * (size_t)n * (size_t)n);
    memcpy(to->weight, from->weight, sizeof(double) * (size_t)n);
}

void ew_prices_set(ew_prices *p, const ew_compact *c, const ew_cone *cone, const ew_multipliers *at)
{
    const int32_t n = cone->n;
    const double kappa = at->kappa;
    for (int32_t i = 0; i < n; i++) {
        double z = 0.0;
        for (int32_t j = 0; j < n; j++)
            z -= at->K[(size_t)i * (size_t)n + (size_t)j] * at->q[j];
        p->z[i] = 2.0 * z / kappa;
    }
    double zSz = 0.0, size = 0.0;
    for (int32_t i = 0; i < n; i++) {
        double Sz = -at->D[i] * p->z[i], Sz_size = fabs(at->D[i] * p->z[i]);
        for (int32_t j = 0; j < n; j++) {
            Sz += cone->P[(size_t)i * (size_t)n + (size_t)j] * p->z[j];
            Sz_size += cone->size_of_P[(size_t)i * (size_t)n + (size_t)j] * fabs(p->z[j]);
        }
        p->slope[i] = 2.0 * kappa * Sz;
        p->slope_size[i] = 2.0 * kappa * Sz_size;
        zSz += Sz * p->z[i];
        size += Sz_size * fabs(p->z[i]);
    }
    p->constant = -kappa * (cone->squared_radius + zSz);
    p->constant_size = kappa * (cone->squared_radius + size);
    for (int32_t i = 0; i < c->n_vars; i++)
        for (int32_t k = c->first_cell[i]; k < c->first_cell[i + 1]; k++) {
            if (i >= n) {
                p->price[k] = c->cost[k] + kappa * c->penalty[k];
                p->size[k] = p->price[k];
                continue;
            }
            const double m = cone->centre[i], kd = kappa * at->D[i], free_at = ew_least_at(kd, p->slope[i], m);
            double beside;
            const double v = ew_least_within(free_at, kd, p->slope[i], m, cone->step[i], c->low[k], c->high[k], &beside);
            const double y = v - m;
            p->price[k] = fabs(v) + kd * y * y + p->slope[i] * y;
            if (kd < 0.0) { /* either end may be it */
                const double far = fmax(fabs(c->low[k]), fabs(c->high[k])) + fabs(m);
                p->size[k] = far - kd * far * far + p->slope_size[i] * far;
                continue;
            }
            /* v itself is off by a few units of |m| + |v|, which matters in second order only */
            p->size[k] = fabs(v) + fabs(kd) * (y * y + DBL_EPSILON * (m * m + v * v)) + p->slope_size[i] * (fabs(y) + fabs(m) * DBL_EPSILON);
        }
}
