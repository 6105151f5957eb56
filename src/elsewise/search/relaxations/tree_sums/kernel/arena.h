/* Memory of one search: taken piece by piece, given back at once. What cannot be had ends the search, not the process. */
#ifndef EW_ARENA_H
#define EW_ARENA_H

#include <setjmp.h>
#include <stdlib.h>

typedef struct ew_block {
    struct ew_block *next;
    double align; /* what follows is aligned for any number */
} ew_block;

typedef struct {
    ew_block *blocks;
    jmp_buf *no_memory;
    size_t taken; /* bytes */
} ew_arena;

/* Zeroed memory for `count` items of `size` bytes. */
static inline void *ew_take(ew_arena *arena, size_t count, size_t size)
{
    ew_block *block = calloc(1, sizeof(ew_block) + (count + 1) * size);
    if (!block)
        longjmp(*arena->no_memory, 1);
    block->next = arena->blocks;
    arena->blocks = block;
    arena->taken += (count + 1) * size;
    return block + 1;
}

#define EW_TAKE(arena, type, count) ((type *)ew_take((arena), (size_t)(count), sizeof(type)))

static inline void ew_give_back(ew_arena *arena)
{
    while (arena->blocks) {
        ew_block *next = arena->blocks->next;
        free(arena->blocks);
        arena->blocks = next;
    }
    arena->taken = 0;
}

#endif
