/* Searches in which trees are not all there is: points come from projections onto boxes, and a cone changes prices. */
#include "state.h"

#include <math.h>
#include <string.h>

/* Widths of soft minima, as shares of what is missing to the incumbent: three stages for the first box, one for others. */
static const double WIDTH = 0.003;
enum { ROOT_STAGES = 3, ROOT_STEPS = 12, STEPS = 3 };
/* Prices are taken back if the bound falls by more than this share of what is missing. */
static const double MAY_FALL = 0.02;
/* kappa is kept above this share of distance over squared radius. */
static const double LEAST_KAPPA = 1e-3;
/* A spread below this share of what is missing is none. */
static const double LEAST_SPREAD = 1e-6;
/* Diagonals: share of what a spread is charged that the barrier may cost; least weight of a number, as a share of its first one;
 * how much of what is seen of a spread goes into the weights, at the first box and at others; Newton steps there; and how
 * much a bound may fall by a new diagonal, as a share of what is missing. */
static const double BARRIER = 0.5, LEAST_WEIGHT = 0.001, ROOT_SEEN = 0.3, SEEN = 0.5, MAY_FALL_AT_FIRST = 0.1;
enum { ROOT_DIAGONALS = 6, DIAGONALS = 3 };
/* With a cone, one in so many boxes is projected onto: its own bound is the better one mostly, and cheaper. */
enum { BOXES_A_PROJECTION = 3 };
/* Rounds of a walk. */
enum { MOST_ROUNDS = 30 };
/* Splits that are tried on both sides, fewer where there are many leaves; steps of each trial, and how much wider its
 * soft minima are. */
enum { SPLITS_TRIED = 4, SPLITS_TRIED_OF_MANY = 3, MANY_LEAVES = 1000, TRIAL_STEPS = 2 };
static const double TRIAL_WIDTH = 3.0;

/* ---- prices ---- */

static void worth_of_messages(ew_state *w)
{
    for (int32_t k = 0; k < w->c.n_cells; k++)
        w->newton.worth[k] = w->dual.B[k] / w->dual.mu + w->dual.price[k];
}

static void set_prices(ew_state *w)
{
    ew_prices_set(&w->prices, &w->c, w->row->cone, &w->at);
    ew_dual_take_prices(&w->dual, &w->c, &w->prices);
}

void ew_try_relaxed(ew_state *w)
{
    /* z = y at the nearest dense point, and, where numbers moved, sign(v) + 2 kappa (P y) = 0 */
    const ew_cone *cone = w->row->cone;
    const int32_t n = cone->n;
    const double before = ew_dual_estimate(&w->dual, &w->c, w->f->least);
    double *y = w->newton.trial, product = 0.0, square = 0.0;
    ew_multipliers_copy(&w->saved_at, &w->at, n);
    for (int32_t i = 0; i < n; i++)
        y[i] = w->moves[i] - cone->centre[i];
    for (int32_t i = 0; i < n; i++) {
        double Py = 0.0;
        for (int32_t j = 0; j < n; j++)
            Py += cone->P[(size_t)i * (size_t)n + (size_t)j] * y[j];
        w->at.q[i] = -2.0 * (Py - w->at.D[i] * y[i]);
        if (w->moves[i] != 0.0) {
            product -= copysign(1.0, w->moves[i]) * Py;
            square += Py * Py;
        }
    }
    /* a box whose nearest dense point is the row itself needs no cone, at first */
    const double no_cone = LEAST_KAPPA * LEAST_KAPPA * ew_limit(w) / cone->squared_radius;
    w->at.kappa = square > 0.0 ? fmax(product / (2.0 * square), no_cone) : no_cone;
    for (int32_t i = 0; i < n; i++)
        w->at.q[i] *= square > 0.0 ? w->at.kappa : 0.0;
    set_prices(w);
    if (ew_dual_estimate(&w->dual, &w->c, w->f->least) > before)
        return;
    ew_multipliers_copy(&w->at, &w->saved_at, n);
    set_prices(w);
}

