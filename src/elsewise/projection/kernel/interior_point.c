#include "interior_point.h"

#include <string.h>

#include "active_set.h"
#include "constants.h"
#include "kkt.h"
#include "multiversion.h"
#include "projection.h"
#include "soc.h"

/* What the residuals tell of an iterate. Distances are those of v / tau. */
typedef struct {
    double violation;     /* largest primal residual, in units of the margins, times tau */
    double objective;     /* distance */
    double tight;         /* lower bound for the right-hand sides with margins: closes the gap to the objective */
    double bound;         /* rigorous lower bound for the true right-hand sides */
    double complementary; /* sum of the products of all complementary pairs but (tau, kappa) */
    double res_k;         /* residual of the gap equation of the embedding */
} measures;

ptrdiff_t iterate_size(ptrdiff_t n, ptrdiff_t linear, ptrdiff_t q) {
    return n * n + 32 * n + 14 * linear + 18 * (q + 1);
}

/* How much of an iterate is kept when it is the best: p to y, which are contiguous. */
static inline ptrdiff_t kept_size(ptrdiff_t n, ptrdiff_t linear, ptrdiff_t q) {
    return 6 * n + 2 * linear + 2 * (q + 1);
}

void iterate_bind(iterate *it, double *memory, ptrdiff_t n, ptrdiff_t linear, ptrdiff_t q) {
    double **vectors_n[] = {&it->p, &it->m, &it->zp, &it->zm, &it->v, &it->r};
    for (size_t i = 0; i < sizeof vectors_n / sizeof *vectors_n; i++) *vectors_n[i] = take(&memory, n);
    it->s = take(&memory, linear);
    it->z = take(&memory, linear);
    it->sc = take(&memory, q + 1);
    it->y = take(&memory, q + 1);
    it->best = take(&memory, kept_size(n, linear, q));
    it->work = memory;
}

static void start(const subproblem *P, iterate *it) {
    for (ptrdiff_t i = 0; i < P->n; i++) {
        it->p[i] = it->m[i] = it->zp[i] = it->zm[i] = 1;
        it->v[i] = 0;
    }
    for (ptrdiff_t i = 0; i < n_linear(P); i++) it->s[i] = it->z[i] = 1;
    memset(it->sc, 0, (size_t)(P->q + 1) * sizeof *it->sc);
    memset(it->y, 0, (size_t)(P->q + 1) * sizeof *it->y);
    it->sc[0] = it->y[0] = 1;
    it->tau = it->kappa = 1;
    it->status = EW_STALLED;
    it->bound = 0;
}

/* Rounding makes the last steps worse than the ones before: the best iterate is kept. */
static void keep_best(const subproblem *P, iterate *it) {
    memcpy(it->best, it->p, (size_t)kept_size(P->n, n_linear(P), P->q) * sizeof *it->p);
    it->best_tau = it->tau, it->best_kappa = it->kappa;
}

static void restore_best(const subproblem *P, iterate *it) {
    memcpy(it->p, it->best, (size_t)kept_size(P->n, n_linear(P), P->q) * sizeof *it->p);
    it->tau = it->best_tau, it->kappa = it->best_kappa;
}

/* Residual of s_c = H v + k tau; returns its length. */
static inline double cone_residual(const subproblem *P, const iterate *it, scratch *c) {
    cone_times(P, it->v, c->res_c);
    double squared = 0;
    for (ptrdiff_t i = 0; i <= P->q; i++) {
        c->res_c[i] = it->sc[i] - c->res_c[i] - P->k[i] * it->tau;
        squared += c->res_c[i] * c->res_c[i];
    }
    return sqrt(squared);
}

/* Residual of G v + s = h tau; returns its largest entry in units of the margins. */
static inline double linear_residual(const subproblem *P, const iterate *it, scratch *c) {
    double violation = 0;
    linear_times(P, it->v, c->res_s);
    for (ptrdiff_t i = 0; i < n_linear(P); i++) {
        c->res_s[i] += it->s[i] - P->h[i] * it->tau;
        violation = fmax(violation, fabs(c->res_s[i]) / fmax(P->slack[i], LEAST_MARGIN));
    }
    return violation;
}

