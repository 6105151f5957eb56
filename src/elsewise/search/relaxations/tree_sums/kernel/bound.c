/* The bound from scratch: plain loops over the definition in dual.h, and an account of rounding.
 *
 * It shares nothing with the ascent but the messages. A sum of n numbers of total size S is off by at most n eps S; the
 * maximum of numbers is off by no more than the worst of them that could be it. */
#include "dual.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "extremes.h"

/* Numbers that are below a maximum by more than this are not it, whatever rounding did to them. */
static const double CLEARLY_LESS = 1e-3;

void ew_proof_open(ew_proof *p, const ew_compact *c, ew_arena *arena)
{
    p->B = EW_TAKE(arena, double, c->n_cells);
    p->size = EW_TAKE(arena, double, c->n_cells);
    p->largest = EW_TAKE(arena, double, c->n_vars);
    p->segment_cost = EW_TAKE(arena, double, c->n_cells);
    int32_t most_sets = 0;
    for (int32_t s = 0; s < c->n_slots; s++)
        most_sets = c->first_set[s + 1] - c->first_set[s] > most_sets ? c->first_set[s + 1] - c->first_set[s] : most_sets;
    p->set_least = EW_TAKE(arena, double, most_sets);
    p->set_cost = EW_TAKE(arena, double, most_sets);
    p->leaf = EW_TAKE(arena, double, c->n_leaves);
    p->largest_leaf = EW_TAKE(arena, double, c->n_trees);
    p->leaf_cost = EW_TAKE(arena, double, c->n_leaves);
    p->tree_size = EW_TAKE(arena, double, c->n_leaves);
    p->is_left = EW_TAKE(arena, uint8_t, c->n_leaves);
    p->needed = EW_TAKE(arena, double, c->n_rows);
    ew_votes_open(&p->votes, arena);
}

/* sum over variables of max B */
static double of_variables(ew_proof *p, const ew_compact *c, const uint8_t *alive, const ew_prices *prices, double mu,
                           const double *theta)
{
    for (int32_t k = 0; k < c->n_cells; k++) {
        p->B[k] = -mu * prices->price[k];
        p->size[k] = mu * prices->size[k];
    }
    for (int32_t s = 0; s < c->n_slots; s++)
        for (int32_t k = c->first_cell[c->slot_var[s]]; k < c->first_cell[c->slot_var[s] + 1]; k++) {
            const int32_t segment = c->segment_of[c->segments_at[s] + (size_t)(k - c->first_cell[c->slot_var[s]])];
            p->B[k] += theta[c->first_segment[s] + segment];
            p->size[k] += fabs(theta[c->first_segment[s] + segment]);
        }
    double sum = 0.0;
    for (int32_t i = 0; i < c->n_vars; i++) {
        p->largest[i] = -INFINITY;
        for (int32_t k = c->first_cell[i]; k < c->first_cell[i + 1]; k++)
            if (alive[k])
                p->largest[i] = ew_max(p->largest[i], p->B[k]);
        double size = 0.0;
        for (int32_t k = c->first_cell[i]; k < c->first_cell[i + 1]; k++)
            if (alive[k] && p->B[k] >= p->largest[i] - CLEARLY_LESS)
                size = ew_max(size, p->size[k]);
        sum += p->largest[i];
        p->rounding += size;
    }
    return sum;
}

/* Values and costs of leaves, but for their slots. */
static void begin_leaves(ew_proof *p, const ew_compact *c, const uint8_t *alive, const double *pi)
{
    double base = c->fixed_cost;
    for (int32_t i = 0; i < c->n_vars; i++) {
        double cheapest = INFINITY;
        for (int32_t k = c->first_cell[i]; k < c->first_cell[i + 1]; k++)
            if (alive[k])
                cheapest = ew_min(cheapest, c->cost[k]);
        base += cheapest;
    }
    for (int32_t l = 0; l < c->n_leaves; l++) {
        p->leaf[l] = p->tree_size[l] = 0.0;
        p->leaf_cost[l] = base;
        for (int32_t r = 0; r < c->n_rows; r++) {
            const double term = pi[r] * c->gain[(size_t)l * (size_t)c->n_rows + (size_t)r];
            p->leaf[l] += term;
            p->tree_size[l] += fabs(term);
        }
    }
}

