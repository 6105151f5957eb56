#include "interior_point.h"

#include <string.h>

#include "active_set.h"
#include "projection.h"
#include "multiversion.h"
#include "soc.h"

enum { MAX_ITERATIONS = 80, REFINEMENTS = 1 };
/* GOOD_ENOUGH: violation as a share of the margin, and gap as a share of ten tolerances, that is accepted when rounding
 * ends the progress. */
static const double STEP_FRACTION = 0.99, POLISH_FROM = 0.1, GOOD_ENOUGH = 0.5;

/* Named pieces of the scratch memory. */
typedef struct {
    double *M, *D, *u;                 /* system, its diagonal part, cone column */
    double *res_x, *res_s, *res_c;     /* linear residuals; res_x is for r - (zp - zm)/2 style split below */
    double *rhs_p, *rhs_m, *r1, *r2, *r2c;
    double *v1, *z1, *y1, *v2, *z2, *y2; /* directions: d = d1 + dtau d2 */
    double *dp, *dm, *dzp, *dzm, *ds, *dsc;
    double *corr_p, *corr_m, *corr_s, *corr_c;
    double *w, *lam, *t1, *t2, *t3;      /* scaling point, scaled variable, temporaries */
    double *ex, *es, *ec;                /* refinement residuals and updates */
    double eta;
} scratch;

ptrdiff_t iterate_size(ptrdiff_t n, ptrdiff_t rows, ptrdiff_t q) {
    return n * n + 32 * n + 14 * rows + 18 * (q + 1);
}

static double *take(double **memory, ptrdiff_t count) {
    double *mine = *memory;
    *memory += count;
    return mine;
}

double *iterate_bind(iterate *it, double *memory, ptrdiff_t n, ptrdiff_t rows, ptrdiff_t q) {
    double **vectors_n[] = {&it->p, &it->m, &it->zp, &it->zm, &it->v, &it->r};
    for (size_t i = 0; i < sizeof vectors_n / sizeof *vectors_n; i++) *vectors_n[i] = take(&memory, n);
    it->s = take(&memory, rows);
    it->z = take(&memory, rows);
    it->sc = take(&memory, q + 1);
    it->y = take(&memory, q + 1);
    it->best = take(&memory, 6 * n + 2 * rows + 2 * (q + 1));
    it->work = memory;
    return memory;
}

static void scratch_bind(scratch *c, double *memory, ptrdiff_t n, ptrdiff_t rows, ptrdiff_t q) {
    double **vectors_n[] = {&c->D, &c->u, &c->res_x, &c->rhs_p, &c->rhs_m, &c->r1, &c->v1, &c->v2, &c->dp, &c->dm,
                            &c->dzp, &c->dzm, &c->corr_p, &c->corr_m, &c->ex, &c->t3};
    double **vectors_s[] = {&c->res_s, &c->r2, &c->z1, &c->z2, &c->ds, &c->corr_s, &c->es};
    double **vectors_c[] = {&c->res_c, &c->r2c, &c->y1, &c->y2, &c->dsc, &c->corr_c, &c->w, &c->lam, &c->t1, &c->t2,
                            &c->ec};
    c->M = take(&memory, n * n);
    for (size_t i = 0; i < sizeof vectors_n / sizeof *vectors_n; i++) *vectors_n[i] = take(&memory, n);
    for (size_t i = 0; i < sizeof vectors_s / sizeof *vectors_s; i++) *vectors_s[i] = take(&memory, rows);
    for (size_t i = 0; i < sizeof vectors_c / sizeof *vectors_c; i++) *vectors_c[i] = take(&memory, q + 1);
}

/* out = G v */
static inline void rows_times(const subproblem *P, const double *v, double *out) {
    for (ptrdiff_t i = 0; i < P->p; i++) out[i] = dot(P->n, P->A + i * P->n, v);
    for (ptrdiff_t i = 0; i < P->n_bounds; i++) out[P->p + i] = P->bound_sign[i] * v[P->bound_feature[i]];
}

