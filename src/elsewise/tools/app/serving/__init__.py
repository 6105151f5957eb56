"""The server around the application: tokens, limits, deadlines, worker threads."""