/* Take a slot's messages from the leaves that are not free in it, and add what they cost. Returns the least message. */
static double of_slot(ew_proof *p, const ew_compact *c, const uint8_t *alive, const double *theta, int32_t s)
{
    const int32_t first = c->first_cell[c->slot_var[s]], end = c->first_cell[c->slot_var[s] + 1];
    const uint16_t *segment = c->segment_of + c->segments_at[s];
    const double *message = theta + c->first_segment[s];
    const int32_t n = c->first_segment[s + 1] - c->first_segment[s];
    for (int32_t g = 0; g < n; g++)
        p->segment_cost[g] = INFINITY;
    for (int32_t k = first; k < end; k++)
        if (alive[k])
            p->segment_cost[segment[k - first]] = ew_min(p->segment_cost[segment[k - first]], c->cost[k]);
    double least = INFINITY, cheapest = INFINITY;
    for (int32_t g = 0; g < n; g++)
        if (p->segment_cost[g] < INFINITY) {
            least = ew_min(least, message[g]);
            cheapest = ew_min(cheapest, p->segment_cost[g]);
        }
    for (int32_t z = c->first_set[s]; z < c->first_set[s + 1]; z++) {
        p->set_least[z - c->first_set[s]] = p->set_cost[z - c->first_set[s]] = INFINITY;
        for (size_t a = c->first_allowed[z]; a < c->first_allowed[z + 1]; a++)
            if (p->segment_cost[c->allowed[a]] < INFINITY) {
                p->set_least[z - c->first_set[s]] = ew_min(p->set_least[z - c->first_set[s]], message[c->allowed[a]]);
                p->set_cost[z - c->first_set[s]] = ew_min(p->set_cost[z - c->first_set[s]], p->segment_cost[c->allowed[a]]);
            }
    }
    for (int32_t e = c->first_condition[s]; e < c->first_condition[s + 1]; e++) {
        const double own = p->set_least[c->condition_set[e] - c->first_set[s]];
        const double own_cost = p->set_cost[c->condition_set[e] - c->first_set[s]];
        p->leaf[c->condition_leaf[e]] -= own - least;
        p->tree_size[c->condition_leaf[e]] += fabs(own) + fabs(least);
        p->leaf_cost[c->condition_leaf[e]] += own_cost - cheapest;
    }
    return least;
}

/* sum over trees of the best leaf; infinitely little if a tree has none near enough */
static double of_trees(ew_proof *p, const ew_compact *c, const uint8_t *alive, const uint8_t *is_dead, double limit,
                       const double *pi, const double *theta)
{
    begin_leaves(p, c, alive, pi);
    double sum = 0.0;
    for (int32_t t = 0; t < c->n_trees; t++) {
        double slots = 0.0, slots_size = 0.0;
        for (int32_t s = c->first_slot[t]; s < c->first_slot[t + 1]; s++) {
            const double least = of_slot(p, c, alive, theta, s);
            slots += least;
            slots_size += fabs(least);
        }
        double most = -INFINITY, size = 0.0;
        for (int32_t l = c->first_leaf[t]; l < c->first_leaf[t + 1]; l++)
            if (p->leaf_cost[l] < limit && !is_dead[l])
                most = ew_max(most, p->leaf[l]);
        for (int32_t l = c->first_leaf[t]; l < c->first_leaf[t + 1]; l++)
            if (p->leaf_cost[l] < limit && !is_dead[l] && p->leaf[l] >= most - CLEARLY_LESS)
                size = ew_max(size, p->tree_size[l]);
        p->largest_leaf[t] = most;
        sum += most - slots;
        p->rounding += size + slots_size;
    }
    return sum;
}

static int are_numbers(const double *x, int32_t n)
{
    for (int32_t k = 0; k < n; k++)
        if (!isfinite(x[k]))
            return 0;
    return 1;
}

/* A dual point that is none proves nothing, and rules nothing out. */
static void prove_nothing(ew_proof *p)
{
    p->distance = -INFINITY;
    p->rest = INFINITY;
    p->wanted = p->fixed = p->rounding = p->unit = 0.0;
}

