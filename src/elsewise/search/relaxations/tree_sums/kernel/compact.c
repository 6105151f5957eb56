#include "compact.h"

#include <math.h>
#include <string.h>

#include "walk.h"

/* Room for the cells that are left. */
static void take_cells(const ew_walk *w, int has_cone, ew_compact *c)
{
    const ew_forest *f = w->f;
    c->var = EW_TAKE(w->arena, int32_t, f->n_vars);
    c->is_ordered = EW_TAKE(w->arena, uint8_t, f->n_vars);
    c->first_cell = EW_TAKE(w->arena, int32_t, f->n_vars + 1);
    c->original = EW_TAKE(w->arena, int32_t, f->first_cell[f->n_vars]);
    c->cost = EW_TAKE(w->arena, double, f->first_cell[f->n_vars]);
    c->first_original = EW_TAKE(w->arena, int32_t, f->first_cell[f->n_vars]);
    c->last_original = EW_TAKE(w->arena, int32_t, f->first_cell[f->n_vars]);
    c->low = EW_TAKE(w->arena, double, has_cone ? f->first_cell[f->n_vars] : 0);
    c->high = EW_TAKE(w->arena, double, has_cone ? f->first_cell[f->n_vars] : 0);
    c->penalty = EW_TAKE(w->arena, double, has_cone ? f->first_cell[f->n_vars] : 0);
    c->compact_of = EW_TAKE(w->arena, int32_t, f->first_cell[f->n_vars]);
    memset(c->compact_of, -1, sizeof(int32_t) * (size_t)f->first_cell[f->n_vars]);
}

