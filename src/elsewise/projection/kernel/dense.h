/* Small dense linear algebra, in loops that vectorise under strict IEEE arithmetic: sums run along contiguous rows or
 * in eight fixed partial sums, so the result does not depend on the batch, the thread or the alignment. Systems here
 * have 5 to 100 unknowns, where the overhead of a BLAS call costs more than the call does. */
#ifndef ELSEWISE_DENSE_H
#define ELSEWISE_DENSE_H

#include <math.h>
#include <stddef.h>

#include "constants.h"

static inline double dot(ptrdiff_t n, const double *restrict a, const double *restrict b) {
    double sum[8] = {0};
    ptrdiff_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (int k = 0; k < 8; k++) sum[k] += a[i + k] * b[i + k];
    double rest = 0;
    for (; i < n; i++) rest += a[i] * b[i];
    return (((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7]))) + rest;
}

/* y += a x */
static inline void axpy(ptrdiff_t n, double a, const double *restrict x, double *restrict y) {
    for (ptrdiff_t i = 0; i < n; i++) y[i] += a * x[i];
}

/* y += a x and z += b x */
static inline void axpy_two(ptrdiff_t n, double a, double b, const double *restrict x, double *restrict y,
                            double *restrict z) {
    for (ptrdiff_t i = 0; i < n; i++) {
        double xi = x[i];
        y[i] += a * xi;
        z[i] += b * xi;
    }
}

static inline double max_abs(ptrdiff_t n, const double *x) {
    double m = 0;
    for (ptrdiff_t i = 0; i < n; i++) m = fmax(m, fabs(x[i]));
    return m;
}

/* Cholesky factor U of M = U'U in the upper triangle, in place, four pivots at a time. A pivot below `share` of its own
 * diagonal entry (kept in `diagonal`, whatever the units of the unknown) marks a direction without curvature beyond
 * rounding: no step is taken along it. Returns how many there are. */
static inline int cholesky(ptrdiff_t n, double *restrict M, double share, double *restrict diagonal) {
    int lifted = 0;
    for (ptrdiff_t j = 0; j < n; j++) diagonal[j] = M[j * (n + 1)];
    for (ptrdiff_t k = 0; k < n; k += 4) {
        ptrdiff_t stop = k + 4 < n ? k + 4 : n;
        for (ptrdiff_t j = k; j < stop; j++) {
            double *restrict U = M + j * n;
            for (ptrdiff_t i = k; i < j; i++) axpy(n - j, -M[i * n + j], M + i * n + j, U + j);
            int flat = !(U[j] > share * diagonal[j]);
            if (flat) { U[j] = DROPPED_PIVOT; lifted++; }
            double pivot = sqrt(U[j]), inverse = flat ? 0 : 1 / pivot;
            U[j] = pivot;
            for (ptrdiff_t i = j + 1; i < n; i++) U[i] *= inverse;
        }
        if (stop - k < 4) break;
        const double *restrict a = M + k * n, *restrict b = a + n, *restrict c = b + n, *restrict d = c + n;
        for (ptrdiff_t i = stop; i < n; i++) {
            double *restrict row = M + i * n;
            double ai = a[i], bi = b[i], ci = c[i], di = d[i];
            for (ptrdiff_t j = i; j < n; j++) row[j] -= (ai * a[j] + bi * b[j]) + (ci * c[j] + di * d[j]);
        }
    }
    return lifted;
}

/* x <- M^-1 x with the factor of cholesky(). */
static inline void cholesky_solve(ptrdiff_t n, const double *restrict U, double *restrict x) {
    for (ptrdiff_t k = 0; k < n; k++) {
        x[k] /= U[k * n + k];
        axpy(n - k - 1, -x[k], U + k * n + k + 1, x + k + 1);
    }
    for (ptrdiff_t k = n - 1; k >= 0; k--)
        x[k] = (x[k] - dot(n - k - 1, U + k * n + k + 1, x + k + 1)) / U[k * n + k];
}

/* The same for three right-hand sides at once: a division waits for the one before it in its own sum alone. */
static inline void cholesky_solve_three(ptrdiff_t n, const double *restrict U, double *restrict x, double *restrict y,
                                        double *restrict z) {
    for (ptrdiff_t k = 0; k < n; k++) {
        const double *restrict row = U + k * n;
        double pivot = row[k], a = x[k] /= pivot, b = y[k] /= pivot, c = z[k] /= pivot;
        for (ptrdiff_t j = k + 1; j < n; j++) {
            double u = row[j];
            x[j] -= a * u;
            y[j] -= b * u;
            z[j] -= c * u;
        }
    }
    for (ptrdiff_t k = n - 1; k >= 0; k--) {
        const double *row = U + k * n;
        ptrdiff_t rest = n - k - 1;
        x[k] = (x[k] - dot(rest, row + k + 1, x + k + 1)) / row[k];
        y[k] = (y[k] - dot(rest, row + k + 1, y + k + 1)) / row[k];
        z[k] = (z[k] - dot(rest, row + k + 1, z + k + 1)) / row[k];
    }
}

#endif
