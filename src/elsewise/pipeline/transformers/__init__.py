"""Fitted transformers of scikit-learn, one module per kind: each reads one into a map of features."""
