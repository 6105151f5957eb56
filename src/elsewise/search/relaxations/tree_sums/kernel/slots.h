/* Slots of a compact problem: trees with the variables they ask for, segments, and the sets of segments that leaves allow. */
#ifndef EW_SLOTS_H
#define EW_SLOTS_H

#include "compact.h"
#include "walk.h"

static inline int ew_is_time_over(const ew_clock *clock)
{
    return clock && clock->is_late(clock->context);
}

/* Make slots, segments and conditions of the trees that are kept. Returns 0 if time is over. `first_found` says where the
 * leaves of each tree start, of all that were found, and `place` where cells that can be reached go within their variable. */
int ew_put_slots(const ew_walk *w, const int32_t *first_found, const int32_t *place, const ew_clock *clock, ew_compact *c);

#endif