double ew_improve_prices(ew_state *w, double bound, double missing, int is_root)
{
    const ew_cone *cone = w->row->cone;
    const double least_kappa = LEAST_KAPPA * missing / cone->squared_radius;
    worth_of_messages(w);
    ew_multipliers_copy(&w->saved_at, &w->at, cone->n);
    double width = WIDTH * missing * (is_root ? 100.0 : 1.0);
    for (int stage = 0; stage < (is_root ? ROOT_STAGES : 1); stage++, width *= 0.1)
        ew_newton_ascend(&w->newton, &w->c, cone, w->dual.alive, &w->at, width, is_root ? ROOT_STEPS : STEPS, least_kappa);
    set_prices(w);
    const double then = ew_dual_estimate(&w->dual, &w->c, w->f->least);
    if (then >= bound - MAY_FALL * fabs(ew_limit(w) - bound))
        return then;
    ew_multipliers_copy(&w->at, &w->saved_at, cone->n);
    set_prices(w);
    return bound;
}

/* ---- diagonals ---- */

void ew_open_cone(ew_state *w)
{
    const ew_cone *cone = w->row->cone;
    const int32_t n = cone->n;
    ew_multipliers_open(&w->at, cone, &w->once);
    ew_multipliers_open(&w->saved_at, cone, &w->once);
    ew_diagonal_open(&w->diagonal, cone, &w->once);
    w->first_weight = EW_TAKE(&w->once, double, n);
    memcpy(w->at.D, cone->D, sizeof(double) * (size_t)n);
    w->is_split = ew_diagonal_check(&w->diagonal, cone, w->at.D, w->at.K);
    for (int32_t i = 0; i < n; i++) {
        w->is_split &= w->at.D[i] > 0.0;
        w->at.weight[i] = w->first_weight[i] = 1.0 / w->at.D[i]; /* D is the largest one by the sum of its logarithms */
    }
    if (!w->is_split) /* P itself has no negative eigenvalue, and K = 0 makes z = 0 */
        memset(w->at.D, 0, sizeof(double) * (size_t)n);
}

double ew_adapt_diagonal(ew_state *w, double bound, double missing, int is_root)
{
    const ew_cone *cone = w->row->cone;
    const int32_t n = cone->n;
    if (!w->is_split)
        return bound;
    double charge = 0.0; /* for the spread, by the diagonal to start with */
    worth_of_messages(w);
    ew_newton_spread(&w->newton, &w->c, cone, w->dual.alive, &w->at, WIDTH * missing);
    for (int32_t i = 0; i < n; i++) {
        const double seen = w->newton.variance[i] + LEAST_WEIGHT * w->first_weight[i];
        w->at.weight[i] += (is_root ? ROOT_SEEN : SEEN) * (seen - w->at.weight[i]);
        charge += w->at.weight[i] * cone->D[i];
    }
    ew_multipliers_copy(&w->saved_at, &w->at, n);
    memcpy(w->newton.trial, w->prices.z, sizeof(double) * (size_t)n); /* the tangents stay where they are */
    if (!ew_diagonal_ascend(&w->diagonal, cone, w->at.weight, BARRIER * charge / n,
                            is_root ? ROOT_DIAGONALS : DIAGONALS, w->at.D, w->at.K))
        return bound;
    for (int32_t i = 0; i < n; i++) {
        double Sz = -w->at.D[i] * w->newton.trial[i];
        for (int32_t j = 0; j < n; j++)
            Sz += cone->P[(size_t)i * (size_t)n + (size_t)j] * w->newton.trial[j];
        w->at.q[i] = -2.0 * w->at.kappa * Sz;
    }
    ew_newton_ascend(&w->newton, &w->c, cone, w->dual.alive, &w->at, WIDTH * missing, is_root ? ROOT_STEPS : STEPS,
                     LEAST_KAPPA * missing / cone->squared_radius);
    set_prices(w);
    const double then = ew_dual_estimate(&w->dual, &w->c, w->f->least);
    if (then >= bound || is_root || then >= bound - MAY_FALL_AT_FIRST * missing)
        return then; /* messages have to follow before it pays */
    ew_multipliers_copy(&w->at, &w->saved_at, n);
    set_prices(w);
    return bound;
}

/* ---- boxes of original cells ---- */

