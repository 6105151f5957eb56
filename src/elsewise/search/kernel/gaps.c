/* Gaps of numbers: clauses about one number, which is a code or in the regular range and nothing between. A relaxed value
 * in a gap is no value at all: it is divided before anything is made whole. */
#include "search.h"

/* Whether a clause is about one number alone. */
static inline int is_about_a_number(const whole_search *s, int64_t clause) {
    const int64_t *feature = s->shared.literal_feature;
    int64_t first = s->shared.first_literal[clause];
    if (!is_number(s, (ptrdiff_t)feature[first])) return 0;
    for (int64_t k = first + 1; k < s->shared.first_literal[clause + 1]; k++)
        if (feature[k] != feature[first]) return 0;
    return 1;
}

/* How far the relaxed value is from the nearest literal of a clause that the box leaves, in units of the distance. */
static double depth_of_gap(const whole_search *s, const ew_whole_row *row, int64_t clause) {
    ptrdiff_t i = (ptrdiff_t)s->shared.literal_feature[s->shared.first_literal[clause]];
    double value = s->relaxed[i], nearest = HUGE_VAL;
    for (int64_t k = s->shared.first_literal[clause]; k < s->shared.first_literal[clause + 1]; k++) {
        double low = fmax(row->literal_low[k], s->at.lower[i]), high = fmin(row->literal_high[k], s->at.upper[i]);
        if (low <= high) nearest = fmin(nearest, fmax(fmax(low - value, value - high), 0));
    }
    return nearest > s->shared.is.whole ? nearest * s->shared.prices[i] : 0;
}

int64_t widest_gap(const whole_search *s, const ew_whole_row *row) {
    int64_t chosen = -1;
    double deepest = 0;
    for (int64_t clause = 0; clause < s->shared.n_clauses; clause++) {
        if (!row->binds[clause] || !is_about_a_number(s, clause)) continue;
        double depth = depth_of_gap(s, row, clause);
        if (depth > deepest) { deepest = depth; chosen = clause; }
    }
    return chosen;
}

void divide_gap(whole_search *s, const ew_whole_row *row, int64_t clause) {
    ptrdiff_t i = (ptrdiff_t)s->shared.literal_feature[s->shared.first_literal[clause]];
    double own = row->own[i], price = s->shared.prices[i];
    for (int64_t k = s->shared.first_literal[clause]; k < s->shared.first_literal[clause + 1]; k++) {
        copy_node(s);
        if (!keep_literal(s, row, &s->child, k)) continue;
        if (s->has_slopes) { /* what the way there costs at least, by the slopes of the relaxation */
            double up = s->child.lower[i] - own, down = own - s->child.upper[i], reduced_cost = 0;
            if (up > 0) reduced_cost = fmax((1 + s->slope[i]) * up * price, 0);
            if (down > 0) reduced_cost = fmax((1 - s->slope[i]) * down * price, 0);
            s->child.bound = fmax(s->child.bound, s->proven + reduced_cost * (1 - s->shared.is.bound_rounding));
        }
        push_child(s, row);
    }
}
