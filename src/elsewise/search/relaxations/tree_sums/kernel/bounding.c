/* The bound of one box: prices, weights and messages are improved, cells that the bound rules out are taken away. */
#include "state.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "extremes.h"

/* Sweeps of the first box and of all others; more with a cone, whose boxes cost more otherwise. */
enum { ROOT_SWEEPS = 40, SWEEPS = 6, SWEEPS_IN_CONE = 10 };
/* The first box stops when so many sweeps gain less than this share of what is missing; others, too. */
enum { ROOT_PATIENCE = 4 };
static const double ROOT_GAIN = 0.03, NODE_GAIN = 0.02;
/* With several conditions, their weights matter more than anything else: they are changed after every second sweep of the
 * first box, by steps that shrink, and after every sweep of others but the first and the last. Digits, 10 classes: 20
 * rows, among them those that the steps were chosen on, need a fifth of the boxes that one small step a box needs. */
enum { ROOT_SWEEPS_A_STEP = 2 };
static const double ROOT_STEP = 0.6, ROOT_STEP_SHRINKS = 0.97, NODE_STEP = 0.4;
/* Prices at which the relaxed optimum is tried as a point, as shares that distance is made cheaper by. */
static const double CHEAPER[] = {0.0, 0.08, 0.16, 0.32, 0.64, 1.28};

static void copy_dual(ew_dual *to, const ew_dual *from, const ew_compact *c)
{
    to->mu = from->mu;
    memcpy(to->theta, from->theta, sizeof(double) * (size_t)c->n_segments);
    memcpy(to->B, from->B, sizeof(double) * (size_t)c->n_cells);
    memcpy(to->total, from->total, sizeof(double) * (size_t)c->n_leaves);
    memcpy(to->least_message, from->least_message, sizeof(double) * (size_t)c->n_slots);
    memcpy(to->least_messages, from->least_messages, sizeof(double) * (size_t)c->n_trees);
    memcpy(to->top, from->top, sizeof(int32_t) * (size_t)c->n_trees);
}

/* Try another price with one sweep; keep it if the bound is better. Returns the bound that is kept. */
static double try_price(ew_state *w, double mu, double before, int backward)
{
    copy_dual(&w->p.saved, &w->p.dual, &w->p.c);
    ew_dual_reprice(&w->p.dual, &w->p.c, mu);
    ew_dual_sweep(&w->p.dual, &w->p.c, backward);
    const double then = ew_dual_estimate(&w->p.dual, &w->p.c, w->p.needed);
    if (then > before)
        return then;
    copy_dual(&w->p.dual, &w->p.saved, &w->p.c);
    return before;
}

/* Move weights to the conditions that the best leaves of all trees meet least. */
static void reweigh(ew_state *w, double step)
{
    const ew_compact *c = &w->p.c;
    double *score = w->p.row_best, largest = 0.0, sum = 0.0;
    for (int32_t r = 0; r < c->n_rows; r++)
        score[r] = c->constant[r] - w->p.needed[r];
    for (int32_t t = 0; t < c->n_trees; t++) {
        int32_t best = w->p.dual.active[w->p.dual.first_active[t]];
        for (int32_t z = w->p.dual.first_active[t]; z < w->p.dual.first_active[t + 1]; z++)
            if (w->p.dual.total[w->p.dual.active[z]] > w->p.dual.total[best])
                best = w->p.dual.active[z];
        for (int32_t r = 0; r < c->n_rows; r++)
            score[r] += c->gain[(size_t)best * (size_t)c->n_rows + (size_t)r];
    }
    for (int32_t r = 0; r < c->n_rows; r++)
        largest = ew_max(largest, fabs(score[r]));
    for (int32_t r = 0; r < c->n_rows; r++) {
        w->p.dual.pi[r] = ew_max(w->p.dual.pi[r] * exp(-step * score[r] / (largest + DBL_MIN)), 1e-4);
        sum += w->p.dual.pi[r];
    }
    for (int32_t r = 0; r < c->n_rows; r++)
        w->p.dual.pi[r] /= sum;
    ew_dual_weigh(&w->p.dual, c);
    ew_dual_refresh(&w->p.dual, c);
}