/* out += G' z */
static inline void add_rows_transposed(const subproblem *P, const double *z, double *out) {
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
    ptrdiff_t rows = P->p + P->n_bounds;
    memcpy(dv, r1, (size_t)P->n * sizeof *dv);
    for (ptrdiff_t i = 0; i < rows; i++) dz[i] = it->z[i] / it->s[i] * r2[i];
    add_rows_transposed(P, dz, dv);
    if (P->has_cone) {
        soc_square_inverse(P->q, c->w, c->eta, r2c, dy);
        subtract_cone_transposed(P, dy, dv);
    }
    cholesky_solve(P->n, c->M, dv);
    rows_times(P, dv, dz);
    for (ptrdiff_t i = 0; i < rows; i++) dz[i] = it->z[i] / it->s[i] * (dz[i] - r2[i]);
    if (P->has_cone) {
        cone_times(P, dv, c->t1);
        for (ptrdiff_t i = 0; i <= P->q; i++) c->t1[i] = -c->t1[i] - r2c[i];
        soc_square_inverse(P->q, c->w, c->eta, c->t1, dy);
    }
}

/* The same, refined once on the residual of the full system: without it most instances stop near 1e-7. */
static inline void solve_kkt(const subproblem *P, const iterate *it, scratch *c, const double *r1, const double *r2,
                             const double *r2c, double *dv, double *dz, double *dy) {
    ptrdiff_t n = P->n, rows = P->p + P->n_bounds;
    eliminate(P, it, c, r1, r2, r2c, dv, dz, dy);
    for (int pass = 0; pass < REFINEMENTS; pass++) {
        double *ex = c->ex, *es = c->es, *ec = c->ec;
        memset(ex, 0, (size_t)n * sizeof *ex);
        add_rows_transposed(P, dz, ex);
        if (P->has_cone) {
            subtract_cone_transposed(P, dy, ex);
            cone_times(P, dv, ec);
            soc_square(P->q, c->w, c->eta, dy, c->t1);
            for (ptrdiff_t i = 0; i <= P->q; i++) ec[i] = r2c[i] + ec[i] + c->t1[i];
        }
        for (ptrdiff_t i = 0; i < n; i++) ex[i] = r1[i] - c->D[i] * dv[i] - ex[i];
        rows_times(P, dv, es);
        for (ptrdiff_t i = 0; i < rows; i++) es[i] = r2[i] - es[i] + it->s[i] / it->z[i] * dz[i];
        eliminate(P, it, c, ex, es, ec, c->t3, c->ds, c->t2);
        for (ptrdiff_t i = 0; i < n; i++) dv[i] += c->t3[i];
        for (ptrdiff_t i = 0; i < rows; i++) dz[i] += c->ds[i];
        if (P->has_cone)
            for (ptrdiff_t i = 0; i <= P->q; i++) dy[i] += c->t2[i];
    }
}

/* Direction for centring sigma and second-order terms already in c->corr_*, given the constant part (v2, z2, y2). Full
 * directions end in v1, z1, y1, dp, dm, dzp, dzm, ds, dsc; dtau and dkappa are returned. */
