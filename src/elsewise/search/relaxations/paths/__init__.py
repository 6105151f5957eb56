"""Shortest paths through ellipsoids."""
