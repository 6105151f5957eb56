"""Why a row has no counterfactual: smallest sets of rules that leave none, and what would help."""
