/* A proof that nothing is nearer than a bound, step by step for someone else to check: a search without points, depth first,
 * that tells how boxes are divided and what closes them. */
#include "record.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "clock.h"
#include "extremes.h"
#include "state.h"

/* Multipliers are whole numbers of a unit, a power of two: the coarsest with which a box still closes, for short lines. */
enum { COARSE = 16 };
/* Larger whole numbers are not exact any more. */
static const double MOST = 4503599627370496.0;
/* Conditions that the best leaves miss by less than this, relative to their terms, may be met. */
static const double CLEAR = 1e-9;
/* Where the best leaves are not enough, weights are so large that what is missing is so many times the bound. */
static const double BEYOND = 4.0;
/* Without anything that is missing, a first price: as with a cone. */
static const double LEAST_NEED = 0.05;

typedef struct {
    ew_state *w;
    const ew_recorder *to;
    double *pi, *kernel_pi; /* n_rows: whole numbers, and what they stand for */
    double *messages, *theta;
} ew_recording;

/* Prices of compact cells, which may differ from their costs, and of variables that are none any more. */
static void take_prices(ew_state *w, const ew_recorder *to)
{
    const ew_forest *f = w->f;
    const ew_compact *c = &w->p.c;
    ew_prices *p = &w->p.prices;
    p->constant = to->constant - c->fixed_cost;
    p->constant_size = fabs(to->constant) + c->fixed_cost;
    for (int32_t k = 0; k < c->n_cells; k++)
        p->price[k] = INFINITY;
    for (int32_t i = 0; i < f->n_vars; i++) {
        double least = INFINITY;
        int is_kept = 0;
        for (int32_t k = f->first_cell[i]; k < f->first_cell[i + 1]; k++) {
            least = ew_min(least, to->price[k]);
            if (c->compact_of[k] < 0)
                continue;
            is_kept = 1;
            p->price[c->compact_of[k]] = ew_min(p->price[c->compact_of[k]], to->price[k]);
        }
        p->constant += is_kept ? 0.0 : least;
        p->constant_size += is_kept ? 0.0 : fabs(least);
    }
    for (int32_t k = 0; k < c->n_cells; k++)
        p->size[k] = fabs(p->price[k]);
    ew_dual_take_prices(&w->p.dual, c, p);
}

/* Close a box by weights of the conditions and messages, if they prove enough as whole numbers. Returns whether they do. */
static int close_by_dual(ew_recording *r, const ew_box *b, int bits)
{
    ew_state *w = r->w;
    const ew_compact *c = &w->p.c;
    const double unit = ldexp(1.0, -bits), mu = w->p.dual.mu;
    if (!(mu > 0.0))
        return 0;
    for (int32_t k = 0; k < c->n_rows; k++) {
        r->pi[k] = rint(w->p.dual.pi[k] / (mu * r->to->scale[k]) / unit);
        r->kernel_pi[k] = r->pi[k] * unit * r->to->scale[k];
        if (!(r->pi[k] < MOST))
            return 0;
    }
    for (int32_t g = 0; g < c->n_segments; g++) {
        r->messages[g] = rint(w->p.dual.theta[g] / mu / unit);
        r->theta[g] = r->messages[g] * unit;
        if (!(fabs(r->messages[g]) < MOST))
            return 0;
    }
    w->row->work += c->first_condition[c->n_slots];
    ew_prove(&w->p.proof, c, b->alive, w->p.is_dead, ew_limit(w), &w->p.prices, 1.0, r->kernel_pi, r->theta);
    if (w->p.proof.distance < r->to->wanted)
        return 0;
    r->to->close(r->to->context, c, b->alive, r->pi, r->messages, bits);
    return 1;
}

/* Close a box for nothing in it is so near, or some tree has no leaf left. */
static void close_empty(ew_recording *r)
{
    memset(r->pi, 0, sizeof(double) * (size_t)r->w->p.c.n_rows);
    r->to->close(r->to->context, NULL, NULL, r->pi, NULL, r->to->bits);
}

/* Close a box in which the best leaves of all trees are not enough for some condition. Returns whether they are not. */
static int close_out_of_reach(ew_recording *r)
{
    ew_state *w = r->w;
    const ew_compact *c = &w->p.c;
    double all = c->fixed_cost + w->p.prices.constant;
    for (int32_t i = 0; i < c->n_vars; i++) {
        double least = INFINITY;
        for (int32_t k = c->first_cell[i]; k < c->first_cell[i + 1]; k++)
            least = w->p.dual.alive[k] ? ew_min(least, w->p.prices.price[k]) : least;
        all += least;
    }
    memcpy(w->p.needed, w->f->least, sizeof(double) * (size_t)c->n_rows);
    if (w->f->has_strict)
        ew_votes_needed(&w->p.proof.votes, c, w->p.dual.is_active, w->p.needed);
    for (int32_t row = 0; row < c->n_rows; row++) {
        double missing = w->p.needed[row] - c->constant[row], size = fabs(w->p.needed[row]) + fabs(c->constant[row]);
        for (int32_t t = 0; t < c->n_trees; t++) {
            double most = -INFINITY;
            for (int32_t z = w->p.dual.first_active[t]; z < w->p.dual.first_active[t + 1]; z++)
                most = ew_max(most, c->gain[(size_t)w->p.dual.active[z] * (size_t)c->n_rows + (size_t)row]);
            missing -= most;
            size += fabs(most);
        }
        if (!(missing > CLEAR * size))
            continue;
        memset(r->pi, 0, sizeof(double) * (size_t)c->n_rows);
        const double unit = CLEAR * size * r->to->scale[row]; /* what is missing at least */
        r->pi[row] = ceil(BEYOND * (r->to->wanted - ew_min(all, 0.0)) / unit * ldexp(1.0, r->to->bits));
        r->to->close(r->to->context, NULL, NULL, r->pi, NULL, r->to->bits);
        return 1;
    }
    return 0;
}