void ew_prove(ew_proof *p, const ew_compact *c, const uint8_t *alive, const uint8_t *is_dead, double limit,
              const ew_prices *prices, double mu, const double *pi, const double *theta)
{
    if (!(mu > 0.0) || !isfinite(mu) || !isfinite(prices->constant) || !are_numbers(prices->price, c->n_cells) ||
        !are_numbers(theta, c->n_segments) || !are_numbers(pi, c->n_rows)) {
        prove_nothing(p);
        return;
    }
    p->rounding = mu * prices->constant_size;
    p->wanted = 0.0;
    double constant = 0.0;
    const double variables = of_variables(p, c, alive, prices, mu, theta);
    const double trees = of_trees(p, c, alive, is_dead, limit, pi, theta);
    memcpy(p->needed, c->forest->least, sizeof(double) * (size_t)c->n_rows);
    if (c->forest->has_strict && !p->leaves_votes_out) {
        for (int32_t l = 0; l < c->n_leaves; l++)
            p->is_left[l] = p->leaf_cost[l] < limit && !is_dead[l];
        ew_votes_needed(&p->votes, c, p->is_left, p->needed);
    }
    for (int32_t r = 0; r < c->n_rows; r++) {
        constant += pi[r] * c->constant[r];
        p->wanted += pi[r] * p->needed[r];
        p->rounding += fabs(pi[r] * c->constant[r]) + fabs(pi[r] * p->needed[r]);
    }
    p->rest = constant + variables + trees;
    p->unit = DBL_EPSILON * (double)(c->n_slots + c->n_trees + c->n_vars + c->n_rows + 8);
    p->rounding *= p->unit;
    p->fixed = c->fixed_cost + prices->constant;
    const double distance = p->fixed + (p->wanted - p->rest - p->rounding) / mu;
    p->distance = ew_min(limit, distance - fabs(distance) * 8.0 * DBL_EPSILON);
}

/* Whether nothing is left below the limit if the rest falls to this. */
static int is_beyond(const ew_proof *p, double rest, double rounding, double limit, double mu)
{
    return p->fixed + (p->wanted - rest - rounding) / mu > limit + (fabs(limit) + fabs(p->fixed)) * 8.0 * DBL_EPSILON;
}

int ew_is_too_far(const ew_proof *p, const ew_compact *c, int32_t var, int32_t cell, double limit, double mu)
{
    (void)c;
    const double rest = p->rest - p->largest[var] + p->B[cell];
    const double rounding = p->rounding + p->unit * (p->size[cell] + fabs(p->rest) + fabs(p->largest[var]));
    return is_beyond(p, rest, rounding, limit, mu);
}

void ew_mark_dead(ew_proof *p, const ew_compact *c, const uint8_t *alive, double limit, double mu, uint8_t *is_dead)
{
    double *lost = p->leaf_cost, *size = p->tree_size; /* what a leaf's own value and its cells fall short of */
    for (int32_t t = 0; t < c->n_trees; t++) {
        for (int32_t l = c->first_leaf[t]; l < c->first_leaf[t + 1]; l++) {
            lost[l] = p->largest_leaf[t] - p->leaf[l];
            size[l] += fabs(p->largest_leaf[t]) + fabs(p->leaf[l]);
        }
        for (int32_t s = c->first_slot[t]; s < c->first_slot[t + 1]; s++) {
            const int32_t i = c->slot_var[s], first = c->first_cell[i], end = c->first_cell[i + 1];
            const uint16_t *segment = c->segment_of + c->segments_at[s];
            const int32_t n = c->first_segment[s + 1] - c->first_segment[s];
            for (int32_t g = 0; g < n; g++)
                p->segment_cost[g] = -INFINITY;
            for (int32_t k = first; k < end; k++)
                if (alive[k])
                    p->segment_cost[segment[k - first]] = ew_max(p->segment_cost[segment[k - first]], p->B[k]);
            for (int32_t z = c->first_set[s]; z < c->first_set[s + 1]; z++) {
                p->set_least[z - c->first_set[s]] = -INFINITY;
                for (size_t a = c->first_allowed[z]; a < c->first_allowed[z + 1]; a++)
                    p->set_least[z - c->first_set[s]] =
                        ew_max(p->set_least[z - c->first_set[s]], p->segment_cost[c->allowed[a]]);
            }
            for (int32_t e = c->first_condition[s]; e < c->first_condition[s + 1]; e++) {
                const double most = p->set_least[c->condition_set[e] - c->first_set[s]];
                lost[c->condition_leaf[e]] += p->largest[i] - most;
                size[c->condition_leaf[e]] += isinf(most) ? 0.0 : fabs(p->largest[i]) + fabs(most);
            }
        }
        for (int32_t l = c->first_leaf[t]; l < c->first_leaf[t + 1]; l++)
            is_dead[l] |= (uint8_t)is_beyond(p, p->rest - lost[l], p->rounding + p->unit * size[l], limit, mu);
    }
}
