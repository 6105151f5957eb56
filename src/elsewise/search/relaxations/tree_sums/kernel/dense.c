/* What a cone makes of prices while messages are improved: multipliers, diagonals. */
#include "dense.h"

#include <math.h>
#include <string.h>

/* Stages of widths for the first box, one for others; Newton steps of each. */
enum { ROOT_STAGES = 3, ROOT_STEPS = 12, STEPS = 3 };
/* Prices are taken back if the bound falls by more than this share of what is missing. */
static const double MAY_FALL = 0.02;
/* kappa is kept above this share of distance over squared radius. */
static const double LEAST_KAPPA = 1e-3;
/* Diagonals: share of what a spread is charged that the barrier may cost; least weight of a number, as a share of its first one;
 * how much of what is seen of a spread goes into the weights; and how much a bound may fall by a new diagonal, as a share of
 * what is missing: messages have to follow before it pays. Without such a limit bounds of first boxes went up and down by a
 * third of what is missing, and where they stopped was a matter of chance. */
static const double BARRIER = 0.5, LEAST_WEIGHT = 0.001, SEEN = 0.3, MAY_FALL_AT_FIRST = 0.1;
/* Newton steps for a diagonal, at the first box and at others. */
enum { ROOT_DIAGONALS = 6, DIAGONALS = 3 };

/* ---- prices ---- */

void ew_worth_of_messages(ew_state *w)
{
    for (int32_t k = 0; k < w->p.c.n_cells; k++)
        w->p.newton.worth[k] = w->p.dual.B[k] / w->p.dual.mu + w->p.dual.price[k];
}

static void set_prices(ew_state *w)
{
    ew_prices_set(&w->p.prices, &w->p.c, w->row->cone, &w->at);
    ew_dual_take_prices(&w->p.dual, &w->p.c, &w->p.prices);
}

void ew_try_relaxed(ew_state *w)
{
    /* z = y at the nearest dense point, and, where numbers moved, sign(v) + 2 kappa (P y) = 0 */
    const ew_cone *cone = w->row->cone;
    const int32_t n = cone->n;
    const double before = ew_dual_estimate(&w->p.dual, &w->p.c, w->f->least);
    double *y = w->p.newton.trial, product = 0.0, square = 0.0;
    ew_multipliers_copy(&w->saved_at, &w->at, n);
    for (int32_t i = 0; i < n; i++)
        y[i] = w->moves[i] - cone->centre[i];
    for (int32_t i = 0; i < n; i++) {
        double Py = 0.0;
        for (int32_t j = 0; j < n; j++)
            Py += cone->P[(size_t)i * (size_t)n + (size_t)j] * y[j];
        w->at.q[i] = -2.0 * (Py - w->at.D[i] * y[i]);
        if (w->moves[i] != 0.0) {
            product -= copysign(1.0, w->moves[i]) * Py;
            square += Py * Py;
        }
    }
    /* a box whose nearest dense point is the row itself needs no cone, at first */
    const double no_cone = LEAST_KAPPA * LEAST_KAPPA * ew_limit(w) / cone->squared_radius;
    w->at.kappa = square > 0.0 ? fmax(product / (2.0 * square), no_cone) : no_cone;
    for (int32_t i = 0; i < n; i++)
        w->at.q[i] *= square > 0.0 ? w->at.kappa : 0.0;
    set_prices(w);
    if (ew_dual_estimate(&w->p.dual, &w->p.c, w->f->least) > before)
        return;
    ew_multipliers_copy(&w->at, &w->saved_at, n);
    set_prices(w);
}

