"""Numbers and names that decide something in the explorer."""

# Names by which a server on this computer is called.
LOCAL_HOSTS = frozenset({"localhost", "127.0.0.1", "::1"})
# Bytes of the largest request: a row of MOST_COLUMNS short values, with rules.
MOST_BYTES = 1_000_000
# Seconds for a request to come in full: slow networks take less, and idle connections do not pile up.
BODY_SECONDS = 10.0
# Seconds for the head of a request to come: whoever sends a byte now and then holds a connection no longer than this.
HEAD_SECONDS = 5.0
# Connections at a time; more are turned away. Idle and half-sent ones are closed after seconds.
MOST_CONNECTIONS = 1024
# Seconds after which a question is ended: longer than anyone waits for a page.
TIME_LIMIT = 4.0
# Share of these seconds that is for the proof, so that an answer that is found but not proven is still given in time.
PROOF_SHARE = 0.5
# How many times as long a frontier, and the search for rules that stand in the way, may take: they ask several times.
SEVERAL_QUESTIONS = 2.0
# Questions answered at a time, and those that may wait before more are refused.
N_THREADS, MOST_WAITING = 2, 64
# Seconds between two attempts to end a call that is over its time: the exception may get lost in a destructor.
ATTEMPT_SECONDS = 0.05
# Explainers kept ready, one a target and quantile; a slider has about a hundred quantiles.
MOST_EXPLAINERS = 256
# Rows that can be picked; more are not looked through by hand.
MOST_ROWS = 5000
# Rows in one answer to GET /api/rows.
MOST_ROWS_LISTED = 500
# Rules restored one by one when several have to go; each is a question of its own.
MOST_TRIES = 30
# Largest number in a request: beyond it floats are no longer exact for whole numbers, and no person types it.
LARGEST_NUMBER = 1e15
# Columns, rules and levels in a request, at most.
MOST_COLUMNS = 20_000
# Characters of a name or a text in a request, at most.
LONGEST_TEXT = 1000
# Characters of a message to a client: what it names was sent by the client and may be of any length.
LONGEST_MESSAGE = 2000
# Quantiles of a frontier if none are given: enough to draw a line, few enough to follow the slider.
FRONTIER_QUANTILES = (0.05, 0.2, 0.35, 0.5, 0.65, 0.8, 0.95)
# Quantiles in one question for a frontier, at most.
MOST_QUANTILES = 25
# Whole numbers below this are exact as floats.
LARGEST_EXACT = 2**53
# Significant digits of a typical row's numbers: as a person would type them.
TYPICAL_DIGITS = 6
# Answers side by side, at most: more are not compared at a glance.
MOST_ANSWERS = 5
# A column is skewed if the middle rows, between these percentiles, take less than this share of its range.
MIDDLE_OF_ROWS, SKEWED_SHARE = (5, 95), 0.25
# Whole numbers with fewer values than this have a bar for each, and are not stretched.
FEWEST_VALUES_STRETCHED = 40
# Rows that a demo holds out to be looked at, as a share of all.
HELD_OUT = 0.25

# Pairs that are never seen together which the page is told; the most surprising come first.
MOST_PAIRS = 100
