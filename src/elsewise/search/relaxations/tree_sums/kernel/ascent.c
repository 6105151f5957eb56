#include "dual.h"

#include <math.h>
#include <string.h>

/* What a segment that no leaf allows gets: far below all scores, which add up to about one. */
static const double FORBIDDEN = -16.0;

/* Least message among the segments of a set that the box leaves; infinite if it leaves none. */
static inline double least_of_set(const ew_dual *d, const ew_compact *c, int32_t s, int32_t set)
{
    const double *theta = d->theta + c->first_segment[s];
    double least = INFINITY;
    if (c->has_ranges[s]) {
        for (int32_t g = d->set_low[set]; g <= d->set_high[set]; g++)
            least = theta[g] < least ? theta[g] : least;
        return least;
    }
    const uint8_t *alive = d->segment_alive + c->first_segment[s];
    for (size_t a = c->first_allowed[set]; a < c->first_allowed[set + 1]; a++)
        if (alive[c->allowed[a]] && theta[c->allowed[a]] < least)
            least = theta[c->allowed[a]];
    return least;
}

/* Raise the best value of each segment of a set. */
static inline void raise_set(const ew_dual *d, const ew_compact *c, int32_t s, int32_t set, double value, double *best)
{
    if (c->has_ranges[s]) {
        for (int32_t g = d->set_low[set]; g <= d->set_high[set]; g++)
            best[g] = value > best[g] ? value : best[g];
        return;
    }
    for (size_t a = c->first_allowed[set]; a < c->first_allowed[set + 1]; a++)
        if (value > best[c->allowed[a]])
            best[c->allowed[a]] = value;
}

static double least_alive(const ew_dual *d, const ew_compact *c, int32_t s)
{
    double least = INFINITY;
    for (int32_t g = c->first_segment[s]; g < c->first_segment[s + 1]; g++)
        if (d->segment_alive[g] && d->theta[g] < least)
            least = d->theta[g];
    return least;
}

/* Take steps to what they add up to, and clear them. */
static void take_steps(ew_dual *d, double *to, int32_t n, double sign)
{
    double sum = 0.0;
    for (int32_t k = 0; k < n; k++) {
        sum += d->steps[k];
        to[k] += sign * sum;
        d->steps[k] = 0.0;
    }
    d->steps[n] = 0.0;
}

/* Add all messages to B. */
static void add_messages(ew_dual *d, const ew_compact *c)
{
    for (int32_t i = 0; i < c->n_vars; i++) {
        const int32_t first = c->first_cell[i], n = c->first_cell[i + 1] - first;
        for (int32_t z = c->first_of_var[i]; z < c->first_of_var[i + 1]; z++) {
            const int32_t s = c->slot_of_var[z], o = c->first_segment[s];
            const uint16_t *segment = c->segment_of + c->segments_at[s];
            if (d->is_interval[s])
                for (int32_t g = o; g < c->first_segment[s + 1]; g++)
                    ew_add_to(d, g, d->theta[g]);
            else
                for (int32_t k = 0; k < n; k++)
                    d->B[first + k] += d->theta[o + segment[k]];
        }
        take_steps(d, d->B + first, n, 1.0);
    }
}

void ew_dual_refresh(ew_dual *d, const ew_compact *c)
{
    *d->work += d->first_met[c->n_slots];
    for (int32_t k = 0; k < c->n_cells; k++)
        d->B[k] = -d->mu * d->price[k];
    memcpy(d->total, d->value, sizeof(double) * (size_t)c->n_leaves);
    add_messages(d, c);
    for (int32_t t = 0; t < c->n_trees; t++) {
        d->least_messages[t] = 0.0;
        for (int32_t s = c->first_slot[t]; s < c->first_slot[t + 1]; s++) {
            const double least = least_alive(d, c, s);
            d->least_message[s] = least;
            d->least_messages[t] += least;
            if (d->first_met[s] == d->first_met[s + 1])
                continue;
            for (int32_t z = c->first_set[s]; z < c->first_set[s + 1]; z++)
                d->set_least[z] = least_of_set(d, c, s, z);
            for (int32_t m = d->first_met[s]; m < d->first_met[s + 1]; m++)
                d->total[d->met_leaf[m]] -= d->set_least[d->met_set[m]] - least;
        }
        d->top[t] = d->active[d->first_active[t]];
        for (int32_t z = d->first_active[t] + 1; z < d->first_active[t + 1]; z++)
            if (d->total[d->active[z]] > d->total[d->top[t]])
                d->top[t] = d->active[z];
    }
}

