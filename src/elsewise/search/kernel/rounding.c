/* Points made by rounding relaxed ones: checked as they are, improved by taking changes back; where numbers are left to
 * solve for, solved for them. */
#include "search.h"

/* Move a category of a point to one level. */
static inline void set_level(const whole_search *s, ptrdiff_t c, ptrdiff_t level, double *point) {
    for (ptrdiff_t i = first_level(s, c); i < end_of_levels(s, c); i++) point[i] = i == level;
}

/* The level of a category with the largest share in the relaxed point, but for one. */
static inline ptrdiff_t largest_level(const whole_search *s, ptrdiff_t c, ptrdiff_t but) {
    ptrdiff_t best = -1;
    for (ptrdiff_t i = first_level(s, c); i < end_of_levels(s, c); i++)
        if (i != but && (best < 0 || s->relaxed[i] > s->relaxed[best])) best = i;
    return best < 0 ? but : best;
}

void round_to_nearest(const whole_search *s, const ew_whole_row *row, double *point) {
    for (ptrdiff_t i = 0; i < s->n; i++) {
        double value = s->relaxed[i];
        point[i] = is_whole_number(s, i) && value != row->own[i] ? rint(value) : value;
    }
    for (ptrdiff_t c = 0; c < s->n_groups; c++) set_level(s, c, largest_level(s, c, -1), point);
}

/* Take back a change of the incumbent, number i; whether that gives a better one. */
static int take_number_back(whole_search *s, ew_whole_row *row, ptrdiff_t i) {
    double value = s->best[i], own = row->own[i], apart = value - own;
    double tries[3] = {own, value - trunc(apart / 2), value - (apart > 0 ? 1 : -1)};
    int is_better = 0;
    for (int k = 0; k < (fabs(apart) > 1 ? 3 : 1) && !is_better; k++) {
        s->other[i] = tries[k];
        is_better = offer(s, row, s->other);
    }
    s->other[i] = value;
    return is_better;
}

static int take_category_back(whole_search *s, ew_whole_row *row, ptrdiff_t c) {
    size_t size = (size_t)(end_of_levels(s, c) - first_level(s, c)) * sizeof *s->other;
    memcpy(s->other + first_level(s, c), row->own + first_level(s, c), size);
    int is_better = offer(s, row, s->other);
    memcpy(s->other + first_level(s, c), s->best + first_level(s, c), size);
    return is_better;
}

/* Take one change of the incumbent back, wholly, by half or by one step, the best way there is; whether there is one. */
static int take_one_back(whole_search *s, ew_whole_row *row) {
    size_t size = (size_t)s->n * sizeof *s->best;
    int is_better = 0;
    memcpy(s->best, row->point, size);
    memcpy(s->other, row->point, size);
    for (ptrdiff_t i = 0; i < s->n; i++) {
        if (s->best[i] == row->own[i]) continue;
        if (is_number(s, i)) is_better |= take_number_back(s, row, i);
        else if (row->own[i] == 1) is_better |= take_category_back(s, row, (ptrdiff_t)s->shared.cells.group[i]);
    }
    return is_better;
}

static void offer_and_improve(whole_search *s, ew_whole_row *row) {
    if (!offer(s, row, s->candidate)) return;
    for (int64_t k = 1; k < s->shared.is.most_improvements && take_one_back(s, row); k++) continue;
}

/* The most fractional columns of the relaxed point, at most so many, numbers as they are counted and categories after
 * them; returns how many there are. */
static int64_t most_fractional(whole_search *s, const ew_whole_row *row, int64_t most) {
    int64_t count = 0;
    while (count < most) {
        ptrdiff_t best = -1;
        double largest = 0;
        for (ptrdiff_t column = 0; column < s->n + s->n_groups; column++) {
            int is_taken = 0;
            for (int64_t k = 0; k < count; k++) is_taken |= s->columns[k] == column;
            if (is_taken) continue;
            double size = column < s->n ? fraction(s, row, column) : category_fraction(s, column - s->n);
            if (size > largest) { largest = size; best = column; }
        }
        if (best < 0) break;
        s->columns[count++] = best;
    }
    return count;
}

/* Round a column the other way. */
static void round_other_way(const whole_search *s, ptrdiff_t column, double *point) {
    if (column < s->n) {
        double value = s->relaxed[column];
        point[column] = floor(value) + ceil(value) - rint(value);
    } else {
        ptrdiff_t c = column - s->n;
        set_level(s, c, largest_level(s, c, largest_level(s, c, -1)), point);
    }
}

/* Around the relaxed point: to the nearest, the most fractional columns both ways, and away from the row. */
static void offer_around(whole_search *s, ew_whole_row *row) {
    int64_t ways = most_fractional(s, row, s->shared.is.columns_both_ways);
    for (int64_t bits = 0; bits <= (int64_t)1 << ways; bits++) {
        round_to_nearest(s, row, s->candidate);
        if (bits == (int64_t)1 << ways) {
            for (ptrdiff_t i = 0; i < s->n; i++) {
                double value = s->relaxed[i], own = row->own[i];
                if (is_whole_number(s, i) && value != own) s->candidate[i] = value > own ? ceil(value) : floor(value);
            }
        } else
            for (int64_t k = 0; k < ways; k++)
                if (bits >> k & 1) round_other_way(s, (ptrdiff_t)s->columns[k], s->candidate);
        offer_and_improve(s, row);
    }
}

