#include "homotopy.h"

#include <math.h>
#include <string.h>

#include "dense.h"
#include "multiversion.h"

ptrdiff_t homotopy_size(ptrdiff_t n, ptrdiff_t q) {
    ptrdiff_t most = n < q ? n : q;
    return most * most + 2 * n + 6 * most + q + 16;
}

/* Triangular factor of the Gram matrix of the moving features, K = U'U, grown by one feature; 0 if it is dependent. */
static inline int append(ptrdiff_t k, ptrdiff_t ld, double *U, const double *gram_row, const int64_t *moving, double diagonal,
                         double *column) {
    for (ptrdiff_t i = 0; i < k; i++) column[i] = gram_row[moving[i]];
    for (ptrdiff_t i = 0; i < k; i++) {
        column[i] /= U[i * ld + i];
        axpy(k - i - 1, -column[i], U + i * ld + i + 1, column + i + 1);
    }
    double pivot = diagonal - dot(k, column, column);
    if (!(pivot > 1e-12 * diagonal)) return 0;
    for (ptrdiff_t i = 0; i < k; i++) U[i * ld + k] = column[i];
    U[k * ld + k] = sqrt(pivot);
    return 1;
}

static inline void solve(ptrdiff_t k, ptrdiff_t ld, const double *U, double *x) {
    for (ptrdiff_t i = 0; i < k; i++) {
        x[i] /= U[i * ld + i];
        axpy(k - i - 1, -x[i], U + i * ld + i + 1, x + i + 1);
    }
    for (ptrdiff_t i = k - 1; i >= 0; i--)
        x[i] = (x[i] - dot(k - i - 1, U + i * ld + i + 1, x + i + 1)) / U[i * ld + i];
}

MULTIVERSION
ptrdiff_t homotopy(ptrdiff_t n, ptrdiff_t q, const double *Ft, const double *gram, const double *g, double h,
                   const int64_t *barred, double *work, int64_t *moving, double *v, double *y, int *steps) {
    ptrdiff_t most = n < q ? n : q, k = 0;
    double *U = work, *c = U + most * most, *a = c + n, *e = a + n, *x = e + most, *d = x + most, *column = d + most,
           *rho = column + most;
    double eta = 0, squared = dot(q, g, g);
    memset(v, 0, (size_t)n * sizeof *v);
    ptrdiff_t joins = -1;
    for (ptrdiff_t i = 0; i < n; i++) {
        c[i] = dot(q, Ft + i * q, g);
        if (fabs(c[i]) > eta && !(barred[i] & (c[i] > 0 ? BARRED_UP : BARRED_DOWN))) { eta = fabs(c[i]); joins = i; }
    }
    if (!(h > 0) || joins < 0) return -1;
    ptrdiff_t limit = 8 * most + 40;
    for (*steps = 0; *steps < limit; (*steps)++) {
        if (joins >= 0) {
            if (k == most || !append(k, most, U, gram + joins * n, moving, gram[joins * (n + 1)], column)) return -1;
            moving[k] = joins;
            e[k] = c[joins] > 0 ? 1 : -1;
            x[k++] = 0;
        }
        memcpy(d, e, (size_t)k * sizeof *d);
        solve(k, most, U, d);
        double curvature = dot(k, d, e);
        /* ||rho||^2 falls by 2 t eta d'e - t^2 d'e */
        double radicand = eta * eta - (squared - h * h) / curvature;
        double t = radicand >= 0 ? eta - sqrt(radicand) : HUGE_VAL;
        ptrdiff_t leaves = -1;
        int done = 1;
        memset(a, 0, (size_t)n * sizeof *a);
        for (ptrdiff_t i = 0; i < k; i++) axpy(n, d[i], gram + moving[i] * n, a);
        for (ptrdiff_t i = 0; i < k; i++) {
            a[moving[i]] = HUGE_VAL; /* marks the moving */
            double zero = -x[i] / d[i];
            if (x[i] != 0 && zero > 0 && zero < t) { t = zero; leaves = i; done = 0; }
        }
        joins = -1;
        for (ptrdiff_t j = 0; j < n; j++) {
            if (a[j] == HUGE_VAL) continue;
            double up = (eta - c[j]) / (1 - a[j]), down = (eta + c[j]) / (1 + a[j]);
            if (barred[j]) { up = barred[j] & BARRED_UP ? 0 : up; down = barred[j] & BARRED_DOWN ? 0 : down; }
            if (a[j] < 1 && up > 0 && up < t) { t = up; joins = j; leaves = -1; done = 0; }
            if (a[j] > -1 && down > 0 && down < t) { t = down; joins = j; leaves = -1; done = 0; }
        }
        if (!(t < eta)) return -1;
        if (done) break;
        squared -= t * curvature * (2 * eta - t);
        eta -= t;
        for (ptrdiff_t i = 0; i < k; i++) {
            x[i] += t * d[i];
            a[moving[i]] = 0;
            c[moving[i]] = eta * e[i];
        }
        for (ptrdiff_t j = 0; j < n; j++)
            if (a[j] != 0) c[j] -= t * a[j];
        if (joins >= 0) c[joins] = c[joins] > 0 ? eta : -eta;
        if (leaves >= 0) {
            for (ptrdiff_t i = leaves; i + 1 < k; i++) { moving[i] = moving[i + 1]; e[i] = e[i + 1]; x[i] = x[i + 1]; }
            k--;
            for (ptrdiff_t i = leaves; i < k; i++) {
                const int64_t at = moving[i];
                if (!append(i, most, U, gram + at * n, moving, gram[at * (n + 1)], column)) return -1;
            }
        }
    }
    if (*steps == limit) return -1;

    /* The last piece afresh: v = K^-1 F'g - eta K^-1 e, with eta from ||rho||^2 = h^2. */
    for (ptrdiff_t i = 0; i < k; i++) x[i] = dot(q, Ft + moving[i] * q, g);
    solve(k, most, U, x);
    memcpy(rho, g, (size_t)q * sizeof *rho);
    for (ptrdiff_t i = 0; i < k; i++) axpy(q, -x[i], Ft + moving[i] * q, rho);
    double rest = h * h - dot(q, rho, rho);
    if (!(rest > 0)) return -1;
    eta = sqrt(rest / dot(k, d, e)); /* rho is orthogonal to the moving columns */
    memcpy(rho, g, (size_t)q * sizeof *rho);
    for (ptrdiff_t i = 0; i < k; i++) {
        double value = x[i] - eta * d[i];
        if (!(value * e[i] >= 0)) return -1;
        v[moving[i]] = value;
        axpy(q, -value, Ft + moving[i] * q, rho);
    }
    for (ptrdiff_t j = 0; j < q; j++) y[j + 1] = rho[j] / eta;
    y[0] = sqrt(dot(q, y + 1, y + 1));
    return k;
}
