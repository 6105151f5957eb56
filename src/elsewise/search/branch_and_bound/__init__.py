"""Nodes of boxes, parts and ellipsoids: relaxed by projection, branched, rounded; in C where it can be."""
