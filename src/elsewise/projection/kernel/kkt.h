/* The linear systems of the interior point method, and the memory it works in. Symbols as in interior_point.h; w and
 * eta are the scaling of the cone in soc.h. */
#ifndef ELSEWISE_KKT_H
#define ELSEWISE_KKT_H

#include <string.h>

#include "interior_point.h"
#include "soc.h"

/* Named pieces of the scratch memory. */
typedef struct {
    double *M, *D, *u;                   /* system, its diagonal part, cone column */
    double *res_x, *res_s, *res_c;       /* residuals: of the gradient (norm 2), of G v + s = h, of s_c = H v + k */
    double *rhs_p, *rhs_m, *r1, *r2, *r2c; /* right-hand sides: of p and m, and of the three blocks */
    double *v1, *z1, *y1, *v2, *z2, *y2; /* directions: d = d1 + dtau d2 */
    double *dp, *dm, *dzp, *dzm, *ds, *dsc, dtau, dkappa;
    double *corr_p, *corr_m, *corr_s, *corr_c, corr_k; /* second-order terms of the corrector */
    double *w, *lam, eta;                /* scaling point and factor, scaled variable of the cone */
    double *ex, *es, *ec;                /* residuals of a linear system, for refinement */
    double *t1, *t2, *t3;                /* temporaries, (q + 1,), (q + 1,), (n,) */
    int refinements;                     /* of every linear system */
} scratch;

/* Cut `count` numbers off the memory. */
static inline double *take(double **memory, ptrdiff_t count) {
    double *taken = *memory;
    *memory += count;
    return taken;
}

static inline void scratch_bind(scratch *c, double *memory, ptrdiff_t n, ptrdiff_t linear, ptrdiff_t q) {
    double **vectors_n[] = {&c->D, &c->u, &c->res_x, &c->rhs_p, &c->rhs_m, &c->r1, &c->v1, &c->v2, &c->dp, &c->dm,
                            &c->dzp, &c->dzm, &c->corr_p, &c->corr_m, &c->ex, &c->t3};
    double **vectors_s[] = {&c->res_s, &c->r2, &c->z1, &c->z2, &c->ds, &c->corr_s, &c->es};
    double **vectors_c[] = {&c->res_c, &c->r2c, &c->y1, &c->y2, &c->dsc, &c->corr_c, &c->w, &c->lam, &c->t1, &c->t2,
                            &c->ec};
    c->M = take(&memory, n * n);
    for (size_t i = 0; i < sizeof vectors_n / sizeof *vectors_n; i++) *vectors_n[i] = take(&memory, n);
    for (size_t i = 0; i < sizeof vectors_s / sizeof *vectors_s; i++) *vectors_s[i] = take(&memory, linear);
    for (size_t i = 0; i < sizeof vectors_c / sizeof *vectors_c; i++) *vectors_c[i] = take(&memory, q + 1);
}

/* out = G v */
static inline void linear_times(const subproblem *P, const double *v, double *out) {
    for (ptrdiff_t i = 0; i < P->p; i++) out[i] = dot(P->n, P->A + i * P->n, v);
    for (ptrdiff_t i = 0; i < P->n_bounds; i++) out[P->p + i] = P->bound_sign[i] * v[P->bound_feature[i]];
}

/* out += G' z */
static inline void add_linear_transposed(const subproblem *P, const double *z, double *out) {
    for (ptrdiff_t i = 0; i < P->p; i++) axpy(P->n, z[i], P->A + i * P->n, out);
    for (ptrdiff_t i = 0; i < P->n_bounds; i++) out[P->bound_feature[i]] += P->bound_sign[i] * z[P->p + i];
}

/* out = H v */
static inline void cone_times(const subproblem *P, const double *v, double *out) {
    memset(out, 0, (size_t)(P->q + 1) * sizeof *out);
    for (ptrdiff_t i = 0; i < P->n; i++) axpy(P->q, v[i], P->Ft + i * P->q, out + 1);
    if (P->has_tilt) out[0] = dot(P->n, P->h1, v);
}

/* out -= H' y */
static inline void subtract_cone_transposed(const subproblem *P, const double *y, double *out) {
    for (ptrdiff_t i = 0; i < P->n; i++) out[i] -= dot(P->q, P->Ft + i * P->q, y + 1);
    if (P->has_tilt) axpy(P->n, -y[0], P->h1, out);
}

