"""elsewise beside what people would use instead; ``python -m benchmarks.peers`` runs it."""
