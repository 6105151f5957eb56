"""Plausible counterfactual explanations with proofs."""
