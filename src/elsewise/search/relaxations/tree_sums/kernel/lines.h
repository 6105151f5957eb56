/* Points of a proposal, and what is known of them along one variable. */
#ifndef EW_LINES_H
#define EW_LINES_H

#include "arena.h"
#include "propose.h"

/* A point with what follows from it. */
typedef struct {
    double *values; /* n */
    int32_t *cells; /* n_vars */
    double *cost;   /* n_vars: of each variable */
    double *image;  /* F (v - centre) of each ellipsoid, one after the other */
    double *penalty; /* n_ellipsoids: of all levels */
    double total;   /* of costs */
} ew_point;

typedef struct {
    ew_proposal *p;
    ew_arena arena;
    int32_t n_images;
    double *along, *sums;
    double *dense_low, *dense_high; /* n_ellipsoids: intervals of one number */
    int32_t *order;                 /* n_vars */
    uint8_t *is_held;               /* n_vars: stay as they are while a point is repaired */
    ew_point now, saved, rebuilt;
    double started;
    int gave_up;
} ew_lines;

int ew_line_is_over(const ew_lines *w);
void ew_line_open_point(ew_lines *w, ew_point *at);
void ew_line_copy_point(const ew_lines *w, ew_point *to, const ew_point *from);
double ew_line_cost_of(const ew_proposal *p, int32_t i, double value, int32_t cell);
/* Find all that follows from values and cells. */
void ew_line_measure(const ew_lines *w, ew_point *at);
/* Change one variable of a measured point. */
void ew_line_set(const ew_lines *w, ew_point *at, int32_t i, double value, int32_t cell);
/* Whether an ellipsoid holds a measured point, with another level of variable i unless that is -1. */
int ew_line_is_dense(const ew_lines *w, const ew_point *at, int32_t i, int32_t cell);
/* How far conditions are from being met, in all. */
double ew_line_missing(const ew_forest *f, const double *conditions);
/* Find the intervals of a number in which each ellipsoid holds the point. */
void ew_line_dense_intervals(ew_lines *w, const ew_point *at, int32_t i);
/* The dense value of a cell nearest to another one, after `ew_line_dense_intervals`; NaN if there is none. */
double ew_line_value(const ew_lines *w, int32_t i, int32_t cell, double to);
/* The cheapest cell and value of a variable below `limit` that make the point an answer. Returns 0 if there is none. */
int ew_line_look_along(ew_lines *w, ew_point *at, int32_t i, double limit, double *found, int32_t *found_cell);

#endif