/* Whether what is fixed in the try rules out a part. */
static int is_ruled_out(const whole_search *s, const ew_whole_row *row, int64_t part) {
    int64_t place = (row->first_polyhedron + part) * s->n;
    for (ptrdiff_t i = 0; i < s->n; i++)
        if (s->shared.kind[i] != EW_NUMBER &&
            (s->trial.upper[i] < s->shared.least[place + i] || s->trial.upper[i] > s->shared.most[place + i])) return 1;
    return 0;
}

/* Solve for the numbers of the try until rounding leaves the user's rules alone, and if it widens the margin, too, the
 * density; whether the last point is not dense. */
static int offer_until_kept(whole_search *s, ew_whole_row *row, int widens) {
    int64_t n_tries = s->shared.rules_at < 0 && !widens ? 1 : s->shared.n_margins;
    for (int64_t inside = 0; inside < n_tries && solve_trial(s, row, inside, widens); inside++) {
        for (ptrdiff_t i = 0; i < s->n; i++) { /* keeping away from a rule moved nothing real */
            int stays = is_number(s, i) && fabs(s->candidate[i] - row->own[i]) * s->shared.prices[i] < s->shared.is.still;
            s->other[i] = stays ? row->own[i] : s->candidate[i];
        }
        offer(s, row, s->other);
        offer(s, row, s->candidate);
        int is_short = !is_dense(s, row, s->candidate, s->trial.cone);
        int keeps = s->shared.rules_at < 0 || s->shared.keeps_rules(s->shared.rules, s->candidate);
        if (keeps && !(is_short && widens)) return is_short;
    }
    return 0;
}

static void offer_solved(whole_search *s, ew_whole_row *row) {
    if (offer_until_kept(s, row, 0)) offer_until_kept(s, row, 1);
}

/* The nearest few parts, for a cone alone. */
static void offer_in_parts(whole_search *s, ew_whole_row *row) {
    double least = -HUGE_VAL;
    int64_t last = -1;
    for (int64_t tried = 0; tried < s->shared.is.parts_tried; tried++) { /* in the order of bounds, then of parts */
        int64_t next = -1;
        for (int64_t k = 0; k < row->n_parts; k++) {
            double bound = row->part_bounds[k];
            if (!isfinite(bound) || bound < least || (bound == least && k <= last)) continue;
            if (next < 0 || bound < row->part_bounds[next]) next = k;
        }
        if (next < 0) return;
        least = row->part_bounds[next];
        last = next;
        s->trial.part = next;
        if (!is_ruled_out(s, row, next)) offer_solved(s, row);
    }
}

/* What moves too little in the try stays or moves far enough, whichever is nearer to the relaxed point. */
static void decide_short_moves(whole_search *s, const ew_whole_row *row) {
    for (ptrdiff_t i = 0; i < s->n && row->below; i++) {
        double own = row->own[i], value = s->candidate[i], below = row->below[i], above = row->above[i];
        if (s->shared.kind[i] != EW_NUMBER || value == own || value <= below || value >= above) continue;
        if (value > own && value - own > above - value) s->trial.lower[i] = fmax(s->trial.lower[i], above);
        else if (value < own && own - value > value - below) s->trial.upper[i] = fmin(s->trial.upper[i], below);
        else if (s->trial.lower[i] <= own && own <= s->trial.upper[i]) s->trial.lower[i] = s->trial.upper[i] = own;
    }
}

/* Fix all that is discrete at the nearest and solve for the rest. */
static void solve_for_numbers(whole_search *s, ew_whole_row *row) {
    size_t size = (size_t)s->n * sizeof *s->candidate;
    round_to_nearest(s, row, s->candidate);
    memcpy(s->trial.lower, s->at.lower, size);
    memcpy(s->trial.upper, s->at.upper, size);
    s->trial.cone = s->at.cone;
    s->trial.part = s->at.part;
    for (ptrdiff_t i = 0; i < s->n; i++) {
        if (s->shared.kind[i] == EW_NUMBER) continue;
        if (s->candidate[i] < s->at.lower[i] || s->candidate[i] > s->at.upper[i]) return;
        s->trial.lower[i] = s->trial.upper[i] = s->candidate[i];
    }
    /* rules may hold with equality: it may be the answer, and then nothing in the node is nearer */
    if (is_relaxed_whole(s, row) && offer(s, row, s->candidate) && !is_worth(s, row, s->at.bound)) return;
    decide_short_moves(s, row);
    if (!narrow_by_rules(s, row, &s->trial)) return;
    if (s->trial.part < 0 && row->use_region) offer_in_parts(s, row);
    else offer_solved(s, row);
}

void round_relaxed(whole_search *s, ew_whole_row *row) {
    if (s->all_discrete) offer_around(s, row);
    /* with numbers left to solve for, each try is a projection: where all is whole, and now and then */
    else if (!isfinite(row->limit) || (row->n_nodes & (row->n_nodes - 1)) == 0 || is_relaxed_whole(s, row))
        solve_for_numbers(s, row);
}
