/* Clauses: alternatives of which one has to hold, in boxes and at points. */
#include "search.h"

/* Smallest value of a feature in a box: 1 for the indicator of a level that is decided. */
static inline double least_of(const whole_search *s, const node *box, ptrdiff_t i) {
    if (is_number(s, i)) return box->lower[i];
    return levels_left(s, box, (ptrdiff_t)s->shared.cells.group[i]) == 1 ? box->upper[i] : 0;
}

/* What a box says of a literal. */
typedef enum { NEVER, OPEN, SURE } literal_state;

static inline literal_state look_at(const whole_search *s, const ew_whole_row *row, const node *box, int64_t literal) {
    ptrdiff_t i = (ptrdiff_t)s->shared.literal_feature[literal];
    double low = row->literal_low[literal], high = row->literal_high[literal], least = least_of(s, box, i);
    if (!(box->upper[i] >= low && least <= high)) return NEVER;
    return low <= least && box->upper[i] <= high ? SURE : OPEN;
}

/* A level that has to be or must not be; 0 if none is left. */
static int keep_level(const whole_search *s, node *box, ptrdiff_t level, int is_this) {
    ptrdiff_t c = (ptrdiff_t)s->shared.cells.group[level];
    if (!is_this) box->upper[level] = 0;
    for (ptrdiff_t i = first_level(s, c); i < end_of_levels(s, c) && is_this; i++)
        if (i != level) box->upper[i] = 0;
    return levels_left(s, box, c) > 0;
}

int keep_literal(const whole_search *s, const ew_whole_row *row, node *box, int64_t literal) {
    ptrdiff_t i = (ptrdiff_t)s->shared.literal_feature[literal];
    double low = row->literal_low[literal], high = row->literal_high[literal], own = row->own[i], least = low, most = high;
    if (!is_number(s, i)) {
        if (!(box->upper[i] >= low && least_of(s, box, i) <= high)) return 0;
        return keep_level(s, box, i, low > 0) && box->lower[i] <= box->upper[i];
    }
    if (is_whole_number(s, i)) {
        least = ceil(low);
        most = floor(high);
        if (low <= own && own < least) least = own; /* a value that is not whole may stay */
        if (most < own && own <= high) most = own;
    }
    if (least > box->lower[i]) box->lower[i] = least;
    if (most < box->upper[i]) box->upper[i] = most;
    return box->lower[i] <= box->upper[i];
}

/* The literal that a clause leaves in a box; -1 where it leaves none, -2 where one is sure or several are open. */
static inline int64_t only_literal(const whole_search *s, const ew_whole_row *row, const node *box, int64_t clause) {
    int64_t only = -1;
    for (int64_t k = s->shared.first_literal[clause]; k < s->shared.first_literal[clause + 1]; k++) {
        literal_state state = look_at(s, row, box, k);
        if (state == SURE || (state == OPEN && only >= 0)) return -2;
        if (state == OPEN) only = k;
    }
    return only;
}

int narrow_by_clauses(const whole_search *s, const ew_whole_row *row, node *box) {
    int is_narrower = 1;
    for (int64_t round = 0; is_narrower && round < s->shared.is.most_narrowings; round++) {
        is_narrower = 0;
        for (int64_t clause = 0; clause < s->shared.n_clauses; clause++) {
            if (!row->binds[clause]) continue;
            int64_t only = only_literal(s, row, box, clause);
            if (only == -2) continue;
            if (only < 0 || !keep_literal(s, row, box, only)) return 0;
            is_narrower = 1;
        }
    }
    return 1;
}

static inline int keeps_clause(const whole_search *s, const ew_whole_row *row, int64_t clause, const double *point) {
    for (int64_t k = s->shared.first_literal[clause]; k < s->shared.first_literal[clause + 1]; k++) {
        double value = point[s->shared.literal_feature[k]];
        if (row->literal_low[k] <= value && value <= row->literal_high[k]) return 1;
    }
    return 0;
}

int keeps_clauses(const whole_search *s, const ew_whole_row *row, const double *point) {
    for (int64_t clause = 0; clause < s->shared.n_clauses; clause++)
        if (row->binds[clause] && !keeps_clause(s, row, clause, point)) return 0;
    return 1;
}

int64_t broken_clause(const whole_search *s, const ew_whole_row *row, const node *box, const double *point) {
    int64_t broken = -1, fewest = INT64_MAX;
    for (int64_t clause = 0; clause < s->shared.n_clauses; clause++) {
        if (!row->binds[clause] || keeps_clause(s, row, clause, point)) continue;
        int64_t n_open = 0;
        for (int64_t k = s->shared.first_literal[clause]; k < s->shared.first_literal[clause + 1]; k++)
            n_open += look_at(s, row, box, k) != NEVER;
        if (n_open < fewest) { fewest = n_open; broken = clause; }
    }
    return broken;
}