static void whole_box(ew_state *w)
{
    const ew_forest *f = w->f;
    for (int32_t i = 0; i < f->n_vars; i++) {
        w->low[i] = 0;
        w->high[i] = f->first_cell[i + 1] - f->first_cell[i] - 1;
    }
    memset(w->levels, 1, (size_t)f->first_cell[f->n_vars]);
}

/* The box around a point in which all trees stay in their leaves. */
static void leaf_box(ew_state *w, const int32_t *cells)
{
    const ew_forest *f = w->f;
    whole_box(w);
    for (int32_t t = 0; t < f->n_trees; t++)
        for (int32_t node = f->root[t]; f->var[node] >= 0; node = ew_child(f, node, cells[f->var[node]])) {
            const int32_t i = f->var[node];
            if (f->table[node] >= 0) {
                const uint8_t *table = f->tables + f->table[node];
                for (int32_t k = 0; k < f->first_cell[i + 1] - f->first_cell[i]; k++)
                    w->levels[f->first_cell[i] + k] &= table[k] == table[cells[i]];
                if (f->is_ordered[i])
                    w->low[i] = w->high[i] = cells[i];
            } else if (cells[i] <= f->cut[node])
                w->high[i] = w->high[i] < f->cut[node] ? w->high[i] : f->cut[node];
            else
                w->low[i] = w->low[i] > f->cut[node] + 1 ? w->low[i] : f->cut[node] + 1;
        }
}

/* Least gain of one condition that a subtree gives within the box. */
static double least_gain(ew_state *w, int32_t node, int32_t r)
{
    const ew_forest *f = w->f;
    while (f->var[node] >= 0) {
        const int32_t i = f->var[node];
        int left, right;
        if (f->table[node] >= 0) {
            left = right = 0;
            for (int32_t k = w->low[i]; k <= w->high[i]; k++)
                if (w->levels[f->first_cell[i] + k]) {
                    left |= f->tables[f->table[node] + k] != 0;
                    right |= f->tables[f->table[node] + k] == 0;
                }
        } else {
            left = w->low[i] <= f->cut[node];
            right = w->high[i] > f->cut[node];
        }
        if (left && right) {
            const double a = least_gain(w, f->left[node], r);
            const double b = least_gain(w, f->right[node], r);
            return a < b ? a : b;
        }
        node = left ? f->left[node] : f->right[node];
    }
    return f->gain[(size_t)f->left[node] * (size_t)f->n_rows + (size_t)r];
}

/* Whether all of the box is accepted, up to rounding: what is found in it is checked. */
static int is_all_accepted(ew_state *w)
{
    for (int32_t r = 0; r < w->f->n_rows; r++) {
        double sum = 0.0;
        for (int32_t t = 0; t < w->f->n_trees; t++)
            sum += least_gain(w, w->f->root[t], r);
        if (sum < w->f->least[r])
            return 0;
    }
    return 1;
}

/* Move one end of the box out, cut by cut, in larger and larger steps, as long as all of it is accepted. */
static void grow_end(ew_state *w, int32_t *end, int32_t last)
{
    const int32_t direction = last < *end ? -1 : 1;
    for (int32_t step = 1; *end != last && !ew_is_late(w);) {
        const int32_t before = *end;
        *end = direction * (last - before) < step ? last : before + direction * step;
        if (is_all_accepted(w)) {
            step *= 2;
            continue;
        }
        *end = before;
        if (step == 1)
            return;
        step = 1;
    }
}

/* ---- points ---- */

int ew_take_value(ew_state *w, double value)
{
    if (!(value < w->best.value))
        return 0;
    w->best.value = value;
    w->best.has_point = 1;
    return 1;
}

/* Ask for the nearest point of the box at hand; tells its bound. */
static double ask(ew_state *w, int32_t *cells, double *value, int *is_nearest)
{
    const ew_inside *inside = w->row->inside;
    *value = INFINITY;
    *is_nearest = 0;
    cells[0] = -1;
    const double bound =
        inside->relax(inside->context, w->low, w->high, w->levels, w->best.value, cells, w->moves, value, is_nearest);
    if (isnan(bound))
        w->row->gave_up = 1;
    ew_take_value(w, *value);
    return bound;
}

enum { TOWARDS_ROW, WHERE_BLOCKED, ANY_ORDER, WAYS };

