#include "search.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "compact.h"
#include "dual.h"
#include "moves.h"

/* Nodes within this relative distance of the incumbent cannot improve it noticeably. */
static const double TOLERANCE = 1e-9;
/* Sweeps of the first box and of all others, rounds of trimming and sweeping. */
enum { ROOT_SWEEPS = 80, SWEEPS = 6, ROUNDS = 3 };
/* The first box stops when so many sweeps gain less than this share of what is missing; others, too. */
enum { ROOT_PATIENCE = 8 };
static const double ROOT_GAIN = 0.005, NODE_GAIN = 0.02;
/* A box whose bound is within this share of the gap of the best open one is looked into at once. */
static const double PLUNGE = 0.3;
/* The problem is built anew when the incumbent falls by this share, while few boxes are closed. */
static const double REBUILD = 0.1;
enum { REBUILD_BEFORE = 200 };
/* Bytes of messages kept with open boxes; beyond, boxes start from those of the first. */
static const size_t MOST_KEPT = (size_t)1 << 26;
/* Prices at which the relaxed optimum is tried as a point, as shares that distance is made cheaper by. */
static const double CHEAPER[] = {0.0, 0.08, 0.16, 0.32, 0.64, 1.28};
/* Losses of a split beyond this, in scores that add up to about one, count no more. */
static const double MOST_LOSS = 1.0;

typedef struct snapshot {
    int32_t n_users;
    float mu;
    struct snapshot *next; /* of those that are free */
    float *pi, *theta;
} snapshot;

typedef struct box {
    double bound;
    uint8_t *alive;
    snapshot *dual;
    struct box *next; /* of those that are free */
} box;

typedef struct {
    const ew_forest *f;
    ew_row *row;
    ew_arena once, arena; /* for the whole search, for one compact problem */
    ew_incumbent best;
    double started, settled;
    ew_compact c;
    ew_dual dual, saved[2];
    ew_proof proof;
    box **heap, *free_boxes;
    int64_t n_open, room;
    snapshot *first, *free_snapshots;
    size_t kept;
    double *left, *right, *row_best;
    int32_t *point;
    double step;
    int direction;
} search;

