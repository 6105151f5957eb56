"""Search of one row over boxes, for regions that bound whole boxes by themselves (sums of trees)."""