/* The order in which variables are grown: those first by which most could be saved, or any, another one each time. */
static void order_variables(ew_state *w, int way)
{
    const int32_t n = w->f->n_vars;
    for (int32_t i = 0; i < n; i++)
        w->order[i] = i;
    if (way == ANY_ORDER) {
        for (int32_t i = n - 1; i > 0; i--) {
            w->chance = w->chance * 6364136223846793005u + 1442695040888963407u;
            const int32_t j = (int32_t)((w->chance >> 33) % (uint64_t)(i + 1)), other = w->order[i];
            w->order[i] = w->order[j];
            w->order[j] = other;
        }
        return;
    }
    for (int32_t i = 1; i < n; i++) { /* by how far numbers moved */
        const int32_t var = w->order[i];
        int32_t place = i;
        for (; place > 0 && fabs(w->moves[w->order[place - 1]]) < fabs(w->moves[var]); place--)
            w->order[place] = w->order[place - 1];
        w->order[place] = var;
    }
}

/* Grow the box at hand, all of which is accepted: towards the row, or to both sides where the point is at an end of it. */
static void grow(ew_state *w, const int32_t *cells, int way)
{
    const ew_forest *f = w->f;
    order_variables(w, way);
    for (int pass = 0; pass < (way == WHERE_BLOCKED ? 2 : 1); pass++)
        for (int32_t z = 0; z < f->n_vars; z++) {
            const int32_t i = w->order[z], last = f->first_cell[i + 1] - f->first_cell[i] - 1, own = w->best.own[i];
            if (!f->is_ordered[i] || f->has_tables[i])
                continue;
            if (way == TOWARDS_ROW) {
                if (own < w->low[i])
                    grow_end(w, &w->low[i], own);
                if (own > w->high[i])
                    grow_end(w, &w->high[i], own);
                continue;
            }
            const int is_blocked = cells[i] == w->low[i] || cells[i] == w->high[i];
            if (way == WHERE_BLOCKED && is_blocked == pass)
                continue;
            grow_end(w, &w->low[i], 0);
            grow_end(w, &w->high[i], last);
        }
}

/* Grow a box that is accepted around an answer and project again, as long as that brings answers nearer. */
static void walk(ew_state *w, int32_t *cells)
{
    const ew_forest *f = w->f;
    for (int round = 0; round < MOST_ROUNDS && !ew_is_late(w); round++) {
        int better = 0;
        for (int way = 0; way < WAYS && !better; way++) {
            const double before = w->best.value;
            double value;
            int is_nearest;
            int32_t *there = w->best.other;
            leaf_box(w, cells);
            grow(w, cells, way);
            ask(w, there, &value, &is_nearest);
            better = there[0] >= 0 && value < before * (1.0 - 1e-7);
            if (better)
                memcpy(cells, there, sizeof(int32_t) * (size_t)f->n_vars);
        }
        if (!better)
            return;
    }
}

void ew_offer_around(ew_state *w, const int32_t *cells)
{
    const double before = w->best.value;
    double value;
    int is_nearest;
    int32_t *there = w->best.cells;
    leaf_box(w, cells);
    const size_t size = sizeof(int32_t) * (size_t)w->f->n_vars;
    const int is_all_ordered = w->row->cone && w->row->cone->n == w->f->n_vars;
    if (is_all_ordered && w->has_offered && !memcmp(w->offered_low, w->low, size) && !memcmp(w->offered_high, w->high, size))
        return;
    w->has_offered = 1;
    memcpy(w->offered_low, w->low, size);
    memcpy(w->offered_high, w->high, size);
    ask(w, there, &value, &is_nearest);
    if (there[0] >= 0 && value < before)
        walk(w, there);
}

void ew_first_points(ew_state *w)
{
    for (int32_t s = 0; s < w->row->n_starts && !ew_is_late(w); s++) {
        const int32_t *cells = w->row->starts + (size_t)s * (size_t)w->f->n_vars;
        if (ew_accepts(w->f, cells, w->best.margin, w->best.sums))
            ew_offer_around(w, cells);
    }
}

/* ---- boxes ---- */

