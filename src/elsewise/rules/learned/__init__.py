"""What training rows suggest: special codes, steps, values that never occur together."""