static double now(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- open boxes ---- */

static void push(search *w, box *b)
{
    if (w->n_open == w->room) {
        int64_t room = w->room ? 2 * w->room : 1024;
        box **heap = EW_TAKE(&w->arena, box *, room);
        if (w->n_open)
            memcpy(heap, w->heap, sizeof(box *) * (size_t)w->n_open);
        w->heap = heap;
        w->room = room;
    }
    int64_t i = w->n_open++;
    for (; i && w->heap[(i - 1) / 2]->bound > b->bound; i = (i - 1) / 2)
        w->heap[i] = w->heap[(i - 1) / 2];
    w->heap[i] = b;
}

static box *pop(search *w)
{
    box *top = w->heap[0], *last = w->heap[--w->n_open];
    int64_t i = 0;
    for (;;) {
        int64_t j = 2 * i + 1;
        if (j >= w->n_open)
            break;
        if (j + 1 < w->n_open && w->heap[j + 1]->bound < w->heap[j]->bound)
            j++;
        if (w->heap[j]->bound >= last->bound)
            break;
        w->heap[i] = w->heap[j];
        i = j;
    }
    w->heap[i] = last;
    return top;
}

static box *new_box(search *w)
{
    box *b = w->free_boxes;
    if (b)
        w->free_boxes = b->next;
    else {
        b = EW_TAKE(&w->arena, box, 1);
        b->alive = EW_TAKE(&w->arena, uint8_t, w->c.n_cells);
    }
    b->dual = NULL;
    return b;
}

static snapshot *keep_dual(search *w)
{
    snapshot *s = w->free_snapshots;
    if (s)
        w->free_snapshots = s->next;
    else {
        const size_t size = sizeof(float) * (size_t)w->c.n_segments;
        if (w->kept + size > MOST_KEPT && w->first)
            return NULL;
        w->kept += size;
        s = EW_TAKE(&w->arena, snapshot, 1);
        s->pi = EW_TAKE(&w->arena, float, w->c.n_rows);
        s->theta = EW_TAKE(&w->arena, float, w->c.n_segments);
    }
    s->n_users = 1;
    s->mu = (float)w->dual.mu;
    for (int32_t r = 0; r < w->c.n_rows; r++)
        s->pi[r] = (float)w->dual.pi[r];
    for (int32_t g = 0; g < w->c.n_segments; g++)
        s->theta[g] = (float)w->dual.theta[g];
    return s;
}

static void drop_dual(search *w, snapshot *s)
{
    if (s && --s->n_users == 0) {
        s->next = w->free_snapshots;
        w->free_snapshots = s;
    }
}

static void load_dual(search *w, const snapshot *s)
{
    w->dual.mu = s->mu;
    for (int32_t r = 0; r < w->c.n_rows; r++)
        w->dual.pi[r] = s->pi[r];
    for (int32_t g = 0; g < w->c.n_segments; g++)
        w->dual.theta[g] = s->theta[g];
    if (w->c.n_rows > 1)
        ew_dual_weigh(&w->dual, &w->c);
}

static void drop_box(search *w, box *b)
{
    drop_dual(w, b->dual);
    b->dual = NULL;
    b->next = w->free_boxes;
    w->free_boxes = b;
}

/* ---- the dual of one box ---- */

static double limit_of(const search *w)
{
    return w->best.value * (1.0 - TOLERANCE);
}

static void copy_dual(ew_dual *to, const ew_dual *from, const ew_compact *c)
{
    to->mu = from->mu;
    memcpy(to->theta, from->theta, sizeof(double) * (size_t)c->n_segments);
    memcpy(to->B, from->B, sizeof(double) * (size_t)c->n_cells);
    memcpy(to->total, from->total, sizeof(double) * (size_t)c->n_leaves);
    memcpy(to->least_message, from->least_message, sizeof(double) * (size_t)c->n_slots);
    memcpy(to->least_messages, from->least_messages, sizeof(double) * (size_t)c->n_trees);
}

/* Try another price with one sweep; keep it if the bound is better. Returns the bound that is kept. */
static double try_price(search *w, double mu, double before, int backward)
{
    copy_dual(&w->saved[0], &w->dual, &w->c);
    ew_dual_reprice(&w->dual, &w->c, mu);
    ew_dual_sweep(&w->dual, &w->c, backward);
    const double then = ew_dual_estimate(&w->dual, &w->c, w->f->least);
    if (then > before)
        return then;
    copy_dual(&w->dual, &w->saved[0], &w->c);
    return before;
}

/* Move weights to the conditions that the best leaves of all trees meet least. */
static void reweigh(search *w, double step)
{
    const ew_compact *c = &w->c;
    double *score = w->row_best, largest = 0.0, sum = 0.0;
    for (int32_t r = 0; r < c->n_rows; r++)
        score[r] = c->constant[r] - w->f->least[r];
    for (int32_t t = 0; t < c->n_trees; t++) {
        int32_t best = w->dual.active[w->dual.first_active[t]];
        for (int32_t z = w->dual.first_active[t]; z < w->dual.first_active[t + 1]; z++)
            if (w->dual.total[w->dual.active[z]] > w->dual.total[best])
                best = w->dual.active[z];
        for (int32_t r = 0; r < c->n_rows; r++)
            score[r] += c->gain[(size_t)best * (size_t)c->n_rows + (size_t)r];
    }
    for (int32_t r = 0; r < c->n_rows; r++)
        largest = fmax(largest, fabs(score[r]));
    for (int32_t r = 0; r < c->n_rows; r++) {
        w->dual.pi[r] = fmax(w->dual.pi[r] * exp(-step * score[r] / (largest + DBL_MIN)), 1e-4);
        sum += w->dual.pi[r];
    }
    for (int32_t r = 0; r < c->n_rows; r++)
        w->dual.pi[r] /= sum;
    ew_dual_weigh(&w->dual, c);
    ew_dual_refresh(&w->dual, c);
}

/* The relaxed optimum as a point, distance being made cheaper and cheaper until it is accepted. */
static void offer_relaxed(search *w)
{
    const ew_compact *c = &w->c;
    for (size_t trial = 0; trial < sizeof CHEAPER / sizeof *CHEAPER; trial++) {
        const double cheaper = CHEAPER[trial] * w->dual.mu;
        memcpy(w->point, w->best.own, sizeof(int32_t) * (size_t)w->f->n_vars);
        for (int32_t i = 0; i < c->n_vars; i++) {
            double most = -INFINITY;
            for (int32_t k = c->first_cell[i]; k < c->first_cell[i + 1]; k++) {
                const double B = w->dual.B[k] + cheaper * c->cost[k];
                if (w->dual.alive[k] && B > most) {
                    most = B;
                    w->point[c->var[i]] = c->original[k];
                }
            }
        }
        const double cost = ew_cost_of(&w->best, w->point);
        if (w->best.has_point && cost > 2.5 * w->best.value)
            return;
        if (isfinite(cost) && ew_accepts(w->f, w->point, w->best.margin, w->best.sums)) {
            ew_offer(&w->best, w->point);
            return;
        }
    }
}

/* Whether some condition cannot be met by the leaves that are left. Gains are summed anew; `least` has room for that. */
static int is_out_of_reach(const search *w)
{
    const ew_compact *c = &w->c;
    for (int32_t r = 0; r < c->n_rows; r++) {
        double sum = c->constant[r];
        for (int32_t t = 0; t < c->n_trees; t++) {
            double most = -INFINITY;
            for (int32_t z = w->dual.first_active[t]; z < w->dual.first_active[t + 1]; z++)
                most = fmax(most, c->gain[(size_t)w->dual.active[z] * (size_t)c->n_rows + (size_t)r]);
            sum += most;
        }
        if (sum < w->f->least[r])
            return 1;
    }
    return 0;
}

static void prove(search *w, box *b)
{
    ew_prove(&w->proof, &w->c, b->alive, limit_of(w), w->f->least, w->dual.mu, w->dual.pi, w->dual.theta);
    b->bound = fmax(b->bound, w->proof.distance);
}

/* Sweep until the bound is good enough or stalls. Returns whether the incumbent fell so much that it is worth building
 * the problem anew. */
static int ascend(search *w, box *b, int is_root, double built_for)
{
    const int most = is_root ? ROOT_SWEEPS : SWEEPS;
    double before = -INFINITY, bound = -INFINITY;
    for (int sweep = 0; sweep < most; sweep++) {
        ew_dual_sweep(&w->dual, &w->c, sweep & 1);
        bound = ew_dual_estimate(&w->dual, &w->c, w->f->least);
        if (bound >= limit_of(w)) {
            prove(w, b);
            if (b->bound >= limit_of(w))
                return 0;
        }
        if (sweep == 0 || sweep == most - 1 || (is_root && sweep % 4 == 0)) {
            offer_relaxed(w);
            if (w->best.value < built_for * (1.0 - REBUILD) && w->row->n_nodes < REBUILD_BEFORE)
                return 1;
        }
        if (is_root ? sweep % 3 == 2 : sweep % 3 == 1 && sweep < most - 1) {
            const double step = is_root ? w->step : 0.1, mu = w->dual.mu;
            double better = try_price(w, w->direction > 0 ? mu * (1.0 + step) : mu / (1.0 + step), bound, 0);
            if (!(better > bound)) {
                w->direction = -w->direction;
                if (is_root) {
                    better = try_price(w, w->direction > 0 ? mu * (1.0 + step) : mu / (1.0 + step), bound, 0);
                    w->step = fmax(0.02, better > bound ? w->step : 0.6 * w->step);
                }
            }
            bound = better;
        }
        if (w->c.n_rows > 1 && (is_root ? sweep % 4 == 3 : sweep == most - 2))
            reweigh(w, is_root ? 0.4 * pow(0.97, sweep) : 0.05);
        const int looks_back = is_root ? sweep % ROOT_PATIENCE == ROOT_PATIENCE - 1 : sweep % 2 == 1 && sweep > 1;
        if (looks_back) {
            const double gain = is_root ? ROOT_GAIN : NODE_GAIN;
            if (bound - before < gain * (limit_of(w) - bound) && (!is_root || sweep > 2 * ROOT_PATIENCE))
                break;
            before = bound;
        }
    }
    return 0;
}

/* Take cells out of a box that the proof rules out: at the ends of ordered variables, anywhere in others. */
static int32_t trim(search *w, box *b)
{
    const ew_compact *c = &w->c;
    int32_t n = 0;
    for (int32_t i = 0; i < c->n_vars; i++) {
        int32_t low = c->first_cell[i], high = c->first_cell[i + 1] - 1;
        for (; low <= high; low++) {
            if (!b->alive[low])
                continue;
            if (!ew_is_too_far(&w->proof, c, i, low, limit_of(w), w->dual.mu)) {
                if (c->is_ordered[i])
                    break;
                continue;
            }
            b->alive[low] = 0;
            n++;
        }
        for (; c->is_ordered[i] && high >= low; high--) {
            if (!b->alive[high])
                continue;
            if (!ew_is_too_far(&w->proof, c, i, high, limit_of(w), w->dual.mu))
                break;
            b->alive[high] = 0;
            n++;
        }
    }
    return n;
}

/* ---- splits ---- */

typedef struct {
    double score;
    int32_t var, cell; /* ordered: cells before it and from it on; others: the cell alone and the rest */
    int second_first;
} split;

static void consider(split *best, double first, double second, int32_t var, int32_t cell)
{
    const double score = fmin(first, second) + 0.1 * fmax(first, second);
    if (score > best->score) {
        best->score = score;
        best->var = var;
        best->cell = cell;
        best->second_first = second < first;
    }
}

/* Add up what each tree loses at least if a variable is limited: left[k] to the cells up to k (others: to k alone),
 * right[k] to those from k on (to all but k). */
static void add_losses(search *w, int32_t s)
{
    const ew_compact *c = &w->c;
    ew_dual *d = &w->dual;
    const int32_t t = c->slot_tree[s], i = c->slot_var[s], first = c->first_cell[i], end = c->first_cell[i + 1];
    const uint16_t *segment = c->segment_of + c->segments_at[s];
    double *best = d->best, all = -INFINITY, free_leaves = -INFINITY;
    const int32_t stamp = ++d->last_stamp;
    for (int32_t g = 0; g < c->first_segment[s + 1] - c->first_segment[s]; g++)
        best[g] = -INFINITY;
    for (int32_t e = c->first_condition[s]; e < c->first_condition[s + 1]; e++) {
        const int32_t l = c->condition_leaf[e];
        if (!d->is_active[l])
            continue;
        d->stamp[l] = stamp;
        for (size_t a = c->first_allowed[e]; a < c->first_allowed[e + 1]; a++)
            if (d->total[l] > best[c->allowed[a]])
                best[c->allowed[a]] = d->total[l];
    }
    for (int32_t z = d->first_active[t]; z < d->first_active[t + 1]; z++) {
        const int32_t l = d->active[z];
        all = fmax(all, d->total[l]);
        if (d->stamp[l] != stamp)
            free_leaves = fmax(free_leaves, d->total[l]);
    }
    if (free_leaves >= all)
        return;
    if (c->is_ordered[i]) {
        double most = free_leaves;
        for (int32_t k = first; k < end; k++) {
            most = d->alive[k] ? fmax(most, best[segment[k - first]]) : most;
            w->left[k] += fmin(MOST_LOSS, all - most);
        }
        most = free_leaves;
        for (int32_t k = end - 1; k >= first; k--) {
            most = d->alive[k] ? fmax(most, best[segment[k - first]]) : most;
            w->right[k] += fmin(MOST_LOSS, all - most);
        }
        return;
    }
    double largest = free_leaves, second = free_leaves;
    int32_t where = -1;
    for (int32_t k = first; k < end; k++) {
        const double value = d->alive[k] ? fmax(free_leaves, best[segment[k - first]]) : free_leaves;
        if (value > largest) {
            second = largest;
            largest = value;
            where = k;
        } else
            second = fmax(second, value);
        w->left[k] += fmin(MOST_LOSS, all - value);
    }
    for (int32_t k = first; k < end; k++)
        w->right[k] += fmin(MOST_LOSS, all - (k == where ? second : largest));
}

/* The split both sides of which lose most; var < 0 if the box is a single point. */
static split best_split(search *w)
{
    const ew_compact *c = &w->c;
    const double *B = w->dual.B;
    split best = {-INFINITY, -1, -1, 0};
    memset(w->left, 0, sizeof(double) * (size_t)c->n_cells);
    memset(w->right, 0, sizeof(double) * (size_t)c->n_cells);
    for (int32_t s = 0; s < c->n_slots; s++)
        if (w->dual.n_alive[s] >= 2)
            add_losses(w, s);
    for (int32_t i = 0; i < c->n_vars; i++) {
        const int32_t first = c->first_cell[i], end = c->first_cell[i + 1];
        double all = -INFINITY, second = -INFINITY, most = -INFINITY;
        int32_t where = -1;
        for (int32_t k = first; k < end; k++) {
            if (!w->dual.alive[k])
                continue;
            if (B[k] > all) {
                second = all;
                all = B[k];
                where = k;
            } else
                second = fmax(second, B[k]);
        }
        if (isinf(second))
            continue; /* one cell left */
        if (!c->is_ordered[i]) {
            for (int32_t k = first; k < end; k++)
                if (w->dual.alive[k])
                    consider(&best, w->left[k] + all - B[k], w->right[k] + all - (k == where ? second : all), i, k);
            continue;
        }
        double *after = w->dual.best; /* most from k on */
        for (int32_t k = end - 1; k >= first; k--) {
            most = w->dual.alive[k] ? fmax(most, B[k]) : most;
            after[k - first] = most;
        }
        most = -INFINITY;
        for (int32_t k = first; k + 1 < end; k++) {
            most = w->dual.alive[k] ? fmax(most, B[k]) : most;
            if (w->dual.alive[k] && w->dual.alive[k + 1])
                consider(&best, w->left[k] + all - most, w->right[k + 1] + all - after[k + 1 - first], i, k + 1);
        }
    }
    return best;
}

/* Divide a box; the half to go on with is returned, the other one is put on the heap. */
static box *divide(search *w, box *b, split at)
{
    const ew_compact *c = &w->c;
    box *other = new_box(w);
    memcpy(other->alive, b->alive, (size_t)c->n_cells);
    box *first = at.second_first ? other : b, *second = at.second_first ? b : other;
    for (int32_t k = c->first_cell[at.var]; k < c->first_cell[at.var + 1]; k++) {
        const int in_first = c->is_ordered[at.var] ? k < at.cell : k == at.cell;
        if (in_first)
            second->alive[k] = 0;
        else
            first->alive[k] = 0;
    }
    other->bound = b->bound;
    other->dual = keep_dual(w);
    push(w, other);
    return b;
}

/* A box that is a single point: it is accepted, or it is not, or rounding leaves it open. */
static void close_single(search *w, const box *b)
{
    const ew_compact *c = &w->c;
    memcpy(w->point, w->best.own, sizeof(int32_t) * (size_t)w->f->n_vars);
    for (int32_t i = 0; i < c->n_vars; i++)
        for (int32_t k = c->first_cell[i]; k < c->first_cell[i + 1]; k++)
            if (b->alive[k])
                w->point[c->var[i]] = c->original[k];
    const int accepted = ew_accepts(w->f, w->point, w->best.margin, w->best.sums);
    ew_offer(&w->best, w->point);
    if (accepted || !w->f->is_exact || w->best.margin > 0.0)
        w->settled = fmin(w->settled, w->dual.base);
}

/* ---- the search ---- */

static int is_out_of_time(const search *w)
{
    if (w->row->n_nodes >= w->row->most_nodes)
        return 1;
    return w->best.has_point && now() - w->started > w->row->seconds;
}

/* Look into one box. Returns 1 to build the problem anew, 0 else; *go_on is the half of it to look into next. */
static int look_into(search *w, box *b, int is_root, double built_for, box **go_on)
{
    *go_on = NULL;
    for (int round = 0; round < ROUNDS; round++) {
        if (!ew_dual_enter(&w->dual, &w->c, b->alive, limit_of(w)) || is_out_of_reach(w)) {
            drop_box(w, b);
            return 0;
        }
        b->bound = fmax(b->bound, w->dual.base);
        ew_dual_refresh(&w->dual, &w->c);
        if (ascend(w, b, is_root && round == 0, built_for))
            return 1;
        if (b->bound >= limit_of(w)) {
            drop_box(w, b);
            return 0;
        }
        prove(w, b);
        const int32_t trimmed = trim(w, b);
        if (b->bound >= limit_of(w)) {
            drop_box(w, b);
            return 0;
        }
        if (trimmed < 2 || trimmed * 8 < w->c.n_cells)
            break;
    }
    if (is_root) {
        w->first = keep_dual(w);
        const double before = w->best.value;
        if (w->best.has_point)
            ew_exchange(&w->best);
        if (w->best.value < before * (1.0 - REBUILD / 2))
            return 1;
    }
    if (!ew_dual_enter(&w->dual, &w->c, b->alive, limit_of(w))) { /* cells were trimmed since */
        drop_box(w, b);
        return 0;
    }
    ew_dual_refresh(&w->dual, &w->c);
    const split at = best_split(w);
    if (at.var < 0) {
        close_single(w, b);
        drop_box(w, b);
        return 0;
    }
    b = divide(w, b, at);
    if (b->bound <= w->heap[0]->bound + PLUNGE * (w->best.value - w->heap[0]->bound)) {
        *go_on = b;
        return 0;
    }
    b->dual = keep_dual(w);
    push(w, b);
    return 0;
}

static void open_problem(search *w)
{
    ew_compact *c = &w->c;
    w->heap = NULL;
    w->n_open = w->room = 0;
    w->free_boxes = NULL;
    w->free_snapshots = NULL;
    w->first = NULL;
    w->kept = 0;
    ew_dual_open(&w->dual, c, &w->arena);
    ew_dual_open(&w->saved[0], c, &w->arena);
    ew_proof_open(&w->proof, c, &w->arena);
    w->left = EW_TAKE(&w->arena, double, c->n_cells);
    w->right = EW_TAKE(&w->arena, double, c->n_cells);
    w->row_best = EW_TAKE(&w->arena, double, c->n_rows);
    w->step = 0.5;
    w->direction = 1;
}

/* First weights and price: what is missing at the row itself, over the incumbent's distance. */
static void first_dual(search *w)
{
    const ew_forest *f = w->f;
    double *score = EW_TAKE(&w->arena, double, (size_t)f->n_rows * 2), sum = 0.0, need = 0.0;
    double *along = EW_TAKE(&w->arena, double, (size_t)(f->first_cell[1] - f->first_cell[0] + 1) * (size_t)f->n_rows);
    ew_along(f, w->best.own, 0, along);
    memcpy(score, along + (size_t)w->best.own[0] * (size_t)f->n_rows, sizeof(double) * (size_t)f->n_rows);
    for (int32_t r = 0; r < f->n_rows; r++)
        sum += fmax(0.0, f->least[r] - score[r]);
    for (int32_t r = 0; r < f->n_rows; r++) {
        const double share = sum > 0.0 ? fmax(0.0, f->least[r] - score[r]) / sum : 1.0 / f->n_rows;
        w->dual.pi[r] = 0.98 * share + 0.02 / f->n_rows;
        need += w->dual.pi[r] * (f->least[r] - score[r]);
    }
    w->dual.mu = 2.0 * fmax(need, 1e-6) / fmax(w->best.value, DBL_MIN * 1e10);
    ew_dual_weigh(&w->dual, &w->c);
}

/* Search one compact problem. Returns 1 if it is to be built anew. */
static int search_problem(search *w)
{
    const double built_for = w->best.value;
    if (!ew_compact_build(w->f, w->row->bound, w->best.own, limit_of(w), &w->arena, &w->c))
        return 0;
    open_problem(w);
    first_dual(w);
    box *b = new_box(w);
    memset(b->alive, 1, (size_t)w->c.n_cells);
    b->bound = 0.0;
    int is_root = 1;
    while (b || w->n_open) {
        if (!b) {
            b = pop(w);
            if (b->bound >= limit_of(w)) {
                drop_box(w, b);
                b = NULL;
                continue;
            }
            load_dual(w, b->dual ? b->dual : w->first);
            drop_dual(w, b->dual);
            b->dual = NULL;
        }
        if (is_out_of_time(w)) {
            w->row->status = EW_STOPPED;
            w->settled = fmin(w->settled, fmin(b->bound, w->n_open ? w->heap[0]->bound : INFINITY));
            return 0;
        }
        w->row->n_nodes++;
        box *next;
        if (look_into(w, b, is_root, built_for, &next))
            return 1;
        b = next;
        is_root = 0;
    }
    return 0;
}

void ew_search(const ew_forest *f, ew_row *row)
{
    jmp_buf no_memory;
    search *w = calloc(1, sizeof *w);
    row->status = EW_NO_MEMORY;
    row->has_point = 0;
    row->lower_bound = 0.0;
    row->value = INFINITY;
    row->n_nodes = 0;
    if (!w)
        return;
    w->once.no_memory = w->arena.no_memory = &no_memory;
    if (setjmp(no_memory) == 0) {
        w->f = f;
        w->row = row;
        w->started = now();
        w->settled = INFINITY;
        int32_t *own = EW_TAKE(&w->once, int32_t, f->n_vars);
        double farthest = 0.0;
        int is_possible = 1;
        for (int32_t i = 0; i < f->n_vars; i++) {
            const double *cost = row->cost + f->first_cell[i];
            double most = 0.0;
            for (int32_t k = 0; k < f->first_cell[i + 1] - f->first_cell[i]; k++) {
                if (cost[k] < cost[own[i]])
                    own[i] = k;
                if (isfinite(cost[k]))
                    most = fmax(most, cost[k]);
            }
            farthest += most;
            is_possible &= isfinite(cost[own[i]]) != 0;
        }
        row->status = EW_PROVEN;
        if (is_possible) {
            w->best = (ew_incumbent){.forest = f, .cost = row->cost, .bound = row->bound, .own = own,
                                     .margin = row->margin, .best = row->cells,
                                     /* without a point, everything there is is within this */
                                     .value = fmin(row->cutoff, 2.0 * farthest + DBL_MIN * 1e20)};
            ew_incumbent_open(&w->best, &w->once);
            w->point = EW_TAKE(&w->once, int32_t, f->n_vars);
            ew_offer(&w->best, own);
            ew_single_changes(&w->best);
            ew_greedy_changes(&w->best);
            while (search_problem(w))
                ew_give_back(&w->arena);
            row->has_point = w->best.has_point;
            row->value = w->best.has_point ? w->best.value : INFINITY;
            row->lower_bound = fmin(w->settled, limit_of(w));
            if (!w->best.has_point && row->cutoff > 2.0 * farthest)
                row->lower_bound = w->settled;
        } else
            row->lower_bound = INFINITY;
    } else {
        row->has_point = w->best.has_point;
        row->value = w->best.has_point ? w->best.value : INFINITY;
        row->lower_bound = 0.0;
        row->status = EW_NO_MEMORY;
    }
    ew_give_back(&w->arena);
    ew_give_back(&w->once);
    free(w);
}

int ew_first_bound(const ew_forest *f, ew_row *row, int n_sweeps, double *mu, double *pi, double *theta)
{
    jmp_buf no_memory;
    search *w = calloc(1, sizeof *w);
    int status = EW_NO_MEMORY;
    if (!w)
        return status;
    w->once.no_memory = w->arena.no_memory = &no_memory;
    if (setjmp(no_memory) == 0) {
        w->f = f;
        w->row = row;
        int32_t *own = EW_TAKE(&w->once, int32_t, f->n_vars);
        for (int32_t i = 0; i < f->n_vars; i++)
            for (int32_t k = 0; k < f->first_cell[i + 1] - f->first_cell[i]; k++)
                if (row->cost[f->first_cell[i] + k] < row->cost[f->first_cell[i] + own[i]])
                    own[i] = k;
        w->best = (ew_incumbent){.forest = f, .cost = row->cost, .bound = row->bound, .own = own, .value = row->cutoff};
        status = EW_STOPPED;
        row->lower_bound = row->cutoff;
        if (ew_compact_build(f, row->bound, own, row->cutoff, &w->arena, &w->c)) {
            const ew_compact *c = &w->c;
            open_problem(w);
            first_dual(w);
            uint8_t *alive = EW_TAKE(&w->arena, uint8_t, c->n_cells);
            memset(alive, 1, (size_t)c->n_cells);
            if (ew_dual_enter(&w->dual, c, alive, row->cutoff)) {
                ew_dual_refresh(&w->dual, c);
                for (int sweep = 0; sweep < n_sweeps; sweep++)
                    ew_dual_sweep(&w->dual, c, sweep & 1);
                ew_prove(&w->proof, c, alive, row->cutoff, f->least, w->dual.mu, w->dual.pi, w->dual.theta);
                row->lower_bound = w->proof.distance;
                status = EW_PROVEN;
                *mu = w->dual.mu;
                memcpy(pi, w->dual.pi, sizeof(double) * (size_t)f->n_rows);
                const int32_t n_cells = f->first_cell[f->n_vars];
                for (int32_t s = 0; s < c->n_slots; s++)
                    for (int32_t k = 0; k < n_cells; k++) {
                        const int32_t cell = c->compact_of[k] - c->first_cell[c->slot_var[s]];
                        if (cell >= 0 && cell < c->first_cell[c->slot_var[s] + 1] - c->first_cell[c->slot_var[s]])
                            theta[(size_t)c->tree[c->slot_tree[s]] * (size_t)n_cells + (size_t)k] =
                                w->dual.theta[c->first_segment[s] + c->segment_of[c->segments_at[s] + (size_t)cell]];
                    }
            }
        }
    }
    ew_give_back(&w->arena);
    ew_give_back(&w->once);
    free(w);
    return status;
}
