/* What conditions must reach where leaves are votes.
 *
 * A class that comes later wins only if its score is larger, so a tie is no answer; but rounding could make one of any
 * sum near zero, and least sums are moved out by that much. A search could then close boxes with ties, of which votes
 * make many, only point by point. Votes add up exactly, though. With g dividing all differences of exact leaves of the
 * same tree, the sum of leaves is
 *
 *     sum = residue + g (a whole number),
 *
 * with one of the few residues that trees leave, and unless some tree gives a leaf that is not exact, a sum that is not
 * larger than zero is none. So the sum is at least the smallest positive one that the residues allow. */
#ifndef EW_VOTES_H
#define EW_VOTES_H

#include "compact.h"

typedef struct {
    double value;
    int is_exact;
} ew_residue;

typedef struct {
    ew_residue *now, *next, *of_tree;
} ew_votes;

void ew_votes_open(ew_votes *v, ew_arena *arena);
/* What the conditions must reach, if only marked leaves can be had: least[r], or more. */
void ew_votes_needed(ew_votes *v, const ew_compact *c, const uint8_t *is_left, double *needed);

#endif
