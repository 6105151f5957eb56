/* One box: narrowed, closed, or divided. */
#include "state.h"

#include <math.h>

/* Rounds of trimming and sweeping. */
enum { ROUNDS = 3 };
/* Another round is worth it if it took away at least so many cells, and one of so many. */
enum { LEAST_TRIMMED = 2, TRIMMED_SHARE = 8 };
/* A box whose bound is within this share of the gap of the best open one is looked into at once. */
static const double PLUNGE = 0.3;
/* With more leaves than this, those that cannot be had are not looked for without a cone: it costs more than it saves. */
enum { MOST_LEAVES_MARKED = 20000 };

/* What becomes of a box. */
enum { CLOSED = 0, LEFT_OPEN, BUILD_ANEW };

int ew_close_box(ew_state *w, ew_box *b)
{
    ew_drop_box(w, b);
    return CLOSED;
}

/* Sweep and trim in turn. */
static int narrow(ew_state *w, ew_box *b, int is_root, int is_new, double built_for)
{
    for (int round = 0; round < ROUNDS; round++) {
        if (!ew_dual_enter(&w->p.dual, &w->p.c, b->alive, w->p.is_dead, ew_limit(w)) || ew_is_out_of_reach(w))
            return ew_close_box(w, b);
        b->bound = fmax(b->bound, w->p.dual.base);
        ew_dual_refresh(&w->p.dual, &w->p.c);
        if (round == 0 && is_new && w->row->cone)
            ew_try_relaxed(w);
        if (ew_ascend(w, b, is_root && round == 0, built_for))
            return BUILD_ANEW;
        if (b->bound >= ew_limit(w))
            return ew_close_box(w, b);
        ew_bound_box(w, b);
        if (b->bound >= ew_limit(w))
            return ew_close_box(w, b);
        const int32_t trimmed = ew_trim(w, b);
        if (w->row->cone || w->p.c.n_leaves <= MOST_LEAVES_MARKED)
            ew_mark_dead(&w->p.proof, &w->p.c, b->alive, ew_limit(w), w->p.dual.mu, w->p.is_dead);
        if (trimmed < LEAST_TRIMMED || trimmed * TRIMMED_SHARE < w->p.c.n_cells || ew_is_late(w))
            break;
    }
    if (!ew_is_late(w))
        return LEFT_OPEN;
    w->row->status = EW_STOPPED; /* no time to look for a split */
    w->settled = fmin(w->settled, b->bound);
    return ew_close_box(w, b);
}

/* After the first box: keep what others start from, and look for a better point. Returns whether one was found for which
 * it is worth building the problem anew. */
static int finish_first(ew_state *w)
{
    w->p.first = ew_keep_dual(w);
    const double before = w->best.value;
    if (w->best.has_point && !w->row->inside && !ew_is_late(w))
        ew_exchange(&w->best);
    return w->best.value < before * (1.0 - EW_REBUILD / 2) && !ew_is_late(w);
}

/* A box that is a single point: it is accepted, or it is not, or rounding leaves it open. */
static void settle_single(ew_state *w, const ew_box *b)
{
    ew_only_point(w, b);
    const int accepted = ew_accepts(w->f, w->point, w->best.margin, w->best.sums);
    ew_offer(&w->best, w->point);
    if (accepted || w->best.margin > 0.0 || ew_may_accept(w->f, w->point, w->best.sums))
        w->settled = fmin(w->settled, w->p.dual.base);
}

int ew_look_into(ew_state *w, ew_box *b, int is_root, double built_for, ew_box **go_on)
{
    *go_on = NULL;
    int is_new = 0;
    if (w->row->inside && !ew_relax_box(w, b, &is_new))
        return ew_close_box(w, b);
    const int is_left = narrow(w, b, is_root, is_new, built_for);
    if (is_left != LEFT_OPEN)
        return is_left == BUILD_ANEW;
    if (is_root && finish_first(w))
        return 1;
    if (!ew_dual_enter(&w->p.dual, &w->p.c, b->alive, w->p.is_dead, ew_limit(w))) /* cells were trimmed since */
        return ew_close_box(w, b);
    if (ew_go_within(w, b, go_on))
        return 0;
    ew_dual_refresh(&w->p.dual, &w->p.c);
    const ew_split at = w->row->cone ? ew_choose_split(w, b) : ew_best_split(w);
    if (b->bound >= ew_limit(w)) /* a better point turned up */
        return ew_close_box(w, b);
    if (at.var < 0) {
        if (w->row->inside)
            ew_finish_box(w, b);
        else
            settle_single(w, b);
        return ew_close_box(w, b);
    }
    b = ew_divide(w, b, at);
    if (b->bound <= w->p.heap[0]->bound + PLUNGE * (w->best.value - w->p.heap[0]->bound)) {
        *go_on = b;
        return 0;
    }
    b->dual = ew_keep_dual(w);
    ew_push(w, b);
    return 0;
}