static inline void direction(const subproblem *P, const iterate *it, scratch *c, double sigma, double mu, double corr_k,
                             double res_k, double *dtau, double *dkappa) {
    ptrdiff_t n = P->n, rows = P->p + P->n_bounds, q = P->q;
    double keep = 1 - sigma, target = sigma * mu, cost1 = 0, cost2 = 0, xi_P_xi = 0;
    for (ptrdiff_t i = 0; i < n; i++) {
        if (P->norm == 1) {
            double Dp = it->zp[i] / it->p[i], Dm = it->zm[i] / it->m[i];
            double res_p = it->tau + it->r[i] - it->zp[i], res_m = it->tau - it->r[i] - it->zm[i];
            c->rhs_p[i] = -keep * res_p - it->zp[i] - (c->corr_p[i] - target) / it->p[i];
            c->rhs_m[i] = -keep * res_m - it->zm[i] - (c->corr_m[i] - target) / it->m[i];
            c->r1[i] = (Dm * c->rhs_p[i] - Dp * c->rhs_m[i]) / (Dp + Dm);
        } else {
            c->r1[i] = -keep * c->res_x[i];
        }
    }
    for (ptrdiff_t i = 0; i < rows; i++)
        c->r2[i] = it->s[i] + (c->corr_s[i] - target) / it->z[i] - keep * c->res_s[i];
    if (P->has_cone) { /* W (lam \ (lam o lam + corr - sigma mu e)) */
        soc_product(q, c->lam, c->lam, c->t1);
        for (ptrdiff_t i = 0; i <= q; i++) c->t1[i] += c->corr_c[i];
        c->t1[0] -= target;
        soc_divide(q, c->lam, c->t1, c->t2);
        soc_apply(q, c->w, c->eta, 1, c->t2, c->dsc);
        for (ptrdiff_t i = 0; i <= q; i++) c->r2c[i] = c->dsc[i] - keep * c->res_c[i];
    }
    solve_kkt(P, it, c, c->r1, c->r2, c->r2c, c->v1, c->z1, c->y1);

    for (ptrdiff_t i = 0; i < n; i++) {
        if (P->norm == 1) {
            double Dp = it->zp[i] / it->p[i], Dm = it->zm[i] / it->m[i];
            cost1 += (2 * (c->rhs_p[i] + c->rhs_m[i]) + (Dm - Dp) * c->v1[i]) / (Dp + Dm);
            cost2 += ((Dm - Dp) * c->v2[i] - 4) / (Dp + Dm);
        } else {
            double xi = it->v[i] / it->tau;
            cost1 += 4 * xi * c->v1[i];
            cost2 += 4 * xi * c->v2[i];
            xi_P_xi += 2 * xi * xi;
        }
    }
    cost1 += dot(rows, P->h, c->z1);
    cost2 += dot(rows, P->h, c->z2);
    if (P->has_cone) {
        cost1 += dot(q + 1, P->k, c->y1);
        cost2 += dot(q + 1, P->k, c->y2);
    }
    double dt = (-keep * res_k + it->kappa + (corr_k - target) / it->tau - cost1) /
                (cost2 - xi_P_xi - it->kappa / it->tau);
    *dtau = dt;
    *dkappa = (target - corr_k - it->kappa * dt) / it->tau - it->kappa;

    for (ptrdiff_t i = 0; i < n; i++) c->v1[i] += dt * c->v2[i];
    for (ptrdiff_t i = 0; i < rows; i++) {
        c->z1[i] += dt * c->z2[i];
        c->ds[i] = -it->s[i] - (c->corr_s[i] - target) / it->z[i] - it->s[i] / it->z[i] * c->z1[i];
    }
    if (P->has_cone) {
        for (ptrdiff_t i = 0; i <= q; i++) c->y1[i] += dt * c->y2[i];
        soc_square(q, c->w, c->eta, c->y1, c->t1);
        for (ptrdiff_t i = 0; i <= q; i++) c->dsc[i] = -c->dsc[i] - c->t1[i];
    }
    if (P->norm == 1)
        for (ptrdiff_t i = 0; i < n; i++) {
            double Dp = it->zp[i] / it->p[i], Dm = it->zm[i] / it->m[i];
            double sum = c->rhs_p[i] + c->rhs_m[i] - 2 * dt;
            c->dp[i] = (sum + Dm * c->v1[i]) / (Dp + Dm);
            c->dm[i] = (sum - Dp * c->v1[i]) / (Dp + Dm);
            c->dzp[i] = -it->zp[i] - (c->corr_p[i] - target) / it->p[i] - Dp * c->dp[i];
            c->dzm[i] = -it->zm[i] - (c->corr_m[i] - target) / it->m[i] - Dm * c->dm[i];
        }
}

static inline double ratio(ptrdiff_t n, const double *x, const double *d, double t) {
    for (ptrdiff_t i = 0; i < n; i++)
        if (d[i] * t < -x[i]) t = -x[i] / d[i];
    return t;
}

static inline double step_length(const subproblem *P, const iterate *it, const scratch *c, double dtau, double dkappa) {
    ptrdiff_t rows = P->p + P->n_bounds;
    double t = 1 / STEP_FRACTION;
    t = ratio(1, &it->tau, &dtau, t);
    t = ratio(1, &it->kappa, &dkappa, t);
    if (P->norm == 1) {
        t = ratio(P->n, it->p, c->dp, t);
        t = ratio(P->n, it->m, c->dm, t);
        t = ratio(P->n, it->zp, c->dzp, t);
        t = ratio(P->n, it->zm, c->dzm, t);
    }
    t = ratio(rows, it->s, c->ds, t);
    t = ratio(rows, it->z, c->z1, t);
    if (P->has_cone) {
        t = soc_step(P->q, it->sc, c->dsc, t);
        t = soc_step(P->q, it->y, c->y1, t);
    }
    return t * STEP_FRACTION;
}

static void start(const subproblem *P, iterate *it) {
    ptrdiff_t rows = P->p + P->n_bounds;
    for (ptrdiff_t i = 0; i < P->n; i++) {
        it->p[i] = it->m[i] = it->zp[i] = it->zm[i] = 1;
        it->v[i] = 0;
    }
    for (ptrdiff_t i = 0; i < rows; i++) it->s[i] = it->z[i] = 1;
    memset(it->sc, 0, (size_t)(P->q + 1) * sizeof *it->sc);
    memset(it->y, 0, (size_t)(P->q + 1) * sizeof *it->y);
    it->sc[0] = it->y[0] = 1;
    it->tau = it->kappa = 1;
}

