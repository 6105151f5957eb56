"""Results: what comes out, frozen."""
