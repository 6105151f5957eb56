#include "compact.h"

#include <math.h>
#include <string.h>

/* A list that grows. */
typedef struct {
    void *items;
    size_t n, room;
} list;

static void *push(list *l, size_t size, ew_arena *arena)
{
    if (l->n == l->room) {
        size_t room = l->room ? 2 * l->room : 1024;
        void *items = ew_take(arena, room, size);
        if (l->n)
            memcpy(items, l->items, l->n * size);
        l->items = items;
        l->room = room;
    }
    return (char *)l->items + size * l->n++;
}

typedef struct {
    int32_t var, low, high; /* within cells that can be reached */
    int64_t mask;           /* where its mask starts, -1 for a plain range */
} condition;

typedef struct {
    const ew_forest *f;
    ew_arena *arena;
    double limit;
    /* cells that can be reached: counted anew within each variable */
    int32_t *n_reached, *before, *reached; /* before[first_cell + var + k]: how many come before cell k */
    double *least;                         /* cheapest cost of each variable */
    int32_t *nearest;                      /* where it is */
    const double *cost;
    /* the box of the walk */
    int32_t *low, *high;
    uint8_t **mask;
    double *spent;
    int32_t *path;
    int32_t n_path;
    /* leaves found */
    list leaves, conditions, masks, first_condition;
} walk;

static double reached_cost(const walk *w, int32_t var, int32_t k)
{
    const int32_t first = w->f->first_cell[var];
    return w->cost[first + w->reached[first + k]];
}

/* Cheapest cell of a variable within the box of the walk; infinite if none is left. */
static double cheapest(const walk *w, int32_t var)
{
    if (w->low[var] > w->high[var])
        return INFINITY;
    if (!w->mask[var] && w->f->is_ordered[var]) {
        int32_t k = w->nearest[var];
        k = k < w->low[var] ? w->low[var] : k > w->high[var] ? w->high[var] : k;
        return reached_cost(w, var, k);
    }
    double best = INFINITY;
    for (int32_t k = w->low[var]; k <= w->high[var]; k++)
        if (!w->mask[var] || w->mask[var][k])
            best = fmin(best, reached_cost(w, var, k));
    return best;
}

static void found_leaf(walk *w, int32_t leaf)
{
    *(int32_t *)push(&w->leaves, sizeof(int32_t), w->arena) = leaf;
    *(int32_t *)push(&w->first_condition, sizeof(int32_t), w->arena) = (int32_t)w->conditions.n;
    for (int32_t p = 0; p < w->n_path; p++) {
        const int32_t var = w->path[p];
        int is_first = 1;
        for (int32_t q = 0; q < p; q++)
            is_first &= w->path[q] != var;
        if (!is_first || (!w->mask[var] && w->low[var] == 0 && w->high[var] == w->n_reached[var] - 1))
            continue;
        condition *e = push(&w->conditions, sizeof(condition), w->arena);
        e->var = var;
        e->low = w->low[var];
        e->high = w->high[var];
        e->mask = -1;
        if (w->mask[var]) {
            e->mask = (int64_t)w->masks.n;
            for (int32_t k = 0; k < w->n_reached[var]; k++)
                *(uint8_t *)push(&w->masks, 1, w->arena) =
                    w->mask[var][k] && k >= w->low[var] && k <= w->high[var];
        }
    }
}

/* Walk into what the box leaves of a subtree, `spent` being the least cost of the box. */
static void enter(walk *w, int32_t node, double spent)
{
    const ew_forest *f = w->f;
    if (f->var[node] < 0) {
        found_leaf(w, f->left[node]);
        return;
    }
    const int32_t var = f->var[node], first = f->first_cell[var];
    const int32_t low = w->low[var], high = w->high[var];
    uint8_t *mask = w->mask[var];
    const double own = w->spent[var];
    w->path[w->n_path++] = var;
    for (int side = 0; side < 2; side++) {
        if (f->table[node] < 0) {
            int32_t split = w->before[first + var + f->cut[node] + 1]; /* cells up to the cut, counted */
            if (side == 0)
                w->high[var] = high < split - 1 ? high : split - 1;
            else
                w->low[var] = low > split ? low : split;
        } else {
            uint8_t *part = EW_TAKE(w->arena, uint8_t, w->n_reached[var]);
            for (int32_t k = low; k <= high; k++)
                part[k] = (!mask || mask[k]) && (f->tables[f->table[node] + w->reached[first + k]] != 0) == !side;
            w->mask[var] = part;
        }
        w->spent[var] = cheapest(w, var);
        const double total = spent - own + w->spent[var];
        if (total < w->limit)
            enter(w, side == 0 ? f->left[node] : f->right[node], total);
        w->low[var] = low;
        w->high[var] = high;
        w->mask[var] = mask;
        w->spent[var] = own;
    }
    w->n_path--;
}