/* The relaxed optimum as a point, distance being made cheaper and cheaper until it is accepted. */
static void offer_relaxed(ew_state *w)
{
    const ew_compact *c = &w->p.c;
    for (size_t trial = 0; trial < sizeof CHEAPER / sizeof *CHEAPER; trial++) {
        const double cheaper = CHEAPER[trial] * w->p.dual.mu;
        memcpy(w->point, w->p.own, sizeof(int32_t) * (size_t)w->f->n_vars);
        for (int32_t i = 0; i < c->n_vars; i++) {
            double most = -INFINITY;
            for (int32_t k = c->first_cell[i]; k < c->first_cell[i + 1]; k++) {
                const double B = w->p.dual.B[k] + cheaper * c->cost[k];
                if (w->p.dual.alive[k] && B > most) {
                    most = B;
                    w->point[c->var[i]] = c->original[k];
                }
            }
        }
        if (w->row->inside) {
            if (!ew_accepts(w->f, w->point, w->best.margin, w->best.sums))
                continue;
            ew_offer_around(w, w->point);
            return;
        }
        const double cost = ew_cost_of(&w->best, w->point);
        if (w->best.has_point && cost > 2.5 * w->best.value)
            return;
        if (isfinite(cost) && ew_accepts(w->f, w->point, w->best.margin, w->best.sums)) {
            ew_offer(&w->best, w->point);
            return;
        }
    }
}

int ew_is_out_of_reach(ew_state *w)
{
    const ew_compact *c = &w->p.c;
    if (w->f->has_strict && !w->row->cone)
        ew_votes_needed(&w->p.proof.votes, c, w->p.dual.is_active, w->p.needed);
    for (int32_t r = 0; r < c->n_rows; r++) {
        double sum = c->constant[r];
        for (int32_t t = 0; t < c->n_trees; t++) {
            double most = -INFINITY;
            for (int32_t z = w->p.dual.first_active[t]; z < w->p.dual.first_active[t + 1]; z++)
                most = ew_max(most, c->gain[(size_t)w->p.dual.active[z] * (size_t)c->n_rows + (size_t)r]);
            sum += most;
        }
        if (sum < w->p.needed[r])
            return 1;
    }
    return 0;
}

void ew_bound_box(ew_state *w, ew_box *b)
{
    w->row->work += w->p.c.first_condition[w->p.c.n_slots];
    ew_prove(&w->p.proof, &w->p.c, b->alive, w->p.is_dead, ew_limit(w), &w->p.prices, w->p.dual.mu, w->p.dual.pi,
             w->p.dual.theta);
    b->bound = fmax(b->bound, w->p.proof.distance);
}

double ew_missing(const ew_state *w, const ew_box *b)
{
    const double gap = ew_limit(w) - b->bound;
    const int is_near = w->best.has_point || w->best.value >= w->row->cutoff; /* the limit says something */
    return is_near && gap > 0.0 ? gap : b->bound > 0.0 ? b->bound : 0.01 * w->scale;
}

/* The dual point of the best bound of a box so far: with a cone, bounds fall now and then before they rise. */
typedef struct {
    double bound;
    ew_snapshot *dual;
    int is_last; /* there was none after it */
} best_dual;

static void keep_best(ew_state *w, best_dual *best, double bound)
{
    best->is_last = bound > best->bound;
    if (!best->is_last)
        return;
    best->bound = bound;
    if (!w->row->cone)
        return;
    ew_drop_dual(w, best->dual);
    best->dual = ew_keep_dual(w);
}

