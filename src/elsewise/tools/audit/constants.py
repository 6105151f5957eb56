"""Numbers that decide something in audits and monitoring."""

# Chance of calling any difference of an audit significant where there is none.
SIGNIFICANCE = 0.05
# Measures of an audit, and what each is in words.
MEASURES = {
    "infeasible_share": "rows without an answer",
    "distance": "median distance",
    "n_changes": "mean number of changes",
    "plausibility": "median plausibility",
}
# Measures that are shares of one.
SHARES = ("infeasible_share", "plausibility")
