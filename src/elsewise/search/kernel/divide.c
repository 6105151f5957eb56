/* Dividing nodes: a cone into its cells, a category into its levels, a whole number at its fractional value. */
#include "search.h"

void push_child(whole_search *s, const ew_whole_row *row) {
    if (!isfinite(s->child.bound) || !narrow(s, row, &s->child)) return;
    if (!is_worth(s, row, s->child.bound)) s->settled = fmin(s->settled, s->child.bound);
    else if (!node_heap_push(&s->open, &s->child)) s->out_of_memory = 1;
}

void copy_node(whole_search *s) {
    size_t size = (size_t)s->n * sizeof(double);
    s->child.bound = s->at.bound;
    s->child.cone = s->at.cone;
    s->child.part = s->at.part;
    memcpy(s->child.lower, s->at.lower, size);
    memcpy(s->child.upper, s->at.upper, size);
    if (s->open.n_counted) memcpy(s->child.counted, s->at.counted, (size_t)s->open.n_counted);
}

/* A child with other limits of one number. */
static void push_limited(whole_search *s, const ew_whole_row *row, ptrdiff_t i, double low, double high) {
    copy_node(s);
    s->child.lower[i] = fmax(s->child.lower[i], low);
    s->child.upper[i] = fmin(s->child.upper[i], high);
    push_child(s, row);
}

/* Whether a row's own value of a whole number is not whole and yet in the node: it may stay. */
static int may_stay(const whole_search *s, const ew_whole_row *row, ptrdiff_t i) {
    double own = row->own[i];
    return own != rint(own) && s->at.lower[i] <= own && own <= s->at.upper[i];
}

/* Below and above a fractional number. */
static void divide_number(whole_search *s, const ew_whole_row *row, ptrdiff_t i) {
    double value = s->relaxed[i], own = row->own[i];
    push_limited(s, row, i, -HUGE_VAL, floor(value));
    push_limited(s, row, i, ceil(value), HUGE_VAL);
    if (may_stay(s, row, i)) push_limited(s, row, i, own, own);
}

/* The levels of a category, with what the relaxation says they cost at least. */
static void divide_category(whole_search *s, const ew_whole_row *row, ptrdiff_t c, int is_relaxed) {
    for (ptrdiff_t level = first_level(s, c); level < end_of_levels(s, c); level++) {
        if (s->at.upper[level] != 1) continue;
        copy_node(s);
        for (ptrdiff_t i = first_level(s, c); i < end_of_levels(s, c); i++) s->child.upper[i] = i == level;
        if (is_relaxed && s->has_slopes && row->own[level] == 0) {
            double reduced_cost = fmax((1 + s->slope[level]) * s->shared.prices[level], 0);
            s->child.bound = fmax(s->child.bound, s->proven + reduced_cost * (1 - s->shared.is.bound_rounding));
        }
        push_child(s, row);
    }
}

ptrdiff_t lost_level(const whole_search *s, const ew_whole_row *row, const node *box) {
    for (ptrdiff_t c = 0; c < s->n_groups; c++) {
        int has_own = 0;
        for (ptrdiff_t i = first_level(s, c); i < end_of_levels(s, c); i++) has_own |= box->upper[i] == 1 && row->own[i] == 1;
        if (!has_own && levels_left(s, box, c) > 1) return c;
    }
    return -1;
}

int divide_lost_level(whole_search *s, ew_whole_row *row) {
    ptrdiff_t c = lost_level(s, row, &s->at);
    if (c < 0) return 0;
    row->loses_own_level = 1;
    s->trail[0] = -1;
    divide_category(s, row, c, 0);
    return 1;
}

/* The literals of a clause that are possible in the node. */
static void divide_clause(whole_search *s, const ew_whole_row *row, int64_t clause) {
    for (int64_t k = s->shared.first_literal[clause]; k < s->shared.first_literal[clause + 1]; k++) {
        copy_node(s);
        if (keep_literal(s, row, &s->child, k)) push_child(s, row);
    }
}

/* Where the relaxed point is whole and yet no answer, or there is none: a category that is undecided, or around the value
 * of the whole number that moves most. 0 if all that is discrete is decided. */