/* Rounding makes the last steps worse than the ones before: the best iterate is kept, p to y being contiguous. */
static void keep_best(const subproblem *P, iterate *it) {
    memcpy(it->best, it->p, (size_t)(6 * P->n + 2 * (P->p + P->n_bounds) + 2 * (P->q + 1)) * sizeof *it->p);
    it->best_tau = it->tau, it->best_kappa = it->kappa;
}

static void restore_best(const subproblem *P, iterate *it) {
    memcpy(it->p, it->best, (size_t)(6 * P->n + 2 * (P->p + P->n_bounds) + 2 * (P->q + 1)) * sizeof *it->p);
    it->tau = it->best_tau, it->kappa = it->best_kappa;
}

MULTIVERSION
static void iterate_until_verdict(const subproblem *P, iterate *it, double tolerance) {
    ptrdiff_t n = P->n, rows = P->p + P->n_bounds, q = P->q;
    scratch c[1];
    scratch_bind(c, it->work, n, rows, q);
    start(P, it);
    double degree = (P->norm == 1 ? 2 * (double)n : 0) + (double)rows + P->has_cone + 1;
    it->status = EW_STALLED;
    it->bound = 0;
    int short_steps = 0;
    for (it->iterations = 0; it->iterations < MAX_ITERATIONS; it->iterations++) {
        /* residuals */
        if (P->norm == 1)
            for (ptrdiff_t i = 0; i < n; i++) it->v[i] = it->p[i] - it->m[i];
        memset(it->r, 0, (size_t)n * sizeof *it->r);
        add_rows_transposed(P, it->z, it->r);
        rows_times(P, it->v, c->res_s);
        double tight = -dot(rows, P->h, it->z), loose = -dot(rows, P->slack, it->z), mu = dot(rows, it->s, it->z);
        double violation = 0, objective = 0, quadratic = 0;
        for (ptrdiff_t i = 0; i < rows; i++) {
            c->res_s[i] += it->s[i] - P->h[i] * it->tau;
            violation = fmax(violation, fabs(c->res_s[i]) / fmax(P->slack[i], 1e-9));
        }
        if (P->has_cone) {
            subtract_cone_transposed(P, it->y, it->r);
            cone_times(P, it->v, c->res_c);
            double norm = 0;
            for (ptrdiff_t i = 0; i <= q; i++) {
                c->res_c[i] = it->sc[i] - c->res_c[i] - P->k[i] * it->tau;
                norm += c->res_c[i] * c->res_c[i];
            }
            violation = fmax(violation, sqrt(norm) / fmax(P->cone_slack, 1e-9));
            tight -= dot(q + 1, P->k, it->y);
            loose -= P->cone_slack * it->y[0];
            mu += dot(q + 1, it->sc, it->y);
        }
        loose += tight;
        double largest = max_abs(n, it->r), length = dot(n, it->r, it->r), bound;
        if (P->norm == 1) {
            for (ptrdiff_t i = 0; i < n; i++) objective += it->p[i] + it->m[i];
            mu += dot(n, it->p, it->zp) + dot(n, it->m, it->zm);
            bound = loose > 0 ? loose / largest : 0;
            tight = tight > 0 ? tight / largest : 0;
        } else {
            objective = dot(n, it->v, it->v) / it->tau;
            quadratic = objective;
            for (ptrdiff_t i = 0; i < n; i++) c->res_x[i] = 2 * it->v[i] + it->r[i];
            bound = loose > 0 ? loose / length * loose : 0;
            tight = tight > 0 ? tight / length * tight : 0;
        }
        double res_k = it->kappa + objective + quadratic + dot(rows, P->h, it->z) +
                       (P->has_cone ? dot(q + 1, P->k, it->y) : 0);
        objective /= it->tau;
        if (bound > fmax(it->bound, P->remote) && it->tau < 1e-6 * it->kappa) { /* on the way to Farkas multipliers */
            it->ray = 1;
            keep_best(P, it);
        }
        it->bound = fmax(it->bound, bound);

        /* verdicts */
        if (it->bound >= P->far) { it->status = EW_INFEASIBLE; return; }
        if (it->bound >= P->cutoff) { it->status = EW_CUTOFF; return; }
        if (violation <= 0.05 * it->tau && objective - tight <= tolerance * objective) {
            it->status = EW_OPTIMAL;
            return;
        }
        if (P->norm == 1 && objective - tight <= POLISH_FROM * objective && polish(P, it, tolerance)) {
            it->status = EW_OPTIMAL;
            return;
        }
        double merit = fmax(violation / it->tau, (objective - tight) / (10 * tolerance * objective));
        if (!it->ray && merit < it->best_merit) {
            it->best_merit = merit;
            keep_best(P, it);
        } else if (it->best_merit <= GOOD_ENOUGH && merit > 10 * it->best_merit) {
            return;
        }
        mu = (mu + it->tau * it->kappa) / degree;

        /* scaling and factorisation */
        if (P->has_cone) {
            if (!soc_scaling(q, it->sc, it->y, c->w, &c->eta)) return;
            soc_apply(q, c->w, c->eta, 1, it->y, c->lam);
        }
        for (ptrdiff_t i = 0; i < n; i++) {
            double Dp = it->zp[i] / it->p[i], Dm = it->zm[i] / it->m[i];
            c->D[i] = P->norm == 1 ? Dp * Dm / (Dp + Dm) : 2;
            c->r1[i] = P->norm == 1 ? (Dp - Dm) / (Dp + Dm) : 0;
        }
        assemble(P, it, c);
        cholesky(n, c->M, 1e-16, c->t3);
        solve_kkt(P, it, c, c->r1, P->h, P->k, c->v2, c->z2, c->y2);

        /* predictor */
        double dtau, dkappa;
        if (P->norm == 1) {
            memset(c->corr_p, 0, (size_t)n * sizeof *c->corr_p);
            memset(c->corr_m, 0, (size_t)n * sizeof *c->corr_m);
        }
        memset(c->corr_s, 0, (size_t)rows * sizeof *c->corr_s);
        memset(c->corr_c, 0, (size_t)(q + 1) * sizeof *c->corr_c);
        direction(P, it, c, 0, mu, 0, res_k, &dtau, &dkappa);
        double t = fmin(1, step_length(P, it, c, dtau, dkappa) / STEP_FRACTION);
        double sigma = (1 - t) * (1 - t) * (1 - t);

        /* corrector */
        if (P->norm == 1)
            for (ptrdiff_t i = 0; i < n; i++) {
                c->corr_p[i] = c->dp[i] * c->dzp[i];
                c->corr_m[i] = c->dm[i] * c->dzm[i];
            }
        for (ptrdiff_t i = 0; i < rows; i++) c->corr_s[i] = c->ds[i] * c->z1[i];
        if (P->has_cone) {
            soc_apply(q, c->w, c->eta, -1, c->dsc, c->t1);
            soc_apply(q, c->w, c->eta, 1, c->y1, c->t2);
            soc_product(q, c->t1, c->t2, c->corr_c);
        }
        direction(P, it, c, sigma, mu, dtau * dkappa, res_k, &dtau, &dkappa);
        t = step_length(P, it, c, dtau, dkappa);
        if (!(t > 1e-10) || !isfinite(dtau)) return;
        short_steps = t < 1e-3 ? short_steps + 1 : 0;
        if (short_steps > 5) return;

        /* step */
        if (P->norm == 1) {
            axpy(n, t, c->dp, it->p);
            axpy(n, t, c->dm, it->m);
            axpy(n, t, c->dzp, it->zp);
            axpy(n, t, c->dzm, it->zm);
        } else {
            axpy(n, t, c->v1, it->v);
        }
        axpy(rows, t, c->ds, it->s);
        axpy(rows, t, c->z1, it->z);
        if (P->has_cone) {
            axpy(q + 1, t, c->dsc, it->sc);
            axpy(q + 1, t, c->y1, it->y);
        }
        it->tau += t * dtau;
        it->kappa += t * dkappa;
    }
}

void interior_point(const subproblem *P, iterate *it, double tolerance) {
    it->best_merit = HUGE_VAL;
    it->ray = 0;
    iterate_until_verdict(P, it, tolerance);
    if (it->status != EW_STALLED || (!it->ray && !isfinite(it->best_merit))) return;
    restore_best(P, it);
    if (it->ray) it->status = EW_INFEASIBLE; /* as far as rounding lets the multipliers prove it */
    else if (it->best_merit <= GOOD_ENOUGH) it->status = EW_OPTIMAL;
}
