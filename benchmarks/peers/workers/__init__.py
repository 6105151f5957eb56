"""Scripts that run inside a peer's own environment, and the protocol they share."""