/* The hull of a box in original cells. */
static void hull(ew_state *w, const ew_box *b)
{
    const ew_compact *c = &w->c;
    const ew_forest *f = w->f;
    whole_box(w);
    for (int32_t i = 0; i < f->n_vars; i++) { /* variables with a single cell left were taken out */
        w->low[i] = w->high[i] = w->best.own[i];
        for (int32_t k = f->first_cell[i]; k < f->first_cell[i + 1]; k++)
            if (isfinite(w->row->bound[k])) {
                const int32_t cell = k - f->first_cell[i];
                w->low[i] = cell < w->low[i] ? cell : w->low[i];
                w->high[i] = cell > w->high[i] ? cell : w->high[i];
            }
    }
    for (int32_t i = 0; i < c->n_vars; i++) {
        const int32_t var = c->var[i], first = f->first_cell[var];
        w->low[var] = f->first_cell[var + 1] - first;
        w->high[var] = -1;
        for (int32_t k = first; k < f->first_cell[var + 1]; k++)
            w->levels[k] = c->compact_of[k] >= 0 && b->alive[c->compact_of[k]];
        for (int32_t k = c->first_cell[i]; k < c->first_cell[i + 1]; k++)
            if (b->alive[k]) {
                w->low[var] = c->first_original[k] < w->low[var] ? c->first_original[k] : w->low[var];
                w->high[var] = c->last_original[k] > w->high[var] ? c->last_original[k] : w->high[var];
            }
    }
}

/* Whether the point that was found for a box around it lies in the box. */
static int still_holds_relaxed(const ew_state *w, const ew_box *b)
{
    if (b->relaxed[0] < 0)
        return 0;
    for (int32_t i = 0; i < w->c.n_vars; i++)
        if (!b->alive[b->relaxed[i]])
            return 0;
    return 1;
}

int ew_relax_box(ew_state *w, ew_box *b, int *is_new)
{
    *is_new = 0;
    if (still_holds_relaxed(w, b))
        return 1;
    b->relaxed[0] = -1;
    if (w->row->cone && w->row->n_nodes % BOXES_A_PROJECTION != 1)
        return 1;
    double value;
    int is_nearest;
    const ew_compact *c = &w->c;
    hull(w, b);
    const double bound = ask(w, w->point, &value, &is_nearest);
    if (w->row->gave_up) {
        w->settled = fmin(w->settled, b->bound);
        return 0;
    }
    b->bound = fmax(b->bound, bound);
    if (b->bound >= ew_limit(w))
        return 0;
    if (is_nearest) {
        w->settled = fmin(w->settled, b->bound);
        return 0;
    }
    if (w->point[0] < 0)
        return 1;
    *is_new = 1;
    for (int32_t i = 0; i < c->n_vars; i++) {
        const int32_t cell = c->compact_of[w->f->first_cell[c->var[i]] + w->point[c->var[i]]];
        if (cell < 0 || !b->alive[cell]) {
            b->relaxed[0] = -1;
            return 1;
        }
        b->relaxed[i] = cell;
    }
    return 1;
}

void ew_finish_box(ew_state *w, const ew_box *b)
{
    const ew_inside *inside = w->row->inside;
    ew_only_point(w, b);
    if (!ew_accepts(w->f, w->point, w->best.margin, w->best.sums)) {
        if (w->best.margin > 0.0 || ew_may_accept(w->f, w->point, w->best.sums))
            w->settled = fmin(w->settled, b->bound);
        return;
    }
    double value = INFINITY;
    hull(w, b);
    const double bound = inside->finish(inside->context, w->low, w->high, w->levels, w->best.value, &value);
    if (isnan(bound))
        w->row->gave_up = 1;
    ew_take_value(w, value);
    if (!(bound >= ew_limit(w)))
        w->settled = fmin(w->settled, isnan(bound) ? b->bound : fmax(b->bound, bound));
}

/* ---- splits ---- */

