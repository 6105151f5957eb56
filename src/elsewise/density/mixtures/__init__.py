"""Mixtures and how they are fitted: full, low-rank and mixed components, kernels."""
