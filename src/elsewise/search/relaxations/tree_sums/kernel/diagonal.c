#include "diagonal.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "matrices.h"

/* Rounding of P and of its factorisation, in units of n^2 eps of what they are relative to: several times over. */
static const double SLACK = 16.0;

void ew_diagonal_open(ew_diagonal *d, const ew_cone *cone, ew_arena *arena)
{
    const size_t n = (size_t)cone->n;
    d->S = EW_TAKE(arena, double, n * n);
    d->inverse = EW_TAKE(arena, double, n * n);
    d->hessian = EW_TAKE(arena, double, n * n);
    d->room = EW_TAKE(arena, double, n * n);
    d->gradient = EW_TAKE(arena, double, n);
    d->step = EW_TAKE(arena, double, n);
    d->trial = EW_TAKE(arena, double, n);
}

static void subtract(double *S, const ew_cone *cone, const double *D)
{
    const size_t n = (size_t)cone->n;
    memcpy(S, cone->P, sizeof(double) * n * n);
    for (size_t i = 0; i < n; i++)
        S[i * n + i] -= D[i];
}

int ew_diagonal_check(ew_diagonal *d, const ew_cone *cone, const double *D, double *K)
{
    const int32_t n = cone->n;
    subtract(d->S, cone, D);
    for (int32_t i = 0; i < n; i++) {
        const size_t own = (size_t)i * (size_t)n + (size_t)i;
        d->S[own] -= SLACK * (double)n * (double)n * DBL_EPSILON * (cone->size_of_P[own] + fabs(D[i]));
    }
    if (!ew_factor(d->S, n))
        return 0;
    ew_invert(d->S, n, d->room, d->inverse);
    for (size_t e = 0; e < (size_t)n * (size_t)n; e++)
        K[e] = 0.25 * d->inverse[e];
    return 1;
}

int ew_diagonal_ascend(ew_diagonal *d, const ew_cone *cone, const double *w, double barrier, int n_steps, double *D,
                       double *K)
{
    const int32_t n = cone->n;
    memcpy(d->trial, D, sizeof(double) * (size_t)n);
    for (int step = 0; step < n_steps; step++) {
        subtract(d->S, cone, d->trial);
        if (!ew_factor(d->S, n))
            return 0;
        ew_invert(d->S, n, d->room, d->inverse);
        for (size_t e = 0; e < (size_t)n * (size_t)n; e++)
            d->hessian[e] = barrier * d->inverse[e] * d->inverse[e];
        for (int32_t i = 0; i < n; i++)
            d->gradient[i] = w[i] - barrier * d->inverse[(size_t)i * (size_t)n + (size_t)i];
        if (!ew_factor(d->hessian, n))
            break;
        ew_solve(d->hessian, n, d->gradient, d->step);
        double decrement = 0.0;
        for (int32_t i = 0; i < n; i++)
            decrement += d->step[i] * d->gradient[i];
        decrement = sqrt(fmax(decrement, 0.0) / barrier);
        /* steps so long stay where S is positive definite */
        const double length = decrement < 0.25 ? 1.0 : 1.0 / (1.0 + decrement);
        for (int32_t i = 0; i < n; i++)
            d->trial[i] += length * d->step[i];
        if (decrement < 0.1)
            break;
    }
    if (!ew_diagonal_check(d, cone, d->trial, K)) {
        ew_diagonal_check(d, cone, D, K);
        return 0;
    }
    memcpy(D, d->trial, sizeof(double) * (size_t)n);
    return 1;
}
