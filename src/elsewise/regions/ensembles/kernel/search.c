#include "search.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "state.h"

/* Sweeps of the first box and of all others, rounds of trimming and sweeping. */
enum { ROOT_SWEEPS = 40, SWEEPS = 6, ROUNDS = 3 };
/* The first box stops when so many sweeps gain less than this share of what is missing; others, too. */
enum { ROOT_PATIENCE = 4 };
static const double ROOT_GAIN = 0.03, NODE_GAIN = 0.02;
/* A box whose bound is within this share of the gap of the best open one is looked into at once. */
static const double PLUNGE = 0.3;
/* The problem is built anew when the incumbent falls by this share, while few boxes are closed. */
static const double REBUILD = 0.1;
enum { REBUILD_BEFORE = 200 };
/* With more leaves than this, those that cannot be had are not looked for without a cone: it costs more than it saves. */
enum { MOST_LEAVES_MARKED = 20000 };
/* With a cone, a row that the trees accept already may have to move all the same: scores needed for a first price. */
static const double LEAST_NEED = 0.05;
/* Times the bound beyond which a point is far. */
static const double FAR = 2.0;
/* Boxes between two pauses grow by this factor. */
enum { PAUSE_FACTOR = 4 };
/* Prices at which the relaxed optimum is tried as a point, as shares that distance is made cheaper by. */
static const double CHEAPER[] = {0.0, 0.08, 0.16, 0.32, 0.64, 1.28};

