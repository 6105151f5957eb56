/* Boxes of nodes: what clauses and the slopes of a relaxation leave of them. */
#include "search.h"

/* What a box says of a clause: whether a literal is sure in it, how many are possible, and the last of these. */
typedef struct {
    int is_sure;
    int64_t n_open, last_open;
} clause_state;

static inline clause_state look_at(const whole_search *s, const ew_whole_row *row, const node *box, int64_t clause) {
    clause_state found = {0, 0, -1};
    const ew_whole *w = &s->shared;
    for (int64_t k = w->first_literal[clause]; k < w->first_literal[clause + 1]; k++) {
        int64_t i = w->literal_feature[k];
        double low = row->literal_low[k], high = row->literal_high[k];
        if (!(box->upper[i] >= low && box->lower[i] <= high)) continue;
        found.n_open++;
        found.last_open = k;
        found.is_sure |= low <= box->lower[i] && box->upper[i] <= high;
    }
    return found;
}

int keep_literal(const whole_search *s, const ew_whole_row *row, node *box, int64_t literal) {
    int64_t i = s->shared.literal_feature[literal];
    double low = row->literal_low[literal], high = row->literal_high[literal], own = row->own[i];
    double least = ceil(low), most = floor(high);
    if (low <= own && own < least) least = own; /* a value that is not whole may stay */
    if (most < own && own <= high) most = own;
    if (least > box->lower[i]) box->lower[i] = least;
    if (most < box->upper[i]) box->upper[i] = most;
    return box->lower[i] <= box->upper[i];
}

int narrow_by_clauses(const whole_search *s, const ew_whole_row *row, node *box) {
    int is_narrower = 1;
    for (int64_t round = 0; is_narrower && round < s->shared.is.most_narrowings; round++) {
        is_narrower = 0;
        for (int64_t clause = 0; clause < s->shared.n_clauses; clause++) {
            if (!row->binds[clause]) continue;
            clause_state found = look_at(s, row, box, clause);
            if (found.n_open == 0) return 0;
            if (found.is_sure || found.n_open > 1) continue;
            if (!keep_literal(s, row, box, found.last_open)) return 0;
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
        int64_t n_open = look_at(s, row, box, clause).n_open;
        if (n_open < fewest) { fewest = n_open; broken = clause; }
    }
    return broken;
}

void leave_out_costly_moves(whole_search *s, const ew_whole_row *row) {
    const ew_whole_constants *is = &s->shared.is;
    double room = row->limit - s->proven;
    if (!s->has_slopes || !isfinite(room)) return;
    room = room * (1 + is->room_share) + is->room_amount;
    for (ptrdiff_t i = 0; i < s->n; i++) {
        double price = s->shared.prices[i], own = row->own[i];
        double up = room / (fmax(1 + s->slope[i], is->smallest_reduced_cost) * price);
        double down = room / (fmax(1 - s->slope[i], is->smallest_reduced_cost) * price);
        double highest = fmax(floor(own + up + is->limit_rounding), own);
        double lowest = fmin(ceil(own - down - is->limit_rounding), own);
        if (highest < s->at.upper[i]) s->at.upper[i] = highest;
        if (lowest > s->at.lower[i]) s->at.lower[i] = lowest;
    }
}