/* Depth of the deepest tree. */
static int32_t depth_of(const ew_forest *f, int32_t node)
{
    if (f->var[node] < 0)
        return 0;
    int32_t a = depth_of(f, f->left[node]), b = depth_of(f, f->right[node]);
    return 1 + (a > b ? a : b);
}

/* Cells that a point nearer than the limit can have. Returns 0 if a variable has none. */
static int reach(walk *w, const int32_t *own)
{
    const ew_forest *f = w->f;
    double base = 0.0;
    for (int32_t i = 0; i < f->n_vars; i++) {
        w->least[i] = w->cost[f->first_cell[i] + own[i]];
        base += w->least[i];
    }
    for (int32_t i = 0; i < f->n_vars; i++) {
        const int32_t first = f->first_cell[i], n = f->first_cell[i + 1] - first;
        int32_t count = 0;
        for (int32_t k = 0; k < n; k++) {
            w->before[first + i + k] = count;
            if (base - w->least[i] + w->cost[first + k] < w->limit) {
                if (k == own[i])
                    w->nearest[i] = count;
                w->reached[first + count++] = k;
            }
        }
        w->before[first + i + n] = count;
        w->n_reached[i] = count;
        w->high[i] = count - 1;
        w->spent[i] = w->least[i];
        if (count == 0)
            return 0;
    }
    return 1;
}

/* Number the cells that are left; `place` is where reached cells go within their variable. */
static void sort_out_cells(const walk *w, const uint8_t *starts, const ew_cells *cells, int32_t *place, ew_compact *c)
{
    const ew_forest *f = w->f;
    c->var = EW_TAKE(w->arena, int32_t, f->n_vars);
    c->is_ordered = EW_TAKE(w->arena, uint8_t, f->n_vars);
    c->first_cell = EW_TAKE(w->arena, int32_t, f->n_vars + 1);
    c->original = EW_TAKE(w->arena, int32_t, f->first_cell[f->n_vars]);
    c->cost = EW_TAKE(w->arena, double, f->first_cell[f->n_vars]);
    c->first_original = EW_TAKE(w->arena, int32_t, f->first_cell[f->n_vars]);
    c->last_original = EW_TAKE(w->arena, int32_t, f->first_cell[f->n_vars]);
    c->low = EW_TAKE(w->arena, double, cells ? f->first_cell[f->n_vars] : 0);
    c->high = EW_TAKE(w->arena, double, cells ? f->first_cell[f->n_vars] : 0);
    c->penalty = EW_TAKE(w->arena, double, cells ? f->first_cell[f->n_vars] : 0);
    c->compact_of = EW_TAKE(w->arena, int32_t, f->first_cell[f->n_vars]);
    memset(c->compact_of, -1, sizeof(int32_t) * (size_t)f->first_cell[f->n_vars]);
    for (int32_t i = 0; i < f->n_vars; i++) {
        const int32_t first = f->first_cell[i];
        int32_t last = -1;
        for (int32_t k = 0; k < w->n_reached[i]; k++) {
            last += k == 0 || starts[first + k];
            place[first + k] = last;
        }
        if (last == 0 && !cells) {
            c->fixed_cost += w->least[i];
            continue;
        }
        const int32_t here = c->first_cell[c->n_vars];
        for (int32_t k = 0; k <= last; k++) {
            c->cost[here + k] = INFINITY;
            c->first_original[here + k] = -1;
        }
        for (int32_t k = 0; k < w->n_reached[i]; k++) {
            const int32_t cell = here + place[first + k], original = first + w->reached[first + k];
            const double cost = reached_cost(w, i, k);
            c->compact_of[original] = cell;
            if (cells && c->first_original[cell] < 0) {
                c->low[cell] = cells->low[original];
                c->penalty[cell] = cells->penalty[original];
            }
            if (cells)
                c->high[cell] = cells->high[original];
            if (c->first_original[cell] < 0)
                c->first_original[cell] = w->reached[first + k];
            c->last_original[cell] = w->reached[first + k];
            if (cost < c->cost[cell]) {
                c->cost[cell] = cost;
                c->original[cell] = w->reached[first + k];
            }
        }
        c->var[c->n_vars] = i;
        c->is_ordered[c->n_vars] = f->is_ordered[i];
        c->first_cell[++c->n_vars] = here + last + 1;
    }
    c->n_cells = c->first_cell[c->n_vars];
}