/* Close a box, if that can be done without dividing it. */
static int close_box(ew_recording *r, ew_box *b, int is_root)
{
    ew_state *w = r->w;
    if (!ew_dual_enter(&w->p.dual, &w->p.c, b->alive, w->p.is_dead, ew_limit(w))) {
        close_empty(r);
        return 1;
    }
    if (close_out_of_reach(r))
        return 1;
    b->bound = 0.0;
    ew_dual_refresh(&w->p.dual, &w->p.c);
    ew_ascend(w, b, is_root, w->best.value);
    if (ew_dual_estimate(&w->p.dual, &w->p.c, w->p.needed) < r->to->wanted)
        return 0;
    const int coarse = r->to->bits < COARSE ? 0 : r->to->bits - COARSE;
    return close_by_dual(r, b, coarse) || close_by_dual(r, b, r->to->bits);
}

/* Divide a box; the second part is kept for later. Returns 0 if it is a single point. */
static int divide(ew_recording *r, ew_box *b)
{
    ew_state *w = r->w;
    const ew_compact *c = &w->p.c;
    ew_split at = ew_best_split(w);
    if (at.var < 0)
        return 0;
    at.second_first = 0;
    const int32_t k = c->is_ordered[at.var] ? c->last_original[at.cell - 1] : c->original[at.cell];
    r->to->divide(r->to->context, c->var[at.var], k);
    b->bound = -(double)w->n_boxes; /* the part that was kept last comes first */
    ew_divide(w, b, at);
    return 1;
}

/* Close all boxes. Returns 0 if one cannot be, or they are too many. */
static int close_all(ew_recording *r)
{
    ew_state *w = r->w;
    ew_box *b = ew_new_box(w);
    memset(b->alive, 1, (size_t)w->p.c.n_cells);
    b->number = w->n_boxes++;
    for (int is_root = 1;; is_root = 0) {
        w->row->n_nodes++;
        if (!close_box(r, b, is_root)) {
            if (is_root)
                w->p.first = ew_keep_dual(w);
            if (ew_is_late(w) || !divide(r, b))
                return 0;
            continue;
        }
        ew_drop_box(w, b);
        if (!w->p.n_open)
            return 1;
        b = ew_pop(w);
        ew_load_dual(w, b->dual ? b->dual : w->p.first);
        ew_drop_dual(w, b->dual);
        b->dual = NULL;
    }
}

static int record(ew_recording *r)
{
    ew_state *w = r->w;
    ew_row *row = w->row;
    int32_t *own = EW_TAKE(&w->once, int32_t, w->f->n_vars);
    ew_find_own(w->f, row, own);
    w->started = row->listened = ew_now();
    w->best = (ew_incumbent){.forest = w->f, .cost = row->cost, .bound = row->bound, .own = own, .value = row->cutoff};
    w->scale = row->cutoff;
    r->pi = EW_TAKE(&w->once, double, w->f->n_rows);
    r->kernel_pi = EW_TAKE(&w->once, double, w->f->n_rows);
    w->p.c.n_rows = w->f->n_rows;
    if (ew_compact_build(w->f, row->bound, own, NULL, row->cutoff, NULL, NULL, &w->p.arena, &w->p.c) != EW_BUILT) {
        close_empty(r);
        return 1;
    }
    ew_open_problem(w);
    ew_first_dual(w);
    w->p.dual.mu = fmax(w->p.dual.mu, 2.0 * LEAST_NEED / fmax(row->cutoff, DBL_MIN * 1e10));
    take_prices(w, r->to);
    r->messages = EW_TAKE(&w->p.arena, double, w->p.c.n_segments);
    r->theta = EW_TAKE(&w->p.arena, double, w->p.c.n_segments);
    return close_all(r);
}

int ew_record(const ew_forest *f, ew_row *row, const ew_recorder *to)
{
    jmp_buf no_memory;
    ew_state *w = calloc(1, sizeof *w);
    volatile int status = EW_NO_MEMORY; /* keeps its value where memory runs out */
    if (!w)
        return status;
    ew_recording r = {.w = w, .to = to};
    w->once.no_memory = w->p.arena.no_memory = &no_memory;
    w->f = f;
    w->row = row;
    w->has_no_points = 1;
    row->n_nodes = row->gave_up = 0;
    row->work = 0.0;
    if (setjmp(no_memory) == 0)
        status = record(&r) ? EW_PROVEN : EW_STOPPED;
    ew_drop_problems(w);
    ew_give_back(&w->once);
    free(w);
    return status;
}
