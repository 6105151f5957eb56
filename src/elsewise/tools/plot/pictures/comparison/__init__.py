"""Several counterfactuals of one row beside each other."""
