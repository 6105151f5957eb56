/* Every number of the kernel that decides something: its unit and its reason.
 *
 * Units. "Relative" is a share of what it is compared with. Lengths inside a subproblem are in units of sigma, the
 * largest distance to a single constraint, so that 1 is the scale of the answer; the cone's are in units of its own
 * right-hand side. EPS below is the spacing of doubles at 1, 2.2e-16. */
#ifndef ELSEWISE_CONSTANTS_H
#define ELSEWISE_CONSTANTS_H

/* ---- what is asked for ---- */

/* Relative gap of the interior point method. */
static const double TOLERANCE = 1e-9;
/* Relative gap at the end of a path: its point is exact, but features in very different units cost the bound digits. */
static const double PATH_TOLERANCE = 1e-8;
/* Relative gap, and violation in units of sigma, of a stalled point that counts as optimal all the same: what the
 * certificate shows is what counts, not how the iteration ended. */
static const double CLOSED_GAP = 1e-8, CLOSED_VIOLATION = 1e-9;
/* Share by which the bound that multipliers prove may fall short of the one reported before slopes are not told: they
 * would claim more than is proven. As accurate as the interior point method is asked to be. */
static const double OWN_BOUND_SHARE = 1e-9;
/* Violation in units of sigma of an "optimal" point beyond which it is called stalled; and share by which it may be
 * nearer than its own bound before it is: it then lies outside of the cell. */
static const double OUTSIDE_VIOLATION = 1e-8, NEARER_THAN_POSSIBLE = 1e-5;
/* Violation in units of sigma beyond which a stalled point is no answer and is not given out. */
static const double USABLE_VIOLATION = 1e-6;

/* ---- margins and violations ---- */

/* Relative rounding that a margin allows for, some 450 EPS for sums of a few hundred terms; it grows with the margin
 * where that is wider than USUAL_MARGIN, as it is after the model's own rounding was underrated. */
static const double MARGIN_ROUNDING = 1e-13, USUAL_MARGIN = 1e-9;
/* Share of its margin that a constraint may be violated by: the point stays strictly inside. */
static const double MARGIN_SHARE = 0.05;
/* What stands for the margin where there is none, and how far a bound may be exceeded before clipping; units of
 * sigma. */
static const double LEAST_MARGIN = 1e-9, BOUND_EXCESS = 1e-9;
/* The same at the end of a path, which is exact up to rounding: relative to the right-hand side of the cone, to
 * sigma. */
static const double PATH_EXCESS = 1e-11;
/* A bound is violated on a path from this excess, in units of sigma; what is less is clipped. */
static const double PATH_BOUND_EXCESS = 1e-12;

/* ---- rounding in proofs ---- */

/* Allowance for the rounding of a sum of products, relative to the sum of their absolute values: EPS for each term and
 * for TERMS_EXTRA more. A sum of n terms in any order is off by n EPS / 2 at most; the factors are rounded, too. */
static const double TERM_ROUNDING = 2.3e-16;
enum { TERMS_EXTRA = 4 };
/* A proven bound is lowered by this share of itself for each feature and FEATURES_EXTRA more: some 4.5 EPS. */
static const double FEATURE_ROUNDING = 1e-15;
enum { FEATURES_EXTRA = 8 };
/* Allowance for the rounding of ||y1|| in y0 >= ||y1||, relative; 1 + 4e-16 rounds to 1 + 2 EPS. */
static const double LENGTH_ROUNDING = 4e-16;
/* A cone is out of reach where what can move would have to move it this many times its own size: the pull on it is then
 * nothing but rounding. */
static const double OUT_OF_REACH = 1e8;
/* No feasible point within so many units of sigma: enough to stop (FAR); enough to keep the multipliers as a ray
 * (REMOTE); enough to call the cell empty (PROOF; SQUARED_PROOF for norm 2, where bounds are squared lengths). */
static const double FAR = 1e10, REMOTE = 1e5, PROOF = 1e8, SQUARED_PROOF = 1e10;
/* tau below this share of kappa: the embedding is on its way to Farkas multipliers. */
static const double RAY_SHARE = 1e-6;
/* Stands for zero where something is divided by. */
static const double TINY = 1e-300;

/* ---- linear algebra: relative pivots below which a direction has no curvature beyond rounding ---- */