void ew_dual_reprice(ew_dual *d, const ew_compact *c, double mu)
{
    for (int32_t k = 0; k < c->n_cells; k++)
        d->B[k] -= (mu - d->mu) * d->price[k];
    d->mu = mu;
}

void ew_dual_take_prices(ew_dual *d, const ew_compact *c, const ew_prices *prices)
{
    for (int32_t k = 0; k < c->n_cells; k++) {
        d->B[k] += d->mu * (d->price[k] - prices->price[k]);
        d->price[k] = prices->price[k];
    }
    d->price_constant = prices->constant;
}

/* The best leaf of a tree among those without a stamp; -1 if there is none. Mostly it is the best of all. */
static int32_t best_free(const ew_dual *d, int32_t t, int32_t stamp)
{
    if (d->stamp[d->top[t]] != stamp)
        return d->top[t];
    int32_t best = -1;
    for (int32_t z = d->first_active[t]; z < d->first_active[t + 1]; z++) {
        const int32_t l = d->active[z];
        if (d->stamp[l] != stamp && (best < 0 || d->total[l] > d->total[best]))
            best = l;
    }
    return best;
}

/* Every tree gives its max-marginals over one variable to B: its messages become the best values of its leaves. */
static void give(ew_dual *d, const ew_compact *c, int32_t s, double *B)
{
    const int32_t t = c->slot_tree[s], n = c->first_segment[s + 1] - c->first_segment[s];
    double *theta = d->theta + c->first_segment[s], *best = d->best;
    const uint8_t *alive = d->segment_alive + c->first_segment[s];
    const double least = d->least_message[s], others = d->least_messages[t];
    const int32_t stamp = ++d->last_stamp;
    for (int32_t g = 0; g < n; g++)
        best[g] = -INFINITY;
    for (int32_t z = c->first_set[s]; z < c->first_set[s + 1]; z++)
        d->set_most[z] = -INFINITY;
    for (int32_t m = d->first_met[s]; m < d->first_met[s + 1]; m++) {
        const int32_t l = d->met_leaf[m], z = d->met_set[m];
        d->stamp[l] = stamp;
        d->set_most[z] = d->total[l] > d->set_most[z] ? d->total[l] : d->set_most[z];
    }
    for (int32_t z = c->first_set[s]; z < c->first_set[s + 1]; z++) {
        if (d->set_most[z] == -INFINITY)
            continue;
        const double own = least_of_set(d, c, s, z);
        d->set_least[z] = own - least;
        raise_set(d, c, s, z, d->set_most[z] + own, best);
    }
    d->free[t] = best_free(d, t, stamp);
    const double free_leaves = (d->free[t] < 0 ? -INFINITY : d->total[d->free[t]]) + least;
    for (int32_t g = 0; g < n; g++) {
        if (!alive[g]) {
            best[g] = 0.0;
            continue;
        }
        double gift = (best[g] > free_leaves ? best[g] : free_leaves) - others - theta[g];
        gift = gift < FORBIDDEN ? FORBIDDEN : gift;
        theta[g] += gift;
        best[g] = gift;
    }
    if (d->is_interval[s]) {
        for (int32_t g = 0; g < n; g++)
            ew_add_to(d, c->first_segment[s] + g, best[g]);
        return;
    }
    const int32_t first = c->first_cell[c->slot_var[s]], m = c->first_cell[c->slot_var[s] + 1] - first;
    const uint16_t *segment = c->segment_of + c->segments_at[s];
    for (int32_t k = 0; k < m; k++)
        B[k] += best[segment[k]];
}