static int divide_around(whole_search *s, const ew_whole_row *row) {
    ptrdiff_t widest = -1, most_left = 1;
    for (ptrdiff_t c = 0; c < s->n_groups; c++)
        if (levels_left(s, &s->at, c) > most_left) { most_left = levels_left(s, &s->at, c); widest = c; }
    if (widest >= 0) {
        divide_category(s, row, widest, 0);
        return 1;
    }
    double most = -1, whole = 0;
    for (ptrdiff_t i = 0; i < s->n; i++) {
        if (!is_whole_number(s, i) || !(s->at.lower[i] < s->at.upper[i])) continue;
        double value = s->has_point ? s->relaxed[i] : fmin(fmax(row->own[i], s->at.lower[i]), s->at.upper[i]);
        if (fabs(value - row->own[i]) > most) { most = fabs(value - row->own[i]); widest = i; whole = rint(value); }
    }
    if (widest < 0) return 0;
    push_limited(s, row, widest, -HUGE_VAL, whole - 1);
    push_limited(s, row, widest, whole, whole);
    push_limited(s, row, widest, whole + 1, HUGE_VAL);
    if (may_stay(s, row, widest)) push_limited(s, row, widest, row->own[widest], row->own[widest]);
    return 1;
}

/* What dividing at number i gains, by an estimate: the sum of what its two sides cost (their product, or the lesser of
 * them, takes a tenth or a fifth more nodes). */
static double gain(const whole_search *s, const ew_whole_row *row, ptrdiff_t i) {
    double value = s->relaxed[i], price = s->shared.prices[i], room = 2 * (row->limit - s->at.bound);
    double down = (value - floor(value)) * price, up = (ceil(value) - value) * price;
    return fmin(down * down * s->stiffness[i], room) + fmin(up * up * s->stiffness[i], room);
}

/* Divide at what gains most; without an estimate, at what costs most to make whole. 0 if all is. */
static int divide_fraction(whole_search *s, const ew_whole_row *row) {
    ptrdiff_t best = -1, category = -1;
    double largest = 0, largest_gain = 0, largest_category = 0;
    for (ptrdiff_t c = 0; c < s->n_groups; c++) {
        double size = category_fraction(s, c);
        if (size > largest_category) { largest_category = size; category = c; }
    }
    for (ptrdiff_t i = 0; i < s->n; i++) {
        double size = fraction(s, row, i);
        if (size == 0) continue;
        double gained = category < 0 ? gain(s, row, i) : 0;
        if (gained > largest_gain || (largest_gain == 0 && size > largest)) {
            largest_gain = gained;
            largest = size;
            best = i;
        }
    }
    if (category >= 0 && largest_category >= largest) divide_category(s, row, category, 1);
    else if (best >= 0) divide_number(s, row, best);
    else return 0;
    return 1;
}

/* The number of the relaxed point that moves too little, the one of them that moves most; -1 if all move far enough. */
static ptrdiff_t short_move(const whole_search *s, const ew_whole_row *row) {
    ptrdiff_t chosen = -1;
    double most = s->shared.is.still; /* moves within rounding are none */
    for (ptrdiff_t i = 0; i < s->n && row->below; i++) {
        double own = row->own[i], value = s->relaxed[i], moved = fabs(value - own) * s->shared.prices[i];
        int is_open = s->at.lower[i] <= own && own <= s->at.upper[i] && s->at.lower[i] < s->at.upper[i];
        if (is_open && moved > most && value > row->below[i] && value < row->above[i]) { most = moved; chosen = i; }
    }
    return chosen;
}

/* What is too short stays, goes down or goes up. */
static void divide_short_move(whole_search *s, const ew_whole_row *row, ptrdiff_t i) {
    push_limited(s, row, i, row->own[i], row->own[i]);
    push_limited(s, row, i, -HUGE_VAL, row->below[i]);
    push_limited(s, row, i, row->above[i], HUGE_VAL);
}

/* What a unit of the relaxed point costs, 0 if it does not change noticeably. */
static double change_of(const whole_search *s, const ew_whole_row *row, int64_t unit) {
    double cost = 0;
    int is_changed = 0;
    for (ptrdiff_t i = 0; i < s->n; i++) {
        if (s->shared.unit[i] != unit) continue;
        double apart = fabs(s->relaxed[i] - row->own[i]);
        is_changed |= apart > s->shared.is.whole;
        cost += apart * s->shared.prices[i];
    }
    return is_changed ? cost : 0;
}

/* Where too many columns of the relaxed point change, the most costly change that is not counted yet; else -1. */
static int64_t change_too_many(const whole_search *s, const ew_whole_row *row) {
    int64_t n_changed = 0, chosen = -1;
    double most = 0;
    for (int64_t unit = 0; unit < s->open.n_counted; unit++) {
        double cost = change_of(s, row, unit);
        n_changed += cost > 0;
        if (cost > most && !s->at.counted[unit]) { most = cost; chosen = unit; }
    }
    return n_changed > s->shared.max_changes ? chosen : -1;
}

/* A change is left out, or counted. Counting it leaves the relaxation of the node in hand as it is: the node in hand goes on
 * with it, unless its box gets narrower. Whether it goes on. */