static int is_late(const ew_clock *clock)
{
    return clock && clock->is_late(clock->context);
}

/* Make slots, segments and conditions of the trees that are kept. Returns 0 if time is over. */
static int sort_out_trees(const walk *w, const int32_t *first_found, const int32_t *kept, const int32_t *place,
                          const ew_clock *clock, ew_compact *c)
{
    const ew_forest *f = w->f;
    const int32_t *leaf = w->leaves.items, *first_condition = w->first_condition.items;
    const condition *conditions = w->conditions.items;
    const uint8_t *masks = w->masks.items;
    int32_t *new_var = EW_TAKE(w->arena, int32_t, f->n_vars), *slot_at = EW_TAKE(w->arena, int32_t, f->n_vars);
    memset(new_var, -1, sizeof(int32_t) * (size_t)f->n_vars);
    for (int32_t i = 0; i < c->n_vars; i++)
        new_var[c->var[i]] = i;
    int32_t longest = 0;
    for (int32_t i = 0; i < c->n_vars; i++) {
        int32_t n = c->first_cell[i + 1] - c->first_cell[i];
        longest = n > longest ? n : longest;
    }
    uint8_t *starts = EW_TAKE(w->arena, uint8_t, longest + 1);
    list slot_tree = {0}, slot_var = {0}, first_segment = {0}, segments_at = {0}, segment_of = {0};
    list n_conditions = {0}, condition_leaf = {0}, first_allowed = {0}, allowed = {0};
    c->gain = EW_TAKE(w->arena, double, w->leaves.n * (size_t)f->n_rows);
    c->first_leaf = EW_TAKE(w->arena, int32_t, c->n_trees + 1);
    c->leaf = EW_TAKE(w->arena, int32_t, w->leaves.n);
    c->first_slot = EW_TAKE(w->arena, int32_t, c->n_trees + 1);
    int32_t n_segments = 0;
    for (int32_t t = 0; t < c->n_trees; t++) {
        if (is_late(clock))
            return 0;
        const int32_t from = first_found[kept[t]], to = first_found[kept[t] + 1];
        c->first_leaf[t + 1] = c->first_leaf[t] + to - from;
        memcpy(c->leaf + c->first_leaf[t], leaf + from, sizeof(int32_t) * (size_t)(to - from));
        for (int32_t l = from; l < to; l++)
            memcpy(c->gain + (size_t)(c->first_leaf[t] + l - from) * (size_t)f->n_rows,
                   f->gain + (size_t)leaf[l] * (size_t)f->n_rows, sizeof(double) * (size_t)f->n_rows);
        memset(slot_at, -1, sizeof(int32_t) * (size_t)f->n_vars);
        const int32_t end = (size_t)to < w->leaves.n ? first_condition[to] : (int32_t)w->conditions.n;
        for (int32_t e = first_condition[from]; e < end; e++) {
            const int32_t var = conditions[e].var;
            if (new_var[var] < 0 || slot_at[var] >= 0)
                continue;
            slot_at[var] = (int32_t)slot_tree.n;
            *(int32_t *)push(&slot_tree, sizeof(int32_t), w->arena) = t;
            *(int32_t *)push(&slot_var, sizeof(int32_t), w->arena) = new_var[var];
            /* segments start where a condition of this tree starts or ends */
            const int32_t n = c->first_cell[new_var[var] + 1] - c->first_cell[new_var[var]];
            const int32_t *of = place + f->first_cell[var];
            memset(starts, f->has_tables[var] ? 1 : 0, (size_t)n + 1);
            if (!f->has_tables[var])
                for (int32_t d = e; d < end; d++)
                    if (conditions[d].var == var) {
                        starts[of[conditions[d].low]] = 1;
                        starts[of[conditions[d].high] + 1] = 1;
                    }
            *(int32_t *)push(&first_segment, sizeof(int32_t), w->arena) = n_segments;
            *(size_t *)push(&segments_at, sizeof(size_t), w->arena) = segment_of.n;
            int32_t segment = 0;
            for (int32_t k = 0; k < n; k++) {
                segment += k > 0 && starts[k];
                *(uint16_t *)push(&segment_of, sizeof(uint16_t), w->arena) = (uint16_t)segment;
            }
            n_segments += segment + 1;
            /* leaves that are not free in this slot */
            const uint16_t *segments = (uint16_t *)segment_of.items + segment_of.n - (size_t)n;
            int32_t count = 0;
            for (int32_t l = from; l < to; l++) {
                const int32_t last = (size_t)l + 1 < w->leaves.n ? first_condition[l + 1] : (int32_t)w->conditions.n;
                for (int32_t d = first_condition[l]; d < last; d++) {
                    if (conditions[d].var != var)
                        continue;
                    *(int32_t *)push(&condition_leaf, sizeof(int32_t), w->arena) = c->first_leaf[t] + l - from;
                    *(size_t *)push(&first_allowed, sizeof(size_t), w->arena) = allowed.n;
                    int32_t before = -1;
                    for (int32_t k = conditions[d].low; k <= conditions[d].high; k++) {
                        if (conditions[d].mask >= 0 && !masks[conditions[d].mask + k])
                            continue;
                        if (segments[of[k]] != before) {
                            before = segments[of[k]];
                            *(uint16_t *)push(&allowed, sizeof(uint16_t), w->arena) = (uint16_t)before;
                        }
                    }
                    count++;
                }
            }
            *(int32_t *)push(&n_conditions, sizeof(int32_t), w->arena) = count;
        }
        c->first_slot[t + 1] = (int32_t)slot_tree.n;
    }
    c->n_leaves = c->first_leaf[c->n_trees];
    c->n_slots = (int32_t)slot_tree.n;
    c->n_segments = n_segments;
    *(int32_t *)push(&first_segment, sizeof(int32_t), w->arena) = n_segments;
    *(size_t *)push(&first_allowed, sizeof(size_t), w->arena) = allowed.n;
    c->slot_tree = slot_tree.items;
    c->slot_var = slot_var.items;
    c->first_segment = first_segment.items;
    c->segments_at = segments_at.items;
    c->segment_of = segment_of.items;
    c->condition_leaf = condition_leaf.items;
    c->first_allowed = first_allowed.items;
    c->allowed = allowed.items;
    c->has_ranges = EW_TAKE(w->arena, uint8_t, c->n_slots);
    for (int32_t z = 0; z < c->n_slots; z++)
        c->has_ranges[z] = !f->has_tables[c->var[c->slot_var[z]]];
    c->first_condition = EW_TAKE(w->arena, int32_t, c->n_slots + 1);
    c->first_of_var = EW_TAKE(w->arena, int32_t, c->n_vars + 2);
    c->slot_of_var = EW_TAKE(w->arena, int32_t, c->n_slots);
    for (int32_t s = 0; s < c->n_slots; s++) {
        c->first_condition[s + 1] = c->first_condition[s] + ((int32_t *)n_conditions.items)[s];
        c->first_of_var[c->slot_var[s] + 2]++;
    }
    for (int32_t i = 0; i < c->n_vars; i++)
        c->first_of_var[i + 2] += c->first_of_var[i + 1];
    for (int32_t s = 0; s < c->n_slots; s++)
        c->slot_of_var[c->first_of_var[c->slot_var[s] + 1]++] = s;
    return 1;
}

