/* The second-order cone { (x0, x1) : ||x1|| <= x0 } in q + 1 dimensions and its Nesterov-Todd scaling
 *
 *     W = eta [ w0   w1' ; w1   I + w1 w1' / (1 + w0) ],   W^2 = eta^2 (2 w w' - J),   J = diag(1, -1, ..., -1),
 *
 * the symmetric matrix with W y = W^-1 s for given interior points s and y. */
#ifndef ELSEWISE_SOC_H
#define ELSEWISE_SOC_H

#include "dense.h"

/* x0^2 - ||x1||^2, written as a product so that it keeps its digits near the boundary. */
static inline double soc_det(ptrdiff_t q, const double *x) {
    double r = sqrt(dot(q, x + 1, x + 1));
    return (x[0] - r) * (x[0] + r);
}

/* Scaling point w (unit determinant) and eta of s and y; returns 0 if either is not interior. */
static inline int soc_scaling(ptrdiff_t q, const double *s, const double *y, double *w, double *eta) {
    double ds = soc_det(q, s), dy = soc_det(q, y);
    if (!(ds > 0) || !(dy > 0)) return 0;
    double rs = 1 / sqrt(ds), ry = 1 / sqrt(dy);
    double gamma = sqrt(0.5 * (1 + dot(q + 1, s, y) * rs * ry));
    double a = rs / (2 * gamma), b = ry / (2 * gamma);
    w[0] = a * s[0] + b * y[0];
    for (ptrdiff_t i = 1; i <= q; i++) w[i] = a * s[i] - b * y[i];
    *eta = sqrt(sqrt(ds / dy));
    return 1;
}

/* out = W x (direction = 1) or W^-1 x (direction = -1) */
static inline void soc_apply(ptrdiff_t q, const double *w, double eta, int direction, const double *x, double *out) {
    double scale = direction > 0 ? eta : 1 / eta, d = direction;
    double wx = dot(q, w + 1, x + 1), along = d * x[0] + wx / (1 + w[0]);
    double first = w[0] * x[0] + d * wx;
    for (ptrdiff_t i = 1; i <= q; i++) out[i] = scale * (x[i] + along * w[i]);
    out[0] = scale * first;
}

/* out = W^2 x = eta^2 (2 (w'x) w - J x) */
static inline void soc_square(ptrdiff_t q, const double *w, double eta, const double *x, double *out) {
    double e = eta * eta, wx = 2 * dot(q + 1, w, x);
    double first = e * (wx * w[0] - x[0]);
    for (ptrdiff_t i = 1; i <= q; i++) out[i] = e * (wx * w[i] + x[i]);
    out[0] = first;
}

/* out = W^-2 x = eta^-2 (2 (w'J x) J w - J x) */
static inline void soc_square_inverse(ptrdiff_t q, const double *w, double eta, const double *x, double *out) {
    double e = 1 / (eta * eta), wx = 2 * (w[0] * x[0] - dot(q, w + 1, x + 1));
    double first = e * (wx * w[0] - x[0]);
    for (ptrdiff_t i = 1; i <= q; i++) out[i] = e * (x[i] - wx * w[i]);
    out[0] = first;
}

/* Jordan product out = a o b = (a'b, a0 b1 + b0 a1) */
static inline void soc_product(ptrdiff_t q, const double *a, const double *b, double *out) {
    double first = dot(q + 1, a, b), a0 = a[0], b0 = b[0];
    for (ptrdiff_t i = 1; i <= q; i++) out[i] = a0 * b[i] + b0 * a[i];
    out[0] = first;
}

/* out solves a o out = b */
static inline void soc_divide(ptrdiff_t q, const double *a, const double *b, double *out) {
    double first = (a[0] * b[0] - dot(q, a + 1, b + 1)) / soc_det(q, a);
    for (ptrdiff_t i = 1; i <= q; i++) out[i] = (b[i] - first * a[i]) / a[0];
    out[0] = first;
}

/* Largest t with x + t d in the cone, for interior x; at most `limit`. */
static inline double soc_step(ptrdiff_t q, const double *x, const double *d, double limit) {
    double a = d[0] * d[0] - dot(q, d + 1, d + 1), b = x[0] * d[0] - dot(q, x + 1, d + 1), c = soc_det(q, x);
    double t = limit;
    if (d[0] < 0) t = fmin(t, -x[0] / d[0]);
    double disc = b * b - a * c;
    if (a < 0 || (b < 0 && disc >= 0)) {
        /* a t^2 + 2 b t + c = 0, without cancellation */
        double root = sqrt(fmax(disc, 0)), big = b < 0 ? -b + root : -b - root;
        double t1 = big != 0 ? c / big : limit, t2 = a != 0 ? big / a : limit;
        if (t1 > 0) t = fmin(t, t1);
        if (t2 > 0) t = fmin(t, t2);
    }
    return t;
}

#endif