/* Say what the cells of a variable are, `last` being the number of its last one, from `here` on. */
static void put_cells(const ew_walk *w, int32_t i, int32_t here, int32_t last, const ew_cells *cells,
                      const int32_t *place, ew_compact *c)
{
    const int32_t first = w->f->first_cell[i];
    for (int32_t k = 0; k <= last; k++) {
        c->cost[here + k] = INFINITY;
        c->first_original[here + k] = -1;
    }
    for (int32_t k = 0; k < w->n_reached[i]; k++) {
        const int32_t cell = here + place[first + k], original = first + w->reached[first + k];
        const double cost = ew_reached_cost(w, i, k);
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
}

/* Number the cells that are left; `place` is where reached cells go within their variable. */
static void sort_out_cells(const ew_walk *w, const uint8_t *starts, const ew_cells *cells, int32_t *place, ew_compact *c)
{
    const ew_forest *f = w->f;
    take_cells(w, cells != NULL, c);
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
        put_cells(w, i, here, last, cells, place, c);
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

/* Slots, segments and conditions as they are found, tree by tree. */
typedef struct {
    const ew_walk *w;
    ew_compact *c;
    const int32_t *place; /* where reached cells go within their variable */
    int32_t *new_var;     /* of each original variable, -1 if it is none any more */
    int32_t *slot_at;     /* of each original variable: its slot of the tree at hand, -1 without one */
    uint8_t *starts;      /* room: cells at which a segment starts */
    int32_t n_segments;
    ew_list slot_tree, slot_var, first_segment, segments_at, segment_of;
    ew_list n_conditions, condition_leaf, first_allowed, allowed;
} slots;

#define PUT(s, field, type, item) (*(type *)ew_push_item(&(s)->field, sizeof(type), (s)->w->arena) = (item))

static void open_slots(slots *s, const ew_walk *w, const int32_t *place, ew_compact *c)
{
    const ew_forest *f = w->f;
    *s = (slots){.w = w, .c = c, .place = place};
    s->new_var = EW_TAKE(w->arena, int32_t, f->n_vars);
    s->slot_at = EW_TAKE(w->arena, int32_t, f->n_vars);
    memset(s->new_var, -1, sizeof(int32_t) * (size_t)f->n_vars);
    int32_t longest = 0;
    for (int32_t i = 0; i < c->n_vars; i++) {
        const int32_t n = c->first_cell[i + 1] - c->first_cell[i];
        longest = n > longest ? n : longest;
        s->new_var[c->var[i]] = i;
    }
    s->starts = EW_TAKE(w->arena, uint8_t, longest + 1);
    c->gain = EW_TAKE(w->arena, double, w->leaves.n * (size_t)f->n_rows);
    c->first_leaf = EW_TAKE(w->arena, int32_t, c->n_trees + 1);
    c->leaf = EW_TAKE(w->arena, int32_t, w->leaves.n);
    c->first_slot = EW_TAKE(w->arena, int32_t, c->n_trees + 1);
}

/* Take the leaves of a tree, those from `from` to before `to` of all that were found. */
static void put_leaves(slots *s, int32_t tree, int32_t from, int32_t to)
{
    const size_t n_rows = (size_t)s->w->f->n_rows;
    const int32_t *leaf = s->w->leaves.items;
    ew_compact *c = s->c;
    c->first_leaf[tree + 1] = c->first_leaf[tree] + to - from;
    memcpy(c->leaf + c->first_leaf[tree], leaf + from, sizeof(int32_t) * (size_t)(to - from));
    for (int32_t l = from; l < to; l++)
        memcpy(c->gain + (size_t)(c->first_leaf[tree] + l - from) * n_rows, s->w->f->gain + (size_t)leaf[l] * n_rows,
               sizeof(double) * n_rows);
}

/* Segments of a slot: they start where a condition of its tree starts or ends. Returns the segment of each cell. */
static const uint16_t *put_segments(slots *s, int32_t var, int32_t first, int32_t end)
{
    const ew_compact *c = s->c;
    const ew_condition *conditions = s->w->conditions.items;
    const int32_t i = s->new_var[var], n = c->first_cell[i + 1] - c->first_cell[i];
    const int32_t *of = s->place + s->w->f->first_cell[var];
    const int has_tables = s->w->f->has_tables[var];
    memset(s->starts, has_tables ? 1 : 0, (size_t)n + 1);
    for (int32_t d = first; !has_tables && d < end; d++)
        if (conditions[d].var == var) {
            s->starts[of[conditions[d].low]] = 1;
            s->starts[of[conditions[d].high] + 1] = 1;
        }
    PUT(s, first_segment, int32_t, s->n_segments);
    PUT(s, segments_at, size_t, s->segment_of.n);
    int32_t segment = 0;
    for (int32_t k = 0; k < n; k++) {
        segment += k > 0 && s->starts[k];
        PUT(s, segment_of, uint16_t, (uint16_t)segment);
    }
    s->n_segments += segment + 1;
    return (uint16_t *)s->segment_of.items + s->segment_of.n - (size_t)n;
}

/* The segments that a condition allows. */
static void put_allowed(slots *s, const ew_condition *condition, const uint16_t *segments)
{
    const uint8_t *masks = s->w->masks.items;
    const int32_t *of = s->place + s->w->f->first_cell[condition->var];
    PUT(s, first_allowed, size_t, s->allowed.n);
    int32_t before = -1;
    for (int32_t k = condition->low; k <= condition->high; k++) {
        if (condition->mask >= 0 && !masks[condition->mask + k])
            continue;
        if (segments[of[k]] != before) {
            before = segments[of[k]];
            PUT(s, allowed, uint16_t, (uint16_t)before);
        }
    }
}

/* A tree with a variable it asks for, and the leaves that are not free in it. */
static void put_slot(slots *s, int32_t tree, int32_t var, const uint16_t *segments, int32_t from, int32_t to)
{
    const int32_t *first_condition = s->w->first_condition.items;
    const ew_condition *conditions = s->w->conditions.items;
    int32_t count = 0;
    for (int32_t l = from; l < to; l++)
        for (int32_t d = first_condition[l]; d < ew_conditions_end(s->w, l); d++) {
            if (conditions[d].var != var)
                continue;
            PUT(s, condition_leaf, int32_t, s->c->first_leaf[tree] + l - from);
            put_allowed(s, conditions + d, segments);
            count++;
        }
    PUT(s, slot_tree, int32_t, tree);
    PUT(s, slot_var, int32_t, s->new_var[var]);
    PUT(s, n_conditions, int32_t, count);
}

/* Hand over what was found, and list the slots of each variable. */
static void close_slots(slots *s)
{
    ew_compact *c = s->c;
    ew_arena *arena = s->w->arena;
    c->n_leaves = c->first_leaf[c->n_trees];
    c->n_slots = (int32_t)s->slot_tree.n;
    c->n_segments = s->n_segments;
    PUT(s, first_segment, int32_t, s->n_segments);
    PUT(s, first_allowed, size_t, s->allowed.n);
    c->slot_tree = s->slot_tree.items;
    c->slot_var = s->slot_var.items;
    c->first_segment = s->first_segment.items;
    c->segments_at = s->segments_at.items;
    c->segment_of = s->segment_of.items;
    c->condition_leaf = s->condition_leaf.items;
    c->first_allowed = s->first_allowed.items;
    c->allowed = s->allowed.items;
    c->has_ranges = EW_TAKE(arena, uint8_t, c->n_slots);
    c->first_condition = EW_TAKE(arena, int32_t, c->n_slots + 1);
    c->first_of_var = EW_TAKE(arena, int32_t, c->n_vars + 2);
    c->slot_of_var = EW_TAKE(arena, int32_t, c->n_slots);
    for (int32_t z = 0; z < c->n_slots; z++) {
        c->has_ranges[z] = !s->w->f->has_tables[c->var[c->slot_var[z]]];
        c->first_condition[z + 1] = c->first_condition[z] + ((int32_t *)s->n_conditions.items)[z];
        c->first_of_var[c->slot_var[z] + 2]++;
    }
    for (int32_t i = 0; i < c->n_vars; i++)
        c->first_of_var[i + 2] += c->first_of_var[i + 1];
    for (int32_t z = 0; z < c->n_slots; z++)
        c->slot_of_var[c->first_of_var[c->slot_var[z] + 1]++] = z;
}

/* Make slots, segments and conditions of the trees that are kept. Returns 0 if time is over. */
static int sort_out_trees(const ew_walk *w, const int32_t *first_found, const int32_t *place, const ew_clock *clock,
                          ew_compact *c)
{
    const int32_t *first_condition = w->first_condition.items;
    const ew_condition *conditions = w->conditions.items;
    slots s;
    open_slots(&s, w, place, c);
    for (int32_t t = 0; t < c->n_trees; t++) {
        if (is_late(clock))
            return 0;
        const int32_t from = first_found[c->tree[t]], to = first_found[c->tree[t] + 1];
        const int32_t end = ew_conditions_end(w, to - 1);
        put_leaves(&s, t, from, to);
        memset(s.slot_at, -1, sizeof(int32_t) * (size_t)w->f->n_vars);
        for (int32_t e = first_condition[from]; e < end; e++) {
            const int32_t var = conditions[e].var;
            if (s.new_var[var] < 0 || s.slot_at[var] >= 0)
                continue;
            s.slot_at[var] = (int32_t)s.slot_tree.n;
            put_slot(&s, t, var, put_segments(&s, var, e, end), from, to);
        }
        c->first_slot[t + 1] = (int32_t)s.slot_tree.n;
    }
    close_slots(&s);
    return 1;
}

/* Whether two leaves give the same: to all conditions, and, as lines above links may be flat where links are not, to the
 * scores that links are of. */
static int give_the_same(const ew_forest *f, int32_t a, int32_t b)
{
    const size_t R = (size_t)f->n_rows, n = (size_t)f->n_scores;
    if (memcmp(f->gain + (size_t)a * R, f->gain + (size_t)b * R, sizeof(double) * R) != 0)
        return 0;
    for (int32_t k = 0; k < f->n_decisions; k++)
        if (f->decisions[k].kind == EW_MEAN)
            return memcmp(f->leaf + (size_t)a * n, f->leaf + (size_t)b * n, sizeof(double) * n) == 0;
    return 1;
}

/* Find the leaves of a tree that are left, those from `from` on of all that were found. If all give the same, the tree
 * is a constant, else it is kept. Returns 0 if there are none. */
static int sort_out_tree(ew_walk *w, int32_t tree, int32_t from, ew_compact *c)
{
    const ew_forest *f = w->f;
    const size_t R = (size_t)f->n_rows;
    const int64_t n_passed_by = w->n_passed_by;
    ew_walk_tree(w, tree);
    const int32_t to = (int32_t)w->leaves.n, *leaf = w->leaves.items;
    if (to == from)
        return 0;
    const double *first = f->gain + (size_t)leaf[from] * R;
    int is_constant = w->n_passed_by == n_passed_by; /* else it tells the leaves that are left from those that are gone */
    for (int32_t l = from + 1; l < to; l++)
        is_constant &= give_the_same(f, leaf[l], leaf[from]);
    if (!is_constant) {
        c->tree[c->n_trees++] = tree;
        return 1;
    }
    for (size_t r = 0; r < R; r++)
        c->constant[r] += first[r];
    for (int32_t l = from; l < to; l++)
        c->has_exact_constants &= f->is_exact[leaf[l]];
    return 1;
}

/* The same for a rule, which is kept if it may be broken. */
static int sort_out_rule(ew_walk *w, int32_t rule, int32_t from, ew_compact *c)
{
    if (!ew_walk_rule(w, rule))
        return 1;
    c->tree[c->n_trees++] = w->f->n_trees + rule;
    return (int32_t)w->leaves.n > from;
}

/* Where cells of a number start that lie beyond a gap: together they would seem to hold all that is between. */
static void start_beyond_gaps(const ew_walk *w, const ew_cells *cells, int32_t i, uint8_t *starts)
{
    const int32_t first = w->f->first_cell[i], *reached = w->reached + first;
    for (int32_t k = 1; k < w->n_reached[i]; k++) /* the next multiple of a step is not beyond one */
        starts[first + k] |= cells->low[first + reached[k]] - cells->high[first + reached[k - 1]] > 1.5 * cells->step[i];
}

/* Where cells that some tree tells apart start, for all cells that can be reached. */
static uint8_t *starts_of_cells(const ew_walk *w, const int32_t *first_found, const ew_cells *cells, const ew_compact *c)
{
    const ew_forest *f = w->f;
    uint8_t *starts = EW_TAKE(w->arena, uint8_t, f->first_cell[f->n_vars] + 1);
    for (int32_t i = 0; i < f->n_vars; i++)
        if (f->has_tables[i] || (cells && !f->is_ordered[i]))
            memset(starts + f->first_cell[i], 1, (size_t)w->n_reached[i]);
        else if (cells)
            start_beyond_gaps(w, cells, i, starts);
    const int32_t *first_condition = w->first_condition.items;
    const ew_condition *conditions = w->conditions.items;
    for (int32_t t = 0; t < c->n_trees; t++) {
        const int32_t end = ew_conditions_end(w, first_found[c->tree[t] + 1] - 1);
        for (int32_t e = first_condition[first_found[c->tree[t]]]; e < end; e++) {
            const int32_t first = f->first_cell[conditions[e].var];
            starts[first + conditions[e].low] = 1;
            if (conditions[e].high + 1 < w->n_reached[conditions[e].var])
                starts[first + conditions[e].high + 1] = 1;
        }
    }
    return starts;
}

int ew_compact_build(const ew_forest *f, const double *cost, const int32_t *own, const uint8_t *is_gone, double limit,
                     const ew_cells *cells, const ew_clock *clock, ew_arena *arena, ew_compact *c)
{
    memset(c, 0, sizeof *c);
    c->forest = f;
    c->n_rows = f->n_rows;
    c->has_exact_constants = 1;
    ew_walk w;
    if (!ew_walk_open(&w, f, cost, own, limit, arena))
        return EW_NOTHING_SO_NEAR;
    w.is_gone = is_gone;
    const int32_t n_all = f->n_trees + (f->rules ? f->rules->n_rules : 0);
    int32_t *first_found = EW_TAKE(arena, int32_t, n_all + 1);
    c->tree = EW_TAKE(arena, int32_t, n_all);
    c->constant = EW_TAKE(arena, double, f->n_rows);
    for (int32_t t = 0; t < n_all; t++) {
        if (is_late(clock))
            return EW_LATE;
        const int is_left = t < f->n_trees ? sort_out_tree(&w, t, first_found[t], c)
                                           : sort_out_rule(&w, t - f->n_trees, first_found[t], c);
        if (!is_left)
            return EW_NOTHING_SO_NEAR;
        first_found[t + 1] = (int32_t)w.leaves.n;
    }
    int32_t *place = EW_TAKE(arena, int32_t, f->first_cell[f->n_vars]);
    sort_out_cells(&w, starts_of_cells(&w, first_found, cells, c), cells, place, c);
    return sort_out_trees(&w, first_found, place, clock, c) ? EW_BUILT : EW_LATE;
}