static const double HOMOTOPY_PIVOT = 1e-12;     /* a feature that would join a path depends on those that move */
static const double ACTIVE_SET_PIVOT = 1e-13;   /* an exact active-set system is singular: not this active set */
static const double RAY_PIVOT = 1e-14;          /* normal equations that make a ray exact: drop the direction */
static const double INTERIOR_POINT_PIVOT = 1e-16; /* the barrier makes the system definite: drop only what is lost */
/* Breakpoints are compared by products first: so much more than rounding of a product and a quotient. */
static const double BREAKPOINT_SLACK = 1 + 1e-14;
/* Put in the place of a dropped pivot: no step is taken along it. */
static const double DROPPED_PIVOT = 1e200;

/* ---- interior point method ---- */

enum {
    MAX_ITERATIONS = 80, /* about ten are usual; nearly empty cells need several times as many */
    REFINEMENTS = 1,     /* of every linear system: without it most instances stop near 1e-7 */
    MORE_REFINEMENTS = 3, /* where rounding ended the progress before the tolerance: one cell in a thousand */
    MAX_SHORT_STEPS = 5  /* in a row, before progress counts as ended */
};
/* Share of the way to the boundary that a step goes. */
static const double STEP_FRACTION = 0.99;
/* Steps below SHORT_STEP are short, below LEAST_STEP there is none. */
static const double SHORT_STEP = 1e-3, LEAST_STEP = 1e-10;
/* Relative gap from which the active set of an iterate is worth a try. */
static const double POLISH_FROM = 0.1;
/* Merit of an iterate: the larger of its violation, as a share of the margin, and its gap, as a share of MERIT_GAP
 * tolerances. At most GOOD_ENOUGH is accepted when rounding ends the progress, and the iteration is left once the
 * merit is MUCH_WORSE times that. Below NEARLY_GOOD the systems are refined more, from the start. */
static const double MERIT_GAP = 10, GOOD_ENOUGH = 0.5, MUCH_WORSE = 10, NEARLY_GOOD = 100;

/* ---- working sets ---- */

enum {
    ALL_HALFSPACES = 24,   /* polyhedra of up to so many half-spaces are taken whole */
    HALFSPACES_ADDED = 12, /* of longer ones so many at a time */
    ALL_FEATURES = 12,     /* up to so many free features are taken whole */
    FEATURES_ADDED = 8,    /* violators that join at a time: as many as there are already, at least so many */
    /* features to begin with: so many beside those that a path moved, or without a path beside as many as the cone has
     * dimensions; and one for each half-space, up to so many */
    FEATURES_BESIDE_PATH = 2,
    FEATURES_BESIDE_CONE = 4,
    FEATURES_FOR_HALFSPACES = 8,
    MAX_ROUNDS = 60
};
/* Relative excess of |r_i| over the weight 1 from which a feature violates dual feasibility. */
static const double DUAL_EXCESS = 1e-9;
/* Share of the whole movement below which a feature whose dual slack is larger still counts as at rest. */
static const double AT_REST = 1e-6;
/* A half-space is active if its multiplier exceeds this share of its slack: under strict complementarity one of the two
 * is of the order of the gap. */
static const double ACTIVE_SHARE = 1e-3;

/* ---- paths ---- */

enum {
    PATH_BOUNDS = 40, /* so many bounds may hold a path back, any number where a step is cheap by the structure of the
                       * cone; more are left to the interior point method */
    PATH_ROUNDS = 4,  /* constraints added to a path, in multiples of the room for them: they may let go and come back */
    /* steps of a path, before it counts as cycling: so many for each feature that can move, and a few more */
    HOMOTOPY_STEPS = 8, HOMOTOPY_STEPS_EXTRA = 40,
    HALFSPACE_STEPS = 6, HALFSPACE_STEPS_EXTRA = 30
};
/* Path multipliers must prove a little more than the cutoff, relative, since the bound is then taken down by
 * rounding. */
static const double CUTOFF_EXCESS = 1e-6;
/* Relative advance of lambda below which an event is the one that has just happened. */
static const double LAMBDA_ADVANCE = 1e-11;
/* Relative movement against its sign that a feature at the end of a path may show by rounding. */
static const double WRONG_WAY = 1e-13;
/* Where a path has no next event, lambda is set this far on, and once more, to see whether the cutoff is proven. */
static const double ENDLESS_FIRST = 1e3, ENDLESS_SECOND = 1e4;

#endif
