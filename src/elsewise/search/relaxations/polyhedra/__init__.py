"""Unions of polyhedra, their bounds, boxes and emptiness."""

from .union import PolyhedronUnion, polyhedron, union

__all__ = ["PolyhedronUnion", "polyhedron", "union"]