double ew_improve_prices(ew_state *w, double bound, double missing, int is_root)
{
    const ew_cone *cone = w->row->cone;
    const double least_kappa = LEAST_KAPPA * missing / cone->squared_radius;
    ew_worth_of_messages(w);
    ew_multipliers_copy(&w->saved_at, &w->at, cone->n);
    double width = EW_WIDTH * missing * (is_root ? 100.0 : 1.0);
    for (int stage = 0; stage < (is_root ? ROOT_STAGES : 1); stage++, width *= 0.1)
        ew_newton_ascend(&w->p.newton, &w->p.c, cone, w->p.dual.alive, &w->at, width, is_root ? ROOT_STEPS : STEPS, least_kappa);
    set_prices(w);
    const double then = ew_dual_estimate(&w->p.dual, &w->p.c, w->f->least);
    if (then >= bound - MAY_FALL * fabs(ew_limit(w) - bound))
        return then;
    ew_multipliers_copy(&w->at, &w->saved_at, cone->n);
    set_prices(w);
    return bound;
}

/* ---- diagonals ---- */

void ew_open_cone(ew_state *w)
{
    const ew_cone *cone = w->row->cone;
    const int32_t n = cone->n;
    ew_multipliers_open(&w->at, cone, &w->once);
    ew_multipliers_open(&w->saved_at, cone, &w->once);
    ew_diagonal_open(&w->diagonal, cone, &w->once);
    w->first_weight = EW_TAKE(&w->once, double, n);
    memcpy(w->at.D, cone->D, sizeof(double) * (size_t)n);
    w->is_split = ew_diagonal_check(&w->diagonal, cone, w->at.D, w->at.K);
    for (int32_t i = 0; i < n; i++) {
        w->is_split &= w->at.D[i] > 0.0;
        w->at.weight[i] = w->first_weight[i] = 1.0 / w->at.D[i]; /* D is the largest one by the sum of its logarithms */
    }
    if (!w->is_split) /* P itself has no negative eigenvalue, and K = 0 makes z = 0 */
        memset(w->at.D, 0, sizeof(double) * (size_t)n);
}

double ew_adapt_diagonal(ew_state *w, double bound, double missing, int is_root)
{
    const ew_cone *cone = w->row->cone;
    const int32_t n = cone->n;
    if (!w->is_split)
        return bound;
    double charge = 0.0; /* for the spread, by the diagonal to start with */
    ew_worth_of_messages(w);
    ew_newton_spread(&w->p.newton, &w->p.c, cone, w->p.dual.alive, &w->at, EW_WIDTH * missing);
    for (int32_t i = 0; i < n; i++) {
        const double seen = w->p.newton.variance[i] + LEAST_WEIGHT * w->first_weight[i];
        w->at.weight[i] += SEEN * (seen - w->at.weight[i]);
        charge += w->at.weight[i] * cone->D[i];
    }
    ew_multipliers_copy(&w->saved_at, &w->at, n);
    memcpy(w->p.newton.trial, w->p.prices.z, sizeof(double) * (size_t)n); /* the tangents stay where they are */
    if (!ew_diagonal_ascend(&w->diagonal, cone, w->at.weight, BARRIER * charge / n,
                            is_root ? ROOT_DIAGONALS : DIAGONALS, w->at.D, w->at.K))
        return bound;
    for (int32_t i = 0; i < n; i++) {
        double Sz = -w->at.D[i] * w->p.newton.trial[i];
        for (int32_t j = 0; j < n; j++)
            Sz += cone->P[(size_t)i * (size_t)n + (size_t)j] * w->p.newton.trial[j];
        w->at.q[i] = -2.0 * w->at.kappa * Sz;
    }
    ew_newton_ascend(&w->p.newton, &w->p.c, cone, w->p.dual.alive, &w->at, EW_WIDTH * missing, is_root ? ROOT_STEPS : STEPS,
                     LEAST_KAPPA * missing / cone->squared_radius);
    set_prices(w);
    const double then = ew_dual_estimate(&w->p.dual, &w->p.c, w->f->least);
    if (then >= bound - MAY_FALL_AT_FIRST * missing)
        return then;
    ew_multipliers_copy(&w->at, &w->saved_at, n);
    set_prices(w);
    return bound;
}
