"""Numbers that decide something in audits and monitoring."""

# Probability with which an interval is meant to hold its measure.
CONFIDENCE = 0.95
# Resamples of a bootstrap interval: its ends are stable to about a twentieth of its width.
N_RESAMPLES = 2_000
# Chance of calling any difference of an audit significant where there is none.
SIGNIFICANCE = 0.05
# Rows that a group needs to be told of: with fewer, intervals mean little, and persons show through.
FEWEST_ROWS = 5
# Groups an audit tells apart at most: a column with more is a number, or an id.
MOST_GROUPS = 50
# Points of a distribution that a baseline keeps: its quantiles, not the rows.
N_QUANTILES = 501
# Held-out plausibility below which a row is called unusual: of rows like those at fit, as large a share is.
UNUSUAL = 0.05
# Change of a share, or of a distribution (Kolmogorov-Smirnov), below which a difference is no alert, however certain.
SMALLEST_CHANGE = 0.05
# Measures of an audit, and what each is in words.
MEASURES = {
    "infeasible_share": "rows without an answer",
    "distance": "median distance",
    "n_changes": "mean number of changes",
    "plausibility": "median plausibility",
}
# Measures that are shares of one.
SHARES = ("infeasible_share", "plausibility")
