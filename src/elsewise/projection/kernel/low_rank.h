/* Cones whose Gram matrix is a diagonal less a few directions,  F'F = diag(D) - U U',  U of shape (n, r): what a density
 * of many features has whose covariances are of low rank plus noise, and with r = 0 one of independent features. On moving
 * features S, K = D_S - U_S U_S' has the inverse (Woodbury)
 *
 *     K^-1 = D_S^-1 + D_S^-1 U_S M^-1 U_S' D_S^-1,    M = I - U_S' D_S^-1 U_S,
 *
 * so that paths take O(n r + r^3) a step in place of O(n k + k^3) for k moving features. Whatever they end at is judged
 * with F itself. */
#ifndef ELSEWISE_LOW_RANK_H
#define ELSEWISE_LOW_RANK_H

#include <stdint.h>
#include <string.h>

#include "dense.h"

typedef struct {
    ptrdiff_t n, r;
    const double *D, *U;      /* (n,), (n, r) */
    double *M, *t, *diagonal; /* (r, r), (r,), (r,): scratch; M holds the factor for the present moving features */
    double *pull;             /* (n,): F'g */
} low_rank;

/* Memory of the scratch in doubles. */
static inline ptrdiff_t low_rank_size(ptrdiff_t n, ptrdiff_t r) { return r * r + 2 * r + n; }

/* t = U_S' x */
static inline void low_rank_gather(const low_rank *L, ptrdiff_t k, const int64_t *S, const double *x) {
    memset(L->t, 0, (size_t)L->r * sizeof *L->t);
    for (ptrdiff_t i = 0; i < k; i++) axpy(L->r, x[i], L->U + S[i] * L->r, L->t);
}

/* out = F'F x, for x that is zero outside of the features S; (n,). */
static inline void low_rank_times(const low_rank *L, ptrdiff_t k, const int64_t *S, const double *x, double *out) {
    low_rank_gather(L, k, S, x);
    for (ptrdiff_t i = 0; i < L->n; i++) out[i] = -dot(L->r, L->U + i * L->r, L->t);
    for (ptrdiff_t i = 0; i < k; i++) out[S[i]] += L->D[S[i]] * x[i];
}

/* Factor M for the features S; 0 if K is singular. */
static inline int low_rank_factor(const low_rank *L, ptrdiff_t k, const int64_t *S, double share) {
    ptrdiff_t r = L->r;
    memset(L->M, 0, (size_t)(r * r) * sizeof *L->M);
    for (ptrdiff_t a = 0; a < r; a++) L->M[a * (r + 1)] = 1;
    for (ptrdiff_t i = 0; i < k; i++) {
        const double *u = L->U + S[i] * r;
        double inverse = 1 / L->D[S[i]];
        for (ptrdiff_t a = 0; a < r; a++) axpy(r - a, -u[a] * inverse, u + a, L->M + a * r + a);
    }
    for (ptrdiff_t a = 0; a < r; a++)
        if (!(L->M[a * (r + 1)] > 0)) return 0;
    return cholesky(r, L->M, share, L->diagonal) == 0;
}

/* x <- K^-1 x */
static inline void low_rank_solve(const low_rank *L, ptrdiff_t k, const int64_t *S, double *x) {
    for (ptrdiff_t i = 0; i < k; i++) x[i] /= L->D[S[i]];
    low_rank_gather(L, k, S, x);
    cholesky_solve(L->r, L->M, L->t);
    for (ptrdiff_t i = 0; i < k; i++) x[i] += dot(L->r, L->U + S[i] * L->r, L->t) / L->D[S[i]];
}

#endif
