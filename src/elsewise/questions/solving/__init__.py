"""One question about many rows: posed once, searched in chunks, each row verified as it is returned."""