int ew_compact_build(const ew_forest *f, const double *cost, const int32_t *own, double limit, const ew_cells *cells,
                     const ew_clock *clock, ew_arena *arena, ew_compact *c)
{
    memset(c, 0, sizeof *c);
    c->forest = f;
    c->n_rows = f->n_rows;
    c->has_exact_constants = 1;
    const int32_t n_cells = f->first_cell[f->n_vars];
    int32_t deepest = 0;
    for (int32_t t = 0; t < f->n_trees; t++) {
        int32_t depth = depth_of(f, f->root[t]);
        deepest = depth > deepest ? depth : deepest;
    }
    walk w = {.f = f, .arena = arena, .limit = limit, .cost = cost};
    w.n_reached = EW_TAKE(arena, int32_t, f->n_vars);
    w.before = EW_TAKE(arena, int32_t, n_cells + f->n_vars);
    w.reached = EW_TAKE(arena, int32_t, n_cells);
    w.least = EW_TAKE(arena, double, f->n_vars);
    w.nearest = EW_TAKE(arena, int32_t, f->n_vars);
    w.low = EW_TAKE(arena, int32_t, f->n_vars);
    w.high = EW_TAKE(arena, int32_t, f->n_vars);
    w.mask = EW_TAKE(arena, uint8_t *, f->n_vars);
    w.spent = EW_TAKE(arena, double, f->n_vars);
    w.path = EW_TAKE(arena, int32_t, deepest);
    if (!reach(&w, own))
        return EW_NOTHING_SO_NEAR;
    double base = 0.0;
    for (int32_t i = 0; i < f->n_vars; i++)
        base += w.least[i];

    int32_t *first_found = EW_TAKE(arena, int32_t, f->n_trees + 1), *kept = EW_TAKE(arena, int32_t, f->n_trees);
    c->constant = EW_TAKE(arena, double, f->n_rows);
    const size_t R = (size_t)f->n_rows;
    for (int32_t t = 0; t < f->n_trees; t++) {
        if (is_late(clock))
            return EW_LATE;
        enter(&w, f->root[t], base);
        first_found[t + 1] = (int32_t)w.leaves.n;
        if (first_found[t + 1] == first_found[t])
            return EW_NOTHING_SO_NEAR;
        const int32_t *leaf = w.leaves.items;
        const double *first = f->gain + (size_t)leaf[first_found[t]] * R;
        int is_constant = 1;
        for (int32_t l = first_found[t] + 1; l < first_found[t + 1]; l++)
            is_constant &= memcmp(f->gain + (size_t)leaf[l] * R, first, sizeof(double) * R) == 0;
        if (is_constant) {
            for (size_t r = 0; r < R; r++)
                c->constant[r] += first[r];
            for (int32_t l = first_found[t]; l < first_found[t + 1]; l++)
                c->has_exact_constants &= f->is_exact[leaf[l]];
        } else
            kept[c->n_trees++] = t;
    }
    uint8_t *starts = EW_TAKE(arena, uint8_t, n_cells + 1);
    for (int32_t i = 0; i < f->n_vars; i++)
        if (f->has_tables[i] || (cells && !f->is_ordered[i]))
            memset(starts + f->first_cell[i], 1, (size_t)w.n_reached[i]);
    const int32_t *first_condition = w.first_condition.items;
    const condition *conditions = w.conditions.items;
    for (int32_t t = 0; t < c->n_trees; t++) {
        const int32_t to = first_found[kept[t] + 1];
        const int32_t end = (size_t)to < w.leaves.n ? first_condition[to] : (int32_t)w.conditions.n;
        for (int32_t e = first_condition[first_found[kept[t]]]; e < end; e++) {
            const int32_t first = f->first_cell[conditions[e].var];
            starts[first + conditions[e].low] = 1;
            if (conditions[e].high + 1 < w.n_reached[conditions[e].var])
                starts[first + conditions[e].high + 1] = 1;
        }
    }
    int32_t *place = EW_TAKE(arena, int32_t, n_cells);
    c->tree = kept;
    sort_out_cells(&w, starts, cells, place, c);
    return sort_out_trees(&w, first_found, kept, place, clock, c) ? EW_BUILT : EW_LATE;
}
