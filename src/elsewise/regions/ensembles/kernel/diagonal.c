#include "diagonal.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Rounding of P and of its factorisation, in units of n^2 eps of what they are relative to: several times over. */
static const double SLACK = 16.0;

void ew_diagonal_open(ew_diagonal *d, const ew_cone *cone, ew_arena *arena)
{
    const size_t n = (size_t)cone->n;
    d->S = EW_TAKE(arena, double, n * n);
    d->inverse = EW_TAKE(arena, double, n * n);
    d->hessian = EW_TAKE(arena, double, n * n);
    d->gradient = EW_TAKE(arena, double, n);
    d->step = EW_TAKE(arena, double, n);
    d->trial = EW_TAKE(arena, double, n);
}

/* Cholesky's factor in the lower triangle. Returns 0 if there is none. */
static int factor(double *A, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        double *of_i = A + (size_t)i * (size_t)n;
        for (int32_t j = 0; j <= i; j++) {
            const double *of_j = A + (size_t)j * (size_t)n;
            double t = of_i[j];
            for (int32_t k = 0; k < j; k++)
                t -= of_i[k] * of_j[k];
            if (j < i)
                of_i[j] = t / of_j[j];
            else if (!(t > 0.0) || isinf(t))
                return 0;
            else
                of_i[i] = sqrt(t);
        }
    }
    return 1;
}

/* Solve L L' x = b. */
static void solve(const double *L, int32_t n, const double *b, double *x)
{
    for (int32_t i = 0; i < n; i++) {
        double t = b[i];
        for (int32_t k = 0; k < i; k++)
            t -= L[(size_t)i * (size_t)n + (size_t)k] * x[k];
        x[i] = t / L[(size_t)i * (size_t)n + (size_t)i];
    }
    for (int32_t i = n - 1; i >= 0; i--) {
        double t = x[i];
        for (int32_t k = i + 1; k < n; k++)
            t -= L[(size_t)k * (size_t)n + (size_t)i] * x[k];
        x[i] = t / L[(size_t)i * (size_t)n + (size_t)i];
    }
}

/* The inverse of L L'; L is overwritten by its own. */
static void invert(double *L, int32_t n, double *inverse)
{
    for (int32_t j = 0; j < n; j++) { /* inv(L), in place, column by column of the lower triangle */
        L[(size_t)j * (size_t)n + (size_t)j] = 1.0 / L[(size_t)j * (size_t)n + (size_t)j];
        for (int32_t i = j + 1; i < n; i++) {
            double *of_i = L + (size_t)i * (size_t)n, t = 0.0;
            for (int32_t k = j; k < i; k++)
                t -= of_i[k] * L[(size_t)k * (size_t)n + (size_t)j];
            of_i[j] = t / of_i[i];
        }
    }
    memset(inverse, 0, sizeof(double) * (size_t)n * (size_t)n);
    for (int32_t k = 0; k < n; k++) { /* inv(L)' inv(L), row by row of inv(L) */
        const double *of_k = L + (size_t)k * (size_t)n;
        for (int32_t i = 0; i <= k; i++)
            for (int32_t j = 0; j <= k; j++)
                inverse[(size_t)i * (size_t)n + (size_t)j] += of_k[i] * of_k[j];
    }
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
    if (!factor(d->S, n))
        return 0;
    invert(d->S, n, d->inverse);
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
        if (!factor(d->S, n))
            return 0;
        invert(d->S, n, d->inverse);
        for (size_t e = 0; e < (size_t)n * (size_t)n; e++)
            d->hessian[e] = barrier * d->inverse[e] * d->inverse[e];
        for (int32_t i = 0; i < n; i++)
            d->gradient[i] = w[i] - barrier * d->inverse[(size_t)i * (size_t)n + (size_t)i];
        if (!factor(d->hessian, n))
            break;
        solve(d->hessian, n, d->gradient, d->step);
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
