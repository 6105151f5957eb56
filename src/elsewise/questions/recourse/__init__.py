"""What is enough for a row, what is in its way, and how far an answer may vary."""