/* All residuals, the gradient r = G'z - H'y, and what they tell. */
static inline measures residuals(const subproblem *P, iterate *it, scratch *c) {
    ptrdiff_t n = P->n, linear = n_linear(P), q = P->q;
    measures now = {0};
    if (P->norm == 1)
        for (ptrdiff_t i = 0; i < n; i++) it->v[i] = it->p[i] - it->m[i];
    memset(it->r, 0, (size_t)n * sizeof *it->r);
    add_linear_transposed(P, it->z, it->r);
    now.violation = linear_residual(P, it, c);
    now.complementary = dot(linear, it->s, it->z);
    double h_z = dot(linear, P->h, it->z), k_y = 0, tight = -h_z, loose = -dot(linear, P->slack, it->z), quadratic = 0;
    if (P->has_cone) {
        subtract_cone_transposed(P, it->y, it->r);
        now.violation = fmax(now.violation, cone_residual(P, it, c) / fmax(P->cone_slack, LEAST_MARGIN));
        k_y = dot(q + 1, P->k, it->y);
        tight -= k_y;
        loose -= P->cone_slack * it->y[0];
        now.complementary += dot(q + 1, it->sc, it->y);
    }
    loose += tight;
    if (P->norm == 1) {
        double largest = max_abs(n, it->r);
        for (ptrdiff_t i = 0; i < n; i++) now.objective += it->p[i] + it->m[i];
        now.complementary += dot(n, it->p, it->zp) + dot(n, it->m, it->zm);
        now.bound = loose > 0 ? loose / largest : 0;
        now.tight = tight > 0 ? tight / largest : 0;
    } else {
        double length = dot(n, it->r, it->r);
        quadratic = now.objective = dot(n, it->v, it->v) / it->tau;
        for (ptrdiff_t i = 0; i < n; i++) c->res_x[i] = 2 * it->v[i] + it->r[i];
        now.bound = loose > 0 ? loose / length * loose : 0;
        now.tight = tight > 0 ? tight / length * tight : 0;
    }
    now.res_k = it->kappa + now.objective + quadratic + h_z + k_y;
    now.objective /= it->tau;
    return now;
}

/* Keep the bound, and the multipliers where they are on the way to being Farkas multipliers. */
static inline void note_bound(const subproblem *P, iterate *it, const measures *now) {
    if (now->bound > fmax(it->bound, P->remote) && it->tau < RAY_SHARE * it->kappa) {
        it->is_ray = 1;
        keep_best(P, it);
    }
    it->bound = fmax(it->bound, now->bound);
}

/* Whether the subproblem is settled; the status says how. */
static inline int is_settled(const subproblem *P, iterate *it, const measures *now, double tolerance) {
    double gap = now->objective - now->tight;
    int is_solved = now->violation <= MARGIN_SHARE * it->tau && gap <= tolerance * now->objective;
    if (it->bound >= P->far) it->status = EW_INFEASIBLE;
    else if (it->bound >= P->cutoff) it->status = EW_CUTOFF;
    else if (is_solved) it->status = EW_OPTIMAL;
    else if (P->norm == 1 && gap <= POLISH_FROM * now->objective && polish(P, it, tolerance)) it->status = EW_OPTIMAL;
    else return 0;
    return 1;
}

/* Keep the iterate if it is the best so far. Returns 0 if a good one is being lost to rounding. */
static inline int makes_progress(const subproblem *P, iterate *it, const measures *now, double tolerance) {
    double merit = fmax(now->violation / it->tau,
                        (now->objective - now->tight) / (MERIT_GAP * tolerance * now->objective));
    if (it->is_ray || !(merit < it->best_merit))
        return !(it->best_merit <= GOOD_ENOUGH && merit > MUCH_WORSE * it->best_merit);
    it->best_merit = merit;
    keep_best(P, it);
    return 1;
}