static int divide_change(whole_search *s, const ew_whole_row *row, int64_t unit) {
    size_t size = (size_t)s->n * sizeof(double);
    copy_node(s);
    for (ptrdiff_t i = 0; i < s->n; i++)
        if (s->shared.unit[i] == unit) s->child.lower[i] = s->child.upper[i] = row->own[i];
    push_child(s, row);
    s->at.counted[unit] = 1;
    copy_node(s);
    if (!narrow(s, row, &s->child)) return 0;
    if (!memcmp(s->child.lower, s->at.lower, size) && !memcmp(s->child.upper, s->at.upper, size)) return 1;
    push_child(s, row);
    return 0;
}

/* Number of a clause that the relaxed point breaks, shares of levels rounded; -1 if it keeps all. */
static int64_t clause_of_relaxed(whole_search *s, const ew_whole_row *row) {
    if (!s->has_point || !s->shared.n_clauses) return -1;
    round_to_nearest(s, row, s->candidate);
    return broken_clause(s, row, &s->at, s->candidate);
}

/* Whether all that is discrete is decided. */
static int is_decided(const whole_search *s) {
    for (ptrdiff_t i = 0; i < s->n; i++)
        if (is_whole_number(s, i) && s->at.lower[i] != s->at.upper[i]) return 0;
    for (ptrdiff_t c = 0; c < s->n_groups; c++)
        if (levels_left(s, &s->at, c) != 1) return 0;
    return 1;
}

/* A single point is an answer or none. */
static void close_single(whole_search *s, const ew_whole_row *row) {
    int64_t part, cone;
    for (ptrdiff_t i = 0; i < s->n; i++) s->candidate[i] = is_number(s, i) ? s->at.lower[i] : s->at.upper[i];
    if (is_member(s, row, s->candidate, &part, &cone)) s->settled = fmin(s->settled, s->at.bound);
}

int close_if_done(whole_search *s, const ew_whole_row *row) {
    if (!is_decided(s)) return 0;
    if (s->all_discrete) {
        close_single(s, row);
        return 1;
    }
    if (s->has_point && (short_move(s, row) >= 0 || change_too_many(s, row) >= 0 || clause_of_relaxed(s, row) >= 0)) return 0;
    s->settled = fmin(s->settled, s->at.bound);
    return 1;
}

/* Whether the relaxed point is in the box of the node in hand, which may be narrower than the one it was solved for. */
static int is_relaxed_inside(const whole_search *s) {
    for (ptrdiff_t i = 0; i < s->n; i++)
        if (s->relaxed[i] > s->at.upper[i] || (is_number(s, i) && s->relaxed[i] < s->at.lower[i])) return 0;
    return 1;
}

/* Divide a cone into its cells. If one of them has the cone's own relaxation, it becomes the node in hand; whether it is
 * left to divide. */
static int goes_on_in_part(whole_search *s, ew_whole_row *row) {
    int64_t part = part_of_relaxed(s, row);
    divide_cone(s, row, part);
    if (part < 0) return 0;
    limit_to_part(s, row, part, &s->at);
    if (!narrow(s, row, &s->at)) return 0;
    if (!is_relaxed_inside(s)) { /* the part's limits leave less to least moves and clauses: solved once more */
        copy_node(s);
        push_child(s, row);
        return 0;
    }
    if (is_worth(s, row, s->at.bound)) return !close_if_done(s, row);
    s->settled = fmin(s->settled, s->at.bound);
    return 0;
}

void divide(whole_search *s, ew_whole_row *row) {
    int was_decided = is_decided(s);
    leave_out_costly_moves(s, row);
    if (s->at.part < 0 && row->use_region && !goes_on_in_part(s, row)) return;
    ptrdiff_t number = s->has_point ? short_move(s, row) : -1;
    int64_t change = -1, clause;
    if (number >= 0) {
        divide_short_move(s, row, number);
        return;
    }
    while (s->has_point && (change = change_too_many(s, row)) >= 0)
        if (!divide_change(s, row, change)) return;
    if (s->has_point && (clause = widest_gap(s, row)) >= 0) {
        divide_gap(s, row, clause);
        return;
    }
    if (s->has_point && divide_fraction(s, row)) return;
    if ((clause = clause_of_relaxed(s, row)) >= 0) divide_clause(s, row, clause);
    else if (divide_around(s, row)) return;
    else if (s->all_discrete) close_single(s, row);
    else if (was_decided) s->settled = fmin(s->settled, s->at.bound);
    else { /* without costly moves nothing is left to divide: solved once more, it is done */
        copy_node(s);
        push_child(s, row);
    }
}
