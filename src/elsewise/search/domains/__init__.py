"""What rules leave for a row: limits, integrality, clauses, steps, least changes, earlier answers."""
