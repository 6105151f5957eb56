"""Numbers and names that decide something in the explorer."""

# Names by which a server on this computer is called.
LOCAL_HOSTS = frozenset({"localhost", "127.0.0.1", "::1"})
# Bytes of the largest request: a row of MOST_COLUMNS short values, with rules.
MOST_BYTES = 1_000_000
# Seconds for a request to come in full: slow networks take less, and idle connections do not pile up.
BODY_SECONDS = 10.0
# Questions answered at a time, and those that may wait before more are refused.
N_THREADS, MOST_WAITING = 2, 64
