"""Numbers and names that decide something in this package."""

# Word before the name of an id column that is called as one of the answer's own columns.
TAKEN_ID = "data_"
# Word before the name of a counterfactual's column that is called as one of the others.
TAKEN_COLUMN = "counterfactual_"
# Rows that are read, answered and written together: some megabytes, and enough for the engine to share work among.
ROWS_A_BATCH = 4096
# What a partition's file tells of itself is under this key of its metadata.
METADATA_KEY = "elsewise"
# How often a partition is begun anew after its worker was lost: more often, and the partition itself is at fault.
MOST_RETRIES = 3