/* A slot's messages give back a share of what B is at most over each of its segments; `taken` is told what. */
static void give_back(ew_dual *d, const ew_compact *c, int32_t s, const double *B, double *taken, double share)
{
    const int32_t n = c->first_segment[s + 1] - c->first_segment[s], o = c->first_segment[s];
    const int32_t first = c->first_cell[c->slot_var[s]], m = c->first_cell[c->slot_var[s] + 1] - first;
    double *theta = d->theta + o, *most = d->best;
    const uint8_t *alive = d->segment_alive + o, *cell_alive = d->alive + first;
    const uint16_t *segment = c->segment_of + c->segments_at[s];
    if (d->is_interval[s]) {
        for (int32_t g = 0; g < n; g++)
            if (alive[g]) {
                const double back = ew_most_of(d, o + g) * share;
                theta[g] -= back;
                ew_add_to(d, o + g, back);
            }
        return;
    }
    for (int32_t g = 0; g < n; g++)
        most[g] = -INFINITY;
    for (int32_t k = 0; k < m; k++)
        if (cell_alive[k] && B[k] > most[segment[k]])
            most[segment[k]] = B[k];
    for (int32_t g = 0; g < n; g++) {
        most[g] = alive[g] ? most[g] * share : 0.0;
        theta[g] -= most[g];
    }
    for (int32_t k = 0; k < m; k++)
        taken[k] += most[segment[k]];
}

/* A tree takes its share of what B is at most over each of its segments. */
static void take_share(ew_dual *d, const ew_compact *c, int32_t s, const double *B, double *taken, double share)
{
    const int32_t t = c->slot_tree[s];
    give_back(d, c, s, B, taken, share);
    const double least = least_alive(d, c, s);
    d->least_messages[t] += least - d->least_message[s];
    d->least_message[s] = least;
    int32_t top = d->free[t];
    for (int32_t z = c->first_set[s]; z < c->first_set[s + 1]; z++) /* what totals of its leaves change by */
        if (d->set_most[z] > -INFINITY)
            d->set_least[z] -= least_of_set(d, c, s, z) - least;
    for (int32_t e = d->first_met[s]; e < d->first_met[s + 1]; e++) {
        const int32_t l = d->met_leaf[e];
        d->total[l] += d->set_least[d->met_set[e]];
        if (top < 0 || d->total[l] > d->total[top])
            top = l;
    }
    d->top[t] = top;
}

void ew_dual_sweep(ew_dual *d, const ew_compact *c, int backward)
{
    *d->work += d->first_met[c->n_slots];
    for (int32_t v = 0; v < c->n_vars; v++) {
        const int32_t i = backward ? c->n_vars - 1 - v : v, first = c->first_cell[i], m = c->first_cell[i + 1] - first;
        double *B = d->B + first;
        int32_t n = 0;
        for (int32_t e = c->first_of_var[i]; e < c->first_of_var[i + 1]; e++) {
            const int32_t s = c->slot_of_var[e];
            if (d->n_alive[s] < 2)
                continue;
            give(d, c, s, B);
            n++;
        }
        if (n == 0)
            continue;
        take_steps(d, B, m, 1.0);
        for (int32_t k = 0; k < m; k++)
            d->ranges.most[k] = d->alive[first + k] ? B[k] : -INFINITY;
        ew_ranges_fill(&d->ranges, m);
        double *taken = d->best + m + 1; /* behind what take_share uses */
        for (int32_t k = 0; k < m; k++)
            taken[k] = 0.0;
        for (int32_t e = c->first_of_var[i]; e < c->first_of_var[i + 1]; e++) {
            const int32_t s = c->slot_of_var[e];
            if (d->n_alive[s] >= 2)
                take_share(d, c, s, B, taken, 1.0 / n);
        }
        for (int32_t k = 0; k < m; k++)
            B[k] -= taken[k];
        take_steps(d, B, m, -1.0);
    }
}

double ew_dual_estimate(const ew_dual *d, const ew_compact *c, const double *least)
{
    double rest = 0.0, wanted = 0.0;
    for (int32_t r = 0; r < c->n_rows; r++) {
        rest += d->pi[r] * c->constant[r];
        wanted += d->pi[r] * least[r];
    }
    for (int32_t i = 0; i < c->n_vars; i++) {
        double most = -INFINITY;
        for (int32_t k = c->first_cell[i]; k < c->first_cell[i + 1]; k++)
            if (d->alive[k] && d->B[k] > most)
                most = d->B[k];
        rest += most;
    }
    for (int32_t t = 0; t < c->n_trees; t++)
        rest += d->total[d->top[t]] - d->least_messages[t];
    return c->fixed_cost + d->price_constant + (wanted - rest) / d->mu;
}
