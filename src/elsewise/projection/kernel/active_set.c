#include "active_set.h"

#include <math.h>
#include <string.h>

#include "multiversion.h"
#include "soc.h"

ptrdiff_t polish_size(ptrdiff_t n, ptrdiff_t rows, ptrdiff_t q) {
    ptrdiff_t active = rows < n + 1 ? rows : n + 1;
    return n * n + 2 * n * active + active * active + 8 * n + 6 * rows + 4 * (q + 1);
}

/* Smallest positive root of a x^2 + 2 b x + c = 0 that lies where c + b x changes from negative to positive. */
static double crossing(double a, double b, double c) {
    double root = b * b - a * c;
    if (!(root >= 0)) return -1;
    root = sqrt(root);
    double x = b > 0 ? -c / (b + root) : (a != 0 ? (root - b) / a : -1);
    return x;
}

MULTIVERSION
int polish(const subproblem *P, iterate *it, double tolerance) {
    ptrdiff_t n = P->n, q = P->q, rows = P->p + P->n_bounds, ns = 0, na = 0, limit = rows < n + 1 ? rows : n + 1;
    double *memory = it->polish_work;
    double *K = memory; memory += n * n;
    double *A = memory; memory += n * limit;     /* active rows on S: (na, ns) */
    double *Y = memory; memory += n * limit;     /* K^-1 A', stored by rows: (na, ns) */
    double *T = memory; memory += limit * limit; /* A K^-1 A' */
    double *e = memory; memory += n;
    double *V0 = memory; memory += n;
    double *V1 = memory; memory += n;
    double *r = memory; memory += n;
    double *v = memory; memory += n;
    double *m0 = memory; memory += rows;
    double *m1 = memory; memory += rows;
    double *z = memory; memory += rows;
    double *R0 = memory; memory += q + 1;
    double *R1 = memory; memory += q + 1;
    double *y = memory; memory += q + 1;
    int64_t *S = it->polish_index, *active = S + n;

    double total = 0;
    for (ptrdiff_t i = 0; i < n; i++) total += it->p[i] + it->m[i];
    for (ptrdiff_t i = 0; i < n; i++) {
        double moved = fabs(it->p[i] - it->m[i]) * it->tau, rest = fmin(it->zp[i], it->zm[i]) * total;
        if (moved <= rest) continue;
        e[ns] = it->p[i] > it->m[i] ? 1 : -1;
        S[ns++] = i;
    }
    for (ptrdiff_t i = 0; i < rows; i++) {
        if (it->z[i] <= it->s[i]) continue;
        if (na == limit) return 0;
        active[na++] = i;
    }
    int cone = 0;
    if (P->has_cone) {
        double radial = sqrt(dot(q, it->sc + 1, it->sc + 1));
        cone = it->y[0] > it->sc[0] - radial;
    }
    if (ns == 0 || (!cone && ns != na) || (cone && ns > q + na)) return 0;

    /* K = F'F - h1 h1' + A'A on S (adding A'A changes nothing where A v = b, and makes K definite) */
    for (ptrdiff_t a = 0; a < na; a++) {
        if (active[a] < P->p)
            for (ptrdiff_t i = 0; i < ns; i++) A[a * ns + i] = P->A[active[a] * n + S[i]];
        else
            for (ptrdiff_t i = 0; i < ns; i++)
                A[a * ns + i] = S[i] == P->bound_feature[active[a] - P->p] ? P->bound_sign[active[a] - P->p] : 0;
    }
    for (ptrdiff_t i = 0; i < ns; i++) {
        for (ptrdiff_t j = i; j < ns; j++) {
            K[i * ns + j] = cone ? P->gram[S[i] * n + S[j]] : 0;
            if (cone && P->has_tilt) K[i * ns + j] -= P->h1[S[i]] * P->h1[S[j]];
        }
        for (ptrdiff_t a = 0; a < na; a++) axpy(ns - i, A[a * ns + i], A + a * ns + i, K + i * ns + i);
        V0[i] = 0;
        if (cone) V0[i] = -dot(q, P->Ft + S[i] * q, P->k + 1) + (P->has_tilt ? P->k[0] * P->h1[S[i]] : 0);
        for (ptrdiff_t a = 0; a < na; a++) V0[i] += A[a * ns + i] * P->h[active[a]];
        V1[i] = e[i];
    }
    if (cholesky(ns, K, 1e-13, v)) return 0;
    cholesky_solve(ns, K, V0);
    cholesky_solve(ns, K, V1);
    if (na) {
        memcpy(Y, A, (size_t)(na * ns) * sizeof *Y);
        for (ptrdiff_t a = 0; a < na; a++) cholesky_solve(ns, K, Y + a * ns);
        for (ptrdiff_t a = 0; a < na; a++) {
            for (ptrdiff_t b = a; b < na; b++) T[a * na + b] = dot(ns, A + a * ns, Y + b * ns);
            m0[a] = dot(ns, A + a * ns, V0) - P->h[active[a]];
            m1[a] = dot(ns, A + a * ns, V1);
        }
        if (cholesky(na, T, 1e-13, z)) return 0;
        cholesky_solve(na, T, m0);
        cholesky_solve(na, T, m1);
        for (ptrdiff_t a = 0; a < na; a++) {
            axpy(ns, -m0[a], Y + a * ns, V0);
            axpy(ns, -m1[a], Y + a * ns, V1);
        }
    }

    /* the cone's quadratic in eta: ||R0 - eta R1||^2 = (R0[0] - eta R1[0])^2 */
    double eta = 0;
    if (cone) {
        memset(R0, 0, (size_t)(q + 1) * sizeof *R0);
        memset(R1, 0, (size_t)(q + 1) * sizeof *R1);
        memcpy(R0, P->k, (size_t)(q + 1) * sizeof *R0);
        for (ptrdiff_t i = 0; i < ns; i++) {
            axpy(q, V0[i], P->Ft + S[i] * q, R0 + 1);
            axpy(q, V1[i], P->Ft + S[i] * q, R1 + 1);
            if (P->has_tilt) {
                R0[0] += V0[i] * P->h1[S[i]];
                R1[0] += V1[i] * P->h1[S[i]];
            }
        }
        eta = crossing(dot(q, R1 + 1, R1 + 1) - R1[0] * R1[0], R0[0] * R1[0] - dot(q, R0 + 1, R1 + 1),
                       dot(q, R0 + 1, R0 + 1) - R0[0] * R0[0]);
        if (!(eta > 0) || !isfinite(eta)) return 0;
    }
    memset(v, 0, (size_t)n * sizeof *v);
    memset(z, 0, (size_t)rows * sizeof *z);
    double objective = 0;
    for (ptrdiff_t i = 0; i < ns; i++) {
        v[S[i]] = V0[i] - eta * V1[i];
        if (v[S[i]] * e[i] < 0) return 0;
        objective += fabs(v[S[i]]);
    }
    for (ptrdiff_t a = 0; a < na; a++) {
        double lambda = cone ? m0[a] / eta - m1[a] : -m1[a];
        if (lambda < 0) return 0;
        z[active[a]] = lambda;
    }
    if (cone) {
        for (ptrdiff_t j = 0; j <= q; j++) y[j] = (R0[j] - eta * R1[j]) / eta;
        for (ptrdiff_t j = 1; j <= q; j++) y[j] = -y[j];
        y[0] = sqrt(dot(q, y + 1, y + 1));
    } else {
        memset(y, 0, (size_t)(q + 1) * sizeof *y);
    }

    /* certificate: all rows hold, every other feature is dual feasible, the gap closes */
    memset(r, 0, (size_t)n * sizeof *r);
    double beta = 0;
    for (ptrdiff_t i = 0; i < P->p; i++) {
        double slack = P->h[i] - dot(n, P->A + i * n, v);
        if (slack < -0.05 * fmax(P->slack[i], 1e-9)) return 0;
        axpy(n, z[i], P->A + i * n, r);
        beta -= z[i] * P->h[i];
    }
    for (ptrdiff_t i = 0; i < P->n_bounds; i++) {
        double slack = P->h[P->p + i] - P->bound_sign[i] * v[P->bound_feature[i]];
        if (slack < -1e-9) return 0;
        r[P->bound_feature[i]] += P->bound_sign[i] * z[P->p + i];
        beta -= z[P->p + i] * P->h[P->p + i];
    }
    if (P->has_cone) {
        double length = 0, right = P->k[0];
        memcpy(R0 + 1, P->k + 1, (size_t)q * sizeof *R0);
        for (ptrdiff_t i = 0; i < ns; i++) axpy(q, v[S[i]], P->Ft + S[i] * q, R0 + 1);
        if (P->has_tilt) right += dot(n, P->h1, v);
        length = sqrt(dot(q, R0 + 1, R0 + 1));
        if (length - right > 0.05 * fmax(P->cone_slack, 1e-9)) return 0;
        if (cone)
            for (ptrdiff_t i = 0; i < n; i++) r[i] -= dot(q, P->Ft + i * q, y + 1) + (P->has_tilt ? P->h1[i] * y[0] : 0);
        beta -= dot(q + 1, P->k, y);
    }
    double size = max_abs(n, r);
    if (!(objective - beta / size <= tolerance * objective)) return 0;

    for (ptrdiff_t i = 0; i < n; i++) {
        it->p[i] = fmax(v[i], 0);
        it->m[i] = fmax(-v[i], 0);
        it->zp[i] = fmax(1 + r[i], 0);
        it->zm[i] = fmax(1 - r[i], 0);
    }
    memcpy(it->v, v, (size_t)n * sizeof *v);
    memcpy(it->z, z, (size_t)rows * sizeof *z);
    if (P->has_cone) memcpy(it->y, y, (size_t)(q + 1) * sizeof *y);
    it->tau = 1;
    it->kappa = 0;
    return 1;
}
