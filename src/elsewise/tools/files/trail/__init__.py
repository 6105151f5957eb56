"""The audit trail: one line per answer, chained by checksums."""