static double now(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- the dual of one box ---- */

static void copy_dual(ew_dual *to, const ew_dual *from, const ew_compact *c)
{
    to->mu = from->mu;
    memcpy(to->theta, from->theta, sizeof(double) * (size_t)c->n_segments);
    memcpy(to->B, from->B, sizeof(double) * (size_t)c->n_cells);
    memcpy(to->total, from->total, sizeof(double) * (size_t)c->n_leaves);
    memcpy(to->least_message, from->least_message, sizeof(double) * (size_t)c->n_slots);
    memcpy(to->least_messages, from->least_messages, sizeof(double) * (size_t)c->n_trees);
}

/* Try another price with one sweep; keep it if the bound is better. Returns the bound that is kept. */
static double try_price(ew_state *w, double mu, double before, int backward)
{
    copy_dual(&w->saved, &w->dual, &w->c);
    ew_dual_reprice(&w->dual, &w->c, mu);
    ew_dual_sweep(&w->dual, &w->c, backward);
    const double then = ew_dual_estimate(&w->dual, &w->c, w->needed);
    if (then > before)
        return then;
    copy_dual(&w->dual, &w->saved, &w->c);
    return before;
}

/* Move weights to the conditions that the best leaves of all trees meet least. */
static void reweigh(ew_state *w, double step)
{
    const ew_compact *c = &w->c;
    double *score = w->row_best, largest = 0.0, sum = 0.0;
    for (int32_t r = 0; r < c->n_rows; r++)
        score[r] = c->constant[r] - w->needed[r];
    for (int32_t t = 0; t < c->n_trees; t++) {
        int32_t best = w->dual.active[w->dual.first_active[t]];
        for (int32_t z = w->dual.first_active[t]; z < w->dual.first_active[t + 1]; z++)
            if (w->dual.total[w->dual.active[z]] > w->dual.total[best])
                best = w->dual.active[z];
        for (int32_t r = 0; r < c->n_rows; r++)
            score[r] += c->gain[(size_t)best * (size_t)c->n_rows + (size_t)r];
    }
    for (int32_t r = 0; r < c->n_rows; r++)
        largest = fmax(largest, fabs(score[r]));
    for (int32_t r = 0; r < c->n_rows; r++) {
        w->dual.pi[r] = fmax(w->dual.pi[r] * exp(-step * score[r] / (largest + DBL_MIN)), 1e-4);
        sum += w->dual.pi[r];
    }
    for (int32_t r = 0; r < c->n_rows; r++)
        w->dual.pi[r] /= sum;
    ew_dual_weigh(&w->dual, c);
    ew_dual_refresh(&w->dual, c);
}

/* The relaxed optimum as a point, distance being made cheaper and cheaper until it is accepted. */
static void offer_relaxed(ew_state *w)
{
    const ew_compact *c = &w->c;
    for (size_t trial = 0; trial < sizeof CHEAPER / sizeof *CHEAPER; trial++) {
        const double cheaper = CHEAPER[trial] * w->dual.mu;
        memcpy(w->point, w->best.own, sizeof(int32_t) * (size_t)w->f->n_vars);
        for (int32_t i = 0; i < c->n_vars; i++) {
            double most = -INFINITY;
            for (int32_t k = c->first_cell[i]; k < c->first_cell[i + 1]; k++) {
                const double B = w->dual.B[k] + cheaper * c->cost[k];
                if (w->dual.alive[k] && B > most) {
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

/* Whether some condition cannot be met by the leaves that are left. Gains are summed anew; what is needed has room for
 * that. */
static int is_out_of_reach(ew_state *w)
{
    const ew_compact *c = &w->c;
    if (w->f->has_strict && !w->row->cone)
        ew_votes_needed(&w->proof.votes, c, w->dual.is_active, w->needed);
    for (int32_t r = 0; r < c->n_rows; r++) {
        double sum = c->constant[r];
        for (int32_t t = 0; t < c->n_trees; t++) {
            double most = -INFINITY;
            for (int32_t z = w->dual.first_active[t]; z < w->dual.first_active[t + 1]; z++)
                most = fmax(most, c->gain[(size_t)w->dual.active[z] * (size_t)c->n_rows + (size_t)r]);
            sum += most;
        }
        if (sum < w->needed[r])
            return 1;
    }
    return 0;
}

static void prove(ew_state *w, ew_box *b)
{
    ew_prove(&w->proof, &w->c, b->alive, w->is_dead, ew_limit(w), &w->prices, w->dual.mu, w->dual.pi,
             w->dual.theta);
    b->bound = fmax(b->bound, w->proof.distance);
    ew_tell(w, EW_BOUNDED, b, -1, 0);
}

static void close_box(ew_state *w, ew_box *b, int why)
{
    ew_tell(w, EW_CLOSED, b, -1, why);
    ew_drop_box(w, b);
}

/* What is missing of a box's bound to the incumbent, or a scale of distances without one. */
static double missing(const ew_state *w, const ew_box *b)
{
    const double gap = ew_limit(w) - b->bound;
    const int is_near = w->best.has_point || w->best.value >= w->row->cutoff; /* the limit says something */
    return is_near && gap > 0.0 ? gap : b->bound > 0.0 ? b->bound : 0.01 * w->scale;
}

int ew_is_late(const ew_state *w)
{
    if (w->row->gave_up)
        return 1;
    if (w->row->n_nodes >= w->row->most_nodes)
        return 1;
    return now() - w->started > w->row->seconds + (w->best.has_point ? 0.0 : w->row->grace);
}

/* Sweep until the bound is good enough or stalls. Returns whether the incumbent fell so much that it is worth building
 * the problem anew. */
static int ascend(ew_state *w, ew_box *b, int is_root, double built_for)
{
    const int most = is_root ? ROOT_SWEEPS : SWEEPS;
    double before = -INFINITY, bound = -INFINITY;
    for (int sweep = 0; sweep < most; sweep++) {
        ew_dual_sweep(&w->dual, &w->c, sweep & 1);
        bound = ew_dual_estimate(&w->dual, &w->c, w->needed);
        if (w->row->cone && bound < ew_limit(w) && (is_root || sweep % 2 == 0))
            bound = ew_improve_prices(w, bound, missing(w, b), is_root);
        if (w->row->cone && bound < ew_limit(w) && (is_root || sweep % 2 == 0))
            bound = ew_adapt_diagonal(w, bound, missing(w, b), is_root);
        if (bound >= ew_limit(w)) {
            prove(w, b);
            if (b->bound >= ew_limit(w))
                return 0;
        }
        if (sweep == 0 || sweep == most - 1 || (is_root && sweep % 4 == 0)) {
            offer_relaxed(w);
            if (w->best.value < built_for * (1.0 - REBUILD) && w->row->n_nodes < REBUILD_BEFORE && !ew_is_late(w))
                return 1;
        }
        if (is_root ? sweep % 3 == 2 : sweep % 3 == 1 && sweep < most - 1) {
            const double step = is_root ? w->step : 0.1, mu = w->dual.mu;
            double better = try_price(w, w->direction > 0 ? mu * (1.0 + step) : mu / (1.0 + step), bound, 0);
            if (!(better > bound)) {
                w->direction = -w->direction;
                if (is_root) {
                    better = try_price(w, w->direction > 0 ? mu * (1.0 + step) : mu / (1.0 + step), bound, 0);
                    w->step = fmax(0.02, better > bound ? w->step : 0.6 * w->step);
                }
            }
            bound = better;
        }
        if (ew_is_late(w)) /* any messages prove something */
            break;
        if (w->c.n_rows > 1 && (is_root ? sweep % 4 == 3 : sweep == most - 2))
            reweigh(w, is_root ? 0.4 * pow(0.97, sweep) : 0.05);
        const int looks_back = is_root ? sweep % ROOT_PATIENCE == ROOT_PATIENCE - 1 : sweep % 2 == 1 && sweep > 1;
        if (looks_back) {
            const double gain = is_root ? ROOT_GAIN : NODE_GAIN;
            if (bound - before < gain * (ew_limit(w) - bound) && (!is_root || sweep > 2 * ROOT_PATIENCE))
                break;
            before = bound;
        }
    }
    return 0;
}

/* Take cells out of a box that the proof rules out: at the ends of ordered variables, anywhere in others. */
static int32_t trim(ew_state *w, ew_box *b)
{
    const ew_compact *c = &w->c;
    int32_t n = 0;
    for (int32_t i = 0; i < c->n_vars; i++) {
        int32_t low = c->first_cell[i], high = c->first_cell[i + 1] - 1;
        for (; low <= high; low++) {
            if (!b->alive[low])
                continue;
            if (!ew_is_too_far(&w->proof, c, i, low, ew_limit(w), w->dual.mu)) {
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
            if (!ew_is_too_far(&w->proof, c, i, high, ew_limit(w), w->dual.mu))
                break;
            b->alive[high] = 0;
            n++;
        }
    }
    return n;
}

/* A box that is a single point: it is accepted, or it is not, or rounding leaves it open. */
static void close_single(ew_state *w, const ew_box *b)
{
    ew_only_point(w, b);
    const int accepted = ew_accepts(w->f, w->point, w->best.margin, w->best.sums);
    ew_offer(&w->best, w->point);
    if (accepted || w->best.margin > 0.0 || ew_may_accept(w->f, w->point, w->best.sums))
        w->settled = fmin(w->settled, w->dual.base);
}

/* ---- the search ---- */

/* Look into one box. Returns 1 to build the problem anew, 0 else; *go_on is the half of it to look into next. */
static int look_into(ew_state *w, ew_box *b, int is_root, double built_for, ew_box **go_on)
{
    *go_on = NULL;
    int is_new = 0;
    if (w->row->inside && !ew_relax_box(w, b, &is_new)) {
        close_box(w, b, EW_BY_PROJECTION);
        return 0;
    }
    for (int round = 0; round < ROUNDS; round++) {
        if (!ew_dual_enter(&w->dual, &w->c, b->alive, w->is_dead, ew_limit(w)) || is_out_of_reach(w)) {
            close_box(w, b, EW_NOTHING_LEFT);
            return 0;
        }
        b->bound = fmax(b->bound, w->dual.base);
        ew_dual_refresh(&w->dual, &w->c);
        if (round == 0 && is_new && w->row->cone)
            ew_try_relaxed(w);
        if (ascend(w, b, is_root && round == 0, built_for))
            return 1;
        if (b->bound >= ew_limit(w)) {
            close_box(w, b, EW_BY_BOUND);
            return 0;
        }
        prove(w, b);
        if (b->bound >= ew_limit(w)) {
            close_box(w, b, EW_BY_BOUND);
            return 0;
        }
        const int32_t trimmed = trim(w, b);
        if (w->row->cone || w->c.n_leaves <= MOST_LEAVES_MARKED)
            ew_mark_dead(&w->proof, &w->c, b->alive, ew_limit(w), w->dual.mu, w->is_dead);
        ew_tell(w, EW_NARROWED, b, -1, 0);
        if (trimmed < 2 || trimmed * 8 < w->c.n_cells || ew_is_late(w))
            break;
    }
    if (ew_is_late(w)) { /* no time to look for a split */
        w->row->status = EW_STOPPED;
        w->settled = fmin(w->settled, b->bound);
        close_box(w, b, EW_BY_BOUND);
        return 0;
    }
    if (is_root) {
        w->first = ew_keep_dual(w);
        const double before = w->best.value;
        if (w->best.has_point && !w->row->inside && !ew_is_late(w))
            ew_exchange(&w->best);
        if (w->best.value < before * (1.0 - REBUILD / 2) && !ew_is_late(w))
            return 1;
    }
    if (!ew_dual_enter(&w->dual, &w->c, b->alive, w->is_dead, ew_limit(w))) { /* cells were trimmed since */
        close_box(w, b, EW_NOTHING_LEFT);
        return 0;
    }
    ew_dual_refresh(&w->dual, &w->c);
    ew_split at = {0};
    at.var = -1;
    if (w->row->cone && w->row->n_nodes % 2) /* in turn: what the cone hides, what the trees tell apart */
        at = ew_spread_split(w, missing(w, b));
    if (at.var < 0)
        at = ew_best_split(w);
    if (b->bound >= ew_limit(w)) { /* a better point turned up */
        close_box(w, b, EW_BY_BOUND);
        return 0;
    }
    if (at.var < 0) {
        if (w->row->inside)
            ew_finish_box(w, b);
        else
            close_single(w, b);
        close_box(w, b, EW_BY_POINT);
        return 0;
    }
    b = ew_divide(w, b, at);
    if (b->bound <= w->heap[0]->bound + PLUNGE * (w->best.value - w->heap[0]->bound)) {
        *go_on = b;
        return 0;
    }
    b->dual = ew_keep_dual(w);
    ew_push(w, b);
    return 0;
}

static void open_problem(ew_state *w)
{
    ew_compact *c = &w->c;
    w->heap = NULL;
    w->n_open = w->room = 0;
    w->free_boxes = NULL;
    w->free_snapshots = NULL;
    w->first = NULL;
    w->kept = 0;
    ew_dual_open(&w->dual, c, &w->arena);
    ew_dual_open(&w->saved, c, &w->arena);
    ew_proof_open(&w->proof, c, &w->arena);
    w->is_dead = EW_TAKE(&w->arena, uint8_t, c->n_leaves);
    ew_prices_open(&w->prices, c, w->row->cone, &w->arena);
    if (w->row->cone) {
        ew_newton_open(&w->newton, c, w->row->cone, &w->arena);
        ew_prices_set(&w->prices, c, w->row->cone, &w->at);
        ew_dual_take_prices(&w->dual, c, &w->prices);
    }
    w->left = EW_TAKE(&w->arena, double, c->n_cells);
    w->right = EW_TAKE(&w->arena, double, c->n_cells);
    w->plain = EW_TAKE(&w->arena, double, c->n_cells);
    w->row_best = EW_TAKE(&w->arena, double, c->n_rows);
    w->needed = EW_TAKE(&w->arena, double, c->n_rows);
    memcpy(w->needed, w->f->least, sizeof(double) * (size_t)c->n_rows);
    w->step = 0.5;
    w->direction = 1;
}

/* First weights and price: what is missing at the row itself, over the incumbent's distance. */
static void first_dual(ew_state *w)
{
    const ew_forest *f = w->f;
    double *score = EW_TAKE(&w->arena, double, (size_t)f->n_rows * 2), sum = 0.0, need = 0.0;
    double *along = EW_TAKE(&w->arena, double, (size_t)(f->first_cell[1] - f->first_cell[0] + 1) * (size_t)f->n_rows);
    ew_along(f, w->best.own, 0, along);
    memcpy(score, along + (size_t)w->best.own[0] * (size_t)f->n_rows, sizeof(double) * (size_t)f->n_rows);
    for (int32_t r = 0; r < f->n_rows; r++)
        sum += fmax(0.0, f->least[r] - score[r]);
    for (int32_t r = 0; r < f->n_rows; r++) {
        const double share = sum > 0.0 ? fmax(0.0, f->least[r] - score[r]) / sum : 1.0 / f->n_rows;
        w->dual.pi[r] = 0.98 * share + 0.02 / f->n_rows;
        need += w->dual.pi[r] * (f->least[r] - score[r]);
    }
    w->dual.mu = 2.0 * fmax(need, w->row->cone ? LEAST_NEED : 1e-6) / fmax(fmin(w->best.value, w->scale), DBL_MIN * 1e10);
    ew_dual_weigh(&w->dual, &w->c);
}

/* The cheapest cell of each variable. */
static void find_own(const ew_forest *f, const ew_row *row, int32_t *own)
{
    for (int32_t i = 0; i < f->n_vars; i++) {
        own[i] = 0;
        for (int32_t k = 1; k < f->first_cell[i + 1] - f->first_cell[i]; k++)
            if (row->cost[f->first_cell[i] + k] < row->cost[f->first_cell[i] + own[i]])
                own[i] = k;
    }
}

/* Let others look for better answers. Returns 1 if the problem is to be built anew. */
static int pause(ew_state *w, const ew_box *b, double built_for)
{
    const ew_inside *inside = w->row->inside;
    const double bound = fmin(fmin(w->settled, b->bound), w->n_open ? w->heap[0]->bound : INFINITY);
    int is_narrower = 0;
    const double value = inside->pause(inside->context, bound, &is_narrower);
    if (isnan(value))
        w->row->gave_up = 1;
    const int is_better = ew_take_value(w, value);
    if (is_narrower)
        find_own(w->f, w->row, w->own);
    return is_narrower || (is_better && value < built_for * (1.0 - REBUILD));
}

static int is_late_row(const void *state)
{
    return ew_is_late(state);
}

/* See how much nearer another point has to be. */
static void find_step_below(ew_state *w)
{
    if (w->below_of != w->best.value) {
        w->below = ew_step_below(&w->steps, w->best.value);
        w->below_of = w->best.value;
    }
}

/* Search one compact problem. Returns 1 if it is to be built anew. */
static int search_problem(ew_state *w)
{
    find_step_below(w);
    const double built_for = w->best.value;
    const ew_cone *cone = w->row->cone;
    const ew_cells cells = {cone ? cone->low : NULL, cone ? cone->high : NULL, cone ? cone->penalty : NULL};
    const ew_clock clock = {is_late_row, w};
    ew_tell(w, EW_BEGUN, NULL, -1, 0);
    const int built =
        ew_compact_build(w->f, w->row->bound, w->best.own, ew_limit(w), cone ? &cells : NULL, &clock, &w->arena, &w->c);
    if (built == EW_LATE) {
        w->row->status = EW_STOPPED;
        w->settled = w->row->recorder ? 0.0 : fmin(w->settled, w->known);
    }
    if (built != EW_BUILT)
        return 0;
    open_problem(w);
    first_dual(w);
    ew_box *b = ew_new_box(w);
    memset(b->alive, 1, (size_t)w->c.n_cells);
    b->bound = w->row->recorder ? 0.0 : w->known; /* a certificate has the boxes of the last problem alone */
    b->number = w->n_boxes++;
    ew_tell(w, EW_OPENED, b, -1, 0);
    int is_root = 1;
    while (b || w->n_open) {
        if (!b) {
            b = ew_pop(w);
            if (b->bound >= ew_limit(w)) {
                close_box(w, b, EW_BY_BOUND);
                b = NULL;
                continue;
            }
            ew_load_dual(w, b->dual ? b->dual : w->first);
            ew_drop_dual(w, b->dual);
            b->dual = NULL;
        }
        const double lowest = fmin(w->settled, fmin(b->bound, w->n_open ? w->heap[0]->bound : INFINITY));
        const int is_far = w->row->n_nodes == w->row->far_after && lowest > 0.0 && w->best.value > FAR * lowest;
        if (is_far || ew_is_late(w)) {
            w->row->status = EW_STOPPED;
            w->settled = lowest;
            return 0;
        }
        w->known = fmax(w->known, lowest);
        w->row->n_nodes++;
        if (w->row->inside && w->row->n_nodes == w->next_pause) {
            w->next_pause *= PAUSE_FACTOR;
            if (pause(w, b, built_for))
                return 1;
        }
        find_step_below(w);
        ew_box *next;
        if (look_into(w, b, is_root, built_for, &next))
            return 1;
        b = next;
        is_root = 0;
    }
    return 0;
}

void ew_search(const ew_forest *f, ew_row *row)
{
    jmp_buf no_memory;
    ew_state *w = calloc(1, sizeof *w);
    row->status = EW_NO_MEMORY;
    row->has_point = 0;
    row->lower_bound = 0.0;
    row->value = INFINITY;
    row->n_nodes = 0;
    row->gave_up = 0;
    if (!w)
        return;
    w->once.no_memory = w->arena.no_memory = &no_memory;
    if (setjmp(no_memory) == 0) {
        w->f = f;
        w->row = row;
        w->started = now();
        w->settled = INFINITY;
        int32_t *own = w->own = EW_TAKE(&w->once, int32_t, f->n_vars);
        double farthest = 0.0;
        int is_possible = 1;
        find_own(f, row, own);
        for (int32_t i = 0; i < f->n_vars; i++) {
            const double *cost = row->cost + f->first_cell[i];
            double most = 0.0;
            for (int32_t k = 0; k < f->first_cell[i + 1] - f->first_cell[i]; k++) {
                if (isfinite(cost[k]))
                    most = fmax(most, cost[k]);
            }
            if (row->cone) /* the cone ends cells */
                for (int32_t k = f->first_cell[i]; k < f->first_cell[i + 1]; k++)
                    if (isfinite(row->bound[k]) && i < row->cone->n)
                        most = fmax(most, fmax(fabs(row->cone->low[k]), fabs(row->cone->high[k])));
            farthest += most;
            is_possible &= isfinite(cost[own[i]]) != 0;
        }
        row->status = EW_PROVEN;
        /* everything there is is within this */
        const double all = row->inside && !row->cone ? DBL_MAX / 4.0 : 2.0 * farthest + DBL_MIN * 1e20;
        w->scale = 2.0 * farthest + DBL_MIN * 1e20;
        if (is_possible) {
            w->best = (ew_incumbent){.forest = f, .cost = row->cost, .bound = row->bound, .own = own,
                                     .margin = row->margin, .best = row->cells, .value = fmin(row->cutoff, all)};
            ew_incumbent_open(&w->best, &w->once);
            w->point = EW_TAKE(&w->once, int32_t, f->n_vars);
            w->moves = EW_TAKE(&w->once, double, f->n_vars);
            w->order = EW_TAKE(&w->once, int32_t, f->n_vars);
            w->low = EW_TAKE(&w->once, int32_t, f->n_vars);
            w->high = EW_TAKE(&w->once, int32_t, f->n_vars);
            w->levels = EW_TAKE(&w->once, uint8_t, f->first_cell[f->n_vars]);
            if (row->cone)
                ew_open_cone(w);
            w->at.kappa = row->cone ? 0.1 * fmin(w->best.value, w->scale) / row->cone->squared_radius : 0.0;
            w->next_pause = row->inside ? row->inside->pause_after : -1;
            if (!row->inside && !row->recorder) /* certificates are of bounds as they come */
                ew_steps_find(&w->steps, f, row->cost, row->bound, &w->once);
            if (row->inside)
                ew_first_points(w);
            else {
                ew_offer(&w->best, own);
                ew_single_changes(&w->best);
                ew_greedy_changes(&w->best);
            }
            while (search_problem(w))
                ew_give_back(&w->arena);
            row->has_point = w->best.has_point;
            row->value = w->best.has_point ? w->best.value : INFINITY;
            row->lower_bound = fmin(w->settled, ew_limit(w));
            row->lower_bound = fmax(row->lower_bound, fmin(ew_step_from(&w->steps, row->lower_bound),
                                                           w->best.value * (1.0 - row->tolerance) - w->steps.error));
            if (!w->best.has_point && row->cutoff > all)
                row->lower_bound = w->settled;
        } else
            row->lower_bound = INFINITY;
    } else {
        row->has_point = w->best.has_point;
        row->value = w->best.has_point ? w->best.value : INFINITY;
        row->lower_bound = 0.0;
        row->status = EW_NO_MEMORY;
    }
    ew_give_back(&w->arena);
    ew_give_back(&w->once);
    free(w);
}

int ew_first_bound(const ew_forest *f, ew_row *row, int n_sweeps, double *mu, double *pi, double *theta)
{
    jmp_buf no_memory;
    ew_state *w = calloc(1, sizeof *w);
    volatile int status = EW_NO_MEMORY; /* keeps its value where memory runs out */
    if (!w)
        return status;
    w->once.no_memory = w->arena.no_memory = &no_memory;
    if (setjmp(no_memory) == 0) {
        w->f = f;
        w->row = row;
        int32_t *own = EW_TAKE(&w->once, int32_t, f->n_vars);
        for (int32_t i = 0; i < f->n_vars; i++)
            for (int32_t k = 0; k < f->first_cell[i + 1] - f->first_cell[i]; k++)
                if (row->cost[f->first_cell[i] + k] < row->cost[f->first_cell[i] + own[i]])
                    own[i] = k;
        w->best = (ew_incumbent){.forest = f, .cost = row->cost, .bound = row->bound, .own = own, .value = row->cutoff};
        w->scale = row->cutoff;
        status = EW_STOPPED;
        row->lower_bound = row->cutoff;
        if (ew_compact_build(f, row->bound, own, row->cutoff, NULL, NULL, &w->arena, &w->c) == EW_BUILT) {
            const ew_compact *c = &w->c;
            open_problem(w);
            first_dual(w);
            uint8_t *alive = EW_TAKE(&w->arena, uint8_t, c->n_cells);
            memset(alive, 1, (size_t)c->n_cells);
            if (ew_dual_enter(&w->dual, c, alive, w->is_dead, row->cutoff)) {
                ew_dual_refresh(&w->dual, c);
                w->proof.leaves_votes_out = 1;
                for (int sweep = 0; sweep < n_sweeps; sweep++)
                    ew_dual_sweep(&w->dual, c, sweep & 1);
                ew_prove(&w->proof, c, alive, w->is_dead, row->cutoff, &w->prices, w->dual.mu, w->dual.pi,
                         w->dual.theta);
                row->lower_bound = w->proof.distance;
                status = EW_PROVEN;
                *mu = w->dual.mu;
                memcpy(pi, w->dual.pi, sizeof(double) * (size_t)f->n_rows);
                ew_spread_messages(f, c, w->dual.theta, theta);
            }
        }
    }
    ew_give_back(&w->arena);
    ew_give_back(&w->once);
    free(w);
    return status;
}