/* M = diag(D) + A'(z/s)A + bounds + eta^-2 (F'F - h1 h1' + 2 u u'),   u = h1 w0 - F'w1 */
static inline void assemble(const subproblem *P, const iterate *it, scratch *c) {
    ptrdiff_t n = P->n;
    double *M = c->M;
    if (P->has_cone) {
        double e = 1 / (c->eta * c->eta);
        memset(c->u, 0, (size_t)n * sizeof *c->u);
        c->t1[0] = -c->w[0];
        memcpy(c->t1 + 1, c->w + 1, (size_t)P->q * sizeof *c->t1);
        subtract_cone_transposed(P, c->t1, c->u);
        for (ptrdiff_t i = 0; i < n; i++) {
            double *row = M + i * n, ui = 2 * e * c->u[i];
            const double *gram = P->gram + i * n;
            for (ptrdiff_t j = i; j < n; j++) row[j] = e * gram[j] + ui * c->u[j];
            if (P->has_tilt) axpy(n - i, -e * P->h1[i], P->h1 + i, row + i);
        }
    } else {
        memset(M, 0, (size_t)(n * n) * sizeof *M);
    }
    for (ptrdiff_t r = 0; r < P->p; r++) {
        const double *a = P->A + r * n;
        double d = it->z[r] / it->s[r];
        for (ptrdiff_t i = 0; i < n; i++)
            if (a[i] != 0) axpy(n - i, d * a[i], a + i, M + i * n + i);
    }
    for (ptrdiff_t b = 0; b < P->n_bounds; b++)
        M[P->bound_feature[b] * (n + 1)] += it->z[P->p + b] / it->s[P->p + b];
    for (ptrdiff_t i = 0; i < n; i++) M[i * (n + 1)] += c->D[i];
}

/* Solve   D dv + G'dz - H'dy = r1,   G dv - (s/z) dz = r2,   -H dv - W^2 dy = r2c   by elimination of dz and dy. */
static inline void eliminate(const subproblem *P, const iterate *it, scratch *c, const double *r1, const double *r2,
                             const double *r2c, double *dv, double *dz, double *dy) {
    ptrdiff_t linear = n_linear(P);
    memcpy(dv, r1, (size_t)P->n * sizeof *dv);
    for (ptrdiff_t i = 0; i < linear; i++) dz[i] = it->z[i] / it->s[i] * r2[i];
    add_linear_transposed(P, dz, dv);
    if (P->has_cone) {
        soc_square_inverse(P->q, c->w, c->eta, r2c, dy);
        subtract_cone_transposed(P, dy, dv);
    }
    cholesky_solve(P->n, c->M, dv);
    linear_times(P, dv, dz);
    for (ptrdiff_t i = 0; i < linear; i++) dz[i] = it->z[i] / it->s[i] * (dz[i] - r2[i]);
    if (P->has_cone) {
        cone_times(P, dv, c->t1);
        for (ptrdiff_t i = 0; i <= P->q; i++) c->t1[i] = -c->t1[i] - r2c[i];
        soc_square_inverse(P->q, c->w, c->eta, c->t1, dy);
    }
}

/* The same, refined on the residual of the full system. */
static inline void solve_kkt(const subproblem *P, const iterate *it, scratch *c, const double *r1, const double *r2,
                             const double *r2c, double *dv, double *dz, double *dy) {
    ptrdiff_t n = P->n, linear = n_linear(P);
    eliminate(P, it, c, r1, r2, r2c, dv, dz, dy);
    for (int pass = 0; pass < c->refinements; pass++) {
        double *ex = c->ex, *es = c->es, *ec = c->ec;
        memset(ex, 0, (size_t)n * sizeof *ex);
        add_linear_transposed(P, dz, ex);
        if (P->has_cone) {
            subtract_cone_transposed(P, dy, ex);
            cone_times(P, dv, ec);
            soc_square(P->q, c->w, c->eta, dy, c->t1);
            for (ptrdiff_t i = 0; i <= P->q; i++) ec[i] = r2c[i] + ec[i] + c->t1[i];
        }
        for (ptrdiff_t i = 0; i < n; i++) ex[i] = r1[i] - c->D[i] * dv[i] - ex[i];
        linear_times(P, dv, es);
        for (ptrdiff_t i = 0; i < linear; i++) es[i] = r2[i] - es[i] + it->s[i] / it->z[i] * dz[i];
        eliminate(P, it, c, ex, es, ec, c->t3, c->ds, c->t2);
        for (ptrdiff_t i = 0; i < n; i++) dv[i] += c->t3[i];
        for (ptrdiff_t i = 0; i < linear; i++) dz[i] += c->ds[i];
        if (P->has_cone)
            for (ptrdiff_t i = 0; i <= P->q; i++) dy[i] += c->t2[i];
    }
}

#endif
