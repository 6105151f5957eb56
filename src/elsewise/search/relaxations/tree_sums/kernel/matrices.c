#include "matrices.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "multiversion.h"

/* Divide row k from its diagonal on by a root, and take its square from the rows below. */
static inline void eliminate(double *A, size_t n, size_t k, double root)
{
    double *restrict of_k = A + k * n;
    for (size_t j = k; j < n; j++)
        of_k[j] /= root;
    for (size_t i = k + 1; i < n; i++) {
        double *restrict of_i = A + i * n;
        const double a = of_k[i];
        for (size_t j = i; j < n; j++)
            of_i[j] -= a * of_k[j];
    }
}

MULTIVERSION
int ew_factor(double *A, int32_t count)
{
    const size_t n = (size_t)count;
    for (size_t k = 0; k < n; k++) {
        const double pivot = A[k * n + k];
        if (!(pivot > 0.0) || isinf(pivot))
            return 0;
        eliminate(A, n, k, sqrt(pivot));
    }
    return 1;
}

MULTIVERSION
void ew_factor_lifted(double *A, int32_t count, double least, double *room)
{
    const size_t n = (size_t)count;
    for (size_t k = 0; k < n; k++)
        room[k] = least * A[k * n + k];
    for (size_t k = 0; k < n; k++) {
        const double pivot = A[k * n + k];
        A[k * n + k] = pivot > room[k] ? pivot : room[k] + 1e-300;
        eliminate(A, n, k, sqrt(A[k * n + k]));
    }
}

MULTIVERSION
void ew_solve(const double *U, int32_t count, const double *b, double *x)
{
    const size_t n = (size_t)count;
    memcpy(x, b, sizeof(double) * n);
    for (size_t k = 0; k < n; k++) {
        const double *restrict of_k = U + k * n;
        x[k] /= of_k[k];
        const double t = x[k];
        for (size_t j = k + 1; j < n; j++)
            x[j] -= t * of_k[j];
    }
    for (size_t k = n; k-- > 0;) {
        double t = x[k];
        for (size_t j = k + 1; j < n; j++)
            t -= U[k * n + j] * x[j];
        x[k] = t / U[k * n + k];
    }
}

MULTIVERSION
void ew_invert(const double *U, int32_t count, double *room, double *inverse)
{
    const size_t n = (size_t)count;
    memset(room, 0, sizeof(double) * n * n);
    for (size_t i = 0; i < n; i++) { /* the inverse of U', row by row of its lower triangle */
        double *restrict of_i = room + i * n;
        of_i[i] = 1.0;
        for (size_t k = 0; k < i; k++) {
            const double *restrict of_k = room + k * n;
            const double a = U[k * n + i];
            for (size_t j = 0; j <= k; j++)
                of_i[j] -= a * of_k[j];
        }
        for (size_t j = 0; j <= i; j++)
            of_i[j] /= U[i * n + i];
    }
    memset(inverse, 0, sizeof(double) * n * n);
    for (size_t k = 0; k < n; k++) {
        const double *restrict of_k = room + k * n;
        for (size_t i = 0; i <= k; i++) {
            double *restrict out = inverse + i * n;
            const double a = of_k[i];
            for (size_t j = 0; j <= i; j++)
                out[j] += a * of_k[j];
        }
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            inverse[i * n + j] = inverse[j * n + i];
}

MULTIVERSION
void ew_multiply(const double *A, int32_t count, const double *y, double *out)
{
    const size_t n = (size_t)count;
    memset(out, 0, sizeof(double) * n);
    for (size_t i = 0; i < n; i++) {
        const double *restrict of_i = A + i * n;
        const double t = y[i];
        for (size_t j = 0; j < n; j++)
            out[j] += t * of_i[j];
    }
}