/* Scaling of the cone and of the split v = p - m; 0 if rounding has put the iterate outside of the cone. */
static inline int scale(const subproblem *P, const iterate *it, scratch *c) {
    if (P->has_cone) {
        if (!soc_scaling(P->q, it->sc, it->y, c->w, &c->eta)) return 0;
        soc_apply(P->q, c->w, c->eta, 1, it->y, c->lam);
    }
    for (ptrdiff_t i = 0; i < P->n; i++) {
        double Dp = it->zp[i] / it->p[i], Dm = it->zm[i] / it->m[i];
        c->D[i] = P->norm == 1 ? Dp * Dm / (Dp + Dm) : 2;
        c->r1[i] = P->norm == 1 ? (Dp - Dm) / (Dp + Dm) : 0;
    }
    return 1;
}

/* Factor the system and solve it for the part of every direction that goes with dtau. */
static inline void factor(const subproblem *P, const iterate *it, scratch *c) {
    assemble(P, it, c);
    cholesky(P->n, c->M, INTERIOR_POINT_PIVOT, c->t3);
    solve_kkt(P, it, c, c->r1, P->h, P->k, c->v2, c->z2, c->y2);
}

/* Right-hand sides r1, r2, r2c for centring sigma: `keep` = 1 - sigma of the residuals, `target` = sigma mu. */
static inline void right_hand_sides(const subproblem *P, const iterate *it, scratch *c, double keep, double target) {
    ptrdiff_t q = P->q;
    for (ptrdiff_t i = 0; i < P->n; i++) {
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
    for (ptrdiff_t i = 0; i < n_linear(P); i++)
        c->r2[i] = it->s[i] + (c->corr_s[i] - target) / it->z[i] - keep * c->res_s[i];
    if (P->has_cone) { /* W (lam \ (lam o lam + corr - sigma mu e)) */
        soc_product(q, c->lam, c->lam, c->t1);
        for (ptrdiff_t i = 0; i <= q; i++) c->t1[i] += c->corr_c[i];
        c->t1[0] -= target;
        soc_divide(q, c->lam, c->t1, c->t2);
        soc_apply(q, c->w, c->eta, 1, c->t2, c->dsc);
        for (ptrdiff_t i = 0; i <= q; i++) c->r2c[i] = c->dsc[i] - keep * c->res_c[i];
    }
}

/* dtau and dkappa from the gap equation, in which every direction is d1 + dtau d2. */
static inline void solve_gap_equation(const subproblem *P, const iterate *it, scratch *c, double keep, double target,
                                      double res_k) {
    ptrdiff_t linear = n_linear(P), q = P->q;
    double cost1 = 0, cost2 = 0, xi_P_xi = 0;
    for (ptrdiff_t i = 0; i < P->n; i++) {
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
    cost1 += dot(linear, P->h, c->z1);
    cost2 += dot(linear, P->h, c->z2);
    if (P->has_cone) {
        cost1 += dot(q + 1, P->k, c->y1);
        cost2 += dot(q + 1, P->k, c->y2);
    }
    c->dtau = (-keep * res_k + it->kappa + (c->corr_k - target) / it->tau - cost1) /
              (cost2 - xi_P_xi - it->kappa / it->tau);
    c->dkappa = (target - c->corr_k - it->kappa * c->dtau) / it->tau - it->kappa;
}

/* Put d1 and dtau d2 together (in v1, z1, y1), and recover what was eliminated: ds, dsc, dp, dm, dzp, dzm. */
static inline void recover(const subproblem *P, const iterate *it, scratch *c, double target) {
    ptrdiff_t n = P->n, q = P->q;
    double dtau = c->dtau;
    for (ptrdiff_t i = 0; i < n; i++) c->v1[i] += dtau * c->v2[i];
    for (ptrdiff_t i = 0; i < n_linear(P); i++) {
        c->z1[i] += dtau * c->z2[i];
        c->ds[i] = -it->s[i] - (c->corr_s[i] - target) / it->z[i] - it->s[i] / it->z[i] * c->z1[i];
    }
    if (P->has_cone) {
        for (ptrdiff_t i = 0; i <= q; i++) c->y1[i] += dtau * c->y2[i];
        soc_square(q, c->w, c->eta, c->y1, c->t1);
        for (ptrdiff_t i = 0; i <= q; i++) c->dsc[i] = -c->dsc[i] - c->t1[i];
    }
    if (P->norm == 1)
        for (ptrdiff_t i = 0; i < n; i++) {
            double Dp = it->zp[i] / it->p[i], Dm = it->zm[i] / it->m[i];
            double sum = c->rhs_p[i] + c->rhs_m[i] - 2 * dtau;
            c->dp[i] = (sum + Dm * c->v1[i]) / (Dp + Dm);
            c->dm[i] = (sum - Dp * c->v1[i]) / (Dp + Dm);
            c->dzp[i] = -it->zp[i] - (c->corr_p[i] - target) / it->p[i] - Dp * c->dp[i];
            c->dzm[i] = -it->zm[i] - (c->corr_m[i] - target) / it->m[i] - Dm * c->dm[i];
        }
}

/* Direction for centring sigma, with the second-order terms corr_*: v1, z1, y1, dp, dm, dzp, dzm, ds, dsc, dtau,
 * dkappa. */
static inline void direction(const subproblem *P, const iterate *it, scratch *c, double sigma, double mu, double res_k) {
    double keep = 1 - sigma, target = sigma * mu;
    right_hand_sides(P, it, c, keep, target);
    solve_kkt(P, it, c, c->r1, c->r2, c->r2c, c->v1, c->z1, c->y1);
    solve_gap_equation(P, it, c, keep, target, res_k);
    recover(P, it, c, target);
}

/* Largest step that keeps x + t d positive; at most t. */
static inline double ratio(ptrdiff_t n, const double *x, const double *d, double t) {
    for (ptrdiff_t i = 0; i < n; i++)
        if (d[i] * t < -x[i]) t = -x[i] / d[i];
    return t;
}

/* STEP_FRACTION of the way to the boundary along the direction; at most 1. */
static inline double step_length(const subproblem *P, const iterate *it, const scratch *c) {
    ptrdiff_t n = P->n, linear = n_linear(P);
    double t = 1 / STEP_FRACTION;
    t = ratio(1, &it->tau, &c->dtau, t);
    t = ratio(1, &it->kappa, &c->dkappa, t);
    if (P->norm == 1) {
        t = ratio(n, it->p, c->dp, t);
        t = ratio(n, it->m, c->dm, t);
        t = ratio(n, it->zp, c->dzp, t);
        t = ratio(n, it->zm, c->dzm, t);
    }
    t = ratio(linear, it->s, c->ds, t);
    t = ratio(linear, it->z, c->z1, t);
    if (P->has_cone) {
        t = soc_step(P->q, it->sc, c->dsc, t);
        t = soc_step(P->q, it->y, c->y1, t);
    }
    return t * STEP_FRACTION;
}

/* Direction without centring; returns the centring that its step length t suggests, (1 - t)^3. */
static inline double predictor(const subproblem *P, const iterate *it, scratch *c, double mu, double res_k) {
    ptrdiff_t n = P->n;
    if (P->norm == 1) {
        memset(c->corr_p, 0, (size_t)n * sizeof *c->corr_p);
        memset(c->corr_m, 0, (size_t)n * sizeof *c->corr_m);
    }
    memset(c->corr_s, 0, (size_t)n_linear(P) * sizeof *c->corr_s);
    memset(c->corr_c, 0, (size_t)(P->q + 1) * sizeof *c->corr_c);
    c->corr_k = 0;
    direction(P, it, c, 0, mu, res_k);
    double t = fmin(1, step_length(P, it, c) / STEP_FRACTION);
    return (1 - t) * (1 - t) * (1 - t);
}

/* Direction with centring and the second-order terms of the predictor; returns its step length. */
static inline double corrector(const subproblem *P, const iterate *it, scratch *c, double sigma, double mu,
                               double res_k) {
    ptrdiff_t q = P->q;
    if (P->norm == 1)
        for (ptrdiff_t i = 0; i < P->n; i++) {
            c->corr_p[i] = c->dp[i] * c->dzp[i];
            c->corr_m[i] = c->dm[i] * c->dzm[i];
        }
    for (ptrdiff_t i = 0; i < n_linear(P); i++) c->corr_s[i] = c->ds[i] * c->z1[i];
    if (P->has_cone) {
        soc_apply(q, c->w, c->eta, -1, c->dsc, c->t1);
        soc_apply(q, c->w, c->eta, 1, c->y1, c->t2);
        soc_product(q, c->t1, c->t2, c->corr_c);
    }
    c->corr_k = c->dtau * c->dkappa;
    direction(P, it, c, sigma, mu, res_k);
    return step_length(P, it, c);
}

static inline void step(const subproblem *P, iterate *it, const scratch *c, double t) {
    ptrdiff_t n = P->n, linear = n_linear(P), q = P->q;
    if (P->norm == 1) {
        axpy(n, t, c->dp, it->p);
        axpy(n, t, c->dm, it->m);
        axpy(n, t, c->dzp, it->zp);
        axpy(n, t, c->dzm, it->zm);
    } else {
        axpy(n, t, c->v1, it->v);
    }
    axpy(linear, t, c->ds, it->s);
    axpy(linear, t, c->z1, it->z);
    if (P->has_cone) {
        axpy(q + 1, t, c->dsc, it->sc);
        axpy(q + 1, t, c->y1, it->y);
    }
    it->tau += t * c->dtau;
    it->kappa += t * c->dkappa;
}

MULTIVERSION
static void iterate_until_verdict(const subproblem *P, iterate *it, double tolerance, int refinements) {
    scratch c[1];
    scratch_bind(c, it->work, P->n, n_linear(P), P->q);
    c->refinements = refinements;
    start(P, it);
    double degree = (P->norm == 1 ? 2 * (double)P->n : 0) + (double)n_linear(P) + P->has_cone + 1;
    int short_steps = 0;
    for (it->iterations = 0; it->iterations < MAX_ITERATIONS; it->iterations++) {
        measures now = residuals(P, it, c);
        note_bound(P, it, &now);
        if (is_settled(P, it, &now, tolerance) || !makes_progress(P, it, &now, tolerance)) return;
        if (!scale(P, it, c)) return;
        factor(P, it, c);
        double mu = (now.complementary + it->tau * it->kappa) / degree;
        double sigma = predictor(P, it, c, mu, now.res_k);
        double t = corrector(P, it, c, sigma, mu, now.res_k);
        if (!(t > LEAST_STEP) || !isfinite(c->dtau)) return;
        short_steps = t < SHORT_STEP ? short_steps + 1 : 0;
        if (short_steps > MAX_SHORT_STEPS) return;
        step(P, it, c, t);
    }
}

void interior_point(const subproblem *P, iterate *it, double tolerance) {
    it->best_merit = HUGE_VAL;
    it->is_ray = 0;
    iterate_until_verdict(P, it, tolerance, REFINEMENTS);
    if (it->status == EW_STALLED && !it->is_ray && it->best_merit > GOOD_ENOUGH && it->best_merit < NEARLY_GOOD) {
        const double bound = it->bound;
        const int iterations = it->iterations;
        iterate_until_verdict(P, it, tolerance, MORE_REFINEMENTS);
        it->bound = fmax(it->bound, bound);
        it->iterations += iterations;
    }
    if (it->status != EW_STALLED || (!it->is_ray && !isfinite(it->best_merit))) return;
    restore_best(P, it);
    if (it->is_ray) it->status = EW_INFEASIBLE; /* as far as rounding lets the multipliers prove it */
    else if (it->best_merit <= GOOD_ENOUGH) it->status = EW_OPTIMAL;
}
