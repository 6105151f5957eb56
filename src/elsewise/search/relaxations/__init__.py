"""One package per kind of region: how a node of it is bounded, and how it is branched."""