/* The cut of a number next to the mean of its spread, and how much lower the spread lies than the mean. */
static double cut_at_mean(const ew_state *w, int32_t i, int32_t *cut)
{
    const ew_compact *c = &w->c;
    const ew_cone *cone = w->row->cone;
    const double v = w->newton.mean[i], y = v - cone->centre[i];
    int32_t k = -1, before = -1, after = -1;
    for (int32_t e = c->first_cell[i]; e < c->first_cell[i + 1]; e++) {
        if (!w->dual.alive[e])
            continue;
        if (k < 0 || c->high[k] < v) {
            before = k;
            k = e;
        } else {
            after = e;
            break;
        }
    }
    if (before < 0 && after < 0)
        return -1.0;
    const double left = before >= 0 ? v - c->low[k] : INFINITY, right = after >= 0 ? c->high[k] - v : INFINITY;
    *cut = before >= 0 && (left <= right || after < 0) ? k : after;
    return fabs(v) + w->at.kappa * w->at.D[i] * y * y - w->at.q[i] * y - w->newton.worth[k] - w->newton.mean_value[i];
}

/* The level that is likeliest. */
static int32_t likeliest(const ew_state *w, int32_t i)
{
    int32_t best = -1;
    for (int32_t k = w->c.first_cell[i]; k < w->c.first_cell[i + 1]; k++)
        if (w->dual.alive[k] && (best < 0 || w->newton.value[k] < w->newton.value[best]))
            best = k;
    return best;
}

/* How much a side of a split gains after a few steps. */
static double gain_of_side(ew_state *w, const ew_split *at, int side, double before, double width)
{
    const ew_compact *c = &w->c;
    uint8_t *alive = w->levels; /* room for a mask: there are no more cells than original ones */
    memcpy(alive, w->dual.alive, (size_t)c->n_cells);
    for (int32_t k = c->first_cell[at->var]; k < c->first_cell[at->var + 1]; k++)
        if (ew_is_first(c, *at, k) == side)
            alive[k] = 0;
    ew_multipliers_copy(&w->saved_at, &w->at, w->row->cone->n);
    ew_newton_ascend(&w->newton, c, w->row->cone, alive, &w->saved_at, width, TRIAL_STEPS, 1e-7 * w->at.kappa);
    return ew_newton_value(&w->newton, c, w->row->cone, alive, &w->saved_at) - before;
}

ew_split ew_spread_split(ew_state *w, double missing)
{
    const ew_compact *c = &w->c;
    const ew_cone *cone = w->row->cone;
    ew_split best = {-INFINITY, -1, -1, 0}, tried[SPLITS_TRIED];
    const int most = c->n_leaves > MANY_LEAVES ? SPLITS_TRIED_OF_MANY : SPLITS_TRIED;
    int n_tried = 0;
    const double width = WIDTH * missing;
    worth_of_messages(w);
    ew_newton_spread(&w->newton, c, cone, w->dual.alive, &w->at, width);
    for (int32_t i = 0; i < c->n_vars; i++) {
        ew_split at = {0.0, i, -1, 0};
        int32_t n_alive = 0;
        for (int32_t k = c->first_cell[i]; k < c->first_cell[i + 1]; k++)
            n_alive += w->dual.alive[k];
        if (n_alive < 2)
            continue;
        if (i < cone->n) {
            at.score = cut_at_mean(w, i, &at.cell);
            at.second_first = at.cell >= 0 && w->newton.mean[i] >= c->low[at.cell];
        } else {
            at.score = w->newton.spread[i];
            at.cell = likeliest(w, i);
        }
        if (at.cell < 0 || !(at.score > LEAST_SPREAD * missing))
            continue;
        int place = n_tried < most ? n_tried++ : most; /* sorted by score, the lowest falls off the end */
        for (; place > 0 && tried[place - 1].score < at.score; place--)
            if (place < most)
                tried[place] = tried[place - 1];
        if (place < most)
            tried[place] = at;
    }
    if (n_tried == 0)
        return best;
    const double top = tried[0].score, before = ew_newton_value(&w->newton, c, cone, w->dual.alive, &w->at);
    for (int z = 0; z < n_tried && (z == 0 || tried[z].score > 0.1 * top); z++) {
        ew_split at = tried[z];
        double gain[2];
        for (int side = 0; side < 2; side++) /* side 0 keeps what comes first */
            gain[side] = fmin(fmax(gain_of_side(w, &at, side, before, TRIAL_WIDTH * width), 0.0), missing);
        at.score = (fmin(gain[0], gain[1]) + 1e-4 * missing) * (fmax(gain[0], gain[1]) + 1e-4 * missing);
        at.second_first = gain[1] < gain[0];
        if (at.score > best.score)
            best = at;
    }
    return best;
}
