/* Boxes of nodes: what rules and the slopes of a relaxation leave of them. */
#include "search.h"

static int is_empty(const whole_search *s, const node *box) {
    for (ptrdiff_t i = 0; i < s->n; i++)
        if (box->lower[i] > box->upper[i]) return 1;
    for (ptrdiff_t c = 0; c < s->n_groups; c++)
        if (levels_left(s, box, c) == 0) return 1;
    return 0;
}

/* What moves goes far enough. */
static void narrow_by_least_moves(const whole_search *s, const ew_whole_row *row, node *box) {
    for (ptrdiff_t i = 0; i < s->n; i++) {
        double own = row->own[i], below = row->below[i], above = row->above[i];
        double low = box->lower[i], high = box->upper[i];
        if (low > own) low = fmax(low, above);
        if (high < own) high = fmin(high, below);
        if (own <= high && high < above) high = own;
        if (below < low && low <= own) low = own;
        box->lower[i] = low;
        box->upper[i] = high;
    }
}

int narrow_by_rules(const whole_search *s, const ew_whole_row *row, node *box) {
    if (row->below) narrow_by_least_moves(s, row, box);
    return !is_empty(s, box) && narrow_by_clauses(s, row, box) && !is_empty(s, box);
}

/* Count what has to change, for its own value is out of the box; where that is all that may, the rest stays. 0 if it is
 * more than may. */
static int fix_the_rest(const whole_search *s, const ew_whole_row *row, node *box) {
    int64_t total = 0;
    for (ptrdiff_t i = 0; i < s->n; i++)
        if (row->own[i] < box->lower[i] || row->own[i] > box->upper[i]) box->counted[s->shared.unit[i]] = 1;
    for (int64_t unit = 0; unit < s->shared.n_units; unit++) total += box->counted[unit];
    for (ptrdiff_t i = 0; i < s->n && total >= s->shared.max_changes; i++)
        if (!box->counted[s->shared.unit[i]]) box->lower[i] = box->upper[i] = row->own[i];
    return total <= s->shared.max_changes;
}

int narrow(const whole_search *s, const ew_whole_row *row, node *box) {
    return narrow_by_rules(s, row, box) && (s->shared.max_changes < 0 || fix_the_rest(s, row, box));
}

int moves_far_enough(const whole_search *s, const ew_whole_row *row, const double *point) {
    for (ptrdiff_t i = 0; i < s->n && row->below; i++)
        if (!(point[i] <= row->below[i] || point[i] >= row->above[i] || point[i] == row->own[i])) return 0;
    return 1;
}

int changes_few_enough(const whole_search *s, const ew_whole_row *row, const double *point) {
    int64_t n_changed = 0;
    for (int64_t unit = 0; unit < s->open.n_counted; unit++) {
        int is_changed = 0;
        for (ptrdiff_t i = 0; i < s->n; i++) is_changed |= s->shared.unit[i] == unit && point[i] != row->own[i];
        n_changed += is_changed;
    }
    return s->shared.max_changes < 0 || n_changed <= s->shared.max_changes;
}

void leave_out_costly_moves(whole_search *s, const ew_whole_row *row) {
    const ew_whole_constants *is = &s->shared.is;
    double room = row->limit - s->proven;
    if (!s->has_slopes || !isfinite(room)) return;
    room = room * (1 + is->room_share) + is->room_amount;
    for (ptrdiff_t i = 0; i < s->n; i++) {
        if (!is_whole_number(s, i)) continue;
        double price = s->shared.prices[i], own = row->own[i];
        double up = room / (fmax(1 + s->slope[i], is->smallest_reduced_cost) * price);
        double down = room / (fmax(1 - s->slope[i], is->smallest_reduced_cost) * price);
        double highest = fmax(floor(own + up + is->limit_rounding), own);
        double lowest = fmin(ceil(own - down - is->limit_rounding), own);
        if (highest < s->at.upper[i]) s->at.upper[i] = highest;
        if (lowest > s->at.lower[i]) s->at.lower[i] = lowest;
    }
    for (ptrdiff_t c = 0; c < s->n_groups; c++) {
        if (levels_left(s, &s->at, c) < 2) continue; /* the price of a level that is decided is paid already */
        for (ptrdiff_t i = first_level(s, c); i < end_of_levels(s, c); i++)
            if (row->own[i] == 0 && (1 + s->slope[i]) * s->shared.prices[i] > room) s->at.upper[i] = 0;
    }
}