/* Sweep until the bound is good enough or stalls, as ew_ascend; `best` is given the best dual point. */
static int sweep_box(ew_state *w, ew_box *b, int is_root, double built_for, best_dual *best)
{
    const int most = is_root ? ROOT_SWEEPS : w->row->cone ? SWEEPS_IN_CONE : SWEEPS;
    double before = -INFINITY, bound = -INFINITY;
    for (int sweep = 0; sweep < most; sweep++) {
        ew_dual_sweep(&w->p.dual, &w->p.c, sweep & 1);
        bound = ew_dual_estimate(&w->p.dual, &w->p.c, w->p.needed);
        if (w->row->cone && bound < ew_limit(w) && (is_root || sweep % 2 == 0))
            bound = ew_improve_prices(w, bound, ew_missing(w, b), is_root);
        if (w->row->cone && bound < ew_limit(w) && (is_root || sweep % 2 == 0))
            bound = ew_adapt_diagonal(w, bound, ew_missing(w, b), is_root);
        if (bound >= ew_limit(w)) {
            ew_bound_box(w, b);
            if (b->bound >= ew_limit(w))
                return 0;
        }
        if (!w->has_no_points && (sweep == 0 || sweep == most - 1 || (is_root && sweep % 4 == 0))) {
            offer_relaxed(w);
            if (w->best.value < built_for * (1.0 - EW_REBUILD) && w->row->n_nodes < EW_REBUILD_BEFORE && !ew_is_late(w))
                return 1;
        }
        if (is_root ? sweep % 3 == 2 : sweep % 3 == 1 && sweep < most - 1) {
            const double step = is_root ? w->p.step : 0.1, mu = w->p.dual.mu;
            double better = try_price(w, w->p.direction > 0 ? mu * (1.0 + step) : mu / (1.0 + step), bound, 0);
            if (!(better > bound)) {
                w->p.direction = -w->p.direction;
                if (is_root) {
                    better = try_price(w, w->p.direction > 0 ? mu * (1.0 + step) : mu / (1.0 + step), bound, 0);
                    w->p.step = ew_max(0.02, better > bound ? w->p.step : 0.6 * w->p.step);
                }
            }
            bound = better;
        }
        keep_best(w, best, bound);
        if (ew_is_late(w)) /* any messages prove something */
            break;
        if (w->p.c.n_rows > 1 && is_root && sweep % ROOT_SWEEPS_A_STEP == ROOT_SWEEPS_A_STEP - 1)
            reweigh(w, ROOT_STEP * pow(ROOT_STEP_SHRINKS, sweep));
        else if (w->p.c.n_rows > 1 && !is_root && sweep > 0 && sweep < most - 1)
            reweigh(w, NODE_STEP);
        const int looks_back = is_root ? sweep % ROOT_PATIENCE == ROOT_PATIENCE - 1 : sweep % 2 == 1 && sweep > 1;
        if (looks_back) {
            const double gain = is_root ? ROOT_GAIN : NODE_GAIN;
            if (best->bound - before < gain * (ew_limit(w) - best->bound) && (!is_root || sweep > 2 * ROOT_PATIENCE))
                break;
            before = best->bound;
        }
    }
    return 0;
}

int ew_ascend(ew_state *w, ew_box *b, int is_root, double built_for)
{
    best_dual best = {-INFINITY, NULL, 0};
    const int builds_anew = sweep_box(w, b, is_root, built_for, &best);
    if (best.dual && !best.is_last && !builds_anew && b->bound < ew_limit(w)) {
        ew_load_dual(w, best.dual);
        ew_dual_refresh(&w->p.dual, &w->p.c);
    }
    ew_drop_dual(w, best.dual);
    return builds_anew;
}

int32_t ew_trim(ew_state *w, ew_box *b)
{
    const ew_compact *c = &w->p.c;
    int32_t n = 0;
    for (int32_t i = 0; i < c->n_vars; i++) {
        int32_t low = c->first_cell[i], high = c->first_cell[i + 1] - 1;
        for (; low <= high; low++) {
            if (!b->alive[low])
                continue;
            if (!ew_is_too_far(&w->p.proof, c, i, low, ew_limit(w), w->p.dual.mu)) {
                if (c->is_ordered[i])
                    break;
                continue;
            }
            b->alive[low] = 0;
            n++;
        }
        for (; c->is_ordered[i] && high >= low; high--) {
            if (!b->alive[high])
                continue;
            if (!ew_is_too_far(&w->p.proof, c, i, high, ew_limit(w), w->p.dual.mu))
                break;
            b->alive[high] = 0;
            n++;
        }
    }
    return n;
}
