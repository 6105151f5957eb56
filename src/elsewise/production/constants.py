"""Numbers and names that decide something in this package."""

# Word before the name of an id column that is called as one of the answer's own columns.
TAKEN_ID = "data_"
# Word before the name of a counterfactual's column that is called as one of the others.
TAKEN_COLUMN = "counterfactual_"
