#include "slots.h"

#include <string.h>

/* Slots, segments and conditions as they are found, tree by tree. */
typedef struct {
    const ew_walk *w;
    ew_compact *c;
    const int32_t *place; /* where reached cells go within their variable */
    int32_t *new_var;     /* of each original variable, -1 if it is none any more */
    int32_t *slot_at;     /* of each original variable: its slot of the tree at hand, -1 without one */
    uint8_t *starts;      /* room: cells at which a segment starts, or that a condition allows */
    int32_t *joined, *number; /* room: segments of levels, and their numbers after another condition */
    int32_t n_segments;
    ew_list slot_tree, slot_var, first_segment, segments_at, segment_of;
    ew_list n_conditions, condition_leaf, condition_set, first_set, first_allowed, allowed;
    int32_t *known, n_known, most_known; /* room: sets of the slot at hand by their hash; its size, a power of two */
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
    s->joined = EW_TAKE(w->arena, int32_t, longest + 1);
    s->number = EW_TAKE(w->arena, int32_t, 2 * longest + 2);
    c->gain = EW_TAKE(w->arena, double, w->leaves.n * (size_t)f->n_rows);
    c->first_leaf = EW_TAKE(w->arena, int32_t, c->n_trees + 1);
    c->leaf = EW_TAKE(w->arena, int32_t, w->leaves.n);
    c->first_slot = EW_TAKE(w->arena, int32_t, c->n_trees + 1);
    PUT(s, first_allowed, size_t, 0);
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

/* Mark the cells, or their segments, that a condition allows. */
static void mark_allowed(const slots *s, const ew_condition *condition, const uint16_t *segments, uint8_t *marks)
{
    const uint8_t *masks = s->w->masks.items;
    const int32_t *of = s->place + s->w->f->first_cell[condition->var];
    for (int32_t k = condition->low; k <= condition->high; k++)
        if (condition->mask < 0 || masks[condition->mask + k])
            marks[segments ? segments[of[k]] : of[k]] = 1;
}

/* Join levels that no condition of the tree tells apart: messages to them are equal. Segments are numbered by their first
 * level; returns how many there are. */
static int32_t join_levels(slots *s, int32_t var, int32_t first, int32_t end, int32_t n)
{
    const ew_condition *conditions = s->w->conditions.items;
    int32_t n_joined = 1;
    memset(s->joined, 0, sizeof(int32_t) * (size_t)n);
    for (int32_t d = first; d < end && n_joined < n; d++) {
        if (conditions[d].var != var)
            continue;
        memset(s->starts, 0, (size_t)n);
        mark_allowed(s, conditions + d, NULL, s->starts);
        memset(s->number, -1, sizeof(int32_t) * 2 * (size_t)n_joined);
        n_joined = 0;
        for (int32_t k = 0; k < n; k++) {
            int32_t *number = s->number + 2 * s->joined[k] + s->starts[k];
            *number = *number < 0 ? n_joined++ : *number;
            s->joined[k] = *number;
        }
    }
    return n_joined;
}

/* Segments of a slot: they start where a condition of its tree starts or ends. Returns the segment of each cell. */
static const uint16_t *put_segments(slots *s, int32_t var, int32_t first, int32_t end)
{
    const ew_compact *c = s->c;
    const ew_condition *conditions = s->w->conditions.items;
    const int32_t i = s->new_var[var], n = c->first_cell[i + 1] - c->first_cell[i];
    const int32_t *of = s->place + s->w->f->first_cell[var];
    PUT(s, first_segment, int32_t, s->n_segments);
    PUT(s, segments_at, size_t, s->segment_of.n);
    if (s->w->f->has_tables[var])
        s->n_segments += join_levels(s, var, first, end, n);
    else {
        memset(s->starts, 0, (size_t)n + 1);
        for (int32_t d = first; d < end; d++)
            if (conditions[d].var == var) {
                s->starts[of[conditions[d].low]] = 1;
                s->starts[of[conditions[d].high] + 1] = 1;
            }
        s->joined[0] = 0;
        for (int32_t k = 1; k < n; k++)
            s->joined[k] = s->joined[k - 1] + s->starts[k];
        s->n_segments += s->joined[n - 1] + 1;
    }
    for (int32_t k = 0; k < n; k++)
        PUT(s, segment_of, uint16_t, (uint16_t)s->joined[k]);
    return (uint16_t *)s->segment_of.items + s->segment_of.n - (size_t)n;
}

/* Whether a set is that of the last segments, from `at` on. */
static int is_set(const slots *s, int32_t set, size_t at)
{
    const size_t *first = s->first_allowed.items;
    const uint16_t *allowed = s->allowed.items;
    const size_t n = s->allowed.n - at;
    return first[set + 1] - first[set] == n && memcmp(allowed + first[set], allowed + at, n * sizeof *allowed) == 0;
}

/* The set of the last segments, from `at` on: one that the slot has, or a new one. */
static int32_t find_set(slots *s, size_t at)
{
    const uint16_t *allowed = s->allowed.items;
    uint32_t hash = 2166136261u;
    for (size_t a = at; a < s->allowed.n; a++)
        hash = (hash ^ allowed[a]) * 16777619u;
    uint32_t place = (hash ^ hash >> 15) & (uint32_t)(s->n_known - 1);
    for (; s->known[place] >= 0; place = (place + 1) & (uint32_t)(s->n_known - 1))
        if (is_set(s, s->known[place], at)) {
            s->allowed.n = at;
            return s->known[place];
        }
    s->known[place] = (int32_t)s->first_allowed.n - 1;
    PUT(s, first_allowed, size_t, s->allowed.n);
    return s->known[place];
}

/* Room for the sets of a slot with so many conditions. */
static void clear_sets(slots *s, int32_t n_conditions)
{
    int32_t n = 16;
    while (n < 2 * n_conditions)
        n *= 2;
    if (n > s->most_known) {
        s->known = EW_TAKE(s->w->arena, int32_t, n);
        s->most_known = n;
    }
    s->n_known = n;
    memset(s->known, -1, sizeof(int32_t) * (size_t)n);
}

/* The segments that a condition allows. */
static void put_allowed(slots *s, const ew_condition *condition, const uint16_t *segments)
{
    const int32_t n_segments = s->n_segments - ((int32_t *)s->first_segment.items)[s->first_segment.n - 1];
    const int32_t *of = s->place + s->w->f->first_cell[condition->var];
    if (!s->w->f->has_tables[condition->var]) {
        for (int32_t g = segments[of[condition->low]]; g <= segments[of[condition->high]]; g++)
            PUT(s, allowed, uint16_t, (uint16_t)g);
        return;
    }
    memset(s->starts, 0, (size_t)n_segments);
    mark_allowed(s, condition, segments, s->starts);
    for (int32_t g = 0; g < n_segments; g++)
        if (s->starts[g])
            PUT(s, allowed, uint16_t, (uint16_t)g);
}

/* A tree with a variable it asks for, and the leaves that are not free in it. */
static void put_slot(slots *s, int32_t tree, int32_t var, const uint16_t *segments, int32_t from, int32_t to)
{
    const int32_t *first_condition = s->w->first_condition.items;
    const ew_condition *conditions = s->w->conditions.items;
    int32_t count = 0;
    PUT(s, first_set, int32_t, (int32_t)s->first_allowed.n - 1);
    clear_sets(s, first_condition[to - 1] - first_condition[from] + s->w->f->n_vars);
    for (int32_t l = from; l < to; l++)
        for (int32_t d = first_condition[l]; d < ew_conditions_end(s->w, l); d++) {
            if (conditions[d].var != var)
                continue;
            PUT(s, condition_leaf, int32_t, s->c->first_leaf[tree] + l - from);
            const size_t at = s->allowed.n;
            put_allowed(s, conditions + d, segments);
            PUT(s, condition_set, int32_t, find_set(s, at));
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
    PUT(s, first_set, int32_t, (int32_t)s->first_allowed.n - 1);
    c->slot_tree = s->slot_tree.items;
    c->slot_var = s->slot_var.items;
    c->first_segment = s->first_segment.items;
    c->segments_at = s->segments_at.items;
    c->segment_of = s->segment_of.items;
    c->condition_leaf = s->condition_leaf.items;
    c->condition_set = s->condition_set.items;
    c->first_set = s->first_set.items;
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

int ew_put_slots(const ew_walk *w, const int32_t *first_found, const int32_t *place, const ew_clock *clock,
                 ew_compact *c)
{
    const int32_t *first_condition = w->first_condition.items;
    const ew_condition *conditions = w->conditions.items;
    slots s;
    open_slots(&s, w, place, c);
    for (int32_t t = 0; t < c->n_trees; t++) {
        if (ew_is_time_over(clock))
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
