/* Rules: cells of a few variables that never come together.
 *
 * In a search they are trees that give nothing: their leaves are the ways to keep a rule, and there is none for points that
 * break it. So bounds know of them as they know of other trees, and boxes that only break one have no leaf left. */
#ifndef EW_RULES_H
#define EW_RULES_H

#include <stdint.h>

typedef struct {
    int32_t n_rules, most_parts;
    const int32_t *first;             /* n_rules + 1: where the parts of each start */
    const int32_t *var, *low, *high;  /* of parts: another variable each, its cells from and to; a point with all is none */
} ew_rules;

/* Whether a point keeps them all; there may be none. */
static inline int ew_keeps_rules(const ew_rules *rules, const int32_t *cells)
{
    for (int32_t k = 0; rules && k < rules->n_rules; k++) {
        int is_broken = 1;
        for (int32_t p = rules->first[k]; p < rules->first[k + 1] && is_broken; p++)
            is_broken = cells[rules->var[p]] >= rules->low[p] && cells[rules->var[p]] <= rules->high[p];
        if (is_broken)
            return 0;
    }
    return 1;
}

struct ew_walk;
/* Find the ways to keep a rule of the forest's that a point near enough can have, as leaves of a walk. Returns 0 if no such
 * point breaks it. */
int ew_walk_rule(struct ew_walk *w, int32_t rule);

#endif
